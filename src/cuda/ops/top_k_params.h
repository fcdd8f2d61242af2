// top_k_params.h - What the kernels of TopKV2 are told.
//
// Where the first few are wanted a team picks them from its row. Otherwise each
// row becomes |width| entries, a power of two: a key and an index, which are
// sorted by a bitonic network. Entries beyond the row come last.
#ifndef BERTH_CUDA_OPS_TOP_K_PARAMS_H_
#define BERTH_CUDA_OPS_TOP_K_PARAMS_H_

#include <stdint.h>

// Entries of a row that a block sorts in shared memory.
#define BERTH_TOP_K_HELD 2048

typedef struct berth_top_k_params {
  const void *in;     // [rows, n]
  void *values;       // [rows, k]
  int32_t *indices;   // [rows, k]
  uint64_t *keys;     // [rows, width]
  uint32_t *entries;  // [rows, width]: where in the row.
  uint64_t rows, n, k, width;
  // The step of the network: runs of |run| entries are made, by comparing
  // entries that are |apart|.
  uint64_t run, apart;
  uint32_t team;  // That picks: BERTH_TEAM_*.
} berth_top_k_params_t;

#endif  // BERTH_CUDA_OPS_TOP_K_PARAMS_H_
