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
DATA = os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data"))


def product(a, b):
    """Of quaternions (w, x, y, z): b first."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def slerp(a, b, share):
    cosine = sum(x * y for x, y in zip(a, b))
    if cosine < 0:
        b, cosine = tuple(-x for x in b), -cosine
    angle = math.acos(min(1, cosine))
    if angle < 1e-9:
        return a
    p, q = math.sin((1 - share) * angle) / math.sin(angle), math.sin(share * angle) / math.sin(angle)
    return tuple(p * x + q * y for x, y in zip(a, b))


class Truth:
    """MakeHuman's own rig between two of its poses, by linear blend skinning."""

    def __init__(self, points):
        with open(os.path.join(DATA, "quad", "mh_neutral.rig.json")) as file:
            self.rig = json.load(file)
        self.points = points
        self.poses = [self.pose(name) for name in "AB"]

    def pose(self, name):
        with open(os.path.join(DATA, "pose_pairs", "mh_neutral_pose%s.json" % name)) as file:
            rotations = json.load(file)["rotations"]
        turns = []
        for joint in self.rig["joints"]:
            turn = (1.0, 0.0, 0.0, 0.0)
            for step in rotations.get(joint["name"], []):
                half, size = math.radians(step["deg"]) / 2, math.hypot(*step["axis"])
                axis = [math.sin(half) * x / size for x in step["axis"]]
                turn = product((math.cos(half), *axis), turn)
            turns.append(turn)
        return turns

    def shape(self, share):
        moves, out = [], [[0.0, 0.0, 0.0] for _ in self.points]
        for joint, a, b in zip(self.rig["joints"], *self.poses):
            turn, head = slerp(a, b, share), joint["head"]
            if joint["parent"] >= 0:
                above, shift = moves[joint["parent"]]
                head_now = [x + d for x, d in zip(self.turned(above, head), shift)]
                turn = product(above, turn)
            else:
                head_now = head
            moves.append((turn, [x - y for x, y in zip(head_now, self.turned(turn, head))]))
        for joint, (turn, shift) in zip(self.rig["joints"], moves):
            for vertex, weight in self.rig["weights"][joint["name"]]:
                place = self.turned(turn, self.points[vertex])
                for k in range(3):
                    out[vertex][k] += weight * (place[k] + shift[k])
        return out

    @staticmethod
    def turned(q, p):
        w, x, y, z = q
        a, b, c = 2 * (y * p[2] - z * p[1]), 2 * (z * p[0] - x * p[2]), 2 * (x * p[1] - y * p[0])
        return (p[0] + w * a + y * c - z * b, p[1] + w * b + z * a - x * c, p[2] + w * c + x * b - y * a)


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
        report = json.loads(self.call(a, b, "--frames", 3, "--motion", "paper", "-o", out, "--json").stdout)
        self.assertFalse(report["from_quads"])
        middle = self.vertices(out + "/0001.obj")
        self.assertLess(math.dist(middle[-1], (9, 9, 8.75)), 1e-5)
        self.call(a, b, "--frames", 3, "-o", out, "--force")
        self.assertLess(math.dist(self.vertices(out + "/0001.obj")[-1], (9, 9, 8.75)), 0.05)

    def test_what_cannot_work_says_why_and_writes_nothing(self):
        short = self.shape("short.obj", self.points[:100], ["f 1 2 3 4"])
        out = self.path("x")
        self.assertIn("short.obj", self.call(self.a, short, "--frames", 5, "-o", out, code=3).stderr)
        self.call(self.a, self.path("absent.obj"), "--frames", 5, "-o", out, code=5)
        self.call(self.a, "--frames", 5, "-o", out, code=2)
        self.call(self.a, self.b, self.c, "--frames", 2, "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 1, "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 5, "--mass", 0, "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 5, "--motion", "paper", "--bending", 1e9, "-o", out, code=4)
        self.call(self.a, self.b, "--frames", 5, "--motion", "straight", "-o", out, code=2)
        self.call(self.a, self.b, "--frames", 5, "-o", out + ".txt", code=2)
        self.assertFalse(os.path.exists(out))

    def test_places_whose_sum_is_not_finite_are_too_large_for_a_cache(self):
        # A head in the middle of the box: -1e308 and -1e308 have a mean, but no sum.
        # "v 0 1e7 -1e308" alone is a mesh of one vertex.
        for name, faces in (("one", ["# no face"]), ("sheet", ["f 1 2 3"])):
            points = [(0.5, 1e7, -1e308), (1, 0, -1e308), (0, 1, 0)][:1 if name == "one" else 3]
            huge = self.shape(name + ".obj", points, faces)
            said = self.call(huge, huge, "--frames", 3, "-o", self.path(name + ".pc2"), code=4).stderr
            self.assertIn("beyond what a vertex cache can hold", said)
            self.assertIn(name + ".obj", said)

    def test_outputs_that_exist_are_kept_without_force(self):
        out = self.path("kept")
        os.mkdir(out)
        self.call(self.a, self.b, "--frames", 3, "-o", out, code=5)
        self.assertEqual(os.listdir(out), [])
        self.call(self.a, self.b, "--frames", 3, "-o", out, "--force")
        self.assertEqual(len(os.listdir(out)), 3)

    def test_stiff_curves_are_warned_about(self):
        done = self.call(self.a, self.b, "--frames", 5, "--motion", "paper", "--stiffest", 4, "-o", self.path("s.pc2"))
        self.assertIn("overshoot", done.stderr)

    @unittest.skipUnless(os.path.isdir(os.path.join(DATA, "pose_pairs")), "no test data")
    def test_a_body_between_two_poses_keeps_its_limbs(self):
        a, b = (os.path.join(DATA, "pose_pairs", "mh_neutral_pose%s.obj" % name) for name in "AB")
        out = self.path("frames")
        report = json.loads(self.call(a, b, "--frames", 9, "-o", out, "--json").stdout)
        self.assertEqual((report["motion"], report["skeleton"]), ("skeleton", "biped"))
        self.assertLess(abs(report["limb_length_change"]), 0.02)
        self.assertGreater(abs(report["straight_limb_length_change"]), 0.2)
        self.assertLess(abs(report["volume_change"]), 0.01)
        self.assertGreater(abs(report["straight_volume_change"]), 0.05)
        first, last = self.vertices(a), self.vertices(b)
        self.assertLess(self.apart(self.vertices(out + "/0000.obj"), first), 1e-5)
        self.assertLess(self.apart(self.vertices(out + "/0008.obj"), last), 1e-5)
        # Beside the rig that made the two shapes, which the program does not know.
        truth = Truth(self.vertices(os.path.join(DATA, "quad", "mh_neutral.obj")))
        self.assertLess(self.apart(truth.shape(0), first), 1e-4)
        self.assertLess(self.apart(truth.shape(1), last), 1e-4)

        def rms(p, q):
            return math.sqrt(sum(math.dist(x, y) ** 2 for x, y in zip(p, q)) / len(p))

        for frame in (4, 6):
            share = (frame / 8) ** 2
            shape, led = truth.shape(share), self.vertices(out + "/%04d.obj" % frame)
            straight = [[x + share * (y - x) for x, y in zip(p, q)] for p, q in zip(first, last)]
            self.assertLess(rms(led, shape), 0.06 * rms(straight, shape), frame)

    def test_any_number_of_threads_gives_the_same_bytes(self):
        files = []
        for threads in (1, 3):
            files.append(self.path("%d.pc2" % threads))
            self.call(self.a, self.b, "--frames", 6, "-o", files[-1], "--threads", threads)
        first, second = (open(file, "rb").read() for file in files)
        self.assertEqual(first, second)

    def test_the_curves_of_the_paper_move_in_straight_lines(self):
        out = self.path("frames")
        report = json.loads(self.call(self.a, self.b, "--motion", "paper", "--frames", 5, "-o", out, "--json").stdout)
        self.assertEqual(report["motion"], "paper")
        middle = self.vertices(out + "/0002.obj")
        lines = [tuple(x + 0.25 * (y - x) for x, y in zip(p, q)) for p, q in zip(self.points, self.vertices(self.b))]
        way = self.apart(self.points, self.vertices(self.b))
        self.assertLess(self.apart(middle, lines), 0.1 * way)

    def test_without_a_skeleton_the_whole_turns_as_one(self):
        # A ball turned by 90 degrees: a rigid motion, at any resolution the same ball on the way.
        ball = [(math.sin(v) * math.cos(u), math.cos(v), math.sin(v) * math.sin(u))
                for v in [math.pi * k / 6 for k in range(1, 6)] for u in [k * math.pi / 4 for k in range(8)]]
        faces = ["f %d %d %d %d" % (8 * r + k + 1, 8 * r + (k + 1) % 8 + 1, 8 * r + 8 + (k + 1) % 8 + 1, 8 * r + 8 + k + 1)
                 for r in range(4) for k in range(8)]
        faces += ["f " + " ".join(str(k) for k in range(8, 0, -1)), "f " + " ".join(str(k) for k in range(33, 41))]
        a, b = self.shape("ball.obj", ball, faces), self.shape("turned.obj", turned(ball, 90), faces)
        out = self.path("frames")
        done = self.call(a, b, "--frames", 3, "-o", out, "--json")
        report = json.loads(done.stdout)
        self.assertIsNone(report["skeleton"])
        self.assertIsNone(report["limb_length_change"])
        self.assertIn("one rigid body", done.stderr)
        self.assertLess(abs(report["volume_change"]), 1e-6)
        self.assertLess(self.apart(self.vertices(out + "/0001.obj"), turned(ball, 22.5)), 1e-5)


if __name__ == "__main__":
    unittest.main(verbosity=1)
