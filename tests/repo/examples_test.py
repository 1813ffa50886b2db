#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples, and holds each to 80 lines.

usage: examples_test.py SINEW FOLDER ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SINEW, FOLDER, ROOT = sys.argv[1:4]
del sys.argv[1:4]


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: str(pathlib.Path(folder.name) / name)

    def run_example(self, name, *words):
        return subprocess.run([f"{FOLDER}/example_{name}", *words], capture_output=True, text=True)

    def make(self, *words):
        subprocess.run([SINEW, *words], check=True, capture_output=True)

    def test_each_is_short(self):
        sources = list(pathlib.Path(ROOT, "examples").glob("*.cpp"))
        self.assertEqual(len(sources), 5)
        for source in sources:
            self.assertLess(len(source.read_text().splitlines()), 80, source)

    def test_a_file_is_played(self):
        self.make("make", "biped", "--resolution", "3000", "-o", self.path("biped.glb"))
        played = self.run_example("play_file", self.path("biped.glb"))
        self.assertEqual(played.returncode, 0, played.stderr)
        self.assertIn("frames of", played.stdout)
        self.assertEqual(self.run_example("play_file", self.path("none.glb")).returncode, 5)

    def test_a_rig_is_made_in_memory(self):
        self.assertEqual(self.run_example("rig_from_memory").stdout, "the end of the tube is at height 4.000\n")

    def test_weights_are_made_for_a_mesh_and_a_skeleton(self):
        self.make("make", "arm", "-o", self.path("arm.obj"))
        self.make("make", "arm", "-o", self.path("arm.glb"))
        made = self.run_example("weights_only", self.path("arm.obj"), self.path("arm.glb"))
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = [line.split() for line in made.stdout.splitlines() if line.startswith("vertex")]
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertAlmostEqual(sum(map(float, row[3::2])), 1, delta=0.005)

    def test_a_deformer_of_ones_own_runs_in_the_stack(self):
        waved = self.run_example("own_deformer")
        self.assertEqual(waved.returncode, 0, waved.stdout + waved.stderr)


if __name__ == "__main__":
    unittest.main()
