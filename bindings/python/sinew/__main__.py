# SPDX-License-Identifier: Apache-2.0
"""`sinew` and `python -m sinew`: the command line that comes with the package."""
import os
import sys

from ._batch import PROGRAM


def main() -> None:
    os.execv(PROGRAM, ["sinew", *sys.argv[1:]])


if __name__ == "__main__":
    main()
