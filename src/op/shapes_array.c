// shapes_array.c - Shapes of ops that rearrange elements.
#include "graph/shape_fn.h"
#include "graph/shape_value.h"
#include "tensor/tensor.h"

BERTH_INFER(one_hot) {
  int64_t axis = berth_node_attr_int(c->node, "axis", -1), depth = -1;
  if (axis < -1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "axis must be >= -1");
  }
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, NULL, err));
  BERTH_TRY(berth_shape_size(c, 1, &depth, err));
  berth_dims_t in = berth_shape_in(c, 0), before;
  if (in.rank < 0) return BERTH_OK;
  int32_t at = axis < 0 || axis > in.rank ? in.rank : (int32_t)axis;
  BERTH_TRY(berth_shape_join(c, berth_shape_slice(in, 0, at),
                             (berth_dims_t){1, &depth}, &before, err));
  return berth_shape_join(c, before, berth_shape_slice(in, at, in.rank),
                          &c->outputs[0], err);
}

BERTH_INFER(where) {
  int64_t dims[2] = {-1, berth_shape_in(c, 0).rank};
  return berth_shape_join(c, (berth_dims_t){2, dims}, (berth_dims_t){0, NULL},
                          &c->outputs[0], err);
}
