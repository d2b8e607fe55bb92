#!/usr/bin/env python3
"""Makes docs/pictures by running the commands of docs/gallery.md. Usage: pictures.py PROGRAM"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import docs_test  # noqa: E402: the same scratch folder, the same commands


def main(program):
    page = (ROOT / "docs/gallery.md").read_text()
    wanted = re.findall(r"\(pictures/([^)]+)\)", page)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="warplens-pictures-"))
    docs_test.scratch(folder)
    for block in docs_test.FENCE.finditer(page):
        for command, _ in docs_test.commands(block.group(2)):
            print(docs_test.run(command, folder, docs_test.environment(program)), end="")
    (ROOT / "docs/pictures").mkdir(exist_ok=True)
    for name in wanted:
        made = next(folder.rglob(name), None)
        if made is None:
            print(f"no command of docs/gallery.md makes {name}")
            return 1
        shutil.copyfile(made, ROOT / "docs/pictures" / name)
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
