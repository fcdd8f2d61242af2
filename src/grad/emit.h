// emit.h - What many rules emit: several nodes, or one with attributes.
//
// Threads: as rule.h.
#ifndef BERTH_GRAD_EMIT_H_
#define BERTH_GRAD_EMIT_H_

#include "grad/rule.h"

// Return the shape of |a|: a constant where it is known.
berth_out_t berth_emit_shape(berth_grad_t *g, berth_out_t a);
berth_out_t berth_emit_shape_as(berth_grad_t *g, berth_out_t a,
                                berth_dtype_t type);

// Returns the conjugate of what is complex, |a| itself otherwise.
berth_out_t berth_emit_conj(berth_grad_t *g, berth_out_t a);

// Returns |a| as |type|, itself where it has that.
berth_out_t berth_emit_cast(berth_grad_t *g, berth_out_t a, berth_dtype_t type);

// Returns zeros of the shape and type of |a|: a constant where it is known and
// small.
berth_out_t berth_emit_zeros_like(berth_grad_t *g, berth_out_t a);

// Returns a sum.
berth_out_t berth_emit_sum(berth_grad_t *g, berth_out_t a, berth_out_t axes,
                           bool keeps_dims);

// Return elements of a vector, as TensorFlow's brackets do: one, and those
// before |end|, which counts from the end where it is negative.
berth_out_t berth_emit_element(berth_grad_t *g, berth_out_t a, int index);
berth_out_t berth_emit_head(berth_grad_t *g, berth_out_t a, int end);

// True when both are known to have one shape, all of it.
bool berth_same_shape(const berth_grad_t *g, berth_out_t a, berth_out_t b);

// Gives inputs |i| and |j|, of an op that broadcasts, slopes of the shape of
// its output.
void berth_give_pair(berth_grad_t *g, int i, berth_out_t di, int j,
                     berth_out_t dj);

#endif  // BERTH_GRAD_EMIT_H_
