#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/benchmark_autorig measures what it says.

usage: benchmark_autorig_test.py PROGRAM SOURCE [unittest arguments]
"""
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, SOURCE, edit_glb, text_of

sys.dont_write_bytecode = True
TOOL = os.path.join(SOURCE, "tools", "benchmark_autorig")
loader = importlib.machinery.SourceFileLoader("benchmark_autorig", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("benchmark_autorig", loader))
loader.exec_module(tool)


class Benchmark(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.rigs = self.path("rigs")
        os.mkdir(self.rigs)

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_the_measure_is_half_the_sum_of_both_means_in_hundredths_of_the_longest_side(self):
        truth, found = [(0, 0, 0), (1, 0, 0)], [(0, 0, 0), (1, 0, 0), (1, 0, 3)]
        self.assertAlmostEqual(tool.cd_j2j(truth, found, 2), 50 / 2 * (0 + 3 / 3))
        self.assertAlmostEqual(tool.cd_j2j(found, truth, 2), 50 / 2 * (3 / 3 + 0))
        self.assertEqual(tool.cd_j2j(found, found, 2), 0)

    def test_joints_of_the_artist_are_where_their_nodes_stand_in_the_world(self):
        made = self.path("arm.glb")
        subprocess.run([PROGRAM, "make", "arm", "-o", made], check=True, capture_output=True)
        before, deforming = tool.artists_joints(made)
        self.assertEqual(deforming, before)

        def turn(document):
            # A quarter turn about z, twice as large, and one to the right: (x, y, z) becomes (1 - 2 y, 2 x, 2 z).
            top = document["scenes"][0]["nodes"]
            document["nodes"].append({"children": top, "rotation": [0, 0, 0.5 ** 0.5, 0.5 ** 0.5], "scale": [2, 2, 2],
                                      "translation": [1, 0, 0]})
            document["scenes"][0]["nodes"] = [len(document["nodes"]) - 1]

        after, _ = tool.artists_joints(edit_glb(made, self.path("turned.glb"), turn))
        self.assertEqual(len(after), len(before))
        for (x, y, z), there in zip(before, after):
            for a, b in zip((1 - 2 * y, 2 * x, 2 * z), there):
                self.assertAlmostEqual(a, b, places=6)

    def test_controls_are_no_joints_that_deform_and_joints_between_are(self):
        made = self.path("arm.glb")
        subprocess.run([PROGRAM, "make", "arm", "-o", made], check=True, capture_output=True)
        before, _ = tool.artists_joints(made)

        def hang(document):
            # A root above all and a handle below it; the last joint goes below a new one, which carries nothing either.
            joints, nodes = document["skins"][0]["joints"], document["nodes"]
            last = joints[-1]
            above = next(n for n in nodes if last in n.get("children", []))
            first = len(nodes)
            above["children"][above["children"].index(last)] = first
            nodes.append({"children": [last], "translation": [0, 0, 0]})
            nodes.append({"translation": [5, 0, 0]})
            nodes.append({"children": document["scenes"][0]["nodes"] + [first + 1], "translation": [0, 0, 0]})
            document["scenes"][0]["nodes"] = [first + 2]
            joints += [first, first + 1, first + 2]

        everything, deforming = tool.artists_joints(edit_glb(made, self.path("hung.glb"), hang))
        self.assertEqual(len(everything), len(before) + 3)
        self.assertEqual(deforming, before + [everything[-3]])

    def test_a_built_in_character_is_met_and_files_without_a_rig_are_passed_over(self):
        subprocess.run([PROGRAM, "make", "biped", "-o", os.path.join(self.rigs, "biped.glb")], check=True, capture_output=True)
        with open(os.path.join(self.rigs, "no_rig.glb"), "w") as f:
            f.write("nothing")
        out = self.path("out")
        done = subprocess.run([sys.executable, TOOL, self.rigs, "--sinew", PROGRAM, "-o", out], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 of 1 answered", done.stdout)
        row = json.loads(text_of(os.path.join(out, "figures.json")))[0]
        self.assertLess(row["cd_j2j"], 1)
        self.assertGreater(row["cd_j2j"], 0)
        self.assertAlmostEqual(row["cd_j2j"], (row["missed"] + row["beside"]) / 2)
        self.assertAlmostEqual(row["cd_j2j_deforming"], (row["missed_deforming"] + row["beside_deforming"]) / 2)
        self.assertEqual((row["cd_j2j_deforming"], row["floor"]), (row["cd_j2j"], 0))  # all its joints deform
        self.assertEqual(text_of(os.path.join(out, "index.html")).count("<img"), 2)
        self.assertTrue(os.path.exists(os.path.join(out, "worst.png")))

    def test_a_folder_without_rigs_is_said_to_be_one(self):
        done = subprocess.run([sys.executable, TOOL, self.rigs, "--sinew", PROGRAM, "-o", self.path("out")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no rigged", done.stderr)


if __name__ == "__main__":
    unittest.main()
