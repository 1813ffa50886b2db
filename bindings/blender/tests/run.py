# SPDX-License-Identifier: Apache-2.0
"""Installs the add-on's .zip as a user does and runs the tests beside this file, inside Blender.

usage: blender --background --factory-startup --python run.py -- ADDON.zip PROGRAM [TEST...]
"""
import pathlib
import sys
import unittest

import bpy

HERE = pathlib.Path(__file__).resolve().parent


def main():
    archive, program, *names = sys.argv[sys.argv.index("--") + 1:]
    bpy.ops.preferences.addon_install(filepath=archive)
    bpy.ops.preferences.addon_enable(module="sinew_blender")
    sys.path.insert(0, str(HERE))
    import support
    support.PROGRAM = pathlib.Path(program)
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE), "*_test.py", str(HERE))
    done = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(tests)
    sys.stdout.flush()
    sys.exit(not done.wasSuccessful() or done.testsRun == 0)


main()
