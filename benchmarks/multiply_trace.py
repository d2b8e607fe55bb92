#!/usr/bin/env python3
"""Makes a trace of any size from a real one: multiply_trace.py IN OUT BYTES.

The events are repeated, each copy shifted behind the one before: times, flow ids, correlation ids, External ids, Ev Idx,
sequence numbers and Python ids. Text is edited in place, so the layout is the writer's own. OUT may end in .gz.
"""
import gzip
import re
import subprocess
import sys

NUMBERS = {b"External id": 1 << 22, b"correlation": 1 << 22, b"Ev Idx": 1 << 22, b"Python id": 1 << 22,
           b"Python parent id": 1 << 22, b"Sequence number": 1 << 22, b"id": 1 << 22}
FIELD = re.compile(rb'"(ts|External id|correlation|Ev Idx|Python id|Python parent id|Sequence number|id)": (-?\d+(?:\.\d+)?)')


def split(text):
    """Header up to the events, the events that repeat, and what stands once behind them."""
    start = re.search(rb'"traceEvents"\s*:\s*\[', text).end()
    once = re.search(rb',\s*\{\s*"name": "process_name"', text[start:])
    return text[:start], text[start:start + once.start()], text[start + once.start():]


def pieces(body):
    """The body as literal text and (kind, number) pairs, so that a copy is a join."""
    out, at, times = [], 0, []
    for match in FIELD.finditer(body):
        out.append(body[at:match.start(2)])
        key, number = match.group(1), match.group(2)
        if key == b"ts":
            whole, _, fraction = number.partition(b".")
            value = int(whole) * 1000 + int((fraction + b"000")[:3])
            times.append(value)
            out.append(("ts", value))
        else:
            out.append((key, int(number)) if b"." not in number else number)
        at = match.end(2)
    out.append(body[at:])
    return out, (max(times) - min(times)) + 1_000_000


def copy_of(parts, number, period_ns):
    out = []
    for part in parts:
        if isinstance(part, bytes):
            out.append(part)
        elif part[0] == "ts":
            ns = part[1] + number * period_ns
            out.append(b"%d.%03d" % (ns // 1000, ns % 1000))
        else:
            out.append(b"%d" % (part[1] + number * NUMBERS[part[0]] if part[1] > 0 else part[1]))
    return b"".join(out)


def main(source, target, size):
    text = (gzip.open if source.endswith(".gz") else open)(source, "rb").read()
    head, body, tail = split(text)
    parts, period_ns = pieces(body)
    out = open(target, "wb")
    if target.endswith(".gz"):
        packer = subprocess.Popen(["gzip", "-6"], stdin=subprocess.PIPE, stdout=out)
        out = packer.stdin
    out.write(head)
    for number in range(max(1, round((int(float(size)) - len(head) - len(tail)) / len(body)))):
        out.write((b"," if number else b"") + copy_of(parts, number, period_ns))
    out.write(tail)
    out.close()
    if target.endswith(".gz"):
        packer.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
