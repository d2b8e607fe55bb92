// NVTX: the functions that take a program's ranges.
#pragma once
#include <cstdint>
#include <string_view>

namespace warplens::collect {

/// Fills the tables of an NVTX instance of the program; each of its libraries has one. 1 on success, as NVTX
/// requires.
int attach_nvtx(const void* (*get_export_table)(uint32_t));

/// The name of the domain that a record has the index of; "" for 0.
std::string_view nvtx_domain_name(uint32_t domain);

}  // namespace warplens::collect
