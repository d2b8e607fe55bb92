#!/usr/bin/env python3
"""The work that a data loader's workers leave to the step: empty batches, handed over and pinned.

    python3 loader_hand_over.py

CSV: bytes of a batch, workers, microseconds a batch in the steady state (median of rounds), and with the copy to the device."""
import statistics
import time

import torch

BATCHES, ROUNDS = 24, 5


class Ready(torch.utils.data.Dataset):
    """Batches that lie ready: all that is left is to hand them over."""

    def __init__(self, elements):
        self.batch = torch.zeros(elements)

    def __len__(self):
        return 4 * BATCHES * (ROUNDS + 1)

    def __getitem__(self, _):
        return self.batch.clone()


def microseconds(elements, workers, copies):
    loader = torch.utils.data.DataLoader(Ready(elements), batch_size=None, num_workers=workers, pin_memory=True)
    batches, took = iter(loader), []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        for _ in range(BATCHES):
            batch = next(batches)
            if copies:
                batch = batch.to("cuda", non_blocking=True)
        torch.cuda.synchronize()
        took.append((time.perf_counter() - began) / BATCHES * 1e6)
    return statistics.median(took[1:])


def main():
    torch.zeros(1, device="cuda")
    torch.set_num_threads(1)
    print("bytes,workers,us,us_with_copy")
    for elements in (1 << 10, 1 << 17, 1 << 20, 1 << 22):
        for workers in (1, 4):
            print(f"{4 * elements},{workers},{microseconds(elements, workers, False):.1f},{microseconds(elements, workers, True):.1f}", flush=True)


if __name__ == "__main__":
    main()
