#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Blender and Godot import what `sinew export` wrote and play its clips to the vertices that the program gives.

usage: engines_test.py PROGRAM ROOT Blender|Godot; skips where the engine is not installed (./dev judge installs it).
A rig that others made is taken from SINEW_DATA where that is set.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
DATA = pathlib.Path(os.environ.get("SINEW_DATA", ROOT / "../shared/data"))
COMMANDS = {"Blender": ("blender",), "Godot": ("godot3-server", "godot3")}
TOLERANCE = 1e-4  # of the diagonal of the bounding box
SKIPPED = 77
TIMES = (0.05, 0.3, 0.8, 1.0)  # CesiumMan begins at 0.04 s, and engines differ in what lies before a first key
# Without these Godot stores short numbers, splits vertices and thins keys; it samples clips anew, so finely here that keys
# of any rate are met.
GODOT_IMPORT = """[remap]
importer="scene"
type="PackedScene"
[deps]
source_file="res://{}"
[params]
materials/location=0
materials/storage=0
meshes/compress=false
meshes/ensure_tangents=false
animation/fps=240
animation/optimizer/enabled=false
"""


def command_of(engine):
    return next(filter(None, map(shutil.which, COMMANDS[engine])), None)


def run(*words, timeout=400, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=timeout, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{words}: {done.stdout}")
    return done.stdout


def read_obj(path):
    return np.array([line.split()[1:4] for line in path.read_text().splitlines() if line.startswith("v ")], float)


class Engine(unittest.TestCase):
    """Rigs for `targets`, played at keys of their clips."""
    engine, targets = None, ()

    @classmethod
    def setUpClass(cls):
        if cls.engine is None:
            raise unittest.SkipTest("a base")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        run(PROGRAM, "make", "arm", "--resolution", 700, "-o", cls.folder / "arm.glb")
        rigs = [("arm", cls.folder / "arm.glb", "swing-twist", ("bend", "twist"))]
        man = DATA / "rigged_gltf/CesiumMan.glb"
        if man.exists():
            rigs.append(("man", man, "dqs", ("clip0",)))
        cls.jobs, cls.said = [], {}
        for target in cls.targets:
            for name, source, deformer, clips in rigs:
                out = cls.folder / f"{name}_{target}.glb"
                cls.said[out.name] = json.loads(run(
                    PROGRAM, "export", source, "--for", target, "--deformer", deformer, "--helpers", 6, "--morphs", 3,
                    "--reference", 0, "-o", out, "--json", "--quiet"))
                for clip in clips:
                    moments = [cls.moment(source, deformer, out, k, clip, time) for k, time in enumerate(TIMES)]
                    cls.jobs.append({"file": out.name, "clip": clip, "moments": moments})
        (cls.folder / "jobs.json").write_text(json.dumps(cls.jobs))
        cls.play()

    @classmethod
    def moment(cls, source, deformer, out, k, clip, time):
        name = f"{out.stem}_{clip}_{k}"
        for label, file, how in (("played", out, "lbs"), ("source", source, deformer)):
            run(PROGRAM, "pose", file, "--clip", clip, "--time", time, "--deformer", how, "-o", cls.folder / f"{name}.{label}.obj")
        return {"time": time, "output": str(cls.folder / f"{name}.txt"), "name": name}

    def each(self):
        for job in self.jobs:
            for moment in job["moments"]:
                played, source = (read_obj(self.folder / f"{moment['name']}.{label}.obj") for label in ("played", "source"))
                yield moment["name"], self.said[job["file"]], played, source, np.loadtxt(moment["output"])

    def test_the_engine_plays_what_the_program_plays(self):
        for name, said, played, _, theirs in self.each():
            self.assertEqual(played.shape, theirs.shape, name)
            error = np.linalg.norm(played - theirs, axis=1).max() / said["diagonal"]
            print(f"{self.engine} {name}: {len(theirs)} vertices, largest difference {error:.1e} of the size")
            self.assertLess(error, TOLERANCE, name)

    def test_the_engine_shows_the_deformer_within_the_certificate(self):
        for name, said, _, source, theirs in self.each():
            error = np.linalg.norm(source - theirs, axis=1).max() / said["diagonal"]
            # Which is that of other moments, halfway between keys.
            self.assertLess(error, 1.5 * said["clips"]["max"] + TOLERANCE, name)

    def test_the_clips_move(self):
        for job in self.jobs:
            first, *others = (np.loadtxt(moment["output"]) for moment in job["moments"])
            self.assertGreater(max(np.abs(other - first).max() for other in others), 0.02)


class Blender(Engine):
    engine, targets = "Blender", ("web", "blender")

    @classmethod
    def play(cls):
        run("blender", "--background", "--factory-startup", "--python-exit-code", 3, "--python",
            ROOT / "tools/judge_blender_clips.py", "--", cls.folder / "jobs.json", cwd=cls.folder)

    def test_bones_lie_along_limbs(self):
        if "man_blender.glb" not in self.said:
            self.skipTest("no data")
        largest = {target: max(json.loads((self.folder / f"man_{target}.glb.bones.json").read_text()).values()) for target in self.targets}
        print(f"Blender: CesiumMan's bones are up to {largest['web']:.0f} degrees off its limbs, for Blender {largest['blender']:.2f}")
        self.assertGreater(largest["web"], 20)
        self.assertLess(largest["blender"], 0.1)


class Godot(Engine):
    engine, targets = "Godot", ("web", "godot")

    @classmethod
    def play(cls):
        project = cls.folder / "project"  # nothing else lies there, or it would be imported too
        project.mkdir()
        (project / "project.godot").write_text("config_version=4\n")
        for file in cls.said:
            shutil.copy(cls.folder / file, project)
            (project / f"{file}.import").write_text(GODOT_IMPORT.format(file))
        for file in (ROOT / "tools/judge_godot.gd", cls.folder / "jobs.json"):
            shutil.copy(file, project)
        home = {**os.environ, "HOME": str(cls.folder)}  # its settings and caches
        subprocess.run([command_of("Godot"), "--path", project, "--editor", "--quit"], env=home, timeout=100,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        said = run(command_of("Godot"), "--path", project, "--script", "judge_godot.gd", env=home, timeout=100)
        if "judged" not in said:
            raise RuntimeError(said)


if __name__ == "__main__":
    wanted = sys.argv[1]
    if command_of(wanted) is None:
        print(f"{wanted} is not installed; ./dev judge installs it")
        sys.exit(SKIPPED)
    unittest.main()
