// fill.c - Values that are one number everywhere.
#include "grad/rules/words.inc"

value_t berth_emit_filled(berth_grad_t *g, const char *name, value_t sizes,
                          berth_dtype_t type, double value) {
  berth_grad_push(g, name);
  if (berth_grad_rank(g, sizes) < 1) {
    int64_t all = -1;
    berth_grad_push(g, "Reshape");
    value_t flat = berth_grad_ints(g, "shape", BERTH_INT32, &all, 1);
    sizes = OP(g, "Reshape", BERTH_SCOPE_NAME, sizes, flat);
    berth_grad_pop(g);
  }
  value_t one = berth_grad_number(g, "Const", type, value);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, one);
  berth_grad_pop(g);
  return made;
}

// Returns the shape of |a| as TensorFlow's ones_like makes it.
static value_t own_sizes(berth_grad_t *g, value_t a) {
  berth_dims_t dims = berth_grad_shape(g, a);
  bool is_known = dims.rank >= 0;
  for (int i = 0; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
  if (!is_known) return berth_emit_shape(g, a);
  berth_grad_push(g, "Shape");
  value_t made =
      berth_grad_ints(g, "shape_as_tensor", BERTH_INT32, dims.dims, dims.rank);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_ones_like_as(berth_grad_t *g, value_t a,
                                berth_dtype_t type) {
  berth_grad_push(g, "ones_like");
  value_t sizes = own_sizes(g, a);
  value_t one = berth_grad_number(g, "Const", type, 1);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, one);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_ones_like(berth_grad_t *g, value_t a) {
  return berth_emit_ones_like_as(g, a, berth_grad_dtype(g, a));
}
