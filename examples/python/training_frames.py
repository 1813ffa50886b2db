# SPDX-License-Identifier: Apache-2.0
"""Makes posed frames of a rig to train with: random poses within a range of motion, and the vertices they give.

usage: training_frames.py [RIG] [FRAMES] [FILE.npz]
"""
import sys
import time

import numpy as np

import sinew

rig = sinew.load(sys.argv[1]) if len(sys.argv) > 1 else sinew.make("biped")
count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
path = sys.argv[3] if len(sys.argv) > 3 else "frames.npz"


def rotations(vectors):
    """Axis-angle vectors (..., 3) as matrices (..., 3, 3), by Rodrigues' formula."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vectors / np.maximum(angle[..., 0], 1e-12), -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*x.shape, 3, 3)
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


# %% Every joint that deforms turns by up to 40 degrees about a random axis; roots stay.
generator = np.random.default_rng(7)
parents, deforms = np.array(rig.skeleton.parents), np.array(rig.skeleton.deforms)
axis_angles = generator.normal(size=(count, len(parents), 3))
axis_angles *= np.radians(generator.uniform(0, 40, (count, len(parents), 1))) / np.linalg.norm(axis_angles, axis=-1, keepdims=True)
axis_angles[:, (parents < 0) | ~deforms] = 0

# %% Poses are joints relative to their parents: the rest pose, turned.
local = np.tile(rig.skeleton.rest, (count, 1, 1, 1))
local[..., :3, :3] = local[..., :3, :3] @ rotations(axis_angles)

# %% All frames at once, on all threads.
player = sinew.Player(rig)
started = time.perf_counter()
frames = player(local)
seconds = time.perf_counter() - started
print(f"{count} frames of {frames.shape[1]} vertices by {player.deformer}: {count / seconds:.0f} a second")

# %% Half precision holds a tenth of a millimetre of a body.
np.savez_compressed(path, axis_angles=axis_angles.astype(np.float32), vertices=frames.astype(np.float16),
                    triangles=player.mesh.triangles, joints=np.array(rig.skeleton.names))
print(f"{path}: written")
