# SPDX-License-Identifier: Apache-2.0
"""Rigs a mesh and plots what one joint moves, at rest and bent.

usage: rig_and_plot.py [MESH] [JOINT] [PICTURE]     (needs matplotlib)
"""
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import sinew

mesh = sys.argv[1] if len(sys.argv) > 1 else sinew.make("biped").mesh
joint = sys.argv[2] if len(sys.argv) > 2 else "LeftArm"
picture = sys.argv[3] if len(sys.argv) > 3 else "weights.png"

# %% A skeleton is found, weights are computed; quality="flesh" also makes what the deformer `flesh` needs.
rig = sinew.rig(mesh, quality="fast")
print(rig)

# %% One column of the weights is what one joint moves.
weights = rig.weights[:, rig.skeleton.find(joint)]
print(f"{joint} moves {np.count_nonzero(weights)} of {len(weights)} vertices")

# %% At rest, and bent by 60 degrees.
player = sinew.Player(rig, "dqs")
frames = player([sinew.pose(rig), sinew.pose(rig, {joint: {"bend": 60}})])

# %% As matplotlib draws triangles: y is up.
figure, axes = plt.subplots(1, 2, figsize=(8, 5), subplot_kw={"projection": "3d"})
colours = weights[player.mesh.triangles].mean(axis=1)
for axis, frame in zip(axes, frames):
    drawn = axis.plot_trisurf(frame[:, 2], frame[:, 0], frame[:, 1], triangles=player.mesh.triangles, cmap="viridis")
    drawn.set(array=colours, clim=(0, 1))
    axis.set_box_aspect(np.ptp(frame, axis=0)[[2, 0, 1]], zoom=1.15)
    axis.view_init(10, 20)
    axis.set_axis_off()
figure.colorbar(drawn, ax=axes, label=f"weight of {joint}")
figure.savefig(picture, dpi=100)
print(f"{picture}: written")
