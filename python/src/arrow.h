// The Arrow C data interface (arrow.apache.org/docs/format/CDataInterface.html), and columns exported through it.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace warplens::python {

/// Distinct texts in Arrow's large-string layout; shared by all columns that index them.
struct ArrowTexts {
  std::vector<int64_t> offsets{0};
  std::string bytes;
  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(static_cast<int64_t>(bytes.size()));
  }
};

/// One column: values that lie where they are, in Arrow's layout; `texts` when they index texts.
struct ArrowColumn {
  std::string name;
  const char* format;  // Arrow's type code: "l" int64, "I" uint32, "U" texts, ...
  const void* values;  // of "U": where each text begins and the last ends
  int64_t length;
  std::shared_ptr<const ArrowTexts> texts = nullptr;
  const void* bytes = nullptr;  // of "U"
  const void* valid = nullptr;  // a bit a value that is set where there is one; nullptr: there is one everywhere
  int64_t nulls = 0;
};

/// A stream of one batch. `owner` is kept until the consumer has released all of it.
ArrowArrayStream* export_stream(std::vector<ArrowColumn> columns, std::shared_ptr<void> owner);

/// The stream as Python passes it between libraries.
nanobind::object stream_capsule(ArrowArrayStream* stream);

}  // namespace warplens::python
