// cuDNN's recurrent networks, and the descriptors of dropout that they take.
#include <algorithm>
#include <cstring>
#include <memory>

#include "warplens/libraries/cudnn/handle.h"
#include "warplens/libraries/math/recurrent.h"

using namespace warplens;
using namespace warplens::libraries;

namespace {

struct Dropout {
  float share = 0;
  uint64_t* state = nullptr;  // in device memory: the seed of the next mask
};

struct RecurrentDescriptor : RecurrentShape {
  Dropout dropped;
};

struct SequencesDescriptor : Sequences {
  int type = 0;
};

/// A mask for each pass, and another one for the next.
void take_seed(const Dropout& dropout, RecurrentShape* shape) {
  if (dropout.state == nullptr || shape->dropout == 0) return;
  uint64_t state;
  std::memcpy(&state, dropout.state, sizeof state);
  shape->seed = state;
  ++state;
  std::memcpy(dropout.state, &state, sizeof state);
}

Unit unit_of(const RecurrentShape& s) {
  if (s.tf32) return Unit::kTf32;
  return s.number == Number::kF64 ? Unit::kF64 : s.number == Number::kF32 ? Unit::kF32 : Unit::kF16;
}

enum class RecurrentPass : uint8_t { kForward, kData, kWeights };

/// Products over all steps at once, and for each step one after the other: the product with what the step before gives,
/// and the cell, a kernel of its own.
LibraryTime time_of(const RecurrentShape& s, const Sequences& x, RecurrentPass pass) {
  LibraryTime out;
  const int bytes = size_bytes(s.number);
  const auto add = [&](int64_t m, int64_t n, int64_t k, int64_t times) {
    if (m * n * k == 0) return;
    ProductShape shape{
        .m = m, .n = n, .k = k, .unit = unit_of(s), .a_bytes = bytes, .b_bytes = bytes, .d_bytes = bytes};
    shape.splits = times == 1;  // cuDNN's products of one step are not
    const LibraryTime one = product_time(shape, *device());
    out.ns += static_cast<double>(times) * one.ns;
    out.limited_by = one.limited_by;
    out.sm_share = one.sm_share;
  };
  const int64_t gates = s.gates() * s.hidden, positions = x.positions();
  for (int64_t part = 0; part < s.parts(); ++part) {
    const int64_t in = s.width_of(part);
    if (pass == RecurrentPass::kWeights) {
      add(gates, in, positions, 1);
      add(gates, s.projected, positions, 1);
      continue;
    }
    const bool forward = pass == RecurrentPass::kForward;
    add(positions, forward ? gates : in, forward ? in : gates, 1);
    add(x.batch, forward ? gates : s.projected, forward ? s.projected : gates, x.steps);
    const double cell_bytes = static_cast<double>(x.batch * (2 * gates + 2 * s.hidden) * bytes);
    out.ns += static_cast<double>(x.steps) * streaming_time(cell_bytes, 0, *device()).ns;
  }
  return out;
}

const char* cell_name(Cell cell) {
  switch (cell) {
    case Cell::kRelu: return "rnn relu";
    case Cell::kTanh: return "rnn";
    case Cell::kLstm: return "lstm";
    case Cell::kGru: return "gru";
  }
  return "";
}

/// "lstm f32 2 layers 32 steps of 16x512"
Task task_of(const char* pass, const RecurrentCall& call, RecurrentPass kind, std::function<Status()> run) {
  const RecurrentShape& s = call.shape;
  return {
      .name = fmt::format("{}{} {} {} layers {} steps of {}x{} hidden {}", cell_name(s.cell), pass,
                          s.tf32 ? "tf32" : name(s.number), s.layers, call.x.steps, call.x.batch, s.input, s.hidden),
      .time = time_of(s, call.x, kind),
      .run = std::move(run)};
}

struct Touches {
  const RecurrentCall& call;
  std::vector<TouchedMemory> all;

