// sizes.h - What rules compute of shapes: parts of them, sums, vectors put
// together.
//
// An extent is a value, or numbers that stand in the formula themselves and become
// a constant under the name that TensorFlow gives it there. Where ops run at
// once everything is known, and nothing but the result is made.
//
// Threads: as rule.h.
#ifndef BERTH_GRAD_SIZES_H_
#define BERTH_GRAD_SIZES_H_

#include "grad/rule.h"

typedef struct berth_extent {
  berth_out_t value;       // No node: |numbers|.
  const int64_t *numbers;  // Borrowed.
  int count;
  bool is_single;  // The value is a scalar and stands for a vector of it.
} berth_extent_t;

#define BERTH_EXTENT(of) ((berth_extent_t){.value = (of)})
#define BERTH_EXTENT_SINGLE(of) \
  ((berth_extent_t){.value = (of), .is_single = true})
#define BERTH_EXTENT_NUMBERS(...)                              \
  ((berth_extent_t){.value = BERTH_NO_OUT,                     \
                    .numbers = (const int64_t[]){__VA_ARGS__}, \
                    .count = (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8)})

// The end of a vector, for berth_emit_part().
enum { BERTH_TO_END = INT32_MAX };

// Return the rank and the number of elements of |a|, as int32 scalars.
berth_out_t berth_emit_rank(berth_grad_t *g, berth_out_t a);
berth_out_t berth_emit_size(berth_grad_t *g, berth_out_t a);

// Returns v[from:to], which begins at the first where |from| is 0, and v[at].
berth_out_t berth_emit_part(berth_grad_t *g, berth_out_t v, int64_t from,
                            int64_t to);
berth_out_t berth_emit_item(berth_grad_t *g, berth_out_t v, int64_t at);

// Returns v[:to], v[from:] and v[at] where the place is a scalar.
berth_out_t berth_emit_part_to(berth_grad_t *g, berth_out_t v, berth_out_t to);
berth_out_t berth_emit_part_from(berth_grad_t *g, berth_out_t v,
                                 berth_out_t from);
berth_out_t berth_emit_item_at(berth_grad_t *g, berth_out_t v, berth_out_t at);

// Puts vectors one after the other.
berth_out_t berth_emit_join(berth_grad_t *g, const berth_extent_t *parts,
                            int count);
// Makes a vector of scalars, under the name |name|.
berth_out_t berth_emit_stack(berth_grad_t *g, const char *name,
                             berth_dtype_t type, const berth_extent_t *parts,
                             int count);

// Return a op b of whole numbers, which broadcast.
berth_out_t berth_emit_minus(berth_grad_t *g, berth_out_t a, berth_out_t b);
berth_out_t berth_emit_times(berth_grad_t *g, berth_out_t a, berth_out_t b);
berth_out_t berth_emit_modulo(berth_grad_t *g, berth_out_t a, berth_out_t b);
// The same, and a sum, with a number.
berth_out_t berth_emit_plus_number(berth_grad_t *g, berth_out_t a, int64_t b);
berth_out_t berth_emit_minus_number(berth_grad_t *g, berth_out_t a, int64_t b);

// Returns from, from + step … below |to|; each a scalar of |type|.
berth_out_t berth_emit_range(berth_grad_t *g, berth_dtype_t type,
                             berth_extent_t from, berth_extent_t to,
                             berth_extent_t step);

// Returns the product of all numbers of a vector.
berth_out_t berth_emit_product(berth_grad_t *g, berth_out_t v);

#endif  // BERTH_GRAD_SIZES_H_
