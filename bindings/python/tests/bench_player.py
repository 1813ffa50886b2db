# SPDX-License-Identifier: Apache-2.0
"""CPU time of a frame, Player against C++ and against dense skinning in numpy and, where it is installed, torch.

usage: PYTHONPATH=build/release/python bench_player.py BENCH_PLAYER [RIG] [DEFORMER]...

BENCH_PLAYER is the program that `cmake --build build/release --target bench_player` makes. 100 frames a call, one thread,
CPU time, so that other work on the machine counts for little: 7 times the best of 10 rounds, of which the shortest and the
median ratio to C++ are shown.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import sinew

FRAMES, ROUNDS, TURNS = 100, 10, 7


def best(call):
    """Microseconds of CPU time a frame."""
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return 1e6 * min(times) / FRAMES


def native(program, file, deformer):
    """The same, in C++."""
    return float(subprocess.run([program, file, deformer], check=True, capture_output=True, text=True).stdout)


def dense(rig, poses, library):
    """What smplx does: the matrices of all joints blended for every vertex, then applied (lbs.py, the last lines of lbs)."""
    frames, joints, count = len(poses), len(rig.skeleton), len(rig.mesh.vertices)
    rest = np.concatenate([rig.mesh.vertices, np.ones((count, 1))], axis=1)
    matrices, weights, rest = (library.asarray(np.ascontiguousarray(array, np.float32))
                               for array in (skinning(rig, poses), rig.weights, rest))
    matrices, rest = matrices.reshape(frames, joints, 16), rest.reshape(1, count, 4, 1)
    return lambda: library.matmul(library.matmul(weights, matrices).reshape(frames, count, 4, 4), rest)[:, :, :3, 0]


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
            made = sinew.make("biped")
            sinew.save(sinew.rig(made, quality="flesh" if "flesh" in deformers else "fast"), file)
        rig = sinew.load(file)
        duration = list(rig.clips.values())[0]
        poses = sinew.clip(rig, 0, fps=FRAMES / duration, end=duration * (1 - 0.5 / FRAMES))
        print(f"{len(rig.mesh.vertices)} vertices, {len(rig.skeleton)} joints, {len(poses)} frames a call, one thread")
        for deformer in deformers:
            player = sinew.Player(rig, deformer)
            out = np.empty((len(poses), player.vertex_count, 3), np.float32)
            # Side by side, again and again, so that what else runs is in the way of all.
            times = np.array([(native(program, file, deformer), best(lambda: player(poses)), best(lambda: player(poses, out=out)),
                               best(lambda: player(poses, out=out, check=False))) for _ in range(TURNS)])
            for name, values in zip(("C++", "Python", "with out=", "without check"), times.T):
                more = 100 * (np.median(values / times[:, 0]) - 1)
                print(f"{deformer:>8} {name:>14}: {values.min():7.1f} us a frame, {more:+5.1f} %, {1e6 / values.min():7.0f} a second")
        libraries = [np]
        try:
            import torch

            torch.set_num_threads(1)
            libraries.append(torch)
        except ImportError:
            pass
        for library in libraries:
            time_ = best(dense(rig, poses, library))
            print(f"{library.__name__:>12}: {time_:8.1f} us a frame, dense linear blending; {1e6 / time_:.0f} frames a second")


if __name__ == "__main__":
    main()
