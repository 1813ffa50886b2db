#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`check` from outside: rigs spoilt on purpose, each fault named; distances to another rig by brute force.

usage: check_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import os
import re
import struct
import unittest

from program import SOURCE, ProgramTest, edit_glb, strict

try:
    import numpy as np
except ImportError:
    np = None

DATA = os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data"))
FIGURE = os.path.join(DATA, "rigged_gltf", "RiggedFigure.glb")
FOX = os.path.join(DATA, "rigged_gltf", "Fox.glb")
MAN = os.path.join(DATA, "rigged_gltf", "CesiumMan.glb")
KINDS = {5121: ("u1", 255), 5123: ("<u2", 65535), 5125: ("<u4", 1), 5126: ("<f4", 1)}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
ORDER = "ABCDEF"
KEYS = ["grade", "joints", "unweighted", "max_row_error", "islands", "intersections"]
AGAINST = ["cd_j2j", "cd_j2b", "cd_b2b", "l1", "precision", "recall"]


class Glb:
    """A .glb whose accessors can be read and written."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.length = struct.unpack_from("<I", data, 12)[0]
        self.json = json.loads(data[20:20 + self.length])
        self.bytes = bytearray(data)

    def view(self, index):
        a = self.json["accessors"][index]
        v = self.json["bufferViews"][a["bufferView"]]
        kind, width = np.dtype(KINDS[a["componentType"]][0]), WIDTHS[a["type"]]
        at = 28 + self.length + v.get("byteOffset", 0) + a.get("byteOffset", 0)
        stride = v.get("byteStride") or width * kind.itemsize
        return np.ndarray((a["count"], width), kind, self.bytes, at, (stride, kind.itemsize))

    def numbers(self, index):
        a = self.json["accessors"][index]
        scale = KINDS[a["componentType"]][1] if a.get("normalized") else 1
        return self.view(index).astype(float) / scale

    def attribute(self, name):
        """Of the only primitive."""
        return self.json["meshes"][0]["primitives"][0]["attributes"][name]

    def joint(self, name):
        names = [self.json["nodes"][j]["name"] for j in self.json["skins"][0]["joints"]]
        return names.index(name)

    def weights(self):
        """One row a vertex, one column a joint of the skin, of the only primitive."""
        joints, values = self.view(self.attribute("JOINTS_0")), self.numbers(self.attribute("WEIGHTS_0"))
        dense = np.zeros((len(joints), len(self.json["skins"][0]["joints"])))
        for k in range(4):
            np.add.at(dense, (np.arange(len(joints)), joints[:, k]), values[:, k])
        return dense / dense.sum(1, keepdims=True)

    def give(self, vertices, joint):
        """Whole to one joint."""
        self.view(self.attribute("JOINTS_0"))[vertices] = [joint, 0, 0, 0]
        values = self.view(self.attribute("WEIGHTS_0"))
        kind = self.json["accessors"][self.attribute("WEIGHTS_0")]["componentType"]
        values[vertices] = [1 if kind == 5126 else KINDS[kind][1], 0, 0, 0]

    def save(self, path):
        with open(path, "wb") as f:
            f.write(self.bytes)
        return path

    def world(self, i):
        node = self.json["nodes"][i]
        m = np.eye(4)
        if "matrix" in node:
            m = np.array(node["matrix"]).reshape(4, 4).T
        else:
            x, y, z, w = node.get("rotation", [0, 0, 0, 1])
            m[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
            m[:3, :3] *= node.get("scale", [1, 1, 1])
            m[:3, 3] = node.get("translation", [0, 0, 0])
        for p, other in enumerate(self.json["nodes"]):
            if i in other.get("children", []):
                return self.world(p) @ m
        return m

    def deforming(self):
        """Joints with a weight above 1e-4, and those with one above and one below them."""
        joints = self.json["skins"][0]["joints"]
        above = {c: p for p, n in enumerate(self.json["nodes"]) for c in n.get("children", [])}
        kept = {j for j, most in zip(joints, self.weights().max(0)) if most > 1e-4}
        for j in set(kept):
            chain = []
            while j in above:
                j = above[j]
                if j in kept:
                    kept.update(chain)
                    break
                chain.append(j)
        return [j for j in joints if j in kept]

    def skeleton(self, joints):
        """Heads of the joints, and the segments from each to the next joint above it."""
        above = {c: p for p, n in enumerate(self.json["nodes"]) for c in n.get("children", [])}
        heads = np.array([self.world(j)[:3, 3] for j in joints])
        bones = []
        for k, j in enumerate(joints):
            p = above.get(j)
            while p is not None and p not in joints:
                p = above.get(p)
            if p is not None:
                bones.append((heads[joints.index(p)], heads[k]))
        return heads, bones

    def box(self):
        """The longest side of the skinned mesh in the file's own pose."""
        skin = self.json["skins"][0]
        binds = self.numbers(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = np.array([self.world(j) for j in skin["joints"]]) @ binds
        p = self.numbers(self.attribute("POSITION"))
        blended = np.einsum("ij,jrc->irc", self.weights(), matrices)
        posed = np.einsum("irc,ic->ir", blended[:, :3, :3], p) + blended[:, :3, 3]
        return np.ptp(posed, axis=0).max()


def nearest(a, b):
    return np.array([np.linalg.norm(b - p, axis=1).min() for p in a]).mean()


def to_segments(points, bones):
    total = 0
    for p in points:
        least = np.inf
        for a, b in bones:
            d = b - a
            t = np.clip((p - a) @ d / max(d @ d, 1e-30), 0, 1)
            least = min(least, np.linalg.norm(p - a - t * d))
        total += least
    return total / len(points)


def samples(bones, size):
    out = []
    for a, b in bones:
        steps = int(np.ceil(np.linalg.norm(b - a) / (0.005 * size) - 1e-9))
        out += [a + (b - a) * (k / steps if steps else 0) for k in range(steps + 1)]
    return np.array(out)


def distances(mine, artist, deforming=False):
    (a, s), (b, t) = (glb.skeleton(glb.deforming() if deforming else glb.json["skins"][0]["joints"]) for glb in (mine, artist))
    size = artist.box()
    p, q = samples(s, size), samples(t, size)
    return [50 / size * (x + y) for x, y in ((nearest(a, b), nearest(b, a)), (to_segments(a, t), to_segments(b, s)),
                                             (nearest(p, q), nearest(q, p)))]


@unittest.skipUnless(np, "numpy is not there")
class Check(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped", "--resolution", 1500)

    def names(self, glb):
        return [glb.json["nodes"][j]["name"] for j in glb.json["skins"][0]["joints"]]

    def reasons(self, said, joint=None):
        return [r for j in said["joints"] for r in j["reasons"] if joint in (None, j["name"])]

    def grade(self, said, joint):
        return [j["grade"] for j in said["joints"] if j["name"] == joint][0]

    def dominated(self, glb, joint):
        return np.flatnonzero(glb.weights().argmax(1) == glb.joint(joint))

    def spoilt(self, spoil, *words):
        glb = Glb(self.biped)
        spoil(glb)
        return self.document("check", glb.save(self.path("spoilt.glb")), *words)

    # --- good rigs ---
    def test_a_good_rig_has_nothing_torn_and_passes_strict(self):
        said = self.document("check", self.biped, "--strict", "--influences", 4)
        self.assertEqual([k for k in KEYS if k not in said], [])
        self.assertLessEqual(said["grade"], "C")
        self.assertEqual((said["unweighted"], said["islands"], said["torn"], said["strays"], said["mirrored"]), (0, 1, 0, 0, 0))
        self.assertLess(said["max_row_error"], 1e-4)
        self.assertNotIn("cd_j2j", said)
        measured = [j["energy_ratio"] for j in said["joints"] if j["energy_ratio"] is not None]
        self.assertGreater(len(measured), len(said["joints"]) / 3)
        self.assertTrue(all(0.1 < r < 5 for r in measured), measured)

    def test_the_grade_is_that_of_the_worst_tenth(self):
        said = self.document("check", self.biped)
        grades = sorted((j["grade"] for j in said["joints"] if j["grade"]), reverse=True)
        self.assertEqual(said["grade"], grades[-(-len(grades) // 10) - 1])
        for j in said["joints"]:
            if j["energy_ratio"] is not None and j["grade"] != "F":
                least = "A" if j["energy_ratio"] <= 1.25 and not j["reasons"] else "B" if j["energy_ratio"] <= 1.75 else \
                    "C" if j["energy_ratio"] <= 2.5 else "D" if j["energy_ratio"] <= 4 else "E"
                self.assertEqual(j["grade"], least, j)

    def test_against_itself_all_is_equal(self):
        for rig in [self.biped] + [f for f in (FIGURE, MAN) if os.path.exists(f)]:
            with self.subTest(rig=os.path.basename(rig)):
                said = self.document("check", rig, "--against", rig)
                self.assertEqual([said[k] for k in AGAINST], [0, 0, 0, 0, 1, 1])

    def test_distances_are_those_of_brute_force(self):
        smooth, moved = self.path("smooth.glb"), self.path("moved.glb")
        self.call("reweight", self.biped, "--smooth", 4, "-o", smooth)
        glb = Glb(self.biped)

        def change(document):
            for name, shift in (("LeftForeArm", 0.1), ("Head", 0.05)):
                node = document["nodes"][document["skins"][0]["joints"][glb.joint(name)]]
                node["translation"] = [x + shift for x in node.get("translation", [0, 0, 0])]
        edit_glb(smooth, moved, change)
        said = self.document("check", moved, "--against", self.biped)
        for key, value in zip(AGAINST, distances(Glb(moved), glb)):
            self.assertAlmostEqual(said[key], value, delta=1e-4 * value, msg=key)
            self.assertGreater(said[key], 0.01, key)
        a, b = Glb(moved).weights(), glb.weights()
        self.assertAlmostEqual(said["l1"], np.abs(a - b).sum(1).mean(), delta=1e-5)
        both = ((a > 1e-4) & (b > 1e-4)).sum()
        self.assertAlmostEqual(said["precision"], both / (a > 1e-4).sum(), delta=1e-6)
        self.assertAlmostEqual(said["recall"], both / (b > 1e-4).sum(), delta=1e-6)
        self.assertLess(said["precision"], 0.999)

    def test_joints_that_carry_nothing_do_not_count_where_those_that_deform_are_compared(self):
        def empty(glb):  # the hand goes with the forearm, whose end it is
            for joint in [n for n in self.names(glb) if n.startswith("LeftHand")]:
                joints = glb.view(glb.attribute("JOINTS_0"))
                joints[joints == glb.joint(joint)] = glb.joint("LeftForeArm")
        glb = Glb(self.biped)
        empty(glb)
        emptied, moved = glb.save(self.path("emptied.glb")), self.path("moved.glb")

        def change(document):
            node = document["nodes"][document["skins"][0]["joints"][glb.joint("LeftHand")]]
            node["translation"] = [x + 0.3 for x in node["translation"]]
        edit_glb(emptied, moved, change)
        self.assertNotIn(glb.json["skins"][0]["joints"][glb.joint("LeftHand")], glb.deforming())
        said = self.document("check", moved, "--against", emptied)
        self.assertEqual([said[k + "_deforming"] for k in AGAINST[:3]], [0, 0, 0])
        self.assertGreater(said["cd_j2j"], 0.1)

    @unittest.skipUnless(os.path.exists(FOX), "no data")
    def test_distances_of_joints_that_deform_are_those_of_brute_force(self):
        self.assertLess(len(Glb(FOX).deforming()), len(Glb(FOX).json["skins"][0]["joints"]))  # roots on the ground
        said = self.document("check", MAN, "--against", FOX)
        for key, value in zip(AGAINST, distances(Glb(MAN), Glb(FOX), deforming=True)):
            self.assertAlmostEqual(said[key + "_deforming"], value, delta=1e-4 * value, msg=key)
            self.assertNotAlmostEqual(said[key + "_deforming"], said[key], delta=1e-4 * value, msg=key)

    @unittest.skipUnless(os.path.exists(MAN), "no data")
    def test_rigs_of_other_joints_have_distances_and_no_l1(self):
        said = self.document("check", FIGURE, "--against", MAN)
        for key, value in zip(AGAINST, distances(Glb(FIGURE), Glb(MAN))):
            self.assertAlmostEqual(said[key], value, delta=1e-4 * value, msg=key)
        self.assertEqual([said[k] for k in ("l1", "precision", "recall")], [None] * 3)

    # --- rigs spoilt on purpose ---
    def test_vertices_without_weights_are_f(self):
        def spoil(glb):
            glb.view(glb.attribute("WEIGHTS_0"))[self.dominated(glb, "LeftFoot")[:5]] = 0
        said = self.spoilt(spoil)
        self.assertEqual((said["unweighted"], said["grade"]), (5, "F"))
        self.assertIn("no weights", " ".join(self.reasons(said)))

    def test_weights_that_are_not_numbers_are_f(self):
        def spoil(glb):
            glb.view(glb.attribute("WEIGHTS_0"))[self.dominated(glb, "LeftFoot")[:4]] = np.nan
        said = self.spoilt(spoil)
        self.assertEqual((said["unweighted"], said["grade"]), (4, "F"))
        self.assertIn("not numbers", " ".join(self.reasons(said)))

    def test_rows_off_1_are_counted_as_stored(self):
        def spoil(glb):
            glb.view(glb.attribute("WEIGHTS_0"))[self.dominated(glb, "LeftLeg")[:7]] *= 0.5
        said = self.spoilt(spoil)
        self.assertAlmostEqual(said["max_row_error"], 0.5, delta=1e-3)
        self.assertTrue(any("sum to 1" in r and r.startswith("7 ") for r in self.reasons(said, "LeftLeg")), said)
        self.assertIn("sum to 1", self.call("check", self.path("spoilt.glb"), "--strict", code=4).stderr)

    def test_more_influences_than_asked_are_named(self):
        most = (Glb(self.biped).weights() > 0).sum(1).max()
        self.assertGreater(most, 2)
        said = self.document("check", self.biped, "--influences", 2)
        self.assertEqual(said["influences"], most)
        self.assertIn("more than 2 influences", " ".join(self.reasons(said)))
        self.assertIn("influences", self.call("check", self.biped, "--influences", 2, "--strict", code=4).stderr)

    def test_weights_across_a_gap_are_named(self):
        def spoil(glb):  # the inner side of one leg to the other
            leg = self.dominated(glb, "RightLeg")
            x = glb.numbers(glb.attribute("POSITION"))[leg][:, 0]
            glb.give(leg[np.argsort(np.abs(x))[:12]], glb.joint("LeftLeg"))
        said = self.spoilt(spoil)
        self.assertGreaterEqual(said["strays"], 12)
        self.assertTrue(any("across a gap" in r for r in self.reasons(said, "LeftLeg")), said)

    def test_weights_elsewhere_on_the_body_are_named(self):
        def spoil(glb):
            head = self.dominated(glb, "Head")
            y = glb.numbers(glb.attribute("POSITION"))[head][:, 1]
            glb.give(head[np.argsort(-y)[:10]], glb.joint("LeftFoot"))
        said = self.spoilt(spoil)
        self.assertTrue(any("elsewhere on the body" in r for r in self.reasons(said, "LeftFoot")), said)
        self.assertTrue(any("tears" in r for r in self.reasons(said, "LeftFoot")), said)
        self.assertEqual(self.grade(said, "LeftFoot"), "F")

    def test_mirrored_differences_are_named(self):
        def spoil(glb):
            glb.give(self.dominated(glb, "LeftForeArm"), glb.joint("LeftForeArm"))
        said = self.spoilt(spoil)
        self.assertGreater(said["mirrored"], 5)
        self.assertTrue(any("mirrored" in r and "Right" in r for r in self.reasons(said, "LeftForeArm")), said)

    def test_weights_of_other_joints_cost_energy(self):
        def spoil(glb):  # as a skin whose joints were listed the other way round
            joints = glb.view(glb.attribute("JOINTS_0"))
            joints[:] = len(glb.json["skins"][0]["joints"]) - 1 - joints
        good, said = self.document("check", self.biped), self.spoilt(spoil, "--against", self.biped)
        self.assertGreater(ORDER.index(said["grade"]), ORDER.index(good["grade"]))
        self.assertGreater(said["l1"], 0.5)
        self.assertTrue(any("elastic energy" in r for r in self.reasons(said)))
        self.assertGreaterEqual(ORDER.index(said["grade"]), ORDER.index("E"))

    def test_rigid_weights_cost_energy_where_they_bend(self):
        def rigid(glb):  # every vertex to the joint that has most of it
            best = glb.weights().argmax(1)
            for j in np.unique(best):
                glb.give(np.flatnonzero(best == j), j)
        good, said = self.document("check", self.biped), self.spoilt(rigid)
        for joint in ("LeftLeg", "RightLeg", "Spine1"):  # thin limbs of few vertices bend alike either way
            ratio = lambda d: [j["energy_ratio"] for j in d["joints"] if j["name"] == joint][0]
            self.assertGreater(ratio(said), 1.3 * ratio(good), joint)

    def test_candy_wrapping_is_named(self):
        def spoil(glb):  # half of every vertex of the forearm to the hand: a quarter turn leaves cos 45 of the girth
            arm = self.dominated(glb, "LeftForeArm")
            weights, joints = glb.view(glb.attribute("WEIGHTS_0")), glb.view(glb.attribute("JOINTS_0"))
            weights[arm], joints[arm] = 0, 0
            half = np.array([1, 1, 0, 0]) * (np.iinfo(weights.dtype).max // 2 if weights.dtype.kind == "u" else 0.5)
            weights[arm] = half
            joints[arm] = [glb.joint("LeftForeArm"), glb.joint("LeftHand"), 0, 0]
        good, said = self.document("check", self.biped), self.spoilt(spoil)
        wraps = lambda d: [re.search("leaves ([0-9]+) %", r) for r in self.reasons(d, "LeftHand") if "candy-wraps" in r]
        self.assertEqual(wraps(good), [])
        self.assertEqual(len(wraps(said)), 1, said)
        self.assertAlmostEqual(int(wraps(said)[0][1]), 71, delta=3)

    def test_crossing_triangles_are_named(self):
        def spoil(glb):  # every other vertex of the arm goes along with the elbow: folds run through each other
            arm = np.concatenate([self.dominated(glb, "LeftForeArm"), self.dominated(glb, "LeftArm")])
            weights, joints = glb.view(glb.attribute("WEIGHTS_0")), glb.view(glb.attribute("JOINTS_0"))
            one = np.iinfo(weights.dtype).max if weights.dtype.kind == "u" else 1
            share = np.random.default_rng(3).choice([0.1, 0.9], len(arm))
            weights[arm], joints[arm] = 0, 0
            weights[arm, 0] = np.rint(share * one) if one > 1 else share
            weights[arm, 1] = one - weights[arm, 0]
            joints[arm] = [glb.joint("LeftForeArm"), glb.joint("LeftArm"), 0, 0]
        good, said = self.document("check", self.biped), self.spoilt(spoil)
        self.assertGreater(said["intersections"], good["intersections"])
        named = lambda d: {j["name"] for j in d["joints"] if any("cross others" in r for r in j["reasons"])}
        self.assertTrue(named(said) - named(good), said)

    # --- files and exit codes ---
    def test_the_page_has_pictures_and_the_report(self):
        out = self.path("page")
        said = self.document("check", self.biped, "--against", self.biped, "-o", out, "--pictures", 2)
        names = sorted(os.listdir(out))
        self.assertEqual(names, ["grades.png", "index.html", "joint0.png", "joint1.png", "report.json"])
        with open(os.path.join(out, "index.html")) as f:
            page = f.read()
        for word in [n for n in names if n.endswith(".png")] + ["CD-J2J", "the same of joints that deform", "LeftForeArm"]:
            self.assertIn(word, page)
        with open(os.path.join(out, "report.json")) as f:
            stored = strict(f.read())
        stored.pop("seconds"), said.pop("seconds")
        self.assertEqual(stored, said)
        self.call("check", self.biped, "-o", out, code=5)
        self.call("check", self.biped, "-o", out, "--pictures", 0, "--force")

    def test_exit_codes(self):
        mesh = self.path("mesh.obj")
        self.call("pose", self.biped, "-o", mesh)
        self.assertIn("sinew rig", self.call("check", mesh, code=4).stderr)
        self.assertIn("no joints", self.call("check", self.biped, "--against", mesh, code=4).stderr)
        self.call("check", self.path("none.glb"), code=5)
        self.call("check", self.biped, "--against", self.path("none.glb"), code=5)
        self.call("check", self.biped, "--influences", 0, code=2)

    def test_threads_change_nothing(self):
        said = [self.document("check", self.biped, "--threads", n) for n in (1, 3)]
        for d in said:
            d.pop("seconds")
        self.assertEqual(said[0], said[1])


@unittest.skipUnless(np and os.path.exists(MAN), "needs numpy and the rigs of data/")
class Rebinding(ProgramTest):
    """An artist's rig bound anew to its own skeleton: l1 is checked by brute force above."""

    def rebound(self, name):
        artist, bound = os.path.join(DATA, "rigged_gltf", name), self.path(name)
        report = self.document("weights", artist, "-o", bound)
        before, after = self.document("check", artist), self.document("check", bound, "--against", artist)
        self.assertLessEqual(ORDER.index(after["grade"]), ORDER.index(before["grade"]), name)
        return report, after["l1"]

    def test_joints_without_weights_get_none(self):
        report, l1 = self.rebound("godot_player.glb")
        self.assertEqual(report["idle_joints"], 13)
        self.assertLess(l1, 0.9)  # 1.28 with all joints

    def test_rigid_parts_stay_rigid(self):
        report, l1 = self.rebound("RobotExpressive.glb")
        self.assertGreater(report["rigid"], 10)
        self.assertLess(l1, 0.1)  # 1.74 where each part is bound by itself

    def test_feet_below_a_control_keep_their_skin(self):
        self.assertLess(self.rebound("q_Trex.glb")[1], 0.4)  # 0.63 with bones from the root to the feet

    def test_a_hand_of_roots_runs_from_the_wrist(self):
        self.assertLess(self.rebound("generic_hand_left.glb")[1], 0.6)  # 1.15 with lone joints


if __name__ == "__main__":
    unittest.main()
