// list.c - Lists of tensors (variants): their slopes are lists.
#include "grad/rules/words.inc"

static value_t shape_of_elements(berth_grad_t *g, value_t list) {
  berth_grad_begin(g, "TensorListElementShape", NULL);
  if (g->code == BERTH_OK) {
    berth_op_attr_type(g->op, "shape_type", BERTH_INT32);
  }
  return MAKE(g, list);
}

static value_t length(berth_grad_t *g, value_t list) {
  return OP(g, "TensorListLength", NULL, list);
}

// Returns the sizes of |value| but for the first.
static value_t row_shape(berth_grad_t *g, value_t value) {
  berth_dims_t dims = berth_grad_shape(g, value);
  bool is_known = dims.rank > 0;
  for (int i = 1; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
  if (is_known) {
    return berth_grad_ints(g, "element_shape", BERTH_INT32, dims.dims + 1,
                           dims.rank - 1);
  }
  int64_t edges[] = {1, 0};
  value_t sizes = OP(g, "Shape", NULL, value);
  value_t one = berth_grad_ints(g, NULL, BERTH_INT32, edges, 1);
  value_t zero = berth_grad_ints(g, NULL, BERTH_INT32, edges + 1, 1);
  berth_grad_begin(g, "StridedSlice", "strided_slice");
  if (g->code == BERTH_OK) berth_op_attr_int(g->op, "end_mask", 1);
  return MAKE(g, sizes, one, zero, one);
}

// Begins an op with the type of elements.
static void begin(berth_grad_t *g, const char *op, berth_dtype_t type) {
  berth_grad_begin(g, op, NULL);
  if (g->code == BERTH_OK) berth_op_attr_type(g->op, "element_dtype", type);
}

// Makes a list like |list| in which nothing is.
static value_t reserve(berth_grad_t *g, value_t list, berth_dtype_t type) {
  value_t sizes = shape_of_elements(g, list);
  value_t count = length(g, list);
  begin(g, "TensorListReserve", type);
  return MAKE(g, sizes, count);
}

BERTH_GRAD(list_push) {
  value_t item = in(g, 1);
  value_t sizes = berth_emit_shape(g, item);
  begin(g, "TensorListPopBack", berth_grad_dtype(g, item));
  value_t both = MAKE(g, dy(g, 0), sizes);
  give(g, 0, both);
  give(g, 1, berth_out_at(both, 1));
}

BERTH_GRAD(list_pop) {
  value_t list = dy(g, 0), item = dy(g, 1);
  berth_dtype_t type = berth_grad_dtype(g, out(g, 1));
  if (!berth_out_is(list)) {
    value_t sizes = shape_of_elements(g, out(g, 0));
    value_t most = berth_grad_int(g, NULL, BERTH_INT32, -1);
    begin(g, "EmptyTensorList", type);
    list = MAKE(g, sizes, most);
  }
  if (!berth_out_is(item)) item = zeros_like(g, out(g, 1));
  begin(g, "TensorListPushBack", type);
  give(g, 0, MAKE(g, list, item));
}

BERTH_GRAD(list_stack) {
  value_t d = dy(g, 0);
  value_t sizes = row_shape(g, d);
  begin(g, "TensorListFromTensor", berth_grad_dtype(g, d));
  give(g, 0, MAKE(g, d, sizes));
}

BERTH_GRAD(list_from_tensor) {
  value_t value = in(g, 0), d = dy(g, 0);
  berth_dims_t dims = berth_grad_shape(g, value);
  value_t sizes = row_shape(g, value);
  begin(g, "TensorListStack", berth_grad_dtype(g, value));
  if (g->code == BERTH_OK && dims.rank > 0 && dims.dims[0] >= 0) {
    berth_op_attr_int(g->op, "num_elements", dims.dims[0]);
  }
  give(g, 0, MAKE(g, d, sizes));
}

BERTH_GRAD(list_get) {
  value_t d = dy(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, d);
  value_t list = reserve(g, in(g, 0), type);
  begin(g, "TensorListSetItem", type);
  give(g, 0, MAKE(g, list, in(g, 1), d));
}

BERTH_GRAD(list_set) {
  value_t d = dy(g, 0), item = in(g, 2);
  berth_dtype_t type = berth_grad_dtype(g, item);
  value_t zeros = zeros_like(g, item);
  begin(g, "TensorListSetItem", type);
  give(g, 0, MAKE(g, d, in(g, 1), zeros));
  value_t sizes = berth_emit_shape(g, item);
  begin(g, "TensorListGetItem", type);
  give(g, 2, MAKE(g, d, in(g, 1), sizes));
}

BERTH_GRAD(list_resize) {
  value_t count = length(g, in(g, 0));
  give(g, 0, OP(g, "TensorListResize", NULL, dy(g, 0), count));
}

BERTH_GRAD(list_gather) {
  value_t d = dy(g, 0);
  berth_dtype_t type = berth_grad_dtype(g, d);
  value_t list = reserve(g, in(g, 0), type);
  begin(g, "TensorListScatterIntoExistingList", type);
  give(g, 0, MAKE(g, list, d, in(g, 1)));
}

static value_t gathered(berth_grad_t *g, value_t like, value_t indices) {
  value_t sizes = row_shape(g, like);
  begin(g, "TensorListGather", berth_grad_dtype(g, like));
  return MAKE(g, dy(g, 0), indices, sizes);
}

BERTH_GRAD(list_scatter) { give(g, 0, gathered(g, in(g, 0), in(g, 1))); }

BERTH_GRAD(list_scatter_into) {
  value_t value = in(g, 1), indices = in(g, 2);
  value_t zeros = zeros_like(g, value);
  begin(g, "TensorListScatterIntoExistingList", berth_grad_dtype(g, value));
  give(g, 0, MAKE(g, dy(g, 0), zeros, indices));
  give(g, 1, gathered(g, value, indices));
}

BERTH_GRAD(list_concat) {
  value_t d = dy(g, 0);
  value_t sizes = shape_of_elements(g, in(g, 0));
  begin(g, "TensorListSplit", berth_grad_dtype(g, d));
  give(g, 0, MAKE(g, d, sizes, out(g, 1)));
}

BERTH_GRAD(list_split) {
  value_t value = in(g, 0);
  value_t sizes = berth_grad_int(g, NULL, BERTH_INT32, -1);
  berth_dims_t dims = berth_grad_shape(g, value);
  bool is_known = dims.rank > 0;
  for (int i = 1; i < dims.rank; ++i) is_known &= dims.dims[i] >= 0;
  if (is_known) {
    int64_t known[254];
    known[0] = -1;
    for (int i = 1; i < dims.rank; ++i) known[i] = dims.dims[i];
    sizes = berth_grad_ints(g, NULL, BERTH_INT32, known, dims.rank);
  }
  begin(g, "TensorListConcatV2", berth_grad_dtype(g, value));
  give(g, 0, MAKE(g, dy(g, 0), sizes, in(g, 2)));
}
