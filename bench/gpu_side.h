// gpu_side.h - What the files of Berth's GPU side share.
#ifndef BERTH_BENCH_GPU_SIDE_H_
#define BERTH_BENCH_GPU_SIDE_H_

#include "side.h"

// ---- Runs of a session: gpu_calls.c ----

// |bench->arg| is a gpu_matmul_t.
typedef struct gpu_matmul {
  int dtype;  // A berth_dtype_t.
  int size;
  int count;  // Products one behind the other.
} gpu_matmul_t;
void *gpu_open_matmul(const side_bench_t *bench);

// A 2x3 by 3x2 matmul; |bench->arg| is a bool, whether it is fed.
void *gpu_open_small(const side_bench_t *bench);

// |bench->arg| is the number of additions, an int.
void *gpu_open_chain(const side_bench_t *bench);

bool gpu_call(void *state, long turn);
void gpu_close(void *state);

// ---- Memory, from the inside: gpu_memory.c ----

// Copies |bench->arg| bytes, a size_t, between pinned memory and the card.
void *gpu_open_copy_in(const side_bench_t *bench);
void *gpu_open_copy_out(const side_bench_t *bench);
bool gpu_call_copy(void *state, long turn);

// Takes |bench->arg| bytes, a size_t, from the pool and gives them back.
void *gpu_open_alloc(const side_bench_t *bench);
bool gpu_call_alloc(void *state, long turn);

void gpu_close_memory(void *state);

#endif  // BERTH_BENCH_GPU_SIDE_H_
