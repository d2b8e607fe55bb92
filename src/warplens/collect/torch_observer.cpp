// Types here have the layouts and calling conventions of ATen/record_function.h and torch/csrc/profiler/util.h, which
// have been the same since PyTorch 1.11. What may move, where a RecordFunction keeps its sequence number, is learnt.
#include "warplens/collect/torch_observer.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "warplens/collect/recorder.h"
#include "warplens/collect/torch_inputs.h"
#include "warplens/collect/torch_shapes.h"

namespace warplens::collect {
namespace {

struct ObserverContext {
  virtual ~ObserverContext() = default;
};
using Function = void;  // at::RecordFunction

struct ObserverOfTorch {  // at::RecordFunctionCallback
  std::unique_ptr<ObserverContext> (*start)(const Function*);
  void (*end)(const Function*, ObserverContext*);
  double sampling_probability = 1;
  std::array<bool, 10> scopes{};
  bool needs_inputs = false, needs_outputs = false, needs_ids = false;
};
static_assert(sizeof(ObserverOfTorch) == 40);

// at::RecordScope
constexpr int kFunction = 0, kBackwardFunction = 1, kTorchScript = 2, kUserScope = 7;

struct CollectiveDetail {  // torch::profiler::impl::SaveNcclMetaConfig
  bool truncate = true, metadata = true, inputs = false, outputs = false;
};
using Metadata = std::unordered_map<std::string, std::string>;  // values are JSON

struct Torch {
  uint64_t (*add_observer)(ObserverOfTorch) = nullptr;
  void (*remove_observer)(uint64_t) = nullptr;
  const char* (*name)(const Function*) = nullptr;
  Sizes (*sizes)(const Function*, bool flatten_lists) = nullptr;
  std::vector<std::string> (*types)(const Function*) = nullptr;
  std::string (*text)(const TorchValue*, bool is_string) = nullptr;
  size_t (*argument_count)(const Function*) = nullptr;
  uint64_t (*next_sequence)() = nullptr;
  // Not in every PyTorch:
  Metadata (*collective)(const Function*, const CollectiveDetail&) = nullptr;
  TorchValues values;

  bool find() {
    const auto take = [](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(RTLD_DEFAULT, symbol));
      if (function == nullptr) {
        if (void* library = ::dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD)) {
          function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
          ::dlclose(library);
        }
      }
      return function != nullptr;
    };
    take(collective, "_ZN5torch8profiler4impl12saveNcclMetaB5cxx11ERKN2at14RecordFunctionERKNS1_18SaveNcclMetaConfigE");
    take(types, "_ZN5torch8profiler4impl10inputTypesB5cxx11ERKN2at14RecordFunctionE");
    take(text, "_ZN5torch8profiler4impl11ivalueToStrB5cxx11ERKN3c106IValueEb");
    take(values.dtype, "aoti_torch_get_dtype");
    take(values.dim, "aoti_torch_get_dim");
    take(values.sizes, "aoti_torch_get_sizes");
    take(values.undefined, "_ZN3c1019UndefinedTensorImpl10_singletonE");
    return take(add_observer, "_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE") &&
           take(remove_observer, "_ZN2at14removeCallbackEm") && take(name, "_ZNK2at14RecordFunction4nameEv") &&
           take(sizes, "_ZN5torch8profiler4impl10inputSizesERKN2at14RecordFunctionEb") &&
           take(argument_count, "_ZNK2at14RecordFunction10num_inputsEv") &&
           take(next_sequence, "_ZN2at15sequence_number4peekEv");
  }
};
Torch torch;

// Learning: where, in all operators that were given a sequence number, that number stood.
constexpr size_t kPlaces = 38;  // of 8 bytes; with the two behind them a RecordFunction and a bit of the stack
constexpr int kEnoughOperators = 4;
std::atomic<bool> learning{false};
std::array<bool, kPlaces> fits;
int seen_operators = 0;
int sequence_place = -1;
bool with_shapes = false;
uint64_t handles[2];

int64_t word(const Function* function, size_t place) {
  int64_t out = 0;
  std::memcpy(&out, static_cast<const char*>(function) + 8 * place, sizeof out);
  return out;
}

