// The parts of `warplens bench` other than its own kernels: suites, and commands that read results.
#pragma once
#include <optional>

#include "warplens/bench/suite/kernel_bench.h"
#include "warplens/bench/suite/suite_bench.h"
#include "warplens/cli/verb.h"

namespace warplens::cli {

Result<int> bench_compare(const Invocation& invocation);
Result<int> bench_plot(const Invocation& invocation);

/// Implementations for --impl beside the suite's own: torch, triton, cub, .... The Python package times them on a GPU.
std::vector<std::string> peers_in(const Invocation& invocation);
/// Becomes `python3 -m warplens.suite`, which times steps and peers in one process. Only returns with an error.
Result<int> bench_beside_peers(const Invocation& invocation, const std::string& name);
/// The one step of --impl as `warplens kernel` reports it, with the roofline.
Result<int> bench_profile(const Invocation& invocation, const std::string& name);
/// The families of kernels/, a line each.
Result<int> bench_list(const Invocation& invocation);
/// --impl, --sizes (--dims, --seq-lengths) and --axis for `family`.
Result<bench::SuiteRequest> suite_request(const Invocation& invocation, const bench::Family& family);
/// The launches of "FAMILY/STEP" with --axis; nothing if `name` is a file or no such name.
Result<std::optional<launch::Description>> suite_step(const Invocation& invocation, const std::string& name);
/// The family `name` of kernels/, with --impl, --sizes and --axis.
Result<bench::Results> bench_suite(const Invocation& invocation, const std::string& name,
                                   const bench::KernelBenchOptions& options);

/// --fail-on as a share: "5%", "5" and "0.5%" are per cent. 0 when it is not given.
Result<double> fail_on_share(const Invocation& invocation);

/// --confidence as a share, between 0.5 and 1.
Result<double> confidence_share(const Invocation& invocation);

/// --margin as a share; `otherwise` if it is absent.
Result<double> margin_share(const Invocation& invocation, double otherwise);

/// True if `name` is one of our suites and not a file.
bool is_whole_suite(const std::string& name);

}  // namespace warplens::cli
