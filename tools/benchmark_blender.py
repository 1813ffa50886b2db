# SPDX-License-Identifier: Apache-2.0
"""Times the add-on's Bind beside Blender's automatic weights, and Cage Bind beside Mesh Deform, in one run of Blender; measures an
elbow of the armadillo with and without flesh.

usage: blender --background --factory-startup --python tools/benchmark_blender.py -- ADDON.zip PROGRAM DATA [bind|cage|elbow]

DATA is the folder of test data. Prints tables for docs/results.md: CPU seconds of Blender and of the program, and wall seconds in
brackets, of the operators as a script calls them. For the add-on they include writing and reading files.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import bpy
import numpy as np
from mathutils import Quaternion, Vector
from mathutils.bvhtree import BVHTree

MESHES = ["static_tri/armadillo.off", "static_tri/bear.off", "static_tri/cat.obj", "static_tri/cheburashka.off",
          "static_tri/elephant_toy.obj", "static_tri/knight.off", "static_tri/koala.obj", "static_tri/penguin.obj",
          "static_tri/scorpion.obj", "quad/horse_quad.obj", "quad/mh_neutral.obj", "quad/mh_male1591.obj",
          "quad/mh_base_hm08.obj", "quad/q_man_shirt_quad.obj", "quad/q_snake_quad.obj", "quad/q_rat_quad.obj"]
CAGED = ["quad/horse_quad.obj", "quad/mh_neutral.obj", "static_tri/armadillo.off"]


def read(program, path, folder):
    out = folder / "mesh.obj"
    subprocess.run([program, "convert", path, "-o", out, "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    points, faces = [], []
    for line in out.read_text().splitlines():
        if line.startswith("v "):
            x, y, z = map(float, line.split()[1:4])
            points.append((x, -z, y))
        elif line.startswith("f "):
            faces.append([int(word.split("/")[0]) - 1 for word in line.split()[1:]])
    return points, faces


def add_mesh(name, points, faces):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], faces)
    mesh.update()
    item = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(item)
    return item


def select(*items):
    bpy.context.view_layer.update()
    for item in bpy.context.view_layer.objects:
        item.select_set(item in items)
    bpy.context.view_layer.objects.active = items[-1]


def unweighted(item):
    """Vertices that no bone moves: what Blender leaves in place when the armature walks away."""
    return sum(sum(entry.weight for entry in vertex.groups) < 1e-4 for vertex in item.data.vertices)


class Seconds:
    """Of a call: CPU time of Blender and of the programs that it ran, and wall time."""

    def __init__(self, call):
        start, cpu = time.perf_counter(), cpu_seconds()
        try:
            call()
        except RuntimeError as problem:
            print(f"refused: {problem}".strip(), file=sys.stderr)
        self.wall, self.cpu = time.perf_counter() - start, cpu_seconds() - cpu

    def __str__(self):
        return f"{self.cpu:.2f} ({self.wall:.2f})"


def cpu_seconds():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def bind_table(program, data, folder):
    print("| mesh | vertices | bones | automatic weights: s | without weights | Bind, heat: s | without weights | Bind, bbw: s | without weights |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in MESHES:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.preferences.addon_enable(module="sinew_blender")
        settings = bpy.context.scene.sinew
        settings.flesh = False
        points, faces = read(program, data / name, folder)
        first = add_mesh("ours", points, faces)
        select(first)
        Seconds(bpy.ops.sinew.find_skeleton)
        if "Skeleton" not in bpy.data.objects:
            continue
        armature, row = bpy.data.objects["Skeleton"], []
        theirs = add_mesh("theirs", points, faces)
        select(theirs, armature)
        row += [Seconds(lambda: bpy.ops.object.parent_set(type="ARMATURE_AUTO")), unweighted(theirs)]
        for method in ("heat", "bbw"):
            settings.method = method
            ours = add_mesh(method, points, faces)
            select(ours, armature)
            row += [Seconds(bpy.ops.sinew.bind), unweighted(ours)]
        figures = " | ".join(f"{value:,}" if isinstance(value, int) else str(value) for value in row)
        print(f"| `{pathlib.Path(name).name}` | {len(points):,} | {len(armature.data.bones)} | {figures} |", flush=True)


def world_points(item):
    posed = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(3 * len(item.data.vertices), np.float32)
    posed.data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def linear_error(item, cage):
    """How far the mesh is from a linear map of the cage, which harmonic coordinates follow exactly: largest, of the size."""
    rest = np.array([v.co for v in item.data.vertices])
    before = np.array([v.co for v in cage.data.vertices])
    map_ = np.array([[1.2, 0.3, 0], [0, 0.9, 0.2], [-0.3, 0, 1.1]])
    cage.data.vertices.foreach_set("co", (before @ map_.T).ravel())
    cage.data.update()
    bpy.context.view_layer.update()
    error = np.linalg.norm(world_points(item) - rest @ map_.T, axis=1).max() / np.linalg.norm(np.ptp(rest, axis=0))
    cage.data.vertices.foreach_set("co", before.ravel())
    cage.data.update()
    return error


def mesh_deform(item, cage, precision):
    modifier = item.modifiers.new("MeshDeform", "MESH_DEFORM")
    modifier.object, modifier.precision = cage, precision
    select(item)
    seconds = Seconds(lambda: bpy.ops.object.meshdeform_bind(modifier=modifier.name))
    return seconds, linear_error(item, cage)


def cage_table(program, data, folder):
    print("| mesh | vertices | control points | precision | Mesh Deform: s | off | Cage Bind: s | off |")
    print("|---|---|---|---|---|---|---|---|")
    for name in CAGED:
        points, faces = read(program, data / name, folder)
        for precision in (4, 5, 6):
            bpy.ops.wm.read_factory_settings(use_empty=True)
            bpy.ops.preferences.addon_enable(module="sinew_blender")
            bpy.context.scene.sinew.cage_precision = precision
            ours = add_mesh("ours", points, faces)
            select(ours)
            bpy.ops.sinew.cage_bind()  # makes the cage
            cage = bpy.data.objects["Cage"]
            select(ours, cage)
            seconds = Seconds(bpy.ops.sinew.cage_bind)
            off = linear_error(ours, cage)
            theirs = mesh_deform(add_mesh("theirs", points, faces), cage, precision)
            print(f"| `{pathlib.Path(name).name}` | {len(points):,} | {len(cage.data.vertices)} | {precision} | {theirs[0]} | "
                  f"{theirs[1]:.1e} | {seconds} | {off:.1e} |", flush=True)


def section(points, triangles, centre, normal):
    """(area, least width) of the skin's section in this plane through the centre, by rays."""
    tree = BVHTree.FromPolygons([Vector(p) for p in points], triangles)
    u = normal.orthogonal().normalized()
    w = normal.cross(u)
    angles = np.arange(180) * 2 * np.pi / 180
    hits = [tree.ray_cast(centre, u * np.cos(a) + w * np.sin(a))[3] or 0 for a in angles]
    radii = np.array(hits)
    return (radii ** 2).sum() * np.pi / 180, (radii + np.roll(radii, 90)).min()


