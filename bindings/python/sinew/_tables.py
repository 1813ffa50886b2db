# SPDX-License-Identifier: Apache-2.0
"""The tables of methods and settings, which the command line reads, too: a new option appears here by itself."""
from __future__ import annotations

from typing import Any

from . import _player, _sinew, _verbs


def deformers() -> dict[str, str]:
    """Deformers that a Player can have, each with a line of what it is."""
    return _sinew.deformers()


def weight_methods() -> dict[str, str]:
    """Methods of weights(), each with a line of what it is."""
    return _sinew.weight_methods()


def settings(of: str | None = None) -> list[dict[str, Any]]:
    """Settings that functions take as keywords: name, of (the deformer, step, weight method or verb that reads it), kind,
    range, default, help. of: those of one of them alone."""
    rows = _sinew.deformer_settings() + _sinew.weight_settings() + _sinew.table("cage") + _sinew.table("check")
    return [row for row in rows if of is None or row["of"] == of]


def _add_settings(function: Any, rows: list[dict[str, Any]]) -> None:
    """The settings into the documentation of what takes them."""
    lines: dict[str, str] = {}
    for row in rows:
        if row["name"] not in lines:
            lines[row["name"]] = f"    {row['name']}: {row['help']} ({row['range']}; {row['of']})"
    function.__doc__ = (function.__doc__ or "") + "\n\n    Settings:\n\n" + "\n".join(lines.values()) + "\n"


for _one in (_player.Player, _verbs.posed_mesh, _verbs.bake, _verbs.add_key, _verbs.unpose, _verbs.stack, _verbs.export,
             _verbs.render):
    _add_settings(_one, _sinew.deformer_settings())
_add_settings(_verbs.weights, _sinew.weight_settings())
_add_settings(_verbs.rig, _sinew.weight_settings())
_add_settings(_verbs.cage, _sinew.table("cage"))
_add_settings(_verbs.check, _sinew.table("check"))
