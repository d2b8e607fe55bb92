// Sparse matrices A of mma.sp and wgmma.mma_async.sp: of each group of elements in a row half is kept, and metadata
// says which. From the PTX ISA's figures of sparse matrix storage; checked on an H200.
#pragma once
#include <cstdint>
#include <vector>

#include "warplens/simt/matrix/math.h"

namespace warplens::simt {

/// How one instruction's A is kept; rows are the 16 of a warp.
struct Sparsity {
  ptx::Type type{};
  int k = 0;         // elements of a row of A, the zeros included
  int selector = 0;  // which lanes of four hold the metadata
};

/// Elements that four bits of metadata choose among: 4, of tf32 2, of four bits each 8. Half of them are kept.
int group_elements(ptx::Type type);

/// The places in B's rows that the kept elements of A's 16 rows meet: [row * k / 2 + i]. `metadata`: a word a lane.
std::vector<uint16_t> kept_places(const Sparsity& sparsity, const uint32_t* metadata);

/// D = A * B + C; product.k counts B's rows, A holds places.size() / m columns, and `places` gives the row of B for
/// each of its elements. Omitted zeros meet nothing, not even an infinity.
void multiply_sparse(const MatrixProduct& product, const DotModel& model, const std::vector<uint16_t>& places);
/// The same for fp8 on the f16 units, as sm_90's mma.sp. It takes each register's lower pair first, and C last.
void multiply_sparse_halves(const MatrixProduct& product, int architecture, const std::vector<uint16_t>& places);

}  // namespace warplens::simt
