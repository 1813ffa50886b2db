#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Everything that the program writes passes the Khronos validator, with no error that its input did not have.

usage: validator_test.py PROGRAM ROOT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path(os.environ.get("SINEW_DATA") or ROOT.parent / "shared/data")
KINDS = "cylinder arm hand biped quadruped bird snake".split()
SKIPPED = 77


def validate(files):
    """File -> {error code: count}."""
    done = subprocess.run([ROOT / "tools/validate_gltf", *files], capture_output=True, text=True)
    if done.returncode == SKIPPED:
        print(done.stderr.strip())
        sys.exit(SKIPPED)
    return {pathlib.Path(r["file"]): r["errors"] for r in map(json.loads, done.stdout.splitlines())}


def glb_json(file):
    data = file.read_bytes()
    return json.loads(data[20:20 + int.from_bytes(data[12:16], "little")])


class Validator(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def sinew(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, f"sinew {' '.join(map(str, arguments))}: {done.stderr}")

    def assert_no_new_errors(self, written_of):
        """written_of: input (or None) -> file written from it."""
        verdicts = validate([*filter(None, written_of), *written_of.values()])
        for source, written in written_of.items():
            had = verdicts.get(source, {})
            new = {code: n for code, n in verdicts[written].items() if n > had.get(code, 0)}
            self.assertEqual(new, {}, f"{written.name}, which came from {source}")

    def test_the_validator_sees_a_broken_file(self):
        broken = self.folder / "broken.gltf"
        broken.write_text('{"asset": {"version": "2.0"}, "nodes": [{"mesh": 3}]}')
        self.assertIn("UNRESOLVED_REFERENCE", validate([broken])[broken])

    def test_every_character_as_made_posed_and_baked(self):
        for kind in KINDS:
            with self.subTest(kind):
                made, posed, applied, baked = (self.folder / f"{kind}_{step}.glb" for step in "made posed applied baked".split())
                self.sinew("make", kind, "--resolution", 1000, "-o", made)
                self.sinew("pose", made, "--clip", 0, "--time", 0.5, "-o", posed)
                self.sinew("pose", made, "--clip", 0, "--time", 0.5, "--deformer", "dqs", "--apply", "-o", applied)
                self.sinew("bake", made, "--fps", 5, "-o", baked)
                verdicts = validate([made, posed, applied, baked])
                self.assertEqual({f.name: e for f, e in verdicts.items() if e}, {})

    def test_every_rigged_file_converted(self):
        folder = DATA / "rigged_gltf"
        if not folder.is_dir():
            self.skipTest("no test data: set SINEW_DATA to its folder")
        sources = sorted([*folder.rglob("*.glb"), *folder.rglob("*.gltf")])
        self.assertTrue(sources)
        for ending in (".glb", ".gltf"):
            written = {s: self.folder / (s.stem + ending) for s in sources}
            for source, target in written.items():
                with self.subTest(source.name):
                    self.sinew("convert", source, "-o", target, "--force")
            with self.subTest(ending):
                self.assert_no_new_errors(written)

    def test_exported_rigs(self):
        few = ["--helpers", 4, "--morphs", 3, "--reference", 0, "--no-check"]
        for kind in ("arm", "biped"):
            with self.subTest(kind):
                made, out = self.folder / f"{kind}.glb", self.folder / f"{kind}_out.gltf"
                self.sinew("make", kind, "--resolution", 700, "-o", made)
                self.sinew("export", made, "--deformer", "swing-twist", *few, "-o", out)
                self.assertEqual({f.name: e for f, e in validate([out]).items() if e}, {})
        sources = [DATA / "rigged_gltf" / name for name in ("Fox.glb", "RobotExpressive.glb", "RiggedSimple.glb")]
        if not all(source.is_file() for source in sources):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        written = {s: self.folder / (s.stem + "_out.glb") for s in sources}
        for source, target in written.items():
            self.sinew("export", source, "--deformer", "dqs", *few, "-o", target)
        self.assert_no_new_errors(written)

    def test_rigs_for_every_program(self):
        """Three rigs of other programs and three found ones, for each target: valid, and with the joints that it wants."""
        rigs = [DATA / "rigged_gltf" / name for name in ("CesiumMan.glb", "male_base_mesh.glb", "RiggedFigure.glb")]
        meshes = [DATA / "quad" / name for name in ("mh_proxy741.obj", "mh_male1591.obj", "q_man_shirt_quad.obj")]
        if not all(file.is_file() for file in rigs + meshes):
            self.skipTest("no test data: set SINEW_DATA to its folder")
        for mesh in meshes:
            rigs.append(self.folder / (mesh.stem + "_rig.glb"))
            self.sinew("rig", mesh, "--template", "biped", "--quality", "fast", "--method", "heat", "-o", rigs[-1])
        meta = ["--name", "N", "--author", "A", "--licence", "https://vrm.dev/licenses/1.0/"]
        few = ["--deformer", "lbs", "--helpers", 0, "--morphs", 0, "--reference", 0, "--no-check"]
        upper_arm = {"godot": "LeftUpperArm", "unity": "LeftUpperArm", "unreal": "upperarm_l", "vrm": "leftUpperArm", "blender": "upper_arm.L"}
        written = {}
        for rig in rigs:
            for target in ("plain", "web", "godot", "unity", "unreal", "vrm", "blender"):
                with self.subTest(rig=rig.name, target=target):
                    out = self.folder / f"{rig.stem}_{target}.glb"
                    self.sinew("export", rig, *few, "--for", target, *(meta if target == "vrm" else []), "-o", out)
                    written[out] = rig
                    if target in upper_arm:
                        self.assertIn(upper_arm[target], [node.get("name") for node in glb_json(out)["nodes"]])
        verdicts = validate([*set(written.values()), *written])
        for out, rig in written.items():
            new = {code: n for code, n in verdicts[out].items() if n > verdicts[rig].get(code, 0)}
            self.assertEqual(new, {}, f"{out.name}, which came from {rig.name}")

    def test_every_mesh_converted(self):
        sources = sorted(p for g in ("static_tri", "quad") for p in (DATA / g).glob("*") if p.suffix in (".off", ".obj", ".ply"))
        if not sources:
            self.skipTest("no test data: set SINEW_DATA to its folder")
        written = []
        for source in sources:
            with self.subTest(source.name):
                target = self.folder / (source.name + ".glb")
                self.sinew("convert", source, "-o", target)
                written.append(target)
        self.assertEqual({f.name: e for f, e in validate(written).items() if e}, {})


if __name__ == "__main__":
    unittest.main()
