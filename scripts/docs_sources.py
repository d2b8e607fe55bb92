"""Hooks of mkdocs: `FOLDER/*` in the navigation is all pages of a folder by their titles, the index first; and files of the repository
that pages link to lie beside the site, as sources/PATH, Markdown as plain text.
"""
import pathlib
import posixpath
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(((?:\.\./)+[^)#\s]+)\)")


def source_of(page_uri, target):
    """Where the site has what `target` of a page names; None for what is in docs/ itself, or no file."""
    path = (ROOT / "docs" / page_uri).parent.joinpath(target).resolve()
    if not path.is_file() or ROOT / "docs" in path.parents or ROOT not in path.parents:
        return None
    name = path.relative_to(ROOT).as_posix()
    return path, f"sources/{name}.txt" if name.endswith(".md") else f"sources/{name}"


def pages_of(folder):
    pages = sorted((ROOT / "docs" / folder).glob("*.md"), key=lambda page: (page.name != "index.md", page.name))
    return [{page.read_text().split("\n", 1)[0].lstrip("# "): page.relative_to(ROOT / "docs").as_posix()} for page in pages]


def on_config(config):
    for entry in config.nav:
        for title, place in entry.items():
            if isinstance(place, str) and place.endswith("/*"):
                entry[title] = pages_of(place.removesuffix("/*"))
    return config


def on_files(files, config):
    linked = {}
    for page in files.documentation_pages():
        for target in LINK.findall(pathlib.Path(page.abs_src_path).read_text()):
            if found := source_of(page.src_uri, target):
                linked[found[1]] = found[0]
    for uri, path in linked.items():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, **_):
    def relinked(match):
        found = source_of(page.file.src_uri, match[1])
        return match[0] if found is None else f"]({posixpath.relpath(found[1], posixpath.dirname(page.file.src_uri) or '.')})"

    return LINK.sub(relinked, markdown)
