#!/usr/bin/env python3
"""Everything that .github/workflows, pyproject.toml, .ci/run and CONTRIBUTING.md call exists: targets of make, scripts, presets of CMake."""
import json
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = re.compile(r"^([a-z][\w -]*):(?!=)", re.M)


def commands(text):
    """The shell lines of a workflow: after `run:`, on its line or indented below `run: |`."""
    lines = text.splitlines()
    for k, line in enumerate(lines):
        found = re.match(r"(\s*(?:- )?)run:\s*(.*)", line)
        if not found:
            continue
        if found[2] != "|":
            yield found[2]
            continue
        for inner in lines[k + 1:]:
            if inner.strip() and len(inner) - len(inner.lstrip()) <= len(found[1]):
                break
            yield inner.strip()


def missing(command, targets, presets):
    """What `command` calls that is not there."""
    for target in re.findall(r"(?:^|[;&] *|\w+=\S+ )make ([\w-]+)", command):
        if target not in targets:
            yield f"make {target}"
    for script in re.findall(r"(?:^|[\s;&])((?:scripts|tests|\.ci)/[\w./-]+)", command):
        if not (ROOT / script).exists():
            yield script
    for preset in re.findall(r"--preset[ =]([\w-]+)", command):
        if preset not in presets:
            yield f"preset {preset}"


def main():
    targets = {name for line in TARGET.findall((ROOT / "Makefile").read_text()) for name in line.split()}
    presets = {p["name"] for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
    texts = {path: list(commands(path.read_text())) for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
    texts[ROOT / ".ci/run"] = (ROOT / ".ci/run").read_text().splitlines()
    texts[ROOT / "CONTRIBUTING.md"] = re.findall(r"`([^`\n]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    wheels = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]
    texts[ROOT / "pyproject.toml"] = [text.replace("{project}/", "") for part in (wheels, wheels["linux"])
                                      for key, text in part.items() if key.endswith(("-command", "-all"))]
    assert len(texts[ROOT / "pyproject.toml"]) == 3
    matrix = re.findall(r"target: \[(.*)\]", (ROOT / ".github/workflows/sanitizers.yml").read_text())
    texts[ROOT / ".github/workflows/sanitizers.yml"] += [f"make {name.strip()}" for name in matrix[0].split(",")]
    wrong = [f"{path.relative_to(ROOT)}: {what} is not there" for path, lines in texts.items() for line in lines
             for what in missing(line, targets, presets)]
    count = sum(map(len, texts.values()))
    assert count > 20, f"only {count} commands were found"
    assert list(missing("make nothing && scripts/none.sh --preset never", targets, presets)) == \
        ["make nothing", "scripts/none.sh", "preset never"]
    print("\n".join(wrong) if wrong else f"{count} commands of {len(texts)} files call what is there")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