void learn(const Function* function) {
  const auto wanted = static_cast<int64_t>(torch.next_sequence());
  if (wanted <= 0) return;  // zeros stand everywhere
  std::array<bool, kPlaces> here{};
  bool any = false;
  const auto arguments = static_cast<int64_t>(torch.argument_count(function));
  for (size_t i = 0; i < kPlaces; ++i) {
    const int64_t inputs =
        word(function, i + 2);  // behind it lies a view of the inputs, empty where none are asked for
    any |= here[i] = word(function, i) == wanted && (inputs == 0 || inputs == arguments);
  }
  if (!any) return;  // an operator that autograd does not follow
  ++seen_operators;
  for (size_t i = 0; i < kPlaces; ++i) fits[i] = fits[i] && here[i];
}

constexpr size_t kMaxOperatorText = 4096;

/// Where an operator's inputs lie: a RecordFunction keeps a view of them behind its sequence number.
std::span<const TorchValue> inputs_of(const Function* function) {
  const auto place = static_cast<size_t>(sequence_place);
  const auto count = static_cast<size_t>(word(function, place + 2));
  if (sequence_place < 0 || torch.types == nullptr || torch.text == nullptr || torch.values.dtype == nullptr ||
      count != torch.argument_count(function))
    return {};
  return {reinterpret_cast<const TorchValue*>(word(function, place + 1)), count};
}

/// The shapes of an operator's inputs, written to [begin, end); the bytes written. `inputs`: what inputs_of() gives.
size_t put_shapes(const Function* function, std::string_view name, std::span<const TorchValue> inputs, char* begin,
                  char* end) {
  thread_local std::unordered_map<size_t, ListArgument> lists;  // by operator; overloads differ in their arguments
  const auto [known, is_new] = lists.try_emplace(std::hash<std::string_view>()(name) + torch.argument_count(function));
  const bool is_known = !is_new && known->second.place != ListArgument::kSeveral;
  if (is_known && !inputs.empty() && torch.values.give_sizes())
    return put_sizes(torch.values, inputs, known->second, begin, end);
  if (is_known) return put_sizes(torch.sizes(function, true), known->second, begin, end);
  const Sizes without_lists = torch.sizes(function, false);
  if (!is_new || without_lists.empty()) return put_sizes(without_lists, known->second, begin, end);
  const Sizes flattened = torch.sizes(function, true);
  known->second = ListArgument::find(without_lists, flattened);
  return put_sizes(known->second.place == ListArgument::kSeveral ? without_lists : flattened, known->second, begin,
                   end);
}

/// Tags seen for the first time: torch says what they mean.
void learn_tags(const Function* function, std::span<const TorchValue> inputs) {
  const bool all_known = std::all_of(inputs.begin(), inputs.end(), [](const TorchValue& value) {
    const bool is_list = torch.values.kind(value) == ValueKind::kList && !values_of(value).empty();
    return torch.values.kind(is_list ? values_of(value).front() : value) != ValueKind::kUnknown;
  });
  if (all_known) return;
  const std::vector<std::string> types = torch.types(function);
  for (size_t i = 0; i < std::min(types.size(), inputs.size()); ++i) torch.values.learn(inputs[i], types[i]);
  for (const TorchValue& input : inputs) {
    if (torch.values.kind(input) != ValueKind::kList || values_of(input).empty()) continue;
    const TorchValue& first = values_of(input).front();
    if (torch.values.kind(first) == ValueKind::kUnknown) torch.values.learn(first, torch.text(&first, false));
  }
}

/// The operators that a thread is in; their names live as long as they run.
struct Inside {
  static constexpr size_t kDeepest = 64;
  std::array<std::string_view, kDeepest> names;
  size_t depth = 0;
};
constinit thread_local Inside inside;

/// What a collective communicates: name, elements, type, group.
void record_collective(const Function* function) {
  std::string text = "{";
  for (const auto& [key, value] : torch.collective(function, {})) {
    if (value.empty()) continue;
    text += (text.size() > 1 ? ", \"" : "\"") + key + "\": " + value;
  }
  if (text.size() > 1) record_host_event(HostEvent::kArguments, 0, 0, text + "}");
}

/// Identifies an operator's name, and its inputs if `inputs_key` does; 0 if they are unknown.
uint64_t key_of(std::string_view name, uint64_t inputs_key) {
  return inputs_key == 0 ? 0 : fingerprint(name, inputs_key);
}

