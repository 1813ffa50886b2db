# SPDX-License-Identifier: Apache-2.0
"""Players on a CUDA device, beside the same on the processor."""
import numpy as np
import pytest

import sinew
from sinew import _sinew

torch = pytest.importorskip("torch") if _sinew.device_count() else None
needs_device = pytest.mark.skipif(not _sinew.device_count(), reason="no CUDA device, or a build without CUDA")


def test_says_where_there_is_no_device():
    rig = sinew.make("arm", resolution=500)
    with pytest.raises(sinew.ImpossibleError):
        sinew.Player(rig, "lbs", device="cuda:1000")
    with pytest.raises(sinew.UsageError, match="device"):
        sinew.Player(rig, "lbs", device="tpu")
    with pytest.raises(sinew.UsageError, match="mush_passes"):
        sinew.Player(rig, "lbs", device="cuda", mush_passes=3)
    with pytest.raises(sinew.ImpossibleError, match="curve"):
        sinew.Player(rig, "curve", device="cuda")


def random_poses(rig, count):
    rotations = np.random.default_rng(3).normal(0, 0.2, (count, len(rig.skeleton), 4)).astype(np.float32)
    rotations[..., 3] += 1
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    local = np.repeat(sinew.pose(rig).local, count, axis=0)
    x, y, z, w = np.moveaxis(rotations.astype(float), -1, 0)
    local[..., :3, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                                   2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                                   2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1).reshape(*x.shape, 3, 3)
    return rotations, local


@needs_device
@pytest.mark.parametrize("deformer", ["lbs", "dqs"])
def test_gives_what_the_processor_gives(deformer):
    rig = sinew.make("arm", resolution=1000)
    rotations, local = random_poses(rig, 70)
    positions, normals = sinew.Player(rig, deformer)(local, normals=True)
    player = sinew.Player(rig, deformer, device="cuda")
    on_device = torch.from_numpy(rotations).cuda()
    made, turned = player(on_device, normals=True)
    assert made.is_cuda and made.shape == positions.shape
    np.testing.assert_allclose(made.cpu().numpy(), positions, atol=1e-5 * np.ptp(positions))
    np.testing.assert_allclose(turned.cpu().numpy(), normals, atol=2e-3)
    out = torch.empty_like(made)
    assert player(on_device, out=out) is out and torch.equal(out, player(on_device))
    # With gaps behind the frames, as it makes them itself, or of any other size, or without.
    vertices = player.vertex_count
    assert made.stride(0) * 4 % 128 == 0 and made.data_ptr() % 128 == 0
    for gap in (0, 1, 33):
        memory = torch.full((70, 3 * vertices + gap), 7.0, device="cuda")
        frames = memory[:, :3 * vertices].unflatten(1, (vertices, 3))
        other = torch.empty(70, vertices, 3, device="cuda")
        assert player(on_device, out=frames, normals=other)[0] is frames
        assert torch.equal(frames, made) and torch.equal(other, turned) and (memory[:, 3 * vertices:] == 7).all()
    half = player(on_device, out=torch.empty_like(made, dtype=torch.float16))
    np.testing.assert_allclose(half.float().cpu().numpy(), positions, atol=2e-3 * np.ptp(positions))


@needs_device
def test_refuses_what_it_cannot_take():
    rig = sinew.make("arm", resolution=500)
    player = sinew.Player(rig, "lbs", device="cuda")
    joints = len(rig.skeleton)
    good = torch.zeros(2, joints, 4, device="cuda")
    good[..., 3] = 1
    for bad in (good.cpu(), good[:, :-1], good.double(), good.transpose(0, 1).contiguous().transpose(0, 1)):
        with pytest.raises(sinew.UsageError, match="rotations"):
            player(bad)
    with pytest.raises(sinew.UsageError, match="out"):
        player(good, out=torch.empty(2, 3, player.vertex_count, device="cuda").transpose(1, 2))
    with pytest.raises(sinew.UsageError, match="out"):
        player(good, out=torch.empty(1, player.vertex_count, 3, device="cuda"))
    assert player(good[:0]).shape == (0, player.vertex_count, 3)
