// Python callables timed by the benchmark harness, on the CPU or on a CUDA stream.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <exception>

#include "module.h"
#include "status.h"
#include "warplens/bench/ceilings/ceilings.h"
#include "warplens/bench/harness/check_output.h"
#include "warplens/bench/harness/cpu_timer.h"
#include "warplens/bench/harness/measure.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace warplens::python {
namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<double> values_of(nb::handle array) {
  const auto values = nb::cast<Doubles>(array);
  return {values.data(), values.data() + values.shape(0)};
}

/// The first Python exception of a session: the harness ends with an error Status, and then it is raised again.
class Raised {
 public:
  template <typename Function>
  Status guard(Function&& function) {
    try {
      return function();
    } catch (...) {
      if (!first_) first_ = std::current_exception();
      return internal_error("a Python exception");
    }
  }
  template <typename T>
  T take(Result<T> result) const {
    if (!result.ok() && first_) std::rethrow_exception(first_);
    return python::take(std::move(result));
  }

 private:
  std::exception_ptr first_;
};

/// What Python hands over to be timed. call: without arguments. prepare(seed): the call to time from now on, on new
/// inputs. outputs(result): (name, values, reference or None, tolerance) of each output of a call.
struct Subject {
  nb::object call, prepare, outputs, result;
  Raised* raised;

  Status run() {
    return raised->guard([&] {
      result.reset();
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      result = call();
      if (outputs.is_none()) result.reset();
      return Status();
    });
  }

  Status renew(uint64_t seed) {
    return raised->guard([&] {
      result.reset();
      call = prepare(seed);
      return Status();
    });
  }

  Result<std::vector<bench::Output>> read() {
    std::vector<bench::Output> out;
    WL_TRY(raised->guard([&] {
      for (nb::handle item : outputs(result)) {
        const auto [name, values, reference, tolerance] =
            nb::cast<std::tuple<std::string, nb::object, nb::object, double>>(item);
        bench::Output output{name, values_of(values), std::nullopt, tolerance};
        if (!reference.is_none()) output.reference = values_of(reference);
        out.push_back(std::move(output));
      }
      return Status();
    }));
    return out;
  }

  bench::Work work() {
    bench::Work out;
    out.run = [this](void*) { return run(); };
    if (!prepare.is_none()) out.prepare = [this](uint64_t seed) { return renew(seed); };
    if (!outputs.is_none()) out.outputs = [this](void*) { return read(); };
    return out;
  }
};

/// Runtimes of Python programs keep threads that spin after a parallel region: CPU time after a call says nothing. And
/// making new inputs pushes the interpreter's code out of the caches, which is in the next call.
class PythonCpuTimer : public bench::CpuTimer {
 public:
  double jitter_ns() const override { return 200e3; }
  Result<double> time_left_running(const bench::Work& work) override {
    WL_TRY(work.run(nullptr));
    return 0.0;
  }
};

/// A clock, the machine it stands on, and what nothing on that machine can exceed.
struct Session {
  std::unique_ptr<bench::Timer> timer;
  bench::Environment environment;
  bench::Ceilings ceilings;

  /// Another GPU may be current by then, and what a timer owns is given back to the one that is.
  ~Session() {
    const auto* gpu = dynamic_cast<const bench::GpuTimer*>(timer.get());
    if (gpu == nullptr) return;
    const Result<cuda::ContextGuard> inside = cuda::ContextGuard::enter(gpu->device());
    timer.reset();
  }
};

std::unique_ptr<Session> open_cpu() {
  auto out = std::make_unique<Session>();
  out->timer = std::make_unique<PythonCpuTimer>(), out->environment = bench::this_machine();
  return out;
}

std::unique_ptr<Session> open_gpu(int ordinal, uint64_t stream) {
  std::unique_ptr<bench::GpuTimer> timer =
      take(bench::GpuTimer::open(ordinal, reinterpret_cast<cuda::StreamHandle>(stream)));
  auto out = std::make_unique<Session>();
  out->environment = take(timer->environment());
  out->ceilings = bench::stored_limits(out->environment.device);
  out->timer = std::move(timer);
  return out;
}

