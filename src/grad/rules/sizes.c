// sizes.c - What rules compute of shapes.
#include "grad/sizes.h"

#include <stdio.h>

#include "grad/rules/words.inc"

enum { MOST = 256 };  // Numbers of a shape, and of what is made of shapes.

// Reads |value| where nothing but the result is made of it. Returns how many
// numbers there are, or -1.
static int folded(const berth_grad_t *g, value_t value, int64_t *out) {
  return g->to->is_eager ? berth_grad_numbers(g, value, out, MOST) : -1;
}

static bool is_scalar(const berth_grad_t *g, value_t value) {
  return berth_grad_rank(g, value) == 0;
}

value_t berth_emit_rank(berth_grad_t *g, value_t a) {
  int rank = berth_grad_rank(g, a);
  if (rank >= 0) return berth_grad_int(g, "Rank", BERTH_INT32, rank);
  return OP(g, "Rank", NULL, a);
}

value_t berth_emit_size(berth_grad_t *g, value_t a) {
  berth_dims_t dims = berth_grad_shape(g, a);
  int64_t count = 1;
  for (int i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) dims.rank = -1;
    if (dims.rank >= 0) count *= dims.dims[i];
  }
  if (dims.rank >= 0) return berth_grad_int(g, "Size", BERTH_INT32, count);
  return OP(g, "Size", NULL, a);
}

// ---- Parts ----

static value_t sliced(berth_grad_t *g, value_t v, int64_t from, int64_t to,
                      bool is_item) {
  int64_t end = to == BERTH_TO_END ? 0 : to, step = 1;
  berth_grad_push(g, "strided_slice");
  value_t a = berth_grad_ints(g, "stack", BERTH_INT32, &from, 1);
  value_t b = berth_grad_ints(g, "stack_1", BERTH_INT32, &end, 1);
  value_t c = berth_grad_ints(g, "stack_2", BERTH_INT32, &step, 1);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "begin_mask", from == 0 && !is_item);
  berth_op_attr_int(g->op, "end_mask", to == BERTH_TO_END);
  berth_op_attr_int(g->op, "shrink_axis_mask", is_item);
  value_t made = MAKE(g, v, a, b, c);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_part(berth_grad_t *g, value_t v, int64_t from, int64_t to) {
  int64_t numbers[MOST];
  int count = folded(g, v, numbers);
  if (count < 0) return sliced(g, v, from, to, false);
  int64_t first = from < 0 ? from + count : from;
  int64_t last = to < 0 ? to + count : to;
  if (first < 0) first = 0;
  if (last > count) last = count;
  if (last < first) last = first;
  return berth_grad_ints(g, NULL, berth_grad_dtype(g, v), numbers + first,
                         (int)(last - first));
}

value_t berth_emit_item(berth_grad_t *g, value_t v, int64_t at) {
  int64_t numbers[MOST];
  int count = folded(g, v, numbers);
  int64_t index = at < 0 ? at + count : at;
  if (count < 0 || index < 0 || index >= count) {
    return sliced(g, v, at, at + 1, true);
  }
  return berth_grad_int(g, NULL, berth_grad_dtype(g, v), numbers[index]);
}

// Makes a vector of one scalar.
static value_t single(berth_grad_t *g, const char *name, value_t a) {
  int count = 1;
  berth_grad_begin(g, "Pack", name);
  return berth_grad_make_lists(g, &a, &count, 1);
}

// Slices by scalars; without |from| or |to| from the first or to the last.
static value_t sliced_by(berth_grad_t *g, value_t v, value_t from, value_t to) {
  bool has_from = berth_out_is(from), has_to = berth_out_is(to);
  berth_dtype_t type = berth_grad_dtype(g, has_from ? from : to);
  if (!has_from) from = berth_grad_int(g, "Const", type, 0);
  if (!has_to) to = berth_grad_int(g, "Const", type, 0);
  value_t step = berth_grad_int(g, "Const", type, 1);
  berth_grad_push(g, "strided_slice");
  value_t a = single(g, "stack", from);
  value_t b = single(g, "stack_1", to);
  value_t c = single(g, "stack_2", step);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "begin_mask", !has_from);
  berth_op_attr_int(g->op, "end_mask", !has_to);
  value_t made = MAKE(g, v, a, b, c);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_part_to(berth_grad_t *g, value_t v, value_t to) {
  int64_t at[MOST];
  if (folded(g, to, at) == 1) return berth_emit_part(g, v, 0, at[0]);
  return sliced_by(g, v, NONE, to);
}

