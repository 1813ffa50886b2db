#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`inbetween` from outside.

usage: inbetween_test.py PROGRAM SOURCE [unittest arguments]
"""
import glob
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "sinew"
SOURCE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "."


def turned(points, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(x, c * y - s * z, s * y + c * z) for x, y, z in points]


class Inbetween(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.a = os.path.join(cls.folder.name, "a.obj")
        subprocess.run([PROGRAM, "make", "arm", "--resolution", "1500", "-o", cls.a], check=True, capture_output=True)
        with open(cls.a) as lines:
            cls.lines = lines.read().splitlines()
        cls.points = cls.vertices(cls.a)
        cls.b, cls.c = cls.shape("b.obj", turned(cls.points, 40)), cls.shape("c.obj", turned(cls.points, -30))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def vertices(path):
        with open(path) as lines:
            return [tuple(map(float, l.split()[1:4])) for l in lines if l.startswith("v ")]

    @classmethod
    def shape(cls, name, points, faces=None):
        path = os.path.join(cls.folder.name, name)
        with open(path, "w") as out:
            out.writelines("v %.9g %.9g %.9g\n" % p for p in points)
            out.writelines(l + "\n" for l in faces or [l for l in cls.lines if l.startswith("f ")])
        return path

    def path(self, name):
        return os.path.join(self.folder.name, self.id().split(".")[-1] + "-" + name)

    def call(self, *words, code=0):
        done = subprocess.run([PROGRAM, "inbetween", *map(str, words)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, "%s\n%s%s" % (words, done.stdout[-400:], done.stderr[-400:]))
        if code:
            self.assertTrue(done.stderr.strip(), "no sentence")
        return done

    def apart(self, a, b):
        self.assertEqual(len(a), len(b))
        return max(math.dist(p, q) for p, q in zip(a, b))

    def test_a_folder_holds_every_shape_at_its_frame(self):
        out = self.path("frames")
        report = json.loads(self.call(self.a, self.b, self.c, "--frames", 9, "-o", out, "--json").stdout)
        self.assertEqual(report["frames"], 9)
        self.assertGreater(report["milliseconds"], 0)
        names = sorted(os.path.basename(f) for f in glob.glob(out + "/*"))
        self.assertEqual(names, ["%04d.obj" % k for k in range(9)])
        frames = [self.vertices(os.path.join(out, n)) for n in names]
        for frame, shape in ((0, self.a), (4, self.b), (8, self.c)):
            self.assertLess(self.apart(frames[frame], self.vertices(shape)), 1e-6)
        # From rest: the first step of each pair is the smallest.
        ways = [self.apart(p, q) for p, q in zip(frames, frames[1:])]
        self.assertLess(ways[0], ways[3])
        self.assertLess(ways[4], ways[7])

    def test_glb_and_caches_hold_the_frames(self):
        for ending, code in ((".glb", b"glTF"), (".pc2", b"POINTCACHE2\0"), (".mdd", None)):
            out = self.path("out" + ending)
            self.call(self.a, self.b, "--frames", 5, "-o", out)
            with open(out, "rb") as file:
                data = file.read()
            if code:
                self.assertTrue(data.startswith(code))
            if ending == ".pc2":
                count, _, _, frames = struct.unpack("<iffi", data[16:32])
                self.assertEqual((count, frames), (len(self.points), 5))
        info = subprocess.run([PROGRAM, "info", self.path("out.glb"), "--json"], capture_output=True, text=True)
        told = json.loads(info.stdout)
        self.assertEqual(told["vertices"], len(self.points))
        self.assertEqual(len(told["clips"]), 1)

    def test_triangles_and_loose_points_work_too(self):
        faces = []
        for line in self.lines:
            if line.startswith("f "):
                v = [w.split("/")[0] for w in line.split()[1:]]
                faces += ["f " + " ".join((v[0], v[k], v[k + 1])) for k in range(1, len(v) - 1)]
        a = self.shape("ta.obj", self.points + [(9, 9, 9)], faces)
        b = self.shape("tb.obj", turned(self.points, 20) + [(9, 9, 8)], faces)
        out = self.path("triangles")
        report = json.loads(self.call(a, b, "--frames", 3, "-o", out, "--json").stdout)
        self.assertFalse(report["from_quads"])
        middle = self.vertices(out + "/0001.obj")
        self.assertLess(math.dist(middle[-1], (9, 9, 8.75)), 1e-5)

    def test_what_cannot_work_says_why_and_writes_nothing(self):
        short = self.shape("short.obj", self.points[:100], ["f 1 2 3 4"])
        out = self.path("x")
        self.assertIn("short.obj", self.call(self.a, short, "--frames", 5, "-o", out, code=3).stderr)
        self.call(self.a, self.path("absent.obj"), "--frames", 5, "-o", out, code=5)
        self.call(self.a, "--frames", 5, "-o", out, code=2)
        self.call(self.a, self.b, self.c, "--frames", 2, "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 1, "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 5, "--mass", 0, "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 5, "--bending", 1e9, "-o", out, code=4)
        self.call(self.a, self.b, "--frames", 5, "-o", out + ".txt", code=2)
        self.assertFalse(os.path.exists(out))

    def test_outputs_that_exist_are_kept_without_force(self):
        out = self.path("kept")
        os.mkdir(out)
        self.call(self.a, self.b, "--frames", 3, "-o", out, code=5)
        self.assertEqual(os.listdir(out), [])
        self.call(self.a, self.b, "--frames", 3, "-o", out, "--force")
        self.assertEqual(len(os.listdir(out)), 3)

    def test_stiff_curves_are_warned_about(self):
        done = self.call(self.a, self.b, "--frames", 5, "--stiffest", 4, "-o", self.path("s.pc2"))
        self.assertIn("overshoot", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