std::string measure(Session& self, nb::object call, nb::object prepare, nb::object outputs, const std::string& regime,
                    double target, double confidence, size_t samples, double limit_s, uint64_t seed, double bytes,
                    double flops, int64_t memory_bytes) {
  Raised raised;
  Subject subject{std::move(call), std::move(prepare), std::move(outputs), {}, &raised};
  bench::Work work = subject.work();
  work.bytes = bytes, work.flops = flops, work.memory_bytes = memory_bytes;
  bench::MeasureOptions options;
  options.regime = take(bench::regime_named(regime));
  options.stopping = {confidence, target, std::min<size_t>(20, samples), samples};
  options.limit_seconds = limit_s, options.seed = seed, options.ceilings = self.ceilings;
  bench::Results out;
  out.environment = self.environment;
  out.measurements.push_back(raised.take(bench::measure(work, *self.timer, options)));
  return bench::to_json(out);
}

Record race(Session& self, nb::object a, nb::object b, const std::string& regime, double margin, double confidence,
            double limit_s, uint64_t seed) {
  Raised raised;
  Subject of_a{std::move(a), nb::none(), nb::none(), {}, &raised},
      of_b{std::move(b), nb::none(), nb::none(), {}, &raised};
  bench::RaceOptions options;
  options.regime = take(bench::regime_named(regime));
  options.paired.margin = margin, options.paired.confidence = confidence;
  options.limit_seconds = limit_s, options.seed = seed;
  const bench::Comparison c = raised.take(bench::race(of_a.work(), of_b.work(), *self.timer, options));
  nb::dict out;
  out["verdict"] = std::string(bench::name_of(c.verdict));
  out["ratio"] = c.ratio, out["low"] = c.low, out["high"] = c.high, out["margin"] = c.margin,
  out["confidence"] = confidence;
  out["pairs"] = c.pairs, out["a_ns"] = c.a_ns, out["b_ns"] = c.b_ns;
  out["a_host_ns"] = c.a_host_ns, out["b_host_ns"] = c.b_host_ns;
  return out;
}

nb::typed<nb::tuple, bool, double, nb::str> check_values(nb::handle values, nb::handle reference, double tolerance) {
  const bench::OutputCheck check = bench::check_output({"", values_of(values), values_of(reference), tolerance});
  return nb::make_tuple(check.passed, check.error, check.detail);
}

}  // namespace

void bind_bench(nb::module_& module) {
  nb::class_<Session>(module, "BenchSession", "A clock for calls, and the machine it stands on.")
      .def_prop_ro(
          "source", [](const Session& self) { return std::string(self.timer->source()); },
          "cpu, or measured: by events on a GPU.")
      .def("measure", &measure, nb::kw_only(), "call"_a, "prepare"_a.none(), "outputs"_a.none(), "regime"_a, "target"_a,
           "confidence"_a, "samples"_a, "limit_s"_a, "seed"_a, "bytes"_a, "flops"_a, "memory_bytes"_a,
           "Times a call; a file of results with one measurement, as JSON. Raises what the call raises.")
      .def("race", &race, nb::kw_only(), "a"_a, "b"_a, "regime"_a, "margin"_a, "confidence"_a, "limit_s"_a, "seed"_a,
           "Two calls taking turns in random order; the verdict is on b. Raises what the calls raise.");
  module.def("open_cpu", &open_cpu, "The host's clock.");
  module.def("open_gpu", &open_gpu, "ordinal"_a, "stream"_a,
             "Events on a stream (its handle as a number) of a GPU. Raises when there is none.");
  module.def("check_values", &check_values, "values"_a, "reference"_a, "tolerance"_a,
             "(passed, relative error of the norm, detail) for arrays of float64.");
  module.def(
      "default_tolerance", [](const std::string& dtype) { return bench::default_tolerance(dtype); }, "dtype"_a,
      "Relative error that rounding to a dtype (f64, f32, f16, bf16) explains.");
}

}  // namespace warplens::python
