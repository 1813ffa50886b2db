# SPDX-License-Identifier: Apache-2.0
"""Players: shapes, spaces, threads; against linear blending written here."""
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays

import sinew


def blended(rig, poses):
    """Linear blend skinning in numpy, in double: what any book says."""
    locals_, parents = poses.local, rig.skeleton.parents
    globals_ = np.array(locals_)
    done = [False] * len(parents)

    def reach(j):
        if not done[j]:
            if parents[j] >= 0:
                reach(parents[j])
                globals_[:, j] = globals_[:, parents[j]] @ locals_[:, j]
            done[j] = True

    for j in range(len(parents)):
        reach(j)
    matrices = globals_ @ np.linalg.inv(rig.bind)
    rest = np.concatenate([rig.mesh.vertices, np.ones((len(rig.mesh.vertices), 1))], axis=1)
    return np.einsum("vj,fjab,vb->fva", rig.weights, matrices, rest)[..., :3]


@pytest.mark.parametrize("name", ["CesiumMan.glb", "Fox.glb", "male_base_mesh.glb"])
def test_lbs_is_linear_blending(data, name):
    rig = sinew.load(data / "rigged_gltf" / name)
    poses = sinew.clip(rig, 0, fps=8) if rig.clips else sinew.pose(rig, {rig.skeleton.names[3]: (30, 0, 40)})
    wanted = blended(rig, poses)
    frames = sinew.Player(rig, "lbs")(poses)
    assert frames.shape == wanted.shape and frames.dtype == np.float32
    assert np.abs(frames - wanted).max() < 1e-5 * np.ptp(wanted)


def test_one_pose_array_gives_one_frame(arm):
    player = sinew.Player(arm, "dqs")
    poses = sinew.clip(arm, fps=10)
    frames = player(poses)
    assert player(poses.local).shape == frames.shape == (len(poses), len(arm.mesh.vertices), 3)
    assert np.array_equal(player(poses.local[2]), frames[2])
    assert np.array_equal(player(poses.local[:, :, :3])[2], frames[2])
    assert np.array_equal(player([poses[1], poses[3]]), frames[[1, 3]])
    assert np.array_equal(player(np.asfortranarray(poses.local)), frames)
    assert player(poses.local[:0]).shape == (0, len(arm.mesh.vertices), 3)


def test_frames_do_not_depend_on_threads_or_on_how_many_there_are(biped):
    player = sinew.Player(biped, "dqs+mush")
    poses = sinew.clip(biped)
    frames = player(poses)
    alone = np.concatenate([player(pose) for pose in poses])
    assert np.array_equal(frames, alone)
    before = sinew.threads()
    try:
        sinew.set_threads(1)
        assert np.array_equal(player(poses), frames)
    finally:
        sinew.set_threads(before)


def test_several_threads_share_a_player(biped):
    player = sinew.Player(biped, "dqs")
    poses = sinew.clip(biped)
    wanted = player(poses)
    made = [None] * 6

    def work(k):
        for _ in range(5):
            made[k] = player(poses)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(made))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(frames, wanted) for frames in made)


def test_frames_go_into_the_callers_memory(arm):
    player = sinew.Player(arm)
    poses = sinew.clip(arm, fps=10)
    out = np.full((len(poses), len(arm.mesh.vertices), 3), 9, np.float32)
    assert player(poses, out=out) is out
    assert np.array_equal(out, player(poses))
    read_only = out.copy()
    read_only.flags.writeable = False
    for wrong in (out[1:], out.astype(float), np.asfortranarray(out), read_only, out.tolist()):
        with pytest.raises(sinew.UsageError, match="^out must be"):
            player(poses, out=wrong)


def test_normals_have_length_one(arm):
    positions, normals = sinew.Player(arm)(sinew.clip(arm, fps=5), normals=True)
    assert positions.shape == normals.shape
    assert np.allclose(np.linalg.norm(normals, axis=2), 1, atol=1e-3)


def test_poses_that_do_not_fit_are_refused(arm):
    player = sinew.Player(arm)
    poses = sinew.clip(arm, fps=5).local
    bad = poses.copy()
    bad[1, 2, 0, 3] = np.nan
    projected = poses.copy()
    projected[0, 0, 3, 0] = 1
    for wrong, says in ((poses[:, 1:], "joints"), (poses[..., :3, :3], "shape"), (bad, r"not finite, at \(1, 2, 0, 3\)"),
                        (projected, "last row"), ("walk", "type"), (poses.astype(complex), "type"),
                        (np.zeros((2, 3)), "shape"), (sinew.Poses(poses, keys=np.zeros((len(poses), 2))), "key weights")):
        with pytest.raises(sinew.UsageError, match=says):
            player(wrong)


