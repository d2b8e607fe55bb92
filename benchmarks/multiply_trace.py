#!/usr/bin/env python3
"""Makes a trace of any size from a real one: multiply_trace.py IN OUT BYTES.

The events are repeated, each copy shifted behind the one before: times, flow ids, correlation ids, External ids, Ev Idx,
sequence numbers and Python ids, as close together as in the original. The profiler's window is stretched over all copies.
Text is edited in place, so the layout is the writer's own. OUT may end in .gz.
"""
import gzip
import re
import subprocess
import sys

SAME_IDS = {b"id": b"correlation", b"Python parent id": b"Python id"}  # a launch's flow has the id of its correlation
FIELD = re.compile(rb'"(ts|External id|correlation|Ev Idx|Python id|Python parent id|Sequence number|id)": (-?\d+(?:\.\d+)?)')


def split(text):
    """Header up to the events, the events that repeat, and what stands once behind them."""
    start = re.search(rb'"traceEvents"\s*:\s*\[', text).end()
    once = re.search(rb',\s*\{\s*"name": "process_name"', text[start:])
    return text[:start], text[start:start + once.start()], text[start + once.start():]


def pieces(body):
    """The body as literal text and (kind, number) pairs, so that a copy is a join; by kind, what a copy adds to the one before."""
    out, at, times, highest = [], 0, [], {}
    for match in FIELD.finditer(body):
        out.append(body[at:match.start(2)])
        key, number = match.group(1), match.group(2)
        if key == b"ts":
            whole, _, fraction = number.partition(b".")
            value = int(whole) * 1000 + int((fraction + b"000")[:3])
            times.append(value)
            out.append((b"ts", value))
        elif b"." in number:
            out.append(number)
        else:
            kind = SAME_IDS.get(key, key)
            out.append((kind, int(number)))
            highest[kind] = max(highest.get(kind, 0), int(number))
        at = match.end(2)
    out.append(body[at:])
    return out, {b"ts": max(times) - min(times) + 1_000_000} | {kind: top + 1 for kind, top in highest.items()}


def copy_of(parts, number, stride):
    out = []
    for part in parts:
        if isinstance(part, bytes):
            out.append(part)
        elif part[0] == b"ts":
            ns = part[1] + number * stride[b"ts"]
            out.append(b"%d.%03d" % (ns // 1000, ns % 1000))
        else:
            out.append(b"%d" % (part[1] + number * stride[part[0]] if part[1] > 0 else part[1]))
    return b"".join(out)


def stretch(tail, more_ns):
    """The window's span and its end, which stand once behind the events."""
    def add(match):
        return match.group(1) + b"%.3f" % (float(match.group(2)) + more_ns / 1000)
    tail = re.sub(rb'("cat": "Trace", "ts": [\d.]+, "dur": )([\d.]+)', add, tail)
    return re.sub(rb'("name": "Record Window End"[^}]*"ts": )([\d.]+)', add, tail)


def main(source, target, size):
    text = (gzip.open if source.endswith(".gz") else open)(source, "rb").read()
    head, body, tail = split(text)
    parts, stride = pieces(body)
    copies = max(1, round((int(float(size)) - len(head) - len(tail)) / len(body)))
    out = open(target, "wb")
    if target.endswith(".gz"):
        packer = subprocess.Popen(["gzip", "-6"], stdin=subprocess.PIPE, stdout=out)
        out = packer.stdin
    out.write(head)
    for number in range(copies):
        out.write((b"," if number else b"") + copy_of(parts, number, stride))
    out.write(stretch(tail, (copies - 1) * stride[b"ts"]))
    out.close()
    if target.endswith(".gz"):
        packer.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
