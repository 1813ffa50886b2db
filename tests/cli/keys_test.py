#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shape keys, pose space and unposing from outside: what `keys`, `pose --key`, `unpose` and `stack` do to files.

usage: keys_test.py PROGRAM SOURCE [unittest arguments]
"""
import base64
import json
import math
import os
import struct
import unittest

from program import SOURCE, ProgramTest


def vertices(path):
    with open(path) as lines:
        return [tuple(map(float, l.split()[1:4])) for l in lines if l.startswith("v ")]


def write_moved(source, target, move):
    """A copy of an .obj whose vertices went through move(index, point)."""
    with open(source) as lines, open(target, "w") as out:
        index = 0
        for line in lines:
            if line.startswith("v "):
                line = "v %.9g %.9g %.9g\n" % tuple(move(index, tuple(map(float, line.split()[1:4]))))
                index += 1
            out.write(line)


def turned(degrees, centre=(0, 0, 0)):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def move(_, p):
        x, y, z = (p[k] - centre[k] for k in range(3))
        return (c * x - s * y + centre[0], s * x + c * y + centre[1], z + centre[2])
    return move


def worst(a, b):
    return max(math.dist(p, q) for p, q in zip(a, b))


def mean(points):
    return tuple(sum(p[k] for p in points) / len(points) for k in range(3))


def size(points):
    return math.dist([min(p[k] for p in points) for k in range(3)], [max(p[k] for p in points) for k in range(3)])


class Keys(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base = cls.make("base.obj", "arm")
        cls.rig = cls.make("rig.glb", "arm")

    def keyed(self, move, name="turn"):
        shape, out = self.path("shape.obj"), self.path("keyed.glb")
        write_moved(self.base, shape, move)
        document = self.document("keys", "add", self.base, "--key", "%s=%s" % (name, shape), "-o", out, "--force")
        self.assertEqual(document["keys"], [name])
        return out

    def posed(self, rig, *words):
        out = self.path("posed.obj")
        self.call("pose", rig, "-o", out, "--force", *words)
        return vertices(out)

    def test_half_of_a_right_angle_turns_without_shrinking(self):
        rest = vertices(self.base)
        rig = self.keyed(turned(90, mean(rest)))
        half = [turned(45, mean(rest))(0, p) for p in rest]
        self.assertLess(worst(self.posed(rig, "--key", "turn=0.5", "--key-space", "differential"), half), 1e-4 * size(rest))
        self.assertGreater(worst(self.posed(rig, "--key", "turn=0.5"), half), 0.02 * size(rest))

    def test_names_survive_and_are_listed(self):
        rig = self.keyed(turned(30), name="Schlüssel 1")
        copy = self.path("copy.glb")
        self.call("convert", rig, "-o", copy)
        for file in (rig, copy):
            self.assertEqual(self.document("keys", "list", file)["keys"], ["Schlüssel 1"])
            self.assertEqual(self.document("info", file)["keys"], ["Schlüssel 1"])

    def test_removed_rotation_and_scale(self):
        rest = vertices(self.base)
        centre = mean(rest)
        turn = turned(60, centre)

        def grown(index, p):
            return tuple(centre[k] + 1.5 * (q - centre[k]) for k, q in enumerate(turn(index, p)))
        rig = self.keyed(grown)
        for what, wanted in (("scale", [turn(0, p) for p in rest]),
                             ("rotation", [tuple(centre[k] + 1.5 * (p[k] - centre[k]) for k in range(3)) for p in rest])):
            out, twice = self.path(what + ".glb"), self.path(what + "2.glb")
            self.call("keys", "remove", what, "turn", rig, "-o", out)
            self.call("keys", "remove", out, what, "turn", "-o", twice)
            self.assertEqual(self.document("keys", "list", twice)["details"][0]["removed"], [what])
            for space in ("differential", "object"):
                for file in (out, twice):
                    self.assertLess(worst(self.posed(file, "--key", "turn=1", "--key-space", space), wanted), 1e-4 * size(rest))

    def test_a_rotation_alone_loses_nothing_to_remove_scale(self):
        bent = self.posed(self.rig, "--set", "ForeArm=0,0,70")
        rigid = self.posed(self.rig, "--set", "ForeArm=0,0,70", "--remove", "scale")
        self.assertGreater(worst(bent, rigid), 1e-4 * size(bent))
        self.assertLess(worst(self.posed(self.rig, "--remove", "scale"), vertices(self.base)), 1e-4 * size(bent))

    def test_the_order_of_the_stack_counts(self):
        # Object-space keys behind the skeleton point the wrong way; tangent and differential ones turn with it.
        shape, rig = self.path("shape.obj"), self.path("keyed.glb")
        write_moved(self.base, shape, lambda i, p: (p[0], p[1] + 0.2, p[2]))
        self.call("keys", "add", self.rig, "--key", "up=" + shape, "-o", rig)
        late = self.path("late.glb")
        self.call("stack", rig, "--order", "skeleton,keys", "-o", late)
        turn = ("--set", "UpperArm=90,0,0", "--key", "up=1")
        first, behind = self.posed(rig, *turn), self.posed(late, *turn)
        self.assertGreater(worst(first, behind), 0.1)
        joint = self.document("info", self.rig)["joint_names"][0]
        whole = ("--set", joint + "=90,0,0", "--key", "up=1")
        self.assertGreater(worst(self.posed(rig, *whole), self.posed(late, *whole)), 0.1)
        for space in ("tangent", "differential"):
            self.assertLess(worst(self.posed(rig, *whole), self.posed(late, *whole, "--key-space", space)), 1e-3)

    def test_masks_hold_a_key_back(self):
        shape, rig = self.path("shape.obj"), self.path("masked.glb")
        write_moved(self.base, shape, lambda i, p: (p[0], p[1], p[2] + 0.3))
        self.call("keys", "add", self.rig, "--key", "up=" + shape, "--mask", "up=below:ForeArm", "-o", rig)
        rest, up = vertices(self.base), self.posed(rig, "--key", "up=1")
        rise = [q[2] - p[2] for p, q in zip(rest, up)]
        self.assertAlmostEqual(max(rise), 0.3, places=4)
        self.assertAlmostEqual(min(rise), 0.0, places=4)
        self.call("keys", "add", self.rig, "--key", "up=" + shape, "--mask", "up=below:Nobody", "-o", rig, "--force", code=2)

    def test_differential_skinning_with_keys_in_one_solve(self):
        shape, rig = self.path("shape.obj"), self.path("keyed.glb")
        write_moved(self.base, shape, lambda i, p: (p[0], 1.2 * p[1], 1.2 * p[2]))
        self.call("keys", "add", self.rig, "--key", "fat=" + shape, "-o", rig)
        words = ("--set", "ForeArm=0,0,60", "--deformer", "differential", "--key", "fat=1")
        one, two = self.posed(rig, *words, "--key-space", "differential"), self.posed(rig, *words)
        self.assertLess(worst(one, two), 1e-4 * size(one))
        self.assertGreater(worst(one, self.posed(rig, *words[:-2])), 1e-3)

    def test_the_comparison_says_that_it_was_carried_into_the_body(self):
        rig = self.path("cylinder.glb")
        self.call("make", "cylinder", "-o", rig)
        report = self.document("compare", rig, "--voxels", "16", "--pictures", "0", "--clip-samples", "0",
                               "--pair", "bbw:differential", "-o", self.path("report"))
        for pose in report["poses"]:
            extended = {m["deformer"]: m["extended"] for m in pose["methods"]}
            self.assertTrue(extended["differential"])
            self.assertFalse(extended["lbs"])

    def test_stored_space_is_used(self):
        rest = vertices(self.base)
        rig, stored = self.keyed(turned(90, mean(rest))), self.path("stored.glb")
        self.call("stack", rig, "--key-space", "differential", "-o", stored)
        self.assertEqual(self.posed(stored, "--key", "turn=0.5"), self.posed(rig, "--key", "turn=0.5", "--key-space", "differential"))

    def test_key_weights_of_a_clip_in_any_space(self):
        rest = vertices(self.base)
        rig = self.keyed(turned(90, mean(rest)))
        animated = self.path("animated.glb")
        add_weight_clip(rig, animated)
        half = [turned(45, mean(rest))(0, p) for p in rest]
        self.assertLess(worst(self.posed(animated, "--clip", "wave", "--time", "0.5", "--key-space", "differential"), half), 1e-4 * size(rest))
        folder = self.path("frames")
        self.call("bake", animated, "--clip", "wave", "--fps", "2", "--key-space", "differential", "-o", folder)
        self.assertLess(worst(vertices(os.path.join(folder, "0001.obj")), half), 1e-4 * size(rest))

    def test_edit_unpose_pose_is_the_edit(self):
        pose = ("--set", "ForeArm=20,10,75")
        for deformer in "lbs dqs mix decomposed swing-twist joint-dqs curve stretch-lbs stretch-dqs".split():
            bent, edited, out = self.path("bent.obj"), self.path("edited.obj"), self.path("key.glb")
            self.call("pose", self.rig, *pose, "--deformer", deformer, "-o", bent, "--force")
            write_moved(bent, edited, lambda i, p: (p[0] + 0.02, p[1] - 0.01, p[2] + 0.03) if i % 5 == 0 else p)
            document = self.document("unpose", self.rig, "--edited", edited, *pose, "--deformer", deformer,
                                     "--as-key", "edit", "-o", out, "--force")
            self.assertEqual(document["singular"], 0, deformer)
            self.assertEqual(document["changed"], (len(vertices(bent)) + 4) // 5)
            self.assertLess(document["residual"], 1e-5)
            again = self.posed(out, *pose, "--deformer", deformer, "--key", "edit=1")
            self.assertLess(worst(again, vertices(edited)), 1e-5 * size(again), deformer)

    def test_unposed_rest_in_a_rig_and_as_a_mesh(self):
        pose = ("--set", "ForeArm=0,0,75")
        bent, edited = self.path("bent.obj"), self.path("edited.obj")
        self.call("pose", self.rig, *pose, "-o", bent)
        write_moved(bent, edited, lambda i, p: (p[0], p[1], p[2] + 0.05) if i < 40 else p)
        self.call("unpose", self.rig, "--edited", edited, *pose, "-o", self.path("rest.glb"))
        self.call("unpose", self.rig, "--edited", edited, *pose, "-o", self.path("rest.obj"))
        self.assertLess(worst(self.posed(self.path("rest.glb"), *pose), vertices(edited)), 1e-5 * 2)
        moved = [math.dist(p, q) > 1e-6 for p, q in zip(vertices(self.base), vertices(self.path("rest.obj")))]
        self.assertEqual(sum(moved), 40)

    def test_unpose_reports_what_has_no_way_back(self):
        rig = self.path("cylinder.glb")
        self.call("make", "cylinder", "-o", rig)
        joint = self.document("info", rig)["joint_names"][1]
        bent, edited = self.path("bent.obj"), self.path("edited.obj")
        rest = self.posed(rig)
        axis = max(range(3), key=lambda k: max(p[k] for p in rest) - min(p[k] for p in rest))
        turn = ",".join("180" if k == axis else "0" for k in range(3))
        self.call("pose", rig, "--set", joint + "=" + turn, "-o", bent)
        write_moved(bent, edited, lambda i, p: (p[0] + 0.1, p[1] + 0.1, p[2] + 0.1))
        document = self.document("unpose", rig, "--edited", edited, "--set", joint + "=" + turn, "-o", self.path("o.obj"))
        self.assertEqual(document["changed"], len(rest))
        self.assertGreater(document["singular"], 0)
        self.assertLess(document["residual"], 1e-5)
        back = vertices(self.path("o.obj"))
        for i in document["singular_vertices"]:
            self.assertLess(math.dist(back[i], rest[i]), 1e-6)

    def test_unpose_says_no(self):
        bent = self.path("bent.obj")
        self.call("pose", self.rig, "-o", bent)
        other = self.path("other.obj")
        self.call("make", "hand", "-o", other)
        self.call("unpose", self.rig, "--edited", bent, "--deformer", "elastic", "-o", self.path("x.obj"), code=4)
        self.call("unpose", self.rig, "--edited", other, "-o", self.path("x.obj"), code=3)
        self.call("keys", "add", self.base, "--key", "a=" + other, "-o", self.path("x.glb"), code=3)
        self.call("keys", "add", self.base, "--key", "nothing", "-o", self.path("x.glb"), code=2)
        self.call("keys", "frobnicate", self.base, code=2)
        self.call("keys", "remove", "colour", "a", self.rig, "-o", self.path("x.glb"), code=2)
        self.call("keys", "remove", "scale", "nobody", self.rig, "-o", self.path("x.glb"), code=2)
        self.call("pose", self.rig, "--key-space", "outer", "-o", self.path("x.obj"), code=2)
        self.call("pose", self.rig, "--remove", "colour", "-o", self.path("x.obj"), code=2)

    def test_an_example_comes_by_itself_in_its_pose(self):
        pose = ("--set", "ForeArm=0,0,80")
        bent, sculpted, out = self.path("bent.obj"), self.path("sculpted.obj"), self.path("example.glb")
        self.call("pose", self.rig, *pose, "-o", bent)
        write_moved(bent, sculpted, lambda i, p: (p[0], p[1], p[2] + 0.04 * math.sin(i)))
        self.call("keys", "add", self.rig, "--key", "bulge=" + sculpted, "--posed", "--example", *pose, "-o", out)
        listed = self.document("keys", "list", out)
        self.assertEqual(listed["pose_spaces"], [{"name": "pose", "joints": ["ForeArm"], "examples": ["bulge"]}])
        self.assertLess(worst(self.posed(out, *pose), vertices(sculpted)), 1e-5 * 2)
        self.assertLess(worst(self.posed(out), vertices(self.base)), 1e-6)
        # In between the key is partly there.
        half = ("--set", "ForeArm=0,0,40")
        difference = worst(self.posed(out, *half), self.posed(self.rig, *half))
        self.assertGreater(difference, 0.005)
        self.assertLess(difference, 0.039)
        copy = self.path("copy.glb")
        self.call("convert", out, "-o", copy)
        self.assertLess(worst(self.posed(copy, *pose), vertices(sculpted)), 1e-5 * 2)

    def check_three_sculpted_poses(self, rig, joint):
        wanted = []
        for k, angle in enumerate((90, 60, 30)):
            pose = ("--set", "%s=0,0,%d" % (joint, angle))
            bent, sculpted, out = (self.path("%s%d%s" % (n, k, e)) for n, e in (("b", ".obj"), ("s", ".obj"), ("k", ".glb")))
            self.call("pose", rig, *pose, "-o", bent)
            write_moved(bent, sculpted, lambda i, p: (p[0], p[1] + 0.01 * (k + 1) * math.cos(i), p[2] + 0.02 * math.sin(i)))
            self.call("keys", "add", rig, "--key", "e%d=%s" % (k, sculpted), "--posed", "--example", *pose, "-o", out)
            rig = out
            wanted.append((pose, vertices(sculpted)))
        for pose, points in wanted:
            self.assertLess(worst(self.posed(rig, *pose), points), 1e-5 * size(points), pose)
        return rig

    def test_three_sculpted_poses_of_one_joint_are_each_hit(self):
        self.check_three_sculpted_poses(self.rig, "ForeArm")

    def test_three_sculpted_poses_of_a_body_in_several_meshes_are_each_hit(self):
        # Its meshes share materials, and each has the keys.
        data = os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data"))
        man = os.path.join(data, "rigged_gltf", "q_Man_Casual.glb")
        if not os.path.exists(man):
            self.skipTest("without the data folder")
        keyed = self.check_three_sculpted_poses(man, "LowerArm.L")
        rest, moved = self.posed(keyed), self.posed(keyed, "--key", "e2=1")
        self.assertGreater(min(map(math.dist, rest, moved)), 1e-6 * size(rest))
        self.assertEqual(self.document("keys", "list", keyed)["keys"], ["e0", "e1", "e2"])

    def test_the_list_names_the_keys(self):
        listed = self.call("keys", "list", self.keyed_rig()).stdout.splitlines()
        self.assertTrue(listed[0].endswith("2 keys"), listed)
        self.assertRegex(listed[1], r"^  a +[0-9]+ vertices, up to 0[.]1$")

    def test_the_list_names_a_key_of_several_meshes_once(self):
        data = struct.pack("<18f", *(0, 0, 0, 1, 0, 0, 0, 1, 0), *(0, 0, 0, 0, 0, 2, 0, 0, 0))
        path = self.path("two.gltf")
        mesh = {"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}], "extras": {"targetNames": ["smile"]}}
        accessor = {"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 2]}
        with open(path, "w") as f:
            json.dump({"asset": {"version": "2.0"}, "meshes": [mesh, mesh], "nodes": [{"mesh": 0}, {"mesh": 1}],
                       "scenes": [{"nodes": [0, 1]}], "scene": 0,
                       "accessors": [{**accessor, "bufferView": 0}, {**accessor, "bufferView": 1}],
                       "bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 36}],
                       "buffers": [{"byteLength": 72, "uri": "data:application/octet-stream;base64," +
                                    base64.b64encode(data).decode()}]}, f)
        listed = self.document("keys", "list", path)
        self.assertEqual(listed["keys"], ["smile"])
        self.assertEqual([(k["vertices"], k["longest"]) for k in listed["details"]], [(2, 2)])
        self.assertEqual(len(self.call("keys", "list", path).stdout.splitlines()), 2)

    def test_examples_within_a_degree_are_merged_and_said_so(self):
        rig = self.keyed_rig()
        one, two = self.path("one.glb"), self.path("two.glb")
        self.call("keys", "add", rig, "--key", "a", "--example", "--set", "ForeArm=0,0,80", "-o", one)
        done = self.call("keys", "add", one, "--key", "b", "--example", "--set", "ForeArm=0,0,80.5", "-o", two)
        self.assertIn("merged", done.stderr)
        done = self.call("keys", "add", one, "--key", "b", "--example", "--set", "ForeArm=0,0,82", "-o", two, "--force")
        self.assertNotIn("merged", done.stderr)

    def keyed_rig(self):
        shape, rig = self.path("k.obj"), self.path("k.glb")
        write_moved(self.base, shape, lambda i, p: (p[0], p[1] + 0.1, p[2]))
        self.call("keys", "add", self.rig, "--key", "a=" + shape, "--key", "b=" + shape, "-o", rig)
        return rig

    def test_files_pass_on_what_they_are_told(self):
        # Half a document about keys that do not exist: read with a warning, harmless.
        rig = self.keyed_rig()
        broken = self.path("broken.glb")
        edit_json(rig, broken, lambda j: j.setdefault("extensions", {}).setdefault("SINEW_rig", {}).update(
            keys=[{"name": "nobody"}], poseSpaces=[{"name": "x", "joints": [{"node": 9999}]}, 7]))
        self.assertIn("do not exist", self.call("info", broken).stderr)


def edit_json(source, target, edit):
    with open(source, "rb") as f:
        data = f.read()
    length = struct.unpack("<I", data[12:16])[0]
    document = json.loads(data[20:20 + length])
    edit(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length:]
    with open(target, "wb") as f:
        f.write(struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest)) + struct.pack("<I4s", len(text), b"JSON") + text + rest)


def add_weight_clip(source, target):
    """A clip that takes the first key of the first mesh node from 0 to 1 in a second."""
    def edit(document):
        data = struct.pack("<4f", 0, 1, 0, 1)
        document["buffers"].append({"byteLength": 16, "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()})
        views, accessors = document["bufferViews"], document["accessors"]
        for offset in (0, 8):
            views.append({"buffer": len(document["buffers"]) - 1, "byteOffset": offset, "byteLength": 8})
            accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]})
        node = next(i for i, n in enumerate(document["nodes"]) if "mesh" in n)
        document["animations"] = [{"name": "wave", "samplers": [{"input": len(accessors) - 2, "output": len(accessors) - 1}],
                                   "channels": [{"sampler": 0, "target": {"node": node, "path": "weights"}}]}]
    edit_json(source, target, edit)


if __name__ == "__main__":
    unittest.main(verbosity=2)
