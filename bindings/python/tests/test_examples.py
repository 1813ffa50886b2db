# SPDX-License-Identifier: Apache-2.0
"""The examples, as somebody runs them who tries them; and the lines of README.md."""
import importlib.util
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import sinew

ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(folder, name, *arguments):
    done = subprocess.run([sys.executable, ROOT / "examples/python" / name, *map(str, arguments)], cwd=folder,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def needs_matplotlib():
    if importlib.util.find_spec("matplotlib") is None:
        pytest.skip("matplotlib is not installed")


def test_a_mesh_is_rigged_and_plotted(data, tmp_path):
    needs_matplotlib()
    said = run(tmp_path, "rig_and_plot.py", data / "quad/mh_proxy741.obj", "LeftArm", "plot.png")
    assert re.search(r"LeftArm moves \d+ of \d+ vertices", said)
    assert (tmp_path / "plot.png").stat().st_size > 10_000


def test_frames_to_train_with_are_those_of_their_poses(tmp_path):
    sinew.save(sinew.make("hand", resolution=1000), tmp_path / "hand.glb")
    run(tmp_path, "training_frames.py", "hand.glb", 40, "frames.npz")
    held = np.load(tmp_path / "frames.npz")
    rig = sinew.load(tmp_path / "hand.glb")
    assert held["vertices"].shape == (40, len(rig.mesh.vertices), 3)
    angles = held["axis_angles"].astype(float)
    assert 0.5 < np.linalg.norm(angles, axis=-1).max() <= np.radians(40.001)
    scipy_rotation = pytest.importorskip("scipy.spatial.transform").Rotation
    local = np.tile(rig.skeleton.rest, (40, 1, 1, 1))
    turned = scipy_rotation.from_rotvec(angles.reshape(-1, 3)).as_matrix().reshape(40, -1, 3, 3)
    local[..., :3, :3] = local[..., :3, :3] @ turned
    assert np.abs(sinew.Player(rig)(local) - held["vertices"]).max() < 1e-3


def test_weights_by_distance_score_worse_than_ours(tmp_path):
    said = run(tmp_path, "score_a_rig.py")
    before, after = re.findall(r"^grade ([A-F])", said, re.MULTILINE)
    assert after < before
    ratios = [float(ratio) for ratio in re.findall(r"^ +\w+ [A-F] +([\d.]+)", said, re.MULTILINE)]
    assert len(ratios) > 1 and ratios == sorted(ratios, reverse=True) and ratios[-1] >= 0.99
    assert float(re.search(r"differ by ([\d.]+)", said)[1]) > 0.1


def test_a_rig_of_a_file_is_graded(data, tmp_path):
    said = run(tmp_path, "score_a_rig.py", data / "rigged_gltf/CesiumMan.glb", 24)
    assert len(re.findall(r"^grade [A-F]", said, re.MULTILINE)) == 2 and re.search(r"differ by [\d.]+", said)


def test_a_crowd_is_posed_or_it_says_why_not(tmp_path):
    sinew.save(sinew.make("arm", resolution=500), tmp_path / "arm.glb")
    done = subprocess.run([sys.executable, ROOT / "examples/python/crowd.py", tmp_path / "arm.glb", "dqs", "40"],
                          capture_output=True, text=True)
    if done.returncode:
        assert done.stderr.startswith("no crowd: "), done.stderr
    else:
        assert re.search(r"vertices a second, \(40, \d+, 3\) on cuda", done.stdout), done.stdout


def readme_lines(name):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks, name
    return blocks


def test_the_lines_of_the_readme_run(data, tmp_path):
    needs_matplotlib()
    (block,) = readme_lines("README.md")
    assert len([line for line in block.splitlines() if line.strip()]) <= 10
    (tmp_path / "body.obj").write_bytes((data / "quad/mh_proxy741.obj").read_bytes())
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, env=plain_plots())
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "weights.png").stat().st_size > 10_000 and (tmp_path / "body.glb").exists()


def test_the_lines_of_the_page_run(data, tmp_path):
    sinew.save(sinew.make("biped", resolution=1500).mesh, tmp_path / "body.obj")
    if not (data / "bvh/mh_walk1.bvh").exists():
        pytest.skip("no motion to retarget")
    (tmp_path / "walk.bvh").write_bytes((data / "bvh/mh_walk1.bvh").read_bytes())
    text = "\n".join(block for block in readme_lines("docs/python.md"))
    done = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, env=plain_plots())
    assert done.returncode == 0, done.stderr


def plain_plots():
    import os

    return {**os.environ, "MPLBACKEND": "Agg"}
