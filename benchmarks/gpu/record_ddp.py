"""Two GPUs with DistributedDataParallel, rank 1 late in every step: whether both ranks' recordings make one profile.

    python3 record_ddp.py WARPLENS

Prints how far apart the ends of the collectives lie on both clocks, what the collectives' kernels know of their communication,
and whom `warplens ranks` and `findings` name.
"""
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

STEPS, LATE_S = 8, 0.015


def train():
    import torch
    import torch.distributed as dist

    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    layers = [m for _ in range(6) for m in (torch.nn.Linear(2048, 2048), torch.nn.ReLU())]
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers).cuda().bfloat16(), device_ids=[rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(4096, 2048, device="cuda", dtype=torch.bfloat16)
    for _ in range(STEPS):
        if rank == 1:
            time.sleep(LATE_S)
        model(x).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    torch.cuda.synchronize()
    dist.destroy_process_group()


def collectives(warplens, file):
    out = file.with_suffix(".json")
    subprocess.run([warplens, "export", "-f", "-t", "chrome", "-o", str(out), str(file)], check=True)
    events = json.loads(out.read_text())["traceEvents"]
    kernels = [e for e in events if e.get("cat") == "kernel" and "nccl" in e["name"]]
    return sorted(kernels, key=lambda e: e["ts"]), events


def main():
    if "RANK" in os.environ:
        return train()
    warplens = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [warplens, "record", "--torch-shapes", "--quiet", "-o", str(folder / "%q{RANK}.wlens"), "--", sys.executable, "-m",
                   "torch.distributed.run", "--nproc-per-node", "2", __file__]
        subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL)
        files = sorted(folder.glob("*.wlens"))
        print("files:", [f.name for f in files])
        ranks = [collectives(warplens, folder / f"{rank}.wlens")[0] for rank in (0, 1)]
        print("kernels of collectives:", [len(kernels) for kernels in ranks])
        told = collections.Counter((e["args"].get("Collective name"), e["args"].get("dtype"), e["args"].get("In msg nelems"),
                                    e["args"].get("Group size"), e["args"].get("Process Group Ranks")) for e in ranks[0])
        print("collectives of rank 0:", *told.items(), sep="\n  ")
        base = [json.loads((folder / f"{rank}.json").read_text()).get("baseTimeNanoseconds", 0) for rank in (0, 1)]
        ends = [[base[rank] / 1e3 + e["ts"] + e["dur"] for e in ranks[rank]] for rank in (0, 1)]
        apart = [abs(a - b) for a, b in zip(*ends)]
        if apart:
            print(f"ends of {len(apart)} collectives on both ranks: {statistics.median(apart):.1f} us apart, at most {max(apart):.1f}")
        both = [str(folder / f"{rank}.wlens") for rank in (0, 1)]
        for verb in (["ranks"], ["findings"]):
            print(subprocess.run([warplens, *verb, *both], capture_output=True, text=True).stdout)
    return 0 if len(files) >= 2 else 1


if __name__ == "__main__":
    sys.exit(main())
