# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a call: how it ended, what it said, what it wrote."""
import array
import json
import math
import re
import signal
import struct
import unicodedata

import changes

DONE, BAD_INPUT, IMPOSSIBLE = 0, 3, 4  # all that a damaged file may end in; the arguments are sound
NOT_FINITE = re.compile(rb"(?im)^\s*v[nt]?\s.*\b(nan|inf)")
STEERS = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of pairs, ends of lines
TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # the direction of what follows
OWNED = re.compile(r"(POSITION|NORMAL|WEIGHTS_\d+)$")


def strict(text):
    """The JSON document, which may not hold NaN."""
    def refuse(word):
        raise ValueError(word + " is not JSON")
    return json.loads(text, parse_constant=refuse)


def all_finite(data, big_endian=False):
    numbers = array.array("f", data[:len(data) // 4 * 4])
    if big_endian:
        numbers.byteswap()
    return all(map(math.isfinite, numbers))


def wrong_in_gltf(document, buffer):
    used = set()
    for mesh in document.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            targets = primitive.get("targets")  # kept as they are where they are none
            for attributes in [primitive.get("attributes", {}), *(targets if isinstance(targets, list) else [])]:
                used |= {number for name, number in attributes.items() if OWNED.match(name)}
    used |= {skin["inverseBindMatrices"] for skin in document.get("skins", []) if "inverseBindMatrices" in skin}
    for number, offset, stride, count, width, letter in changes.accessors_of(document):
        if letter != "f" or number not in used:
            continue
        for row in range(count):
            if not all(map(math.isfinite, struct.unpack_from("<%df" % width, buffer, offset + row * stride))):
                return "accessor %d of what was written is not finite in row %d" % (number, row)
    return None


def wrong_in_file(path):
    """What cannot be in a file that the program has written; None: nothing. Formats that it reads are read again by it."""
    if not path.is_file():
        return "done, and there is no %s" % path.name
    data = path.read_bytes()
    try:
        if path.suffix == ".obj":
            return "%s holds numbers that are not finite" % path.name if NOT_FINITE.search(data) else None
        if path.suffix == ".glb":
            text = data[20:20 + struct.unpack_from("<I", data, 12)[0]]
            return wrong_in_gltf(strict(text), data[28 + len(text):])
        if path.suffix == ".gltf":
            document = strict(data)
            return wrong_in_gltf(document, changes.embedded(document) or b"")
        if path.suffix in (".pc2", ".mdd"):
            start = 32 if path.suffix == ".pc2" else 8
            return None if all_finite(data[start:], path.suffix == ".mdd") else "%s is not finite" % path.name
        if path.suffix == ".png" and not data.startswith(b"\x89PNG"):
            return "%s is no PNG" % path.name
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as problem:
        return "%s is not sound: %s" % (path.name, problem)
    return None


def wrong_in_message(stderr, code, names):
    try:
        text = stderr.decode()
    except UnicodeDecodeError:
        return "the message is not UTF-8"
    if bad := [c for c in text if c not in "\n\t" and (
            unicodedata.category(c) in STEERS or unicodedata.bidirectional(c) in TURNS)]:
        return "the message holds a control character, %r" % bad[0]
    sentences = [line for line in text.splitlines() if line.startswith("sinew: ")]
    if not sentences or len(sentences[-1]) < 20:
        return "no sentence says why"
    if code == BAD_INPUT and not any(name in sentences[-1] for name in names):
        return "the sentence does not name the file"
    return None


def judge(end, words, input_name, folder, out, limits):
    """Kind and sentence of what is wrong with a call, or None. `end` holds code, cpu, memory, sleeps, stdout, stderr."""
    if end.sleeps:
        return "sleep", "does nothing and does not end"
    if end.code == -signal.SIGXCPU or end.cpu > limits.cpu:
        return "time", "takes over %.3g s of processor time" % limits.cpu
    if end.code == 99 and limits.sanitized:
        found = re.search(rb"(ERROR: \w+: [\w-]+|runtime error: [^\n]*)", end.stderr)
        return "sanitizer", found.group(1).decode(errors="replace") if found else "the sanitizer found something"
    if end.code < 0 or end.code in (132, 134, 135, 136, 139):
        return "crash", "ended by signal %d" % (-end.code if end.code < 0 else end.code - 128)
    if end.memory > limits.memory or (end.code == 6 and b"memory" in end.stderr):
        return "memory", "takes %d MB, over %d MB" % (end.memory, limits.memory)
    if end.code not in (DONE, BAD_INPUT, IMPOSSIBLE):
        return "exit", "exit code %d" % end.code
    if end.code != DONE:
        wrong = wrong_in_message(end.stderr, end.code, [input_name])
        if wrong:
            return "message", wrong
        left = sorted(p.name for p in folder.iterdir() if p.name not in (input_name, "stdout", "stderr"))
        return ("output", "failed, and left " + left[0]) if left else None
    if "--json" in words:
        try:
            strict(end.stdout)
        except ValueError as problem:
            return "json", "what --json prints is no JSON: %s" % problem
    wrong = wrong_in_file(folder / out) if out else None
    return ("output", wrong) if wrong else None
