"""Every rule of `warplens findings` on every trace and recording in tests/data, and on those beside the repository where there are any:
what it finds stands in tests/data/rules/findings.txt, a line a trace, minor findings in parentheses. Each rule fires somewhere and is silent on most. No report contradicts
itself: no saving exceeds the step, or leaves less than the device works; findings together save no more than all and no less than the best;
a saving beyond the device time that a finding tells is explained by its words; shares and sums of its numbers fit.
Arguments: the program; --update rewrites the file."""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SHARED = HERE.parent.parent / "shared/data"
EXPECTED = HERE / "data/rules/findings.txt"
# No recorded trace here has them: cuBLAS on Hopper has no such kernels, the others are tried in the unit tests beside the rules.
WITHOUT_TRACE = {"kernel-cause", "no-tensor-cores", "many-collectives", "slow-collective", "uncached-allocator"}

ELSEWHERE = {"kineto_2022_rank0", "kineto_2023_alexnet_sync", "kineto_rocm62_mi250"}  # others' traces, not in the repository


def traces():
    """Name -> its files, one per rank."""
    found = {}
    for folder in (HERE / "data/rules", HERE / "data/defects", HERE / "data/traces", HERE / "data/recordings", SHARED / "traces", SHARED / "defects", SHARED / "third_party"):
        of_folder = {}
        for path in sorted([*folder.glob("*.json.*"), *folder.glob("*.wlens.gz")]):
            of_folder.setdefault(re.sub(r"\.rank\d+|(\.pt\.trace)?\.json\.(gz|zst)$|\.wlens\.gz$", "", path.name), []).append(path)
        for name, files in of_folder.items():
            found.setdefault(name, files)
    return found


# Words that say why a finding saves more than the time of its kernels.
BEYOND_KERNELS = ("launch", "host", "wait", "checkpointing")


def contradictory_words(f, step):
    """Of one finding: what its words and numbers say of its totals."""
    device, text = f["evidence"].get("device_ns"), f"{f['title']} {f['detail']}"
    if device is not None and (f["saving_ns"] or 0) > device * 1.001 and not any(word in text for word in BEYOND_KERNELS):
        yield f"{f['id']} saves {f['saving_ns']} ns by kernels that take {device}, and does not say why"
    for share in re.findall(r"([\d.]+) %", text):
        if float(share) > 100:
            yield f"{f['id']} tells a share of {share} %"
    concerned = f["evidence"].get("concerned_fraction")
    if concerned is not None and not 0 <= concerned <= 1.001:
        yield f"{f['id']} concerns {concerned} of a step"
    if f["id"] == "idle-gpu" and f["evidence"]["busy_ns"] + f["evidence"]["idle_ns"] > step * 1.001:
        yield f"idle-gpu: {f['evidence']['busy_ns']} ns busy and {f['evidence']['idle_ns']} idle are more than the step's {step}"


def contradictions(report):
    step, together, best = report["step_ns"], 0, 0
    for f in report["findings"]:
        share, beside = f["saving_fraction"], f.get("beside_fraction")
        if share is not None and not 0 <= share < 1:
            yield f"{f['id']} saves {share} of a step"
        if f["saving_ns"] is not None and f["saving_ns"] > step:
            yield f"{f['id']} saves {f['saving_ns']} of {step} ns"
        # A loop over slices becomes one launch of each kernel, which takes the device less time, too.
        if f["id"] == "launch-bound" and not f["evidence"]["loop_over_slices"] and step - f["saving_ns"] < 0.999 * f["evidence"]["device_work_ns"]:
            yield f"launch-bound leaves less than the device's {f['evidence']['device_work_ns']} ns"
        yield from contradictory_words(f, step)
        if beside is not None:
            together, best = together + beside, max(best, share or 0)
            if not -1e-9 <= beside <= (share or 0) + 1e-9:
                yield f"{f['id']} saves {beside} beside others and {share} alone"
    if not best - 1e-6 <= together <= 1:
        yield f"together {together} of a step, the best {best}"


def findings(program, files):
    done = subprocess.run([program, "findings", "--json", *map(str, files)], check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    wrong = list(contradictions(report))
    assert not wrong, (files[0].name, wrong)
    return sorted(f"({f['id']})" if f["minor"] else f["id"] for f in report["findings"])


def rules():
    text = (HERE.parent / "src/warplens/program/findings/rules.def").read_text()
    return set(re.findall(r'WL_RULE\("([\w-]+)"', text)) | {"straggler", "uneven-collective"}


def main(program, update=""):
    seen = {name: findings(program, files) for name, files in traces().items()}
    if update:
        EXPECTED.write_text("".join(f"{name}: {' '.join(ids)}".rstrip() + "\n" for name, ids in sorted(seen.items())))
    expected = {name: ids.split() for name, _, ids in (line.partition(":") for line in EXPECTED.read_text().splitlines())}
    for name in seen:
        assert seen[name] == expected.get(name), f"{name}: found {seen[name]}, expected {expected.get(name)}"
    missing = expected.keys() - seen.keys()
    assert missing <= ELSEWHERE, missing - ELSEWHERE
    for name in sorted(missing):
        print(f"not tried: {name}, a trace published elsewhere")
    for rule in sorted(rules() - WITHOUT_TRACE):
        fires = sum(rule in ids for ids in expected.values())
        assert fires or any(f"({rule})" in ids for ids in expected.values()), f"{rule} fires on no trace"
        assert fires <= len(expected) / 2, f"{rule} fires on {fires} of {len(expected)} traces"
    unknown = {i.strip("()") for ids in expected.values() for i in ids} - rules()
    assert not unknown, unknown
    print(f"{len(seen)} traces, {len(rules())} rules")


if __name__ == "__main__":
    main(*sys.argv[1:])