  void lines(const void* data, const Sequences& of, int64_t width, bool written) {
    all.push_back(touched_bytes(data, of.lines() * width * size_bytes(call.shape.number), written));
  }
  void state(const void* data, int64_t width, bool written) {
    all.push_back(
        touched_bytes(data, call.shape.parts() * call.x.batch * width * size_bytes(call.shape.number), written));
  }
  void weights(const void* data, bool written) {
    all.push_back(touched_bytes(data, weight_count(call.shape) * size_bytes(call.shape.number), written));
  }
};

RecurrentCall call_of(const RecurrentDescriptor& r, const SequencesDescriptor& x, const SequencesDescriptor& y) {
  RecurrentCall out{.shape = r, .x = x, .y = y};
  if (x.width > 0) out.shape.input = x.width;
  return out;
}

bool fits(const RecurrentCall& call, size_t weight_bytes, size_t kept) {
  const RecurrentShape& s = call.shape;
  const auto needed = static_cast<size_t>(weight_count(s) * size_bytes(s.number));
  const bool keeps = call.kept == nullptr || static_cast<size_t>(kept_bytes(s, call.x.steps, call.x.batch)) <= kept;
  return weight_bytes >= needed && keeps && call.x.batch == call.y.batch;
}

int place_of(const WeightPlace& place, const RecurrentShape& s, int type, const void* weights,
             TensorDescriptor* descriptor, void** address) {
  if (descriptor != nullptr) {
    *descriptor = {.type = type, .dims = 3};
    const int rows = static_cast<int>(place.rows), columns = static_cast<int>(place.columns);
    const int size[] = {1, rows, columns}, step[] = {rows * columns, columns, 1};
    std::copy_n(size, 3, descriptor->size);
    std::copy_n(step, 3, descriptor->step);
  }
  if (address == nullptr) return kDnnSuccess;
  const auto at = reinterpret_cast<uintptr_t>(weights) + static_cast<uintptr_t>(place.offset * size_bytes(s.number));
  *address = place.rows == 0 ? nullptr : reinterpret_cast<void*>(at);
  return kDnnSuccess;
}

int type_of(Number number) {
  return number == Number::kF64 ? 1 : number == Number::kF16 ? 2 : number == Number::kBf16 ? 9 : 0;
}

}  // namespace

