// The blocks of one file: numbered, counted, and followed by the totals.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "warplens/base/checksum.h"
#include "warplens/trace/stream/layout.h"
#include "warplens/trace/stream/varint.h"

namespace warplens::stream {

class FileBlocks {
 public:
  /// `block`, as an encoder finished it, with its number in this file.
  std::string next(std::string_view block) {
    BlockHeader header;
    std::memcpy(&header, block.data(), sizeof header);
    header.sequence = blocks_++;
    if (header.kind == BlockKind::kEvents) records_ += header.records;
    std::string out(block);
    std::memcpy(out.data(), &header, sizeof header);
    return out;
  }

  /// The last block, of a file that is finished.
  std::string totals() {
    uint8_t payload[2 * kMaxVarintBytes];
    const uint8_t* const end = put_varint(put_varint(payload, blocks_), records_);
    const std::string_view bytes(reinterpret_cast<const char*>(payload), static_cast<size_t>(end - payload));
    const BlockHeader header = {kBlockMagic, BlockKind::kTotals, static_cast<uint32_t>(bytes.size()), blocks_, 0,
                                0,           checksum(bytes)};
    return std::string(reinterpret_cast<const char*>(&header), sizeof header).append(bytes);
  }

 private:
  uint32_t blocks_ = 0;
  uint64_t records_ = 0;  // of event blocks
};

}  // namespace warplens::stream
