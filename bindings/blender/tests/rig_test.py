# SPDX-License-Identifier: Apache-2.0
"""Find Skeleton and Bind: what Blender shows is what the program computes."""
import json
import math

import bpy
import numpy as np
import support
from mathutils import Euler, Matrix
from support import CLOSE, Case, TO_BLENDER, read_obj, set_words, shown, sinew, size_of, turn, weights_of

PLACED = Matrix.LocRotScale((3, -1, 2), Euler((0.3, -0.8, 1.2)), (0.5, 2, 0.7))
MIRRORED = Matrix.LocRotScale((1, 0, 0), Euler((0, 0, 0.4)), (-0.2, 0.2, 0.2))


class Skeleton(Case):
    def test_bones_lie_where_the_program_puts_joints(self):
        path = self.make("biped", 2000)
        for world in (None, PLACED, MIRRORED):
            item = self.add(f"{path}.obj", world=world)
            self.assertEqual(bpy.ops.sinew.find_skeleton(), {"FINISHED"})
            self.assertIn("biped", self.settings.message)
            self.assertIn("confidence", self.settings.message)
            found = json.loads(sinew("skeleton", f"{path}.obj", "--names", "rigify", "-o", self.folder / "s.json", "--json"))
            armature = bpy.context.view_layer.objects.active
            self.assertEqual(len(armature.data.bones), len(found["joints"]))
            size = size_of(read_obj(f"{path}.obj")[0])
            for joint in found["joints"]:
                bone = armature.data.bones[joint["name"]]
                head = TO_BLENDER.inverted() @ (armature.matrix_world @ bone.head_local)
                self.assertLess(np.linalg.norm(np.array(head) - joint["position"]), 1e-4 * size, joint["name"])
                if joint["parent"] >= 0:
                    self.assertEqual(bone.parent.name, found["joints"][joint["parent"]]["name"])
            bpy.data.objects.remove(item)
            bpy.data.objects.remove(armature)

    def test_several_meshes_are_one_body(self):
        path = self.make("biped", 2000)
        points, faces = read_obj(f"{path}.obj")
        upper = [f for f in faces if points[f][:, 1].mean() > 1]
        lower = [f for f in faces if points[f][:, 1].mean() <= 1]
        parts = [self.add_mesh(n, points[:, [0, 2, 1]] * [1, -1, 1], f) for n, f in (("top", upper), ("legs", lower))]
        self.select(*parts)
        self.settings.template = "biped"
        self.assertEqual(bpy.ops.sinew.find_skeleton(), {"FINISHED"})
        self.assertGreater(len(bpy.data.objects["Skeleton"].data.bones), 15)


