#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Levels of detail of `export --lods`: vertices of the full mesh with all that they carry, and errors as they are.

usage: lods_test.py PROGRAM SOURCE [unittest arguments]
"""
import os
import unittest

import numpy as np

from export_test import DATA, Player
from program import ProgramTest, text_of

QUICK = ("--deformer", "lbs", "--helpers", 0, "--morphs", 0, "--reference", 0, "--no-check")


def distance(points, triangles):
    """Of each point to the nearest of some triangles (t, 3, 3), by Eberly's regions: brute force."""
    best = np.full(len(points), np.inf)
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac = b - a, c - a
    normal = np.cross(ab, ac)
    area = np.einsum("ij,ij->i", normal, normal)
    whole = area > 0
    for k, p in enumerate(points):
        ends = []
        for u, v in ((a, b), (b, c), (c, a)):
            way = v - u
            t = np.clip(np.einsum("ij,ij->i", p - u, way) / np.maximum(np.einsum("ij,ij->i", way, way), 1e-30), 0, 1)
            ends.append(np.linalg.norm(u + t[:, None] * way - p, axis=1))
        best[k] = np.min(ends)
        w = p - a
        beta = np.einsum("ij,ij->i", np.cross(w, ac), normal)
        gamma = np.einsum("ij,ij->i", np.cross(ab, w), normal)
        inside = whole & (beta >= 0) & (gamma >= 0) & (beta + gamma <= area)
        if inside.any():
            height = np.abs(np.einsum("ij,ij->i", w, normal)[inside]) / np.sqrt(area[inside])
            best[k] = min(best[k], height.min())
    return best


class Surface:
    """The first primitive of a file: vertices with their attributes, and triangles."""

    def __init__(self, path):
        self.player = Player(path)
        self.primitives = [p for m in self.player.json["meshes"] for p in m["primitives"]]
        self.points = np.array([x for p in self.primitives for x in self.player.read(p["attributes"]["POSITION"])])
        faces, at = [], 0
        for p in self.primitives:
            index = np.array(self.player.read(p["indices"])).reshape(-1, 3)
            faces.append(index + at)
            at += len(self.player.read(p["attributes"]["POSITION"]))
        self.faces = np.concatenate(faces)

    def rows(self, names):
        """Position -> what a vertex carries."""
        out = {}
        for p in self.primitives:
            joints = self.player.json["skins"][0]["joints"]
            columns = [self.player.read(p["attributes"][n]) for n in names]
            targets = [self.player.read(t["POSITION"]) for t in p.get("targets", [])]
            for i, x in enumerate(self.player.read(p["attributes"]["POSITION"])):
                weights = {self.player.json["nodes"][joints[j]]["name"]: round(w, 6) for j, w in zip(
                    self.player.read(p["attributes"]["JOINTS_0"])[i], self.player.read(p["attributes"]["WEIGHTS_0"])[i]) if w}
                out.setdefault(tuple(np.round(x, 5)), []).append((weights, [list(np.round(c[i], 5)) for c in columns], [list(np.round(t[i], 5)) for t in targets]))
        return out


class Lods(ProgramTest):
    def test_levels_carry_weights_texture_and_keys_and_tell_their_error(self):
        source = os.path.join(DATA, "rigged_gltf", "CesiumMan.glb")
        if not os.path.exists(source):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        out = self.path("man.glb")
        said = self.document("export", source, *QUICK, "--lods", 3, "-o", out)
        full = Surface(out)
        carried = full.rows(["TEXCOORD_0"])
        size = np.linalg.norm(np.ptp(full.points, axis=0))
        self.assertEqual(len(said["lods"]), 3)
        for k, level in enumerate(said["lods"]):
            self.assertEqual(level["file"], self.path("man_LOD%d.glb" % (k + 1)))
            lod = Surface(level["file"])
            self.assertEqual(len(lod.faces), level["triangles"])
            self.assertEqual(len(lod.points), level["vertices"])
            self.assertLess(abs(level["triangles"] / (len(full.faces) / 2 ** (k + 1)) - 1), 0.1)
            for x, rows in lod.rows(["TEXCOORD_0"]).items():
                for row in rows:
                    self.assertIn(row, carried[x])
            far = distance(full.points[::7], lod.points[lod.faces]) / size
            self.assertLess(abs(np.sqrt(np.mean(far ** 2)) / level["rms"] - 1), 0.15)
            self.assertLessEqual(far.max(), level["max"] + 1e-6)
            self.assertGreater(level["clip_rms"], 0)
            self.assertLess(level["clip_rms"], 0.02)
            self.assertIn("images", lod.player.json)

    def test_shape_keys_and_data_of_deformers_go_down(self):
        mesh, rig, out = self.path("arm.obj"), self.path("arm.glb"), self.path("low.glb")
        self.call("convert", self.make("arm.glb", "arm", "--resolution", 1500), "-o", mesh)
        self.call("rig", mesh, "--template", "arm", "-o", rig)
        said = self.document("export", rig, "--deformer", "flesh", "--helpers", 2, "--morphs", 2, "--reference", 0, "--keep", "--lods", 1, "-o", out)
        low = said["lods"][0]["file"]
        carried = Surface(out).rows([])
        for x, rows in Surface(low).rows([]).items():
            for row in rows:
                self.assertIn(row, carried[x])
                self.assertEqual(len(row[2]), said["morphs"])
        # Each vertex by its own data: flesh bends the vertices that are left to the same places.
        posed = {}
        joint = self.document("info", out)["joint_names"][1]
        for file in (out, low):
            shapes = []
            for words in ((), ("--set", joint + "=70,20,10")):
                obj = self.path("posed.obj")
                self.call("pose", file, *words, "--deformer", "flesh", "-o", obj, "--force")
                shapes.append([tuple(map(float, line.split()[1:4])) for line in text_of(obj).splitlines() if line.startswith("v ")])
            posed[file] = {tuple(np.round(a, 5)): b for a, b in zip(*shapes)}
        moved = 0
        for x, y in posed[low].items():
            self.assertLess(np.linalg.norm(np.subtract(y, posed[out][x])), 1e-5)
            moved = max(moved, np.linalg.norm(np.subtract(x, y)))
        self.assertGreater(moved, 0.05)

    def test_a_mesh_of_seams_alone_is_simplified_all_the_same(self):
        source = os.path.join(DATA, "rigged_gltf", "q_Man_Casual.glb")
        if not os.path.exists(source):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        said = self.document("export", source, *QUICK, "--no-clips", "--lods", 1, "-o", self.path("m.glb"))
        full = len(Surface(self.path("m.glb")).faces)
        self.assertLess(said["lods"][0]["triangles"], 0.6 * full)
        self.assertTrue(said["lods"][0]["across_seams"])

    def test_levels_are_files_like_others(self):
        out = self.path("b.usda")
        biped = self.make("biped.glb", "biped", "--resolution", 1500)
        self.call("export", biped, *QUICK, "--lods", 2, "-o", out)
        self.assertIn("SkelRoot", text_of(self.path("b_LOD2.usda")))
        os.remove(out)
        self.call("export", biped, *QUICK, "--lods", 2, "-o", out, code=5)
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