def volume(points, triangles):
    a, b, c = (points[np.array(triangles)[:, k]] for k in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def elbow_table(program, data, folder):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="sinew_blender")
    points, faces = read(program, data / "static_tri/armadillo.off", folder)
    item = add_mesh("armadillo", points, faces)
    select(item)
    bpy.ops.sinew.find_skeleton()
    bpy.ops.sinew.bind()
    bones = bpy.data.objects["Skeleton"].pose.bones
    upper, fore = bones["upper_arm.L"], bones["forearm.L"]
    fore.rotation_mode = "QUATERNION"

    def measure():
        bpy.context.view_layer.update()
        shown = world_points(item).astype(float)
        halfway = sum(((bone.matrix.to_3x3() @ Vector((0, 1, 0))).normalized() for bone in (upper, fore)), Vector()).normalized()
        return np.array([*section(shown, faces, fore.head.copy(), halfway), volume(shown, faces)])
    rest = measure()
    print("| left forearm of the armadillo | section with flesh | without | least width with flesh | without | volume with flesh | without |")
    print("|---|---|---|---|---|---|---|")
    for name, axis, angle in (("bent by 60° (it is bent at rest)", (1, 0, 0), 60), ("bent by 90°", (1, 0, 0), 90),
                              ("straightened by 60°", (1, 0, 0), -60), ("twisted by 90°", (0, 1, 0), 90),
                              ("twisted by −90°", (0, 1, 0), -90)):
        fore.rotation_quaternion = Quaternion(axis, np.radians(angle))
        found = []
        for muted in (False, True):
            for key in item.data.shape_keys.key_blocks:
                key.mute = muted
            found.append(measure() / rest)
        cells = [f"{f[k]:.0%}" for k in (0, 1) for f in found] + [f"{f[2] - 1:+.2%}" for f in found]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main():
    archive, program, data, *what = sys.argv[sys.argv.index("--") + 1:]
    bpy.ops.preferences.addon_install(filepath=archive)
    bpy.ops.preferences.addon_enable(module="sinew_blender")
    with tempfile.TemporaryDirectory() as folder:
        for name, table in (("bind", bind_table), ("cage", cage_table), ("elbow", elbow_table)):
            if not what or name in what:
                table(program, pathlib.Path(data), pathlib.Path(folder))


main()
