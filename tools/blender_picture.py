# SPDX-License-Identifier: Apache-2.0
# Renders what Blender imports: mesh, bones and some bone names.
# usage: blender --background --python blender_picture.py -- RIG.glb PICTURE.png
import math
import sys

import bpy
import numpy as np
from mathutils import Vector

if not hasattr(np, "bool"):
    np.bool = bool  # the importer of Blender 3.4 needs it
rig, picture = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=rig)
armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
armature.data.pose_position = "REST"
bpy.context.view_layer.update()
body = [o for o in bpy.data.objects if o.type == "MESH" and o.parent]


def material(name, colour):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    surface = made.node_tree.nodes["Principled BSDF"]
    surface.inputs["Base Color"].default_value = (*colour, 1)
    surface.inputs["Roughness"].default_value = 0.6
    return made


skin, bone_look, ink = material("skin", (0.55, 0.6, 0.66)), material("bone", (0.9, 0.45, 0.1)), material("ink", (0.02, 0.02, 0.02))
for o in body:
    o.data.materials.clear()
    o.data.materials.append(skin)
low = Vector((1e9, 1e9, 1e9))
high = -low
for o in body:
    for corner in o.bound_box:
        p = o.matrix_world @ Vector(corner)
        low, high = Vector(map(min, low, p)), Vector(map(max, high, p))
size = (high - low).length
# Bones lie before the body, names before them; how far above the bone a name stands.
NAMED = {"spine": 0, "spine.003": 0, "spine.006": 0.05, "upper_arm.L": 0.03, "forearm.L": -0.04, "hand.L": 0.03, "thigh.L": 0, "shin.L": 0, "foot.L": 0.02,
         "shoulder.R": 0.03, "upper_arm.R": -0.05, "hand.R": 0.03}
for bone in armature.data.bones:
    head, tail = armature.matrix_world @ bone.head_local, armature.matrix_world @ bone.tail_local
    way = tail - head
    if way.length < 1e-6:
        continue
    bpy.ops.mesh.primitive_cone_add(vertices=4, radius1=0.07 * way.length, radius2=0.01 * way.length, depth=way.length, location=(head + tail) / 2 - Vector((0, 0.25 * size, 0)))
    cone = bpy.context.object
    cone.rotation_mode = "QUATERNION"
    cone.rotation_quaternion = way.to_track_quat("Z", "Y")
    cone.data.materials.append(bone_look)
    if bone.name in NAMED:
        bpy.ops.object.text_add(location=(head + tail) / 2 + Vector((0.012 * size, -0.4 * size, NAMED[bone.name] * size)), rotation=(math.pi / 2, 0, 0))
        text = bpy.context.object
        text.data.body = bone.name
        text.data.size = 0.02 * size
        text.data.materials.append(ink)
middle = (low + high) / 2
bpy.ops.object.camera_add(location=middle + Vector((0, -3 * size, 0)), rotation=(math.pi / 2, 0, 0))
camera = bpy.context.object
camera.data.type = "ORTHO"
camera.data.ortho_scale = 1.06 * max(high.x - low.x, high.z - low.z)
bpy.context.scene.camera = camera
bpy.ops.object.light_add(type="SUN", rotation=(0.7, 0.3, 0.4))
bpy.context.object.data.energy = 1.5
world = bpy.data.worlds.new("white")
world.use_nodes = True
world.node_tree.nodes["Background"].inputs[0].default_value = (1, 1, 1, 1)
world.node_tree.nodes["Background"].inputs[1].default_value = 1
scene = bpy.context.scene
scene.world = world
scene.render.engine = "CYCLES"
scene.cycles.device = "CPU"
scene.cycles.samples = 48
scene.cycles.use_denoising = False
scene.view_settings.view_transform = "Standard"
scene.render.resolution_x, scene.render.resolution_y = 560, 590
scene.render.filepath = picture
bpy.ops.render.render(write_still=True)
