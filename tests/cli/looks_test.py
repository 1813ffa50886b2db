#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Materials, textures and colours of .obj files in .glb files and back, and meshes that lie in other axes.

usage: looks_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import os
import struct
import unittest
import zlib

from program import ProgramTest, text_of


def png(colour):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(colour) * 4 for _ in range(4))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def glb(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + length]), data[28 + length:]


OBJ = """mtllib a b.mtl
v 0 0 0 1 0 0
v 1 0 0 0 1 0
v 1 1 0 0 0 1
v 0 1 0 0.5 0.5 0.5
v 2 0 0 1 1 1
v 2 1 0 1 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl red skin
f 1/1 2/2 3/3 4/4
usemtl blue
f 2/1 5/2 6/3 3/4
"""
MTL = """newmtl red skin
Kd 0.1 0.2 0.3
d 0.5
Pr 0.25
Pm 1
map_Kd -s 1 1 1 %s
newmtl blue
Kd 0 0 1
Ns 250
"""


class Looks(ProgramTest):
    def write(self, name, content):
        path = os.path.join(self.own, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def setUp(self):
        self.own = self.path("files")
        self.image = png((200, 30, 30))
        self.write("tex/red skin.png", self.image)
        self.write("a b.mtl", MTL % "tex/red skin.png")
        self.obj = self.write("a.obj", OBJ)

    def check_glb(self, path):
        document, binary = glb(path)
        red, blue = document["materials"]
        self.assertEqual(red["pbrMetallicRoughness"]["baseColorFactor"], [1, 1, 1, 0.5])
        self.assertEqual(red["pbrMetallicRoughness"]["roughnessFactor"], 0.25)
        self.assertEqual(red["pbrMetallicRoughness"]["metallicFactor"], 1)
        self.assertEqual(red["alphaMode"], "BLEND")
        self.assertEqual(blue["pbrMetallicRoughness"]["baseColorFactor"], [0, 0, 1, 1])
        self.assertAlmostEqual(blue["pbrMetallicRoughness"]["roughnessFactor"], 0.5, places=5)
        image = document["images"][document["textures"][red["pbrMetallicRoughness"]["baseColorTexture"]["index"]]["source"]]
        view = document["bufferViews"][image["bufferView"]]
        start = view.get("byteOffset", 0)
        self.assertEqual(binary[start:start + view["byteLength"]], self.image)
        primitives = document["meshes"][0]["primitives"]
        self.assertEqual([p["material"] for p in primitives], [0, 1])
        accessor = document["accessors"][primitives[0]["attributes"]["COLOR_0"]]
        start = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        colours = struct.unpack_from("<12f", binary, start)
        self.assertEqual(colours[:9], (1, 0, 0, 0, 1, 0, 0, 0, 1))
        self.assertAlmostEqual(colours[9], ((0.5 + 0.055) / 1.055) ** 2.4, places=5)

    def test_materials_textures_and_colours_go_to_glb_and_back(self):
        self.call("convert", self.obj, "-o", self.path("a.glb"))
        self.check_glb(self.path("a.glb"))
        back = os.path.join(self.own, "back.obj")
        self.call("convert", self.path("a.glb"), "-o", back)
        with open(os.path.join(self.own, "back_red_skin.png"), "rb") as file:
            self.assertEqual(file.read(), self.image)
        self.assertIn("mtllib back.mtl", text_of(back))
        self.call("convert", back, "-o", self.path("b.glb"))
        self.check_glb(self.path("b.glb"))

    def test_a_rig_and_its_poses_keep_them(self):
        body = self.make("body.obj", "arm", "--resolution", 300)
        lines = text_of(body).splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("f "))
        self.write("arm.mtl", "newmtl skin\nKd 0.5 0.25 0.125\n")
        painted = self.write("arm.obj", "mtllib arm.mtl\n" + "\n".join(lines[:first] + ["usemtl skin"] + lines[first:]) + "\n")
        self.call("weights", painted, "--template", "arm", "-o", self.path("rig.glb"))
        colour = glb(self.path("rig.glb"))[0]["materials"][0]["pbrMetallicRoughness"]["baseColorFactor"]
        self.assertEqual(colour, [0.5, 0.25, 0.125, 1])
        self.call("pose", self.path("rig.glb"), "-o", os.path.join(self.own, "posed.obj"))
        self.assertIn("Kd 0.5 0.25 0.125", text_of(os.path.join(self.own, "posed.mtl")))
        self.assertEqual(len(self.vertices(painted)), len(self.vertices(os.path.join(self.own, "posed.obj"))))

    def test_nothing_beside_it_is_replaced_without_force(self):
        self.call("convert", self.obj, "-o", self.path("a.glb"))
        mtl = self.write("out.mtl", "mine")
        out = os.path.join(self.own, "out.obj")
        self.assertIn("out.mtl", self.call("convert", self.path("a.glb"), "-o", out, code=5).stderr)
        self.assertEqual(text_of(mtl), "mine")
        self.assertFalse(os.path.exists(out))
        self.assertFalse(os.path.exists(os.path.join(self.own, "out_red_skin.png")))
        self.call("convert", self.path("a.glb"), "-o", out, "--force")
        self.assertIn("newmtl", text_of(mtl))

    def test_what_is_missing_or_outside_is_a_note(self):
        secret = self.write("../secret.png", png((1, 2, 3)))
        for named in ("gone.png", "../" + os.path.basename(secret), os.path.abspath(secret), "tex", "a.obj", "C:\\x\\y.png"):
            self.write("a b.mtl", MTL % named)
            done = self.call("convert", self.obj, "-o", self.path("a.glb"), "--force")
            self.assertIn("texture", done.stderr, named)
            self.assertNotIn("images", glb(self.path("a.glb"))[0], named)
        # By its name alone, where it lies beside the file.
        self.write("red skin.png", self.image)
        self.write("a b.mtl", MTL % "C:\\art\\red skin.png")
        self.assertEqual(self.call("convert", self.obj, "-o", self.path("a.glb"), "--force").stderr, "")
        self.check_glb(self.path("a.glb"))
        os.remove(os.path.join(self.own, "a b.mtl"))
        self.assertIn("a b.mtl", self.call("convert", self.obj, "-o", self.path("b.glb")).stderr)
        os.symlink("/etc/passwd", os.path.join(self.own, "a b.mtl"))
        self.assertIn("are not beside it", self.call("convert", self.obj, "-o", self.path("c.glb")).stderr)

    def test_hostile_materials_are_read_safely(self):
        self.write("a b.mtl", b"newmtl \xff\xfe\nKd nan 1e999 -5\nmap_Kd\nmap_Kd -s\nnewmtl\n\0\0map_Kd \0\n" * 300)
        self.call("convert", self.obj, "-o", self.path("a.glb"))
        many = "".join("usemtl m%d\nf 1 2 3\n" % m for m in range(3000))
        self.write("many.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + many)
        self.assertIn("1,000 materials", self.call("info", os.path.join(self.own, "many.obj")).stderr)

    def test_a_mesh_that_lies_in_other_axes_is_turned(self):
        turned = self.write("z.obj", "\n".join("v %r %r %r" % (x, -z, y) for x, y, z in self.vertices(self.obj)) +
                            "\nf 1 2 3 4\nf 2 5 6 3\n")
        done = self.call("convert", turned, "-o", self.path("y.obj"), "--up", "z")
        self.assertIn("rotated from z up, -y forward", done.stderr)
        self.assertEqual(self.vertices(self.path("y.obj")), self.vertices(self.obj))
        report = self.document("info", turned, "--up", "z", "--forward", "-y")
        self.assertEqual(report["turned_from"], "z up, -y forward")
        self.assertNotIn("turned_from", self.document("info", turned))
        self.assertIn("--forward", self.call("info", turned, "--up", "z", "--forward", "-z", code=2).stderr)
        self.call("convert", turned, "-o", self.path("y.glb"), "--up", "z")
        self.assertIn("is not rotated", self.call("info", self.path("y.glb"), "--up", "z").stderr)

    def test_every_verb_turns_alike(self):
        body = self.make("biped.obj", "biped", "--resolution", 2000)
        points = self.vertices(body)
        faces = [line for line in text_of(body).splitlines() if line.startswith("f ")]
        lying = self.write("lying.obj", "\n".join("v %r %r %r" % (x, -z, y) for x, y, z in points) + "\n" +
                           "\n".join(" ".join(w.split("/")[0] for w in f.split()) for f in faces) + "\n")
        self.assertIn("--up z", self.call("info", lying).stderr)
        self.assertNotIn("--up z", self.call("info", body).stderr)
        upright = self.document("skeleton", body, "-o", self.path("a.json"))
        self.call("skeleton", lying, "-o", self.path("lying.json"))
        turned = self.document("skeleton", lying, "-o", self.path("b.json"), "--up", "z")
        for one, other in zip(upright["joints"], turned["joints"]):
            for a, b in zip(one["position"], other["position"]):
                self.assertAlmostEqual(a, b, places=4)
        # A skeleton in the same axes as the mesh.
        self.call("weights", lying, "--skeleton", self.path("lying.json"), "--up", "z", "-o", self.path("rig.glb"))
        self.call("pose", self.path("rig.glb"), "-o", self.path("rest.obj"))
        for a, b in zip(points, self.vertices(self.path("rest.obj"))):
            for p, q in zip(a, b):
                self.assertAlmostEqual(p, q, places=5)


if __name__ == "__main__":
    unittest.main()
