#!/usr/bin/env python3
"""Draws cmake/layers.txt as docs/pictures/rooms.svg; with --check only says whether the picture is current.

A room stands a row above the highest room that it includes. An edge that follows from others is left out.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/pictures/rooms.svg"
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 128, 34, 18, 44, 16


def rooms():
    lines = (ROOT / "cmake/layers.txt").read_text().splitlines()
    pairs = (line.split(":") for line in lines if line and not line.startswith("#"))
    return {room: set(below.split()) for room, below in pairs}


def reachable(room, below):
    return below[room].union(*(reachable(b, below) for b in below[room]))


def heights(below):
    """Rows from the bottom: 0 for a room that includes none."""
    def height(room):
        return 1 + max((height(b) for b in below[room]), default=-1)
    return {room: height(room) for room in below}


def direct(below):
    """The edges that do not follow from others."""
    return [(room, b) for room in below for b in sorted(below[room])
            if not any(b in reachable(other, below) for other in below[room])]


def draw(below):
    height, rows = heights(below), {}
    for room in below:
        rows.setdefault(height[room], []).append(room)
    widest = max(map(len, rows.values()))
    width = 2 * MARGIN + widest * (WIDTH + GAP_X) - GAP_X
    total = 2 * MARGIN + len(rows) * (HEIGHT + GAP_Y) - GAP_Y
    at = {}
    for row, names in rows.items():
        left = (width - len(names) * (WIDTH + GAP_X) + GAP_X) / 2
        for k, room in enumerate(names):
            at[room] = (left + k * (WIDTH + GAP_X), total - MARGIN - HEIGHT - row * (HEIGHT + GAP_Y))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" font-family="sans-serif" font-size="13">',
           '<title>The rooms of src/warplens and what each includes</title>',
           f'<rect width="{width}" height="{total}" fill="#ffffff"/>']
    for room, b in direct(below):
        (x, y), (to_x, to_y) = at[room], at[b]
        x, y, to_x = x + WIDTH / 2, y + HEIGHT, to_x + WIDTH / 2
        middle = (y + to_y) / 2
        out.append(f'<path d="M{x:.0f},{y:.0f} C{x:.0f},{middle:.0f} {to_x:.0f},{middle:.0f} {to_x:.0f},{to_y:.0f}" '
                   'fill="none" stroke="#8896a8"/>')
    for room, (x, y) in at.items():
        out.append(f'<rect x="{x:.0f}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#e8eef7" stroke="#3b5b8c"/>')
        out.append(f'<text x="{x + WIDTH / 2:.0f}" y="{y + HEIGHT / 2 + 4:.0f}" text-anchor="middle" fill="#1c2b42">{room}</text>')
    return "\n".join([*out, "</svg>\n"])


def main(check=""):
    picture = draw(rooms())
    if not check:
        PICTURE.write_text(picture)
        return 0
    if PICTURE.exists() and PICTURE.read_text() == picture:
        return print("docs/pictures/rooms.svg shows cmake/layers.txt")
    print("docs/pictures/rooms.svg does not show cmake/layers.txt: run scripts/rooms.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
