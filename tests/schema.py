"""The part of JSON Schema that docs/schemas uses: type, properties, required, items, additionalProperties, enum, const."""

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def type_of(value):
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return next(name for name, kind in TYPES.items() if isinstance(value, kind))


def faults(value, schema, at="$", strict=True):
    """The mistakes in `value`. `strict`: members that the schema does not name are faults, too."""
    found = []
    allowed = schema.get("type", [])
    allowed = [allowed] if isinstance(allowed, str) else allowed
    kind = type_of(value)
    if allowed and kind not in allowed and not (kind == "integer" and "number" in allowed):
        return [f"{at}: {kind} where {' or '.join(allowed)} should be"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{at}: {value!r} where {schema['const']!r} should be")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{at}: {value!r} is none of {schema['enum']}")
    if kind == "array":
        for i, element in enumerate(value):
            found += faults(element, schema.get("items", {}), f"{at}[{i}]", strict)
    if kind == "object":
        named, others = schema.get("properties", {}), schema.get("additionalProperties")
        found += [f"{at}: lacks {name}" for name in schema.get("required", []) if name not in value]
        for name, member in value.items():
            if name in named:
                found += faults(member, named[name], f"{at}.{name}", strict)
            elif isinstance(others, dict):
                found += faults(member, others, f"{at}.{name}", strict)
            elif strict:
                found.append(f"{at}: has {name}, which the schema does not name")
    return found
