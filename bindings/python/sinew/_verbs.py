# SPDX-License-Identifier: Apache-2.0
"""What the command line does, as functions of the same names."""
from __future__ import annotations

import os
import pathlib
import warnings as _warnings
from typing import Any, Sequence

import numpy as np

from . import _arrays, _sinew
from ._nouns import MeshLike, PathLike, mesh_of, reporter, rig_of, skeleton_of
from ._player import Player, Poses, PosesLike, clip as clip_poses, pose as rig_pose, poses_of
from ._sinew import Mesh, Rig, Skeleton


def load(path: PathLike, *, up: str = "", front: str = "") -> Rig:
    """Reads .glb, .gltf, .obj, .ply, .off, .stl, .mesh, .bvh, .tgf or a skeleton .json.

    What it holds is always a Rig: of a file without joints one with a mesh alone, of a motion one without a mesh.
    up, front: the file's axes, "z" and "-y" for instance, where they are not y and z. rig.warnings says what was
    repaired.
    """
    return _sinew.load(path, up, front)


def save(thing: Any, path: PathLike, *, force: bool = False, quantise: int = 0) -> None:
    """Writes a Rig, or a mesh, in the format of the extension: .glb, .gltf, .obj, .ply, .off, .stl.

    A .glb keeps all that its source held and sinew does not edit. A file that exists is replaced only with
    force=True, and is never left half written. quantise: 8 or 16 bits a weight.
    """
    if isinstance(thing, Rig):
        _sinew.save(thing, path, force, quantise)
    else:
        _sinew.save_mesh(mesh_of(thing, "thing"), path, force)


def make(kind: str, *, resolution: int = 0) -> Rig:
    """A built-in character: cylinder, arm, hand, biped, quadruped, bird, snake. resolution: about so many vertices."""
    return _sinew.make(kind, resolution)


def find_skeleton(mesh: MeshLike | Sequence[MeshLike], *, template: PathLike = "", names: str = "",
                  axes: str = "bone", root: str = "none", through_volume: bool = False,
                  progress: Any = None) -> Skeleton:
    """Fits a skeleton into a mesh, or into one mesh in several poses (a list), as `sinew skeleton` does.

    root: "ground" adds a joint on the ground that carries all others, "none" does not. skeleton.report says how:
    template, confidence, costs. Raises ImpossibleError where nothing fits.
    """
    meshes = [mesh_of(m) for m in (mesh if isinstance(mesh, (list, tuple)) else [mesh])]
    options = dict(template=str(template), names=names, axes=axes, root=root, through_volume=through_volume)
    return _sinew.find_skeleton(meshes, options, reporter(progress))


def weights(mesh: MeshLike, skeleton: Any = None, *, method: str = "bbw", influences: int = 4, voxels: int = 0,
            joint_weights: str = "", endpoint: str = "", endpoint_twist: str = "", template: PathLike = "",
            names: str = "", axes: str = "bone", root: str = "none", follow: Sequence[str | int] = (),
            rigid: Sequence[str | int] = (), own_islands: bool = False, add_joint: Sequence[str] = (),
            lock: Sequence[str] = (), lock_vertices: Sequence[int] = (), strict: bool = False,
            progress: Any = None, **settings: Any) -> Rig:
    """Binds a mesh to a skeleton (a Skeleton, a Rig or a file; None: the rig's own), as `sinew weights` does.

    method: a name of sinew.weight_methods(). follow, rigid: islands by the name of their mesh or their number by
    area, that follow the body beneath them, or that one joint moves. The rig's weights are rig.weights, its figures
    rig.report.
    """
    options = dict(method=method, influences=influences, voxels=voxels, joint_weights=joint_weights,
                   endpoint=endpoint, endpoint_twist=endpoint_twist, template=str(template), names=names, axes=axes,
                   root=root, follow=[str(m) for m in follow], rigid=[str(m) for m in rigid], own_islands=own_islands,
                   add_joint=list(add_joint), lock=list(lock), lock_vertices=list(lock_vertices), strict=strict)
    given = None if skeleton is None else skeleton_of(skeleton, axes)
    return _sinew.bind(rig_of(mesh), given, False, options, settings, reporter(progress))


