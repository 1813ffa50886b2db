#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""UsdSkel files: what usd-core (Pixar's library) makes of them is what a reader of glTF of its own makes of the source.

usage: usd_test.py PROGRAM SOURCE [unittest arguments]
"""
import json
import os
import subprocess
import sys
import unittest

from export_test import DATA, Player, diagonal, far
from program import SOURCE, ProgramTest

# Prints, for each time in seconds: the points of all meshes in order, skinned by UsdSkel.
BAKE = """
import json, sys
from pxr import Gf, Usd, UsdGeom, UsdSkel
stage = Usd.Stage.Open(sys.argv[1])
clip, times = sys.argv[2], json.loads(sys.argv[3])
skeleton = stage.GetPrimAtPath('/Character/Skeleton')
if clip:
    UsdSkel.BindingAPI(skeleton).GetAnimationSourceRel().SetTargets(['/Character/Animations/' + clip])
rate = stage.GetTimeCodesPerSecond()
root = UsdSkel.Root(stage.GetDefaultPrim())
out = {'names': list(UsdSkel.Skeleton(skeleton).GetJointNamesAttr().Get()), 'points': [], 'faces': [], 'st': 0, 'up': UsdGeom.GetStageUpAxis(stage)}
meshes = [UsdGeom.Mesh(p) for p in root.GetPrim().GetChildren() if p.IsA(UsdGeom.Mesh)]
for mesh in meshes:
    out['faces'] += list(mesh.GetFaceVertexCountsAttr().Get())
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar('st')
    out['st'] += len(st.Get()) if st else 0
# At the times that are asked for, between samples too: UsdSkel evaluates, and bakes none.
cache = UsdSkel.Cache()
cache.Populate(root, Usd.TraverseInstanceProxies())
query = cache.GetSkelQuery(UsdSkel.Skeleton(skeleton))
for t in times:
    code = Usd.TimeCode(t * rate)
    xforms = query.ComputeSkinningTransforms(code)
    every = []
    for mesh in meshes:
        skinning = cache.GetSkinningQuery(mesh.GetPrim())
        points = mesh.GetPointsAttr().Get()
        if skinning.HasBlendShapes():
            shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(mesh.GetPrim()))
            weights = query.GetAnimQuery().ComputeBlendShapeWeights(code)
            own = skinning.GetBlendShapeMapper().Remap(weights)
            sub, blend, ids = shapes.ComputeSubShapeWeights(own)
            shapes.ComputeDeformedPoints(sub, blend, ids, shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets(), points)
        skinning.ComputeSkinnedPoints(xforms, points, code)
        every += [list(p) for p in points]
    out['points'].append(every)
print(json.dumps(out))
"""


def python_with_usd():
    for python in (sys.executable, os.path.join(SOURCE, "build", "python-tools", "bin", "python"), os.environ.get("SINEW_USD_PYTHON", "")):
        if os.path.exists(python) and subprocess.run([python, "-c", "import pxr.UsdSkel"], capture_output=True).returncode == 0:
            return python
    return None


PYTHON = python_with_usd()


@unittest.skipUnless(PYTHON, "usd-core is not installed, ./dev test installs it")
class Usd(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.biped = cls.make("biped.glb", "biped", "--resolution", 1500)

    def data(self, name):
        path = os.path.join(DATA, "rigged_gltf", name)
        if not os.path.exists(path):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        return path

    def usd(self, file, times, clip=""):
        done = subprocess.run([PYTHON, "-c", BAKE, file, clip, json.dumps(times)], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertNotIn("Warning", done.stderr, done.stderr[-2000:])
        return json.loads(done.stdout)

    def assert_same(self, source, usda, clip=0):
        player = Player(source)
        clips = player.json.get("animations", [])
        # At frames of the layer: between them it is sampled, not the source's curve.
        times = [round(f * max(s["max"][0] for s in [player.json["accessors"][x["input"]] for x in clips[clip]["samplers"]]) * 30) / 30
                 for f in (0, 0.37, 0.81)] if clips else [0]
        read = self.usd(usda, times)
        for time, points in zip(times, read["points"]):
            wanted = player.vertices(clip if clips else None, time)
            self.assertEqual(len(points), len(wanted))
            self.assertLess(far(points, wanted)[-1], 2e-5 * diagonal(wanted), (source, time))
        return read

    def test_usdskel_poses_every_rig_as_gltf_says(self):
        # Rigid pieces and shape keys, a root scaled by 100, several meshes, joints named with dots, morphs alone.
        for name in ("CesiumMan.glb", "RobotExpressive.glb", "q_Wolf.glb", "Fox.glb", "kaykit_Knight.glb", "AnimatedMorphCube.glb", "godot_player.glb"):
            with self.subTest(name):
                source, out = self.data(name), self.path(name + ".usda")
                if name == "RobotExpressive.glb":  # its weights do not sum to 1
                    self.call("reweight", source, "--prune", 4, "-o", self.path(name))
                    source = self.path(name)
                self.call("convert", source, "-o", out)
                self.assert_same(source, out)

    def test_polygons_names_and_texture_stay(self):
        biped, out = self.biped, self.path("b.usda")
        self.call("convert", biped, "-o", out)
        read = self.assert_same(biped, out)
        said = self.document("info", biped)
        self.assertEqual(read["faces"].count(4), said["quads"])
        self.assertEqual(len(read["faces"]), said["faces"])
        self.assertEqual(read["up"], "Y")
        self.assertLessEqual(set(said["joint_names"]), set(read["names"]))
        source, out = self.data("CesiumMan.glb"), self.path("c.usda")
        self.call("convert", source, "-o", out)
        self.assertEqual(self.usd(out, [0])["st"], self.document("info", source)["vertices"])
        with open(out) as f:
            text = f.read()
        picture = text.split("inputs:file = @./")[1].split("@")[0]
        self.assertTrue(os.path.getsize(os.path.join(os.path.dirname(out), picture)) > 1000)
        self.call("convert", source, "-o", out, code=5)

    def test_an_exported_rig_is_the_same_in_both_formats(self):
        biped = self.biped
        words = ("--deformer", "swing-twist", "--helpers", 4, "--morphs", 3, "--reference", 0, "--names", "rigify")
        glb, usda = self.path("x.glb"), self.path("x.usda")
        self.call("export", biped, *words, "-o", glb)
        said = self.document("export", biped, *words, "-o", usda)
        self.assertEqual(said["morphs"], 3)
        read = self.assert_same(glb, usda)
        self.assertIn("upper_arm.L", read["names"])


if __name__ == "__main__":
    unittest.main()