class Bind(Case):
    def compare(self, item, armature, rig, turns, deformer):
        turn(armature, turns)
        sinew("pose", rig, *set_words(turns), "--deformer", deformer, "-o", self.folder / "posed.obj")
        wanted = read_obj(self.folder / "posed.obj")[0]
        got = shown(item)
        self.assertGreater(np.abs(got - self.rest).max(), 0.05 * size_of(self.rest), "the pose moves nothing")
        return np.linalg.norm(got - wanted, axis=1).max() / size_of(self.rest)

    def test_a_posed_rig_is_where_the_program_poses_it(self):
        path = self.make("biped", 2000)
        self.rest = read_obj(f"{path}.obj")[0]
        item, armature = self.rig(f"{path}.obj", "biped", method="heat")
        sinew("skeleton", f"{path}.obj", "--template", "biped", "--names", "rigify", "-o", self.folder / "s.glb")
        # Bones in Blender have a least length; the same for the program.
        from sinew_blender.exchange import Exchange
        Exchange([item], armature).save(self.folder / "bones.glb", weighted=False)
        sinew("weights", f"{path}.obj", "--skeleton", self.folder / "bones.glb", "--method", "heat", "-o", self.folder / "w.glb")
        turns = {"upper_arm.L": [0, 20, 60], "forearm.L": [0, -70, 0], "thigh.R": [-50, 0, 10], "spine.003": [10, 20, 5]}
        self.assertLess(self.compare(item, armature, self.folder / "w.glb", turns, "lbs"), CLOSE)

    def test_object_transforms_do_not_change_the_result(self):
        path = self.make("arm")
        self.rest = read_obj(f"{path}.obj")[0]
        plain, armature = self.rig(f"{path}.obj")
        for world in (PLACED, MIRRORED):
            other = self.add(f"{path}.obj", "other", world)
            self.select(other, armature)
            self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
            np.testing.assert_allclose(np.array(other.matrix_world), np.array(world), atol=1e-6)  # parenting moves nothing
            self.assertEqual([g.name for g in other.vertex_groups], [g.name for g in plain.vertex_groups])
            np.testing.assert_allclose(weights_of(other), weights_of(plain), atol=2e-3)
            bone = armature.data.bones[1].name
            turn(armature, {bone: [0, 0, 50]})
            self.assertLess(np.abs(shown(other) - shown(plain)).max(), 5e-4 * size_of(self.rest))
            turn(armature, {})

    def test_a_scaled_and_turned_armature_gives_the_same_weights(self):
        path = self.make("arm")
        plain, armature = self.rig(f"{path}.obj")
        whole = Matrix.LocRotScale((0, 4, 0), Euler((math.pi / 2, 0, 0)), (0.01, 0.01, 0.01))
        other = self.add(f"{path}.obj", "other")
        other.matrix_world = whole
        armature.matrix_world = whole
        self.select(other, armature)
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        np.testing.assert_allclose(weights_of(other), weights_of(plain), atol=5e-3)  # floats of another scale, voxels

    def test_groups_materials_shape_keys_and_modifiers_stay(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj")
        for name in ("skin", "nails"):
            item.data.materials.append(bpy.data.materials.new(name))
        item.data.polygons[3].material_index = 1
        item.vertex_groups.new(name="pins").add([1, 2, 3], 0.7, "REPLACE")
        item.shape_key_add(name="Basis")
        item.shape_key_add(name="smile").data[5].co.x += 0.1
        item.modifiers.new("Subdivision", "SUBSURF")
        smile = item.data.shape_keys.key_blocks["smile"].data[5].co.copy()
        self.settings.template, self.settings.flesh = "arm", False
        bpy.ops.sinew.find_skeleton()
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        self.assertEqual([m.type for m in item.modifiers], ["ARMATURE", "SUBSURF"])
        self.assertEqual(item.data.shape_keys.key_blocks["smile"].data[5].co, smile)
        pins = item.vertex_groups["pins"]
        self.assertAlmostEqual(pins.weight(2), 0.7, 6)
        self.assertRaises(RuntimeError, pins.weight, 10)
        self.assertEqual(item.data.polygons[3].material_index, 1)

    def test_locked_groups_keep_their_weights(self):
        path = self.make("arm")
        item, armature = self.rig(f"{path}.obj")
        group = item.vertex_groups[0]
        group.add(list(range(40)), 0.4, "REPLACE")
        bpy.ops.object.select_all(action="DESELECT")
        self.select(item)
        bpy.ops.object.vertex_group_normalize_all(lock_active=False)
        before, group.lock_weight = weights_of(item), True
        self.settings.method = "heat"
        self.select(item, armature)
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        after = weights_of(item)
        np.testing.assert_array_equal(after[:, 0], before[:, 0])
        np.testing.assert_allclose(after.sum(axis=1), 1, atol=1e-5)
        self.assertGreater(np.abs(after - before).max(), 0.01)

    def test_locked_groups_keep_their_share_of_rows_that_do_not_sum_to_1(self):
        path = self.make("arm")
        item, armature = self.rig(f"{path}.obj")
        group = item.vertex_groups[0]
        for each, weight in zip(item.vertex_groups, (0.3, 0.2, 0.1)):
            each.add(list(range(40)), weight, "REPLACE")
        before, group.lock_weight = weights_of(item), True
        self.settings.method = "heat"
        self.select(item, armature)
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        after = weights_of(item)
        np.testing.assert_array_equal(after[:, 0], before[:, 0])
        np.testing.assert_allclose(after[:40, 0] / after[:40].sum(axis=1), before[:40, 0] / before[:40].sum(axis=1), atol=1e-5)

    def test_vertices_that_are_not_selected_keep_their_weights(self):
        path = self.make("arm")
        item, armature = self.rig(f"{path}.obj")
        before = weights_of(item)
        chosen = np.arange(len(before)) % 3 == 0
        item.data.vertices.foreach_set("select", chosen)
        self.settings.method, self.settings.only_selected = "heat", True
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        after = weights_of(item)
        np.testing.assert_array_equal(after[~chosen], before[~chosen])
        self.assertGreater(np.abs(after - before)[chosen].max(), 0.01)
        item.data.vertices.foreach_set("select", np.zeros(len(before), bool))
        self.refused(bpy.ops.sinew.bind, "Edit Mode")

    def test_half_a_body_under_a_mirror_modifier_is_bound_as_a_whole(self):
        path = self.make("biped", 2000)
        whole, armature = self.rig(f"{path}.obj", "biped", method="heat")
        points, faces = read_obj(f"{path}.obj")
        half = [f for f in faces if (points[f][:, 0] > -1e-6).all()]
        used = np.unique(np.concatenate(half))
        place = {old: new for new, old in enumerate(used)}
        item = self.add_mesh("half", points[used][:, [0, 2, 1]] * [1, -1, 1], [[place[v] for v in f] for f in half])
        item.modifiers.new("Mirror", "MIRROR")
        self.select(item, armature)
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        ours, theirs = weights_of(item), weights_of(whole)[used]
        names = [g.name for g in whole.vertex_groups]
        both = np.stack([ours[:, g.index] - theirs[:, names.index(g.name)] for g in item.vertex_groups], axis=1)
        self.assertLess((np.abs(both).max(axis=1) > 0.05).mean(), 0.02)
        self.assertEqual([m.type for m in item.modifiers], ["MIRROR", "ARMATURE"])

    def test_body_clothes_and_eyes_are_bound_at_once(self):
        path = self.make("biped", 2000)
        body = self.add(f"{path}.obj")
        points, faces = read_obj(f"{path}.obj")
        centre, normals = points.mean(axis=0), shirt_normals(points, faces)
        chest = [f for f in faces if abs(points[f][:, 1].mean() - centre[1] - 0.25) < 0.12]
        shirt = self.add_mesh("shirt", (points + 0.012 * normals)[:, [0, 2, 1]] * [1, -1, 1], chest)
        bpy.ops.mesh.primitive_uv_sphere_add(segments=8, ring_count=6, radius=0.02,
                                             location=(0.03, -0.1, points[:, 1].max() - 0.1))
        eye = bpy.context.object
        shirt.sinew_part, eye.sinew_part, body.sinew_part = "FOLLOW", "RIGID", "AUTO"
        self.select(body)
        self.settings.template, self.settings.flesh, self.settings.method = "biped", False, "heat"
        bpy.ops.sinew.find_skeleton()
        armature = bpy.data.objects["Skeleton"]
        self.select(body, shirt, eye, armature)
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        self.assertIn("3 meshes", self.settings.message)
        rows = weights_of(eye)
        np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), atol=1e-6)
        names = [g.name for g in body.vertex_groups]
        columns = [names.index(g.name) for g in shirt.vertex_groups]
        used = np.unique(np.concatenate(chest))
        self.assertLess(np.abs(weights_of(shirt)[used] - weights_of(body)[used][:, columns]).mean(), 0.02)
        shirt.sinew_part = "RIGID"  # armour: nothing that is decided from the mesh
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        rows = weights_of(shirt)[used]
        np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), atol=1e-6)

    def test_what_cannot_be_bound_is_refused_in_words(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj")
        self.refused(bpy.ops.sinew.bind, "Find Skeleton")
        bpy.ops.object.armature_add()
        armature = bpy.context.object
        armature.data.bones[0].use_deform = False
        self.select(item, armature)
        self.refused(bpy.ops.sinew.bind, "Deform")
        armature.data.bones[0].use_deform = True
        item.modifiers.new("Mirror", "MIRROR").use_bisect_axis[0] = True
        self.refused(bpy.ops.sinew.bind, "bisects")
        empty = self.add_mesh("empty", [(0, 0, 0)], [])
        self.select(empty)
        self.refused(bpy.ops.sinew.find_skeleton, "no faces")

    def test_linked_objects_are_refused_until_they_are_local(self):
        path, file = self.make("arm"), str(self.folder / "arm.blend")
        self.add(f"{path}.obj")
        bpy.ops.wm.save_as_mainfile(filepath=file)
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.ops.preferences.addon_enable(module=support.MODULE)
        with bpy.data.libraries.load(file, link=True) as (held, wanted):
            wanted.objects = ["body"]
        item = bpy.data.objects["body"]
        bpy.context.collection.objects.link(item)
        self.select(item)
        bpy.context.scene.sinew.template = "arm"
        self.refused(bpy.ops.sinew.find_skeleton, "local")
        bpy.ops.object.make_local(type="SELECT_OBDATA")
        self.select(bpy.context.scene.objects["body"])
        self.assertEqual(bpy.ops.sinew.find_skeleton(), {"FINISHED"})


def shirt_normals(points, faces):
    normals = np.zeros_like(points)
    for f in faces:
        normals[f] += np.cross(points[f[1]] - points[f[0]], points[f[2]] - points[f[0]])
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
