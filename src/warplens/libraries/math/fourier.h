// Discrete Fourier transforms by the CPU: the MKL that PyTorch carries, where it is loaded, else FFTW.
#pragma once
#include <complex>
#include <cstdint>

#include "warplens/base/status.h"

namespace warplens::libraries {

/// Transforms `count` rows of `length` elements in place, not scaled. `sign`: of the exponent, -1 forward, 1 backward.
/// Errors: no library; one that refuses the length.
Status transform_rows(std::complex<double>* rows, int64_t length, int64_t count, int sign);

}  // namespace warplens::libraries
