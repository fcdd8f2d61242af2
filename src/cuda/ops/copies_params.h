// copies_params.h - What the kernel of copies.cu is told.
#ifndef BERTH_CUDA_OPS_COPIES_PARAMS_H_
#define BERTH_CUDA_OPS_COPIES_PARAMS_H_

#include <stdint.h>

#define BERTH_COPIES_MOST 32

// One copy. Where both addresses are multiples of 16, all but the last bytes go
// sixteen at a time.
typedef struct berth_copies_one {
  uint8_t *to;
  const uint8_t *from;
  uint64_t size;
} berth_copies_one_t;

typedef struct berth_copies_params {
  berth_copies_one_t at[BERTH_COPIES_MOST];
  uint64_t count;
} berth_copies_params_t;

#endif  // BERTH_CUDA_OPS_COPIES_PARAMS_H_
