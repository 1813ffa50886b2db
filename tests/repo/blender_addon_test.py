#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Blender add-on, installed from its .zip: runs bindings/blender/tests inside Blender.

usage: blender_addon_test.py PROGRAM ROOT BUILD [TEST...]; skips where Blender is not installed (./dev judge installs it).
SINEW_BPY: a Python with the package bpy (pip install bpy==4.2.0), a newer Blender to run them in as well.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
SKIPPED = 77


def run_in(command, archive, folder):
    """The tests in one Blender, with settings of its own."""
    environment = dict(os.environ)
    for name in ("config", "scripts", "extensions"):
        environment[f"BLENDER_USER_{name.upper()}"] = str(folder / name)
        (folder / name).mkdir()
    return subprocess.run([*command, ROOT / "bindings/blender/tests/run.py", "--", archive, PROGRAM, *sys.argv[4:]],
                          env=environment, timeout=900).returncode


def main():
    blenders = []
    if shutil.which("blender"):
        blenders.append(["blender", "--background", "--factory-startup", "--python-exit-code", "3", "--python"])
    if python := os.environ.get("SINEW_BPY"):
        blenders.append([python])
    if not blenders:
        print("Blender is not installed; ./dev judge installs it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        archive = folder / "sinew_blender.zip"
        subprocess.run([ROOT / "tools/pack_blender", BUILD, archive], check=True)
        codes = []
        for number, command in enumerate(blenders):
            (folder / str(number)).mkdir()
            codes.append(run_in(command, archive, folder / str(number)))
        return max(codes)


sys.exit(main())
