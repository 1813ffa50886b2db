#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""VRM files and T poses of `export`, read by a reader of glTF of its own.

usage: vrm_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import math
import os
import unittest

from export_test import DATA, Player, diagonal, far
from program import ProgramTest

QUICK = ("--deformer", "lbs", "--helpers", 0, "--morphs", 0, "--reference", 0, "--no-check")
META = ("--name", "Test body", "--author", "A. Tester", "--licence", "https://vrm.dev/licenses/1.0/")
REQUIRED = ["hips", "spine", "head"] + [side + bone for side in ("left", "right") for bone in (
    "UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand")]


class Vrm(ProgramTest):
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
        return self.document("export", source, *QUICK, *words, "-o", out, "--force"), out

    def test_metadata_is_required_and_never_made_up(self):
        out, every = self.path("a.vrm"), {"name": "--name", "authors": "--author", "licenseUrl": "--licence"}
        for words in ((), META[:2], META[:4], META[2:], META[4:]):
            done = self.call("export", self.biped, *QUICK, "--for", "vrm", *words, "-o", out, code=2)
            for key, option in every.items():
                self.assertEqual("%s (%s)" % (key, option) in done.stderr, option not in words, (words, done.stderr))
            self.assertFalse(os.path.exists(out))

    def test_metadata_of_a_file(self):
        meta, out = self.path("meta.json"), self.path("b.vrm")
        given = {"name": "N", "authors": ["A"], "licenseUrl": "https://vrm.dev/licenses/1.0/", "allowRedistribution": True}
        with open(meta, "w") as f:
            json.dump(given, f)
        self.call("export", self.biped, *QUICK, "--for", "vrm", "--meta", meta, "--author", "B", "-o", out)
        self.assertEqual(Player(out).json["extensions"]["VRMC_vrm"]["meta"], {**given, "authors": ["B"]})
        for wrong, word in (({"mood": "glad"}, "mood"), ({"allowRedistribution": "yes"}, "true or false"), ({"authors": []}, "authors"), ({"name": 3}, "name")):
            with open(meta, "w") as f:
                json.dump({**given, **wrong}, f)
            done = self.call("export", self.biped, *QUICK, "--for", "vrm", "--meta", meta, "-o", out, "--force", code=2)
            self.assertIn(word, done.stderr)
        self.call("export", self.biped, *QUICK, "--for", "vrm", "--meta", self.path("none.json"), "-o", out, "--force", code=5)

    def test_extensions_and_targets_belong_together(self):
        for words, out in ((("--for", "web"), "x.vrm"), (("--for", "vrm", *META), "x.gltf"), (("--for", "vrm", *META), "x.usda")):
            self.call("export", self.biped, *QUICK, *words, "-o", self.path(out), code=2)

    def test_only_humanoids_with_all_bones(self):
        done = self.call("export", self.make("arm.glb", "arm"), *QUICK, "--for", "vrm", *META, "-o", self.path("a.vrm"), code=4)
        self.assertIn("not a humanoid", done.stderr)

    def test_vrm_stands_in_a_t_pose_and_moves_as_before(self):
        for source in (self.biped, self.data("CesiumMan.glb"), self.data("RiggedFigure.glb")):
            said, out = self.export(source, "t.vrm", "--for", "vrm", *META)
            player = Player(out)
            bones = {k: v["node"] for k, v in player.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"].items()}
            self.assertLessEqual(set(REQUIRED), set(bones), source)
            self.assertEqual(len(set(bones.values())), len(bones))
            known = {}
            heads = {k: [player.world(j, {}, known)[r][3] for r in range(3)] for k, j in bones.items()}
            for side in ("left", "right"):
                for a, b in (("UpperArm", "LowerArm"), ("LowerArm", "Hand")):
                    way = [y - x for x, y in zip(heads[side + a], heads[side + b])]
                    self.assertGreater(abs(way[0]), 0.9999 * math.hypot(*way), (source, side + a))
                    self.assertEqual(way[0] > 0, side == "left", source)
            self.assertIn("VRMC_vrm", player.json["extensionsUsed"])
            # The T pose is the bind pose: at rest the skin is the stored mesh, turned and scaled as a whole.
            stored = [p for n in player.json["nodes"] if "mesh" in n for q in player.json["meshes"][n["mesh"]]["primitives"] for p in player.read(q["attributes"]["POSITION"])]
            rest = player.vertices()
            scale = diagonal(rest) / diagonal(stored)
            some = range(0, len(rest), max(1, len(rest) // 60))
            for i in some:
                for k in some:
                    self.assertAlmostEqual(math.dist(rest[i], rest[k]), scale * math.dist(stored[i], stored[k]), delta=1e-4 * diagonal(rest))
            # The clip shows what the plain export shows, but for the skin between joints.
            _, plain = self.export(source, "plain.glb")
            other, sum_, count = Player(plain), 0, 0
            for time in (0.1, 0.45, 0.8):
                for a, b in zip(player.vertices(0, time), other.vertices(0, time)):
                    sum_ += math.dist(a, b) ** 2
                    count += 1
            off = math.sqrt(sum_ / count) / diagonal(other.vertices())
            self.assertLess(off, 0.02, source)
            self.assertLess(off, 2 * said["t_pose"]["rms"] + 1e-4, source)

    def test_a_t_pose_of_a_t_pose_changes_nothing(self):
        first, once = self.export(self.biped, "once.glb", "--t-pose")
        second, twice = self.export(once, "twice.glb", "--t-pose")
        self.assertGreater(first["t_pose"]["degrees"], 5)
        self.assertLess(second["t_pose"]["degrees"], 0.01)
        one, two = Player(once), Player(twice)
        self.assertLess(far(one.vertices(0, 0.3), two.vertices(0, 0.3))[-1], 1e-5)

    def test_helpers_with_a_share_of_a_turn_are_constrained(self):
        out = self.path("r.vrm")
        said = self.document("export", self.biped, "--deformer", "swing-twist", "--helpers", 4, "--morphs", 0, "--reference", 0, "--for", "vrm", *META, "-o", out)
        player = Player(out)
        constraints = {i: n["extensions"]["VRMC_node_constraint"]["constraint"] for i, n in enumerate(player.json["nodes"]) if "VRMC_node_constraint" in n.get("extensions", {})}
        self.assertEqual(len(constraints), said["constraints"])
        self.assertEqual(len(constraints), said["helpers"])
        self.assertIn("VRMC_node_constraint", player.json["extensionsUsed"])
        bones = {v["node"] for v in player.json["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"].values()}
        for node, kinds in constraints.items():
            (kind, how), = kinds.items()
            self.assertIn(kind, ("roll", "rotation"))
            self.assertEqual(player.parent[node], player.parent[how["source"]])
            self.assertTrue(0 < how["weight"] <= 1)
            self.assertNotIn(node, bones)
            self.assertIn(how["source"], bones)


if __name__ == "__main__":
    unittest.main()