void record_with_shapes(const Function* function, std::string_view name, int64_t sequence) {
  const std::span<const TorchValue> inputs = inputs_of(function);
  uint64_t inputs_key = inputs.empty() ? 0 : fingerprint(torch.values, inputs);
  if (inputs_key == 0 && !inputs.empty()) {
    learn_tags(function, inputs);
    inputs_key = fingerprint(torch.values, inputs);
  }
  const uint64_t key = key_of(name, inputs_key);
  if (key != 0 && record_known_operator(key, sequence)) return;
  const size_t name_bytes = std::min(name.size(), kMaxOperatorText / 2);
  char text[kMaxOperatorText];
  std::memcpy(text, name.data(), name_bytes);
  size_t bytes = name_bytes + put_shapes(function, name, inputs, text + name_bytes, text + sizeof text);
  if (bytes > name_bytes && !inputs.empty()) {
    bytes += put_inputs(torch.values, inputs, text + bytes, text + sizeof text);
  }
  record_operator({text, bytes}, name_bytes, sequence, key);
}

void record_name(std::string_view name, int64_t sequence) {
  const uint64_t key = key_of(name, 1);
  if (!record_known_operator(key, sequence)) record_operator(name, name.size(), sequence, key);
}

std::unique_ptr<ObserverContext> on_operator(const Function* function) {
  if (learning.load(std::memory_order_relaxed)) {
    learn(function);
    return nullptr;
  }
  const std::string_view name = torch.name(function);
  Inside& here = inside;
  if (here.depth < Inside::kDeepest) here.names[here.depth] = name;
  ++here.depth;
  const int64_t sequence = sequence_place < 0 ? -1 : word(function, static_cast<size_t>(sequence_place));
  if (!with_shapes || !is_recording()) {
    record_name(name, sequence);
  } else {
    record_with_shapes(function, name, sequence);
  }
  if (torch.collective != nullptr && name == "record_param_comms" && is_recording()) record_collective(function);
  return nullptr;
}
void on_operator_end(const Function*, ObserverContext*) {
  if (learning.load(std::memory_order_relaxed)) return;
  if (Inside& here = inside; here.depth > 0) --here.depth;
  record_host_event(HostEvent::kPop, 0, 0, {});
}

std::unique_ptr<ObserverContext> on_user_scope(const Function* function) {
  if (learning.load(std::memory_order_relaxed)) return nullptr;
  const std::string_view name = torch.name(function);
  if (name.starts_with("ProfilerStep#")) record_step(StepWord::kProfiler);
  record_host_event(HostEvent::kPush, 0, 0, name);
  return nullptr;
}

void on_user_scope_end(const Function*, ObserverContext*) {
  if (!learning.load(std::memory_order_relaxed)) record_host_event(HostEvent::kPop, 0, 0, {});
}

}  // namespace

std::string_view current_operator() {
  if (inside.depth == 0) return {};
  return inside.names[std::min(inside.depth, Inside::kDeepest) - 1];
}

bool begin_torch(bool shapes) {
  if (!torch.find()) return false;
  with_shapes = shapes;
  fits.fill(true);
  seen_operators = 0;
  learning = true;
  ObserverOfTorch operators{on_operator, on_operator_end};
  operators.scopes[kFunction] = operators.scopes[kBackwardFunction] = operators.scopes[kTorchScript] = true;
  operators.needs_inputs = shapes;
  ObserverOfTorch scopes{on_user_scope, on_user_scope_end};
  scopes.scopes[kUserScope] = true;
  handles[0] = torch.add_observer(operators);
  handles[1] = torch.add_observer(scopes);
  return true;
}

void end_torch() {
  for (uint64_t& handle : handles) {
    if (handle != 0) torch.remove_observer(handle);
    handle = 0;
  }
}

bool finish_torch() {
  if (seen_operators < kEnoughOperators) {
    end_torch();
    return false;
  }
  int places = 0;
  for (size_t i = 0; i < kPlaces; ++i) {
    if (fits[i]) {
      ++places;
      sequence_place = static_cast<int>(i);
    }
  }
  if (places != 1) sequence_place = -1;  // operators without what links backward to forward
  learning = false;
  return true;
}

}  // namespace warplens::collect
