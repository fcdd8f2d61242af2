// common.c - What many rules emit.
#include <string.h>

#include "grad/rules/words.inc"
#include "tensor/tensor.h"

static bool dims_are_known(berth_dims_t dims) {
  for (int i = 0; i < dims.rank; ++i) {
    if (dims.dims[i] < 0) return false;
  }
  return dims.rank >= 0;
}

value_t berth_emit_shape_as(berth_grad_t *g, value_t a, berth_dtype_t type) {
  berth_dims_t dims = berth_grad_shape(g, a);
  if (dims_are_known(dims)) {
    return berth_grad_ints(g, "Shape", type, dims.dims, dims.rank);
  }
  berth_grad_begin(g, "Shape", NULL);
  berth_op_attr_type(g->op, "out_type", type);
  return MAKE(g, a);
}

value_t berth_emit_shape(berth_grad_t *g, value_t a) {
  return berth_emit_shape_as(g, a, BERTH_INT32);
}

value_t berth_emit_conj(berth_grad_t *g, value_t a) {
  return is_complex(g, a) ? OP(g, "Conj", NULL, a) : a;
}

value_t berth_emit_cast(berth_grad_t *g, value_t a, berth_dtype_t type) {
  if (berth_grad_dtype(g, a) == type) return a;
  berth_grad_begin(g, "Cast", NULL);
  berth_op_attr_type(g->op, "DstT", type);
  return MAKE(g, a);
}

