#!/usr/bin/env python3
"""Checks prose against the rules in scripts/prose.toml: Markdown files, messages in C++ (string literals of .def and .cpp files),
comments of headers, and docstrings and messages in Python. docs/style.md explains the rules.

usage: prose.py [--summary | --draw COUNT,SEED] [FILE...]
Without files, checks those that prose.toml names. Prints `file:line: problem: sentence` and exits with 1 if anything is found.
--draw prints that many sentences at random, and their places on standard error. Someone who did not write them reads each once:
a sentence that must be read twice is rewritten with its whole paragraph (prose.py --draw 40,7 2>places.txt).
"""
import ast
import glob
import random
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = tomllib.loads((ROOT / "scripts/prose.toml").read_text())
PATTERNS = [(re.compile(rule["pattern"]), rule["say"], rule.get("users", False)) for rule in RULES["rule"]]
ABBREVIATIONS = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|approx|no|max|min)\.$", re.IGNORECASE)


def paragraphs(text):
    """(line, text) of each paragraph, heading, list item or table cell; code and comments are left out."""
    held, begin, fenced, comment, off = [], 0, False, False, False

    def flush():
        nonlocal held
        out = [(begin, " ".join(held))] if held else []
        held = []
        return out

    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        off = stripped != "<!-- prose: on -->" and (off or stripped == "<!-- prose: off -->")  # examples of bad prose, and notation
        if stripped.startswith("```"):
            fenced = not fenced
            yield from flush()
            continue
        comment = comment or stripped.startswith("<!--")
        if fenced or comment or off or not stripped or stripped.startswith(("#", "!", "---", "===")):
            heading = not (fenced or comment or off) and re.match(r"#+ (.*)", stripped)
            comment = comment and "-->" not in stripped
            yield from flush()
            if heading:
                yield number, heading[1]
            continue
        if stripped.startswith("|"):
            yield from flush()
            for cell in re.split(r" \| |; ", stripped.strip("|")):  # parts of a cell are read one by one
                yield number, cell.strip()
            continue
        if re.match(r"([-*+]|\d+\.) ", stripped):
            yield from flush()
            stripped = re.sub(r"^([-*+]|\d+\.) ", "", stripped)
        if not held:
            begin = number
        held.append(stripped)
    yield from flush()


# Comments, raw strings and characters of C++, which hold no messages; or strings, those beside each other as one.
LITERALS = re.compile(r"""//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|'(?:\\.|[^'\\\n])'|(?P<strings>"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*)""", re.DOTALL)
# Text of a program or a protocol: code, commands, tags, headers.
NO_PROSE = re.compile(r"""[{;]\\n|\\r\\n|</|#include|\bCREATE TABLE\b|^(stp|ldp) |"[a-z]\w*": [{{["]|\bSELECT\b|=> |\[:\] = |\bselect (\*|\w+\.)|^\s*-|( --[a-z-]+){2}|^(warplens|complete|source) """)


def is_prose(text):
    return " " in text and len(re.findall(r"[A-Za-z][a-z'-]+", text)) > 3 and not NO_PROSE.search(text)


def messages(text):
    """(line, text) of each string of C++ that holds a sentence or a part of one."""
    for match in LITERALS.finditer(text):
        whole = re.sub(r'"\s*"', "", match["strings"] or "")[1:-1]
        if not is_prose(whole):
            continue
        for part in re.split(r"; |\\n", whole.replace('\\"', '"')):  # as in a table's cells
            yield text.count("\n", 0, match.start()) + 1, part.strip()


def docstrings(text):
    """(line, text) of each paragraph of Python's docstrings, and of each message."""
    tree = ast.parse(text)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {id(node.body[0].value): ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, documented) and ast.get_docstring(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) in docs:
            text = re.sub(r"^    .*$", "", docs[id(node)], flags=re.MULTILINE)  # code
            yield from ((node.lineno + line - 1, part) for line, part in paragraphs(text))
        elif is_prose(node.value) and "\n" not in node.value:
            yield from ((node.lineno, part) for part in node.value.split("; "))


# A comment of C++: alone on its line, or after code.
COMMENT = re.compile(r"^(?P<code>.*?)(?P<mark>///?<?|/\*+|(?<=^) \*)(?: |$)(?P<text>.*?)(?:\*/)?$")
STRINGS = re.compile(r'"(?:\\.|[^"\\])*"')
NO_COMMENT = re.compile(r"NOLINT|clang-format|^=+$|^-+ |^namespace |^[a-z_]+\.(cpp|h)$")


def comments(text):
    """(line, text) of each comment of a header: lines below each other as one, a comment after code by itself. Parts
    between semicolons are read one by one, as in a table's cells; indented lines are code or tables."""
    held = []
    for line in text.splitlines():
        match = COMMENT.match(STRINGS.sub('""', line))
        found = match and not NO_COMMENT.search(match["text"])
        alone = found and not match["code"].strip() and not match["text"].startswith("  ")
        held.append(COMMENT.match(line)["text"].strip() if alone else "")
        if found and match["code"].strip():
            yield from ((len(held), part) for part in match["text"].strip().split("; "))
    yield from ((line, part) for line, text in paragraphs("\n".join(held)) for part in text.split("; "))