CUDA_API int cudnnCreateDropoutDescriptor(Dropout** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyDropoutDescriptor(Dropout* d) { return Dnn::destroy(d); }
CUDA_API int cudnnDropoutGetStatesSize(const DnnHandle* h, size_t* bytes) { return Dnn::answer_workspace(h, bytes); }
CUDA_API int cudnnRestoreDropoutDescriptor(Dropout* d, const DnnHandle*, float share, void* states, size_t,
                                           unsigned long long) {
  if (d == nullptr) return kDnnBadParameter;
  *d = {share, static_cast<uint64_t*>(states)};
  return kDnnSuccess;
}
CUDA_API int cudnnSetDropoutDescriptor(Dropout* d, const DnnHandle* h, float share, void* states, size_t bytes,
                                       unsigned long long seed) {
  if (d == nullptr) return kDnnBadParameter;
  *d = {share, static_cast<uint64_t*>(states)};
  if (states == nullptr || bytes < sizeof(uint64_t)) return kDnnSuccess;
  return queue_dnn(h,
                   {.name = "dropout seed",
                    .time = streaming_time(sizeof(uint64_t), 0, *device()),
                    .run =
                        [=] {
                          const uint64_t first = seed;
                          std::memcpy(states, &first, sizeof first);
                          return Status();
                        }},
                   {touched_bytes(states, sizeof(uint64_t), true)});
}

CUDA_API int cudnnCreateRNNDescriptor(RecurrentDescriptor** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyRNNDescriptor(RecurrentDescriptor* r) { return Dnn::destroy(r); }
CUDA_API int cudnnSetRNNDescriptor_v8(RecurrentDescriptor* r, int, int cell, int bias, int direction, int input_mode,
                                      int type, int, int math, int input, int hidden, int projected, int layers,
                                      const Dropout* dropout, unsigned) {
  constexpr int kFmaMath = 3, kSingleInput = 1, kSingleRecurrent = 3;
  if (r == nullptr || cell < 0 || cell > 3 || hidden < 1 || layers < 1) return kDnnBadParameter;
  if (input_mode != 0 || bias == kSingleInput || bias == kSingleRecurrent) {
    tell_refused("cudnnSetRNNDescriptor_v8",
                 "one bias, or an input that is not multiplied: the program gets "
                 "CUDNN_STATUS_NOT_SUPPORTED");
    return kDnnNotSupported;
  }
  RecurrentDescriptor made;
  made.cell = static_cast<Cell>(cell);
  made.number = number_of_dnn(type);
  made.biased = bias != 0;
  made.bidirectional = direction == 1;
  made.tf32 = made.number == Number::kF32 && math != kFmaMath;
  made.input = input;
  made.hidden = hidden;
  made.projected = projected > 0 && made.cell == Cell::kLstm ? projected : hidden;
  made.layers = layers;
  made.dropped = dropout != nullptr ? *dropout : Dropout{};
  made.dropout = made.dropped.share;
  *r = made;
  return size_bytes(made.number) == 0 ? kDnnNotSupported : kDnnSuccess;
}

CUDA_API int cudnnCreateRNNDataDescriptor(SequencesDescriptor** out) { return Dnn::make(out); }
CUDA_API int cudnnDestroyRNNDataDescriptor(SequencesDescriptor* s) { return Dnn::destroy(s); }
CUDA_API int cudnnSetRNNDataDescriptor(SequencesDescriptor* s, int type, int layout, int steps, int batch, int width,
                                       const int* lengths, void*) {
  if (s == nullptr || lengths == nullptr || layout < 0 || layout > 2) return kDnnBadParameter;
  for (int i = 0; i < batch; ++i)
    if (lengths[i] < 0 || lengths[i] > steps) return kDnnBadParameter;
  s->type = type;
  s->layout = static_cast<Sequences::Layout>(layout);
  s->steps = steps;
  s->batch = batch;
  s->width = width;
  s->lengths.assign(lengths, lengths + batch);
  return kDnnSuccess;
}

CUDA_API int cudnnGetRNNWeightSpaceSize(const DnnHandle* h, const RecurrentDescriptor* r, size_t* bytes) {
  if (h == nullptr) return kDnnNotInitialized;
  if (r == nullptr) return kDnnBadParameter;
  return Dnn::answer(bytes, static_cast<size_t>(weight_count(*r) * size_bytes(r->number)));
}
CUDA_API int cudnnGetRNNTempSpaceSizes(const DnnHandle* h, const RecurrentDescriptor* r, int mode,
                                       const SequencesDescriptor* x, size_t* work_bytes, size_t* kept) {
  if (r == nullptr || x == nullptr) return kDnnBadParameter;
  RecurrentShape shape = *r;
  if (x->width > 0) shape.input = x->width;
  if (kept != nullptr) *kept = mode == 1 ? static_cast<size_t>(kept_bytes(shape, x->steps, x->batch)) : 0;
  return work_bytes == nullptr ? kDnnSuccess : Dnn::answer_workspace(h, work_bytes);
}
CUDA_API int cudnnGetRNNWeightParams(const DnnHandle* h, const RecurrentDescriptor* r, int part, size_t,
                                     const void* weights, int which, TensorDescriptor* matrix, void** matrix_address,
                                     TensorDescriptor* bias, void** bias_address) {
  if (h == nullptr) return kDnnNotInitialized;
  if (r == nullptr || part < 0 || part >= r->parts() || which < 0) return kDnnBadParameter;
  const int type = type_of(r->number);
  const int status = place_of(matrix_place(*r, part, which), *r, type, weights, matrix, matrix_address);
  return status != kDnnSuccess ? status : place_of(bias_place(*r, part, which), *r, type, weights, bias, bias_address);
}

CUDA_API int cudnnRNNForward(const DnnHandle* h, const RecurrentDescriptor* r, int mode, const int*,
                             const SequencesDescriptor* x, const void* x_data, const SequencesDescriptor* y,
                             void* y_data, const void*, const void* first_h, void* last_h, const void*,
                             const void* first_c, void* last_c, size_t weight_bytes, const void* weights, size_t, void*,
                             size_t kept, void* reserve) {
  if (r == nullptr || x == nullptr || y == nullptr) return kDnnBadParameter;
  RecurrentCall call = call_of(*r, *x, *y);
  call.weights = weights;
  call.input = x_data, call.first_h = first_h, call.first_c = first_c;
  call.output = y_data, call.last_h = last_h, call.last_c = last_c;
  call.kept = mode == 1 ? reserve : nullptr;
  if (!fits(call, weight_bytes, kept)) return kDnnBadParameter;
  const RecurrentShape& s = call.shape;
  Touches t{call, {}};
  t.lines(x_data, *x, s.input, false);
  t.weights(weights, false);
  t.state(first_h, s.projected, false);
  t.state(first_c, s.hidden, false);
  t.lines(y_data, *y, s.projected * s.directions(), true);
  t.state(last_h, s.projected, true);
  t.state(last_c, s.hidden, true);
  t.all.push_back(touched_bytes(call.kept, kept_bytes(s, x->steps, x->batch), true));
  return queue_dnn(h,
                   task_of("", call, RecurrentPass::kForward,
                           [call, dropped = r->dropped]() mutable {
                             if (call.kept != nullptr) take_seed(dropped, &call.shape);
                             return run_forward(call);
                           }),
                   std::move(t.all));
}

CUDA_API int cudnnRNNBackwardData_v8(const DnnHandle* h, const RecurrentDescriptor* r, const int*,
                                     const SequencesDescriptor* y, const void*, const void* dy,
                                     const SequencesDescriptor* x, void* dx, const void*, const void* first_h,
                                     const void* d_last_h, void* d_first_h, const void*, const void* first_c,
                                     const void* d_last_c, void* d_first_c, size_t weight_bytes, const void* weights,
                                     size_t, void*, size_t kept, void* reserve) {
  if (r == nullptr || x == nullptr || y == nullptr || reserve == nullptr) return kDnnBadParameter;
  RecurrentCall call = call_of(*r, *x, *y);
  call.weights = weights;
  call.first_h = first_h, call.first_c = first_c;
  call.kept = reserve;
  if (!fits(call, weight_bytes, kept)) return kDnnBadParameter;
  const RecurrentShape& s = call.shape;
  const RecurrentGradients g{dy, d_last_h, d_last_c, dx, d_first_h, d_first_c};
  Touches t{call, {}};
  t.lines(dy, *y, s.projected * s.directions(), false);
  t.weights(weights, false);
  t.state(d_last_h, s.projected, false);
  t.state(d_last_c, s.hidden, false);
  t.all.push_back(touched_bytes(reserve, kept_bytes(s, x->steps, x->batch), true));
  t.lines(dx, *x, s.input, true);
  t.state(d_first_h, s.projected, true);
  t.state(d_first_c, s.hidden, true);
  return queue_dnn(h, task_of(" backward", call, RecurrentPass::kData, [call, g] { return run_backward(call, g); }),
                   std::move(t.all));
}

CUDA_API int cudnnRNNBackwardWeights_v8(const DnnHandle* h, const RecurrentDescriptor* r, int mode, const int*,
                                        const SequencesDescriptor* x, const void*, const void*, const void* first_h,
                                        const SequencesDescriptor* y, const void*, size_t weight_bytes, void* d_weights,
                                        size_t, void*, size_t kept, void* reserve) {
  if (r == nullptr || x == nullptr || y == nullptr || reserve == nullptr) return kDnnBadParameter;
  RecurrentCall call = call_of(*r, *x, *y);
  call.first_h = first_h;
  call.kept = reserve;
  if (!fits(call, weight_bytes, kept)) return kDnnBadParameter;
  const bool sets = mode == 1;
  Touches t{call, {}};
  t.all.push_back(touched_bytes(reserve, kept_bytes(call.shape, x->steps, x->batch), false));
  if (!sets) t.weights(d_weights, false);
  t.weights(d_weights, true);
  return queue_dnn(h,
                   task_of(" backward weights", call, RecurrentPass::kWeights,
                           [call, d_weights, sets] {
                             const int64_t bytes = weight_count(call.shape) * size_bytes(call.shape.number);
                             if (sets) std::memset(d_weights, 0, static_cast<size_t>(bytes));
                             return add_weight_gradients(call, d_weights);
                           }),
                   std::move(t.all));
}
