#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Elastic weights, joint-based deformers and `compare` from outside.

usage: elastic_test.py PROGRAM SOURCE [unittest arguments]
"""
import glob
import json
import math
import os
import signal
import subprocess
import time
import unittest

from program import (FOREVER, PROGRAM, SLOWER, SOURCE, ProgramTest, processor_seconds_of_children, stop_in_the_middle,
                     strict)


class Elastic(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.arm = cls.make("arm.glb", "arm", "--resolution", 600)

    def posed(self, rig, name, *words):
        out = self.path(name + ".obj")
        done = self.call("pose", rig, *words, "-o", out, "--force")
        return self.vertices(out), done.stderr

    def apart(self, a, b):
        self.assertEqual(len(a), len(b))
        return max(map(math.dist, a, b))

    # --- compare ---
    def test_compare_writes_a_page_and_a_report_with_its_keys(self):
        out = self.path("report")
        words = ("compare", self.arm, "--joints", "ForeArm", "--pair", "heat:lbs", "--clip-samples", 1, "--voxels", 24)
        report = self.document(*words, "--pictures", 1, "-o", out)
        with open(os.path.join(out, "report.json")) as f:
            self.assertEqual(strict(f.read())["poses"], report["poses"])
        names = [pose["name"] for pose in report["poses"]]
        self.assertEqual(names[:4], ["ForeArm bend 90 x", "ForeArm bend 90 y", "ForeArm twist 90", "ForeArm bend+twist 90"])
        self.assertTrue(names[4].startswith("clip bend "))
        keys = ("weights deformer energy_ratio rms max volume_change self_intersections e_rms e_rms_printed ms_per_frame "
                "extended elastic_rms elastic_rms_printed").split()
        pairs = {"elastic:swing-twist", "elastic:lbs", "bbw:lbs", "bbw:dqs", "bbw:swing-twist", "heat:lbs"}
        for pose in report["poses"]:
            self.assertTrue(pairs <= {m["weights"] + ":" + m["deformer"] for m in pose["methods"]})
            for method in pose["methods"]:
                self.assertEqual(set(keys) - set(method), set())
                self.assertGreaterEqual(method["energy_ratio"], 0.999)
                self.assertEqual(method["extended"], method["weights"] == "heat")
                self.assertEqual(method["elastic_rms"], method["e_rms"])
        self.assertIn("fresh memory", report["timed"])
        self.assertEqual(report["convergence"]["samples"], 4)
        with open(os.path.join(out, "index.html")) as f:
            page = f.read()
        for picture in glob.glob(out + "/*.png"):
            self.assertIn(os.path.basename(picture), page)
        self.assertTrue(glob.glob(out + "/*.png"))
        # A folder that is there is left alone without --force, before any work.
        before = {name: os.path.getmtime(os.path.join(out, name)) for name in os.listdir(out)}
        start = processor_seconds_of_children()
        self.assertIn("--force", self.call(*words, "-o", out, code=5).stderr)
        self.assertLess(processor_seconds_of_children() - start, SLOWER)
        self.assertEqual(before, {name: os.path.getmtime(os.path.join(out, name)) for name in os.listdir(out)})
        self.call(*words, "--pictures", 1, "-o", out, "--force")

    def test_compare_names_that_are_not_there_are_exit_2(self):
        out = self.path("x")
        for words in (("--pair", "heat"), ("--pair", ":lbs"), ("--pair", "heat:"), ("--pair", "magic:lbs"),
                      ("--pair", "bbw:jelly"), ("--joints", "Nose")):
            self.assertTrue(self.call("compare", self.arm, "--voxels", 16, *words, "-o", out, code=2).stderr.strip())
            self.assertFalse(os.path.exists(out))

    def test_compare_without_joints_is_exit_4_and_without_a_file_5(self):
        with open(self.path("sheet.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("sheet.obj", self.call("compare", self.path("sheet.obj"), "-o", self.path("x"), code=4).stderr)
        self.assertIn("absent", self.call("compare", self.path("absent.glb"), "-o", self.path("x"), code=5).stderr)
        self.assertFalse(os.path.exists(self.path("x")))

    def test_a_stop_of_compare_leaves_nothing(self):
        biped = self.path("biped.glb")
        self.call("make", "biped", "-o", biped)
        for wait in (0.15, 0.8, 2.5):  # seconds of processor time: while voxels, weights and poses are under way
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                out = self.path("stopped")
                words = [PROGRAM, "compare", biped, "--threads", "2", "-o", out]
                process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                ended, more = stop_in_the_middle(process, wait, number)
                self.assertEqual(ended, code)
                self.assertLess(more, 0.4 * SLOWER, wait)  # 200 ms on two processors
                self.assertEqual(glob.glob(out + "*") + glob.glob(os.path.join(self.folder.name, ".*stopped*")), [])

    def test_a_stop_while_the_page_is_written_leaves_all_of_it_or_nothing(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            out = self.path("stopped%d" % code)
            words = [PROGRAM, "compare", self.arm, "--voxels", "16", "--clip-samples", "0", "-o", out]
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and not os.path.exists(out):
                time.sleep(0.001)
            process.send_signal(number)
            process.wait(FOREVER)
            self.assertIn(process.returncode, (0, code))
            self.assertEqual(glob.glob(os.path.join(self.folder.name, ".*stopped*")), [])
            if process.returncode == 0 or os.path.exists(out):  # a stop may come between the last file and the end
                for name in ("report.json", "index.html", "energy.png"):
                    self.assertTrue(os.path.getsize(os.path.join(out, name)), name)

    # --- joint-based and elastic deformers ---
    def test_joint_names_and_blends_that_are_not_there_are_exit_2(self):
        out = self.path("x.obj")
        for words in (("--joint", "Nose=dqs"), ("--joint", "ForeArm=jelly"), ("--joint", "ForeArm"), ("--joint", "=dqs"),
                      ("--joint", "ForeArm=")):
            done = self.call("pose", self.arm, "--deformer", "swing-twist", *words, "-o", out, code=2)
            self.assertTrue(done.stderr.strip())
        for words in (("--stiffness", "Nose=2"), ("--stiffness", "ForeArm=0"), ("--stiffness", "ForeArm=-1"),
                      ("--stiffness", "ForeArm=soft"), ("--stiffness", "ForeArm=nan"), ("--stiffness", "ForeArm")):
            self.call("pose", self.arm, "--deformer", "elastic", *words, "-o", out, code=2)
        self.assertFalse(os.path.exists(out))

    def test_rig_stores_what_swing_twist_uses(self):
        rig = self.path("rig.glb")
        self.call("rig", self.arm, "--quality", "fast", "--joint-weights", "elastic", "--voxels", 24, "-o", rig)
        turn = ("--set", "ForeArm=20,70,40", "--deformer", "swing-twist")
        stored, quiet = self.posed(rig, "stored", *turn)
        made, told = self.posed(self.arm, "made", *turn)
        self.assertNotIn("computed", quiet)
        self.assertTrue(told.strip())  # says that it made them
        self.assertNotEqual(quiet, told)
        # Another blend of one joint is another shape, that of all joints the same as its deformer.
        dual, _ = self.posed(rig, "dual", *turn, "--joint", "ForeArm=dqs")
        self.assertGreater(self.apart(stored, dual), 1e-3)
        every = [word for name in ("UpperArm", "ForeArm", "Hand") for word in ("--joint", name + "=dqs")]
        all_dual, _ = self.posed(rig, "all", *turn, *every)
        joint_dqs, _ = self.posed(rig, "jd", "--set", "ForeArm=20,70,40", "--deformer", "joint-dqs")
        self.assertLess(self.apart(all_dual, joint_dqs), 1e-6)
        swing, _ = self.posed(rig, "swing", *turn, "--joint", "ForeArm=swing-twist")
        self.assertLess(self.apart(stored, swing), 1e-9)

    def test_fast_twist_is_nearly_the_exact_one(self):
        turn = ("--set", "ForeArm=120,0,0", "--deformer", "swing-twist")
        exact, _ = self.posed(self.arm, "exact", *turn)
        fast, _ = self.posed(self.arm, "fast", *turn, "--fast-twist")
        self.assertLess(self.apart(exact, fast), 1e-3)

    def test_stiffness_changes_the_elastic_shape_and_energy_is_told(self):
        turn = ("--set", "ForeArm=0,70,0", "--deformer", "elastic")
        even = self.document("pose", self.arm, *turn, "-o", self.path("even.obj"))
        stiff = self.document("pose", self.arm, *turn, "--stiffness", "ForeArm=20", "-o", self.path("stiff.obj"))
        self.assertGreater(even["energy"], 0)
        self.assertGreater(stiff["energy"], even["energy"])  # the same pose, nowhere softer
        moved = self.apart(self.vertices(self.path("even.obj")), self.vertices(self.path("stiff.obj")))
        self.assertGreater(moved, 1e-3)

    def test_elastic_weights_of_every_kind_are_whole(self):
        for method in ("elastic", "elastic-dqs", "lsq", "lsq-nonnegative"):
            report = self.document("weights", self.arm, "--method", method, "--voxels", 24, "-o", self.path(method + ".glb"))
            self.assertEqual((report["method"], report["unweighted"]), (method, 0))
            self.assertLess(report["max_row_error"], 1e-6)
            self.assertGreater(report["voxels"], 100)
        one = self.path("one.glb")
        self.document("weights", self.arm, "--method", "elastic", "--one-weight", "--voxels", 24, "-o", one)
        a, _ = self.posed(one, "a", "--set", "ForeArm=0,80,0")
        b, _ = self.posed(self.path("elastic.glb"), "b", "--set", "ForeArm=0,80,0")
        self.assertGreater(self.apart(a, b), 1e-4)

    # --- skeletons that nobody would make on purpose ---
    def test_odd_skeletons_have_an_answer(self):
        mesh = self.path("bar.obj")
        self.call("make", "cylinder", "--resolution", 400, "-o", mesh)
        cases = {  # x y z of joints, edges; the cylinder is along y from 0 to 8
            "same place": ("0 4 0|0 4 0|0 4 0", "1 2|2 3"),
            "outside": ("0 1 0|0 4 0|9 4 0", "1 2|2 3"),
            "two roots": ("0 1 0|0 3 0|0 5 0|0 7 0", "1 2|3 4"),
            "one bone": ("0 1 0|0 7 0", "1 2"),
        }
        for name, (points, edges) in cases.items():
            skeleton, out = self.path("joints.tgf"), self.path("odd.glb")
            with open(skeleton, "w") as f:
                f.write("".join("%d %s\n" % (k + 1, p) for k, p in enumerate(points.split("|"))) + "#\n")
                f.write("".join(e + " 1 0 0\n" for e in edges.split("|")))
            for verb in (("weights", "--method", "elastic"), ("rig",)):
                with self.subTest(case=name, verb=verb[0]):
                    words = (verb[0], mesh, "--skeleton", skeleton, *verb[1:], "--voxels", 20, "-o", out, "--force")
                    report = self.document(*words)
                    self.assertEqual(report["unweighted"], 0)
                    self.assertLess(report["max_row_error"], 1e-6)
            joint = self.document("info", out)["joint_names"][-1]
            for deformer in ("swing-twist", "elastic"):
                with self.subTest(case=name, deformer=deformer):
                    points_out, _ = self.posed(out, "odd", "--set", joint + "=30,40,50", "--deformer", deformer)
                    self.assertTrue(all(math.isfinite(x) for p in points_out for x in p))
            with self.subTest(case=name, verb="compare"):
                words = (PROGRAM, "compare", out, "--voxels", "20", "--pictures", "0", "-o", self.path("c"), "--force")
                done = subprocess.run(words, capture_output=True, text=True, timeout=300)
                self.assertIn(done.returncode, (0, 4), done.stderr)
                if done.returncode == 4:
                    self.assertIn("no pose to compare in", done.stderr)
        # No joints at all: what to give is said. (`rig` finds some by itself.)
        words = ("weights", mesh, "--method", "elastic", "-o", self.path("none.glb"))
        self.assertIn("--skeleton", self.call(*words, code=4).stderr)


if __name__ == "__main__":
    unittest.main()