def pieces(path):
    """The function that takes the prose out of a file of this kind."""
    return {".def": messages, ".cpp": messages, ".h": comments, ".py": docstrings}.get(path.suffix, paragraphs)


def plain(text):
    """Markdown as a reader hears it: code is one word, a link its text."""
    text = re.sub(r"``.+?``|`[^`]*`", "X", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\{[^}]*\}|<[^>]+>", "", text)
    return re.sub(r"[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}", "", text)


def sentences(text):
    held = ""
    for piece in re.split(r"(?<=[.!?])[\"')]*\s+(?=\S)", text):
        held = f"{held} {piece}".strip()
        if not ABBREVIATIONS.search(held):
            yield held
            held = ""
    if held:
        yield held


def words(sentence):
    return [w for w in re.findall(r"[A-Za-z][A-Za-z'\-]*|\d[\d.,]*", sentence)]


def syllables(word):
    word = word.lower()
    if not word[0].isalpha():
        return 1
    count = len(re.findall(r"[aeiouy]+", word))
    if word.endswith("e") and not word.endswith(("le", "ee")) and count > 1:
        count -= 1
    if re.search(r"[^aeiouytd]ed$", word) and count > 1:
        count -= 1
    return max(count, 1)


def grade(all_sentences):
    """The Flesch-Kincaid grade level: 0.39 words a sentence + 11.8 syllables a word - 15.59."""
    counted = [words(s) for s in all_sentences]
    counted = [w for w in counted if len(w) > 3]
    total = sum(map(len, counted))
    if total == 0:
        return 0.0
    return 0.39 * total / len(counted) + 11.8 * sum(syllables(w) for ws in counted for w in ws) / total - 15.59


def check(path):
    problems, all_sentences = [], []
    for line, paragraph in pieces(path)(path.read_text()):
        for sentence in sentences(plain(paragraph)):
            all_sentences.append(sentence)
            count = len(words(sentence))
            if count > RULES["max_sentence_words"]:
                problems.append((line, f"{count} words, at most {RULES['max_sentence_words']}", sentence))
            problems += [(line, say, sentence) for pattern, say, users in PATTERNS if pattern.search(sentence) and not (users and path.suffix == ".h")]
    return problems, grade(all_sentences)


def expand(patterns):
    return {Path(name).resolve() for pattern in patterns for name in glob.glob(str(ROOT / pattern), recursive=True) if not name.endswith("_test.cpp")}


def as_read(text):
    """A sentence as a reader sees it: links by their texts, N for a value that the program fills in."""
    return re.sub(r"\*\*", "", re.sub(r"\{[^}]*\}", "N", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)))


def draw(files, count, seed):
    """Sentences of at least seven words besides code, half from pages and half from messages, the same for the same text and seed;
    their places follow in the same order, so that a reader does not see them first."""
    told = [(path.relative_to(ROOT), line, sentence) for path in files if path.suffix != ".h"
            for line, text in pieces(path)(path.read_text()) for sentence in sentences(as_read(text)) if len(words(plain(sentence))) >= 7]
    pages = [t for t in told if t[0].suffix == ".md"]
    messages = [t for t in told if t[0].suffix != ".md"]
    chooser = random.Random(seed)
    chosen = chooser.sample(pages, count - count // 2) + chooser.sample(messages, count // 2)
    chooser.shuffle(chosen)
    for number, (_, _, sentence) in enumerate(chosen, 1):
        print(f"{number}. {sentence}")
    for number, (path, line, _) in enumerate(chosen, 1):
        print(f"{number}. {path}:{line}", file=sys.stderr)


def main(arguments):
    if arguments[:1] == ["--draw"]:
        count, seed = map(int, arguments[1].split(","))
        return draw(sorted(expand(RULES["files"])), count, seed)
    summary = "--summary" in arguments
    names = [a for a in arguments if a != "--summary"]
    graded = expand(RULES["graded"])
    exempt = expand(RULES.get("not_yet", []))
    files = [Path(n).resolve() for n in names] or sorted(expand(RULES["files"]) - exempt)
    found = 0
    for path in files:
        problems, level = check(path)
        name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        if path in graded and level > RULES["max_grade"]:
            problems.append((1, f"reading grade {level:.1f}, at most {RULES['max_grade']:g}", "the whole page"))
        found += len(problems)
        if summary:
            print(f"{len(problems):5d}  grade {level:4.1f}  {name}")
            continue
        for line, say, sentence in problems:
            print(f"{name}:{line}: {say}: {sentence[:160]}")
    if found:
        print(f"{found} problems; docs/style.md explains the rules", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
