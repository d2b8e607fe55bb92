// NVTX: the functions that take a program's ranges.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// Fills the tables of an NVTX of the program's; there is one in each of its libraries. 1 when all is well, as NVTX
/// wants it.
int attach_nvtx(const void* (*get_export_table)(uint32_t));

/// The name of the domain that a record has the index of; "" for 0.
std::string_view nvtx_domain_name(uint32_t domain);

}  // namespace warplens::collect
