# SPDX-License-Identifier: Apache-2.0
"""Scores a rig of another program: its own weights against sinew's, by the elastic reference.

usage: score_a_rig.py [RIG.glb] [JOINT]...
"""
import sys

import numpy as np

import sinew

# %% A file of any program; without one, an arm whose weights are by distance alone.
if len(sys.argv) > 1:
    rig = sinew.load(sys.argv[1])
else:
    arm = sinew.make("arm")
    nearness = 1 / np.linalg.norm(arm.mesh.vertices[:, None] - (arm.skeleton.heads + arm.skeleton.tails) / 2, axis=2) ** 4
    rig = sinew.make_rig(arm.mesh, arm.skeleton, nearness / nearness.sum(axis=1, keepdims=True))

# %% Energy over that of the elastic body, 1 is as good as can be; mean over the poses of these joints.
joints = sys.argv[2:] or ["ForeArm"]
report = sinew.compare(rig, joints=joints, pairs=[("own", "lbs"), ("own", "dqs")], voxels=24, clip_samples=0)
scores = {}
for pose in report["poses"]:
    for method in pose["methods"]:
        scores.setdefault((method["weights"], method["deformer"]), []).append(method["energy_ratio"])
for (weights, deformer), ratios in sorted(scores.items(), key=lambda entry: np.mean(entry[1])):
    print(f"{weights:>8} weights, {deformer:<12} {np.mean(ratios):8.2f}")
