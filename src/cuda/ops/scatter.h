// scatter.h - Queueing work at places that are given as indices.
//
// Plans are immutable; they may be used by several threads at once.
#ifndef BERTH_CUDA_OPS_SCATTER_H_
#define BERTH_CUDA_OPS_SCATTER_H_

#include "kernel/kernel.h"
#include "op/index.h"

// Units of 1 to 16 bytes.
enum { BERTH_SCATTER_UNITS = 5 };

// Which kernels do it: one for each size of units where slices are only moved,
// else the first.
typedef struct berth_scattering {
  berth_combine_t combine;
  bool is_ordered;  // Values are joined in the order of the places.
  int kernels[BERTH_SCATTER_UNITS];
} berth_scattering_t;

// Finds the kernels that join slices of |dtype| with what is at their places.
// Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_scattering_find(berth_combine_t combine,
                                                   berth_dtype_t dtype,
                                                   berth_scattering_t *out,
                                                   berth_error_t *err);

// Finds the kernels that read slices instead: berth_scattering_queue() copies
// those of |from| at the places to |to|, one behind the other; those outside
// are zeros.
BERTH_NODISCARD berth_code_t berth_gathering_find(berth_scattering_t *out,
                                                  berth_error_t *err);

// Queues what joins the slices of |from|, or its one element, with those of
// |to| at |places|; all addresses are of the card. Places outside are left out.
BERTH_NODISCARD berth_code_t berth_scattering_queue(
    const berth_scattering_t *scattering, const berth_places_t *places,
    bool is_one, void *to, const void *from, const void *indices,
    berth_call_t *call);

#endif  // BERTH_CUDA_OPS_SCATTER_H_
