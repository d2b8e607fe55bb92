#!/usr/bin/env python3
"""Makes src/warplens/isa/cubin/sass_table.def from what nvdisasm says of many cubins.

    generate.py NVDISASM SAMPLES CUBIN...

There is no public description of SASS: opcodes and the bits that choose their modifiers are learnt from examples.
For each 12-bit opcode the fewest bits of the upper half are picked that tell its modifier texts apart; the table holds
the texts seen with each of their values. SAMPLES gets a few encodings of each text, for the test.
The file name of a cubin says its architecture (...sm_90...). coverage.cu holds what ordinary kernels seldom use.
"""
import collections
import math
import random
import re
import subprocess
import sys

FIRST = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P[0-9T]+\s+)?([A-Z][A-Z0-9_]*)((?:\.[A-Za-z0-9_]+)*)\s*[^;]*;\s+/\* 0x([0-9a-f]{16}) \*/")
SECOND = re.compile(r"^\s+/\* 0x([0-9a-f]{16}) \*/")
MODIFIER_BITS = range(72, 105)  # above are scheduling bits, below operands
ALIASES = re.compile(r"\.(MOV|SHL|IADD)(\.U32)?$")  # what nvdisasm calls an IMAD by its operands, not by its bits

CATEGORIES = [  # the first that matches a whole name
    ("Matrix", "[HIQDOB]?G?MMA|[A-Z]*GMMA|UT[A-Z]*MMA|UTCOMMA"),
    ("MatrixMove", "LDSM|STSM|MOVM|LDTM|LDT|STTM|STT|UTCCP|UTCSHIFT"),
    ("AsyncCopy", "LDGSTS|UBLKCP|UBLKRED|UBLKPF|UTMA(LDG|STG|REDG|PF|LST)|STAS"),
    ("Atomic", "ATOM[GS]?|ATOMS?|RED[GS]?|REDAS|SUATOM|SURED"),
    ("Load", "LD[GSL]?|LDC|LDCU|ULDC|LDGMC|ULD"),
    ("Store", "ST[GSL]?|UST"),
    ("Texture", "TEX|TLD|TLD4|TMML|TXD|TXQ|SULD|SUST|SUQ|FOOTPRINT"),
    ("Barrier", "BAR|MEMBAR|DEPBAR|LDGDEPBAR|LDTRAM|ERRBAR|CGAERRBAR|SYNCS|FENCE|UCGABAR_.*|ARRIVES|UTCBAR|UTMACMDFLUSH|"
                "UTMACCTL|WARPGROUP|WARPGROUPSET|CCTL|CCTLL|CCTLT|ENDCOLLECTIVE|UTCATOMSWS|ACQBULK|ACQSHMINIT|UBLKWAIT"),
    ("Warp", "SHFL|VOTE|VOTEU|MATCH|REDUX|CREDUX|ELECT|FSWZADD|UVOTE.*"),
    ("Control", "BRA|BRX|BRXU|JMP|JMX|CALL|RET|EXIT|BSSY|BSYNC|BREAK|WARPSYNC|YIELD|NANOSLEEP|KILL|BPT|RTT|NOP|LEPC|BMOV|"
                "PREEXIT|RPCMOV|WARPSYNC|USETMAXREG|USETSHMSZ|UCGABAR|PMTRIG|RTT"),
    ("Special", "MUFU"),
    ("Conversion", "F2F|F2FP|F2I|I2F|I2FP|FRND|F2IP|I2I|I2IP|UF2I|UI2F|UF2F.*|UI2FP|UFRND|UF2IP|F2[A-Z0-9]*"),
    ("Fp64", "DADD|DMUL|DFMA|DSETP|DMNMX"),
    ("Fp32", "FADD2?|FMUL2?|FFMA2?|FSETP|FSET|FMNMX3?|FCHK|FSWZ|UFADD|UFMUL|UFFMA|UFSETP|UFMNMX|FADD32I|UFSET"),
    ("Fp16", "H[A-Z]*2(_.*)?|HADD2|HFMA2|HMUL2|HSETP2|HSET2|HMNMX2|HMMNX2"),
    ("Move", "MOV|SEL|FSEL|PRMT|S2R|S2UR|CS2R|CS2UR|P2R|R2P|R2UR|UMOV|USEL|UPRMT|UP2UR|UR2UP|R2B|B2R|MAPA|UMAPA|MOV32I|USEL|R2UP|"
             "S2.*|GETLMEMBASE|SETLMEMBASE|QSPC|R2UR.*|REDUX2UR"),
    ("Uniform", "U[A-Z0-9]+"),
    ("Integer", "I[A-Z0-9]+|LEA|LOP3?|PLOP3|SHF|SHL|SHR|SGXT|BMSK|BREV|FLO|POPC|V[A-Z0-9]+|SCC|LEA_HI|PSETP|BFE"),
]


