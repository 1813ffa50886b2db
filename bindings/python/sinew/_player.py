# SPDX-License-Identifier: Apache-2.0
"""Poses, and the player that deforms a mesh by them."""
from __future__ import annotations

from typing import Any, Iterator, Sequence, Union

import numpy as np

from . import _arrays, _sinew
from ._device import DevicePlayer
from ._nouns import MeshLike, reporter, rig_of
from ._sinew import Mesh, Rig


class Poses:
    """Some poses of a rig, one a frame; what pose() and clip() give and Player takes."""

    local: np.ndarray  #: (frames, joints, 4, 4) float64: each joint relative to its parent
    keys: np.ndarray | None  #: (frames, keys) float64: weights of the shape keys; None: the keys' own
    bones: np.ndarray | None  #: (frames, joints, 3) float64: stretch factor, twist at head and tail in radians

    def __init__(self, local: Any, keys: Any = None, bones: Any = None):
        array = _arrays.as_array(local, "local")
        if array.ndim == 3:
            array = array[None]
        if array.ndim == 4 and array.shape[2:] == (3, 4):
            array = _arrays.with_last_row(array)
        array = _arrays.numbers(array, "local", (None, None, 4, 4), "(frames, joints, 4, 4) or (frames, joints, 3, 4)")
        self.local = _arrays.check_last_row(array, "local")
        frames, joints = self.local.shape[:2]
        self.keys = self.bones = None
        if keys is not None:
            keys = _arrays.as_array(keys, "keys")
            keys = keys[None] if keys.ndim == 1 and frames == 1 else keys
            self.keys = _arrays.numbers(keys, "keys", (frames, None), f"({frames}, keys)")
        if bones is not None:
            bones = _arrays.as_array(bones, "bones")
            bones = bones[None] if bones.ndim == 2 and frames == 1 else bones
            self.bones = _arrays.numbers(bones, "bones", (frames, joints, 3), f"({frames}, {joints}, 3)")

    def __len__(self) -> int:
        return len(self.local)

    def __getitem__(self, which: Any) -> "Poses":
        """One of them, a slice, or those of a list of indices."""
        if isinstance(which, (int, np.integer)):
            which = [which]
        return Poses(self.local[which], None if self.keys is None else self.keys[which],
                     None if self.bones is None else self.bones[which])

    def __iter__(self) -> Iterator["Poses"]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        return f"<sinew.Poses: {len(self)} frames, {self.local.shape[1]} joints>"

    @staticmethod
    def join(poses: Sequence["Poses"]) -> "Poses":
        """Several behind each other, all of one rig."""
        if not poses:
            raise _arrays.fail("poses", "is empty: give one at least")
        if len({p.local.shape[1] for p in poses}) > 1 or len({None if p.keys is None else p.keys.shape[1] for p in poses}) > 1:
            raise _arrays.fail("poses", "are of different rigs: joints or keys differ in number")
        rest = np.array([1.0, 0.0, 0.0])
        bones = [p.bones if p.bones is not None else np.broadcast_to(rest, (*p.local.shape[:2], 3)) for p in poses]
        return Poses(np.concatenate([p.local for p in poses]),
                     None if poses[0].keys is None else np.concatenate([p.keys for p in poses]),
                     np.concatenate(bones) if any(p.bones is not None for p in poses) else None)


PosesLike = Union[Poses, Sequence[Poses], Any]


def poses_of(thing: PosesLike) -> Poses:
    if isinstance(thing, Poses):
        return thing
    if isinstance(thing, (list, tuple)) and thing and all(isinstance(p, Poses) for p in thing):
        return Poses.join(thing)
    return Poses(thing)


def pose(rig: Rig, set: dict | None = None, *, stretch: dict | None = None, twist: dict | None = None,
         keys: dict | None = None, clip: str | int | None = None, time: float = 0) -> Poses:
    """One pose by names, as `sinew pose` takes it, on top of the file's own pose or of a clip at a time.

    set: {"LeftArm": (x, y, z)} degrees about the world's axes, or {"LeftArm": {"bend": 30, "twist": 10}} about
    the bone. stretch: {bone: factor}. twist: {bone: (degrees at the head, at the tail)}. keys: {name: weight}.
    """
    said = dict(set=set, stretch=stretch, twist=twist, keys=keys, clip=None if clip is None else str(clip), time=float(time))
    return Poses(*_sinew.pose(rig, said))


