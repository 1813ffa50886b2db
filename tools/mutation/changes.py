# SPDX-License-Identifier: Apache-2.0
"""Damage to a file: bytes in, bytes out, and the same for the same random numbers.

Bytes are flipped, cut, doubled and spliced; numbers become extreme ones; lines and JSON values move, vanish and change
their type; what accessors of a glTF hold is replaced by numbers that no artist wrote.
"""
import base64
import copy
import json
import math
import re
import struct

GLB_MAGIC, JSON_CHUNK, BIN_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
WORDS = ("0 -0 1 -1 2 0.5 255 256 65535 65536 2147483647 -2147483648 4294967295 4294967296 9223372036854775807 "
         "18446744073709551616 1e16 1e39 -1e39 1e308 -1e308 1e400 1e-30 1e-320 nan inf -inf . - 1e 0x10 1,5 a").split()
NUMBERS = (0, -0.0, 1, -1, 2, 3, 0.5, 255, 256, 65535, 65536, 2**31 - 1, -2**31, 2**32 - 1, 2**32, 2**53, 2**63, 2**64,
           1e16, 1e39, -1e39, 1e308, -1e308, 1e-30, 1e-320, math.nan, math.inf, -math.inf)
FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e-30, 1e-6, 1e6, 1e10, 1e19, -1e19, 3.4e38, -3.4e38, math.nan, math.inf)
OTHER_TYPES = (None, True, "", "x", [], {}, [0], [[]], {"x": 0}, 0, -1, 0.5)
STRINGS = ("", "a", "../../x.bin", "/nowhere/x.bin", "data:application/octet-stream;base64,AAAA", "%00", "\u0000", "\u001b[31m",
           "\u00e4\u4e2d\U0001f600", "x" * 5000, "SCALAR", "VEC3", "MAT4", "translation", "STEP", "CUBICSPLINE")
TYPES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}


# --- bytes and words ---

def a_range(random, size):
    """A place and a length in so many bytes, short ones more often."""
    start = random.randrange(size)
    return start, min(size - start, 1 << random.randrange(1 + size.bit_length()))


