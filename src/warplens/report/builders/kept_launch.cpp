#include "warplens/report/builders/kept_launch.h"

#include <concepts>
#include <set>

#include "warplens/base/json.h"
#include "warplens/base/text.h"
#include "warplens/model/work_fields.h"
#include "warplens/report/builders/machine_report.h"

namespace warplens::report {
namespace {

using model::fields;

template <typename T>
concept Number = std::integral<T> || std::floating_point<T>;

/// Gives each member to `archive`, as a name and a reference.
template <typename Archive>
void fields(Archive& a, simt::InstructionCounts& c) {
  a("executions", c.executions), a("active", c.active_threads), a("on", c.predicated_on_threads);
  a("requests", c.requests), a("sectors", c.sectors), a("ideal_sectors", c.ideal_sectors), a("bytes", c.bytes);
  a("wavefronts", c.wavefronts), a("ideal_wavefronts", c.ideal_wavefronts), a("shared_requests", c.shared_requests);
  a("divergent", c.divergent_branches), a("taken", c.taken_threads), a("divergent_threads", c.divergent_threads);
  a("distinct_addresses", c.atomic_distinct_addresses), a("multiplicity", c.atomic_max_multiplicity);
  a("sector_serial", c.atomic_sector_serial);
}
template <typename Archive>
void fields(Archive& a, LineCounts& l) {
  a("file", l.file), a("line", l.line), a("instructions", l.instructions);
  a("global_load", l.global_load), a("global_store", l.global_store), a("local", l.local), a("spill", l.spill);
  a("shared_load", l.shared_load), a("shared_store", l.shared_store), a("atomics", l.atomics);
  a("shared_atomics", l.shared_atomics), a("all", l.all), a("broadcast", l.broadcast);
  a("constant_load", l.constant_load), a("gathered", l.gathered), a("scattered", l.scattered);
  a("fp32_sum_of_product", l.fp32_sum_of_product), a("fp64_sum_of_product", l.fp64_sum_of_product);
  a("half_sum_of_product", l.half_sum_of_product), a("fp32_fma", l.fp32_fma), a("fp64_fma", l.fp64_fma);
  a("half_fma", l.half_fma), a("fp64", l.fp64), a("conversions64", l.conversions64);
  a("integer_conversions64", l.integer_conversions64), a("integer_wide", l.integer_wide), a("barriers", l.barriers);
  a("floating", l.floating), a("integer", l.integer), a("branches", l.branches);
  a("fixed_operands", l.fixed_operands), a("loop_overhead", l.loop_overhead), a("loop_alu", l.loop_alu);
  a("loop_imad", l.loop_imad), a("loop_words", l.loop_words);
  a("precise_calls", l.precise_calls), a("precise_spared", l.precise_spared), a("precise_kinds", l.precise_kinds);
  a("load_bytes", l.load_bytes), a("store_bytes", l.store_bytes);
}
template <typename Archive>
void fields(Archive& a, KernelReport& r) {
  a("kernel", r.kernel), a("grid", r.grid), a("block", r.block), a("machine_code", r.from_machine_code);
  a("local_bytes", r.resources.local_bytes), a("work", r.work), a("lines", r.lines);
}

class Keeper {
 public:
  template <typename T>
  void operator()(const char* name, T& value) {
    if constexpr (Number<T>) {
      if (value != T{}) number(name, value);
    } else if constexpr (std::same_as<T, std::string>) {
      if (!value.empty()) w.member(name, value);
    } else if constexpr (requires { value.size(); }) {
      w.key(name).begin_array();
      for (auto& each : value) element(each);
      w.end_array();
    } else {
      object(name, value);
    }
  }
  json::Writer w;

 private:
  template <typename T>
  void number(const char* name, T value) {
    if constexpr (std::same_as<T, bool>) w.member(name, value);
    else if constexpr (std::floating_point<T>) w.member(name, static_cast<double>(value));
    else w.member(name, static_cast<int64_t>(value));
  }
  template <typename T>
  void element(T& value) {
    if constexpr (Number<T>) {
      w.value(static_cast<int64_t>(value));
    } else {
      w.begin_object();
      fields(*this, value);
      w.end_object();
    }
  }
  template <typename T>
  void object(const char* name, T& value) {
    Keeper inner;
    inner.element(value);
    if (inner.w.text() != "{}") w.key(name).raw(inner.w.text());
  }
};

class Reader {
 public:
  explicit Reader(const json::Value& object) : object_(object) {}
  template <typename T>
  void operator()(const char* name, T& value) {
    known_.insert(name);
    const json::Value* member = object_.find(name);
    if (member != nullptr) read(name, *member, &value);
    else if constexpr (Number<T>) value = T{};  // as it was kept: zeros are left out
  }
  /// The first thing wrong: a member of another type, or one that nobody knows.
  Status status() const {
    if (!status_.ok() || object_.object() == nullptr) return status_;
    for (const auto& [name, value] : *object_.object()) {
      if (!known_.contains(name)) return invalid_input(fmt::format("\"{}\" is not a member of a kept launch", name));
    }
    return {};
  }

 private:
  template <typename T>
  void read(const char* name, const json::Value& from, T* value) {
    if constexpr (std::same_as<T, bool>) {
      if (expect(name, from.boolean() != nullptr)) *value = *from.boolean();
    } else if constexpr (Number<T>) {
      if (expect(name, from.number().has_value())) *value = static_cast<T>(*from.number());
    } else if constexpr (std::same_as<T, std::string>) {
      if (expect(name, from.string() != nullptr)) *value = *from.string();
    } else if constexpr (requires { value->size(); }) {
      if (!expect(name, from.array() != nullptr)) return;
      if constexpr (requires { value->resize(1); }) value->resize(from.array()->size());
      if (expect(name, value->size() == from.array()->size()))
        for (size_t k = 0; k < value->size(); ++k) read(name, (*from.array())[k], &(*value)[k]);
    } else if (expect(name, from.object() != nullptr)) {
      Reader inner(from);
      fields(inner, *value);
      if (status_.ok()) status_ = inner.status();
    }
  }
  bool expect(const char* name, bool holds) {
    if (!holds && status_.ok()) status_ = invalid_input(fmt::format("\"{}\" has another type in a kept launch", name));
    return holds;
  }

  const json::Value& object_;
  std::set<std::string, std::less<>> known_;
  Status status_;
};

}  // namespace

std::string kept_launch(const KernelReport& report) {
  KernelReport copy = report;
  for (LineCounts& line : copy.lines) line.file = line.file.substr(line.file.find_last_of('/') + 1);
  std::string device = report.device->key;
  Keeper keeper;
  keeper.w.begin_object();
  keeper("device", device);
  fields(keeper, copy);
  keeper.w.end_object();
  return keeper.w.take();
}

Result<KeptLaunch> read_kept_launch(std::string_view line) {
  WL_ASSIGN(const json::Value object, json::parse(line));
  if (object.object() == nullptr) return invalid_input("a kept launch is no JSON object");
  KeptLaunch out;
  std::string device;
  Reader reader(object);
  reader("device", device);
  reader("measured_ns", out.measured_ns);
  fields(reader, out.report);
  WL_TRY(reader.status());
  WL_ASSIGN(out.report.device, gpu::find_device(device));
  finish_report(&out.report);
  return out;
}

}  // namespace warplens::report
