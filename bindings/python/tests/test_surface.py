# SPDX-License-Identifier: Apache-2.0
"""What users see: names, settings, documentation, stubs, and verbs that need more than bytes to be believed."""
import inspect
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import sinew

# Verbs that have no function of their name, and why: the studio and the benchmarks are programs; convert is load and
# save; pose is pose, posed_mesh and Player; skeleton is find_skeleton; keys is add_key.
ELSEWHERE = {"studio", "bench", "convert", "skeleton", "keys"}


def test_every_verb_has_its_function():
    program = os.environ.get("SINEW_PROGRAM")
    if not program:
        pytest.skip("SINEW_PROGRAM does not name the command line")
    listed = re.search(r"(?m)^Subcommands:\n((?:  .*\n)+)", subprocess.run([program, "--help"], capture_output=True, text=True).stdout)
    for verb in re.findall(r"(?m)^  (\w+) ", listed[1]):
        assert verb in ELSEWHERE or callable(getattr(sinew, verb, None)), verb


def test_settings_are_those_of_the_command_line():
    program = os.environ.get("SINEW_PROGRAM")
    if not program:
        pytest.skip("SINEW_PROGRAM does not name the command line")
    for verb, rows in (("pose", sinew._sinew.deformer_settings()), ("weights", sinew._sinew.weight_settings()),
                       ("check", sinew.settings("check")), ("cage bind", sinew.settings("cage"))):
        help_ = subprocess.run([program, *verb.split(), "--help-all"], capture_output=True, text=True).stdout
        assert rows
        for row in rows:
            assert f"--{row['name'].replace('_', '-')}" in help_


def test_settings_are_documented_where_they_are_taken():
    for row in sinew.settings():
        assert row["help"] and row["range"]
    assert {row["of"] for row in sinew.settings()} >= {"mush", "curve", "envelope", "elastic"}
    assert {row["of"] for row in sinew.settings("mush")} == {"mush"}
    assert "mush_passes: " in sinew.Player.__doc__ and "smoothing: " in sinew.weights.__doc__
    assert "bend: " in sinew.check.__doc__ and "resolution: " in sinew.cage.__doc__ and "mush_passes: " in sinew.render.__doc__


@pytest.mark.parametrize("settings, says", [
    ({"mush_passes": -1}, "mush_passes is -1: give a whole number from 0 to 1000"),
    ({"mush_passes": 1.5}, "mush_passes is 1.5"),
    ({"mush_passes": True}, "mush_passes cannot be True"),
    ({"mush_passes": [3]}, "mush_passes cannot be [3]"),
    ({"mush_passes": float("nan")}, "mush_passes is nan"),
    ({"mush-passes": 3, "nothing": 1}, "there is no setting 'nothing'"),
    ({"deformer": "dsq"}, "deformer is 'dsq': choose one of flesh, lbs"),
])
def test_settings_out_of_range_are_refused_by_their_python_name(arm, settings, says):
    with pytest.raises(sinew.UsageError) as caught:
        sinew.Player(arm, **{"deformer": "lbs+mush", **settings})
    assert says in str(caught.value)


def test_settings_change_what_they_say(arm):
    pose = sinew.pose(arm, {"ForeArm": (0, 0, 80)})
    few, many = (sinew.Player(arm, "lbs+mush", mush_passes=n)(pose) for n in (2, 40))
    assert np.abs(few - many).max() > 1e-4
    assert np.array_equal(sinew.Player(arm, "lbs+mush", mush_passes="40")(pose), many)


def test_everything_public_is_documented_and_typed():
    package = pathlib.Path(sinew.__file__).parent
    assert (package / "py.typed").exists()
    for name in sinew.__all__:
        thing = getattr(sinew, name)
        assert name == "__version__" or inspect.getdoc(thing), name
    stub = package / "_sinew.pyi"
    if not stub.exists():
        pytest.skip("the stub is made by a whole build")
    text = stub.read_text()
    for name in ("class Mesh", "class Skeleton", "class Rig", "def vertices", "def set_threads"):
        assert name in text
    compile(text, str(stub), "exec")


def test_a_cage_that_is_moved_moves_the_mesh(arm):
    rig = sinew.cage(arm, controls=60, resolution=4)
    cage = rig.cages["cage"]
    moved = sinew.posed_mesh(rig, cages={"cage": cage.vertices + (0.25, 0, 0)})
    still = sinew.posed_mesh(rig, cages={"cage": cage.vertices})
    assert np.allclose(moved.vertices - still.vertices, (0.25, 0, 0), atol=1e-4)
    with pytest.raises(sinew.UsageError, match="cages"):
        sinew.posed_mesh(rig, cages={"box": cage.vertices})


def test_unposing_takes_an_edit_back_to_the_rest_shape(arm):
    pose = sinew.pose(arm, {"ForeArm": (0, 0, 70)})
    posed = sinew.posed_mesh(arm, pose, "dqs").vertices
    rest, report = sinew.unpose(arm, posed, pose, "dqs")
    assert np.allclose(rest, arm.mesh.vertices, atol=1e-5)
    edited = posed + (0, 0, 0.01)
    rest, report = sinew.unpose(arm, edited, pose, "dqs")
    again = sinew.make_rig(sinew.Mesh(rest, arm.mesh.faces), arm.skeleton, arm.weights)
    assert np.abs(sinew.Player(again, "dqs")(pose)[0] - edited).max() < 1e-4
    assert report["changed"] == len(posed)


def test_a_sculpted_key_shows_in_its_pose_alone(arm):
    pose = sinew.pose(arm, {"ForeArm": (0, 0, 80)})
    sculpted = sinew.posed_mesh(arm, pose).vertices + (0, 0, 0.02)
    rig = sinew.add_key(arm, "bulge", sculpted, pose=pose, example=True)
    player = sinew.Player(rig)
    assert np.abs(player(sinew.pose(rig, {"ForeArm": (0, 0, 80)}))[0] - sculpted).max() < 1e-3
    assert np.abs(player(sinew.pose(rig))[0] - sinew.Player(arm)(sinew.pose(arm))[0]).max() < 1e-3


def test_weights_are_mirrored_and_taken_over(biped):
    rig = sinew.reweight(biped, mirror="x", prune=2)
    assert (rig.weights > 0).sum(axis=1).max() <= 2
    shirt = sinew.Mesh(biped.mesh.vertices[:, :] * 1.01, biped.mesh.faces)
    dressed = sinew.reweight(shirt, source=biped)
    assert np.abs(dressed.weights - biped.weights).sum(axis=1).mean() < 0.2


def test_compare_scores_a_rig(arm):
    report = sinew.compare(arm, joints=["ForeArm"], voxels=20, clip_samples=0, pairs=[("own", "lbs")])
    methods = report["poses"][0]["methods"]
    assert {"weights": "own", "deformer": "lbs"}.items() <= methods[-1].items() or any(m["weights"] == "own" for m in methods)
    assert all(m["energy_ratio"] >= 0.99 for m in methods)
    json.dumps(report)


def test_inbetweens_begin_and_end_with_their_shapes(arm):
    bent = sinew.posed_mesh(arm, sinew.pose(arm, {"ForeArm": (0, 0, 60)}))
    frames = sinew.inbetween([arm.mesh, bent], 5)
    assert frames.shape == (5, len(arm.mesh.vertices), 3)
    assert np.allclose(frames[0], arm.mesh.vertices, atol=1e-5) and np.allclose(frames[-1], bent.vertices, atol=1e-5)
