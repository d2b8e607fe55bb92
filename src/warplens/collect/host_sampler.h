// Where the host's threads are, asked from a thread beside them: Python's own by its sampler (sitecustomize.py), which
// adds their Python frames; those that launch and Python did not start, and all of a program without Python, by ours.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace warplens::collect {

/// To be called once, before any of the others.
void prepare_host_sampler();

/// Starts our own thread, which ends when recording does or when Python begins to sample.
void start_host_sampler(uint64_t period_ns);

/// Waits for `period_us`, then looks at Python's threads, whose HostState goes to `states`, and records where the
/// others are that launch. 1: their Python stacks are wanted now; 0: recording pauses; -1: it is over.
int sample_threads(const uint32_t* threads, uint8_t* states, int count, uint32_t period_us);

/// Records where a thread of the last sample_threads() was: its Python frames, outermost first and joined by ';', and
/// behind them the native ones that they called.
void record_python_sample(uint32_t thread, uint8_t state, std::string_view python);

}  // namespace warplens::collect
