# SPDX-License-Identifier: Apache-2.0
"""Mesh, Skeleton and Rig: what they do that needs no compiled code."""
from __future__ import annotations

import copyreg
import os
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _arrays, _sinew
from ._sinew import Mesh, Rig, Skeleton

PathLike = Union[str, "os.PathLike[str]"]
#: What functions take for a mesh: a Mesh, a Rig, a file, or anything with `vertices` and `faces` (a trimesh).
MeshLike = Union[Mesh, Rig, PathLike, Any]
Progress = Optional[Callable[[str, float], Any]]


def rig_of(thing: MeshLike, name: str = "mesh") -> Rig:
    """The rig that a mesh-like thing is; one without joints where it is a plain mesh."""
    if isinstance(thing, Rig):
        return thing
    if isinstance(thing, (str, os.PathLike)):
        return _sinew.load(thing, "", "")
    return _sinew.rig_of_mesh(mesh_of(thing, name), "mesh")


def mesh_of(thing: MeshLike, name: str = "mesh") -> Mesh:
    """The mesh that a mesh-like thing is."""
    if isinstance(thing, Mesh):
        return thing
    if isinstance(thing, Rig):
        return thing.mesh
    if isinstance(thing, (str, os.PathLike)):
        return _sinew.load(thing, "", "").mesh
    if hasattr(thing, "vertices") and hasattr(thing, "faces"):
        return Mesh(thing.vertices, thing.faces)
    raise _arrays.fail(name, f"is a {type(thing).__name__}: give a Mesh, a Rig, a file, or a trimesh")


def skeleton_of(thing: Any, axes: str = "bone") -> Skeleton:
    """The skeleton that is meant; a file that says nothing of joints' axes gets them as `axes` says."""
    if isinstance(thing, Skeleton):
        return thing
    if isinstance(thing, Rig):
        return _sinew.bind_skeleton(thing)
    if isinstance(thing, (str, os.PathLike)):
        skeleton = _sinew.load_skeleton(thing)
        turned = _sinew.with_axes(skeleton, axes)
        return turned if os.fspath(thing).lower().endswith((".json", ".tgf")) else skeleton
    raise _arrays.fail("skeleton", f"is a {type(thing).__name__}: give a Skeleton, a Rig or a file")


def reporter(progress: Any) -> Progress:
    """A callable of stage and fraction: the one that is given, or one that moves a tqdm bar."""
    if progress is None or callable(progress):
        return progress
    if hasattr(progress, "update") and hasattr(progress, "n"):
        def move(stage: str, fraction: float) -> None:
            if hasattr(progress, "set_description_str"):
                progress.set_description_str(stage, refresh=False)
            total = progress.total or 1
            progress.update(max(fraction * total - progress.n, -progress.n))
        return move
    raise _arrays.fail("progress", "cannot be called: give a function of stage and fraction, or a tqdm bar")


def make_rig(mesh: MeshLike, skeleton: Any, weights: Any) -> Rig:
    """A rig of another program: mesh, skeleton in the mesh's pose, and (vertices, joints) weights."""
    shape, joints = mesh_of(mesh), skeleton_of(skeleton)
    return _sinew.make_rig(shape, joints, _arrays.weights(weights, len(shape.vertices), len(joints)))


def to_trimesh(mesh: Mesh) -> Any:
    """The mesh as a trimesh.Trimesh (which has to be installed), with the same vertices."""
    import trimesh

    return trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)


def _pickle_mesh(mesh: Mesh):
    if mesh.texcoords is not None:
        raise TypeError("a Mesh with texture coordinates cannot be pickled: save the rig and load it there")
    return Mesh, (np.array(mesh.vertices), np.array(mesh.faces))


def _pickle_skeleton(skeleton: Skeleton):
    if not all(skeleton.deforms):
        raise TypeError("a Skeleton with joints that do not deform cannot be pickled: save the rig and load it there")
    return Skeleton, (skeleton.names, skeleton.parents, None, skeleton.tails, skeleton.rest)


def _refuse(thing: Any):
    raise TypeError(f"a {type(thing).__name__} cannot be pickled: sinew.save it, and sinew.load it in the other process")


copyreg.pickle(Mesh, _pickle_mesh)
copyreg.pickle(Skeleton, _pickle_skeleton)
copyreg.pickle(Rig, _refuse)
