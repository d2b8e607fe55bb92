#!/usr/bin/env python3
"""Makes src/warplens/isa/sass/modifiers.def from what nvdisasm says of many cubins.

    generate.py NVDISASM SAMPLES CUBIN...

There is no public description of SASS: the bits that choose an instruction's modifiers are learnt from examples. For
each row of instructions.def the fewest bits are picked that tell its modifier texts apart; the table holds the texts
seen with each of their values. SAMPLES keeps a few encodings of each text, for the test; what it holds is learnt from,
too. A row whose present texts are right for all of these stays as it is, because it was learnt from more. The file name
of a cubin says its architecture (...sm_90...). coverage.cu holds what ordinary kernels seldom use.
"""
import collections
import math
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*[^;]*;\s+/\* 0x([0-9a-f]{16}) \*/")
SECOND = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/")
ROW = re.compile(r'^(?:OP|VARIANT)\((?:(\d+), (\w+), )?(\w+),\s+0x([0-9a-f]+),\s+"([^"]+)",\s+(\w+)', re.M)
MODIFIER_BITS = range(72, 105)  # above are scheduling bits, below operands
# Where other bits that choose stand in the key, in disassemble.cpp too: the mode of a BRA, the columns of a warp group's
# product, the mode of a SHFL, the form, and whether the architecture is at least sm_90, sm_110 (nvdisasm has new names
# for the same bits).
PLACES = {32: 57, 33: 58, **{53 + k: 45 + k for k in range(7)}, 9: 61, 10: 62, 11: 63}
SINCE = {90: 55, 110: 56}
MOST_BITS = 12
# Fields that choose modifiers wherever they stand, whether the examples show it or not: without them, an instruction of
# another type or width than all examples would be given theirs.
FIELDS = {"Atomic": [*range(73, 81), *range(87, 91)], "Load": [73, 74, 75], "Store": [73, 74, 75], "Fp16": [77, 78, 85],
          "Fp32": [77, 80], "Special": range(74, 78), "Conversion": [75, 76, 84, 85]}
FIELDS_OF = {"Hsetp2": [65]}
ALIASES = re.compile(r"\.(MOV|SHL|IADD)(?=\.U32$|$)")  # what nvdisasm calls an IMAD by its operands, not by its bits


def read_table():
    """(id, code, form or None, since, name, category) of every row, in their order."""
    text = (ROOT / "src/warplens/isa/sass/instructions.def").read_text()
    return [(id, int(code, 16), None if form in ("kAnyForm", "") else int(form), int(since or 0), name, category)
            for since, form, id, code, name, category in ROW.findall(text)]


def row_of(table, architecture, low):
    found = None
    for row in table:
        if row[1] == low & 0x1FF and row[3] <= architecture and row[2] in (None, low >> 9 & 7):
            found = row
    return found


def disassemble(nvdisasm, path):
    """(low, high, text) of every instruction of a cubin."""
    text = subprocess.run([nvdisasm, "-hex", "-c", path], capture_output=True, text=True, check=False).stdout
    first = None
    for line in text.split("\n"):
        match = FIRST.search(line)
        if match:
            first = match
        elif first and (second := SECOND.match(line)):
            yield int(first[2], 16), int(second[1], 16), ALIASES.sub("", first[1])
            first = None


def key(sample):
    low, high, _, architecture = sample
    return (high & ((1 << 41) - 1) | sum((low >> bit & 1) << place for bit, place in PLACES.items())
            | sum(1 << place for since, place in SINCE.items() if architecture >= since))


KEY_BITS = [*(bit - 64 for bit in MODIFIER_BITS), *PLACES.values(), *SINCE.values()]


def entropy(groups):
    total = 0
    for group in groups:
        counts = collections.Counter(sample[2] for sample in group)
        total -= sum(n * math.log2(n / len(group)) for n in counts.values())
    return total


