#include "arrow.h"

#include <array>

namespace warplens::python {
namespace {

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

struct Batch {
  std::vector<ArrowColumn> columns;
  std::shared_ptr<void> owner;
  bool sent = false;
};

/// What a node of the schema or of the array owns besides its children.
struct SchemaNode {
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary;
};

struct ArrayNode {
  std::shared_ptr<const Batch> batch;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary;
};

template <typename Node, typename Owner>
void release_node(Node* node) {
  for (int64_t i = 0; i < node->n_children; ++i)
    if (node->children[i]->release != nullptr) node->children[i]->release(node->children[i]);
  if (node->dictionary != nullptr && node->dictionary->release != nullptr) node->dictionary->release(node->dictionary);
  delete static_cast<Owner*>(node->private_data);
  node->release = nullptr;
}

void fill_schema(ArrowSchema* schema, const char* format, std::string name, const std::vector<ArrowColumn>& children,
                 bool texts) {
  auto* node = new SchemaNode{std::move(name), std::vector<ArrowSchema>(children.size()), {}, {}};
  for (size_t i = 0; i < children.size(); ++i) {
    fill_schema(&node->children[i], children[i].format, children[i].name, {}, children[i].texts != nullptr);
    node->pointers.push_back(&node->children[i]);
  }
  if (texts) fill_schema(&node->dictionary, "U", "", {}, false);
  *schema = {format,
             node->name.c_str(),
             nullptr,
             kNullable,
             static_cast<int64_t>(children.size()),
             node->pointers.data(),
             texts ? &node->dictionary : nullptr,
             &release_node<ArrowSchema, SchemaNode>,
             node};
}

ArrayNode* fill_array(ArrowArray* array, const std::shared_ptr<const Batch>& batch, int64_t length,
                      std::array<const void*, 3> buffers, int64_t buffer_count) {
  auto* node = new ArrayNode{batch, buffers, {}, {}, {}};
  *array = {length, 0, 0, buffer_count, 0, node->buffers.data(), nullptr, nullptr, &release_node<ArrowArray, ArrayNode>,
            node};
  return node;
}

void fill_column(ArrowArray* array, const std::shared_ptr<const Batch>& batch, const ArrowColumn& column) {
  const int64_t buffers = column.bytes == nullptr ? 2 : 3;
  ArrayNode* node = fill_array(array, batch, column.length, {column.valid, column.values, column.bytes}, buffers);
  array->null_count = column.nulls;
  if (column.texts == nullptr) return;
  const ArrowTexts& texts = *column.texts;
  fill_array(&node->dictionary, batch, static_cast<int64_t>(texts.offsets.size()) - 1,
             {nullptr, texts.offsets.data(), texts.bytes.data()}, 3);
  array->dictionary = &node->dictionary;
}

std::shared_ptr<Batch>& batch_of(ArrowArrayStream* stream) {
  return *static_cast<std::shared_ptr<Batch>*>(stream->private_data);
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* schema) {
  fill_schema(schema, "+s", "", batch_of(stream)->columns, false);
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* array) {
  const std::shared_ptr<Batch>& batch = batch_of(stream);
  if (batch->sent) {
    *array = {};
    return 0;
  }
  batch->sent = true;
  const auto& columns = batch->columns;
  ArrayNode* node = fill_array(array, batch, columns.empty() ? 0 : columns[0].length, {}, 1);
  node->children.resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    fill_column(&node->children[i], batch, columns[i]);
    node->pointers.push_back(&node->children[i]);
  }
  array->n_children = static_cast<int64_t>(columns.size());
  array->children = node->pointers.data();
  return 0;
}

}  // namespace

ArrowArrayStream* export_stream(std::vector<ArrowColumn> columns, std::shared_ptr<void> owner) {
  auto batch = std::make_shared<Batch>(Batch{std::move(columns), std::move(owner)});
  return new ArrowArrayStream{&get_schema, &get_next, [](ArrowArrayStream*) -> const char* { return nullptr; },
                              [](ArrowArrayStream* stream) {
                                delete static_cast<std::shared_ptr<Batch>*>(stream->private_data);
                                stream->release = nullptr;
                              },
                              new std::shared_ptr<Batch>(std::move(batch))};
}

nanobind::object stream_capsule(ArrowArrayStream* stream) {
  return nanobind::steal(PyCapsule_New(stream, "arrow_array_stream", [](PyObject* object) {
    auto* held = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, "arrow_array_stream"));
    if (held->release != nullptr) held->release(held);
    delete held;
  }));
}

}  // namespace warplens::python
