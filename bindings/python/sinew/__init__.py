# SPDX-License-Identifier: Apache-2.0
"""Rigs character meshes so that they deform well, and plays the rigs.

    import sinew
    rig = sinew.rig("body.obj")                      # fits a skeleton, computes weights
    player = sinew.Player(rig)                       # or sinew.Player(rig, "dqs")
    frames = player(sinew.pose(rig, {"LeftArm": (0, 0, 60)}))
    sinew.save(rig, "body.glb")

Functions are named as the verbs of the command line and give the same bits. Arrays are numpy's; anything array-like
goes in. Meshes, skeletons and rigs never change, so that threads can share them. Long calls release the
interpreter's lock, stop at Ctrl-C, and take progress=callable(stage, fraction).
"""
from __future__ import annotations

from ._batch import batch
from ._errors import BadInputError, CancelledError, Error, FileError, ImpossibleError, LimitError, UsageError
from ._nouns import make_rig, to_trimesh
from ._player import Player, Poses, clip, pose
from ._sinew import Mesh, Rig, Skeleton, __version__, set_threads, threads
from ._tables import deformers, settings, weight_methods
from ._verbs import (add_key, bake, cage, check, compare, export, find_skeleton, handles, inbetween, info, load, make,
                     posed_mesh, render, retarget, reweight, rig, save, save_frames, stack, unpose, weights)

__all__ = [
    "BadInputError", "CancelledError", "Error", "FileError", "ImpossibleError", "LimitError", "Mesh", "Player", "Poses",
    "Rig", "Skeleton", "UsageError", "__version__", "add_key", "bake", "batch", "cage", "check", "clip", "compare", "deformers", "export",
    "find_skeleton", "handles", "inbetween", "info", "load", "make", "make_rig", "pose", "posed_mesh", "render", "retarget",
    "reweight", "rig",
    "save", "save_frames", "set_threads", "settings", "stack", "threads", "to_trimesh", "unpose", "weight_methods",
    "weights",
]
