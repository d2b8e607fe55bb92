// Tensor maps as the driver makes them.
#pragma once
#include "warplens/build/driver/driver.h"
#include "warplens/launch/parameters.h"

namespace warplens::launch {

/// By cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col of `driver`, which must outlive it.
EncodeMap driver_encoding(const cuda::Driver& driver);

}  // namespace warplens::launch
