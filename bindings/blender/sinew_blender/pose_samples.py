# SPDX-License-Identifier: Apache-2.0
"""Poses in which the flesh is sampled, and polynomials of a bone's turn that interpolate between them. No bpy in here.

A turn is what Blender's drivers give of a bone in Swing and Y Twist mode: x, the twist y, and z, where the swing is the
quaternion (sin x/2, 0, sin z/2). Samples bend about x, about z and about both, twist, and do both at once. There are as many
monomials as samples, so that every sample is met exactly.
"""
import itertools

import numpy as np

X, TWIST, Z = 0, 1, 2
PAIRS = [(X, Z), (X, TWIST), (Z, TWIST)]
# Exponents of x, y and z.
MONOMIALS = [tuple(power if k == axis else 0 for k in range(3)) for axis in range(3) for power in (1, 2, 3, 4)]
MONOMIALS += [tuple(p if k == a else q if k == b else 0 for k in range(3))
              for a, b in PAIRS for p, q in ((1, 1), (2, 1), (1, 2), (2, 2))]
DIAGONAL = np.sqrt(0.5)


def sample_turns(swing, twist):
    """24 x 3, radians: up to these angles."""
    limits = np.array([swing, twist, swing])
    turns = [[limits[axis] * part if k == axis else 0 for k in range(3)]
             for axis in range(3) for part in (-1, -0.5, 0.5, 1)]
    corner = 2 * np.arcsin(np.sin(swing / 2) * DIAGONAL)  # a bend by `swing` half way between x and z
    for a, b in PAIRS:
        far = (corner, corner) if TWIST not in (a, b) else (DIAGONAL * swing, DIAGONAL * twist)
        for signs in itertools.product((-1, 1), repeat=2):
            turns.append([far[0] * signs[0] if k == a else far[1] * signs[1] if k == b else 0 for k in range(3)])
    return np.array(turns)


def monomials(turns, swing, twist):
    """Of turns (n x 3): n x 24, each at most about 1 inside the range."""
    scaled = np.asarray(turns) / [swing, twist, swing]
    return np.stack([np.prod(scaled ** list(powers), axis=1) for powers in MONOMIALS], axis=1)


def clamped(turns, swing, twist):
    """As the drivers on bones do it: beyond the range the flesh stays as at its border."""
    turns = np.array(turns, float)
    angle = 2 * np.arcsin(np.minimum(1, np.hypot(np.sin(turns[:, X] / 2), np.sin(turns[:, Z] / 2))))
    scale = np.minimum(1, swing / np.maximum(angle, 1e-3))
    return np.stack([turns[:, X] * scale, np.clip(turns[:, TWIST], -twist, twist), turns[:, Z] * scale], axis=1)


def quaternions(turns):
    """x, y, z, w of turns: the twist first, then the swing."""
    half = np.asarray(turns) / 2
    x, z = np.sin(half[..., X]), np.sin(half[..., Z])
    w = np.sqrt(np.maximum(0, 1 - x * x - z * z))
    s, c = np.sin(half[..., TWIST]), np.cos(half[..., TWIST])
    return np.stack([x * c - z * s, w * s, z * c + x * s, w * c], axis=-1)


def expression(coefficients, swing, twist):
    """The sum of monomials as text for a driver, of the variables x, y, z; a list of texts where it is long."""
    scale = np.array([swing, twist, swing])
    terms = []
    for powers, c in zip(MONOMIALS, coefficients):
        c /= np.prod(scale ** list(powers))
        if abs(c) < 1e-7:
            continue
        factors = [name for name, power in zip("xyz", powers) for _ in range(power)]
        terms.append(f"{c:+.6g}*" + "*".join(factors))
    texts = [""]
    for term in terms:
        if len(texts[-1]) + len(term) > 240:  # Blender cuts expressions off at 255
            texts.append("")
        texts[-1] += term
    return texts
