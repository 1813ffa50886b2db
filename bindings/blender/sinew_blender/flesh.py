# SPDX-License-Identifier: Apache-2.0
"""Corrective shapes from flesh that the program deformed in sample poses. No bpy in here.

For each bone the differences between flesh and linear blending, taken back to the rest pose, are split into few shapes
(principal components), each with a polynomial of the bone's turn as its weight.
"""
import dataclasses

import numpy as np

from .glb import rotation_matrix
from .pose_samples import clamped, monomials, quaternions, sample_turns

RANDOM_POSES = 24  # of one bone each, and as many of all bones


@dataclasses.dataclass
class Corrective:
    """One shape of a bone."""
    bone: int
    coefficients: np.ndarray  # of pose_samples.MONOMIALS
    vertices: np.ndarray
    deltas: np.ndarray  # of these vertices, in the file's space


class Flesh:
    """exchange: what was sent; swing, twist: the range, radians."""

    def __init__(self, exchange, swing, twist):
        self.exchange, self.swing, self.twist = exchange, swing, twist
        self.turns = sample_turns(swing, twist)
        self.sampled = list(range(exchange.deforming))
        self.held_out = self.random_turns()

    def random_turns(self):
        """(2 RANDOM_POSES) x bones x 3: poses that are not fitted."""
        numbers = np.random.default_rng(7)
        count, bones = len(self.sampled), len(self.exchange.bones)
        limits = np.array([self.swing, self.twist, self.swing])
        turns = np.zeros((2 * RANDOM_POSES, bones, 3))
        for k in range(RANDOM_POSES):
            turns[k, numbers.integers(count)] = 0.7 * limits * numbers.uniform(-1, 1, 3)
        turns[RANDOM_POSES:, :count] = 0.25 * limits * numbers.uniform(-1, 1, (RANDOM_POSES, count, 3))
        return turns

    def clip(self):
        """Rotations (frames x bones x 4) of all poses: those of each bone after each other, then the held-out ones."""
        bones = len(self.exchange.bones)
        turns = np.zeros((len(self.sampled), len(self.turns), bones, 3))
        for k, bone in enumerate(self.sampled):
            turns[k, :, bone] = self.turns
        return quaternions(np.concatenate([turns.reshape(-1, bones, 3), self.held_out]))

    def fit(self, frames, slots, weights, tolerance, most):
        """frames: (poses x vertices x 3) of the clip, deformed; slots, weights: of every vertex, as Blender has them.
        Sets `shapes`: at most so many for each bone, fewer where samples are met to `tolerance`, a length."""
        self.rest = np.vstack(self.exchange.positions)
        self.slots, self.weights = slots, weights
        self.shapes = []
        bound = weights.sum(axis=1) > 0.5
        inverse = np.linalg.inv(monomials(self.turns, self.swing, self.twist))
        for k, bone in enumerate(self.sampled):
            poses = frames[k * len(self.turns):(k + 1) * len(self.turns)]
            vertices, deltas = self.deltas_of(bone, poses, bound, 0.2 * tolerance)
            if len(vertices):
                self.shapes += split(bone, vertices, deltas, inverse, tolerance, most)

    def deltas_of(self, bone, poses, bound, least):
        """Vertices that linear blending misplaces by more than `least`, and by how much, before the bones move them."""
        below = self.subtree(bone)
        share = (self.weights * below[self.slots]).sum(axis=1)
        rest = self.exchange.rest[bone]
        moves = []
        for turn in self.turns:
            local = np.eye(4)
            local[:3, :3] = rotation_matrix(quaternions(turn))
            moves.append(rest @ local @ np.linalg.inv(rest))
        off = np.zeros(len(self.rest), bool)
        for pose, move in zip(poses, moves):
            moved = self.rest + share[:, None] * (self.rest @ move[:3, :3].T + move[:3, 3] - self.rest)
            off |= np.linalg.norm(pose - moved, axis=1) > least
        vertices = np.flatnonzero(off & bound)
        own = share[vertices][:, None, None]
        deltas = np.empty((len(poses), len(vertices), 3))
        for number, (pose, move) in enumerate(zip(poses, moves)):
            linear = np.eye(3) + own * (move[:3, :3] - np.eye(3))
            shift = own[:, :, 0] * move[:3, 3]
            deltas[number] = np.linalg.solve(linear, (pose[vertices] - shift)[:, :, None])[:, :, 0] - self.rest[vertices]
        return vertices, deltas

    def subtree(self, bone):
        inside = np.zeros(len(self.exchange.bones), bool)
        for k in self.exchange.order():
            inside[k] = k == bone or (self.exchange.parents[k] >= 0 and inside[self.exchange.parents[k]])
        return inside

    def pose(self, turns):
        """Vertices in a pose of all bones, as Blender shows them."""
        shape = self.rest.copy()
        values = monomials(clamped(turns, self.swing, self.twist), self.swing, self.twist)
        for corrective in self.shapes:
            shape[corrective.vertices] += (values[corrective.bone] @ corrective.coefficients) * corrective.deltas
        matrices = self.skinning_matrices(turns)
        moved = np.zeros_like(shape)
        for k in range(self.slots.shape[1]):
            m = matrices[self.slots[:, k]]
            moved += self.weights[:, k, None] * (np.einsum("nij,nj->ni", m[:, :3, :3], shape) + m[:, :3, 3])
        return moved

    def skinning_matrices(self, turns):
        exchange, rotations = self.exchange, rotation_matrix(quaternions(turns))
        local, posed = exchange.local_rest(), np.empty_like(exchange.rest)
        for bone in exchange.order():
            turn = np.eye(4)
            turn[:3, :3] = rotations[bone]
            own = local[bone] @ turn
            posed[bone] = posed[exchange.parents[bone]] @ own if exchange.parents[bone] >= 0 else own
        return posed @ np.linalg.inv(exchange.rest)

    def errors(self, frames):
        """Of held-out poses of one bone and of all bones: (99.9 % of vertices, largest), fractions of the size."""
        bound = self.weights.sum(axis=1) > 0.5
        found = []
        for turns, pose in zip(self.held_out, frames[-len(self.held_out):]):
            found.append(np.linalg.norm(self.pose(turns) - pose, axis=1)[bound] / self.exchange.size)
        return [(float(np.quantile(part, 0.999)), float(np.max(part)))
                for part in (found[:RANDOM_POSES], found[RANDOM_POSES:])]


def split(bone, vertices, deltas, inverse, tolerance, most):
    """Principal components of the samples, the fewest that meet all of them; at most so many."""
    flat = deltas.reshape(len(deltas), -1)
    _, basis = np.linalg.eigh(flat @ flat.T)
    basis = basis[:, ::-1]
    shapes, left = [], flat.copy()
    for k in range(min(most, len(deltas))):
        if np.linalg.norm(left.reshape(deltas.shape), axis=2).max() <= tolerance:
            break
        column = basis[:, k]
        scale = np.abs(column).max()
        mode = column @ flat
        left -= np.outer(column, mode)
        shapes.append(Corrective(bone, inverse @ (column / scale), vertices, (scale * mode).reshape(-1, 3)))
    return shapes


def read_frames(path):
    """Positions (frames x vertices x 3) of a .pc2 file."""
    header = np.fromfile(path, "<i4", 8)
    return np.memmap(path, "<f4", "r", 32, (int(header[7]), int(header[4]), 3))
