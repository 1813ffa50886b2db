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


def settings_in(folder):
    """An environment in which Blender keeps its settings and add-ons in this folder."""
    environment = dict(os.environ)
    environment.setdefault("SINEW_DATA", str(ROOT.parent / "shared/data"))
    for name in ("config", "scripts", "extensions"):
        environment[f"BLENDER_USER_{name.upper()}"] = str(folder / name)
        (folder / name).mkdir(parents=True)
    return environment


def run_in(command, archive, folder):
    return subprocess.run([*command, ROOT / "bindings/blender/tests/run.py", "--", archive, PROGRAM, *sys.argv[4:]],
                          env=settings_in(folder), timeout=900).returncode


def run_in_window(archive, folder):
    """Modal operators need a window, and that a display."""
    environment = {**settings_in(folder), "LIBGL_ALWAYS_SOFTWARE": "1"}
    for words in (["make", "biped", "--resolution", 2000, "-o", folder / "body.glb"],
                  ["convert", folder / "body.glb", "-o", folder / "body.obj"]):
        subprocess.run([PROGRAM, *map(str, words), "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return subprocess.run(["xvfb-run", "--auto-servernum", "--server-args", "-screen 0 1000x700x24", "blender", "--factory-startup",
                           "--enable-event-simulate", "--python", ROOT / "bindings/blender/tests/window.py", "--", archive,
                           folder / "body.obj"], env=environment, timeout=900).returncode


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
            codes.append(run_in(command, archive, folder / str(number)))
        if shutil.which("blender") and shutil.which("xvfb-run") and not sys.argv[4:]:
            codes.append(run_in_window(archive, folder / "window"))
        return max(codes)


sys.exit(main())
