/* Run PTX kernels on the CPU: load PTX, launch on host memory, read counters, checks and errors. C99 and C++.
 *
 * A function that returns a pointer returns NULL on failure, one that returns int returns 0 on success and -1 on
 * failure; warplens_last_error() then says what, where and what to do. Texts live as long as the object they were asked
 * of. Objects are independent; one module may be used by one thread at a time. */
#ifndef WARPLENS_H
#define WARPLENS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WARPLENS_API __attribute__((visibility("default")))
#else
#define WARPLENS_API
#endif

/* Grows when something is added; warplens_api_version() is that of the library loaded. */
#define WARPLENS_API_VERSION 1
WARPLENS_API int warplens_api_version(void);
WARPLENS_API const char* warplens_version(void); /* "0.1.0" */

/* The calling thread's last error; "" when there was none. Valid until its next failing call. */
WARPLENS_API const char* warplens_last_error(void);

/* ---- Modules ---- */

typedef struct warplens_module warplens_module;

/* Parses PTX text; `name` stands for it in messages (may be NULL). */
WARPLENS_API warplens_module* warplens_load_ptx(const char* ptx, const char* name);
WARPLENS_API void warplens_module_free(warplens_module* module);
WARPLENS_API size_t warplens_kernel_count(const warplens_module* module);
WARPLENS_API const char* warplens_kernel_name(const warplens_module* module, size_t index); /* NULL past the end */

/* The bytes of a __device__ or __constant__ variable, for reading and writing between launches. */
WARPLENS_API int warplens_symbol(warplens_module* module, const char* name, void** data, size_t* size_bytes);

/* ---- Memory ---- kernels may use what was allocated here and host memory that was added. Pointers that kernels get
 * are host pointers. */

WARPLENS_API void* warplens_allocate(warplens_module* module, size_t size_bytes, const char* name);
WARPLENS_API int warplens_free(warplens_module* module, void* data);
WARPLENS_API int warplens_add_memory(warplens_module* module, void* data, size_t size_bytes, const char* name,
                                     int writable);
WARPLENS_API int warplens_remove_memory(warplens_module* module, void* data);
/* Any address of this process: nothing is out of bounds any more but what would crash. */
WARPLENS_API void warplens_add_all_memory(warplens_module* module);

/* ---- Launches ---- */

enum {                            /* bits of warplens_launch_options.checks */
       WARPLENS_CHECK_MEMORY = 1, /* out of bounds, use after free, misaligned */
       WARPLENS_CHECK_RACE = 2,
       WARPLENS_CHECK_INIT = 4, /* reads of bytes never written */
       WARPLENS_CHECK_SYNC = 8  /* divergent barriers, missing lanes of a mask */
};

typedef struct warplens_launch_options {
  size_t struct_size;                     /* sizeof(warplens_launch_options): tells versions apart */
  const char* kernel;                     /* NULL: the only one of the module */
  uint32_t grid[3], block[3], cluster[3]; /* 0 counts as 1 */
  uint32_t shared_bytes;                  /* dynamic shared memory */
  int cooperative;
  void** args; /* args[i] points at the i-th argument's value, as for cuLaunchKernel */
  size_t arg_count;
  uint32_t checks;
  uint32_t threads;          /* CPU threads; 0: all */
  uint64_t max_instructions; /* warp instructions; 0: no limit */
  double timeout_s;          /* 0: none */
} warplens_launch_options;

typedef struct warplens_result warplens_result;

/* Runs to the end. What the kernel does wrong is in the result (warplens_result_fault); NULL is an error of the
 * request. */
WARPLENS_API warplens_result* warplens_launch(warplens_module* module, const warplens_launch_options* options);
WARPLENS_API void warplens_result_free(warplens_result* result);

/* What stopped the kernel before its end and where; NULL when it ended by itself. */
WARPLENS_API const char* warplens_result_fault(const warplens_result* result);
WARPLENS_API const char* warplens_result_output(const warplens_result* result); /* of printf */
WARPLENS_API double warplens_result_seconds(const warplens_result* result);

/* What the checks found: its id ("race", "out-of-bounds", ...), a text with places, how often. */
WARPLENS_API size_t warplens_report_count(const warplens_result* result);
WARPLENS_API const char* warplens_report_id(const warplens_result* result, size_t index);
WARPLENS_API const char* warplens_report_text(const warplens_result* result, size_t index);
WARPLENS_API uint64_t warplens_report_times(const warplens_result* result, size_t index);

/* Counters by index and by name: what was executed, summed over the launch ("warp_instructions", "global_sectors",
 * ...). */
WARPLENS_API size_t warplens_counter_count(const warplens_result* result);
WARPLENS_API const char* warplens_counter_name(const warplens_result* result, size_t index);
WARPLENS_API int warplens_counter(const warplens_result* result, const char* name, double* value);

/* ---- The entry point of gpuocelot ---- runs the first kernel of `ptx` over any memory of this process. args[i] is the
 * i-th argument's value itself (a host pointer, or a number of at most 8 bytes in its low bytes), not where it lies.
 * Parsed modules are kept, so calling it again with the same text is cheap. An error is printed to standard error and
 * kept for warplens_last_error(). Threads may call it at the same time. */
WARPLENS_API void ptx_run(const char* ptx, int n_args, void** args, int block_x, int block_y, int block_z, int grid_x,
                          int grid_y, int grid_z, int shared_bytes);

#ifdef __cplusplus
}
#endif
#endif
