#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that we write are clean: nothing invalid that was read is left in them, and nothing that moves what is gone.

usage: clean_files_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import math
import os
import struct
import unittest

from program import SOURCE, ProgramTest


def document_of(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack("<I", data[12:16])[0]
    return json.loads(data[20:20 + length]), data[28 + length:]


def weights_of(path):
    document, binary = document_of(path)
    values = []
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            accessor = document["accessors"][primitive["attributes"]["WEIGHTS_0"]]
            view = document["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            values += struct.unpack_from("<%df" % (4 * accessor["count"]), binary, start)
    return values


def idle_joints(path):
    """How many entries of JOINTS_n name a joint other than 0 by a weight of 0, which the validator warns about, and how
    many weights are 0."""
    document, binary = document_of(path)
    named = idle = 0

    def numbers(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        kind = {5121: "B", 5123: "H", 5126: "f"}[accessor["componentType"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        step = view.get("byteStride", 4 * struct.calcsize(kind))
        return [x for i in range(accessor["count"]) for x in struct.unpack_from("<4" + kind, binary, start + step * i)]

    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            for name, index in primitive["attributes"].items():
                if name.startswith("JOINTS_"):
                    weights = numbers(primitive["attributes"][name.replace("JOINTS", "WEIGHTS")])
                    joints = [j for j, w in zip(numbers(index), weights) if w == 0]
                    idle += len(joints)
                    named += sum(j != 0 for j in joints)
    return named, idle


class CleanFiles(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rig = cls.make("arm.glb", "arm", "--resolution", 400)
        # The same with weights that are no numbers, as some exporters leave them.
        document, binary = document_of(cls.rig)
        accessor = document["accessors"][document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"]]
        start = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        with open(cls.rig, "rb") as file:
            data = bytearray(file.read())
        offset = len(data) - len(binary) + start
        for vertex in (0, 5, 9):
            struct.pack_into("<f", data, offset + 16 * vertex + 4, math.nan)
        cls.broken = cls.rig.replace("arm", "broken")
        with open(cls.broken, "wb") as file:
            file.write(data)

    def test_convert_writes_the_weights_that_it_says_it_read(self):
        self.assertIn("3 weights were not numbers", self.call("convert", self.broken, "-o", self.path("a.glb")).stderr)
        mended = weights_of(self.path("a.glb"))
        self.assertTrue(all(math.isfinite(w) for w in mended))
        for i in range(0, len(mended), 4):
            self.assertAlmostEqual(sum(mended[i:i + 4]), 1, places=5)
        self.assertNotIn("not numbers", self.call("info", self.path("a.glb")).stderr)
        kept, before = document_of(self.path("a.glb"))[0], document_of(self.broken)[0]
        self.assertEqual([a["name"] for a in kept["animations"]], [a["name"] for a in before["animations"]])

    def test_no_joint_is_named_by_a_weight_of_nothing(self):
        # As other programs leave them: the last joint wherever there is no weight.
        document, binary = document_of(self.rig)
        attributes = document["meshes"][0]["primitives"][0]["attributes"]
        accessor = document["accessors"][attributes["JOINTS_0"]]
        self.assertEqual(accessor["componentType"], 5121)
        start = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        with open(self.rig, "rb") as file:
            data = bytearray(file.read())
        offset = len(data) - len(binary) + start
        for i, weight in enumerate(weights_of(self.rig)):
            if weight == 0:
                data[offset + i] = len(document["skins"][0]["joints"]) - 1
        dirty, out = self.path("idle.glb"), self.path("clean.glb")
        with open(dirty, "wb") as file:
            file.write(data)
        self.assertGreater(idle_joints(dirty)[0], 100)
        for words in (("weights", dirty, "--method", "heat"), ("reweight", dirty, "--smooth", 2),
                      ("reweight", dirty, "--prune", 2),
                      ("rig", dirty, "--quality", "fast"), ("export", dirty),
                      ("reweight", dirty, "--smooth", 5, "--quantise", 8)):
            self.call(*words, "-o", out, "--force")
            named, idle = idle_joints(out)
            self.assertGreater(idle, 100, words)
            self.assertEqual(named, 0, words)

    def test_with_keep_invalid_the_weights_stay(self):
        self.call("convert", self.broken, "-o", self.path("a.glb"), "--keep-invalid")
        self.assertEqual(sum(math.isnan(w) for w in weights_of(self.path("a.glb"))), 3)

    def test_without_a_mesh_no_mesh_is_written(self):
        with open(self.path("empty.gltf"), "w") as file:
            json.dump({"asset": {"version": "2.0"}}, file)
        empty = self.path("empty.gltf")
        for words in (("convert", empty), ("pose", empty), ("unpose", empty, "--edited", empty)):
            done = self.run_any(*words, "-o", self.path("none.obj"))
            self.assertEqual(done.returncode, 4, words)
            self.assertIn("there is no mesh to write", done.stderr)
            self.assertFalse(os.path.exists(self.path("none.obj")))

    def test_bake_says_that_tangents_go(self):
        # Any four floats a vertex will do: nobody reads them.
        document, binary = document_of(self.rig)
        primitive = document["meshes"][0]["primitives"][0]
        primitive["attributes"]["TANGENT"] = primitive["attributes"]["WEIGHTS_0"]
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        with open(self.path("t.glb"), "wb") as file:
            file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)) +
                       struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)
        self.assertIn("tangents are left out", self.call("bake", self.path("t.glb"), "-o", self.path("b.glb")).stderr)
        self.assertNotIn("TANGENT", document_of(self.path("b.glb"))[0]["meshes"][0]["primitives"][0]["attributes"])
        applied = self.call("pose", self.path("t.glb"), "--apply", "-o", self.path("p.glb"))
        self.assertIn("tangents are left out", applied.stderr)
        self.assertNotIn("TANGENT", document_of(self.path("p.glb"))[0]["meshes"][0]["primitives"][0]["attributes"])
        self.assertNotIn("tangents", self.call("bake", self.rig, "-o", self.path("c.glb")).stderr)

    def test_clips_of_joints_that_are_gone_go(self):
        clips = len(document_of(self.rig)[0]["animations"])
        self.assertGreater(clips, 0)
        with open(self.path("s.json"), "w") as file:
            json.dump({"joints": [{"name": "a", "parent": -1, "head": [0, 0, 0], "tail": [1, 0, 0]},
                                  {"name": "b", "parent": 0, "head": [1, 0, 0], "tail": [2, 0, 0]}]}, file)
        done = self.call("weights", self.rig, "--skeleton", self.path("s.json"), "--method", "envelope", "-o", self.path("a.glb"))
        self.assertIn("%d clip" % clips, done.stderr)
        self.assertIn("left out", done.stderr)
        document = document_of(self.path("a.glb"))[0]
        self.assertEqual(len(document["skins"][0]["joints"]), 2)
        self.assertNotIn("animations", document)
        found = self.call("skeleton", self.rig, "--template", "arm", "-o", self.path("c.glb")).stderr
        self.assertIn("%d clips are carried over" % clips, found)
        self.assertNotIn("left out", found)
        self.assertEqual(len(document_of(self.path("c.glb"))[0]["animations"]), clips)
        self.assertNotIn("left out", self.call("weights", self.rig, "--method", "envelope", "-o", self.path("d.glb")).stderr)
        self.call("reweight", self.rig, "--smooth", 1, "-o", self.path("b.glb"))
        self.assertEqual(len(document_of(self.path("b.glb"))[0]["animations"]), clips)

    def check_carried(self, rig, template, clip, time):
        """A found skeleton with the old one's names plays its clip: the body goes where it went with the old joints."""
        out = self.path("new.glb")
        done = self.call("rig", rig, "--template", template, "--quality", "fast", "-o", out)
        self.assertIn("carried over", done.stderr)
        posed = {}
        for name, file, words in (("before", rig, ("--clip", clip, "--time", time)),
                                  ("after", out, ("--clip", clip, "--time", time)), ("rest", out, ())):
            self.call("pose", file, *words, "--deformer", "lbs", "-o", self.path(name + ".obj"))
            posed[name] = self.vertices(self.path(name + ".obj"))
        apart = sum(map(math.dist, posed["before"], posed["after"]))
        moved = sum(map(math.dist, posed["before"], posed["rest"]))
        self.assertLess(apart, 0.25 * moved)

    def test_a_found_skeleton_plays_the_walk_of_the_old_one(self):
        self.check_carried(self.make("biped.glb", "biped", "--resolution", 1500), "biped", "walk", 0.3)

    def test_a_real_animal_plays_its_clips_with_a_found_skeleton(self):
        fox = os.path.join(os.environ.get("SINEW_DATA", os.path.join(SOURCE, "..", "shared", "data")), "rigged_gltf", "Fox.glb")
        if not os.path.exists(fox):
            self.skipTest("without the data folder")
        self.check_carried(fox, fox, "Run", 0.43)


if __name__ == "__main__":
    unittest.main(verbosity=2)
