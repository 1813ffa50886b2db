#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joint names of `skeleton`, `rig` and `export`, read by a reader of glTF of its own.

usage: names_test.py PROGRAM SOURCE [unittest arguments]
"""
import os
import unittest

from export_test import DATA, Player
from program import ProgramTest

QUICK = ("--deformer", "lbs", "--helpers", 0, "--morphs", 0, "--reference", 0, "--no-check")
# As the programs' own documents list them.
NAMES = {"godot": ("Hips", "Spine", "LeftUpperArm", "RightLowerLeg", "LeftFoot", "RightHand", "Head"),
         "unity": ("Hips", "Spine", "LeftUpperArm", "RightLowerLeg", "LeftFoot", "RightHand", "Head"),
         "unreal": ("pelvis", "spine_01", "upperarm_l", "calf_r", "foot_l", "hand_r", "head"),
         "blender": ("spine", "spine.001", "upper_arm.L", "shin.R", "foot.L", "hand.R"),
         "vrm": ("hips", "spine", "leftUpperArm", "rightLowerLeg", "leftFoot", "rightHand", "head")}
FINGERS = {"godot": "LeftThumbMetacarpal", "unity": "LeftThumbProximal", "unreal": "thumb_01_l", "blender": "thumb.01.L"}


def joint_names(path):
    document = Player(path).json
    return [document["nodes"][j].get("name", "") for j in document["skins"][0]["joints"]]


class Names(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped", "--resolution", 1500)

    def data(self, name):
        path = os.path.join(DATA, "rigged_gltf", name)
        if not os.path.exists(path):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        return path

    def export(self, source, name, *words):
        out = self.path(name)
        return self.document("export", source, *QUICK, "--no-clips", *words, "-o", out, "--force"), out

    def test_every_target_has_its_names_and_they_go_back(self):
        # Their own joints are named as Mixamo's, as Rigify's, and with numbers alone.
        for source, least in ((self.biped, 50), (self.data("male_base_mesh.glb"), 50), (self.data("CesiumMan.glb"), 15)):
            first, mixamo = self.export(source, "first.glb", "--names", "mixamo")
            self.assertGreaterEqual(first["names"]["matched"], least, source)
            before = joint_names(mixamo)
            for target, wanted in NAMES.items():
                if target == "vrm":
                    said, out = self.export(source, "vrm.glb", "--names", "vrm")
                else:
                    said, out = self.export(source, target + ".glb", "--for", target)
                names = joint_names(out)
                self.assertLessEqual(set(wanted), set(names), (source, target))
                if least == 50 and target in FINGERS:
                    self.assertIn(FINGERS[target], names, source)
                self.assertEqual(len(names), len(set(names)), (source, target))
                self.assertEqual(said["names"]["matched"] + len(said["names"]["unmatched"]), len(names), (source, target))
                _, back = self.export(out, "back.glb", "--names", "mixamo")
                self.assertEqual(joint_names(back), before, (source, target))
            self.assertEqual(joint_names(self.export(source, "kept.glb", "--for", "unreal", "--names", "keep")[1]), joint_names(source))

    def test_only_names_change(self):
        knight = self.data("kaykit_Knight.glb")
        named, plain = Player(self.export(knight, "n.glb", "--for", "unity")[1]), Player(self.export(knight, "p.glb")[1])
        self.assertEqual(named.data, plain.data)
        for document in (named.json, plain.json):
            del document["asset"]
            document.pop("extras", None)
            for node in document["nodes"]:
                node.pop("name", None)
        self.assertEqual(named.json, plain.json)

    def test_joints_without_a_name_are_listed(self):
        knight, out = self.data("kaykit_Knight.glb"), self.path("k.glb")
        done = self.call("export", knight, *QUICK, "--no-clips", "--for", "unity", "-o", out)
        self.assertIn("handslot.l", done.stderr)
        said, _ = self.export(knight, "k.glb", "--for", "unity")
        self.assertIn("handslot.l", said["names"]["unmatched"])
        self.assertNotIn("upperarm.l", said["names"]["unmatched"])
        for name in said["names"]["unmatched"]:
            self.assertIn(name, joint_names(out))

    def test_what_is_no_humanoid_keeps_its_names(self):
        for source in (self.make("arm.glb", "arm"), self.make("quadruped.glb", "quadruped"), self.data("q_Spider.glb"), self.data("Fox.glb")):
            out = self.path("same.glb")
            done = self.call("export", source, *QUICK, "--no-clips", "--for", "unreal", "-o", out, "--force")
            self.assertIn("not a humanoid", done.stderr, source)
            self.assertEqual(joint_names(out), joint_names(source))

    def test_unknown_words_are_usage_errors(self):
        out = self.path("no.glb")
        for words in (("export", self.biped, "--names", "klingon"), ("export", self.biped, "--for", "doom"),
                      ("rig", self.biped, "--names", "klingon"), ("skeleton", self.biped, "--names", "keep")):
            self.call(*words, "-o", out, code=2)
            self.assertFalse(os.path.exists(out))

    def test_skeletons_that_are_found_and_own_ones_get_them(self):
        mesh, out = self.path("biped.obj"), self.path("found.glb")
        self.call("convert", self.biped, "-o", mesh)
        said = self.document("skeleton", mesh, "--names", "unreal", "-o", out)
        self.assertIn("upperarm_l", joint_names(out))
        self.assertEqual(said["names"], {"convention": "unreal", "matched": len(said["joints"]), "unmatched": []})
        self.assertIn("upperarm_l", [joint["name"] for joint in said["joints"]])
        self.document("skeleton", mesh, "--names", "rigify", "-o", self.path("found.json"))
        with open(self.path("found.json")) as f:
            self.assertIn("upper_arm.L", f.read())
        # The joints of the file itself, beside which all stays.
        knight = self.data("kaykit_Knight.glb")
        said = self.document("rig", knight, "--quality", "fast", "--method", "heat", "--names", "vrm", "-o", out, "--force")
        self.assertIn("leftUpperArm", joint_names(out))
        self.assertIn("handslot.l", said["names"]["unmatched"])
        # Clips go by the names of the file, and play on.
        said = self.document("rig", self.biped, "--template", "biped", "--quality", "fast", "--method", "heat", "--names", "godot", "-o", out, "--force")
        self.assertGreater(len(Player(out).json["animations"][0]["channels"]), 10)

    def test_a_skeleton_without_a_template_says_so(self):
        spider, out = self.data("q_Spider.glb"), self.path("s.glb")
        done = self.call("skeleton", spider, "--template", "none", "-o", out)
        self.assertIn("without a template", done.stdout)
        self.assertNotIn("'none'", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
