// example.c - ParseExampleV2 and its kin: records of training data.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/example.h"
#include "op/value.h"

// Describes the inputs of the op that |op| is.
static void find_inputs(const berth_case_t *op, berth_example_plan_t *plan) {
  const char *name = op->node->op->name;
  if (strcmp(name, "ParseSingleExample") == 0) {
    plan->names = -1;
    plan->defaults = 1;
    return;
  }
  plan->has_key_lists = strcmp(name, "ParseExample") == 0;
  plan->names = 1;
  plan->sparse_keys = 2;
  plan->dense_keys = plan->has_key_lists ? 2 + plan->sparse : 3;
  plan->ragged_keys = 4;
  plan->defaults = plan->has_key_lists ? plan->dense_keys + plan->dense : 5;
}

static int list_count(const berth_case_t *op, const char *attr) {
  const berth_attr_value_t *list = berth_node_attr(op->node, attr);
  return list != NULL ? list->count : 0;
}

static berth_code_t check_keys(const berth_case_t *op,
                               const berth_example_plan_t *plan,
                               berth_error_t *err) {
  bool is_right = list_count(op, "dense_shapes") == plan->dense;
  if (plan->names < 0) {
    is_right = is_right && list_count(op, "sparse_keys") == plan->sparse &&
               list_count(op, "dense_keys") == plan->dense;
  } else if (plan->has_key_lists) {
    for (int i = 0; i < plan->sparse + plan->dense; ++i) {
      is_right = is_right && op->inputs[plan->sparse_keys + i].count == 1;
    }
  } else {
    is_right = is_right && op->inputs[2].count == plan->sparse &&
               op->inputs[3].count == plan->dense &&
               op->inputs[4].count == plan->ragged;
  }
  if (is_right) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s needs a key, and dense features a shape, for each "
                         "of %d sparse, %d dense and %d ragged ones",
                         op->node->op->name, plan->sparse, plan->dense,
                         plan->ragged);
}

static berth_code_t check_names(const berth_case_t *op,
                                const berth_example_plan_t *plan,
                                berth_error_t *err) {
  char names[BERTH_DIMS_TEXT], records[BERTH_DIMS_TEXT];
  if (plan->names < 0) return BERTH_OK;
  const berth_case_input_t *given = &op->inputs[plan->names];
  const berth_case_input_t *of = &op->inputs[0];
  if (given->count == 0 ||
      (given->rank == of->rank && given->count == of->count)) {
    return BERTH_OK;
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Expected names have the same shape as serialized: name.shape=%s, "
      "serialized.shape=%s",
      berth_dims_text((berth_dims_t){given->rank, given->dims}, names),
      berth_dims_text((berth_dims_t){of->rank, of->dims}, records));
}

// Checks the values that stand for dense feature |index| where it is missing.
static berth_code_t check_default(const berth_case_input_t *given,
                                  const berth_dims_t *shape, int index,
                                  berth_error_t *err) {
  char has[BERTH_DIMS_TEXT], wanted[BERTH_DIMS_TEXT];
  berth_dims_t dims = {given->rank, given->dims};
  for (int32_t i = 1; i < shape->rank; ++i) {
    if (shape->dims[i] >= 0) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dense_shapes[%d] has unknown rank or unknown inner "
                           "dimensions: %s",
                           index, berth_dims_text(*shape, wanted));
  }
  if (shape->rank < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dense_shapes[%d] has unknown rank or unknown inner "
                           "dimensions: <unknown>",
                           index);
  }
  if (berth_example_has_rows(shape)) {
    if (given->count == 1) return BERTH_OK;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "dense_shape[%d] is a variable length shape: %s, therefore "
        "def_value[%d] must contain a single element (the padding element).  "
        "But its shape is: %s",
        index, berth_dims_text(*shape, wanted), index,
        berth_dims_text(dims, has));
  }
  bool is_same = given->count == 0 || given->rank == shape->rank;
  for (int32_t i = 0; given->count > 0 && is_same && i < shape->rank; ++i) {
    is_same = given->dims[i] == shape->dims[i];
  }
  if (is_same) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "def_value[%d].shape() == %s is not compatible with dense_shapes_[%d] == "
      "%s",
      index, berth_dims_text(dims, has), index,
      berth_dims_text(*shape, wanted));
}

berth_code_t berth_op_parse_example(berth_case_t *op,
                                    berth_example_plan_t *out_plan,
                                    berth_error_t *err) {
  const berth_attr_value_t *shapes = berth_node_attr(op->node, "dense_shapes");
  out_plan->sparse = list_count(op, "sparse_types");
  out_plan->dense = list_count(op, "Tdense");
  out_plan->ragged = list_count(op, "ragged_value_types");
  out_plan->is_batch = op->inputs[0].rank == 1;
  find_inputs(op, out_plan);
  int32_t most = out_plan->names < 0 ? 0 : 1;
  if (op->inputs[0].rank > most) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           most == 0 ? "Input serialized must be a scalar"
                                     : "Expected serialized to be a scalar or "
                                       "vector");
  }
  BERTH_TRY(check_keys(op, out_plan, err));
  BERTH_TRY(check_names(op, out_plan, err));
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  for (int i = 0; i < out_plan->dense; ++i) {
    BERTH_TRY(check_default(&op->inputs[out_plan->defaults + i],
                            &shapes->shape_list[i], i, err));
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
