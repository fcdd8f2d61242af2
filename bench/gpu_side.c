// gpu_side.c - Berth's side of the rows that need a GPU.
//
//   gpu_side          answers requests, see side.h
//   gpu_side first    multiplies two small matrices on the GPU and prints the
//                     seconds since it began, then the first element
#include "gpu_side.h"

#include <berth/berth.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TERAFLOPS(size, count) \
  (2e-12 * (double)(size) * (double)(size) * (double)(size) * (count))
#define MATMUL(name, arg)                                                      \
  {                                                                            \
    name, "TFLOP/s", TERAFLOPS(8192, 8), gpu_open_matmul, gpu_call, gpu_close, \
        &(arg)                                                                 \
  }

static const gpu_matmul_t matmul_bf16 = {BERTH_BFLOAT16, 8192, 8};
static const gpu_matmul_t matmul_f32 = {BERTH_FLOAT, 8192, 8};
static const bool is_fed = true, is_not_fed = false;
static const int chain_length = 1000;
static const size_t copy_bytes = (size_t)1 << 28, alloc_bytes = 1 << 20;

static const side_bench_t benches[] = {
    MATMUL("gpu_matmul_8192_bf16", matmul_bf16),
    // The driver of the rows says, for a whole process, what float32 is.
    MATMUL("gpu_matmul_8192_tf32", matmul_f32),
    MATMUL("gpu_matmul_8192_fp32", matmul_f32),
    {"gpu_small_matmul_fed", "us", 1, gpu_open_small, gpu_call, gpu_close,
     &is_fed},
    {"gpu_small_matmul", "us", 1, gpu_open_small, gpu_call, gpu_close,
     &is_not_fed},
    {"gpu_chain_1000", "us", 1000, gpu_open_chain, gpu_call, gpu_close,
     &chain_length},
    {"gpu_copy_in", "GB/s", 0.268435456, gpu_open_copy_in, gpu_call_copy,
     gpu_close_memory, &copy_bytes},
    {"gpu_copy_out", "GB/s", 0.268435456, gpu_open_copy_out, gpu_call_copy,
     gpu_close_memory, &copy_bytes},
    {"gpu_alloc_1mib", "ns", 1, gpu_open_alloc, gpu_call_alloc,
     gpu_close_memory, &alloc_bytes},
};

enum { BENCH_COUNT = sizeof(benches) / sizeof(benches[0]) };

static int use_first(double start) {
  side_bench_t bench = {.name = "first", .arg = &is_not_fed};
  void *state = gpu_open_small(&bench);
  bool is_right = state != NULL && gpu_call(state, 0);
  if (is_right) printf("%.9g 22\n", side_now() - start);
  if (state != NULL) gpu_close(state);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  double start = side_now();
  if (argc == 2 && strcmp(argv[1], "first") == 0) return use_first(start);
  if (argc == 1) return side_serve(benches, BENCH_COUNT);
  fprintf(stderr, "usage: gpu_side [first]\n");
  return EXIT_FAILURE;
}
