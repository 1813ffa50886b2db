#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The Blender add-on, installed from its .zip: runs bindings/blender/tests inside Blender.

usage: blender_addon_test.py PROGRAM ROOT BUILD [TEST...]; skips where Blender is not installed (./dev judge installs it).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
SKIPPED = 77


def main():
    if shutil.which("blender") is None:
        print("Blender is not installed; ./dev judge installs it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        archive = folder / "sinew_blender.zip"
        subprocess.run([ROOT / "tools/pack_blender", BUILD, archive], check=True)
        environment = {**os.environ, "BLENDER_USER_CONFIG": str(folder / "config"), "BLENDER_USER_SCRIPTS": str(folder / "scripts")}
        for name in ("config", "scripts"):
            (folder / name).mkdir()
        return subprocess.run(["blender", "--background", "--factory-startup", "--python-exit-code", "3", "--python",
                               ROOT / "bindings/blender/tests/run.py", "--", archive, PROGRAM, *sys.argv[4:]],
                              env=environment, timeout=900).returncode


sys.exit(main())
