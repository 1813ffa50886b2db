# SPDX-License-Identifier: Apache-2.0
"""Poses .glb files in Blender and writes where their vertices went, for tests/repo/blender_test.py to compare.

usage: blender --background --factory-startup --python tools/judge_blender.py -- JOBS.json

JOBS.json is [{"file", "turns": {JOINT: [x, y, z]}, "linear": OUT, "volume": OUT}]. Turns are degrees about the world
axes of the rest pose, x, then y, then z. The two outputs are one "x y z" line a vertex in glTF's axes: Blender's
armature modifier as it is, and with Preserve Volume.
"""
import json
import math
import sys

import bpy
import numpy as np
from mathutils import Matrix

np.bool = bool  # Blender 3.4's importer uses a name that numpy has dropped

TO_BLENDER = Matrix.Rotation(math.radians(90), 3, "X")  # glTF has y up, Blender z


def load(file):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=file)
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    armature.animation_data_clear()
    # The importer adds a shape of its own to show bones; what we want is the mesh that has the modifier.
    skinned = [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]
    return armature, skinned


def turn(armature, turns):
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    for name, degrees in turns.items():
        x, y, z = (Matrix.Rotation(math.radians(a), 3, axis) for a, axis in zip(degrees, "XYZ"))
        world = TO_BLENDER @ (z @ y @ x) @ TO_BLENDER.inverted()
        bone = armature.pose.bones[name]
        rest = (armature.matrix_world @ bone.bone.matrix_local).to_3x3()
        bone.matrix_basis = (rest.inverted() @ world @ rest).to_4x4()


def positions(objects):
    graph = bpy.context.evaluated_depsgraph_get()
    rows = []
    for item in objects:
        posed = item.evaluated_get(graph)
        mesh = posed.to_mesh()
        rows += [posed.matrix_world @ v.co for v in mesh.vertices]
        posed.to_mesh_clear()
    return [TO_BLENDER.inverted() @ p for p in rows]


def write(path, points):
    with open(path, "w") as file:
        file.writelines(f"{p.x:.9g} {p.y:.9g} {p.z:.9g}\n" for p in points)


def main():
    with open(sys.argv[sys.argv.index("--") + 1]) as file:
        jobs = json.load(file)
    for job in jobs:
        armature, objects = load(job["file"])
        turn(armature, job["turns"])
        for output, keep_volume in (("linear", False), ("volume", True)):
            for item in objects:
                for modifier in item.modifiers:
                    modifier.use_deform_preserve_volume = keep_volume
            bpy.context.view_layer.update()
            write(job[output], positions(objects))


main()
