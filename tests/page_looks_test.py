"""How the pages of warplens report look, in Chromium at 1280 and 390 pixels, light and dark.

Pages of this program: no text is cut, overlaps another, lies outside the window, or stands out less than 4.5:1 (3:1 where it is large).
Kept pages (tests/data/page_looks): the program's style and script draw them as on the kept pictures, which are a quarter as large.
`page_looks_test.py PROGRAM --update` makes both again; `--keep FOLDER` keeps the full pictures of what differs.
"""
import argparse
import base64
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import page_files
from browser import Browser

HERE = pathlib.Path(__file__).resolve().parent
KEPT = HERE / "data/page_looks"
LOOKS = [(width, dark) for width in (1280, 390) for dark in (False, True)]
FONT = "DejaVu Sans"
# The kept pictures were drawn with these fonts, without hinting, so that machines differ little.
FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><cachedir>{folder}</cachedir>
<match target="pattern"><test name="family" compare="not_eq"><string>monospace</string></test>
<edit name="family" mode="append" binding="strong"><string>DejaVu Sans</string></edit></match>
<alias binding="strong"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
<match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit>
<edit name="rgba" mode="assign"><const>none</const></edit></match></fontconfig>"""
SCALE = 4
MOST_DIFFERENT = 0.004  # of the pixels; a line of text that moves, or a colour that changes, is more
# Both pictures pass the same encoder, so that its losses are no difference.
COMPARE = """
const [shot, kept, scale, done] = arguments;
const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const picture = async (text, kind, by) => {
  const bitmap = await createImageBitmap(new Blob([bytes(text)], { type: kind }));
  const canvas = new OffscreenCanvas(Math.floor(bitmap.width / by), Math.floor(bitmap.height / by));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
};
const pixels = canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
(async () => {
  const small = await picture(shot, 'image/png', scale);
  const file = new Uint8Array(await (await small.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer());
  const packed = btoa(String.fromCharCode(...file));
  if (!kept) return done([packed, 0]);
  const now = await picture(packed, 'image/webp', 1), then = await picture(kept, 'image/webp', 1);
  if (now.width !== then.width || now.height !== then.height) return done([packed, 1]);
  const [a, b] = [pixels(now), pixels(then)];
  let different = 0;
  for (let i = 0; i < a.length; i += 4) different += [0, 1, 2].some(k => Math.abs(a[i + k] - b[i + k]) > 24);
  done([packed, different * 4 / a.length]);
})();
"""


def watched(width, dark):
    """A browser whose pages note what they draw."""
    browser = Browser(width, 1100 if width > 500 else 800, dark=dark)
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=(HERE / "page_looks.js").read_text())
    return browser


def sections_of(browser, page):
    """Opens each section in turn."""
    browser.show(page)
    for section in browser.run("return [...document.querySelectorAll('main')].map(each => each.id)"):
        browser.run("location.hash = arguments[0]", section)
        browser.wait(lambda: browser.run("return !document.getElementById(arguments[0]).hidden", section))
        browser.frames()
        yield section


def check_looks(pages):
    wrong = []
    for width, dark in LOOKS:
        with watched(width, dark) as browser:
            for page in pages:
                for section in sections_of(browser, page):
                    wrong += [f"{page.stem} {section} {width} {'dark' if dark else 'light'}: {each}"
                              for each in browser.run("return looksWrong()")]
            said = browser.console()
            assert said == [], said
    assert not wrong, "\n".join(wrong)


def parts_of(page):
    return {part: re.search(f'id="{part}">([^<]*)<', page.read_text()).group(1) for part in ("data", "columns")}


def pages_to_keep(program, folder):
    """Small ones, of every kind of pane."""
    cut = ("--from", "20ms", "--to", "22ms")

    def profile_page(name, *files):
        out = folder / f"{name}.html"
        page_files.run(program, "report", *files, *cut, "-o", out)
        return out

    page_files.ranks_page(program, folder)
    yield profile_page("profile", page_files.STACKS)
    yield profile_page("comparison", page_files.STACKS, page_files.TRACES / "gpt2_train.pt.trace.json.gz")
    yield profile_page("job", *(folder / f"rank{rank}.json" for rank in range(4)))
    for make in (page_files.kernel_page, page_files.counters_page, page_files.results_page):
        yield make(program, folder)


def kept_pages(program, folder):
    """The kept data, drawn by this program's style and script."""
    template = page_files.results_page(program, folder).read_text()
    for name, parts in json.loads(gzip.decompress((KEPT / "pages.json.gz").read_bytes())).items():
        text = template
        for part, packed in parts.items():
            text = re.sub(f'(id="{part}">)[^<]*', lambda found, packed=packed: found.group(1) + packed, text)
        (folder / f"{name}.html").write_text(text)
        yield folder / f"{name}.html"


def compare(pages, update, keep):
    """Names of pictures that differ."""
    different, seen = [], set()
    for width, dark in LOOKS:
        with watched(width, dark) as browser, Browser() as judge:
            judge.call("POST", f"/session/{judge.session}/timeouts", {"script": 60000})
            for page in pages:
                for section in sections_of(browser, page):
                    if "-" in section and not section.endswith("-1"):
                        continue  # the same panes of another launch
                    name = f"{page.stem}-{section}-{width}-{'dark' if dark else 'light'}"
                    picture, seen = KEPT / f"{name}.webp", seen | {f"{name}.webp"}
                    if not update and not picture.exists():
                        different.append(f"{name}: no picture is kept")
                        continue
                    shot = browser.cdp("Page.captureScreenshot", format="png")["data"]
                    packed, share = judge.run_async(COMPARE, shot, None if update else encoded(picture), SCALE)
                    if update:
                        picture.write_bytes(decoded(packed))
                    elif share > MOST_DIFFERENT:
                        different.append(f"{name}: {share:.1%} of it differs")
                        if keep:
                            (keep / f"{name}.png").write_bytes(decoded(shot))
    for picture in KEPT.glob("*.webp"):
        if picture.name not in seen:
            if update:
                picture.unlink()
            else:
                different.append(f"{picture.name}: no page has this section any more")
    return different


def has_font():
    listed = subprocess.run(["fc-list", FONT], capture_output=True, text=True, check=False) if shutil.which("fc-list") else None
    return listed is not None and "DejaVuSans.ttf" in listed.stdout


def encoded(file):
    return base64.b64encode(file.read_bytes()).decode()


def decoded(text):
    return base64.b64decode(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    given = parser.parse_args()
    program = given.program.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        fonts = folder / "fonts.conf"
        fonts.write_text(FONTS.format(folder=folder))
        os.environ["FONTCONFIG_FILE"] = str(fonts)
        if given.update:
            KEPT.mkdir(exist_ok=True)
            kept = {page.stem: parts_of(page) for page in pages_to_keep(program, folder) if page}
            (KEPT / "pages.json.gz").write_bytes(gzip.compress(json.dumps(kept).encode(), mtime=0))
        else:
            live = [make(program, folder) for make in (
                page_files.profile_page, page_files.hostile_page, page_files.change_page, page_files.ranks_page, page_files.kernel_page,
                page_files.counters_page, page_files.program_page, page_files.snapshot_page, page_files.results_page)]
            check_looks([page for page in live if page])
        if not has_font():
            print(f"no {FONT} here, with which the kept pictures were drawn: they are not compared")
            return
        (folder / "kept").mkdir()
        different = compare(list(kept_pages(program, folder / "kept")), given.update, given.keep)
        assert not different, "\n".join(different) + "\nlook at them (--keep FOLDER); --update keeps them as they are now"


if __name__ == "__main__":
    main()
