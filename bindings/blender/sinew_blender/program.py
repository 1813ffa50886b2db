# SPDX-License-Identifier: Apache-2.0
"""Finds the program and runs it in a process of its own, so that Blender stays responsive and Esc can end it."""
import functools
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

NAME = "sinew.exe" if sys.platform == "win32" else "sinew"
MISSING = ("The program sinew was not found. Set its path in Edit > Preferences > Add-ons > Sinew, "
           "or install it (pip install sinew, or the package of your system) and restart Blender.")


class Failed(Exception):
    """What went wrong, as a sentence for the user."""


def candidates(chosen=""):
    """Where the program may be, best first: the preferences, beside the add-on, the Python package, PATH."""
    if chosen:
        path = pathlib.Path(chosen)
        yield path / NAME if path.is_dir() else path
        return
    yield pathlib.Path(__file__).parent / "program" / "bin" / NAME
    package = importlib.util.find_spec("sinew")
    for folder in package.submodule_search_locations or [] if package else []:
        yield pathlib.Path(folder, "bin", NAME)
    if found := shutil.which("sinew"):
        yield pathlib.Path(found)


def find(chosen=""):
    for path in candidates(chosen):
        if path.is_file():
            if not os.access(path, os.X_OK):
                path.chmod(path.stat().st_mode | 0o111)  # .zip files lose it
            return path
    raise Failed(f"There is no program at {chosen}. Correct the path in the preferences of the add-on."
                 if chosen else MISSING)


def environment():
    """Blender's own libraries and Python must not reach the program."""
    return {name: value for name, value in os.environ.items() if name not in ("LD_LIBRARY_PATH", "PYTHONHOME")}


def answer(path, *words):
    """What a quick command prints."""
    try:
        return subprocess.run([path, *words], capture_output=True, text=True, timeout=20, env=environment(),
                              check=True).stdout
    except (OSError, subprocess.SubprocessError) as problem:
        raise Failed(f"{path} cannot be run: {problem}") from problem


@functools.lru_cache(maxsize=4)
def version(path):
    return answer(path, "--version").split("\n")[0].strip()


@functools.lru_cache(maxsize=4)
def weight_methods(path):
    """(name, description) of the program's table, its default first."""
    text = answer(path, "weights", "--help")
    found = re.search(r"--method TEXT=(\S+) .*\n((?: {30,}\S.*\n)+)", text)
    if not found:
        return [("bbw", "bounded biharmonic weights on a solid voxel grid")]
    rows = re.findall(r"(?m)^ +(\S+) {2,}(\S.*)$", found[2])
    return sorted(rows, key=lambda row: row[0] != found[1])


class Run:
    """One command at work in `folder`. What it prints goes to files there, so that no pipe fills up."""

    def __init__(self, path, words, folder):
        self.out, self.err = pathlib.Path(folder, "out.json"), pathlib.Path(folder, "messages.txt")
        self.fraction, self.stage, self.messages, self.rest, self.position = 0.0, "", [], b"", 0
        try:
            with open(self.out, "wb") as out, open(self.err, "wb") as err:
                self.process = subprocess.Popen([path, *map(str, words), "--json", "--force", "--progress"],
                                                env=environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        except OSError as problem:
            raise Failed(f"{path} cannot be run: {problem}") from problem

    def poll(self):
        """True once it has ended. Reads progress and messages."""
        ended = self.process.poll() is not None
        self.read_messages()
        return ended

    def read_messages(self):
        with open(self.err, "rb") as file:
            file.seek(self.position)
            text = file.read()
            self.position = file.tell()
        *lines, self.rest = (self.rest + text).split(b"\n")
        for line in (raw.decode(errors="replace") for raw in lines):
            if line.startswith("progress: "):
                fraction, _, self.stage = line[10:].partition(" ")
                self.fraction = float(fraction)
            elif line:
                self.messages.append(line)

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def result(self):
        """The JSON that it printed."""
        self.process.wait()
        self.read_messages()
        if self.process.returncode != 0:
            raise Failed(self.problem())
        text = self.out.read_text(encoding="utf-8")
        return json.loads(text) if text.strip() else {}

    def problem(self):
        lines = [line for line in self.messages if not line.startswith(("note:", "warning:"))]
        said = " ".join(lines + [self.rest.decode(errors="replace")]).strip()
        return re.sub(r"^(sinew: |error: )?(\S*\.glb: )?", "", said) or f"sinew ended with code {self.process.returncode} and said nothing."

    def warnings(self):
        """Without the name of our own file, and without what is so before binding."""
        texts = [re.sub(r"^\S*\.glb: ", "", line[9:]) for line in self.messages if line.startswith("warning: ")]
        return [text[:1].upper() + text[1:] for text in texts if "no usable weight" not in text]
