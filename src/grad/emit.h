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

// Returns zeros of a known shape, a constant where they are few, and of the
// shape and type of |a|.
berth_out_t berth_emit_zeros(berth_grad_t *g, const char *name,
                             berth_dtype_t type, berth_dims_t dims);
berth_out_t berth_emit_zeros_like(berth_grad_t *g, berth_out_t a);

// Return ones in the shape of |a|, of its type or of |type|.
berth_out_t berth_emit_ones_like(berth_grad_t *g, berth_out_t a);
berth_out_t berth_emit_ones_like_as(berth_grad_t *g, berth_out_t a,
                                    berth_dtype_t type);

// Returns |value| in the shape |sizes|, in a scope called |name|.
berth_out_t berth_emit_filled(berth_grad_t *g, const char *name,
                              berth_out_t sizes, berth_dtype_t type,
                              double value);

// Returns a sum.
berth_out_t berth_emit_sum(berth_grad_t *g, berth_out_t a, berth_out_t axes,
                           bool keeps_dims);

// Returns 0, 1 … below |limit|, a scalar.
berth_out_t berth_emit_range_to(berth_grad_t *g, berth_out_t limit);

// A shape: numbers where they are known, a value otherwise.
enum { BERTH_GRAD_AXES = 254 };
typedef struct berth_sizes {
  berth_out_t value;
  int64_t dims[BERTH_GRAD_AXES];
  int rank;  // -1: see |value|.
} berth_sizes_t;

// Stores |whole|, a shape, with ones at |axes|; and gives |a| a shape.
void berth_emit_reduced(berth_grad_t *g, berth_out_t whole, berth_out_t axes,
                        berth_sizes_t *out);
berth_out_t berth_emit_reshaped(berth_grad_t *g, berth_out_t a,
                                const berth_sizes_t *sizes);

// Return rows |ids| of |rows|; |a| and after it |b|; the product of all of |a|,
// which has at most one axis.
berth_out_t berth_emit_gather(berth_grad_t *g, berth_out_t rows,
                              berth_out_t ids);
berth_out_t berth_emit_concat(berth_grad_t *g, berth_out_t a, berth_out_t b);
berth_out_t berth_emit_prod(berth_grad_t *g, berth_out_t a);

// Return |a| with an axis of 1 at |axis|; with its axes in another order; and in
// a shape of numbers, one of which may be -1.
berth_out_t berth_emit_expand(berth_grad_t *g, berth_out_t a, int64_t axis);
berth_out_t berth_emit_transpose(berth_grad_t *g, berth_out_t a,
                                 const int64_t *order, int rank);
berth_out_t berth_emit_reshape(berth_grad_t *g, berth_out_t a,
                               const int64_t *sizes, int rank);

// True when both are known to have one shape, all of it.
bool berth_same_shape(const berth_grad_t *g, berth_out_t a, berth_out_t b);

// Sums slopes of the shape that |a| and |b| broadcast to down to theirs; either
// may be none.
void berth_reduce_pair(berth_grad_t *g, berth_out_t a, berth_out_t b,
                       berth_out_t *da, berth_out_t *db);

// Gives inputs |i| and |j|, of an op that broadcasts, slopes of the shape of
// its output.
void berth_give_pair(berth_grad_t *g, int i, berth_out_t di, int j,
                     berth_out_t dj);

#endif  // BERTH_GRAD_EMIT_H_