def damage_bytes(random, data, other):
    if not data:
        return bytes(random.randbytes(random.randrange(64)))
    data = bytearray(data)
    kind = random.choice(("flip", "flip", "set", "cut", "end", "double", "zero", "splice", "swap"))
    start, length = a_range(random, len(data))
    if kind == "flip":
        for _ in range(1 << random.randrange(6)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif kind == "set":
        for _ in range(1 << random.randrange(6)):
            data[random.randrange(len(data))] = random.choice((0, 1, 0x20, 0x7F, 0x80, 0xFF))
    elif kind == "cut":
        del data[start:start + length]
    elif kind == "end":
        del data[start:]
    elif kind == "double":
        data[start:start] = data[start:start + min(length, 1 << 16)]
    elif kind == "zero":
        data[start:start + length] = bytes(length)
    elif kind == "splice" and other:
        begin, count = a_range(random, len(other))
        data[start:start + random.choice((0, length))] = other[begin:begin + min(count, 1 << 16)]
    else:
        second = random.randrange(len(data))
        data[start], data[second] = data[second], data[start]
    return bytes(data)


def damage_words(random, data):
    """Numbers and words of a text."""
    words = list(re.finditer(rb"[^\s,/]+", data))
    if not words:
        return data
    for word in sorted(random.sample(words, min(len(words), 1 << random.randrange(4))), key=lambda w: -w.start()):
        kind = random.randrange(6)
        if kind < 4:
            new = random.choice(WORDS).encode()
        else:
            new = random.choice((b"", random.choice(words).group()))
        data = data[:word.start()] + new + data[word.end():]
    return data


def damage_lines(random, data, other):
    lines = data.split(b"\n")
    kind, a, b = random.randrange(6), random.randrange(len(lines)), random.randrange(len(lines))
    if kind == 0:
        del lines[a:a + (1 << random.randrange(8))]
    elif kind == 1:
        lines[b:b] = [lines[a]] * (1 << random.randrange(10))
    elif kind == 2:
        lines[a], lines[b] = lines[b], lines[a]
    elif kind == 3:
        lines = lines[:a]
    elif kind == 4:
        lines[b:b] = random.sample(other.split(b"\n"), 1)
    else:
        lines[a] = lines[a] * (1 << random.randrange(6))
    return b"\n".join(lines)


def damage_text(random, data, other):
    return random.choice((damage_words, damage_words, lambda r, d: damage_lines(r, d, other),
                          lambda r, d: damage_bytes(r, d, other)))(random, data)


# --- JSON ---

def walk(random, document):
    """A container and a key in it, reached by chance; None for an empty document."""
    container, key = None, None
    value = document
    while isinstance(value, (dict, list)) and value:
        container = value
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        value = value[key]
        if random.random() < 0.15:
            break
    return (container, key) if container is not None else None


def other_value(random, value, document):
    kind = random.randrange(5)
    if kind == 0:
        return copy.deepcopy(random.choice(OTHER_TYPES))
    if kind == 1:
        found = walk(random, document)
        return copy.deepcopy(found[0][found[1]])
    if isinstance(value, bool):
        return not value
    if isinstance(value, int) and kind < 4:
        return value + random.choice((-1, 1, -value, 4, 100))
    if isinstance(value, (int, float)):
        return random.choice(NUMBERS)
    if isinstance(value, str):
        return random.choice(STRINGS + (value + "x", value[:-1]))
    if isinstance(value, list) and value:
        return random.choice(([], value[:-1], value + value[-1:], value * 40, value[::-1], [value]))
    return {} if isinstance(value, dict) else copy.deepcopy(random.choice(OTHER_TYPES))


def damage_json(random, document):
    """Changes a document in place."""
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        found = walk(random, document)
        if not found:
            return
        container, key = found
        kind = random.randrange(8)
        if kind == 0:
            del container[key]
        elif kind == 1 and isinstance(container, dict):
            name = random.choice((key + "x", "extras", "name", random.choice(list(container))))
            container[name] = container.pop(key)
        elif kind == 1:
            container.insert(random.randrange(len(container) + 1), copy.deepcopy(container[key]))
        else:
            container[key] = other_value(random, container[key], document)


# --- glTF ---

def accessors_of(document):
    """The accessors that lie in the first buffer, by their number: offset, stride, count, components, struct letter."""
    views, accessors = document.get("bufferViews"), document.get("accessors")
    for number, accessor in enumerate(accessors if isinstance(accessors, list) else []):
        try:
            view = views[accessor["bufferView"]]
            letter, width = TYPES[accessor["componentType"]], WIDTHS[accessor["type"]]
            if view.get("buffer", 0) == 0:
                offset = int(view.get("byteOffset", 0) + accessor.get("byteOffset", 0))
                stride = int(view.get("byteStride") or struct.calcsize(letter) * width)
                yield number, offset, stride, min(int(accessor["count"]), 1 << 20), width, letter
        except (KeyError, IndexError, TypeError, ValueError, OverflowError, AttributeError):
            continue


def damage_accessor(random, document, data):
    found = list(accessors_of(document)) if isinstance(document, dict) else []
    if not found:
        return damage_bytes(random, data, b"")
    _, offset, stride, count, width, letter = random.choice(found)
    data = bytearray(data)
    if letter == "f":
        new = random.choice(FLOATS)
    else:
        bits = 8 * struct.calcsize(letter)
        top = (1 << bits) - 1 if letter.isupper() else (1 << bits - 1) - 1
        new = random.choice((0, 1, 2, top, top - 1, min(top, count), min(top, max(count - 1, 0))))
    rows = random.choice((1, 1, 2, 3, 10, count))  # some, or all of them
    columns = random.choice((None, None, random.randrange(width)))  # whole rows, or one component
    times = random.choice((None, None, None, 1e-18, 1e-6, 1e6, 1e18, -1.0))  # scaled instead of replaced
    start = random.randrange(max(count, 1))
    for row in range(start if rows < count else 0, min(count, start + rows if rows < count else count)):
        for column in range(width) if columns is None else (columns,):
            place = offset + row * stride + column * struct.calcsize(letter)
            if not 0 <= place <= len(data) - struct.calcsize(letter):
                continue
            value = new
            if times is not None and letter == "f":
                value = struct.unpack_from("<f", data, place)[0] * times
                value = value if abs(value) < 3.4e38 else math.inf
            struct.pack_into("<" + letter, data, place, value)
    return bytes(data)


def read_glb(data):
    """The document and the bytes of the first buffer, or None for what is not whole."""
    try:
        magic, _, _, length, chunk = struct.unpack_from("<IIIII", data)
        document = json.loads(data[20:20 + length])
    except (struct.error, ValueError):
        return None
    if magic != GLB_MAGIC or chunk != JSON_CHUNK or not isinstance(document, dict):
        return None
    return document, data[28 + length:]


def write_glb(document, buffer):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if buffer:
        chunks += struct.pack("<II", len(buffer), BIN_CHUNK) + buffer
    return struct.pack("<III", GLB_MAGIC, 2, 12 + len(chunks)) + chunks


def embedded(document):
    """The bytes of the first buffer of a .gltf, where they are part of it."""
    try:
        head, text = document["buffers"][0]["uri"].split(",", 1)
        return base64.b64decode(text) if head.endswith(";base64") else None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None


def with_its_buffers(path, data):
    """A .gltf with the files that it names put into it, so that it can be moved."""
    try:
        document = json.loads(data)
        for buffer in document["buffers"]:
            uri = buffer.get("uri", "data:")
            if not uri.startswith("data:") and "/" not in uri and (path.parent / uri).is_file():
                text = base64.b64encode((path.parent / uri).read_bytes()).decode()
                buffer["uri"] = "data:application/octet-stream;base64," + text
        return json.dumps(document).encode()
    except (ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError):
        return data


def damage_gltf(random, data, other, is_glb):
    try:
        parts = read_glb(data) if is_glb else (json.loads(data), None)
    except (ValueError, RecursionError):
        parts = None
    kind = random.random()
    if parts is None or kind < 0.08:
        return damage_bytes(random, data, other) if is_glb else damage_text(random, data, other)
    document, buffer = parts
    if not is_glb:
        buffer = embedded(document)
    if kind < 0.55 and buffer:
        buffer = damage_accessor(random, document, buffer)
        if not is_glb:
            document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(buffer).decode()
    else:
        damage_json(random, document)
    return write_glb(document, buffer) if is_glb else json.dumps(document).encode()


def damage(random, suffix, data, other):
    """Damaged data of a file of that suffix; `other` is a second file of the same kind, for splices."""
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        try:
            if suffix in (".glb", ".gltf"):
                data = damage_gltf(random, data, other, suffix == ".glb")
            elif suffix == ".json" and random.random() < 0.7:
                document = json.loads(data)
                damage_json(random, document)
                data = json.dumps(document).encode()
            elif b"\0" in data[:512]:
                data = damage_bytes(random, data, other)
            else:
                data = damage_text(random, data, other)
        except (ValueError, TypeError, RecursionError, OverflowError, MemoryError):  # its damage from before is in the way
            data = damage_bytes(random, data, other)
    return data
