#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a first user meets: help, hints, words that mean the same everywhere, summaries of files.

usage: words_test.py PROGRAM SOURCE [unittest arguments]
"""
import math
import re
import unittest

from program import ProgramTest, edit_glb

BVH = """HIERARCHY
ROOT Hips
{
 OFFSET 0 0 0
 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
 JOINT Spine
 {
  OFFSET 0 1 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
   OFFSET 0 1 0
  }
 }
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 10 0 0
0 0 0 0 0 0 20 0 0
"""


class Words(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped")
        cls.arm = cls.make("arm.glb", "arm")

    # --- help ---
    def test_the_name_alone_prints_the_verbs(self):
        text = self.call(code=2).stderr
        for verb in ("make", "info", "pose", "bake", "render", "keys"):
            self.assertIn("\n  %s " % verb, text)

    def test_help_is_short_and_help_all_is_whole(self):
        for verb in ("pose", "bake", "render", "unpose", "stack", "keys"):
            short, whole = self.call(verb, "--help").stdout, self.call(verb, "--help-all").stdout
            self.assertIn("--deformer", short)
            self.assertNotIn("\n  --mush-passes", short, verb)
            self.assertIn("docs/settings.md", short)
            self.assertIn("sinew %s --help-all" % verb, short)
            self.assertIn("\n  --mush-passes", whole)
        self.assertLess(len(self.call("pose", "--help").stdout.splitlines()), 75)

    def test_owners_of_a_setting_are_named_once_and_flags_plainly(self):
        for verb in ("pose", "weights"):
            for owners in re.findall(r"(?:  |\n +)for ([a-z, -]+): ", self.call(verb, "--help-all").stdout):
                names = re.split(", | and ", owners)
                self.assertEqual(len(names), len(set(names)), owners)
        self.assertNotRegex(self.call("handles", "--help").stdout, r"--[a-z-]+\{")

    def test_names_do_not_run_into_their_text(self):
        names = re.findall(r"^\s+([a-z-]+)(\s+)bone rotations", self.call("pose", "--help").stdout, re.M)
        self.assertEqual([name for name, gap in names if len(gap) >= 2], ["differential"])
        self.assertRegex(self.call("stack", "--help").stdout, r"remove-rotation  +keep")

    # --- hints ---
    def test_what_is_misspelt_is_suggested(self):
        out = self.path("x.obj")
        for words, hint in (
                (("redner", self.biped), "'render'"),
                (("cage", "bnid", self.biped), "'bind'"),
                (("pose", self.biped, "--defomer", "dqs", "-o", out), "'--deformer'"),
                (("pose", self.biped, "--set", "LeftFroeArm=0,0,9", "-o", out), "'LeftForeArm'"),
                (("pose", self.biped, "--deformer", "curve", "--bone-segments", "LeftUpLge=3", "-o", out), "'LeftUpLeg'"),
                (("stack", self.biped, "--mask", "skeleton=below:Hpis"), "'Hips'")):
            text = self.call(*words, code=2).stderr
            self.assertIn("did you mean " + hint, text, words)
            self.assertNotIn("?;", text)

    def test_what_is_like_nothing_gets_no_suggestion(self):
        self.assertNotIn("did you mean", self.call("xylophone", code=2).stderr)

    def test_rig_names_the_files_that_it_writes(self):
        for words in (("rig", self.biped), ("weights", self.biped), ("stack", self.biped),
                      ("keys", "add", self.biped, "--key", "a=" + self.biped)):
            text = self.call(*words, "-o", self.path("x.fbx"), code=2).stderr
            self.assertIn(".glb or .gltf", text)
            self.assertNotIn(".obj", text)

    # --- poses about the bone ---
    def test_bend_and_twist_are_about_the_bone(self):
        rig = self.make("straight.glb", "cylinder")
        name = self.document("info", rig)["joint_names"][1]
        posed = {}
        for what in ("", "bend:90", "twist:90", "bend:90,twist:90"):
            out = self.path("x.obj")
            self.call("pose", rig, *(("--set", "%s=%s" % (name, what)) if what else ()), "-o", out, "--force")
            posed[what] = self.vertices(out)
        rest, bent, twisted, both = posed.values()
        axis = max(range(3), key=lambda k: max(p[k] for p in rest) - min(p[k] for p in rest))
        moved = [math.dist(p, q) for p, q in zip(rest, bent)]
        end = moved.index(max(moved))
        # The end comes to the front; a twist leaves every vertex where it is along the bone.
        self.assertGreater(bent[end][2] - rest[end][2], 2)
        for p, q in zip(rest, twisted):
            self.assertAlmostEqual(p[axis], q[axis], delta=1e-4)
        self.assertGreater(max(math.dist(p, q) for p, q in zip(rest, twisted)), 1)
        # Twist comes first: seen along the bent bone it is what it is along the straight one.
        for p, q, r in zip(rest, twisted, both):
            if p[axis] > 6:  # beyond the joint, where all is rigid
                self.assertAlmostEqual(r[2], p[axis] - 4 if axis != 2 else r[2], delta=1e-3)

    def test_bend_is_the_turn_that_the_axes_say(self):
        bent, turned = self.path("bent.obj"), self.path("turned.obj")
        rig = self.make("cylinder.glb", "cylinder")
        name = self.document("info", rig)["joint_names"][1]
        self.call("pose", rig, "-o", turned, "--force")
        rest = self.vertices(turned)
        axis = max(range(3), key=lambda k: max(p[k] for p in rest) - min(p[k] for p in rest))
        # along x: y has to turn by -90; along y: x by 90; along z there is no front, and it goes up.
        degrees = {0: (0, -60, 0), 1: (60, 0, 0), 2: (-60, 0, 0)}[axis]
        self.call("pose", rig, "--set", name + "=bend:60", "-o", bent)
        self.call("pose", rig, "--set", "%s=%g,%g,%g" % (name, *degrees), "-o", turned, "--force")
        worst = max(math.dist(p, q) for p, q in zip(self.vertices(bent), self.vertices(turned)))
        self.assertLess(worst, 1e-4)

    def test_a_bend_that_is_none_is_exit_2(self):
        for value in ("bend:", "bend:x", "roll:4", "bend:1,2", "bend", "bend:1;twist:2"):
            text = self.call("pose", self.arm, "--set", "Hand=" + value, "-o", self.path("x.obj"), code=2).stderr
            self.assertIn("bend:D", text)

    def test_the_help_states_the_order_of_x_y_z(self):
        self.assertIn("in the order x, y, z", " ".join(self.call("pose", "--help").stdout.split()))

    # --- pictures ---
    def test_pictures_from_the_back_and_from_above(self):
        pictures = set()
        for view in ("front", "back", "top", "front,back,top"):
            out = self.path(view + ".png")
            report = self.document("render", self.biped, "--views", view, "--width", 64, "--height", 64, "-o", out)
            self.assertEqual(report["width"], 64 * len(view.split(",")))
            with open(out, "rb") as f:
                pictures.add(f.read())
        self.assertEqual(len(pictures), 4)

    # --- info ---
    def test_info_tells_lengths_hierarchy_and_weights(self):
        report = self.document("info", self.biped)
        self.assertEqual([c["name"] for c in report["clip_lengths"]], report["clips"])
        self.assertTrue(all(c["seconds"] > 0 for c in report["clip_lengths"]))
        joints = report["hierarchy"]
        self.assertEqual([j["name"] for j in joints], report["joint_names"])
        by_name = {j["name"]: j for j in joints}
        self.assertEqual(joints[by_name["LeftForeArm"]["parent"]]["name"], "LeftArm")
        self.assertEqual(joints[0]["parent"], -1)
        self.assertAlmostEqual(sum(j["weight"] for j in joints), report["vertices"], delta=1e-3 * report["vertices"])
        self.assertIn("joint_weights", report)
        text = self.call("info", self.biped).stdout
        self.assertRegex(text, r"\n {4}Hips ")
        self.assertRegex(text, r"\n {6,}LeftArm +\d+ vert")
        self.assertRegex(text, r"clips +\d+: walk \([\d.]+ s\)")

    def test_info_tells_materials(self):
        def change(document):
            document["materials"] = [{"name": "skin"}, {}]
        path = edit_glb(self.arm, self.path("m.glb"), change)
        self.assertEqual(self.document("info", path)["materials"], ["skin", "material1"])
        self.assertIn("skin", self.call("info", path).stdout)

    def test_a_bvh_is_a_motion(self):
        path = self.path("m.bvh")
        with open(path, "w") as f:
            f.write(BVH)
        report = self.document("info", path)
        self.assertEqual(report["motion"], {"frames": 3, "fps": 2.0})
        self.assertEqual((report["vertices"], report["joints"]), (0, 2))
        self.assertRegex(self.call("info", path).stdout, r"motion +3 frames at 2 fps, 1 s")
        self.assertIsNone(self.document("info", self.biped)["motion"])

    # --- keys and in-betweens ---
    def test_keys_are_listed_with_names_and_counts_agree(self):
        base, shape, out = self.path("base.obj"), self.path("shape.obj"), self.path("keys.glb")
        for path, height in ((base, 0), (shape, 1)):
            with open(path, "w") as f:
                f.write("v 0 0 %d\nv 1 0 0\nv 0 1 0\nf 1 2 3\n" % height)
        text = self.call("keys", "add", base, "--key", "thorn=" + shape, "-o", out).stdout
        listed = self.call("keys", "list", out).stdout
        self.assertIn(": 1 key\n", listed)
        self.assertRegex(listed, r"\n  thorn +1 vertex, up to 1")
        self.assertEqual(text.split(":", 1)[1], listed.split(":", 1)[1])

    def test_inbetweens_have_a_number_of_frames_of_their_own(self):
        a, b, c = (self.path(n + ".obj") for n in "abc")
        for out, turn in ((a, 0), (b, 20), (c, 40)):
            self.call("pose", self.arm, "--set", "%s=0,0,%d" % (self.document("info", self.arm)["joint_names"][1], turn),
                      "-o", out)
        self.assertEqual(self.document("inbetween", a, b, "-o", self.path("ab.pc2"))["frames"], 24)
        self.assertEqual(self.document("inbetween", a, b, c, "-o", self.path("abc.pc2"))["frames"], 47)

    def test_one_of_something_is_not_many(self):
        triangle = self.path("t.obj")
        with open(triangle, "w") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        self.assertIn("3 vertices, 1 face (0 quads), 1 component", self.call("info", triangle).stdout)
        self.assertIn("3 vertices, 1 face\n", self.call("convert", triangle, "-o", self.path("t.ply")).stdout)

    # --- words for none ---
    def test_none_is_none_everywhere(self):
        bound, bare = self.path("bound.glb"), self.path("bare.glb")
        self.call("weights", self.arm, "--method", "heat", "--endpoint", "projection", "--joint-weights", "skin", "-o", bound)
        report = self.document("info", bound)
        self.assertEqual((report["endpoint"]["method"], report["joint_weights"]), ("projection", "skin"))
        self.call("weights", bound, "--method", "heat", "--endpoint", "none", "--endpoint-twist", "none",
                  "--joint-weights", "none", "-o", bare)
        report = self.document("info", bare)
        self.assertEqual((report["endpoint"], report["joint_weights"]), (None, None))
        masked, plain = self.path("masked.glb"), self.path("plain.glb")
        self.call("stack", self.arm, "--mask", "skeleton=below:" + report["joint_names"][1], "-o", masked)
        self.assertIn("mask", self.document("stack", masked)["stack"][1])
        self.call("stack", masked, "--mask", "skeleton=none", "-o", plain)
        self.assertNotIn("mask", self.document("stack", plain)["stack"][1])

    # --- endpoints of twist ---
    def test_twist_gets_endpoints_of_its_own(self):
        same, apart = self.path("same.glb"), self.path("apart.glb")
        self.call("weights", self.arm, "--method", "heat", "--endpoint", "projection", "-o", same)
        self.call("weights", self.arm, "--method", "heat", "--endpoint", "projection", "--endpoint-twist",
                  "inverse-distance", "-o", apart)
        self.assertEqual(self.document("info", same)["endpoint"], {"method": "projection", "twist": False})
        self.assertEqual(self.document("info", apart)["endpoint"], {"method": "projection", "twist": True})
        joint = self.document("info", apart)["joint_names"][1]
        posed = {}
        for name, path in (("same", same), ("apart", apart)):
            for what in ("--twist=%s=0,90" % joint, "--stretch=%s=1.5" % joint):
                out = self.path("%s%d.obj" % (name, len(posed)))
                self.call("pose", path, "--deformer", "stretch-lbs", what, "-o", out)
                posed[name, what[:4]] = self.vertices(out)
        apart_by = lambda what: max(math.dist(p, q) for p, q in zip(posed["same", what], posed["apart", what]))
        self.assertGreater(apart_by("--tw"), 1e-3)  # twist runs otherwise along the bone
        self.assertLess(apart_by("--st"), 1e-6)     # stretch as before
        self.call("weights", self.arm, "--method", "heat", "--endpoint", "none", "--endpoint-twist", "heat", "-o",
                  self.path("x.glb"), code=2)


if __name__ == "__main__":
    unittest.main()
