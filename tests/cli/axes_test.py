#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rest axes of joints that were found, from the nodes of the files: along the bones, and mirrored.

usage: axes_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import math
import os
import struct
import subprocess
import unittest

from export_test import Player, diagonal, far
from program import PROGRAM, SOURCE, ProgramTest

DATA = os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data"))
BODIES = [("quad/mh_neutral.obj", "biped"), ("rigged_gltf/q_Man_Casual.glb", "biped"), ("static_tri/q_human_man_tpose.obj", "biped"),
          ("quad/q_cat_quad.obj", "quadruped"), ("static_tri/hand.mesh", "hand")]


def turned(q, v):
    """v turned by the quaternion x, y, z, w."""
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2],
            v[2] + w * t[2] + x * t[1] - y * t[0]]


def joints_of(path):
    """name -> (place, axes x y z, children's names, tail), global, of the first skin's joints."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20:20 + length])
    nodes = document["nodes"]
    joints = set(document["skins"][0]["joints"])
    found = {}

    def carries_joint(index):
        return index in joints or any(map(carries_joint, nodes[index].get("children", [])))

    def visit(index, place, axes):
        node = nodes[index]
        if not carries_joint(index):
            return
        assert "matrix" not in node and node.get("scale", [1, 1, 1]) == [1, 1, 1], node
        carry = lambda v: [sum(v[k] * axes[k][i] for k in range(3)) for i in range(3)]
        here = [a + b for a, b in zip(place, carry(node.get("translation", [0, 0, 0])))]
        own = [carry(turned(node.get("rotation", [0, 0, 0, 1]), e)) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
        children = [c for c in node.get("children", []) if c in joints]
        if index in joints:
            tail = node.get("extensions", {}).get("SINEW_rig", {}).get("tail")
            tail = tail and [h + sum(tail[k] * own[k][i] for k in range(3)) for i, h in enumerate(here)]
            found[node["name"]] = (here, own, [nodes[c]["name"] for c in children], tail)
        for child in node.get("children", []):
            visit(child, here, own)

    for scene_node in document["scenes"][0]["nodes"]:
        visit(scene_node, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    return found


def degrees_between(a, b):
    cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return math.degrees(math.atan2(math.hypot(*cross), sum(p * q for p, q in zip(a, b))))


def largest_angle(joints):
    return max(degrees_between(axes[1], [a - b for a, b in zip(joints[children[0]][0], place)])
               for place, axes, children, _ in joints.values() if len(children) == 1)


class Axes(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.body = cls.make("body.obj", "biped", "--resolution", 3000)
        cls.found = os.path.join(cls.folder.name, "found.glb")
        subprocess.run([PROGRAM, "skeleton", cls.body, "-o", cls.found], check=True, capture_output=True)

    def check_mirrored(self, joints, body):
        """Left and right joints are images in the plane between them: y and z are, and x with its sign changed."""
        pairs = [(one, joints[name.replace("Left", "Right")]) for name, one in joints.items()
                 if "Left" in name and name.replace("Left", "Right") in joints]
        self.assertGreater(len(pairs), 6)
        across = [sum(l[0][i] - r[0][i] for l, r in pairs) for i in range(3)]
        across = [a / math.hypot(*across) for a in across]
        for left, right in pairs:
            for k, sign in enumerate((-1, 1, 1)):
                axis = left[1][k]
                along = sum(a * b for a, b in zip(axis, across))
                image = [sign * (a - 2 * along * b) for a, b in zip(axis, across)]
                self.assertLess(degrees_between(image, right[1][k]), 1, (body, left, right))

    def test_y_follows_the_bones_of_a_built_in_body(self):
        joints = joints_of(self.found)
        self.assertEqual(len(joints), 52)
        self.assertLess(largest_angle(joints), 0.01)
        self.check_mirrored(joints, "built-in")

    def test_y_follows_the_bones_of_real_bodies(self):
        bodies = [(os.path.join(DATA, body), kind) for body, kind in BODIES]
        if not os.path.exists(bodies[0][0]):
            self.skipTest("no data")
        mirrored = 0
        for body, kind in bodies:
            out = self.path(os.path.basename(body) + ".glb")
            report = self.document("skeleton", body, "-o", out)
            self.assertEqual(report["template"], kind, body)
            joints = joints_of(out)
            self.assertLess(largest_angle(joints), 0.1, body)
            if report["symmetric"]:
                self.check_mirrored(joints, body)
                mirrored += 1
        self.assertGreater(mirrored, 2)

    def test_knees_and_elbows_bend_about_x(self):
        joints = joints_of(self.found)
        # Seen from the elbow: fore arm turned by +90 degrees about its own x comes to the front (z).
        for side in ("Left", "Right"):
            arm, knee = joints[side + "ForeArm"][1], joints[side + "Leg"][1]
            self.assertGreater(arm[2][2], 0.5, side)  # y turned about x goes to z
            self.assertLess(knee[2][2], -0.5, side)   # a shin to the back
            self.assertGreater(knee[0][0], 0.9, side)

    def test_world_axes_stay_parallel(self):
        self.call("skeleton", self.body, "-o", self.path("a.glb"), "--axes", "world")
        for name, (_, axes, _, _) in joints_of(self.path("a.glb")).items():
            for k in range(3):
                self.assertLess(degrees_between(axes[k], [float(i == k) for i in range(3)]), 1e-3, name)
        self.assertIn("give bone or world", self.call("skeleton", self.body, "-o", self.path("b.glb"), "--axes", "up", code=2).stderr)

    def test_poses_do_not_depend_on_axes(self):
        poses = ("--set", "LeftForeArm=10,20,60", "--set", "RightUpLeg=bend:40,twist:20", "--set", "Spine1=30,0,0")
        shapes = []
        for axes in ("bone", "world"):
            self.call("weights", self.body, "--template", "biped", "-o", self.path(axes + ".glb"), "--axes", axes)
            self.call("pose", self.path(axes + ".glb"), *poses, "-o", self.path(axes + ".obj"))
            shapes.append(self.vertices(self.path(axes + ".obj")))
        self.assertLess(max(math.dist(a, b) for a, b in zip(*shapes)), 2e-5)

    def test_bones_that_end_free_end_within_the_body(self):
        body = os.path.join(DATA, "static_tri", "q_human_man_tpose.obj")  # its hands are mittens: a finger and a thumb
        if not os.path.exists(body):
            self.skipTest("no data")
        self.call("skeleton", body, "-o", self.path("a.glb"))
        low, high = [[f(axis) for axis in zip(*self.vertices(body))] for f in (min, max)]
        ends = [(name, tail) for name, (_, _, children, tail) in joints_of(self.path("a.glb")).items() if not children]
        self.assertEqual(len(ends), 7)
        for name, tail in ends:
            self.assertTrue(tail and all(l < t < h for l, t, h in zip(low, tail, high)), (name, tail))

    def test_joints_of_files_without_axes_get_them(self):
        self.call("skeleton", self.body, "-o", self.path("a.json"))
        self.call("weights", self.body, "--skeleton", self.path("a.json"), "-o", self.path("a.glb"))
        self.assertLess(largest_angle(joints_of(self.path("a.glb"))), 0.01)


QUICK = ("--helpers", 0, "--morphs", 0, "--reference", 0, "--no-check")
# Of a limb's joints: names, and which way along its own axis the next one lies.
UNREAL = {"spine_01": ("spine_02", 1), "upperarm_l": ("lowerarm_l", 1), "lowerarm_l": ("hand_l", 1), "upperarm_r": ("lowerarm_r", -1),
          "lowerarm_r": ("hand_r", -1), "thigh_l": ("calf_l", -1), "calf_l": ("foot_l", -1), "thigh_r": ("calf_r", 1), "calf_r": ("foot_r", 1)}
GODOT = {"Spine": ("Chest", 1), "LeftUpperArm": ("LeftLowerArm", 1), "RightLowerArm": ("RightHand", 1), "LeftLowerLeg": ("LeftFoot", 1),
         "RightLowerLeg": ("RightFoot", 1), "LeftFoot": ("LeftToes", 1)}
BLENDER = {"upper_arm.L": ("forearm.L", 1), "forearm.R": ("hand.R", 1), "thigh.L": ("shin.L", 1), "shin.R": ("foot.R", 1)}


class ExportedAxes(ProgramTest):
    """Rigs of others, with axes of their own."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped", "--resolution", 1500)

    def rigs(self):
        yield self.biped
        for name in ("CesiumMan.glb", "q_Man_Casual.glb", "godot_player.glb"):
            path = os.path.join(DATA, "rigged_gltf", name)
            if os.path.exists(path):
                yield path

    def places(self, path):
        """(parent, child) -> where the child lies in its parent, of length 1."""
        nodes, found = Player(path).json["nodes"], {}
        for node in nodes:
            for c in node.get("children", []):
                place = nodes[c].get("translation", [0, 0, 0])
                found[node.get("name"), nodes[c].get("name")] = [x / (math.hypot(*place) or 1) for x in place]
        return found

    def test_every_program_gets_its_axes_and_the_skin_moves_as_before(self):
        for source in self.rigs():
            plain = self.path("plain.glb")
            self.call("export", source, *QUICK, "--deformer", "lbs", "-o", plain, "--force")
            for target, axis, limbs in (("unreal", 0, UNREAL), ("godot", 1, GODOT), ("blender", 1, BLENDER)):
                out = self.path(target + ".glb")
                said = self.document("export", source, *QUICK, "--deformer", "lbs", "--for", target, "-o", out, "--force")
                self.assertEqual(said["axes"]["convention"], {"blender": "bone"}.get(target, target))
                uneven = source.endswith("godot_player.glb")  # clips scale its thighs, not the same along all axes
                self.assertEqual(said["axes"]["unchanged"], ["r-thigh", "l-thigh"] if uneven else [], source)
                places, seen = self.places(out), 0
                for parent, (child, sign) in limbs.items():
                    if (parent, child) in places and not (uneven and "thigh" in parent):  # else a joint lies between, or has no name
                        self.assertGreater(sign * places[parent, child][axis], 0.98, (source, target, parent))
                        seen += 1
                self.assertGreater(seen, 1, (source, target))
                before, after = Player(plain), Player(out)
                for time in (None, 0.2, 0.7):
                    clip = 0 if time is not None and before.json.get("animations") else None
                    wanted = before.vertices(clip, time or 0)
                    self.assertLess(far(wanted, after.vertices(clip, time or 0))[-1] / diagonal(wanted), 2e-6, (source, target, time))

    def test_helpers_and_drivers_do_not_depend_on_axes(self):
        shapes = []
        for target in ("web", "unreal"):
            out = self.path(target + ".glb")
            said = self.document("export", self.biped, "--helpers", 4, "--morphs", 2, "--reference", 0, "--deformer", "dqs",
                                 "--names", "keep", "--for", target, "-o", out)
            self.assertGreater(said["helpers"], 0)
            self.call("pose", out, "--set", "LeftForeArm=bend:50,twist:70", "--set", "RightUpLeg=bend:40", "-o", self.path(target + ".obj"))
            shapes.append(self.vertices(self.path(target + ".obj")))
        self.assertLess(far(*shapes)[-1], 2e-6)

    def test_axes_go_back(self):
        rigged = self.path("bone.glb")
        self.call("export", self.biped, *QUICK, "--deformer", "lbs", "--axes", "bone", "-o", rigged)
        first = joints_of(rigged)
        for axes in ("unreal", "godot"):
            there, back = self.path(axes + ".glb"), self.path(axes + "_back.glb")
            self.call("export", rigged, *QUICK, "--axes", axes, "-o", there)
            self.assertGreater(max(degrees_between(first[name][1][0], joint[1][0]) for name, joint in joints_of(there).items()), 60)
            self.call("export", there, *QUICK, "--axes", "bone", "-o", back)
            for name, (place, own, _, _) in joints_of(back).items():
                self.assertLess(math.dist(place, first[name][0]), 1e-5)
                for k in range(3):
                    self.assertLess(degrees_between(own[k], first[name][1][k]), 0.01, (axes, name))

    def test_misuse(self):
        self.assertIn("bone, godot or unreal", self.call("export", self.biped, "--axes", "quake", "-o", self.path("a.glb"), code=2).stderr)
        meta = ("--name", "a", "--author", "b", "--licence", "https://vrm.dev/licenses/1.0/")
        self.assertIn("--for vrm", self.call("export", self.biped, "--for", "vrm", *meta, "--axes", "bone", "-o", self.path("a.vrm"), code=2).stderr)


if __name__ == "__main__":
    unittest.main()
