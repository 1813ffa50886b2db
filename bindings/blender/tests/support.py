# SPDX-License-Identifier: Apache-2.0
"""What the tests share: meshes of the program in Blender, poses, and the program's own answer."""
import math
import pathlib
import subprocess
import tempfile
import unittest

import bpy
import numpy as np
from mathutils import Matrix

PROGRAM = MODULE = None  # set by run.py
TO_BLENDER = Matrix.Rotation(math.radians(90), 4, "X")  # the program has y up, Blender z
CLOSE = 1e-4  # of the size


def sinew(*words):
    done = subprocess.run([PROGRAM, *map(str, words), "--force", "--quiet"], capture_output=True, text=True, timeout=200)
    if done.returncode:
        raise RuntimeError(f"sinew {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def read_obj(path):
    points, faces = [], []
    for line in pathlib.Path(path).read_text().splitlines():
        if line.startswith("v "):
            points.append([float(word) for word in line.split()[1:4]])
        elif line.startswith("f "):
            faces.append([int(word.split("/")[0]) - 1 for word in line.split()[1:]])
    return np.array(points), faces


class Case(unittest.TestCase):
    def setUp(self):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.preferences.addon_enable(module=MODULE)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.settings = bpy.context.scene.sinew

    def make(self, kind, resolution=800):
        """A built-in character as .glb and .obj; the path without extension."""
        path = self.folder / kind
        sinew("make", kind, "--resolution", resolution, "-o", f"{path}.glb")
        sinew("pose", f"{path}.glb", "-o", f"{path}.obj")
        return path

    def add(self, path, name="body", world=None):
        """A mesh as the user has it: z up. `world`: the object's transform, below which the shape stays where it is."""
        points, faces = read_obj(path)
        world = world or Matrix.Identity(4)
        return self.add_mesh(name, [world.inverted() @ (TO_BLENDER @ Matrix.Translation(p)).translation for p in points], faces,
                             world)

    def add_mesh(self, name, points, faces, world=None):
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([tuple(p) for p in points], [], faces)
        mesh.update()
        item = bpy.data.objects.new(name, mesh)
        bpy.context.collection.objects.link(item)
        item.matrix_world = world or Matrix.Identity(4)
        self.select(item)
        return item

    def select(self, *items):
        bpy.context.view_layer.update()
        for item in bpy.context.view_layer.objects:
            item.select_set(item in items)
        bpy.context.view_layer.objects.active = items[-1]

    def rig(self, path, template="arm", **settings):
        """The two buttons."""
        item = self.add(path)
        self.settings.template, self.settings.flesh = template, False
        for name, value in settings.items():
            setattr(self.settings, name, value)
        self.assertEqual(bpy.ops.sinew.find_skeleton(), {"FINISHED"})
        armature = bpy.data.objects["Skeleton"]
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        return item, armature

    def refused(self, operator, word, **arguments):
        """The sentence that says why; it has this word in it."""
        with self.assertRaises(RuntimeError) as caught:
            operator(**arguments)
        self.assertIn(word, str(caught.exception))
        return str(caught.exception)


def turn(armature, turns):
    """Degrees about the world axes of the rest pose, in the program's axes: x, then y, then z, as `sinew pose --set`."""
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    axes = TO_BLENDER.to_3x3()
    space = armature.matrix_world.to_quaternion().to_matrix()
    for name, degrees in turns.items():
        x, y, z = (Matrix.Rotation(math.radians(a), 3, axis) for a, axis in zip(degrees, "XYZ"))
        bone = armature.pose.bones[name]
        rest = space @ bone.bone.matrix_local.to_3x3()
        bone.matrix_basis = (rest.inverted() @ axes @ (z @ y @ x) @ axes.inverted() @ rest).to_4x4()
    bpy.context.view_layer.update()


def shown(item):
    """World positions of what the viewport shows, in the program's axes."""
    posed = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = posed.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    matrix = np.array(TO_BLENDER.inverted() @ posed.matrix_world)
    posed.to_mesh_clear()
    return flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def size_of(points):
    return np.linalg.norm(np.ptp(points, axis=0))


def weights_of(item):
    """vertex x group, by the order of groups."""
    found = np.zeros((len(item.data.vertices), len(item.vertex_groups)))
    for vertex in item.data.vertices:
        for entry in vertex.groups:
            found[vertex.index, entry.group] = entry.weight
    return found


def set_words(turns):
    return [word for name, degrees in turns.items() for word in ("--set", f"{name}={','.join(map(str, degrees))}")]


def volume(points, faces):
    """Enclosed by a closed mesh."""
    return sum(np.linalg.det(points[[f[0], f[k], f[k + 1]]]) for f in faces for k in range(1, len(f) - 1)) / 6