def test_frames_that_are_not_finite_are_an_error_and_no_result(arm):
    poses = sinew.clip(arm, fps=5).local.copy()
    poses[1, :, :3, :3] *= 1e30
    with pytest.raises(sinew.ImpossibleError, match="frame 1: the position of vertex .* is not finite"):
        sinew.Player(arm)(poses)


def test_one_number_that_is_not_finite_is_found_wherever_it_lies():
    bone = sinew.Skeleton(["bone"], [-1], [[0, 0, 0]], tails=[[0, 1, 0]])
    vertices = np.random.default_rng(5).normal(size=(53, 3))
    for i in range(len(vertices)):
        far = vertices.copy()
        far[i, i % 3] = 1e38
        rig = sinew.make_rig(sinew.Mesh(far, [[0, 1, 2]]), bone, np.ones((len(far), 1)))
        larger = rig.skeleton.rest[None] * np.array([10, 10, 10, 1])[:, None]
        player = sinew.Player(rig)
        for _ in range(2):  # on a thread of its own, and then, as it is short, on this one
            with pytest.raises(sinew.ImpossibleError, match=f"frame 0: the position of vertex {i} is not finite"):
                player(larger)
        assert np.flatnonzero(~np.isfinite(player(larger, check=False)).ravel()).tolist() == [3 * i + i % 3]


@given(st.data())
def test_frames_are_refused_exactly_where_they_are_not_finite(arm, data):
    player = sinew.Player(arm, data.draw(st.sampled_from(["lbs", "dqs"])))
    entries = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-2, 2) | st.sampled_from([0.0, 1e11, 1e12, 1e20, 1e38])
    poses = np.tile(arm.skeleton.rest, (3, 1, 1, 1))
    poses[data.draw(st.integers(0, 2)), data.draw(st.integers(0, len(arm.skeleton) - 1)), :3] = data.draw(
        arrays.arrays(np.float64, (3, 4), elements=entries))
    finite = np.isfinite(player(poses, check=False)).all(axis=(1, 2))
    if finite.all():
        assert np.isfinite(player(poses)).all()
    else:
        with pytest.raises(sinew.ImpossibleError, match=f"^frame {np.argmin(finite)}: .* is not finite"):
            player(poses)


def test_keys_and_stretched_bones_travel_with_poses(arm):
    shape = arm.mesh.vertices + (0, 0.02, 0)
    rig = sinew.add_key(arm, "up", shape)
    assert np.allclose(rig.keys["up"], (0, 0.02, 0), atol=1e-7)
    player = sinew.Player(rig)
    rest, up = player(sinew.pose(rig))[0], player(sinew.pose(rig, keys={"up": 0.5}))[0]
    assert np.allclose(up - rest, (0, 0.01, 0), atol=1e-5)
    both = sinew.Poses.join([sinew.pose(rig, stretch={"ForeArm": 1.5}), sinew.pose(rig)])
    frames = sinew.Player(rig, "stretch-lbs")(both)
    assert np.ptp(frames[0], axis=0).max() > np.ptp(frames[1], axis=0).max() * 1.1


def test_subdivided_frames_have_a_mesh_of_their_own(arm):
    player = sinew.Player(arm, subdivide=1)
    assert player(sinew.pose(arm)).shape[1] == len(player.mesh.vertices) > 3 * len(arm.mesh.vertices)


def test_names_that_are_not_there_are_said(arm):
    with pytest.raises(sinew.UsageError, match="there is no joint 'Forarm'"):
        sinew.pose(arm, {"Forarm": (0, 0, 1)})
    with pytest.raises(sinew.UsageError, match="clip"):
        sinew.clip(arm, "nothing")
    for wrong in ({"ForeArm": 3}, {"ForeArm": (1, 2)}, {"ForeArm": (1, 2, np.nan)}, {"ForeArm": {"turn": 3}}):
        with pytest.raises(sinew.UsageError, match="^set of 'ForeArm'"):
            sinew.pose(arm, wrong)
