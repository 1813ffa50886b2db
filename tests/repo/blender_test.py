#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Blender imports our .glb and poses it to the vertices that the program gives: lbs, and dqs with Preserve Volume.

usage: blender_test.py PROGRAM ROOT; skips where Blender is not installed (./dev judge installs it).
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
KINDS = "cylinder arm hand biped quadruped bird snake".split()
TOLERANCE = 1e-4  # of the diagonal of the bounding box
SKIPPED = 77


def sinew(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"sinew {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


def turns_of(names):
    """Every joint but the root turns, each by other angles, so that a wrong order or axis shows."""
    angles = [[35, 0, 0], [0, -25, 10], [5, 20, -30], [-15, 10, 25]]
    return {name: angles[k % len(angles)] for k, name in enumerate(names[1:])}


def read_obj(path):
    return np.array([line.split()[1:4] for line in path.read_text().splitlines() if line.startswith("v ")], float)


class Blender(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        jobs = [cls.job_of(kind) for kind in KINDS]
        (cls.folder / "jobs.json").write_text(json.dumps(jobs))
        done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "3", "--python",
                               ROOT / "tools/judge_blender.py", "--", cls.folder / "jobs.json"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)

    @classmethod
    def job_of(cls, kind):
        made = cls.folder / f"{kind}.glb"
        sinew("make", kind, "--resolution", 2000, "-o", made)
        turns = turns_of(json.loads(sinew("info", made, "--json"))["joint_names"])
        options = [word for name, angles in turns.items() for word in ("--set", f"{name}={','.join(map(str, angles))}")]
        for deformer in ("lbs", "dqs"):
            sinew("pose", made, *options, "--deformer", deformer, "-o", cls.folder / f"{kind}_{deformer}.obj")
        sinew("pose", made, "--deformer", "lbs", "-o", cls.folder / f"{kind}_rest.obj")
        return {"file": str(made), "turns": turns, "linear": str(cls.folder / f"{kind}_linear.txt"),
                "volume": str(cls.folder / f"{kind}_volume.txt")}

    def compare(self, blender, deformer):
        for kind in KINDS:
            with self.subTest(kind):
                ours, rest = (read_obj(self.folder / f"{kind}_{name}.obj") for name in (deformer, "rest"))
                theirs = np.loadtxt(self.folder / f"{kind}_{blender}.txt")
                self.assertEqual(ours.shape, theirs.shape)
                size = np.linalg.norm(np.ptp(rest, axis=0))
                self.assertGreater(np.abs(ours - rest).max(), 0.05 * size, "the pose moves nothing")
                error = np.linalg.norm(ours - theirs, axis=1).max() / size
                print(f"{kind} {deformer}: {len(ours)} vertices, largest difference {error:.1e} of the size")
                self.assertLess(error, TOLERANCE)

    def test_linear_blend_is_blenders_armature_modifier(self):
        self.compare("linear", "lbs")

    def test_dual_quaternions_are_blenders_preserve_volume(self):
        self.compare("volume", "dqs")


if __name__ == "__main__":
    if shutil.which("blender") is None:
        print("Blender is not installed; ./dev judge installs it")
        sys.exit(SKIPPED)
    unittest.main()
