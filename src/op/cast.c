// cast.c - Cast: elements of one type as those of another.
#include "op/elementwise.h"
#include "op/types.h"

#define WHOLE                                                          \
  (BERTH_TYPES_SIGNED | BERTH_TYPES_UNSIGNED | BERTH_TYPES_QUANTIZED | \
   BERTH_TYPES_INT4)
#define ANY                                                       \
  (BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED | BERTH_TYPES_INT4 | \
   BERTH_TYPES_FLOAT8)

// TensorFlow does not know all pairs of the smallest types.
static bool is_supported(berth_dtype_t from, berth_dtype_t to) {
  if (!berth_type_in(from, ANY)) return false;
  if (berth_type_in(from, BERTH_TYPES_INT4)) return berth_type_in(to, WHOLE);
  if (berth_type_in(to, BERTH_TYPES_INT4)) return berth_type_in(from, WHOLE);
  if (berth_type_in(to, BERTH_TYPES_FLOAT8)) {
    return berth_type_in(from, BERTH_TYPES_FLOATING | BERTH_TYPES_FLOAT8);
  }
  return berth_type_in(to, BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED);
}

// Returns how many digits after the binary point |to| keeps when it is cut off
// instead of rounded, or 0 when that means nothing for the pair.
static int32_t digits_of(berth_dtype_t from, berth_dtype_t to) {
  bool is_small = berth_type_in(from, BERTH_TYPE(HALF) | BERTH_TYPE(BFLOAT16));
  bool is_float =
      berth_type_in(from, BERTH_TYPE(FLOAT) | BERTH_TYPE(COMPLEX64));
  bool is_double =
      berth_type_in(from, BERTH_TYPE(DOUBLE) | BERTH_TYPE(COMPLEX128));
  switch (to) {
    case BERTH_FLOAT:
      return is_double ? 23 : 0;
    case BERTH_COMPLEX64:
      return from == BERTH_COMPLEX128 ? 23 : 0;
    case BERTH_HALF:
      return is_double || is_float ? 10 : 0;
    case BERTH_BFLOAT16:
      return from == BERTH_FLOAT ? 7 : 0;
    case BERTH_FLOAT8_E4M3FN:
      return is_double || is_float || is_small ? 3 : 0;
    case BERTH_FLOAT8_E5M2:
      return is_double || is_float || is_small || from == BERTH_FLOAT8_E4M3FN
                 ? 2
                 : 0;
    default:
      return 0;
  }
}

berth_code_t berth_op_cast(berth_case_t *op, berth_cast_t *out_cast,
                           berth_error_t *err) {
  berth_dtype_t from = op->inputs[0].dtype;
  berth_dtype_t to = berth_node_attr_type(op->node, "DstT", BERTH_INVALID);
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  *out_cast =
      (berth_cast_t){.from = from, .to = to, .count = op->inputs[0].count};
  if (from == to) {
    op->alias = 0;
    return BERTH_OK;
  }
  if (!is_supported(from, to)) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Cast %s to %s is not supported",
                           berth_dtype_name(from), berth_dtype_name(to));
  }
  bool cuts_off = berth_node_attr_bool(op->node, "Truncate", false);
  out_cast->digits = cuts_off ? digits_of(from, to) : 0;
  bool fits = berth_dtype_size(from) == berth_dtype_size(to);
  op->may_overwrite = fits ? 1 : 0;
  return BERTH_OK;
}
