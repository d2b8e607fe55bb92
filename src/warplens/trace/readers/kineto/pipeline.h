// Reading on all cores: one thread at a time reads (and inflates) a block, every thread parses, blocks are merged in
// order.
#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "warplens/trace/readers/input/input.h"
#include "warplens/trace/readers/kineto/document.h"

namespace warplens::kineto {

/// A block of text that ends where an event does, as far as its end alone shows; Document checks
/// it.
struct Block {
  std::unique_ptr<char[]> buffer;
  size_t capacity = 0;
  std::string_view text;
  uint64_t offset = 0, number = 0;
  std::unique_ptr<Chunk> chunk;
  Stop stop{};
};

class Pipeline {
 public:
  Pipeline(Input& input, Document& document, size_t threads, size_t block_bytes)
      : input_(input), document_(document), threads_(threads), block_bytes_(block_bytes) {}
  /// Feeds the whole input to the document.
  void run();

 private:
  void read_head();
  void work();
  bool next(Block& block);
  void fill(Block& block);
  void deliver(Block block);

  Input& input_;
  Document& document_;
  const size_t threads_, block_bytes_;

  std::mutex reading_;
  std::string carry_;  // text after the last block's end
  bool input_ended_ = false;
  uint64_t offset_ = 0, blocks_ = 0;

  std::mutex merging_;
  std::condition_variable merged_some_;
  std::map<uint64_t, Block> waiting_;
  std::vector<Block> spare_;
  uint64_t merged_ = 0;
  bool merger_at_work_ = false;
};

}  // namespace warplens::kineto
