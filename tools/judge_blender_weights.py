# SPDX-License-Identifier: Apache-2.0
"""Binds meshes by Blender's automatic weights, for tests/repo/blender_weights_test.py to compare.

usage: blender --background --factory-startup --python tools/judge_blender_weights.py -- JOBS.json

JOBS.json is [{"mesh": FILE.npz, "out": FILE.npz}]. The first holds vertices (n x 3), triangles (k x 3) and bones
(m x 2 x 3, head and tail); the second gets weights (n x m, as Blender has them, not normalised) and the seconds that
the operator took.
"""
import json
import sys
import time

import bpy
import numpy as np


def add_mesh(data):
    mesh = bpy.data.meshes.new("mesh")
    mesh.from_pydata(data["vertices"].tolist(), [], data["triangles"].tolist())
    mesh.update()
    item = bpy.data.objects.new("mesh", mesh)
    bpy.context.collection.objects.link(item)
    return item


def add_armature(bones):
    item = bpy.data.objects.new("armature", bpy.data.armatures.new("armature"))
    bpy.context.collection.objects.link(item)
    bpy.context.view_layer.objects.active = item
    bpy.ops.object.mode_set(mode="EDIT")
    for number, (head, tail) in enumerate(bones):
        bone = item.data.edit_bones.new(f"bone{number}")
        bone.head, bone.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    return item


def bind(mesh, armature):
    for item in bpy.context.view_layer.objects:
        item.select_set(item in (mesh, armature))
    bpy.context.view_layer.objects.active = armature
    start = time.perf_counter()
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    return time.perf_counter() - start


def weights_of(mesh, count):
    weights = np.zeros((len(mesh.data.vertices), count))
    column = {group.index: int(group.name[4:]) for group in mesh.vertex_groups}
    for vertex in mesh.data.vertices:
        for entry in vertex.groups:
            weights[vertex.index, column[entry.group]] = entry.weight
    return weights


def main():
    with open(sys.argv[sys.argv.index("--") + 1]) as file:
        jobs = json.load(file)
    for job in jobs:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        data = np.load(job["mesh"])
        mesh, armature = add_mesh(data), add_armature(data["bones"])
        seconds = bind(mesh, armature)
        np.savez(job["out"], weights=weights_of(mesh, len(data["bones"])), seconds=seconds)


main()
