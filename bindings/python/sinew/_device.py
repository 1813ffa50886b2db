# SPDX-License-Identifier: Apache-2.0
"""The player for poses that lie on a CUDA device."""
from __future__ import annotations

from typing import Any

from . import _arrays, _sinew
from ._nouns import MeshLike, rig_of


class DevicePlayer:
    """Deforms the mesh of a rig on a CUDA device; Player(rig, deformer, device="cuda") makes one.

    deformer: lbs, dqs, swing-twist, flesh, stretch-lbs or stretch-dqs. Arrays are anything on that device that
    speaks DLPack, PyTorch's tensors among them; nothing is copied, and the work is queued on PyTorch's current stream.
    """

    def __init__(self, rig: MeshLike, deformer: str | None, device: Any):
        self._rig = rig_of(rig, "rig")
        self.deformer = deformer or "lbs"
        self._player = _sinew.DevicePlayer(self._rig, self.deformer, _number(device))

    def __call__(self, rotations: Any, *, translations: Any = None, keys: Any = None, bones: Any = None, out: Any = None,
                 normals: Any = False) -> Any:
        """The mesh in each pose, world space: (frames, vertices, 3) on the device.

        rotations: (frames, joints, 4) float32, x y z w, every joint's relative to its parent. translations: (frames, 3)
        of the joint root_joint. keys: (frames, keys) weights. bones: (frames, joints, 3), see Poses.bones. out: where to
        write, float32 or float16; may be left out with PyTorch. normals: True, or where to write them.

        What is made here has a gap behind every frame, so that each begins at a cache line, which is written fastest:
        .contiguous() copies it without. Arrays of yours may have any gap.
        """
        frames = _shape(rotations, "rotations", (None, self._player.joint_count, 4))[0]
        for name, array, shape in (("translations", translations, (frames, 3)), ("keys", keys, (frames, self._player.key_count)),
                                   ("bones", bones, (frames, self._player.joint_count, 3))):
            if array is not None:
                _shape(array, name, shape)
        shape = (frames, self._player.vertex_count, 3)
        positions = _like(rotations, shape, "out") if out is None else out
        _shape(positions, "out", shape, ("float32", "float16"), gaps=True)
        directions = None
        if normals is not False:
            directions = _like(positions, shape, "normals") if normals is True else normals
            _shape(directions, "normals", shape, (_dtype(positions),), gaps=True)
        if frames:
            self._player.play(rotations, translations, keys, bones, positions, directions, _stream(rotations))
        return positions if directions is None else (positions, directions)

    @property
    def vertex_count(self) -> int:
        """Vertices of a frame."""
        return self._player.vertex_count

    @property
    def root_joint(self) -> int:
        """The joint that `translations` move."""
        return self._player.root_joint

    def __repr__(self) -> str:
        return f"<sinew.Player on cuda:{self._player.device}: {self.deformer}, {self.vertex_count} vertices>"

    def __reduce__(self):
        raise TypeError("a Player cannot be pickled: make one in the other process, from a rig that it loads")


def _number(device: Any) -> int:
    """0 of "cuda", 1 of "cuda:1", of 1 and of torch.device("cuda", 1)."""
    if isinstance(device, int):
        return device
    kind, _, number = str(device).partition(":")
    if kind != "cuda" or (number and not number.isdigit()):
        raise _arrays.fail("device", f"must be 'cuda', 'cuda:1' or a number, and is {device!r}")
    return int(number or 0)


def _dtype(array: Any) -> str:
    return str(array.dtype).rpartition(".")[2]


def _shape(array: Any, name: str, shape: tuple, dtypes: tuple = ("float32",), gaps: bool = False) -> tuple:
    given = tuple(getattr(array, "shape", ()))
    if not hasattr(array, "__dlpack__") or "cuda" not in str(getattr(array, "device", "cuda")).lower():
        raise _arrays.fail(name, "must be an array on a CUDA device that speaks DLPack, such as a PyTorch tensor")
    if len(given) != len(shape) or any(s is not None and g != s for g, s in zip(given, shape)) or _dtype(array) not in dtypes:
        wanted = "(" + ", ".join("frames" if s is None else str(s) for s in shape) + ")"
        raise _arrays.fail(name, f"must be of {' or '.join(dtypes)} with the shape {wanted}, and is of {_dtype(array)} with {given}")
    if gaps and given[0] > 0:
        array = array[0]  # gaps are between the frames
    if hasattr(array, "is_contiguous") and not array.is_contiguous():
        raise _arrays.fail(name, "must lie row by row in memory: call .contiguous()")
    return given


def _is_torch(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] == "torch"


def _like(array: Any, shape: tuple, name: str) -> Any:
    if not _is_torch(array):
        raise _arrays.fail(name, "must be given: an array to write to can only be made for PyTorch")
    frames, vertices, _ = shape
    line = 128 // array.element_size()
    stride = -(-3 * vertices // line) * line
    return array.new_empty((frames, stride))[:, :3 * vertices].unflatten(1, (vertices, 3))


def _stream(array: Any) -> int:
    if not _is_torch(array):
        return 0
    import torch

    return torch.cuda.current_stream(array.device).cuda_stream