value_t berth_emit_part_from(berth_grad_t *g, value_t v, value_t from) {
  int64_t at[MOST];
  if (folded(g, from, at) == 1)
    return berth_emit_part(g, v, at[0], BERTH_TO_END);
  return sliced_by(g, v, from, NONE);
}

value_t berth_emit_item_at(berth_grad_t *g, value_t v, value_t at) {
  int64_t known[MOST];
  if (folded(g, at, known) == 1) return berth_emit_item(g, v, known[0]);
  value_t next = berth_emit_plus_number(g, at, 1);
  berth_grad_push(g, "strided_slice");
  value_t a = single(g, "stack", at);
  value_t b = single(g, "stack_1", next);
  int64_t one = 1;
  value_t c = berth_grad_ints(g, "stack_2", berth_grad_dtype(g, at), &one, 1);
  berth_grad_begin(g, "StridedSlice", BERTH_SCOPE_NAME);
  berth_op_attr_int(g->op, "shrink_axis_mask", 1);
  value_t made = MAKE(g, v, a, b, c);
  berth_grad_pop(g);
  return made;
}

// ---- Together ----

// Reads all parts, one after the other; -1 where one is not known.
static int folded_parts(const berth_grad_t *g, const berth_extent_t *parts,
                        int count, int64_t *out) {
  if (!g->to->is_eager) return -1;
  int total = 0;
  for (int i = 0; i < count; ++i) {
    int here = parts[i].count;
    if (berth_out_is(parts[i].value)) {
      here = berth_grad_numbers(g, parts[i].value, out + total, MOST - total);
    } else if (here <= MOST - total) {
      for (int j = 0; j < here; ++j) out[total + j] = parts[i].numbers[j];
    } else {
      here = -1;
    }
    if (here < 0) return -1;
    total += here;
  }
  return total;
}

// Returns the type of the values among |parts|.
static berth_dtype_t type_of(const berth_grad_t *g, const berth_extent_t *parts,
                             int count) {
  for (int i = 0; i < count; ++i) {
    if (berth_out_is(parts[i].value)) {
      return berth_grad_dtype(g, parts[i].value);
    }
  }
  return BERTH_INT32;
}

value_t berth_emit_join(berth_grad_t *g, const berth_extent_t *parts,
                        int count) {
  enum { MOST_PARTS = 8 };
  int64_t numbers[MOST];
  value_t values[MOST_PARTS + 1];
  berth_dtype_t type = type_of(g, parts, count);
  int total = folded_parts(g, parts, count, numbers);
  if (total >= 0) return berth_grad_ints(g, NULL, type, numbers, total);
  berth_grad_push(g, "concat");
  for (int i = 0; i < count; ++i) {
    char name[24];
    snprintf(name, sizeof(name), "values_%d", i);
    values[i] = parts[i].value;
    if (!berth_out_is(parts[i].value)) {
      values[i] =
          berth_grad_ints(g, name, type, parts[i].numbers, parts[i].count);
    } else if (parts[i].is_single) {
      values[i] = single(g, name, parts[i].value);
    }
  }
  values[count] = berth_grad_int(g, "axis", BERTH_INT32, 0);
  berth_grad_begin(g, "ConcatV2", BERTH_SCOPE_NAME);
  value_t made = berth_grad_make_lists(g, values, (int[]){count, -1}, 2);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_stack(berth_grad_t *g, const char *name, berth_dtype_t type,
                         const berth_extent_t *parts, int count) {
  int64_t numbers[MOST];
  value_t values[MOST];
  int total = folded_parts(g, parts, count, numbers);
  if (total >= 0) return berth_grad_ints(g, NULL, type, numbers, total);
  berth_grad_push(g, name);
  for (int i = 0; i < count; ++i) {
    char at[16];
    snprintf(at, sizeof(at), "%d", i);
    values[i] = berth_out_is(parts[i].value)
                    ? parts[i].value
                    : berth_grad_int(g, at, type, parts[i].numbers[0]);
  }
  berth_grad_begin(g, "Pack", BERTH_SCOPE_NAME);
  value_t made = berth_grad_make_lists(g, values, &count, 1);
  berth_grad_pop(g);
  return made;
}

// ---- Arithmetic ----

static int64_t compute(char sign, int64_t a, int64_t b) {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    default:
      return b == 0 ? 0 : ((a % b) + b) % b;
  }
}

