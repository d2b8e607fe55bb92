/* Emulates y = a*x + y on host arrays, then finds that one launch too many threads writes past the end. */
#include <stdio.h>
#include <stdlib.h>
#include <warplens.h>

static const char* kPtx =
    ".version 7.8\n.target sm_80\n.address_size 64\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a) {\n"
    "  .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .b64 %rd<8>;\n"
    "  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;\n"
    "  mul.wide.s32 %rd3, %r4, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    "  ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5]; fma.rn.f32 %f4, %f1, %f2, %f3; st.global.f32 [%rd5], %f4;\n"
    "  ret;\n}\n";

static void fail(const char* what) {
  fprintf(stderr, "%s: %s\n", what, warplens_last_error());
  exit(1);
}

static warplens_result* launch(warplens_module* module, float* x, float* y, uint32_t blocks, uint32_t checks) {
  float a = 2;
  void* args[] = {&x, &y, &a};
  warplens_launch_options options = {0};
  options.struct_size = sizeof options;
  options.grid[0] = blocks;
  options.block[0] = 128;
  options.args = args;
  options.arg_count = 3;
  options.checks = checks;
  warplens_result* result = warplens_launch(module, &options);
  if (result == NULL) fail("launch");
  return result;
}

int main(void) {
  enum { kCount = 512 };
  warplens_module* module = warplens_load_ptx(kPtx, "saxpy.ptx");
  if (module == NULL) fail("load");
  float* x = warplens_allocate(module, kCount * sizeof(float), "x");
  float* y = warplens_allocate(module, kCount * sizeof(float), "y");
  if (x == NULL || y == NULL) fail("allocate");
  for (int i = 0; i < kCount; ++i) x[i] = (float)i, y[i] = 1;

  warplens_result* good = launch(module, x, y, kCount / 128, 0);
  double instructions = 0;
  if (warplens_counter(good, "warp_instructions", &instructions) != 0) fail("counter");
  printf("y[3] = %g after %g warp instructions\n", y[3], instructions);
  warplens_result_free(good);

  warplens_result* bad = launch(module, x, y, kCount / 128 + 1, WARPLENS_CHECK_MEMORY);
  for (size_t i = 0; i < warplens_report_count(bad); ++i) printf("%s\n", warplens_report_text(bad, i));
  warplens_result_free(bad);
  warplens_module_free(module);
  return 0;
}
