#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`retarget` from outside: a reader of BVH and one of glTF, both of their own, say where joints are.

usage: retarget_test.py PROGRAM SOURCE [unittest arguments]
"""
import math
import os
import unittest

from export_test import DATA, Player, times
from program import SLOWER, ProgramTest, processor_seconds_of_children

LIMBS = (("LeftArm", "LeftForeArm"), ("LeftForeArm", "LeftHand"), ("LeftUpLeg", "LeftLeg"), ("LeftLeg", "LeftFoot"),
         ("RightArm", "RightForeArm"), ("RightForeArm", "RightHand"), ("RightUpLeg", "RightLeg"), ("RightLeg", "RightFoot"))
RIGIFY = {"LeftArm": "upper_arm.L", "LeftForeArm": "forearm.L", "LeftHand": "hand.L", "LeftUpLeg": "thigh.L", "LeftLeg": "shin.L",
          "LeftFoot": "foot.L", "LeftToeBase": "toe.L"}
RIGIFY.update({k.replace("Left", "Right"): v.replace(".L", ".R") for k, v in list(RIGIFY.items())})
UNREAL = {"LeftArm": "upperarm_l", "LeftForeArm": "lowerarm_l", "LeftHand": "hand_l", "LeftUpLeg": "thigh_l", "LeftLeg": "calf_l",
          "LeftFoot": "foot_l", "LeftToeBase": "ball_l"}
UNREAL.update({k.replace("Left", "Right"): v.replace("_l", "_r") for k, v in list(UNREAL.items())})
MAKEHUMAN = {"LeftArm": "UpArm_L", "LeftForeArm": "LoArm_L", "LeftHand": "Hand_L", "LeftUpLeg": "UpLeg_L", "LeftLeg": "LoLeg_L",
             "LeftFoot": "Foot_L"}
MAKEHUMAN.update({k.replace("Left", "Right"): v.replace("_L", "_R") for k, v in list(MAKEHUMAN.items())})


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return {"X": [[1, 0, 0, 0], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]],
            "Y": [[c, 0, s, 0], [0, 1, 0, 0], [-s, 0, c, 0], [0, 0, 0, 1]],
            "Z": [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}[axis]


class Bvh:
    """Joints of a motion, frame by frame."""

    def __init__(self, path):
        with open(path) as f:
            text, motion = f.read().split("MOTION")
        self.joints, stack, joint = [], [], None
        for line in text.splitlines():
            words = line.split()
            if not words:
                continue
            if words[0] in ("ROOT", "JOINT", "End"):
                joint = {"name": words[1] if words[0] != "End" else None, "parent": stack[-1] if stack else -1, "channels": []}
            elif words[0] == "{":
                self.joints.append(joint)
                stack.append(len(self.joints) - 1)
            elif words[0] == "}":
                stack.pop()
            elif words[0] == "OFFSET":
                self.joints[stack[-1]]["offset"] = [float(x) for x in words[1:4]]
            elif words[0] == "CHANNELS":
                self.joints[stack[-1]]["channels"] = words[2:]
        lines = motion.strip().splitlines()
        self.step = float(lines[1].split()[-1])
        self.frames = [[float(x) for x in l.split()] for l in lines[2:]]

    def heads(self, frame):
        """name -> place"""
        numbers, at, world, out = self.frames[frame], 0, [], {}
        for joint in self.joints:
            moved, own = list(joint["offset"]), [[float(r == c) for c in range(4)] for r in range(4)]
            for channel in joint["channels"]:
                value, axis = numbers[at], "XYZ".index(channel[0])
                at += 1
                if channel.endswith("position"):
                    if joint["parent"] < 0:
                        moved[axis] = value
                else:
                    own = times(own, turn("XYZ"[axis], value))
            for r in range(3):
                own[r][3] = moved[r]
            world.append(times(world[joint["parent"]], own) if joint["parent"] >= 0 else own)
            if joint["name"]:
                out[joint["name"]] = [world[-1][r][3] for r in range(3)]
        return out


def joint_heads(player, clip, seconds):
    moved, known = player.sample(player.json["animations"][clip], seconds), {}
    joints = {j for skin in player.json["skins"] for j in skin["joints"]}
    return {player.json["nodes"][j]["name"]: [player.world(j, moved, known)[r][3] for r in range(3)] for j in joints}


def rest_heads(player):
    joints = {j for skin in player.json["skins"] for j in skin["joints"]}
    known = {}
    return {player.json["nodes"][j]["name"]: [player.world(j, {}, known)[r][3] for r in range(3)] for j in joints}


def degrees_between(a, b):
    cosine = sum(x * y for x, y in zip(a, b)) / (math.hypot(*a) * math.hypot(*b))
    return math.degrees(math.acos(max(-1, min(1, cosine))))


def between(heads, a, b):
    return [y - x for x, y in zip(heads[a], heads[b])]


class Retarget(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped", "--resolution", 1500)

    def data(self, name):
        path = os.path.join(DATA, name)
        if not os.path.exists(path):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        return path

    def fit(self, rig, *motions, extra=()):
        out = self.path("out.glb")
        words = [w for m in motions for w in ("--motion", m)]
        document = self.document("retarget", rig, *words, "-o", out, "--force", *extra)
        return document["clips"], Player(out)

    def mean_degrees(self, bvh, player, clip, names, world, source=None):
        """Between the limbs of the motion and of the rig; `world` takes the motion's axes to the rig's."""
        angles = []
        for k in range(0, len(bvh.frames), max(1, len(bvh.frames) // 25)):
            own, heads = bvh.heads(k), joint_heads(player, clip, k * bvh.step)
            for a, b in LIMBS:
                bone = between(own, (source or {}).get(a, a), (source or {}).get(b, b))
                angles.append(degrees_between(world(bone), between(heads, names.get(a, a), names.get(b, b))))
        return sum(angles) / len(angles)

    def test_bones_point_as_the_motions_do(self):
        """Found by name on a biped that faces +Z, on one of Rigify's names that faces +X, and on Unreal's names."""
        bodies = ((self.biped, {}, lambda v: v),
                  (self.data("rigged_gltf/male_base_mesh.glb"), RIGIFY, lambda v: [v[2], v[1], -v[0]]),
                  (self.data("rigged_gltf/mh_neutral.glb"), UNREAL, lambda v: v))
        for motion in ("cmu_02_01", "cmu_09_01"):
            bvh = Bvh(self.data("bvh/%s.bvh" % motion))
            for rig, names, world in bodies:
                clips, player = self.fit(rig, self.data("bvh/%s.bvh" % motion), extra=("--replace",))
                angle = self.mean_degrees(bvh, player, len(player.json["animations"]) - 1, names, world)
                self.assertLess(angle, 3, (rig, motion))
                self.assertLess(abs(angle - clips[-1]["mean_degrees"]), 1)

    def test_a_motion_with_z_up_stands(self):
        """MakeHuman's files have z up and face -y; without holding the feet the bones are the motion's."""
        motion = self.data("bvh/mh_walk1.bvh")
        clips, player = self.fit(self.biped, motion, extra=("--replace", "--slide", "--fps", 24))
        self.assertGreaterEqual(clips[0]["matched"], 20)
        angle = self.mean_degrees(Bvh(motion), player, 0, {}, lambda v: [v[0], v[2], -v[1]], MAKEHUMAN)
        self.assertLess(angle, 0.5)

    def test_feet_that_stand_do_not_slide(self):
        """Contacts are where the motion's own toes are low and all but still; 1 % of the height is allowed."""
        for rig, names in ((self.biped, {}), (self.data("rigged_gltf/mh_neutral.glb"), UNREAL)):
            bvh = Bvh(self.data("bvh/cmu_02_01.bvh"))
            clips, player = self.fit(rig, self.data("bvh/cmu_02_01.bvh"), extra=("--replace",))
            self.assertLess(clips[0]["foot_slide"], 0.01)
            self.assertGreater(clips[0]["contacts"], 3)
            rest = rest_heads(player)
            height = max(p[1] for p in rest.values()) - min(p[1] for p in rest.values())
            every = 4
            own = [bvh.heads(k) for k in range(0, len(bvh.frames), every)]
            heads = [joint_heads(player, 0, k * bvh.step) for k in range(0, len(bvh.frames), every)]
            slides = []
            for side in ("Left", "Right"):
                toes = [h[side + "ToeBase"] for h in own]
                low = sorted(p[1] for p in toes)[len(toes) // 20]
                stands = [0 < k < len(toes) - 1 and toes[k][1] < low + 0.4 and
                          math.dist(toes[k - 1], toes[k + 1]) / (2 * every * bvh.step) < 6 for k in range(len(toes))]
                mine = [h[names.get(side + "ToeBase", side + "ToeBase")] for h in heads]
                first = None
                for k, stood in enumerate(stands):
                    if not stood:
                        first = None
                        continue
                    if first is None:
                        first = k
                        slides.append(0)
                    slides[-1] = max(slides[-1], math.hypot(mine[k][0] - mine[first][0], mine[k][2] - mine[first][2]))
                    # On the ground, not above or below it.
                    self.assertLess(abs(mine[k][1] - rest[names.get(side + "ToeBase", side + "ToeBase")][1]), 0.03 * height)
            self.assertGreaterEqual(len(slides), 3)
            self.assertLess(sum(slides) / len(slides) / height, 0.01, slides)

    def test_the_trunk_is_not_folded(self):
        """In a jump of a person who stays upright the head stays over the hips, also in `bake --bvh`."""
        motion = self.data("bvh/cmu_13_42.bvh")
        clips, player = self.fit(self.biped, motion, extra=("--replace",))
        rest = rest_heads(player)
        upright = rest["Head"][1] - rest["Hips"][1]
        for k in range(0, 14):
            heads = joint_heads(player, 0, k * clips[0]["seconds"] / 13)
            self.assertGreater(math.dist(heads["Head"], heads["Hips"]), 0.85 * upright)
        frames = self.path("frames")
        self.call("bake", self.biped, "--bvh", motion, "--fps", 2, "--deformer", "lbs", "-o", frames)
        baked = self.vertices(os.path.join(frames, "0004.obj"))
        wanted = player.vertices(0, 2.0)
        worst = max(math.dist(a, b) for a, b in zip(baked, wanted))
        self.assertLess(worst, 1e-4 * upright)

    def test_clips_are_appended_and_named_apart(self):
        motion = self.data("bvh/cmu_09_01.bvh")
        clips, player = self.fit(self.biped, motion, motion, self.data("rigged_gltf/CesiumMan.glb"))
        names = [a["name"] for a in player.json["animations"]]
        self.assertEqual(names[-3:], [c["name"] for c in clips])
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 3)  # its own stay
        self.assertEqual(names[-3:-1], ["cmu_09_01", "cmu_09_01 2"])
        for key in ("name", "seconds", "frames", "foot_slide", "worst_joint"):
            self.assertIn(key, clips[0])

    def test_what_cannot_be_matched_is_listed(self):
        motion = self.path("three.bvh")
        with open(motion, "w") as f:
            f.write("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Wing\n{\nOFFSET 0 1 0\n"
                    "CHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n")
        out = self.path("out.glb")
        for words in (("retarget", self.biped, "--motion", motion, "-o", out), ("bake", self.biped, "--bvh", motion, "-o", out)):
            done = self.call(*words, code=4)
            self.assertIn("only 1 of the rig's joints", done.stderr)
            self.assertIn("Wing", done.stderr)
            self.assertFalse(os.path.exists(out))
        self.call("retarget", self.biped, "--motion", self.biped, "--clips", "nothing", "-o", out, code=2)
        self.call("retarget", self.biped, "--motion", self.path("none.bvh"), "-o", out, code=5)
        self.call("retarget", self.biped, "-o", out, code=2)

    def test_half_a_minute_takes_under_two_seconds(self):
        source = self.data("bvh/cmu_02_01.bvh")
        with open(source) as f:
            head, motion = f.read().split("MOTION")
        lines = motion.strip().splitlines()
        frames = (lines[2:] * 12)[:3600]
        long = self.path("long.bvh")
        with open(long, "w") as f:
            f.write(head + "MOTION\nFrames: %d\n%s\n%s\n" % (len(frames), lines[1], "\n".join(frames)))
        start = processor_seconds_of_children()
        clips, _ = self.fit(self.biped, long)
        self.assertLess(processor_seconds_of_children() - start, 2 * SLOWER)
        self.assertGreater(clips[0]["seconds"], 29)


if __name__ == "__main__":
    unittest.main()
