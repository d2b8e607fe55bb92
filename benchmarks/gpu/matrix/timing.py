"""Times of candidates side by side: interleaved in random order, medians with bootstrap intervals."""
import random
import statistics

import torch

SAMPLE_MS, SLOW_MS = 4.0, 40.0  # a sample's least length; a candidate above the second gets three samples


def once(call, repeats):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / repeats


def interval(samples, rng):
    medians = sorted(statistics.median(rng.choices(samples, k=len(samples))) for _ in range(400))
    return [medians[10], medians[389]]


def compare(candidates, rounds=15):
    """{name: call} -> {name: {ms, low_ms, high_ms, samples}}: calls back to back, no flush of caches between them."""
    rng, repeats, samples = random.Random(1), {}, {name: [] for name in candidates}
    for name, call in candidates.items():
        call()
        torch.cuda.synchronize()
        ms = once(call, 1)
        repeats[name] = 1 if ms > SAMPLE_MS else min(200, int(SAMPLE_MS / ms) + 1)
    for i in range(rounds):
        names = [n for n in candidates if i < 3 or statistics.median(samples[n]) < SLOW_MS]
        rng.shuffle(names)
        for name in names:
            samples[name].append(once(candidates[name], repeats[name]))
    results = {}
    for name, s in samples.items():
        low, high = interval(s, rng)
        results[name] = {"ms": statistics.median(s), "low_ms": low, "high_ms": high, "samples": len(s)}
    return results
