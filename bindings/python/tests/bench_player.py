# SPDX-License-Identifier: Apache-2.0
"""CPU time of a frame, Player against C++ and against dense skinning in numpy and, where it is installed, torch.

usage: PYTHONPATH=build/release/python bench_player.py BENCH_PLAYER [RIG] [DEFORMER]...

BENCH_PLAYER is the program that `cmake --build build/release --target bench_player` makes. 100 frames a call, one thread, the
best of 30 rounds; CPU time, so that other work on the machine counts for little.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import sinew

FRAMES, ROUNDS = 100, 30


def best(call):
    """Microseconds of CPU time a frame."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return 1e6 * min(times) / FRAMES


def dense(rig, poses, library):
    """What smplx does: blended matrices of all joints for every vertex."""
    matrices = library.asarray(np.ascontiguousarray(skinning(rig, poses), np.float32))
    weights = library.asarray(np.ascontiguousarray(rig.weights, np.float32))
    rest = library.asarray(np.concatenate([rig.mesh.vertices, np.ones((len(rig.mesh.vertices), 1))], axis=1).astype(np.float32))
    return lambda: library.einsum("fvab,vb->fva", (weights @ matrices.reshape(len(poses), len(weights[0]), 16)).reshape(len(poses), -1, 4, 4), rest)


def skinning(rig, poses):
    globals_, parents = np.array(poses.local), rig.skeleton.parents
    for j in range(len(parents)):  # parents come first in the built-in characters
        if parents[j] >= 0:
            globals_[:, j] = globals_[:, parents[j]] @ globals_[:, j]
    return globals_ @ np.linalg.inv(rig.bind)


def main():
    program, deformers = sys.argv[1], sys.argv[3:] or ["lbs", "dqs", "flesh"]
    sinew.set_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        file = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(folder, "biped.glb")
        if len(sys.argv) <= 2:
            sinew.save(sinew.make("biped"), file)
        rig = sinew.load(file)
        duration = list(rig.clips.values())[0]
        poses = sinew.clip(rig, 0, fps=FRAMES / duration, end=duration * (1 - 0.5 / FRAMES))
        print(f"{len(rig.mesh.vertices)} vertices, {len(rig.skeleton)} joints, {len(poses)} frames a call, one thread")
        for deformer in deformers:
            player = sinew.Player(rig, deformer)
            out = np.empty((len(poses), player.vertex_count, 3), np.float32)
            native = float(subprocess.run([program, file, deformer], check=True, capture_output=True, text=True).stdout)
            ours = best(lambda: player(poses, out=out))
            native = min(native, float(subprocess.run([program, file, deformer], check=True, capture_output=True, text=True).stdout))
            print(f"{deformer:>12}: {ours:8.1f} us a frame in Python, {native:8.1f} in C++, {100 * (ours / native - 1):+.1f} %")
        libraries = [np]
        try:
            import torch

            torch.set_num_threads(1)
            libraries.append(torch)
        except ImportError:
            pass
        for library in libraries:
            print(f"{library.__name__:>12}: {best(dense(rig, poses, library)):8.1f} us a frame, dense linear blending")


if __name__ == "__main__":
    main()
