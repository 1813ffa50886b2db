#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`weights --heat blender` gives what Blender's own automatic weights give, on clean meshes.

usage: blender_weights_test.py PROGRAM ROOT; skips where Blender is not installed (./dev judge installs it). Meshes with
artists' skeletons are taken from SINEW_DATA where that is set.
"""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
KINDS = "cylinder arm hand biped quadruped bird snake".split()
MEAN, FAR = 5e-4, 0.05  # mean difference of a weight; the share of vertices that may differ by more than 0.05
SKIPPED = 77
TYPES = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def sinew(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"sinew {' '.join(map(str, arguments))}: {done.stderr}")
    return done.stdout


class Glb:
    """Mesh, weights and bones of a rig of ours: one skin, one mesh, one primitive."""

    def __init__(self, path):
        data = path.read_bytes()
        length, = struct.unpack_from("<I", data, 12)
        self.json = json.loads(data[20:20 + length])
        self.binary = data[28 + length:]
        primitive, = self.json["meshes"][0]["primitives"]
        attributes = primitive["attributes"]
        self.vertices = self.read(attributes["POSITION"]).astype(float)
        self.triangles = self.read(primitive["indices"]).reshape(-1, 3).astype(int)
        joints = self.json["skins"][0]["joints"]
        self.weights = np.zeros((len(self.vertices), len(joints)))
        sets = sum(name.startswith("JOINTS_") for name in attributes)
        rows = np.arange(len(self.vertices))
        for number in range(sets):
            slots, shares = self.read(attributes[f"JOINTS_{number}"]), self.read(attributes[f"WEIGHTS_{number}"])
            for k in range(4):
                np.add.at(self.weights, (rows, slots[:, k]), shares[:, k])
        self.bones = self.find_bones(joints)

    def read(self, accessor):
        accessor = self.json["accessors"][accessor]
        view = self.json["bufferViews"][accessor["bufferView"]]
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", kind.itemsize * width)
        raw = np.lib.stride_tricks.as_strided(np.frombuffer(self.binary, kind, offset=start),
                                              (accessor["count"], width), (stride, kind.itemsize))
        return np.array(raw)

    def joints_below(self, node):
        return sum(1 + self.joints_below(child) for child in self.json["nodes"][node].get("children", []))

    def find_bones(self, joints):
        """A bone ends at its child's head (several: their mean, or, where that lies at its own head, the child that most
        joints hang on; none: the stored tail)."""
        inverse = self.read(self.json["skins"][0]["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        globals_ = np.linalg.inv(inverse.astype(float))
        heads, nodes = globals_[:, :3, 3], self.json["nodes"]
        bones = []
        for slot, joint in enumerate(joints):
            below = [joints.index(c) for c in nodes[joint].get("children", []) if c in joints]
            if below:
                tail = heads[below].mean(axis=0)
                if np.linalg.norm(tail - heads[slot]) < 0.1 * np.linalg.norm(heads[below] - heads[slot], axis=1).mean():
                    tail = heads[max(below, key=lambda b: self.joints_below(joints[b]))]
            else:
                local = nodes[joint]["extensions"]["SINEW_rig"]["tail"]
                tail = (globals_[slot] @ [*local, 1])[:3]
            bones.append((heads[slot], tail))
        return np.array(bones)


class BlenderWeights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.cases, jobs = {}, []
        for name, source in cls.sources():
            ours = cls.folder / f"{name}.glb"
            sinew("weights", *source, "--method", "heat", "--heat", "blender", "--influences", 64, "-o", ours)
            rig = cls.cases[name] = Glb(ours)
            mesh, out = cls.folder / f"{name}_mesh.npz", cls.folder / f"{name}_blender.npz"
            np.savez(mesh, vertices=rig.vertices, triangles=rig.triangles, bones=rig.bones)
            jobs.append({"mesh": str(mesh), "out": str(out)})
        (cls.folder / "jobs.json").write_text(json.dumps(jobs))
        done = subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "3", "--python",
                               ROOT / "tools/judge_blender_weights.py", "--", cls.folder / "jobs.json"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        if done.returncode != 0:
            raise RuntimeError(done.stdout)

    @classmethod
    def sources(cls):
        for kind in KINDS:
            made = cls.folder / f"made_{kind}.glb"
            sinew("make", kind, "--resolution", 3000, "-o", made)
            yield kind, [made]
        data = os.environ.get("SINEW_DATA")
        if not data:
            return
        quad, tri = pathlib.Path(data) / "quad", pathlib.Path(data) / "static_tri"
        # Not those with joints at one place: Blender drops bones without length, and sinew does not.
        for name in ("mh_neutral", "mh_male_muscular"):
            yield name, [quad / f"{name}.obj", "--skeleton", quad / f"{name}.rig.json"]
        for mesh, bones in (("arm", "arm"), ("elephant_toy", "elephant")):
            yield f"data_{mesh}", [tri / f"{mesh}.obj", "--skeleton",
                                   pathlib.Path(data) / "skeletons_weights" / f"{bones}.tgf"]

    def test_heat_by_blenders_rules_is_blenders(self):
        for name, rig in self.cases.items():
            with self.subTest(name):
                theirs = np.load(self.folder / f"{name}_blender.npz")
                weights, seconds = theirs["weights"], float(theirs["seconds"])
                sums = weights.sum(axis=1)
                bound = sums > 0
                weights[bound] /= sums[bound, None]
                difference = np.abs(weights - rig.weights)[bound]
                worst = difference.max(axis=1)
                far = (worst > 0.05).mean()
                print(f"{name}: {len(bound)} vertices, {rig.weights.shape[1]} bones, {(~bound).sum()} unbound in Blender, "
                      f"mean {difference.mean():.1e}, largest {worst.max():.2f}, {far:.2%} of the vertices over 0.05, "
                      f"Blender {seconds:.2f} s")
                self.assertGreater(bound.mean(), 0.99)
                self.assertLess(difference.mean(), MEAN)
                self.assertLess(far, FAR)


if __name__ == "__main__":
    if shutil.which("blender") is None:
        print("Blender is not installed; ./dev judge installs it")
        sys.exit(SKIPPED)
    unittest.main()
