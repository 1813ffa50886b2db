# SPDX-License-Identifier: Apache-2.0
"""Holds what the program writes against docs/schema/SINEW_rig.schema.json: the keywords of JSON Schema that it uses."""
import json
import pathlib
import re
import struct

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}
IGNORED = {"$schema", "$id", "$defs", "title", "description"}


def is_type(value, name):
    if name in ("integer", "number") and isinstance(value, bool):
        return False
    return isinstance(value, TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())


class Schema:
    def __init__(self, document):
        self.document = document

    def faults(self, value, schema=None, place="$"):
        """What does not fit, one sentence each."""
        schema = self.document if schema is None else schema
        for keyword, rule in schema.items():
            if keyword not in IGNORED:
                yield from getattr(self, "check_" + keyword.strip("$"))(value, rule, place, schema)

    def check_ref(self, value, rule, place, _):
        yield from self.faults(value, self.document["$defs"][rule.removeprefix("#/$defs/")], place)

    def check_type(self, value, rule, place, _):
        if not is_type(value, rule):
            yield f"{place} is not of type {rule}"

    def check_const(self, value, rule, place, _):
        if value != rule:
            yield f"{place} is not {rule!r}"

    def check_enum(self, value, rule, place, _):
        if value not in rule:
            yield f"{place} is {value!r}, none of {rule}"

    def check_not(self, value, rule, place, _):
        if not list(self.faults(value, rule, place)):
            yield f"{place} is {value!r}, which it may not be"

    def check_pattern(self, value, rule, place, _):
        if isinstance(value, str) and not re.search(rule, value):
            yield f"{place}: {value!r} does not match {rule}"

    def check_minimum(self, value, rule, place, _):
        if is_type(value, "number") and value < rule:
            yield f"{place} is {value}, below {rule}"

    def check_maximum(self, value, rule, place, _):
        if is_type(value, "number") and value > rule:
            yield f"{place} is {value}, above {rule}"

    def check_exclusiveMinimum(self, value, rule, place, _):
        if is_type(value, "number") and value <= rule:
            yield f"{place} is {value}, not above {rule}"

    def check_minItems(self, value, rule, place, _):
        if isinstance(value, list) and len(value) < rule:
            yield f"{place} has {len(value)} items, fewer than {rule}"

    def check_maxItems(self, value, rule, place, _):
        if isinstance(value, list) and len(value) > rule:
            yield f"{place} has {len(value)} items, more than {rule}"

    def check_items(self, value, rule, place, _):
        for i, item in enumerate(value if isinstance(value, list) else []):
            yield from self.faults(item, rule, f"{place}[{i}]")

    def check_required(self, value, rule, place, _):
        for name in rule if isinstance(value, dict) else []:
            if name not in value:
                yield f"{place} has no {name}"

    def check_properties(self, value, rule, place, _):
        for name, schema in rule.items() if isinstance(value, dict) else []:
            if name in value:
                yield from self.faults(value[name], schema, f"{place}.{name}")

    def check_patternProperties(self, value, rule, place, _):
        for pattern, schema in rule.items() if isinstance(value, dict) else []:
            for name in value:
                if re.search(pattern, name):
                    yield from self.faults(value[name], schema, f"{place}.{name}")

    def check_propertyNames(self, value, rule, place, _):
        for name in value if isinstance(value, dict) else []:
            yield from self.faults(name, rule, f"{place}: the name")

    def check_additionalProperties(self, value, rule, place, schema):
        for name in value if isinstance(value, dict) else []:
            if name in schema.get("properties", {}):
                continue
            if rule is False:
                yield f"{place} has the unknown property {name}"
            else:
                yield from self.faults(value[name], rule, f"{place}.{name}")


def gltf_json(path):
    data = pathlib.Path(path).read_bytes()
    if data[:4] == b"glTF":
        data = data[20:20 + struct.unpack_from("<I", data, 12)[0]]
    return json.loads(data)


def rig_schema(root):
    return Schema(json.loads((pathlib.Path(root) / "docs/schema/SINEW_rig.schema.json").read_text()))
