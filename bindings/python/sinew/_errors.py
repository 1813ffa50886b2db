# SPDX-License-Identifier: Apache-2.0
"""Why something could not be done: a sentence to act on, and a code, that of the command line."""
from __future__ import annotations


class Error(Exception):
    """What every failure of sinew is. str() is the library's sentence."""

    code: int = 1  #: the exit code of the command line
    parameter: str = ""  #: the argument at fault, where there is one

    def __init__(self, message: str, code: int | None = None, parameter: str = ""):
        super().__init__(message)
        if code is not None:
            self.code = code
        self.parameter = parameter

    def __reduce__(self):
        return type(self), (str(self), self.code, self.parameter)


class UsageError(Error, ValueError):
    """A call that cannot mean anything: an unknown name, a number out of range, an array that does not fit."""

    code = 2


class BadInputError(Error, ValueError):
    """A file or an array that is broken; the message says where."""

    code = 3


class ImpossibleError(Error, RuntimeError):
    """Good data, but the job cannot be done with it."""

    code = 4


class FileError(Error, OSError):
    """A file that is missing or exists already, or a full disk."""

    code = 5

    def __init__(self, message: str, code: int | None = None, parameter: str = ""):
        Error.__init__(self, message, code, parameter)

    def __str__(self) -> str:
        return str(self.args[0])


class LimitError(Error, MemoryError):
    """A limit, that of memory for one."""

    code = 6


class CancelledError(Error):
    """Somebody stopped it."""

    code = 130


_CLASSES = {c.code: c for c in (Error, UsageError, BadInputError, ImpossibleError, FileError, LimitError, CancelledError)}


def make(code: int, message: str, parameter: str = "") -> Error:
    """The exception of a code."""
    return _CLASSES.get(code, Error)(message, code, parameter)
