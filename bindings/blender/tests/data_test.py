# SPDX-License-Identifier: Apache-2.0
"""Meshes that others made, of the folder SINEW_DATA: what Blender's automatic weights give up on, and a coarse knight."""
import os
import pathlib
import unittest

import bpy
import numpy as np
from flesh_test import degrees_of
from support import CLOSE, Case, read_obj, set_words, shown, sinew, size_of, turn, weights_of

from sinew_blender.exchange import Exchange
from sinew_blender.pose_samples import quaternions

DATA = pathlib.Path(os.environ.get("SINEW_DATA", "/nowhere"))


@unittest.skipUnless(DATA.is_dir(), "SINEW_DATA names no folder")
class Data(Case):
    def load(self, name):
        sinew("convert", DATA / name, "-o", self.folder / "mesh.obj")
        self.rest = read_obj(self.folder / "mesh.obj")[0]
        return self.folder / "mesh.obj"

    def test_pieces_that_blender_leaves_without_weights_are_bound(self):
        for name, template in (("quad/q_snake_quad.obj", "snake"), ("quad/q_man_shirt_quad.obj", "biped")):
            path = self.load(name)
            item, armature = self.rig(path, template, method="heat")
            other = self.add(path, "other")
            self.select(other, armature)
            bpy.ops.object.parent_set(type="ARMATURE_AUTO")
            theirs, ours = (int((weights_of(each).sum(axis=1) < 1e-4).sum()) for each in (other, item))
            print(f"{name}: {theirs} vertices without weights by Blender, {ours} by Bind")
            self.assertGreater(theirs, 0)
            self.assertEqual(ours, 0)
            np.testing.assert_allclose(weights_of(item).sum(axis=1), 1, atol=1e-5)
            for each in list(bpy.data.objects):
                bpy.data.objects.remove(each)

    def test_a_knights_arm_bends_as_the_programs_does(self):
        path = self.load("static_tri/knight.off")
        item, armature = self.rig(path, "biped", flesh=True, keys_per_bone=24, tolerance=0.002)
        Exchange([item], armature).save(self.folder / "mesh.glb")
        sinew("rig", self.folder / "mesh.glb", "--add-joint", "all", "-o", self.folder / "flesh.glb")
        for sample in ([self.settings.swing, 0, 0], [0, -self.settings.twist, 0]):
            turns = {"forearm.L": degrees_of(armature, "forearm.L", quaternions(sample))}
            turn(armature, turns)
            sinew("pose", self.folder / "flesh.glb", *set_words(turns), "-o", self.folder / "posed.obj")
            wanted = read_obj(self.folder / "posed.obj")[0]
            self.assertGreater(np.abs(wanted - self.rest).max(), 0.02 * size_of(self.rest))
            self.assertLess(np.linalg.norm(shown(item) - wanted, axis=1).max(), CLOSE * size_of(self.rest))