def clip(rig: Rig, name: str | int = 0, *, fps: float = 30, start: float = 0, end: float | None = None,
         set: dict | None = None, stretch: dict | None = None, twist: dict | None = None,
         keys: dict | None = None) -> Poses:
    """The poses of a clip (by name or number) at `fps` frames a second, the frames that `sinew bake` deforms."""
    said = dict(set=set, stretch=stretch, twist=twist, keys=keys)
    return Poses(*_sinew.clip_poses(rig, str(name), float(fps), float(start), float(start - 1 if end is None else end), said))


class Player:
    """Deforms the mesh of a rig by poses, whole clips at once, on all threads.

    deformer: a name of sinew.deformers(), "+mush" behind it for delta mush; None: the rig's own. Settings are
    those of `sinew pose`, by the same names: Player(rig, "dqs+mush", mush_passes=4). What the rig lacks for the
    deformer is made; `warnings` say what. A player can be called by several threads. device="cuda": for poses that lie
    on a GPU (DevicePlayer).
    """

    def __new__(cls, rig: MeshLike = None, deformer: str | None = None, *, device: Any = None, **settings: Any) -> Any:
        if device is None or str(device) == "cpu":
            return super().__new__(cls)
        if settings:
            raise _arrays.fail(next(iter(settings)), "is no option of a player on a GPU")
        return DevicePlayer(rig, deformer, device)


    def __init__(self, rig: MeshLike, deformer: str | None = None, *, device: Any = None, progress: Any = None,
                 **settings: Any):
        self._rig = rig_of(rig, "rig")
        self._player = _sinew.Player(self._rig, {"deformer": deformer, **settings}, reporter(progress))

    def __call__(self, poses: PosesLike, *, out: np.ndarray | None = None, normals: bool | np.ndarray = False,
                 check: bool = True, progress: Any = None) -> Any:
        """The mesh in each pose, world space: (frames, vertices, 3) float32; of one (joints, 4, 4) array
        (vertices, 3).

        poses: Poses, a list of them, or (frames, joints, 4, 4) matrices of joints relative to their parents.
        out: where to write them, a float32 array of that shape. normals: True gives (positions, normals).
        check: raises where a number is not finite; False saves the look at all of them.
        """
        one = not isinstance(poses, (Poses, list, tuple)) and np.ndim(_arrays.as_array(poses, "poses")) == 3
        posed = poses_of(poses)
        if posed.local.shape[1] != self._player.joint_count:
            raise _arrays.fail("poses", f"have {posed.local.shape[1]} joints, and the rig has {self._player.joint_count}")
        if posed.keys is not None and posed.keys.shape[1] != self._player.key_count:
            raise _arrays.fail("poses", f"have {posed.keys.shape[1]} key weights, and the rig has {self._player.key_count} keys")
        shape = (len(posed), self._player.vertex_count, 3)
        wanted = None
        positions = _output(out, "out", shape)
        if normals is not False:
            wanted = _output(None if normals is True else normals, "normals", shape)
        if len(posed):
            self._player.play(posed.local, posed.keys, posed.bones, positions, wanted, check, reporter(progress))
        if one:
            positions, wanted = positions[0], None if wanted is None else wanted[0]
        return positions if wanted is None else (positions, wanted)

    @property
    def mesh(self) -> Mesh:
        """The mesh that frames are of, with its faces: the rig's, or that subdivided where the stack does so."""
        return self._player.mesh

    @property
    def deformer(self) -> str:
        """The deformer's name."""
        return self._player.deformer

    @property
    def warnings(self) -> list[str]:
        """What the rig lacked and was made, a sentence each."""
        return self._player.warnings

    @property
    def vertex_count(self) -> int:
        """Vertices of a frame."""
        return self._player.vertex_count

    def __repr__(self) -> str:
        return f"<sinew.Player: {self.deformer}, {self.vertex_count} vertices>"

    def __reduce__(self):
        raise TypeError("a Player cannot be pickled: make one in the other process, from a rig that it loads")


def _output(array: np.ndarray | None, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if array is None:
        return np.empty(shape, np.float32)
    if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape != shape:
        raise _arrays.fail(name, f"must be a numpy array of float32 with the shape {shape}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise _arrays.fail(name, "must be writeable and lie row by row in memory (C order)")
    return array
