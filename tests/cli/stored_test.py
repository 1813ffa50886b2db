#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files whose stored settings are wrong, or name what is no longer there; and numbers that lead out of the world.

usage: stored_test.py PROGRAM SOURCE [unittest arguments]
"""
import os
import unittest

from program import SLOWER, ProgramTest, edit_glb, processor_seconds_of_children


def stack_in(document):
    return document["extensions"]["SINEW_rig"]["stack"]


class Stored(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("rig.glb", "cylinder")

    def stored(self, *words):
        """The rig with a stack as `stack` writes it."""
        out = self.path("stack.glb")
        self.call("stack", self.rig, *words, "-o", out, "--force")
        return out

    def joint(self):
        return self.document("info", self.rig)["joint_names"][1]

    def renamed(self, path):
        def change(document):
            for node in document["nodes"]:
                if node.get("name") == self.joint():
                    node["name"] = "Renamed"
        return edit_glb(path, self.path("renamed.glb"), change)

    # --- what is stored wrongly ---
    def test_a_bad_setting_in_a_file_is_exit_3_and_named(self):
        def segments(document):
            stack_in(document)[1]["segments"] = 1000
        def mask(document):
            stack_in(document)[1]["mask"] = "_NOT_THERE"
        def step(document):
            stack_in(document)[1]["step"] = "jelly"
        def deformer(document):
            stack_in(document)[1]["deformer"] = "jelly"
        for change, place in ((segments, "segments"), (mask, "_NOT_THERE"), (step, "jelly"), (deformer, "jelly")):
            path = edit_glb(self.stored("--deformer", "curve", "--segments", "4"), self.path("bad.glb"), change)
            self.assertGreater(self.document("info", path)["vertices"], 0)
            for words in (("pose", path, "-o", self.path("x.obj")), ("render", path, "-o", self.path("x.png")),
                          ("bake", path, "-o", self.path("x.pc2")), ("stack", path)):
                text = self.call(*words, code=3).stderr
                self.assertIn("bad.glb: step 2 of the stack", text)
                self.assertIn(place, text)
                self.assertNotIn("--", text.replace("--deformer NAME", ""))

    def test_the_same_words_on_the_command_line_are_exit_2(self):
        for words in (("--segments", "1000"), ("--deformer", "jelly"), ("--bone-segments", "Nobody=3"),
                      ("--joint", "Nobody=dqs")):
            self.assertIn("--", self.call("pose", self.rig, *words, "-o", self.path("x.obj"), code=2).stderr)
        self.call("stack", self.rig, "--mask", "skeleton=_NOT_THERE", code=2)

    def test_what_the_user_says_takes_the_place_of_what_is_stored(self):
        def change(document):
            stack_in(document)[1]["segments"] = 1000
        path = edit_glb(self.stored("--deformer", "curve", "--segments", "4"), self.path("bad.glb"), change)
        self.call("pose", path, "--segments", "3", "-o", self.path("ok.obj"))

    # --- names that are gone ---
    def test_a_step_whose_joint_was_renamed_is_skipped_with_a_warning(self):
        path = self.renamed(self.stored("--order", "keys,skeleton,mush", "--mask", "mush=below:" + self.joint()))
        self.assertGreater(self.document("info", path)["vertices"], 0)
        out, plain = self.path("out.obj"), self.path("plain.obj")
        text = self.call("pose", path, "--set", "Renamed=0,0,60", "-o", out).stderr
        self.assertIn("step 3 of the stack (mush) is skipped", text)
        self.assertIn("'%s'" % self.joint(), text)
        self.call("pose", self.rig, "--set", self.joint() + "=0,0,60", "-o", plain)
        self.assertEqual(self.vertices(out), self.vertices(plain))
        for words in (("render", path, "--width", 32, "--height", 32, "-o", self.path("x.png")),
                      ("bake", path, "-o", self.path("x.pc2"))):
            self.assertIn("is skipped", self.call(*words).stderr)

    def test_a_setting_of_a_joint_that_was_renamed_is_left_out_with_a_warning(self):
        for words in (("--deformer", "curve", "--bone-segments", self.joint() + "=3"),
                      ("--deformer", "swing-twist", "--joint", self.joint() + "=dqs")):
            path = self.renamed(self.stored(*words))
            text = self.call("pose", path, "-o", self.path("x.obj"), "--force").stderr
            self.assertIn("is left out for '%s'" % self.joint(), text)

    def test_a_key_whose_joint_was_renamed_is_skipped_with_a_warning(self):
        shape, keyed = self.path("shape.obj"), self.path("keyed.glb")
        self.call("pose", self.rig, "--set", self.joint() + "=0,0,30", "-o", shape)
        self.call("keys", "add", self.rig, "--key", "bow=" + shape, "--mask", "bow=below:" + self.joint(), "-o", keyed)
        self.call("keys", "add", self.rig, "--key", "bow=" + shape, "--mask", "bow=below:Nobody", "-o",
                  self.path("x.glb"), code=2)
        text = self.call("pose", self.renamed(keyed), "--key", "bow=1", "-o", self.path("out.obj")).stderr
        self.assertIn("the key 'bow' is skipped", text)
        self.call("pose", self.rig, "-o", self.path("rest.obj"))
        self.assertEqual(self.vertices(self.path("out.obj")), self.vertices(self.path("rest.obj")))

    # --- cages ---
    def test_a_cage_that_cannot_fit_is_told_without_solving_it(self):
        bound = self.path("caged.glb")
        self.call("cage", "bind", self.rig, "--auto", "--dynamic", "--resolution", "3", "-o", bound)
        def change(document):
            document["extensions"]["SINEW_rig"]["cages"][0]["resolution"] = 10
        path = edit_glb(bound, self.path("deep.glb"), change)
        start = processor_seconds_of_children()
        self.call("info", path)
        self.call("info", bound)
        text = self.call("pose", path, "-o", self.path("x.obj"), code=3).stderr
        self.assertLess(processor_seconds_of_children() - start, 5 * SLOWER)
        self.assertIn("deep.glb", text)
        self.assertIn("bind it again", text)
        self.call("pose", bound, "-o", self.path("fits.obj"))

    # --- numbers without an end ---
    def test_nothing_that_is_not_finite_leaves(self):
        shape, keyed = self.path("shape.obj"), self.path("keyed.glb")
        self.call("pose", self.rig, "--set", self.joint() + "=0,0,30", "-o", shape)
        self.call("keys", "add", self.rig, "--key", "bow=" + shape, "-o", keyed)
        huge = "1e308"
        for words in (("pose", keyed, "--key", "bow=" + huge), ("pose", keyed, "--key", "bow=-" + huge),
                      ("pose", self.rig, "--deformer", "arap", "--handle", "0=%s,%s,%s" % (huge, huge, huge)),
                      ("render", keyed, "--key", "bow=" + huge),
                      ("bake", keyed, "--key", "bow=" + huge)):
            for ending in (".png",) if words[0] == "render" else (".pc2", ".glb") if words[0] == "bake" else (".obj", ".glb"):
                out = self.path("out" + ending)
                text = self.call(*words, "-o", out, code=4).stderr
                self.assertIn("not finite", text)
                self.assertFalse(os.path.exists(out), words)

    def test_a_pose_space_with_an_endless_influence_is_refused(self):
        shape, keyed = self.path("shape.obj"), self.path("keyed.glb")
        bend = ("--set", self.joint() + "=0,0,60")
        self.call("pose", self.rig, "--set", self.joint() + "=0,0,30", "-o", shape)
        self.call("keys", "add", self.rig, "--key", "bow=" + shape, "--example", *bend, "--drive", self.joint() + "=1",
                  "-o", keyed)
        def change(document):
            for space in document["extensions"]["SINEW_rig"]["poseSpaces"]:
                for joint in space["joints"]:
                    joint["influence"] = 1e308
        path = edit_glb(keyed, self.path("endless.glb"), change)
        done = self.run_any("pose", path, "--set", self.joint() + "=0,0,20", "-o", self.path("x.obj"))
        self.assertIn(done.returncode, (0, 3, 4), done.stderr)
        if done.returncode == 0:
            self.assertNotRegex(open(self.path("x.obj")).read(), "nan|inf")

    def test_whatever_comes_out_of_a_degenerate_mesh_is_finite_or_refused(self):
        line = self.path("line.obj")
        with open(line, "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\nf 2 3 4\n")
        for handles in (("0=0,0,0", "3=0,9,0"), ("0=1e200,0,0",), ("0=0,0,0", "0=1,1,1")):
            words = [word for handle in handles for word in ("--handle", handle)]
            out = self.path("out.obj")
            done = self.run_any("pose", line, "--deformer", "arap", *words, "-o", out, "--force")
            if done.returncode == 0:
                for vertex in self.vertices(out):
                    self.assertTrue(all(abs(x) < 1e39 for x in vertex), vertex)
            else:
                self.assertIn(done.returncode, (2, 3, 4))

    def test_endless_angles_are_finite_or_refused(self):
        for words in (("--set", self.joint() + "=1e308,1e308,0"), ("--twist", self.joint() + "=0,1e308"),
                      ("--set", self.joint() + "=bend:1e308")):
            for deformer in ("stretch-lbs", "stretch-dqs", "swing-twist", "volume", "lbs+mush"):
                out = self.path("out.obj")
                done = self.run_any("pose", self.rig, "--deformer", deformer, *words, "-o", out, "--force")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                if done.returncode == 0:
                    self.assertNotRegex(open(out).read(), "nan|inf")


if __name__ == "__main__":
    unittest.main()
