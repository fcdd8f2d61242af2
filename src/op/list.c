// list.c - Ops on lists and arrays of tensors, and on stacks.
#include "op/list.h"

#include "graph/shape_fn.h"

berth_code_t berth_op_on_list(berth_case_t *op, berth_error_t *err) {
  (void)err;
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

// Stores the shape that input |index| spells; a scalar says nothing.
static berth_code_t element_shape(berth_shape_context_t *c, int index,
                                  berth_dims_t *out_shape, berth_error_t *err) {
  *out_shape = (berth_dims_t){-1, NULL};
  if (berth_shape_in(c, index).rank == 0) return BERTH_OK;
  return berth_shape_from_value(c, index, out_shape, err);
}

// Makes output |index| |size| elements of the shape that input |at| spells.
static berth_code_t set_many(berth_shape_context_t *c, int index, int64_t size,
                             berth_dims_t shape, berth_error_t *err) {
  const berth_dims_t first = {1, &size};
  return berth_shape_join(c, first, shape, &c->outputs[index], err);
}

// TensorListStack.
BERTH_INFER(list_stack) {
  berth_dims_t shape;
  BERTH_TRY(element_shape(c, 1, &shape, err));
  return set_many(c, 0, berth_node_attr_int(c->node, "num_elements", -1), shape,
                  err);
}

// TensorListGather.
BERTH_INFER(list_gather) {
  berth_dims_t shape, indices = berth_shape_in(c, 1);
  BERTH_TRY(element_shape(c, 2, &shape, err));
  return set_many(c, 0, indices.rank == 1 ? indices.dims[0] : -1, shape, err);
}

// TensorListGetItem; the last input spells the shape.
BERTH_INFER(list_get) { return element_shape(c, 2, &c->outputs[0], err); }

// TensorListConcatV2: what comes behind the first dimension is known.
BERTH_INFER(list_concat) {
  berth_dims_t shape;
  BERTH_TRY(element_shape(c, 1, &shape, err));
  if (shape.rank > 0) {
    BERTH_TRY(set_many(c, 0, -1, berth_shape_slice(shape, 1, shape.rank), err));
  }
  return berth_shape_set_vector(c, 1, -1, err);
}

// TensorListFromTensor: elements are what the first dimension counts.
BERTH_INFER(list_from_tensor) {
  berth_dims_t shape, tensor = berth_shape_in(c, 0);
  c->outputs[0] = (berth_dims_t){0, NULL};
  BERTH_TRY(element_shape(c, 1, &shape, err));
  if (tensor.rank < 1) return BERTH_OK;
  return berth_shape_merge(c, shape, berth_shape_slice(tensor, 1, tensor.rank),
                           &shape, err);
}

// TensorListSplit.
BERTH_INFER(list_split) {
  berth_dims_t shape;
  c->outputs[0] = (berth_dims_t){0, NULL};
  BERTH_TRY(element_shape(c, 1, &shape, err));
  return berth_shape_with_rank(c, berth_shape_in(c, 2), 1, &shape, err);
}

// TensorListPushBackBatch: as many lists as before.
BERTH_INFER(list_push_batch) {
  berth_dims_t lists;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &lists, err));
  c->outputs[0] = lists;
  return BERTH_OK;
}

// TensorArrayGradV2, TensorArrayGradV3, TensorArrayGradWithShape: a handle and,
// but for the first, a flow.
BERTH_INFER(array_grad) {
  berth_dims_t handle;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &handle, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(handle, 0), 2, err));
  if (c->node->output_count > 1) c->outputs[1] = (berth_dims_t){0, NULL};
  return berth_shape_set_vector(c, 0, 2, err);
}

// TensorArrayScatterV3: as many indices as rows.
BERTH_INFER(array_scatter) {
  berth_dims_t handle, indices, value = berth_shape_in(c, 2), flow;
  int64_t rows = -1;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 1, &handle, err));
  BERTH_TRY(berth_shape_check_dim(berth_shape_dim(handle, 0), 2, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &indices, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 3), 0, &flow, err));
  if (value.rank > 0) {
    BERTH_TRY(
        berth_shape_merge_dims(value.dims[0], indices.dims[0], &rows, err));
  }
  c->outputs[0] = (berth_dims_t){0, NULL};
  return BERTH_OK;
}
