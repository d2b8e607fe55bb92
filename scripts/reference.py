#!/usr/bin/env python3
"""Writes docs/reference and docs/man from what the program says of itself (`warplens help --json`, `--explain all`).

Usage: reference.py PROGRAM [--check]   --check: writes nothing, and fails where a file is not current.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
NOTE = "<!-- Written by scripts/reference.py from the program's own tables. -->\n"
SCOPES = {"program": "Of a recorded program", "kernel": "Of one kernel", "launch": "Of an emulated launch: checks and faults",
          "memory snapshot": "Of a memory snapshot", "hanging job": "Of a job that hangs"}


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *arguments, "--format", "json"], check=True, capture_output=True, text=True).stdout)


def code(text):
    return f"`{text}`" if text else ""


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def flag_row(flag):
    names = ", ".join(code(name) for name in flag["names"]) + (f" {flag['value']}" if flag["value"] else "")
    text = flag["help"] + (f" ({', '.join(flag['choices'])})" if flag["choices"] else "")
    return f"| {cell(names)} | {cell(text)} | {code(flag['default'])} | {code(flag['environment'])} |"


def flag_table(flags):
    return "\n".join(["| flag | what it does | default | environment |", "| --- | --- | --- | --- |", *map(flag_row, flags)])


def groups(flags):
    """(title, flags) of each heading of the full help."""
    out = []
    for flag in flags:
        if flag["group"] or not out:
            out.append((flag["group"], []))
        out[-1][1].append(flag)
    return out


def verb_page(verb):
    usage = " ".join(part for part in ("warplens", verb["name"], verb["operands"], "[flags]") if part)
    parts = [f"## {verb['name']}", f"{verb['summary'][0].upper()}{verb['summary'][1:]}.", f"```text\n{usage}\n```", verb["details"]]
    for title, flags in groups(verb["flags"]):
        parts += [f"{title[0].upper()}{title[1:]}:", flag_table(flags)] if title else [flag_table(flags)]
    shared = {flag["names"][-1]: flag["choices"] for flag in verb["common_flags"]}
    if "--format" in shared:
        parts.append("Formats: " + ", ".join(map(code, shared["--format"])) + ". The flags that verbs share are [below](#flags-that-verbs-share).")
    parts += [f"```text\n{example['command']}\n```\n{example['what'][0].upper()}{example['what'][1:]}." for example in verb["examples"]]
    return "\n\n".join(parts)


def exit_codes(data):
    return ", ".join(f"{each['code']} {each['meaning']}" for each in data["exit_codes"])


def verbs_page(data):
    common = max((verb["common_flags"] for verb in data["verbs"]), key=len)
    return (f"{NOTE}\n# Verbs\n\n`warplens FILE...` is `warplens summary FILE...`. Exit codes: {exit_codes(data)}.\n\n"
            + "\n\n".join(map(verb_page, data["verbs"])) + f"\n\n## Flags that verbs share\n\nThose that print no table have no `--format`, `--json` and `--full-names`.\n\n{flag_table(common)}\n")


def findings_page(rows):
    parts = [NOTE, "# Findings", "`--explain FINDING` of `warplens findings`, `kernel`, `memory` and `hang` prints the same. "
             "[Findings](../findings.md) and [counters](../counters.md) explain how savings are computed and how accurate they are."]
    for scope, title in SCOPES.items():
        parts.append(f"## {title}")
        for row in (r for r in rows if r["scope"] == scope):
            parts.append(f"### {row['id']} {{ #{scope.replace(' ', '-')}-{row['id']} }}\n\n**{row['title']}.** {row['meaning']}\n\n- Evidence: {row['evidence']}\n"
                         f"- What to do: {row['advice']}\n- Saving: {row['saving']}" + (f"\n- Read more: <{row['link']}>" if row["link"] else ""))
    return "\n\n".join(parts) + "\n"


def environment_page(data):
    rows = [f"| `{v['name']}` | {cell(v['help'])} |" for v in data["environment"]]
    return (f"{NOTE}\n# Environment variables\n\nEvery long flag has a variable, such as `WARPLENS_SORT_BY` for `--sort-by` "
            "([all of them](verbs.md)). The command line overrides the variable, and the variable overrides `warplens.toml`.\n\n"
            "| variable | what it does |\n| --- | --- |\n" + "\n".join(rows) + "\n")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def man_flag(flag):
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in flag["names"]) + (f" \\fI{roff(flag['value'])}\\fR" if flag["value"] else "")
    text = flag["help"] + (f" ({', '.join(flag['choices'])})" if flag["choices"] else "") + (f" [{flag['default']}]" if flag["default"] else "")
    return f".TP\n{names}\n{roff(text)}"


def man_head(name, version, summary):
    return f".TH {name.upper()} 1 \"\" \"warplens {version}\" \"warplens\"\n.SH NAME\n{roff(name)} \\- {roff(summary)}"


def man_verb(verb, version):
    parts = [man_head(f"warplens-{verb['name']}", version, verb["summary"]), ".SH SYNOPSIS",
             f"\\fBwarplens {roff(verb['name'])}\\fR {roff(verb['operands'])} [flags]", ".SH DESCRIPTION", roff(verb["details"]), ".SH OPTIONS",
             *map(man_flag, verb["flags"] + verb["common_flags"])]
    if verb["examples"]:
        parts.append(".SH EXAMPLES")
        parts += [f".TP\n\\fB{roff(e['command'])}\\fR\n{roff(e['what'])}" for e in verb["examples"]]
    return "\n".join(parts + [".SH SEE ALSO", "\\fBwarplens\\fR(1)"]) + "\n"


def man_program(data):
    parts = [man_head("warplens", data["version"], "where GPU time goes, why, and what to do about it"), ".SH SYNOPSIS",
             "\\fBwarplens\\fR \\fIFILE\\fR...\n.br\n\\fBwarplens\\fR \\fIVERB\\fR [arguments]", ".SH VERBS"]
    parts += [f".TP\n\\fBwarplens\\-{roff(v['name'])}\\fR(1)\n{roff(v['summary'])}" for v in data["verbs"]]
    parts.append(".SH ENVIRONMENT")
    parts += [f".TP\n\\fB{roff(v['name'])}\\fR\n{roff(v['help'])}" for v in data["environment"]]
    parts += [".SH EXIT STATUS", roff(exit_codes(data) + ".")]
    return "\n".join(parts) + "\n"


def pages(program):
    data, findings = ask(program, "help"), ask(program, "findings", "--explain", "all")["rows"]
    made = {"reference/verbs.md": verbs_page(data), "reference/findings.md": findings_page(findings),
            "reference/environment.md": environment_page(data), "man/warplens.1": man_program(data)}
    made.update({f"man/warplens-{verb['name']}.1": man_verb(verb, data["version"]) for verb in data["verbs"]})
    return made


def main(program, *rest):
    made = pages(program)
    stale = [name for name, text in made.items() if not (DOCS / name).exists() or (DOCS / name).read_text() != text]
    stale += [f"man/{page.name}" for page in (DOCS / "man").glob("*.1") if f"man/{page.name}" not in made]
    if "--check" in rest:
        for name in stale:
            print(f"docs/{name} is not current: python3 scripts/reference.py PROGRAM writes it")
        return bool(stale)
    for name in stale:
        path = DOCS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(made[name]) if name in made else path.unlink()
        print(f"wrote docs/{name}" if name in made else f"removed docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
