// elementwise.h - Preparing and launching kernels that compute element by
// element.
//
// A family says which kernel it wants and how its inputs are seen as the output
// (op/broadcast.h); the rest is here: whether several elements can be taken at
// once, and how many at most.
//
// Plans are immutable; they may run on several threads at once.
#ifndef BERTH_CUDA_OPS_ELEMENTWISE_H_
#define BERTH_CUDA_OPS_ELEMENTWISE_H_

#include "cuda/ops/elementwise_params.h"
#include "kernel/kernel.h"
#include "op/elementwise.h"

// Return the number of the kernel that computes |op| of one or of two inputs of
// |dtype|; -1 when memory is short or there is none for the type. The latter
// take a berth_walk_params_t.
int berth_unary_kernel(berth_unary_op_t op, berth_dtype_t dtype);
int berth_binary_kernel(berth_binary_op_t op, berth_dtype_t dtype);

// Prepares |kernel|, which takes a berth_unary_params_t, over |count| elements
// of type |input| in input 0, to as many of type |output|. A |kernel| below 0
// fails.
BERTH_NODISCARD berth_code_t berth_unary_prepare(berth_prepare_t *prepare,
                                                 int kernel,
                                                 const berth_unary_t *unary,
                                                 berth_error_t *err);

// Prepares |kernel|, which takes a berth_walk_params_t, over the first |count|
// inputs, which are seen as output 0 by |broadcast|; NULL: it has no elements.
// With |swap| the first two come the other way round. |parameter| is handed on.
//
// Fails with BERTH_UNIMPLEMENTED for more than BERTH_WALK_LEVELS levels.
BERTH_NODISCARD berth_code_t berth_walk_prepare_broadcast(
    berth_prepare_t *prepare, int kernel, const berth_broadcast_t *broadcast,
    int count, bool swap, double parameter, berth_error_t *err);

// The same over inputs as if they had the shapes |inputs|, which broadcast to
// that of output 0. Says what may be overwritten, too.
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
