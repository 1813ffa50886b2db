#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/fit_autorig ranks templates as it says.

usage: fit_autorig_test.py PROGRAM SOURCE [unittest arguments]
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM, SOURCE, text_of

sys.dont_write_bytecode = True
TOOL = os.path.join(SOURCE, "tools", "fit_autorig")
loader = importlib.machinery.SourceFileLoader("fit_autorig", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("fit_autorig", loader))
loader.exec_module(tool)


def body(name, **options):
    made = tool.Body(name)
    made.options = options
    return made


class Fit(unittest.TestCase):
    def test_the_table_has_a_weight_for_every_feature_and_is_written_back(self):
        text = text_of(tool.TABLE)
        limbs, spine = tool.weights_in(text)
        names = re.findall(r'"(\w+)"', text_of(os.path.join(SOURCE, "src", "autorig", "features.cpp")).split("kFeatureNames = {")[1].split("}")[0])
        self.assertEqual(list(limbs), names)
        self.assertNotEqual(limbs["thickness"], spine["thickness"])
        twice = {name: 2 * value for name, value in limbs.items()}
        self.assertEqual(tool.weights_in(tool.written(text, twice))[0], twice)

    def test_the_nearer_template_comes_to_cost_less(self):
        # By the table a costs more than b in both bodies, though its joints are nearer: the second feature should count more.
        bodies = [body("one", a=([0.3, 0.1], 2), b=([0.1, 0.2], 6)), body("two", a=([0.4, 0.1], 1), b=([0.2, 0.2], 4))]
        self.assertEqual([b.choice([0, 0]) for b in bodies], ["b", "b"])
        changed = tool.fitted(bodies, 2)
        self.assertEqual([b.choice(changed) for b in bodies], ["a", "a"])
        self.assertLess(changed[0], 0)
        self.assertGreater(changed[1], 0)

    def test_templates_that_are_about_as_near_change_nothing(self):
        bodies = [body("one", a=([0.3, 0.1], 2), b=([0.1, 0.2], 2.2))]
        self.assertEqual(list(bodies[0].pairs()), [])

    def test_three_characters_are_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            rigs = os.path.join(folder, "rigs")
            os.mkdir(rigs)
            for kind in ("biped", "quadruped", "hand"):
                made = os.path.join(rigs, kind + ".glb")
                subprocess.run([PROGRAM, "make", kind, "-o", made], check=True, capture_output=True)
            done = subprocess.run([sys.executable, TOOL, rigs, "--sinew", PROGRAM, "-o", os.path.join(folder, "out")],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            for kind in ("biped", "quadruped", "hand"):
                row = next(line for line in done.stdout.splitlines() if line.startswith("| %s |" % kind))
                self.assertEqual(row.count(kind), 5, row)


if __name__ == "__main__":
    unittest.main()