def rig(mesh: MeshLike, skeleton: Any = None, *, template: PathLike = "", quality: str = "flesh",
        method: str = "bbw", influences: int = 4, voxels: int = 0, tolerance: float = 1.15, range: Any = None,
        stiffness: dict[str, float] | None = None, stiffness_attribute: str = "", joint_weights: str = "none",
        endpoint: str = "projection", endpoint_twist: str = "", names: str = "", axes: str = "bone",
        root: str = "none", through_volume: bool = False, follow: Sequence[str | int] = (),
        rigid: Sequence[str | int] = (), own_islands: bool = False, add_joint: Sequence[str] = (), lock: Sequence[str] = (),
        lock_vertices: Sequence[int] = (), strict: bool = False,
        progress: Any = None, **settings: Any) -> Rig:
    """Rigs a mesh, as `sinew rig` does: fits a skeleton where none is given, computes weights and, with
    quality="flesh", the data of the deformer `flesh`; quality="fast": weights alone.

    range: {"swing": 90, "twist": 90, "joints": {"Head": {"twist": 80}}} in degrees, or "clips". The report of what
    was done is rig.report.
    """
    options = dict(template=str(template), quality=quality, method=method, influences=influences, voxels=voxels,
                   joint_weights=joint_weights, endpoint=endpoint, endpoint_twist=endpoint_twist, names=names, axes=axes,
                   root=root, through_volume=through_volume, follow=[str(m) for m in follow],
                   rigid=[str(m) for m in rigid], own_islands=own_islands, add_joint=list(add_joint), lock=list(lock),
                   lock_vertices=list(lock_vertices), strict=strict, tolerance=tolerance, range=range,
                   stiffness=stiffness, stiffness_attribute=stiffness_attribute)
    given = None if skeleton is None else skeleton_of(skeleton, axes)
    return _sinew.bind(rig_of(mesh), given, True, options, settings, reporter(progress))


def reweight(rig: MeshLike, *, source: Rig | None = None, mirror: str = "", smooth: int = 0, prune: int = 4) -> Rig:
    """Edits weights, as `sinew reweight` does: takes them from the nearest points of another rig (source, its
    --from), mirrors, smooths and prunes them, in this order."""
    return _sinew.reweight(rig_of(rig), source, dict(mirror=mirror, smooth=smooth, prune=prune))


def info(rig: MeshLike) -> dict[str, Any]:
    """What `sinew info --json` prints of a file."""
    return _sinew.info(rig_of(rig))


def _one_pose(rig: Rig, poses: PosesLike | None) -> tuple[Any, Any, Any]:
    posed = rig_pose(rig) if poses is None else poses_of(poses)
    if len(posed) != 1:
        raise _arrays.fail("pose", f"holds {len(posed)} poses: give one")
    return posed.local, posed.keys, posed.bones


def posed_mesh(rig: MeshLike, pose: PosesLike | None = None, deformer: str | None = None, *,
               cages: dict[str, Any] | None = None, handles: dict[int, Any] | None = None,
               progress: Any = None, **settings: Any) -> Mesh:
    """The mesh in one pose, world space, as `sinew pose` writes it; None: in the file's own pose.

    cages: {name: (controls, 3) moved control points}. handles: {vertex: (x, y, z)}, for the deformer arap.
    """
    made = rig_of(rig)
    if cages and deformer is None:
        deformer = "cage"
    return _sinew.posed_mesh(made, _one_pose(made, pose), cages or {}, handles or {}, {"deformer": deformer, **settings},
                             reporter(progress))


def bake(rig: MeshLike, clip: str | int = 0, path: PathLike | None = None, *, bvh: MeshLike | None = None,
         deformer: str | None = None, fps: float = 30, start: float = 0, end: float | None = None, set: dict | None = None,
         stretch: dict | None = None, twist: dict | None = None, keys: dict | None = None, force: bool = False,
         progress: Any = None, **settings: Any) -> np.ndarray:
    """A clip as frames, (frames, vertices, 3) float32 in world space, by the rig's deformer or another.

    bvh: a motion (a file, or a Rig with clips) in place of a clip, fitted to the rig as retarget() does.
    path: also writes them, as `sinew bake` does: .glb or .gltf (morph targets), .pc2, .mdd, or a folder of .obj.
    """
    made = rig_of(rig)
    if bvh is not None:
        made = retarget(made, bvh, fps=max(fps, 30), replace=True, progress=progress)
        clip = 0
    poses = clip_poses(made, clip, fps=fps, start=start, end=end, set=set, stretch=stretch, twist=twist, keys=keys)
    player = Player(made, deformer, progress=progress, **settings)
    if path is None:
        return player(poses, progress=progress)
    frames, normals = player(poses, normals=True, progress=progress)
    refined = player.mesh if player.vertex_count != len(made.mesh.vertices) else None
    _sinew.save_frames(made, refined, frames, normals, fps, path, force, reporter(progress))
    return frames


def save_frames(mesh: MeshLike, frames: Any, path: PathLike, *, fps: float = 30, force: bool = False,
                progress: Any = None) -> None:
    """Writes (frames, vertices, 3) positions of a mesh: .glb or .gltf (morph targets), .pc2, .mdd, a folder of .obj."""
    array = _arrays.numbers(frames, "frames", (None, None, 3), "(frames, vertices, 3)", np.float32)
    if len(array) == 0:
        raise _arrays.fail("frames", "is empty: give one frame at least")
    _sinew.save_frames(rig_of(mesh), None, array, None, fps, path, force, reporter(progress))


