# SPDX-License-Identifier: Apache-2.0
"""Installs the add-on's .zip as a user does and runs the tests beside this file, inside Blender.

usage: blender --background --factory-startup --python run.py -- ADDON.zip PROGRAM [TEST...]
       python run.py -- ADDON.zip PROGRAM [TEST...], where Blender is the Python package bpy

From Blender 4.2 on the .zip is installed as an extension.
"""
import os
import pathlib
import sys
import unittest

import bpy

HERE = pathlib.Path(__file__).resolve().parent


def install(archive):
    """The name that the add-on has as a module."""
    if bpy.app.version < (4, 2, 0):
        bpy.ops.preferences.addon_install(filepath=archive)
        bpy.ops.preferences.addon_enable(module="sinew_blender")
        return "sinew_blender"
    bpy.ops.extensions.package_install_files(filepath=archive, repo="user_default", enable_on_install=True)
    name = "bl_ext.user_default.sinew_blender"
    for module in [module for module in sys.modules if module.startswith(name)]:
        sys.modules["sinew_blender" + module[len(name):]] = sys.modules[module]  # what tests import
    return name


def main():
    archive, program, *names = sys.argv[sys.argv.index("--") + 1:]
    name = install(archive)
    sys.path.insert(0, str(HERE))
    import support
    support.PROGRAM, support.MODULE = pathlib.Path(program), name
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), "*_test.py", str(HERE))
    done = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    print(f"in Blender {bpy.app.version_string}, as {name}")
    sys.stdout.flush()
    os._exit(not done.wasSuccessful() or done.testsRun == 0)  # the package bpy crashes where it is taken down


main()
