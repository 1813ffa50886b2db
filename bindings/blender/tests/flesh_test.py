# SPDX-License-Identifier: Apache-2.0
"""Bake Flesh: Blender's own modifiers show what the program's flesh is."""
import re

import bpy
import numpy as np
from mathutils import Matrix, Quaternion
import support
from support import CLOSE, Case, TO_BLENDER, read_obj, set_words, shown, sinew, size_of, turn, volume, weights_of

from sinew_blender.exchange import Exchange
from sinew_blender.pose_samples import quaternions, sample_turns


def degrees_of(armature, bone, quaternion):
    """The world rotation of a bone's own one as --set takes it: degrees about x, then y, then z."""
    x, y, z, w = quaternion
    rest = (TO_BLENDER.inverted() @ armature.data.bones[bone].matrix_local).to_3x3().normalized()
    world = rest @ Quaternion((w, x, y, z)).to_matrix() @ rest.inverted()
    return [float(a) for a in np.degrees(world.to_euler("XYZ"))]


class Flesh(Case):
    def bake(self, kind="arm", **settings):
        path = self.make(kind)
        self.rest, self.faces = read_obj(f"{path}.obj")
        item, armature = self.rig(f"{path}.obj", kind, flesh=True, **settings)
        Exchange([item], armature).save(self.folder / "mesh.glb")
        sinew("rig", self.folder / "mesh.glb", "--add-joint", "all", "-o", self.folder / "flesh.glb")
        return item, armature

    def off(self, item, armature, turns, deformer="flesh", over=np.max):
        turn(armature, turns)
        sinew("pose", self.folder / "flesh.glb", *set_words(turns), "--deformer", deformer, "-o", self.folder / "posed.obj")
        wanted = read_obj(self.folder / "posed.obj")[0]
        return over(np.linalg.norm(shown(item) - wanted, axis=1)) / size_of(self.rest)

    def test_sampled_poses_are_the_programs(self):
        item, armature = self.bake(keys_per_bone=24, tolerance=0.002)
        for bone in [b.name for b in armature.data.bones][1:]:
            for sample in sample_turns(self.settings.swing, self.settings.twist)[::3]:
                turns = {bone: degrees_of(armature, bone, quaternions(sample))}
                self.assertLess(self.off(item, armature, turns), CLOSE, (bone, np.degrees(sample)))

    def test_other_poses_are_within_the_reported_error(self):
        item, armature = self.bake(keys_per_bone=24)
        said = float(re.search(r"([\d.e-]+) % where all do", self.settings.message)[1]) / 100
        names = [b.name for b in armature.data.bones]
        worst = 0
        for k, angles in enumerate(([0, 0, 35], [20, -30, 0], [-25, 10, 20], [0, 45, 0])):
            turns = {name: [a * (1 if n % 2 else -0.5) for a in angles] for n, name in enumerate(names[1:], k)}
            worst = max(worst, self.off(item, armature, turns))
        print(f"largest error {worst:.2%}, reported {said:.2%} at 99.9 %")
        self.assertLess(worst, 2 * said + CLOSE)

    def test_flesh_is_near_the_elastic_body_and_keeps_its_volume(self):
        item, armature = self.bake()
        elbow = armature.data.bones[1].name
        whole = volume(self.rest, self.faces)
        for sample, loses in (([1.5, 0, 0], False), ([0, 1.5, 0], True)):
            turns = {elbow: degrees_of(armature, elbow, quaternions(sample))}
            near = [self.off(item, armature, turns, "elastic", np.mean)]
            left = [volume(shown(item), self.faces) / whole]
            for key in item.data.shape_keys.key_blocks:
                key.mute = True
            near.append(self.off(item, armature, turns, "elastic", np.mean))
            left.append(volume(shown(item), self.faces) / whole)
            for key in item.data.shape_keys.key_blocks:
                key.mute = False
            print(f"bend, twist {sample[0]}, {sample[1]}: distance to the elastic body {near[0]:.2%} with flesh, {near[1]:.2%} "
                  f"without; volume {left[0]:.2%}, {left[1]:.2%}")
            self.assertLess(near[0], 0.75 * near[1])
            if loses:  # twisted: linear blending makes a candy wrapper
                self.assertLess(left[1], 0.98)
                self.assertLess(1 - left[0], 0.6 * (1 - left[1]))

    def test_files_play_without_the_add_on_and_without_scripts(self):
        item, armature = self.bake()
        turns = {armature.data.bones[1].name: [0, 0, 60]}
        turn(armature, turns)
        before = shown(item)
        bpy.ops.preferences.addon_disable(module=support.MODULE)
        path = str(self.folder / "saved.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path, use_scripts=False)
        np.testing.assert_allclose(shown(bpy.data.objects["body"]), before, atol=1e-6)
        drivers = bpy.data.objects["body"].data.shape_keys.animation_data.drivers
        self.assertTrue(all(d.driver.is_simple_expression for d in drivers))
        self.assertTrue(all(d.driver.is_valid for d in drivers))

    def test_transforms_of_objects_do_not_matter(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj", world=Matrix.LocRotScale((2, 1, 0), None, (-0.3, 0.6, 0.4)))
        self.rest = read_obj(f"{path}.obj")[0]
        self.settings.template, self.settings.keys_per_bone, self.settings.tolerance = "arm", 24, 0.002
        bpy.ops.sinew.find_skeleton()
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        armature = bpy.data.objects["Skeleton"]
        Exchange([item], armature).save(self.folder / "mesh.glb")
        sinew("rig", self.folder / "mesh.glb", "--add-joint", "all", "-o", self.folder / "flesh.glb")
        bone = armature.data.bones[1].name
        turns = {bone: degrees_of(armature, bone, quaternions([self.settings.swing, 0, 0]))}
        self.assertLess(self.off(item, armature, turns), CLOSE)

    def test_body_and_clothes_get_the_same_flesh(self):
        path = self.make("arm")
        self.rest, faces = read_obj(f"{path}.obj")
        body, armature = self.rig(f"{path}.obj")
        middle = self.rest.mean(axis=0)
        part = faces[100:320]
        used = np.unique(np.concatenate(part))
        place = {old: new for new, old in enumerate(used)}
        shape = middle + [1, 1.04, 1.04] * (self.rest[used] - middle)
        sleeve = self.add_mesh("sleeve", shape[:, [0, 2, 1]] * [1, -1, 1], [[place[v] for v in f] for f in part])
        self.settings.keys_per_bone, self.settings.tolerance, sleeve.sinew_part = 24, 0.002, "FOLLOW"
        self.select(body, sleeve, armature)
        self.settings.flesh = True
        self.assertEqual(bpy.ops.sinew.bind(), {"FINISHED"})
        items = [item for item in bpy.context.selected_objects if item.type == "MESH"]
        Exchange(items, armature).save(self.folder / "mesh.glb")
        sinew("rig", self.folder / "mesh.glb", "--add-joint", "all", "--follow", "sleeve", "-o", self.folder / "flesh.glb")
        elbow = armature.data.bones[1].name
        turns = {elbow: degrees_of(armature, elbow, quaternions([0, self.settings.twist, 0]))}
        turn(armature, turns)
        sinew("pose", self.folder / "flesh.glb", *set_words(turns), "-o", self.folder / "posed.obj")
        wanted = read_obj(self.folder / "posed.obj")[0]
        got = np.vstack([shown(item) for item in items])
        self.assertLess(np.linalg.norm(got - wanted, axis=1).max(), CLOSE * size_of(self.rest))
        self.assertTrue(all(item.data.shape_keys for item in items))

    def test_keys_of_the_user_stay_and_ours_are_replaced_and_removed(self):
        path = self.make("arm")
        item = self.add(f"{path}.obj")
        item.shape_key_add(name="Basis")
        item.shape_key_add(name="smile").data[5].co.x += 0.1
        self.settings.template = "arm"
        bpy.ops.sinew.find_skeleton()
        bpy.ops.sinew.bind()
        count = len(item.data.shape_keys.key_blocks)
        self.assertGreater(count, 4)
        weights = weights_of(item)
        self.assertEqual(bpy.ops.sinew.bake_flesh(), {"FINISHED"})
        self.assertEqual(len(item.data.shape_keys.key_blocks), count)
        np.testing.assert_array_equal(weights_of(item), weights)
        self.assertEqual(bpy.ops.sinew.remove_flesh(), {"FINISHED"})
        self.assertEqual([key.name for key in item.data.shape_keys.key_blocks], ["Basis", "smile"])
        self.assertFalse(item.data.shape_keys.animation_data and item.data.shape_keys.animation_data.drivers)

    def test_what_shape_keys_cannot_do_is_refused(self):
        path = self.make("arm")
        item, armature = self.rig(f"{path}.obj")
        mirror = item.modifiers.new("Mirror", "MIRROR")
        self.refused(bpy.ops.sinew.bake_flesh, "Mirror")
        item.modifiers.remove(mirror)
        other = bpy.data.objects.new("twin", item.data)
        bpy.context.collection.objects.link(other)
        self.refused(bpy.ops.sinew.bake_flesh, "single user")
        bpy.data.objects.remove(other)
        item.shape_key_add(name="Basis")
        item.data.shape_keys.use_relative = False
        self.refused(bpy.ops.sinew.bake_flesh, "absolute")
        item.data.shape_keys.use_relative = True
        armature.data.bones[1].bbone_segments = 4
        self.refused(bpy.ops.sinew.bake_flesh, "bendy")
