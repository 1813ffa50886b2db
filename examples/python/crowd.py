# SPDX-License-Identifier: Apache-2.0
"""Poses a character many times on a GPU, into PyTorch tensors, and says how many vertices a second that is.

usage: crowd.py [RIG.glb [DEFORMER [POSES]]]
"""
import sys

import sinew

rig = sinew.load(sys.argv[1]) if len(sys.argv) > 1 else sinew.make("biped", resolution=70000)
deformer = sys.argv[2] if len(sys.argv) > 2 else "lbs"
poses = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
try:
    import torch

    player = sinew.Player(rig, deformer, device="cuda")
except (ImportError, sinew.ImpossibleError) as reason:
    sys.exit(f"no crowd: {reason}")
rotations = torch.nn.functional.normalize(torch.randn(poses, len(rig.skeleton), 4, device="cuda") * 0.1 + torch.tensor([0, 0, 0, 1.0], device="cuda"), dim=-1)
frames = player(rotations)
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
player(rotations, out=frames)
end.record()
torch.cuda.synchronize()
print(f"{frames.numel() / 3 / start.elapsed_time(end) / 1e6:.0f} G vertices a second, {tuple(frames.shape)} on {frames.device}")
