// Where blocks go: a growing file, or a ring in memory that is written out on request.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warplens/trace/stream/encoder.h"
#include "warplens/trace/stream/file_blocks.h"

namespace warplens::collect {

class Output : public stream::BlockSink {
 public:
  /// `ring_ns` 0: a file. Until open() is called blocks are kept, up to `kept_bytes`.
  /// `several_files`: begin_file() begins each, open() none.
  Output(std::string pattern, uint64_t ring_ns, size_t kept_bytes, bool several_files = false);
  ~Output() override;

  void put(stream::BlockKind kind, std::string_view block, uint64_t first_ns, uint64_t last_ns) override;

  /// Begins the file. A name that is taken gets a number: run.wlens, run.2.wlens, ...
  void open();
  bool is_open() const { return opened_; }
  bool is_ring() const { return ring_ns_ > 0; }
  /// Each file holds all definitions so far. Begins another file with the next blocks. False with failure()
  /// set.
  bool begin_file(const std::string& path);
  /// Ends the open file, with the totals after its blocks.
  void end_file();
  /// Writes the ring to a file of its own. Returns its name, or "" with failure() set.
  std::string dump();

  const std::string& path() const { return path_; }
  const std::string& failure() const { return failure_; }  // why writing stopped; empty while there is no error
  uint64_t take_overwritten();

 private:
  struct Block {
    std::string bytes;
    uint64_t last_ns;
  };
  int create();
  void write_definitions();
  bool write_all(int fd, std::string_view bytes);
  bool write_block(int fd, std::string_view block) { return write_all(fd, blocks_.next(block)); }
  bool still_has_file();
  void keep(stream::BlockKind kind, std::string_view block, uint64_t last_ns);

  std::string pattern_, path_, failure_;
  uint64_t ring_ns_;
  size_t kept_limit_, kept_bytes_ = 0;
  int fd_ = -1;
  stream::FileBlocks blocks_;           // of the file that was made last
  std::pair<uint64_t, uint64_t> file_;  // the file that create() opened last: device and number there
  bool opened_ = false, several_files_;
  std::vector<std::string> definitions_;
  std::deque<Block> events_;
  uint64_t overwritten_ = 0;
};

}  // namespace warplens::collect
