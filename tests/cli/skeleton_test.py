#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Skeletons found in bare meshes, from outside.

usage: skeleton_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import math
import os
import subprocess
import tempfile
import unittest

from program import PROGRAM, SLOWER, SOURCE, processor_seconds_of_children

DATA = os.environ.get("SINEW_DATA") or os.path.join(SOURCE, "..", "shared", "data")


class Skeleton(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.body = os.path.join(cls.folder.name, "body.obj")
        subprocess.run([PROGRAM, "make", "biped", "-o", cls.body], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, self.id().split(".")[-1] + "-" + name)

    def call(self, *words, code=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, code, "%s\n%s%s" % (words, done.stdout[-400:], done.stderr[-400:]))
        return done

    def document(self, *words):
        return json.loads(self.call(*words, "--json").stdout)

    def test_a_bare_mesh_becomes_a_rig(self):
        out = self.path("rig.glb")
        report = self.document("rig", self.body, "--quality", "fast", "-o", out)
        self.assertEqual(len(report["joints"]), 52)
        self.assertEqual(report["unweighted"], 0)
        self.call("pose", out, "--set", "LeftForeArm=0,0,60", "-o", self.path("bent.obj"))
        self.assertEqual(self.document("info", out)["joint_names"][0], "Hips")

    def test_a_body_stands_on_a_root_if_asked_to(self):
        grounded = self.document("skeleton", self.body, "--root", "ground", "-o", self.path("ground.glb"))["joints"]
        bare = self.document("skeleton", self.body, "-o", self.path("none.glb"))["joints"]
        self.assertEqual(grounded[:-1], [{**joint, "parent": len(bare)} if joint["parent"] < 0 else joint for joint in bare])
        root = grounded[-1]
        self.assertEqual((root["name"], root["parent"]), ("Root", -1))
        self.assertLess(math.dist(root["position"], (0, 0, 0)), 0.02)
        info = self.document("info", self.path("ground.glb"))
        self.assertEqual(info["joints"], len(bare), "it deforms nothing")
        self.call("skeleton", self.body, "--root", "moon", "-o", self.path("x.glb"), code=2)
        again = self.document("rig", self.path("ground.glb"), "--quality", "fast", "-o", self.path("rig.glb"))
        self.assertEqual([joint["parent"] for joint in again["joints"]].count(-1), 1)

    def test_the_report_names_joints_curves_and_times(self):
        start = processor_seconds_of_children()
        report = self.document("skeleton", self.body, "-o", self.path("s.glb"))
        self.assertLess(processor_seconds_of_children() - start, 5 * SLOWER)
        self.assertEqual(report["template"], "biped")
        self.assertTrue(report["symmetric"])
        self.assertTrue(0.5 < report["confidence"] <= 1)
        self.assertGreater(report["rings"], 50)
        self.assertLess(report["curves"], 50)
        self.assertEqual(sum(j["parent"] < 0 for j in report["joints"]), 1)
        times = report["milliseconds"]
        self.assertAlmostEqual(times["total"], times["curves"] + times["skeleton"], places=6)

    def test_curves_are_counted_as_they_are_written(self):
        for more in ([], ["--through-volume"]):
            with self.subTest(more):
                report = self.document("skeleton", self.body, "-o", self.path("s.json"), "--curves", self.path("c.json"),
                                       "--force", *more)
                with open(self.path("c.json")) as f:
                    curves = json.load(f)["curves"]
                self.assertEqual(report["curves"], len(curves))

    def test_json_skeletons_and_curves_are_written_and_read_again(self):
        self.call("skeleton", self.body, "-o", self.path("s.json"), "--curves", self.path("c.obj"))
        with open(self.path("s.json")) as file:
            self.assertEqual(len(json.load(file)["joints"]), 52)
        with open(self.path("c.obj")) as file:
            text = file.read()
        self.assertIn("\nl 1 2", text)
        self.document("rig", self.body, "--skeleton", self.path("s.json"), "--quality", "fast", "-o", self.path("again.glb"))
        self.call("skeleton", self.body, "-o", self.path("s.json"), code=5)

    def test_a_rigged_file_is_a_template(self):
        self.call("make", "quadruped", "-o", self.path("own.glb"))
        self.call("make", "quadruped", "--resolution", 1500, "-o", self.path("mesh.obj"))
        report = self.document("skeleton", self.path("mesh.obj"), "--template", self.path("own.glb"), "-o",
                               self.path("s.glb"))
        self.assertEqual(report["template"], "%s-own" % self.id().split(".")[-1])
        self.assertEqual(len(report["joints"]), 29)

    def shape(self, name, vertices, faces):
        path = self.path(name + ".obj")
        with open(path, "w") as file:
            file.writelines("v %g %g %g\n" % v for v in vertices)
            file.writelines("f %s\n" % " ".join(str(i + 1) for i in f) for f in faces)
        return path

    def test_what_has_no_skeleton_is_exit_4_or_3_with_a_sentence(self):
        corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        cube = self.shape("cube", corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
        plane = self.shape("plane", [(0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)], [(0, 1, 2, 3)])
        n, m = 32, 12
        around = [((1 + 0.3 * math.cos(b)) * math.cos(a), 0.3 * math.sin(b), (1 + 0.3 * math.cos(b)) * math.sin(a))
                  for a in (2 * math.pi * i / n for i in range(n)) for b in (2 * math.pi * k / m for k in range(m))]
        torus = self.shape("torus", around, [(i * m + k, i * m + (k + 1) % m, (i + 1) % n * m + (k + 1) % m, (i + 1) % n * m + k)
                                             for i in range(n) for k in range(m)])
        empty = self.shape("empty", [], [])
        for path in (cube, plane, torus, empty):
            done = subprocess.run([PROGRAM, "skeleton", path, "-o", self.path("x.glb")], capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (3, 4), path)
            self.assertIn(os.path.basename(path), done.stderr)
            self.assertFalse(os.path.exists(self.path("x.glb")))
        self.call("skeleton", torus, "-o", self.path("x.glb"), "--curves", self.path("torus-curves.obj"), code=4)
        self.assertTrue(os.path.exists(self.path("torus-curves.obj")))

    def test_an_unsure_skeleton_comes_with_the_commands_for_others(self):
        corners = [(x, y, z) for x in (0, 1) for y in (0, 9) for z in (0, 1)]
        stick = self.shape("stick", corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
        done = self.call("skeleton", stick, "-o", self.path("s.glb"), "--template", "none")
        self.assertNotIn("--template", done.stderr)
        out = self.call("skeleton", self.body, "-o", self.path("sure.glb"))
        self.assertNotIn("--template", out.stderr)
        if os.path.isdir(DATA):
            spider = os.path.join(DATA, "rigged_gltf", "q_Spider.glb")
            done = self.call("skeleton", spider, "-o", self.path("spider.glb"))
            self.assertRegex(done.stderr, "confidence is 25 %")
            self.assertRegex(done.stderr, "sinew skeleton .*q_Spider.glb --template [a-z]+ -o OUT.glb")

    def found_in(self, name):
        """What is found in the rest pose of an artist's rig, without its joints."""
        rig = os.path.join(DATA, "rigged_gltf", name + ".glb")
        self.call("pose", rig, "--deformer", "lbs", "-o", self.path(name + ".obj"))
        return self.document("skeleton", self.path(name + ".obj"), "-o", self.path(name + ".glb"))

    @unittest.skipUnless(os.path.isdir(DATA), "needs the test data")
    def test_bodies_in_pieces_and_bodies_that_hold_something(self):
        worn = self.found_in("q_Man_Casual")
        self.assertEqual((worn["template"], worn["way"]), ("biped", "surface"))
        self.assertGreaterEqual(len(worn["joints"]), 50, "fingers that voxels do not show")
        armed = self.found_in("kaykit_Knight")
        self.assertEqual(armed["template"], "biped")

    @unittest.skipUnless(os.path.isdir(DATA), "needs the test data")
    def test_a_mesh_that_is_its_own_image_gets_joints_that_are(self):
        horse = self.found_in("q_Horse")
        self.assertTrue(horse["symmetric"])
        at = {joint["name"]: joint["position"] for joint in horse["joints"]}
        for name in ("UpLeg", "Leg", "Foot", "Shoulder", "Hand"):
            left, right = at["Left" + name], at["Right" + name]
            for k, sign in enumerate((-1, 1, 1)):
                self.assertAlmostEqual(left[k], sign * right[k], delta=0.06, msg=name + ", of a body 5.7 long")

    def test_usage(self):
        self.call("skeleton", self.body, "--tip", 3, "-o", self.path("x.glb"), code=2)
        self.call("skeleton", self.body, "--tip", 3, "--tip", 10 ** 9, "-o", self.path("x.glb"), code=2)
        self.call("skeleton", self.body, "--template", "dragon", "-o", self.path("x.glb"), code=2)
        self.call("skeleton", self.body, "--names", "klingon", "-o", self.path("x.glb"), code=2)
        self.call("skeleton", self.body, "-o", self.path("x.obj"), code=2)
        self.call("skeleton", self.path("none.obj"), "-o", self.path("x.glb"), code=5)

    @unittest.skipUnless(os.path.isdir(DATA), "no shared data")
    def test_an_artists_joints_are_found_within_five_per_cent(self):
        pairs = {"pelvis": "Hips", "calf_l": "LeftLeg", "lowerarm_l": "LeftForeArm", "head": "Head",
                 "upperarm_l": "LeftArm", "foot_l": "LeftFoot", "hand_r": "RightHand", "thigh_r": "RightUpLeg"}
        for name in ("mh_neutral", "mh_male_muscular"):
            with open(os.path.join(DATA, "quad", name + ".rig.json")) as file:
                truth = {j["name"]: j["head"] for j in json.load(file)["joints"]}
            report = self.document("skeleton", os.path.join(DATA, "quad", name + ".obj"), "-o", self.path(name + ".glb"))
            found = {j["name"]: j["position"] for j in report["joints"]}
            for theirs, ours in pairs.items():
                self.assertLess(math.dist(truth[theirs], found[ours]), 0.05 * 17, (name, ours))

    @unittest.skipUnless(os.path.isdir(DATA), "no shared data")
    def test_every_artists_character_is_answered(self):
        for name in ("q_Spider", "q_Wasp_NaN_weights", "greenman", "RecursiveSkeletons"):
            with self.subTest(name):
                source = os.path.join(DATA, "rigged_gltf", name + ".glb")
                self.call("pose", source, "--deformer", "lbs", "-o", self.path(name + ".obj"))
                report = self.document("skeleton", self.path(name + ".obj"), "-o", self.path(name + ".glb"))
                self.assertGreaterEqual(len(report["joints"]), 5)
                self.assertLess(report["confidence"], 0.65)
                if name == "q_Spider":
                    self.assertEqual(report["template"], "none")
                    limbs = {j["name"].split("_")[0] for j in report["joints"] if "Limb" in j["name"]}
                    self.assertGreaterEqual(len(limbs), 8)

    @unittest.skipUnless(os.path.isdir(DATA), "no shared data")
    def test_hands_are_not_at_the_ends_of_swords(self):
        knight = self.found_in("kaykit_Knight")
        self.assertEqual(knight["template"], "biped")
        at = {joint["name"]: joint["position"] for joint in knight["joints"]}
        for name, x in (("LeftHand", 0.75), ("RightHand", -0.75)):  # the artist's: 0.75, 1.11, 0; swords reach z = 2
            self.assertLess(math.dist(at[name], (x, 1.11, 0)), 0.15, name)

    def test_a_named_template_that_does_not_fit_is_stretched_into_the_box(self):
        sheet, out = self.path("sheet.obj"), self.path("sheet.glb")
        with open(sheet, "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4\n")
        done = self.call("weights", sheet, "--template", "biped", "-o", out)
        self.assertIn("scaled to its bounding box", done.stderr)
        self.call("rig", sheet, "-o", self.path("none.glb"), code=4)

if __name__ == "__main__":
    unittest.main(verbosity=2)
