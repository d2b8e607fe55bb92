// What courses on CUDA teach, as pairs of kernels: NAME_bad before the lesson and NAME_fixed after it.
extern "C" {
#include "pairs/lesson_reductions.cuh"
#include "pairs/lesson_products.cuh"
#include "pairs/lesson_layouts.cuh"
#include "pairs/lesson_threads.cuh"
}