def inbetween(shapes: Sequence[MeshLike], frames: int = 0, *, motion: str = "skeleton", progress: Any = None) -> np.ndarray:
    """Frames that lead through shapes of one mesh, as `sinew inbetween` makes them: (frames, vertices, 3) float32."""
    meshes = [mesh_of(shape, "shapes") for shape in shapes]
    return _sinew.inbetween(meshes, frames or 1 + 23 * (len(meshes) - 1), motion, reporter(progress))


def add_key(rig: MeshLike, name: str, shape: Any = None, *, pose: PosesLike | None = None, deformer: str | None = None,
            example: bool | dict[str, Any] = False, mask: str | None = None, remove: str | None = None,
            progress: Any = None, **settings: Any) -> Rig:
    """Adds a shape key (morph target), or gives one of that name another shape, as `sinew keys` does.

    shape: (vertices, 3) positions or a mesh, at rest; with a pose: as sculpted in that pose with that deformer.
    example: True, or {"space": ..., "drive": {joint: influence}, "channels": {key: value}, "radius": degrees}: the
    pose switches the key on. mask: where it acts, "none": everywhere. remove: "rotation" or "scale".
    """
    made = rig_of(rig)
    points = mesh_of(shape, "shape").vertices if isinstance(shape, (Mesh, Rig, str, os.PathLike)) else shape
    wanted = None if example is False else ({} if example is True else example)
    at = None if pose is None else _one_pose(made, pose)
    return _sinew.add_key(made, name, points, at, wanted, dict(mask=mask, remove=remove), {"deformer": deformer, **settings},
                          reporter(progress))


def unpose(rig: MeshLike, edited: Any, pose: PosesLike, deformer: str | None = None, *, progress: Any = None,
           **settings: Any) -> tuple[np.ndarray, dict[str, Any]]:
    """The rest positions that the deformer takes to `edited` in a pose, and a report, as `sinew unpose` does."""
    made = rig_of(rig)
    points = mesh_of(edited, "edited").vertices if isinstance(edited, (Mesh, Rig, str, os.PathLike)) else edited
    return _sinew.unpose(made, points, _one_pose(made, pose), {"deformer": deformer, **settings}, reporter(progress))


def cage(rig: MeshLike, cage: MeshLike | None = None, *, source: Rig | None = None, progress: Any = None,
         **settings: Any) -> Rig:
    """Binds a mesh to a cage, as `sinew cage bind` does: to the one given, to that of another rig that kept its
    solution (source), or to one made from the mesh with about `controls` points."""
    given = None if cage is None else mesh_of(cage, "cage")
    return _sinew.cage(rig_of(rig), given, source, settings, reporter(progress))


def handles(rig: MeshLike, points: Any = None, *, voxels: int = 0, tips: bool = True, threshold: float = 1e-3,
            progress: Any = None) -> Rig:
    """Adds point handles at the joints, or at (n, 3) places of the mesh at rest, as `sinew handles` does."""
    return _sinew.handles(rig_of(rig), points, dict(voxels=voxels, tips=tips, threshold=threshold), reporter(progress))


def stack(rig: MeshLike, order: str = "", *, deformer: str | None = None, masks: dict[str, str] | None = None,
          progress: Any = None, **settings: Any) -> Rig:
    """Edits the deformation stack, as `sinew stack` does: order "keys,skeleton,mush", masks {step: mask}."""
    return _sinew.stack(rig_of(rig), order, masks or {}, {"deformer": deformer, **settings}, reporter(progress))


def export(rig: MeshLike, *, deformer: str | None = None, influences: int = 4, helpers: int = 24, morphs: int = 16,
           tolerance: float = 0, clips: Sequence[str] | None = None, fps: float = 30, keep: bool = False,
           reference: int = 4, check: bool = True, progress: Any = None, **settings: Any) -> Rig:
    """Bakes any deformer to plain skinning, as `sinew export` does: helper joints, corrective morph targets, keyed
    clips. rig.report says how large the error is, and what check() says of the weights before and after.
    clips: names to keep; None: all."""
    options = dict(influences=influences, helpers=helpers, morphs=morphs, tolerance=tolerance, fps=fps, keep=keep,
                   reference=reference, check=check, clips=None if clips is None else [str(name) for name in clips])
    return _sinew.export(rig_of(rig), options, {"deformer": deformer, **settings}, reporter(progress))


