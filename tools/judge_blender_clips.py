# SPDX-License-Identifier: Apache-2.0
"""Plays clips of .glb files in Blender and writes where their vertices went, for tests/repo/engines_test.py to compare.

usage: blender --background --factory-startup --python tools/judge_blender_clips.py -- JOBS.json

JOBS.json is [{"file", "clip", "moments": [{"time", "output"}]}]; an output is one "x y z" line a vertex, in glTF's axes.
FILE.bones.json gets the degrees between each bone and its only child.
"""
import json
import math
import sys

import bpy
import numpy as np
from mathutils import Matrix

np.bool = bool  # Blender 3.4's importer uses a name that numpy has dropped

HELPERS = ("_roll", "_half", "_helper")
FROM_BLENDER = Matrix.Rotation(math.radians(-90), 3, "X")  # glTF has y up, Blender z


def load(file):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=file)
    # The importer adds a shape of its own to show bones; what we want is the mesh that has the modifier.
    return [o for o in bpy.data.objects if o.type == "MESH" and any(m.type == "ARMATURE" for m in o.modifiers)]


def choose(clip):
    """The importer puts every clip on a track of its own, for joints and for shape keys; the action of one plays."""
    owners = list(bpy.data.objects) + list(bpy.data.shape_keys)
    for data in filter(None, (owner.animation_data for owner in owners)):
        actions = [track.strips[0].action for track in data.nla_tracks if track.name == clip]
        for track in data.nla_tracks:
            track.mute = True
        data.action = actions[0] if actions else None


def positions(objects):
    graph = bpy.context.evaluated_depsgraph_get()
    rows = []
    for item in objects:
        posed = item.evaluated_get(graph)
        mesh = posed.to_mesh()
        rows += [FROM_BLENDER @ (posed.matrix_world @ v.co) for v in mesh.vertices]
        posed.to_mesh_clear()
    return rows


def bone_angles():
    """Degrees between bones and the way to their only child, as Blender draws them."""
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    found = {}
    for bone in armature.data.bones:
        if bone.name.rstrip("0123456789").endswith(HELPERS):
            continue
        children = [c for c in bone.children if (c.head_local - bone.head_local).length > 1e-4 and not c.name.rstrip("0123456789").endswith(HELPERS)]
        if len(children) == 1:
            found[bone.name] = math.degrees((bone.tail_local - bone.head_local).angle(children[0].head_local - bone.head_local))
    return found


def main():
    with open(sys.argv[sys.argv.index("--") + 1]) as file:
        jobs = json.load(file)
    for job in jobs:
        objects = load(job["file"])
        with open(job["file"] + ".bones.json", "w") as file:
            json.dump(bone_angles(), file)
        choose(job["clip"])
        scene = bpy.context.scene
        for moment in job["moments"]:
            frame = moment["time"] * scene.render.fps / scene.render.fps_base
            scene.frame_set(int(frame), subframe=frame - int(frame))
            with open(moment["output"], "w") as file:
                file.writelines(f"{p.x:.9g} {p.y:.9g} {p.z:.9g}\n" for p in positions(objects))


main()
