// nccl.h - What a collective computes.
//
// Pure functions over memory; who waits for whom is the business of nccl.c.
#ifndef BERTH_SOFTGPU_NCCL_H_
#define BERTH_SOFTGPU_NCCL_H_

#include <stdint.h>

#include "cuda/api/nccl.h"

typedef enum berth_soft_collective_kind {
  BERTH_SOFT_ALL_REDUCE,
  BERTH_SOFT_BROADCAST,
  BERTH_SOFT_ALL_GATHER
} berth_soft_collective_kind_t;

typedef struct berth_soft_collective {
  berth_soft_collective_kind_t kind;
  ncclDataType_t type;
  ncclRedOp_t op;
  int root;
  int ranks;
  size_t count;          // Elements that a rank gives.
  const void *from[64];  // By rank.
  void *to[64];
} berth_soft_collective_t;

// Returns the size of an element of |type|.
size_t berth_soft_nccl_size(ncclDataType_t type);

// Returns the bytes that each rank gets.
size_t berth_soft_collective_size(const berth_soft_collective_t *what);

// Writes what each rank gets to |result|.
void berth_soft_collective_run(const berth_soft_collective_t *what,
                               void *result);

#endif  // BERTH_SOFTGPU_NCCL_H_
