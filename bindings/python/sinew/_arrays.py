# SPDX-License-Identifier: Apache-2.0
"""Anything array-like as the arrays that the compiled part takes; what does not fit is refused in a sentence."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import UsageError


def fail(name: str, fault: str) -> UsageError:
    return UsageError(f"{name} {fault}", parameter=name)


def as_array(value: Any, name: str) -> np.ndarray:
    """numpy's view of it: no copy where it has memory that numpy can see (buffers, DLPack on the CPU)."""
    if isinstance(value, np.ndarray):
        array = value
    elif hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        if int(value.__dlpack_device__()[0]) not in (1, 3):  # the CPU, and its pinned memory
            raise fail(name, "is on a graphics card: bring it to the CPU first, tensor.cpu()")
        try:
            array = np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError) as problem:
            raise fail(name, f"cannot be read: {problem}") from None
    else:
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as problem:
            raise fail(name, f"is no array: {problem}") from None
    if array.dtype == object or array.dtype.kind not in "fiub":
        raise fail(name, f"has entries of type {array.dtype}: give numbers")
    return array


def numbers(value: Any, name: str, shape: tuple[int | None, ...], words: str, dtype: type = np.float64) -> np.ndarray:
    """Finite numbers, row by row; None in `shape`: any length there."""
    array = as_array(value, name)
    if array.ndim != len(shape) or any(want is not None and want != have for want, have in zip(shape, array.shape)):
        raise fail(name, f"has the shape {array.shape}: give {words}")
    array = np.ascontiguousarray(array, dtype=dtype)
    finite = np.isfinite(array)
    if not finite.all():
        raise fail(name, f"has an entry that is not finite, at {tuple(int(k) for k in np.argwhere(~finite)[0])}")
    return array


def points(value: Any, name: str, count: int = 0) -> np.ndarray:
    """(count, 3); 0: any number but none."""
    array = numbers(value, name, (count or None, 3), f"({count or 'n'}, 3)")
    if len(array) == 0:
        raise fail(name, "is empty: give one row at least")
    return array


def matrices(value: Any, name: str, count: int) -> np.ndarray:
    """(count, 4, 4); (count, 3, 4) gets a last row."""
    array = as_array(value, name)
    if array.ndim == 3 and array.shape[1:] == (3, 4):
        array = with_last_row(array)
    return check_last_row(numbers(array, name, (count, 4, 4), f"({count}, 4, 4) or ({count}, 3, 4)"), name)


def with_last_row(array: np.ndarray) -> np.ndarray:
    """(..., 3, 4) as (..., 4, 4)."""
    whole = np.zeros((*array.shape[:-2], 4, 4))
    whole[..., :3, :] = array
    whole[..., 3, 3] = 1
    return whole


def check_last_row(array: np.ndarray, name: str) -> np.ndarray:
    if array.size and not (array[..., 3, :] == (0, 0, 0, 1)).all():
        raise fail(name, "has a matrix whose last row is not 0 0 0 1: translations stand in the last column")
    return array


def faces(value: Any, vertices: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets and corners of the faces. As in files, a vertex that a face repeats counts once, and what is left
    with fewer than three corners is left out."""
    if isinstance(value, (list, tuple)) and len({len(row) for row in value if hasattr(row, "__len__")}) > 1:
        width = max(len(row) for row in value)
        value = [[*row, *[-1] * (width - len(row))] for row in value]
    array = as_array(value, "faces")
    if array.size == 0:
        return np.zeros(1, np.int64), np.zeros(0, np.int64)
    if array.dtype.kind not in "iu":
        raise fail("faces", f"has entries of type {array.dtype}: give whole numbers, indices of vertices")
    if array.ndim != 2 or array.shape[1] < 3:
        raise fail("faces", f"has the shape {array.shape}: give (faces, corners) with three corners or more")
    if array.max() >= vertices or array.min() < -1:
        bad = array[(array >= vertices) | (array < -1)].flat[0] if array.dtype.kind == "i" else array.max()
        raise fail("faces", f"has the index {bad}, and there are {vertices} vertices, counted from 0")
    array = np.ascontiguousarray(array, dtype=np.int64)
    used = array >= 0
    if (used[:, 1:] & ~used[:, :-1]).any() or not used[:, :3].all():
        raise fail("faces", "has a -1 before the last corner of a face: -1 fills up rows, behind three corners or more")
    row = np.sort(array, axis=1)
    repeats = ((row[:, 1:] == row[:, :-1]) & (row[:, 1:] >= 0)).any(axis=1)
    if repeats.any():
        keep = [list(dict.fromkeys(int(k) for k in array[f] if k >= 0)) for f in np.flatnonzero(repeats)]
        for f, corners in zip(np.flatnonzero(repeats), keep):
            corners = corners if len(corners) >= 3 else []
            array[f] = corners + [-1] * (array.shape[1] - len(corners))
        used = array >= 0
    counts = used.sum(axis=1)
    counts = counts[counts > 0]
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets, np.ascontiguousarray(array[used])


def weights(value: Any, vertices: int, joints: int) -> np.ndarray:
    """(vertices, joints), not negative; scipy's sparse arrays, too."""
    if hasattr(value, "toarray"):
        value = value.toarray()
    array = numbers(value, "weights", (vertices, joints), f"({vertices}, {joints}): a row a vertex, a column a joint")
    if array.size and array.min() < 0:
        raise fail("weights", f"has the negative entry {array.min()}")
    return array
