#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cages, handles and as-rigid-as-possible as their users run them.

usage: cage_test.py PROGRAM ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def write_sphere(path, around, rings, radius, hole=False, move=lambda p: p):
    points = [(0, 0, radius)]
    for r in range(1, rings):
        for a in range(around):
            up, turn = np.pi * r / rings, 2 * np.pi * a / around
            points.append((radius * np.sin(up) * np.cos(turn), radius * np.sin(up) * np.sin(turn), radius * np.cos(up)))
    points.append((0, 0, -radius))
    at = lambda r, a: 2 + (r - 1) * around + a % around
    faces = []
    for a in range(around):
        faces.append((1, at(1, a), at(1, a + 1)))
        for r in range(1, rings - 1):
            faces.append((at(r, a), at(r + 1, a), at(r + 1, a + 1), at(r, a + 1)))
        faces.append((at(rings - 1, a), len(points), at(rings - 1, a + 1)))
    if hole:
        faces.pop()
    with open(path, "w") as out:
        for p in points:
            out.write("v %.9g %.9g %.9g\n" % tuple(move(np.array(p))))
        for face in faces:
            out.write("f " + " ".join(map(str, face)) + "\n")


def read_points(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return np.array([line.split()[1:4] for line in lines if line.startswith("v ")], float)


class Cages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.dir = pathlib.Path(cls.folder.name)
        write_sphere(cls.dir / "mesh.obj", 24, 16, 1)
        write_sphere(cls.dir / "cage.obj", 10, 7, 1.4)
        write_sphere(cls.dir / "moved.obj", 10, 7, 1.4, move=lambda p: p * [1, 1, 2] + [1, 0, 0])
        write_sphere(cls.dir / "open.obj", 10, 7, 1.4, hole=True)
        write_sphere(cls.dir / "small.obj", 10, 7, 0.8)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_it(self, *arguments, code=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=self.dir)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stderr}")
        return done

    def json(self, *arguments):
        return json.loads(self.run_it(*arguments, "--json", "--force").stdout)

    def test_a_cage_moves_the_mesh_in_it(self):
        for extra in ([], ["--dynamic"]):
            report = self.json("cage", "bind", "mesh.obj", "--cage", "cage.obj", "--resolution", 4, "-o", "bound.glb", *extra)
            for name in "seconds controls cells min max_row_error reproduction_error dropped memory_mb".split():
                self.assertIn(name, report)
            self.assertGreaterEqual(report["min"], -1e-6)
            self.assertLess(report["reproduction_error"], 1e-5)
            self.run_it("cage", "pose", "bound.glb", "--moved", "cage.obj", "-o", "still.obj", "--force")
            self.run_it("cage", "pose", "bound.glb", "--moved", "moved.obj", "-o", "posed.obj", "--force")
            rest = read_points(self.dir / "mesh.obj")
            self.assertLess(np.abs(read_points(self.dir / "still.obj") - rest).max(), 1e-5)
            self.assertLess(np.abs(read_points(self.dir / "posed.obj") - (rest * [1, 1, 2] + [1, 0, 0])).max(), 1e-3)

    def test_a_moved_mesh_can_be_kept_as_a_key(self):
        self.json("cage", "bind", "mesh.obj", "--cage", "cage.obj", "--resolution", 4, "-o", "keyed.glb")
        self.run_it("cage", "pose", "keyed.glb", "--moved", "moved.obj", "-o", "key.glb", "--force")
        self.run_it("pose", "key.glb", "--deformer", "lbs", "-o", "key.obj", "--force")
        rest = read_points(self.dir / "mesh.obj")
        self.assertLess(np.abs(read_points(self.dir / "key.obj") - (rest * [1, 1, 2] + [1, 0, 0])).max(), 1e-3)

    def test_a_solved_cage_serves_another_mesh(self):
        write_sphere(self.dir / "fine.obj", 40, 30, 1.1)
        self.json("cage", "bind", "mesh.obj", "--cage", "cage.obj", "--resolution", 4, "--keep", "-o", "solved.glb")
        report = self.json("cage", "bind", "fine.obj", "--from", "solved.glb", "-o", "fine.glb")
        self.assertLess(report["reproduction_error"], 1e-5)
        self.assertEqual(report["cycles"], 0)

    def test_a_newcomer_needs_no_cage(self):
        self.run_it("make", "arm", "-o", "arm.glb", "--force")
        report = self.json("cage", "bind", "arm.glb", "--auto", "--skin", "--resolution", 5, "--cage-out", "auto.obj", "-o", "soft.glb")
        self.assertEqual(report["outside"], 0)
        self.assertEqual(len(read_points(self.dir / "auto.obj")), report["controls"])
        self.run_it("pose", "soft.glb", "--set", "ForeArm=0,0,60", "--deformer", "cage", "-o", "soft.obj", "--force")
        self.run_it("pose", "arm.glb", "--set", "ForeArm=0,0,60", "-o", "hard.obj", "--force")
        soft, hard = read_points(self.dir / "soft.obj"), read_points(self.dir / "hard.obj")
        self.assertTrue(np.isfinite(soft).all())
        self.assertLess(np.linalg.norm(soft - hard, axis=1).max(), 0.2 * np.ptp(hard, axis=0).max())

    def test_bad_cages_are_named(self):
        done = self.run_it("cage", "bind", "mesh.obj", "--cage", "open.obj", "-o", "x.glb", code=3)
        self.assertIn("not closed", done.stderr)
        self.assertFalse((self.dir / "x.glb").exists())
        done = self.run_it("cage", "bind", "mesh.obj", "--cage", "small.obj", "--resolution", 4, "-o", "out.glb", "--force")
        self.assertIn("outside the cage", done.stderr)
        self.run_it("cage", "bind", "mesh.obj", "-o", "x.glb", code=2)
        self.run_it("cage", "bind", "mesh.obj", "--cage", "cage.obj", "-o", "x.obj", code=2)
        self.run_it("cage", "pose", "mesh.obj", "--moved", "cage.obj", "-o", "x.obj", code=4)
        self.run_it("pose", "mesh.obj", "--deformer", "cage", "-o", "x.obj", code=4)
        self.json("cage", "bind", "mesh.obj", "--cage", "cage.obj", "--resolution", 4, "-o", "bad.glb")
        self.run_it("cage", "pose", "bad.glb", "--moved", "mesh.obj", "-o", "x.obj", code=2)
        self.run_it("cage", "bind", "mesh.obj", "--from", "bad.glb", "-o", "x.glb", code=4)

    def test_handles_pull_a_mesh_without_a_skeleton(self):
        handles = [{"vertex": 0, "position": [0, 0, 1.5]}, {"vertex": 361, "position": [0, 0, -1]}]
        (self.dir / "handles.json").write_text(json.dumps(handles))
        report = self.json("pose", "mesh.obj", "--deformer", "arap", "--handles", "handles.json", "--iterations", 20, "-o", "pulled.obj")
        self.assertEqual(report["iterations"], 20)
        self.assertGreater(report["energy"], 0)
        pulled = read_points(self.dir / "pulled.obj")
        self.assertLess(np.abs(pulled[0] - [0, 0, 1.5]).max(), 1e-6)
        self.run_it("pose", "mesh.obj", "--deformer", "arap", "--handle", "0=0,0,1.5", "--handle", "361=0,0,-1", "--iterations", 20, "-o", "key2.glb", "--force")
        self.run_it("convert", "key2.glb", "-o", "key2.obj", "--force")
        self.assertLess(np.abs(read_points(self.dir / "key2.obj") - pulled).max(), 1e-5)
        (self.dir / "broken.json").write_text('[{"vertex": -1, "position": [0, 0, 1]}]')
        self.run_it("pose", "mesh.obj", "--deformer", "arap", "--handles", "broken.json", "-o", "x.obj", code=3)
        self.run_it("pose", "mesh.obj", "--deformer", "arap", "--handle", "9999=0,0,0", "-o", "x.obj", code=2)
        self.run_it("pose", "mesh.obj", "--deformer", "arap", "-o", "x.obj", code=4)

    def test_handles_turn_joints(self):
        self.run_it("make", "arm", "--resolution", 600, "-o", "arm3.glb", "--force")
        self.run_it("pose", "arm3.glb", "-o", "rest3.obj", "--force")
        self.run_it("pose", "arm3.glb", "--set", "ForeArm=0,30,50", "-o", "bent3.obj", "--force")
        rest, bent = read_points(self.dir / "rest3.obj"), read_points(self.dir / "bent3.obj")
        tip = int(np.argmax(np.abs(rest - bent).sum(axis=1)))
        handle = "%d=%r,%r,%r" % (tip, *map(float, bent[tip]))
        done = self.run_it("pose", "arm3.glb", "--handle", handle, "--drive-joints", "-o", "driven3.glb", "--force")
        self.assertIn("within", done.stderr)
        self.run_it("pose", "driven3.glb", "-o", "driven3.obj", "--force")
        self.assertLess(np.abs(read_points(self.dir / "driven3.obj")[tip] - bent[tip]).max(), 1e-5)
        self.run_it("pose", "arm3.glb", "--handle", handle, "-o", "x3.obj", code=2)
        self.run_it("pose", "arm3.glb", "--drive-joints", "-o", "x3.obj", code=2)
        self.run_it("pose", "mesh.obj", "--handle", "0=0,0,1", "--drive-joints", "-o", "x3.obj", code=4)

    def test_handles_pull_at_a_whole_stack(self):
        self.run_it("make", "arm", "--resolution", 600, "-o", "arm4.glb", "--force")
        self.run_it("stack", "arm4.glb", "--order", "keys,skeleton,mush,arap", "-o", "layered4.glb", "--force")
        self.run_it("pose", "layered4.glb", "--set", "ForeArm=0,0,60", "--handle", "10=0.1,0.2,0.3", "--handle",
                    "300=0.2,0.1,0", "--springs", 1, "-o", "pulled4.obj", "--force")
        pulled = read_points(self.dir / "pulled4.obj")
        self.assertLess(np.abs(pulled[10] - [0.1, 0.2, 0.3]).max(), 1e-6)
        self.run_it("pose", "arm4.glb", "--set", "ForeArm=0,0,60", "--deformer", "arap", "--over", "curve+mush", "-o",
                    "over4.obj", "--force")
        self.run_it("pose", "arm4.glb", "--deformer", "arap", "--over", "arap+mush", "-o", "x4.obj", code=2)

    def test_point_handles_stand_at_the_joints(self):
        self.run_it("make", "arm", "-o", "arm2.glb", "--force")
        report = self.json("handles", "arm2.glb", "-o", "points.glb")
        self.assertGreaterEqual(len(report["handles"]), 3)
        self.run_it("pose", "points.glb", "--set", "ForeArm=0,0,60", "--deformer", "points", "-o", "points.obj", "--force")
        self.assertTrue(np.isfinite(read_points(self.dir / "points.obj")).all())
        self.run_it("pose", "arm2.glb", "--deformer", "points", "-o", "x.obj", code=4)
        self.run_it("handles", "mesh.obj", "-o", "x.glb", code=4)


if __name__ == "__main__":
    unittest.main()
