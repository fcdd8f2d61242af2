// elementwise.h - Preparing and launching kernels that compute element by
// element.
//
// A family says which kernel it wants and what shapes its inputs have; the rest
// is here: how dimensions collapse, whether several elements can be taken at
// once, which inputs the output may replace.
//
// Plans are immutable; they may run on several threads at once.
#ifndef BERTH_CUDA_OPS_ELEMENTWISE_H_
#define BERTH_CUDA_OPS_ELEMENTWISE_H_

#include "cuda/ops/elementwise_params.h"
#include "kernel/kernel.h"

// Return the number of the kernel that computes |what| ("neg", "add") of one or
// of two inputs of |dtype|; -1 when memory is short or there is none for the
// type. The latter take a berth_walk_params_t.
int berth_unary_kernel(const char *what, berth_dtype_t dtype);
int berth_binary_kernel(const char *what, berth_dtype_t dtype);

// Prepares |kernel|, which takes a berth_unary_params_t, over input 0; output
// 0, of type |output|, has its shape. A |kernel| below 0 fails.
BERTH_NODISCARD berth_code_t berth_unary_prepare(berth_prepare_t *prepare,
                                                 int kernel,
                                                 berth_dtype_t output,
                                                 double parameter,
                                                 berth_error_t *err);

// Prepares |kernel|, which takes a berth_walk_params_t, over the first |count|
// inputs as if they had the shapes |inputs|, which broadcast to that of output
// 0. With |swap| the first two come the other way round.
//
// Fails with BERTH_UNIMPLEMENTED when more than BERTH_WALK_LEVELS dimensions
// are left after collapsing.
BERTH_NODISCARD berth_code_t berth_walk_prepare(berth_prepare_t *prepare,
                                                int kernel,
                                                const berth_dims_t *inputs,
                                                int count, bool swap,
                                                berth_error_t *err);

// Stores in |*part| the part number |index| of |walk|, of fewer than |limit|
// elements unless it has one level alone; in |*out_at| where it begins in the
// output, and in |at| where in each of |count| inputs. False when there are not
// so many parts. The granule is that of |walk|, and may be too large.
bool berth_walk_part(const berth_walk_t *walk, int count, uint64_t limit,
                     uint64_t index, berth_walk_t *part, uint64_t *out_at,
                     int64_t *at);

// Returns how many elements of |size| bytes, at most |granule|, an address that
// is aligned like |address| can be read as a whole at.
uint32_t berth_granule_at(uint32_t granule, const void *address, size_t size);

#endif  // BERTH_CUDA_OPS_ELEMENTWISE_H_