def category(name):
    for text, pattern in CATEGORIES:
        if re.fullmatch(pattern, name):
            return text
    return "Other"


def disassemble(nvdisasm, path):
    """(low, high, name, modifiers) of every instruction of a cubin."""
    text = subprocess.run([nvdisasm, "-hex", "-c", path], capture_output=True, text=True, check=False).stdout
    first = None
    for line in text.split("\n"):
        match = FIRST.search(line)
        if match:
            first = match
        elif first and (second := SECOND.match(line)):
            yield int(first[3], 16), int(second[1], 16), first[1], ALIASES.sub("", first[2])
            first = None


def bit(sample, index):
    return (sample[1] >> (index - 64)) & 1


def entropy(groups):
    total = 0
    for group in groups:
        counts = collections.Counter(sample[3] for sample in group)
        total -= sum(n * math.log2(n / len(group)) for n in counts.values())
    return total


def choose_bits(samples):
    """The bits that tell the texts apart, greedily, most telling first."""
    chosen, groups, left = [], [samples], entropy([samples])
    while left > 1e-9 and len(chosen) < 8:
        trials = []
        for index in MODIFIER_BITS:
            split = [[s for s in group if bit(s, index) == value] for group in groups for value in (0, 1)]
            split = [group for group in split if group]
            trials.append((entropy(split), index, split))
        best = min(trials, key=lambda trial: trial[0])
        if best[0] >= left - 1e-9:
            break
        left, index, groups = best
        chosen.append(index)
    return chosen


def thinned(samples, each):
    by_text = collections.defaultdict(list)
    for sample in samples:
        by_text[sample[3]].append(sample)
    random.seed(1)
    return [s for group in by_text.values() for s in random.sample(group, min(len(group), each))]


def main():
    nvdisasm, samples_path, cubins = sys.argv[1], sys.argv[2], sys.argv[3:]
    codes, architectures = collections.defaultdict(dict), {}
    for path in cubins:
        architecture = int(re.search(r"sm_(\d+)", path)[1])
        for low, high, name, modifiers in disassemble(nvdisasm, path):
            key = (low, high)
            if key not in codes[low & 0xFFF]:
                codes[low & 0xFFF][key] = (low, high, name, modifiers)
                architectures[key] = architecture
    print("// Generated by scripts/sass/generate.py; do not edit.")
    print("// SASS(code, name, category, mask): an opcode; mask picks the bits of the upper half that choose modifiers.")
    print("// MODIFIERS(value, text): the text that goes with these bits, for the SASS before it.")
    kept, wrong, total = [], 0, 0
    for code, table in sorted(codes.items()):
        samples = list(table.values())
        names = collections.Counter(sample[2] for sample in samples)
        bits = choose_bits(thinned(samples, 60))
        mask = sum(1 << (index - 64) for index in bits)
        by_value = collections.defaultdict(collections.Counter)
        for sample in samples:
            by_value[sample[1] & mask][sample[3]] += 1
        name = max(names, key=lambda n: (n == "RED", names[n]))
        print(f'SASS(0x{code:03x}, "{name}", {category(name)}, 0x{mask:x}ull)')
        for value, texts in sorted(by_value.items()):
            print(f'MODIFIERS(0x{value:x}ull, "{texts.most_common(1)[0][0]}")')
            total += sum(texts.values())
            wrong += sum(texts.values()) - texts.most_common(1)[0][1]
        for sample in thinned(samples, 2):
            best = by_value[sample[1] & mask].most_common(1)[0][0]
            if sample[3] == best and sample[2] == name:
                kept.append(f"{architectures[sample[:2]]} {sample[0]:016x} {sample[1]:016x} {sample[2]}{sample[3]}")
    with open(samples_path, "w", encoding="utf-8") as file:
        file.write("\n".join(kept) + "\n")
    print(f"{len(codes)} opcodes, {total} encodings, {wrong} with other modifiers than the table says", file=sys.stderr)


main()
