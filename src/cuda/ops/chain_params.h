// chain_params.h - What kernels of several functions at once are told.
#ifndef BERTH_CUDA_OPS_CHAIN_PARAMS_H_
#define BERTH_CUDA_OPS_CHAIN_PARAMS_H_

#include "cuda/math/divide.h"

#define BERTH_CHAIN_INPUTS 66  // A function of two in every step.
#define BERTH_CHAIN_STEPS 64

// Packs of 16 bytes that a thread takes at a time, and single elements where
// packs do not fit.
#define BERTH_CHAIN_PACKS 8
#define BERTH_CHAIN_SINGLES 4

// Where the other number of a function of two is.
#define BERTH_CHAIN_NONE 0  // It is a function of one.
#define BERTH_CHAIN_ONE 1   // A single element.
#define BERTH_CHAIN_ALL 2   // As many as there are results.
#define BERTH_CHAIN_ROW 3   // A row that is repeated.

typedef struct berth_chain_step {
  uint8_t code;   // berth_unary_op_t or berth_binary_op_t.
  uint8_t reach;  // BERTH_CHAIN_*.
  uint8_t input;  // Which input has the other number.
  uint8_t is_of;  // That one is the left one.
  float parameter;
} berth_chain_step_t;

// Each element of input |x| goes through all steps.
typedef struct berth_chain_params {
  void *out;
  const void *in[BERTH_CHAIN_INPUTS];
  uint64_t count;
  uint32_t granule;  // As that of a walk; includes where everything is.
  uint32_t x;
  uint32_t step_count;
  berth_divider_t row;  // How long rows are, where there are some.
  berth_chain_step_t steps[BERTH_CHAIN_STEPS + 1];  // One more may be read.
} berth_chain_params_t;

#endif  // BERTH_CUDA_OPS_CHAIN_PARAMS_H_
