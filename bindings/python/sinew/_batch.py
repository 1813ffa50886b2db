# SPDX-License-Identifier: Apache-2.0
"""Many jobs, each in a process of its own, with the journal of `sinew batch`."""
from __future__ import annotations

import functools
import json
import os
import pathlib
import subprocess
from typing import Any, Iterable, Mapping

from . import _arrays, _sinew
from ._errors import FileError
from ._nouns import PathLike, reporter

#: The command line, which comes with the package and runs the jobs.
PROGRAM = pathlib.Path(__file__).parent / "bin" / "sinew"


@functools.lru_cache(maxsize=None)
def _verbs() -> dict[str, bool]:
    """What jobs can do, and whether that writes a file."""
    try:
        said = subprocess.run([PROGRAM, "batch", "--verbs", "--json"], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise FileError(f"cannot run the program of the package: {problem}") from None
    return json.loads(said.stdout)


def _line(job: Any, number: int) -> str:
    """A job as a line of a manifest; what is wrong with its contents is told when that is read."""
    if not isinstance(job, Mapping):
        raise _arrays.fail("jobs", f"has an entry {number} of type {type(job).__name__}: give dicts with verb, args and out")
    words = dict(job)
    if isinstance(words.get("args"), (list, tuple)):
        words["args"] = [os.fspath(one) if isinstance(one, os.PathLike) else str(one) for one in words["args"]]
    if isinstance(words.get("out"), os.PathLike):
        words["out"] = os.fspath(words["out"])
    try:
        return json.dumps(words)
    except (TypeError, ValueError) as problem:
        raise _arrays.fail("jobs", f"has an entry {number} that is no JSON: {problem}") from None


def batch(jobs: PathLike | Iterable[Mapping[str, Any]], folder: PathLike, *, workers: int = 0, threads: int = 0,
          timeout: float = 0, memory: int = 0, retries: int = 1, redo_failed: bool = False,
          shard: str | tuple[int, int] = "1/1", lock_wait: float = 0, pictures: bool = True, status: bool = False,
          force: bool = False, progress: Any = None) -> dict[str, Any]:
    """Runs many jobs, each in a process of its own, as `sinew batch` does; gives its report.

    jobs: {"verb": "rig", "args": ["ann.obj", "--template", "biped"], "out": "ann.glb"} each, or a manifest. folder: of
    the results, with a page, a table and the journal: the same call again, or `sinew batch`, goes on where a killed
    one stopped. report["jobs"] has a row a job: exit, seconds, peak_mb, message. Jobs that fail raise nothing.

    workers: jobs at the same time; 0: one a core. threads: of a job. timeout: seconds, and memory: MB that a job may
    take; 0: any. retries: after a crash, an I/O error or a time limit. redo_failed: also repeats what failed before.
    shard: (2, 8) or "2/8": that part of the jobs. lock_wait: seconds to wait for another batch in the folder.
    pictures: of the results. status: runs nothing. force: replaces files that no batch wrote.
    """
    if isinstance(jobs, (str, os.PathLike)):
        name = os.fspath(jobs)
        try:
            text = pathlib.Path(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            raise FileError(f"{name}: {getattr(problem, 'strerror', None) or problem}") from None
        name = os.path.basename(name)
    else:
        name, text = "jobs", "".join(_line(job, k) + "\n" for k, job in enumerate(jobs))
    part = shard if isinstance(shard, str) else "/".join(str(one) for one in shard)
    options = dict(workers=workers, threads=threads, timeout=float(timeout), memory=memory, retries=retries,
                   redo_failed=redo_failed, shard=part, lock_wait=float(lock_wait), pictures=pictures, status=status,
                   force=force)
    return _sinew.batch(text, name, folder, os.fspath(PROGRAM), _verbs(), options, reporter(progress))
