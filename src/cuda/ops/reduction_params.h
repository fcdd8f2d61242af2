// reduction_params.h - What kernels that reduce are told.
//
// A value of the input is found from two indices, that of an output among the
// kept dimensions and that of a value among the folded ones:
//
//   in[offset(kept, output) + offset(folded, value)]
//
// The values of an output may be cut into chunks, each of which makes a result
// of its own; they lie as [chunk][output] and are reduced by another launch.
#ifndef BERTH_CUDA_OPS_REDUCTION_PARAMS_H_
#define BERTH_CUDA_OPS_REDUCTION_PARAMS_H_

#include <stdint.h>

// Kept and folded dimensions take turns, and each has two elements or more: so
// many of both would be more elements than there are addresses.
#define BERTH_REDUCTION_AXES 24

// Dimensions, slowest first, and how many elements apart neighbours are.
typedef struct berth_reduction_axes {
  uint64_t dims[BERTH_REDUCTION_AXES];
  uint64_t steps[BERTH_REDUCTION_AXES];
  uint32_t rank;
} berth_reduction_axes_t;

// What is stored for an output.
enum {
  BERTH_REDUCTION_RAW = 0,   // The accumulator.
  BERTH_REDUCTION_F16 = 1,   // A float accumulator, rounded.
  BERTH_REDUCTION_BF16 = 2,  // The same.
  BERTH_REDUCTION_I32 = 3,   // Where the value is, without the value.
  BERTH_REDUCTION_I64 = 4,   // The same.
};

typedef struct berth_reduction_params {
  const void *in;
  void *out;
  uint64_t outputs;
  uint64_t values;  // Of one output.
  uint64_t chunks;
  // Neighbours that make a chunk; 0: a chunk has every |chunks|-th value.
  uint64_t chunk_values;
  double divisor;      // Of sums that are means; else 1.
  uint32_t team;       // Who makes one result (team.h).
  uint32_t store;      // BERTH_REDUCTION_*.
  uint32_t has_lines;  // The fastest folded dimension is a line of neighbours.
  // A thread makes as many results as 16 bytes of the input have values: the
  // fastest kept dimension has neighbours and a multiple of that, and one
  // dimension is folded. |team| does not count.
  uint32_t is_wide;
  // Not 0: lines begin at multiples of 16 bytes and have as many, and so many
  // neighbours of a warp, a power of two, make one result. |team| does not count.
  uint32_t lanes;
  berth_reduction_axes_t kept, folded;
} berth_reduction_params_t;

#endif  // BERTH_CUDA_OPS_REDUCTION_PARAMS_H_
