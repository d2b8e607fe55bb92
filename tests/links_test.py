#!/usr/bin/env python3
"""README and the pages of docs/ link to existing pages and anchors, and every page is in the site's navigation. Needs no network."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
HEADING = re.compile(r"^#+ +(.*)$", re.M)


def slug(heading):
    """As Python-Markdown's toc makes it."""
    plain = re.sub(r"`|\[([^\]]*)\]\([^)]*\)", lambda m: m[1] or "", heading)
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def faults_of(page):
    for target in LINK.findall(CODE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not (file.is_file() or (file.is_dir() and DOCS not in page.parents)):  # the site shows no folders
            yield f"{page.relative_to(ROOT)}: {target}: no such file"
        elif anchor and anchor not in map(slug, HEADING.findall(re.sub(r"^```.*?^```$", "", file.read_text(), flags=re.M | re.S))):
            yield f"{page.relative_to(ROOT)}: {target}: no such heading"


def outside_navigation(pages):
    entries = re.findall(r": ([\w./*-]+)$", (ROOT / "mkdocs.yml").read_text().split("\nnav:", 1)[1], re.M)
    for entry in entries:
        if not entry.endswith("/*") and not (DOCS / entry).is_file():
            yield f"mkdocs.yml: {entry}: no such page"
    for page in pages:
        name = page.relative_to(DOCS).as_posix()
        if name not in entries and f"{page.parent.relative_to(DOCS).as_posix()}/*" not in entries:
            yield f"mkdocs.yml: {name} is not in the navigation"


def main(*_):
    pages = sorted(DOCS.rglob("*.md"))
    faults = [fault for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages] for fault in faults_of(page)]
    faults += outside_navigation(pages)
    print("\n".join(faults) or f"{len(pages)} pages link to what is there")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
