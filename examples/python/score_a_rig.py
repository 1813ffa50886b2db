# SPDX-License-Identifier: Apache-2.0
"""Grades a rig of another program, names its worst joints, and says what weights of ours would change.

usage: score_a_rig.py [RIG.glb] [VOXELS]
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
voxels = int(sys.argv[2]) if len(sys.argv) > 2 else None

# %% A is as good as plain skinning can be. Joints by their energy over that of an elastic body, with what is wrong.
report = sinew.check(rig, voxels=voxels)
print(f"grade {report['grade']}")
measured = [joint for joint in report["joints"] if joint["energy_ratio"] is not None]
for joint in sorted(measured, key=lambda joint: joint["energy_ratio"], reverse=True)[:8]:
    print(f"{joint['name']:>24} {joint['grade']} {joint['energy_ratio']:8.2f}  {'; '.join(joint['reasons'])}")

# %% The same mesh and joints with weights of ours, and how far apart the two are.
ours = sinew.weights(rig, voxels=voxels or 0)
again = sinew.check(ours, against=rig, voxels=voxels)
print(f"grade {again['grade']} with bounded biharmonic weights, which differ by {again['l1']:.2f} a vertex")
