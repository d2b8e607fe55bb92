// What workshops and blogs on GPU kernels start from and end with, as pairs: NAME_bad before the lesson and NAME_fixed after it.
#include <cuda_fp16.h>
extern "C" {
#include "pairs/workshop_data.cuh"
#include "pairs/workshop_instructions.cuh"
#include "pairs/workshop_blocks.cuh"
}
