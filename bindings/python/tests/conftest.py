# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share. SINEW_PROGRAM is the command line to compare with, SINEW_DATA the folder of
test data; tests that need one of them skip without it."""
import os
import pathlib
import subprocess

import pytest
from hypothesis import HealthCheck, settings

import sinew

ROOT = pathlib.Path(__file__).resolve().parents[3]
settings.register_profile("sinew", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sinew")


def data_folder():
    named = os.environ.get("SINEW_DATA")
    return pathlib.Path(named) if named else ROOT.parent / "shared/data"


@pytest.fixture(scope="session")
def data():
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip("no test data: SINEW_DATA names its folder")
    return folder


@pytest.fixture
def program(tmp_path):
    """Runs the command line in the test's folder."""
    path = os.environ.get("SINEW_PROGRAM")
    if not path:
        pytest.skip("SINEW_PROGRAM does not name the command line")

    def run(*arguments):
        done = subprocess.run([path, *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def arm():
    return sinew.make("arm")


@pytest.fixture(scope="session")
def biped():
    return sinew.make("biped")
