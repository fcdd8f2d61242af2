// example.c - ParseExampleV2: records of training data.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/example.h"
#include "op/value.h"

// Sets the shape that one record's values of dense output |index| have.
static berth_code_t set_dense(berth_case_t *op, const berth_dims_t *shape,
                              int index, berth_error_t *err) {
  bool is_batch = op->inputs[0].rank == 1;
  int64_t count = 1;
  berth_shape_t *out = &op->outputs[index];
  out->rank = 0;
  if (is_batch) {
    BERTH_TRY(berth_shape_push(out, &count, op->inputs[0].dims[0], err));
  }
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (shape->dims[i] < 0) {
      return berth_error_set(err, BERTH_UNIMPLEMENTED,
                             "Berth parses features whose length is known, and "
                             "sparse ones");
    }
    BERTH_TRY(berth_shape_push(out, &count, shape->dims[i], err));
  }
  return BERTH_OK;
}

berth_code_t berth_op_parse_example(berth_case_t *op,
                                    berth_example_plan_t *out_plan,
                                    berth_error_t *err) {
  const berth_attr_value_t *dense = berth_node_attr(op->node, "Tdense");
  const berth_attr_value_t *shapes = berth_node_attr(op->node, "dense_shapes");
  const berth_attr_value_t *ragged =
      berth_node_attr(op->node, "ragged_value_types");
  out_plan->sparse = (int)berth_node_attr_int(op->node, "num_sparse", 0);
  out_plan->dense = dense != NULL ? dense->count : 0;
  if (op->inputs[0].rank > 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected serialized to be a scalar or vector");
  }
  if (ragged != NULL && ragged->count > 0) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "Berth does not parse ragged features");
  }
  if (op->inputs[2].count != out_plan->sparse ||
      op->inputs[3].count != out_plan->dense ||
      (shapes != NULL ? shapes->count : 0) != out_plan->dense) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "ParseExampleV2 needs a key, and dense features a "
                           "shape, for each of %d sparse and %d dense ones",
                           out_plan->sparse, out_plan->dense);
  }
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  for (int i = 0; i < out_plan->dense; ++i) {
    int64_t size = 1;
    BERTH_TRY(
        set_dense(op, &shapes->shape_list[i], 3 * out_plan->sparse + i, err));
    for (int32_t k = 0; k < shapes->shape_list[i].rank; ++k) {
      size *= shapes->shape_list[i].dims[k];
    }
    int64_t given = op->inputs[5 + i].count;
    if (given != 0 && given != size) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "dense_defaults[%d] has %lld values, but its "
                             "feature has %lld",
                             i, (long long)given, (long long)size);
    }
  }
  return BERTH_OK;
}

BERTH_INFER(parse_example) {
  const berth_attr_value_t *shapes = berth_node_attr(c->node, "dense_shapes");
  berth_dims_t in = berth_shape_in(c, 0);
  int sparse = (int)berth_node_attr_int(c->node, "num_sparse", 0);
  int64_t *dims = berth_shape_room(c, 4);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  memcpy(dims, (int64_t[]){-1, in.rank + 1, -1, in.rank + 1},
         4 * sizeof(*dims));
  for (int i = 0; in.rank >= 0 && i < sparse; ++i) {
    c->outputs[i] = (berth_dims_t){2, dims};
    c->outputs[sparse + i] = (berth_dims_t){1, dims + 2};
    c->outputs[2 * sparse + i] = (berth_dims_t){1, dims + 3};
  }
  int32_t dense = shapes != NULL && in.rank >= 0 ? shapes->count : 0;
  for (int i = 0; i < dense && 3 * sparse + i < c->node->output_count; ++i) {
    const berth_dims_t *shape = &shapes->shape_list[i];
    if (shape->rank < 0) continue;
    int64_t *all = berth_shape_room(c, shape->rank + 1);
    if (all == NULL) return berth_error_no_memory(err, "a shape");
    if (in.rank == 1) all[0] = in.dims[0];
    if (shape->rank > 0) {
      memcpy(all + in.rank, shape->dims, (size_t)shape->rank * sizeof(*all));
    }
    c->outputs[3 * sparse + i] = (berth_dims_t){shape->rank + in.rank, all};
  }
  return BERTH_OK;
}