// Computes a op b where both are known and of one length, or scalars.
static value_t fold(berth_grad_t *g, char sign, value_t a, value_t b) {
  int64_t p[MOST], q[MOST];
  int m = folded(g, a, p), n = folded(g, b, q);
  if (m < 0 || n < 0 || (m != n && m != 1 && n != 1)) return NONE;
  int count = m == 0 || n == 0 ? 0 : m > n ? m : n;
  int64_t result[MOST];
  for (int i = 0; i < count; ++i) {
    result[i] = compute(sign, p[m == 1 ? 0 : i], q[n == 1 ? 0 : i]);
  }
  berth_dtype_t type = berth_grad_dtype(g, a);
  if (is_scalar(g, a) && is_scalar(g, b)) {
    return berth_grad_int(g, NULL, type, result[0]);
  }
  return berth_grad_ints(g, NULL, type, result, count);
}

static value_t computed(berth_grad_t *g, char sign, const char *op,
                        const char *name, value_t a, value_t b) {
  value_t known = fold(g, sign, a, b);
  return berth_out_is(known) ? known : OP(g, op, name, a, b);
}

value_t berth_emit_minus(berth_grad_t *g, value_t a, value_t b) {
  return computed(g, '-', "Sub", "sub", a, b);
}

value_t berth_emit_times(berth_grad_t *g, value_t a, value_t b) {
  return computed(g, '*', "Mul", "mul", a, b);
}

value_t berth_emit_modulo(berth_grad_t *g, value_t a, value_t b) {
  return computed(g, '%', "FloorMod", "mod", a, b);
}

static value_t with_number(berth_grad_t *g, char sign, const char *op,
                           const char *name, value_t a, int64_t b) {
  berth_grad_push(g, name);
  value_t y = berth_grad_int(g, "y", berth_grad_dtype(g, a), b);
  value_t made = computed(g, sign, op, BERTH_SCOPE_NAME, a, y);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_plus_number(berth_grad_t *g, value_t a, int64_t b) {
  return with_number(g, '+', "AddV2", "add", a, b);
}

value_t berth_emit_minus_number(berth_grad_t *g, value_t a, int64_t b) {
  return with_number(g, '-', "Sub", "sub", a, b);
}

// ---- Ranges and products ----

static value_t bound(berth_grad_t *g, const char *name, berth_dtype_t type,
                     berth_extent_t part) {
  if (berth_out_is(part.value)) return part.value;
  return berth_grad_int(g, name, type, part.numbers[0]);
}

value_t berth_emit_range(berth_grad_t *g, berth_dtype_t type,
                         berth_extent_t from, berth_extent_t to,
                         berth_extent_t step) {
  berth_grad_push(g, "range");
  value_t a = bound(g, "start", type, from);
  value_t b = bound(g, "limit", type, to);
  value_t c = bound(g, "delta", type, step);
  value_t made = OP(g, "Range", BERTH_SCOPE_NAME, a, b, c);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_product(berth_grad_t *g, value_t v) {
  int64_t numbers[MOST], product = 1;
  int count = folded(g, v, numbers);
  for (int i = 0; i < count; ++i) product *= numbers[i];
  if (count >= 0) {
    return berth_grad_int(g, NULL, berth_grad_dtype(g, v), product);
  }
  int64_t axis = 0;
  value_t axes = berth_grad_ints(g, "Const", BERTH_INT32, &axis, 1);
  return OP(g, "Prod", NULL, v, axes);
}