value_t berth_emit_zeros(berth_grad_t *g, const char *name, berth_dtype_t type,
                         berth_dims_t dims) {
  enum { MOST_CONSTANT = 1000 };  // TensorFlow's.
  int64_t count = 1;
  for (int i = 0; i < dims.rank; ++i) count *= dims.dims[i];
  if (count < MOST_CONSTANT && g->code == BERTH_OK) {
    berth_tensor_t *tensor = NULL;
    g->code = berth_tensor_create(type, dims, &tensor, g->err);
    if (g->code != BERTH_OK) return NONE;
    memset(berth_tensor_data(tensor), 0, berth_tensor_size(tensor));
    return berth_grad_constant(g, name, tensor);
  }
  berth_grad_push(g, name);
  value_t sizes =
      berth_grad_ints(g, "shape_as_tensor", BERTH_INT32, dims.dims, dims.rank);
  value_t zero = berth_grad_number(g, "Const", type, 0);
  value_t made = OP(g, "Fill", BERTH_SCOPE_NAME, sizes, zero);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_zeros_like(berth_grad_t *g, value_t a) {
  berth_dims_t dims = berth_grad_shape(g, a);
  if (g->to->is_eager || !dims_are_known(dims)) {
    return OP(g, "ZerosLike", "zeros_like", a);
  }
  return berth_emit_zeros(g, "zeros_like", berth_grad_dtype(g, a), dims);
}

value_t berth_emit_sum(berth_grad_t *g, value_t a, value_t axes,
                       bool keeps_dims) {
  berth_grad_begin(g, "Sum", NULL);
  berth_op_attr_bool(g->op, "keep_dims", keeps_dims);
  return MAKE(g, a, axes);
}

value_t berth_emit_expand(berth_grad_t *g, value_t a, int64_t axis) {
  berth_grad_push(g, "ExpandDims");
  value_t at = berth_grad_int(g, "dim", BERTH_INT32, axis);
  value_t made = OP(g, "ExpandDims", BERTH_SCOPE_NAME, a, at);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_transpose(berth_grad_t *g, value_t a, const int64_t *order,
                             int rank) {
  berth_grad_push(g, "transpose");
  value_t turn = berth_grad_ints(g, "perm", BERTH_INT32, order, rank);
  value_t made = OP(g, "Transpose", BERTH_SCOPE_NAME, a, turn);
  berth_grad_pop(g);
  return made;
}

value_t berth_emit_reshape(berth_grad_t *g, value_t a, const int64_t *sizes,
                           int rank) {
  berth_grad_push(g, "Reshape");
  value_t shape = berth_grad_ints(g, "shape", BERTH_INT32, sizes, rank);
  value_t made = OP(g, "Reshape", BERTH_SCOPE_NAME, a, shape);
  berth_grad_pop(g);
  return made;
}

// ---- Broadcasting ----

enum { MOST_AXES = 254 };

// How an input was broadcast: along which axes, if that is known.
typedef struct spread {
  value_t shape;
  value_t axes;  // Where they are not known: what finds them.
  int64_t known[MOST_AXES];
  int count;  // -1: not known.
  bool is_spread;
} spread_t;

static int64_t dim_at(berth_dims_t dims, int rank, int axis) {
  int at = axis - (rank - dims.rank);
  return at < 0 ? 1 : dims.dims[at];
}

// Finds the axes of both; false when that takes values.
static bool infer_axes(berth_dims_t a, berth_dims_t b, spread_t *x,
                       spread_t *y) {
  if (a.rank < 0 || b.rank < 0) return false;
  int rank = a.rank > b.rank ? a.rank : b.rank;
  x->count = y->count = 0;
  for (int axis = 0; axis < rank; ++axis) {
    int64_t p = dim_at(a, rank, axis), q = dim_at(b, rank, axis);
    if (p == 1 && q != 1) {
      x->known[x->count++] = axis;
    } else if (q == 1 && p != 1) {
      y->known[y->count++] = axis;
    } else if (p < 0 || q < 0) {
      return false;
    }
  }
  x->is_spread = x->count > 0 || a.rank < b.rank;
  y->is_spread = y->count > 0 || b.rank < a.rank;
  return true;
}

static value_t gathered(berth_grad_t *g, value_t slope,
                        const spread_t *spread) {
  if (!berth_out_is(slope) || !spread->is_spread) return slope;
  value_t axes = spread->axes;
  bool is_known = spread->count >= 0;
  if (is_known) {
    berth_grad_push(g, "Sum");
    axes = berth_grad_ints(g, "reduction_indices", BERTH_INT32, spread->known,
                           spread->count);
  }
  berth_grad_begin(g, "Sum", is_known ? BERTH_SCOPE_NAME : NULL);
  berth_op_attr_bool(g->op, "keep_dims", true);
  slope = MAKE(g, slope, axes);
  if (is_known) berth_grad_pop(g);
  return reshape(g, slope, spread->shape);
}

static bool same_dims(berth_dims_t a, berth_dims_t b) {
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; ++i) {
    if (a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

bool berth_same_shape(const berth_grad_t *g, value_t a, value_t b) {
  berth_dims_t p = berth_grad_shape(g, a), q = berth_grad_shape(g, b);
  return dims_are_known(p) && same_dims(p, q);
}

void berth_reduce_pair(berth_grad_t *g, value_t a, value_t b, value_t *da,
                       value_t *db) {
  if (!berth_out_is(*da) && !berth_out_is(*db)) return;
  if (g->to->is_eager && berth_same_shape(g, a, b)) return;
  berth_dims_t p = berth_grad_shape(g, a), q = berth_grad_shape(g, b);
  spread_t x, y;
  x.shape = berth_emit_shape(g, a);
  y.shape = berth_emit_shape(g, b);
  x.axes = y.axes = NONE;
  if (!infer_axes(p, q, &x, &y)) {
    x.axes = OP(g, "BroadcastGradientArgs", NULL, x.shape, y.shape);
    y.axes = berth_out_at(x.axes, 1);
    x.count = y.count = -1;
    x.is_spread = y.is_spread = true;
  }
  *da = gathered(g, *da, &x);
  *db = gathered(g, *db, &y);
}

void berth_give_pair(berth_grad_t *g, int i, value_t di, int j, value_t dj) {
  berth_reduce_pair(g, in(g, i), in(g, j), &di, &dj);
  give(g, i, di);
  give(g, j, dj);
}
