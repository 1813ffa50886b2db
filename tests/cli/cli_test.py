#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program from outside: exit codes, JSON, what lands on stdout and stderr, stopping, safe writes.

usage: cli_test.py PROGRAM SOURCE [unittest arguments]
"""
import glob
import json
import math
import os
import re
import signal
import struct
import subprocess
import unittest

from program import PROGRAM, SANITIZED, SLOWER, SOURCE, ProgramTest, processor_seconds_of_children, stop_in_the_middle, strict, text_of

VERBS = "make info convert pose bake stack keys unpose render bench".split()


class Cli(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("rig.glb", "cylinder")

    # --- usage ---
    def test_help_of_every_verb_starts_with_an_example(self):
        for verb in VERBS:
            text = self.call(verb, "--help").stdout
            self.assertTrue(text.startswith("Examples:\n  sinew " + verb), text[:80])
        listed = self.call("--help").stdout
        for verb in VERBS:
            self.assertIn("\n  " + verb, listed)

    def test_a_call_that_cannot_be_meant_is_exit_2(self):
        for words in ((), ("dance",), ("info",), ("make", "biped"), ("make", "dragon", "-o", self.path("x.glb")),
                      ("make", "biped", "-o", self.path("x.fbx")), ("pose", self.rig, "--set", "nonsense", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--set", "NoSuchJoint=1,2,3", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--deformer", "jelly", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--deformer", "jelly+mush", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--stretch", "NoSuchBone=2", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--stretch", "Upper", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--stretch", "Upper=0", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--stretch", "Upper=1,2", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--twist", "NoSuchBone=0,90", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--twist", "Upper=90", "-o", self.path("x.obj")),
                      ("pose", self.rig, "--deformer", "curve", "--segments", 0, "-o", self.path("x.obj")),
                      ("pose", self.rig, "--deformer", "volume", "--amount", 2, "-o", self.path("x.obj")),
                      ("info", self.rig, "--threads", "0")):
            done = self.call(*words, code=2)
            self.assertTrue(done.stderr.strip(), words)
            self.assertFalse(os.path.exists(self.path("x.obj")))

    def test_version_names_commit_and_instruction_set(self):
        text = self.call("--version").stdout
        said = re.fullmatch(r"sinew (\d+\.\d+\.\d+), commit ([0-9a-f]{7,40}|unknown)(-dirty)?, SIMD (\S+)\n", text)
        self.assertTrue(said, text)
        self.assertIn("project(sinew VERSION %s " % said[1], text_of(os.path.join(SOURCE, "CMakeLists.txt")))
        if os.path.exists(os.path.join(SOURCE, ".git")):
            subprocess.run(["git", "-C", SOURCE, "cat-file", "-e", said[2]], check=True)
        if os.path.exists("/proc/cpuinfo") and not SANITIZED:  # sanitized builds have no AVX2
            flags = set((re.findall(r"(?m)^flags\s*: (.*)", text_of("/proc/cpuinfo")) or ["none"])[0].split())
            if "sse4_2" not in flags:
                self.skipTest("not an x86-64 processor")
            wide = {"avx512f", "avx512vl", "avx512dq", "avx512bw", "avx512cd"} <= flags
            self.assertEqual(said[4], "AVX-512" if wide else "AVX2" if {"avx2", "fma", "bmi2"} <= flags else "SSE4.2")

    def test_common_options_stand_before_or_after_the_files(self):
        before = self.call("info", "--json", self.rig).stdout
        self.assertEqual(before, self.call("info", self.rig, "--json").stdout)

    # --- exit codes of files ---
    def test_a_file_that_is_not_there_is_exit_5_and_named(self):
        done = self.call("info", self.path("absent.glb"), code=5)
        self.assertIn("absent.glb", done.stderr)

    def test_a_broken_file_is_exit_3_and_named(self):
        with open(self.path("broken.glb"), "wb") as f:
            f.write(b"glTF" + b"\xff" * 40)
        self.assertIn("broken.glb", self.call("info", self.path("broken.glb"), code=3).stderr)

    def test_an_output_that_exists_needs_force(self):
        out = self.path("once.obj")
        self.call("convert", self.rig, "-o", out)
        before = text_of(out)
        self.assertIn("--force", self.call("make", "arm", "-o", out, code=5).stderr)
        self.assertEqual(text_of(out), before)
        self.call("make", "arm", "-o", out, "--force")
        self.assertNotEqual(text_of(out), before)

    def test_a_folder_that_is_not_there_is_exit_5_before_the_work(self):
        self.call("convert", self.rig, "-o", os.path.join(self.path("nowhere"), "x.obj"), code=5)

    def test_a_full_disk_is_exit_5(self):
        def limit():
            import resource
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        out = self.path("full.glb")
        with open(out, "w") as f:
            f.write("old")
        self.call("make", "arm", "-o", out, "--force", code=5, preexec_fn=limit)
        self.assertEqual(text_of(out), "old")
        self.assertEqual([f for f in os.listdir(self.folder.name) if f.endswith(".tmp")], [])

    # --- JSON ---
    def test_info_prints_all_its_keys(self):
        report = self.document("info", self.rig)
        for key in ("vertices faces quads components boundary_edges nonmanifold_edges joints joint_names clips "
                    "influences unweighted max_row_error").split():
            self.assertIn(key, report)
        self.assertEqual((report["components"], report["boundary_edges"], report["unweighted"]), (1, 0, 0))
        self.assertEqual(report["quads"], report["faces"])
        self.assertEqual(report["joints"], len(report["joint_names"]))

    def test_json_is_the_only_thing_on_stdout(self):
        for words in (("make", "arm", "-o", self.path("j.glb")), ("convert", self.rig, "-o", self.path("j.ply")),
                      ("pose", self.rig, "-o", self.path("j.obj")), ("bake", self.rig, "-o", self.path("j.pc2")),
                      ("render", self.rig, "--width", 64, "--height", 64, "-o", self.path("j.png"))):
            self.assertIsInstance(self.document(*words), dict)

    # --- poses ---
    def test_a_turned_joint_carries_what_lies_beyond_it(self):
        joint = self.document("info", self.rig)["joint_names"][1]
        self.call("pose", self.rig, "-o", self.path("rest.obj"))
        self.call("pose", self.rig, "--set", joint + "=0,0,90", "-o", self.path("bent.obj"))
        rest, bent = self.vertices(self.path("rest.obj")), self.vertices(self.path("bent.obj"))
        moved = [math.dist(a, b) for a, b in zip(rest, bent)]
        self.assertLess(min(moved), 1e-4)
        self.assertGreater(max(moved), 3)

    def test_a_posed_glb_is_the_rig_in_that_pose(self):
        joint = self.document("info", self.rig)["joint_names"][1]
        turn = ("--set", joint + "=20,30,40")
        self.call("pose", self.rig, *turn, "-o", self.path("posed.glb"))
        self.call("pose", self.path("posed.glb"), "-o", self.path("a.obj"))
        self.call("pose", self.rig, *turn, "-o", self.path("b.obj"))
        pairs = zip(self.vertices(self.path("a.obj")), self.vertices(self.path("b.obj")))
        self.assertLess(max(math.dist(a, b) for a, b in pairs), 1e-4)
        self.assertEqual(self.document("info", self.path("posed.glb"))["joints"], 2)

    def test_a_stretched_glb_plays_as_plain_lbs_with_all_beyond_carried_along(self):
        lower = self.document("info", self.rig)["joint_names"][0]
        self.call("pose", self.rig, "--stretch", lower + "=1.5", "--deformer", "stretch-lbs", "-o", self.path("long.glb"))
        self.call("pose", self.path("long.glb"), "-o", self.path("again.obj"))
        self.call("pose", self.rig, "--stretch", lower + "=1.5", "-o", self.path("lbs.obj"))
        self.call("pose", self.rig, "-o", self.path("rest.obj"))
        again, lbs, rest = (self.vertices(self.path(n + ".obj")) for n in ("again", "lbs", "rest"))
        self.assertLess(max(map(math.dist, again, lbs)), 1e-4)
        # The far end goes along by half of the bone, and only along it.
        top = max(range(len(rest)), key=lambda i: rest[i][1])
        step = [a - b for a, b in zip(again[top], rest[top])]
        self.assertGreater(step[1], 1)
        self.assertLess(math.hypot(step[0], step[2]), 1e-4)

    def test_a_twisted_glb_twists_again_and_bake_stretches_every_frame(self):
        lower = self.document("info", self.rig)["joint_names"][0]
        shape = ("--twist", lower + "=0,400", "--stretch", lower + "=1.5")
        self.call("pose", self.rig, *shape, "-o", self.path("twisted.glb"))
        self.call("pose", self.path("twisted.glb"), "--deformer", "stretch-dqs", "-o", self.path("later.obj"))
        self.call("pose", self.rig, *shape, "--deformer", "stretch-dqs", "-o", self.path("at_once.obj"))
        later, at_once = (self.vertices(self.path(n + ".obj")) for n in ("later", "at_once"))
        self.assertLess(max(map(math.dist, later, at_once)), 1e-4)
        self.call("bake", self.rig, *shape, "--deformer", "stretch-dqs", "--fps", "2", "-o", self.path("frames"))
        self.call("pose", self.rig, *shape, "--deformer", "stretch-dqs", "--clip", "0", "--time", "0.5", "-o",
                  self.path("frame1.obj"))
        baked, posed = self.vertices(self.path("frames/0001.obj")), self.vertices(self.path("frame1.obj"))
        self.assertLess(max(map(math.dist, baked, posed)), 1e-5)
        self.assertGreater(max(map(math.dist, baked, later)), 0.01)

    def test_a_stored_stack_is_printed_changed_and_played(self):
        joint = self.document("info", self.rig)["joint_names"][1]
        bend = ("--set", joint + "=0,0,90")
        self.assertEqual([e["step"] for e in self.document("stack", self.rig)["stack"]], ["keys", "skeleton"])
        soft = self.path("soft.glb")
        stack = self.document("stack", self.rig, "--order", "keys,skeleton,mush", "--deformer", "curve", "--segments",
                              "12", "--mush-passes", "3", "-o", soft)["stack"]
        self.assertEqual(stack[1], {"step": "skeleton", "deformer": "curve", "segments": 12})
        self.assertEqual(self.document("stack", soft)["stack"], stack)
        report = self.document("pose", soft, *bend, "-o", self.path("stored.obj"))
        self.assertEqual(report["deformer"], "curve+mush")
        self.call("pose", self.rig, *bend, "--deformer", "curve+mush", "--segments", "12", "--mush-passes", "3", "-o",
                  self.path("said.obj"))
        self.assertEqual(text_of(self.path("stored.obj")), text_of(self.path("said.obj")))
        # What is said wins over what is stored; the file still plays as plain skinning elsewhere.
        self.assertEqual(self.document("pose", soft, "--deformer", "dqs", "-o", self.path("d.obj"))["deformer"],
                         "dqs+mush")
        for wrong in (("--order", "keys,jelly"), ("--mask", "skeleton=_NONE"), ("--mask", "skeleton"),
                      ("--segments", "0", "--deformer", "curve")):
            self.call("stack", self.rig, *wrong, "-o", self.path("never.glb"), code=2)

    def test_a_stack_may_hold_a_step_twice_and_end_with_subdivision(self):
        below = "below:" + self.document("info", self.rig)["joint_names"][1]
        twice, posed, plain = self.path("twice.glb"), self.path("fine.obj"), self.path("coarse.obj")
        stack = self.document("stack", self.rig, "--order", "keys,skeleton,keys,subdivide", "--setting",
                              "keys#2:space=tangent", "--mask", "keys#2=" + below, "--setting", "subdivide:levels=2",
                              "-o", twice)["stack"]
        self.assertEqual([e["step"] for e in stack], ["keys", "skeleton", "keys", "subdivide"])
        self.assertEqual(stack[0], {"step": "keys"})
        self.assertEqual(stack[2], {"step": "keys", "mask": below, "space": "tangent"})
        self.assertEqual(stack[3], {"step": "subdivide", "levels": 2})
        self.assertEqual(self.document("stack", twice)["stack"], stack)

        def counts(path):
            with open(path) as lines:
                kinds = [line.split(" ")[0] for line in lines]
            return kinds.count("v"), kinds.count("f")

        fine = self.document("pose", twice, "-o", posed)["vertices"]
        self.call("pose", twice, "--subdivide", "0", "-o", plain)
        corners = 0
        with open(plain) as lines:
            corners = sum(len(line.split()) - 1 for line in lines if line.startswith("f "))
        self.assertEqual(counts(posed), (fine, 4 * corners))
        self.assertGreater(fine, 10 * counts(plain)[0])
        baked = self.path("fine_frames.pc2")
        self.assertEqual(self.document("bake", twice, "--fps", "2", "-o", baked)["vertices"], fine)
        self.call("bake", twice, "--fps", "2", "-o", self.path("fine_frames.glb"))
        self.call("pose", twice, "--apply", "-o", self.path("fine.glb"))
        self.call("render", twice, "-o", self.path("fine.png"))
        self.call("unpose", twice, "--edited", plain, "-o", self.path("unposed.obj"))
        for wrong in (("--order", "subdivide,keys"), ("--setting", "keys#3:space=tangent"), ("--setting", "keys"),
                      ("--setting", "keys:passes=3"), ("--subdivide", "9"), ("--mask", "keys#9=" + below),
                      ("--order", "skeleton,subdivide", "--mask", "subdivide=" + below)):
            self.call("stack", self.rig, *wrong, "-o", self.path("never.glb"), code=2)

    def test_mush_follows_any_deformer_and_closed_meshes_report_their_volume(self):
        joint = self.document("info", self.rig)["joint_names"][1]
        change = {}
        for deformer in ("lbs", "volume", "lbs+mush", "stretch-dqs+mush", "curve"):
            report = self.document("pose", self.rig, "--set", joint + "=0,0,90", "--deformer", deformer, "-o",
                                   self.path(deformer + ".obj"))
            change[deformer] = abs(report["volume_change"])
        self.assertLess(change["volume"], change["lbs"] / 3)
        self.assertNotEqual(text_of(self.path("lbs.obj")), text_of(self.path("lbs+mush.obj")))
        with open(self.path("open.obj"), "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIsNone(self.document("pose", self.path("open.obj"), "-o", self.path("o.obj"))["volume_change"])

    def test_volume_takes_milliseconds_a_frame(self):
        body = self.make("body.glb", "biped", "--resolution", 13000)
        start = processor_seconds_of_children()
        self.call("bake", body, "--deformer", "volume", "--fps", 24, "--end", 1, "-o", self.path("volume.pc2"))
        self.assertLess(processor_seconds_of_children() - start, 2 * SLOWER)  # 25 frames; once over a second each

    def test_apply_writes_the_deformed_mesh_without_a_skin(self):
        joint = self.document("info", self.rig)["joint_names"][1]
        for deformer in ("lbs", "dqs"):
            words = ("--set", joint + "=0,0,80", "--deformer", deformer, "--force", "-o")
            self.call("pose", self.rig, "--apply", *words, self.path("applied.glb"))
            self.call("pose", self.rig, *words, self.path("applied.obj"))
            self.assertEqual(self.document("info", self.path("applied.glb"))["joints"], 0)
            self.call("convert", self.path("applied.glb"), "-o", self.path("back.obj"), "--force")
            pairs = zip(self.vertices(self.path("applied.obj")), self.vertices(self.path("back.obj")))
            self.assertLess(max(math.dist(a, b) for a, b in pairs), 1e-5)

    # --- bake ---
    def test_caches_and_folders_hold_the_frames_of_the_clip(self):
        report = self.document("bake", self.rig, "--fps", 5, "-o", self.path("c.pc2"))
        vertices = self.document("info", self.rig)["vertices"]
        with open(self.path("c.pc2"), "rb") as f:
            head = struct.unpack("<12siiffi", f.read(32))
            body = f.read()
        self.assertEqual((head[0], head[2], head[5]), (b"POINTCACHE2\0", vertices, report["frames"]))
        self.assertEqual(len(body), 12 * vertices * report["frames"])
        self.call("bake", self.rig, "--fps", 5, "-o", self.path("frames"))
        files = sorted(glob.glob(self.path("frames") + "/*.obj"))
        self.assertEqual(len(files), report["frames"])
        first = struct.unpack("<3f", body[:12])
        self.assertLess(math.dist(first, self.vertices(files[0])[0]), 1e-5)
        self.call("bake", self.rig, "-o", self.path("frames"), code=5)

    def test_a_baked_glb_plays_the_same_frames(self):
        self.call("bake", self.rig, "--fps", 5, "--deformer", "dqs", "-o", self.path("b.glb"))
        self.call("bake", self.rig, "--fps", 5, "--deformer", "dqs", "-o", self.path("frames"))
        report = self.document("info", self.path("b.glb"))
        self.assertEqual((report["joints"], len(report["clips"])), (0, 1))
        self.call("pose", self.path("b.glb"), "--clip", "0", "--time", 0.4, "-o", self.path("two.obj"))
        pairs = zip(self.vertices(self.path("two.obj")), self.vertices(self.path("frames/0002.obj")))
        self.assertLess(max(math.dist(a, b) for a, b in pairs), 1e-4)

    # --- render ---
    def test_a_picture_is_a_png_of_the_size_it_says(self):
        size = self.document("render", self.rig, "--skeleton", "--width", 200, "--height", 150, "-o", self.path("p.png"))
        with open(self.path("p.png"), "rb") as f:
            head = f.read(24)
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(struct.unpack(">II", head[16:24]), (size["width"], size["height"]))
        self.assertGreaterEqual(size["width"], 3 * 200)

    def test_several_files_need_grid(self):
        self.call("render", self.rig, self.rig, "-o", self.path("g.png"), code=2)
        self.call("render", self.rig, self.rig, "--grid", "--width", 64, "--height", 64, "-o", self.path("g.png"))

    def test_what_a_picture_lacks_is_said_on_stderr(self):
        no_fonts = "mount -t tmpfs none /usr/share/fonts && HOME=/nowhere exec \"$@\""
        hidden = ["unshare", "--mount", "sh", "-c", no_fonts, "sh"]
        try:
            if subprocess.run([*hidden, "true"], capture_output=True).returncode:
                self.skipTest("fonts cannot be hidden here: needs root")
        except FileNotFoundError:
            self.skipTest("fonts cannot be hidden here: needs unshare")
        words = ["render", self.rig, "--caption", "text", "--width", "64", "--height", "64", "-o", self.path("p.png")]
        done = subprocess.run([*hidden, PROGRAM, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("DejaVuSans.ttf", done.stderr)
        self.assertNotIn("DejaVuSans.ttf", self.call(*words, "--force").stderr)

    # --- threads, stopping ---
    def test_results_do_not_depend_on_threads(self):
        joint = self.document("info", self.rig)["joint_names"][1]
        for threads in (1, 2):
            self.call("pose", self.rig, "--set", joint + "=10,60,5", "--deformer", "dqs", "--threads", threads, "-o",
                      self.path("%d.obj" % threads))
        self.assertEqual(text_of(self.path("1.obj")), text_of(self.path("2.obj")))

    def test_a_stop_ends_within_200_ms_and_leaves_nothing(self):
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            out = self.path("stopped.glb")
            words = [PROGRAM, "make", "biped", "--resolution", "1500000", "--threads", "2", "-o", out]
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            ended, more = stop_in_the_middle(process, 0.2, number)
            self.assertEqual(ended, code)
            self.assertLess(more, 0.4 * SLOWER)  # 200 ms on two processors
            self.assertEqual(glob.glob(out + "*") + glob.glob(os.path.join(self.folder.name, ".*stopped*")), [])

    # --- what a name may be ---
    def test_the_voxel_methods_tell_on_stderr_what_they_mended(self):
        sheet, out = self.path("sheet.obj"), self.path("out.glb")
        with open(sheet, "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        skeleton = self.path("joints.tgf")
        for joints, told in (("0.1 0.1 0|0.4 0.1 0|0.8 0.1 0", "thickened to the cells"),
                             ("0.1 0.1 0|0.4 0.1 5|0.4 0.1 9", "outside the body"),
                             ("0.1 0.1 0|0.1 0.1 0|0.8 0.1 0", "cells with others")):
            points = joints.split("|")
            with open(skeleton, "w") as f:
                f.write("".join("%d %s\n" % (k + 1, p) for k, p in enumerate(points)) + "#\n1 2 1 0 0\n2 3 1 0 0\n")
            for method in (["bbw"], ["harmonic", "--volume"]):
                done = self.call("weights", sheet, "--skeleton", skeleton, "--method", *method, "--voxels", "16", "-o", out,
                                 "--force", "--json")
                self.assertIn(told, done.stderr)
                report = strict(done.stdout)
                self.assertEqual(report["unweighted"], 0)
                self.assertLess(report["max_row_error"], 1e-6)
        self.call("weights", sheet, "--skeleton", skeleton, "--method", "bbw", "--volume", "-o", out, "--force", code=2)

    def test_names_with_blanks_and_foreign_letters_work(self):
        out = self.path("größe und maß.glb")
        self.call("convert", self.rig, "-o", out)
        self.assertEqual(self.document("info", out)["joints"], 2)


if __name__ == "__main__":
    unittest.main()
