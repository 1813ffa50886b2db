#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Skinning as PyTorch programs write it, on a CUDA device, to compare `sinew bench gpu` with.

usage: bench/torch_skinning.py

Two ways, each in batches of poses as large as is fastest: dense, with a weight for every vertex and joint (as the
package smplx does), and gathered, with four joints a vertex.
"""
import torch

VERTICES, JOINTS, POSES = 107266, 52, 2000


def dense(weights, matrices, points):
    blended = torch.matmul(weights, matrices.reshape(matrices.shape[0], JOINTS, 16))
    return torch.matmul(blended.view(-1, VERTICES, 4, 4), points[None, :, :, None])[:, :, :3, 0]


def gathered(joints, weights, matrices, points):
    blended = (matrices.reshape(-1, JOINTS, 16)[:, joints] * weights[None, :, :, None]).sum(2)
    return torch.matmul(blended.view(-1, VERTICES, 4, 4), points[None, :, :, None])[:, :, :3, 0]


def seconds(body, batch):
    best = 1e9
    for run in range(4):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for first in range(0, POSES, batch):
            body(first, first + batch)
        end.record()
        torch.cuda.synchronize()
        best = min(best, start.elapsed_time(end) / 1e3) if run else best
    return best


def main():
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    device = "cuda"
    joints = torch.randint(0, JOINTS, (VERTICES, 4), device=device)
    four = torch.full((VERTICES, 4), 0.25, device=device)
    weights = torch.zeros(VERTICES, JOINTS, device=device).scatter_add_(1, joints, four)
    matrices = torch.randn(POSES, JOINTS, 4, 4, device=device)
    points = torch.cat([torch.rand(VERTICES, 3, device=device), torch.ones(VERTICES, 1, device=device)], 1)
    for name, body in (
        ("dense", lambda a, b: dense(weights, matrices[a:b], points)),
        ("gathered", lambda a, b: gathered(joints, four, matrices[a:b], points)),
    ):
        best = max((POSES * VERTICES / seconds(body, batch) / 1e9, batch) for batch in (20, 50, 100, 200))
        print(f"torch {torch.__version__} {name}: {best[0]:.2f} G vertices/s, batches of {best[1]} poses")


main()
