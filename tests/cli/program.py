# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running the program, reading what it says and writes."""
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from rig_schema import gltf_json, rig_schema

PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "sinew"
SOURCE = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "."


def is_sanitized(program):
    """Whether it was built with the address sanitizer, which takes time and memory of its own."""
    with open(program, "rb") as f:
        return b"__asan_init" in f.read()


SANITIZED = os.path.exists(PROGRAM) and is_sanitized(PROGRAM)
SLOWER = 20 if SANITIZED else 1  # how many times longer than others it may take
ALL = bool(os.environ.get("SINEW_ALL"))  # on every file, as ./dev test --all; otherwise on some of them
FOREVER = 600  # seconds; what takes so long by the clock does not end. Nothing is measured by the clock: others may be at work


def some(items, of=3):
    """Every third of the items, or all where all are asked for."""
    items = list(items)
    return items if ALL else items[::of]


def strict(text):
    """The JSON document, which may not hold NaN."""
    def refuse(word):
        raise ValueError(word + " is not JSON")
    return json.loads(text, parse_constant=refuse)


def text_of(path):
    with open(path) as f:
        return f.read()


def edit_glb(path, out, change):
    """A copy of a .glb whose JSON `change` has edited."""
    with open(path, "rb") as f:
        data = f.read()
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20:20 + length])
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length:]
    with open(out, "wb") as f:
        f.write(struct.pack("<III", 0x46546C67, 2, 20 + len(text) + len(rest)))
        f.write(struct.pack("<II", len(text), 0x4E4F534A) + text + rest)
    return out


def processor_seconds_of_children():
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def processor_seconds(process):
    """Of one that runs; None where it has ended."""
    try:
        fields = text_of("/proc/%d/stat" % process.pid).rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(true, what):
    end = time.monotonic() + FOREVER
    while not true():
        if time.monotonic() > end:
            raise AssertionError("waited for " + what)
        time.sleep(0.01)


def stop_in_the_middle(process, seconds, number):
    """Sends a signal after so much processor time, and waits. Returns the exit code and the processor time spent from then on."""
    wait_until(lambda: (used := processor_seconds(process)) is None or used >= seconds, "%g s of processor time" % seconds)
    before = processor_seconds(process)
    process.send_signal(number)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime - (before or 0)


class ProgramTest(unittest.TestCase):
    """A folder for all tests of the class; files in it are named after their test."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def make(cls, name, *words):
        out = os.path.join(cls.folder.name, name)
        subprocess.run([PROGRAM, "make", *map(str, words), "-o", out], check=True, capture_output=True)
        return out

    def path(self, name):
        return os.path.join(self.folder.name, self.id().split(".")[-1] + "-" + name)

    def run_any(self, *words, **options):
        return subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=300 * SLOWER,
                              **options)

    def call(self, *words, code=0, **options):
        done = self.run_any(*words, **options)
        self.assertEqual(done.returncode, code, "%s\n%s%s" % (words, done.stdout[-400:], done.stderr[-400:]))
        if code == 0:
            self.check_schema(words)
        return done

    def check_schema(self, words):
        """A rig that was written fits the schema that docs/ publishes."""
        words = list(map(str, words))
        out = words[words.index("-o") + 1] if "-o" in words[:-1] else ""
        if out.endswith((".glb", ".gltf")) and os.path.isfile(out):
            faults = list(rig_schema(SOURCE).faults(gltf_json(out)))
            self.assertEqual(faults[:5], [], "%s does not fit docs/schema/SINEW_rig.schema.json" % out)

    def document(self, *words):
        return strict(self.call(*words, "--json").stdout)

    def vertices(self, path):
        with open(path) as lines:
            return [tuple(map(float, l.split()[1:4])) for l in lines if l.startswith("v ")]