def compare(rig: MeshLike, *, pairs: Sequence[tuple[str, str]] = (), joints: Sequence[str] = (),
            poses: dict[str, dict] | None = None, clip_samples: int = 3, voxels: int = 0, rotations: int = 0,
            page: PathLike = "", pictures: int = 4, force: bool = False, progress: Any = None) -> dict[str, Any]:
    """Measures weights and deformers against the elastic reference, as `sinew compare` does; gives its report.

    pairs: further ("weights", "deformer"), "own" for the rig's own weights. poses: {name: {joint: (x, y, z)}}.
    page: a folder for the page with pictures.
    """
    options = dict(pairs=[tuple(pair) for pair in pairs], joints=list(joints), poses=poses or {}, clip_samples=clip_samples,
                   voxels=voxels, rotations=rotations, pictures=pictures)
    return _sinew.compare(rig_of(rig), options, os.fspath(page), force, reporter(progress))


def check(rig: MeshLike, *, against: MeshLike | None = None, strict: bool = False, page: PathLike = "",
          pictures: int = 6, force: bool = False, progress: Any = None, **settings: Any) -> dict[str, Any]:
    """Grades a rig and lists what is wrong with it, as `sinew check` does; gives its report.

    against: an artist's rig of the same character: distances of joints, bones and weights. strict: raises
    ImpossibleError where the rig is too bad to use. page: a folder for the page with pictures.
    """
    other = None if against is None else rig_of(against, "against")
    return _sinew.check(rig_of(rig), other, settings, pictures, strict, os.fspath(page), force, reporter(progress))


def retarget(rig: MeshLike, motions: MeshLike | Sequence[MeshLike], *, clips: Sequence[str | int] = (), fps: float = 30,
             slide: bool = False, replace: bool = False, progress: Any = None) -> Rig:
    """Fits motions of other skeletons to a rig, as `sinew retarget` does: clips behind its own.

    motions: files (.bvh, .glb) or rigs with clips. clips: those alone, by name or number. fps: keys a second.
    slide: leaves feet as the joints turn them. replace: without the rig's own clips. rig.report says of each clip
    how many joints follow and how far feet slide.
    """
    given = list(motions) if isinstance(motions, (list, tuple)) else [motions]
    if not given:
        raise _arrays.fail("motions", "is empty: give one at least")
    files = [os.fspath(one) if isinstance(one, (str, os.PathLike)) else "" for one in given]
    options = dict(fps=float(fps), clips=[str(name) for name in clips], slide=slide, replace=replace)
    return _sinew.retarget(rig_of(rig), [rig_of(one, "motions") for one in given], files, options, reporter(progress))


def render(rig: MeshLike | Sequence[MeshLike], path: PathLike | None = None, *,
           views: str | Sequence[str] = "front,side,three-quarter", width: int = 640, height: int = 640,
           pose: PosesLike | dict | None = None, deformer: str | None = None, skeleton: bool = False,
           edges: bool = False, clay: bool = False, heat: str | None = None, distance: MeshLike | None = None,
           range: tuple[float, float] | None = None, up: str = "y", frame: Any = None,
           captions: str | Sequence[str] | None = None, columns: int = 0, force: bool = False, progress: Any = None,
           **settings: Any) -> np.ndarray:
    """A picture, (height, width, 3) uint8 from the top, as `sinew render` draws it; several rigs stand side by side.

    path: also writes it, as .png. views: front, side, three-quarter, back, top. pose: Poses, or {joint: degrees} as
    pose() takes it. heat: a joint's name (its weights), swing:JOINT, twist:JOINT, deformer:JOINT, field:JOINT,
    endpoint:JOINT or rings. distance: colours by the distance to this mesh. range: of the colours, (low, high).
    frame: (2, 3), the corners of what is shown. Warnings (no font found) are Python's.
    """
    given = list(rig) if isinstance(rig, (list, tuple)) else [rig]
    if not given:
        raise _arrays.fail("rig", "is empty: give one at least")
    rigs = [rig_of(one, "rig") for one in given]
    poses = [_one_pose(one, rig_pose(one, pose) if isinstance(pose, dict) else pose) for one in rigs]
    if captions is None and len(given) > 1:
        captions = [pathlib.Path(one).stem if isinstance(one, (str, os.PathLike)) else "" for one in given]
    captions = [captions] if isinstance(captions, str) else list(captions or ())
    if len(captions) > len(given):
        raise _arrays.fail("captions", f"has {len(captions)} entries for {len(given)} pictures")
    box = None if frame is None else _arrays.as_array(frame, "frame").ravel().tolist()
    options = dict(views=views if isinstance(views, str) else ",".join(views), width=width, height=height, up=up, frame=box,
                   range=None if range is None else list(range), skeleton=skeleton, edges=edges, clay=clay, heat=heat,
                   captions=captions, columns=columns)
    other = None if distance is None else rig_of(distance, "distance")
    picture, warned = _sinew.render(rigs, poses, other, options, {"deformer": deformer, **settings},
                                    "" if path is None else path, force, reporter(progress))
    for text in warned:
        _warnings.warn(text, stacklevel=2)
    return picture