def choose_bits(samples, row):
    """The bits that tell the texts apart, greedily, most telling first, behind those that always do."""
    chosen = [bit - 64 for bit in (*FIELDS.get(row[5], ()), *FIELDS_OF.get(row[0], ()))]
    mask, by_value = sum(1 << bit for bit in chosen), collections.defaultdict(list)
    for sample in samples:
        by_value[key(sample) & mask].append(sample)
    groups, most = list(by_value.values()), len(chosen) + MOST_BITS
    left = entropy(groups)
    while left > 1e-9 and len(chosen) < most:
        trials = []
        for index in KEY_BITS:
            split = [[s for s in group if key(s) >> index & 1 == value] for group in groups for value in (0, 1)]
            split = [group for group in split if group]
            trials.append((entropy(split), index, split))
        best = min(trials, key=lambda trial: trial[0])
        if best[0] >= left - 1e-9:
            break
        left, index, groups = best
        chosen.append(index)
    return chosen


def present_rows():
    """(mask, {value: text}) of each row that modifiers.def holds now."""
    out = {}
    for line in (ROOT / "src/warplens/isa/sass/modifiers.def").read_text().splitlines():
        if match := re.match(r"MODIFIERS\((\w+), (0x[0-9a-f]+)ull\)", line):
            out[match[1]] = int(match[2], 16), {}
            texts = out[match[1]][1]
        elif match := re.match(r'TEXT\((0x[0-9a-f]+)ull, "(.*)"\)', line):
            texts[int(match[1], 16)] = match[2]
    return out


def learnt(samples, row):
    mask = sum(1 << bit for bit in choose_bits(thinned(samples, 100), row))
    by_value = collections.defaultdict(collections.Counter)
    for sample in samples:
        by_value[key(sample) & mask][sample[2]] += 1
    return mask, {value: texts.most_common(1)[0][0] for value, texts in by_value.items()}


def thinned(samples, each):
    by_text = collections.defaultdict(list)
    for sample in samples:
        by_text[sample[2]].append(sample)
    random.seed(1)
    return [s for group in by_text.values() for s in random.sample(group, min(len(group), each))]


def read_samples(nvdisasm, samples_path, cubins):
    """Distinct (low, high, text, architecture)."""
    out = {}
    for line in samples_path.read_text().splitlines() if samples_path.exists() else []:
        architecture, low, high, text = line.split()
        out[int(low, 16), int(high, 16), text, int(architecture)] = None
    for path in cubins:
        architecture = int(re.search(r"sm_(\d+)", path)[1])
        out.update(dict.fromkeys((*found, architecture) for found in disassemble(nvdisasm, path)))
    return out


def main():
    nvdisasm, samples_path, cubins = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    table, rows, unnamed = read_table(), collections.defaultdict(list), collections.Counter()
    samples, present = read_samples(nvdisasm, samples_path, cubins), present_rows()
    for low, high, text, architecture in samples:
        row = row_of(table, architecture, low)
        if row is None or not (text + ".").startswith(row[4] + "."):
            unnamed[low & 0xFFF, text, architecture] += 1
        else:
            rows[row].append((low, high, text[len(row[4]):], architecture))
    print("// Generated by scripts/sass/generate.py; do not edit.")
    print("// MODIFIERS(id, mask): of a row of instructions.def; mask picks the bits of key_of (disassemble.cpp) that choose")
    print("// modifiers. TEXT(value, text): the text that goes with these bits.")
    kept, wrong, total = [], 0, 0
    for row in table:
        samples = rows[row]
        if all(not text for _, _, text, _ in samples):
            kept += [(architecture, low, high, row[4]) for low, high, _, architecture in thinned(samples, 2)]
            continue
        mask, best = present.get(row[0], (0, {}))
        if any(best.get(key(sample) & mask) != sample[2] for sample in samples):
            mask, best = learnt(samples, row)
        print(f"MODIFIERS({row[0]}, 0x{mask:x}ull)")
        for value, text in sorted(best.items()):
            print(f'TEXT(0x{value:x}ull, "{text}")')
        right = [sample for sample in samples if best.get(key(sample) & mask) == sample[2]]
        total, wrong = total + len(samples), wrong + len(samples) - len(right)
        kept += [(architecture, low, high, row[4] + text) for low, high, text, architecture in thinned(right, 2)]
    samples_path.write_text("".join(f"{a} {low:016x} {high:016x} {text}\n" for a, low, high, text in kept))
    print(f"{total} encodings, {wrong} with other modifiers than the table says, {sum(unnamed.values())} that no row names",
          *unnamed.most_common(20), sep="\n", file=sys.stderr)


main()
