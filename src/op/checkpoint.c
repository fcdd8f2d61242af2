// checkpoint.c - Ops that save and restore checkpoints.
#include "op/checkpoint.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

BERTH_INFER(saved) {
  int fixed = strcmp(c->node->op->name, "Save") == 0 ? 2 : 3;
  int64_t count = berth_shape_inputs(c) - fixed;
  berth_dims_t list;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 0), 0, &list, err));
  for (int i = 1; i < fixed; ++i) {
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 1, &list, err));
    BERTH_TRY(berth_shape_check_dim(list.dims[0], count, err));
  }
  return BERTH_OK;
}

// Checks the prefix, the names and the slices; |tensors| are the inputs behind
// them, or -1 when there are none.
static berth_code_t check_lists(const berth_case_t *op, int tensors,
                                berth_error_t *err) {
  char names_text[BERTH_DIMS_TEXT], slices_text[BERTH_DIMS_TEXT];
  const berth_case_input_t *prefix = &op->inputs[0];
  const berth_case_input_t *names = &op->inputs[1], *slices = &op->inputs[2];
  if (prefix->count != 1) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Input prefix should have a single element, got %lld instead.",
        (long long)prefix->count);
  }
  if (names->rank != 1 || slices->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input tensor_names and shape_and_slices should be "
                           "an 1-D tensors, got %s and %s instead.",
                           berth_input_text(names, names_text),
                           berth_input_text(slices, slices_text));
  }
  if (names->count != slices->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "tensor_names and shape_and_slices have different "
                           "number of elements: %lld vs. %lld",
                           (long long)names->count, (long long)slices->count);
  }
  if (tensors < 0 || names->count == tensors) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Got %lld tensor names but %d tensors.",
                         (long long)names->count, tensors);
}

berth_code_t berth_op_save(berth_case_t *op, berth_error_t *err) {
  return check_lists(op, op->input_count - 3, err);
}

berth_code_t berth_op_restore(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(check_lists(op, -1, err));
  if (op->inputs[1].count != op->output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Got %lld tensor names, but %d expected dtypes.",
                           (long long)op->inputs[1].count, op->output_count);
  }
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return BERTH_OK;
}

berth_code_t berth_op_save_old(berth_case_t *op, berth_error_t *err) {
  bool has_slices = strcmp(op->node->op->name, "SaveSlices") == 0;
  int fixed = has_slices ? 3 : 2;
  int64_t names = op->inputs[1].count;
  if (op->inputs[0].count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input 0 (filename) must be a string scalar; got a "
                           "tensor of %lldelements",
                           (long long)op->inputs[0].count);
  }
  if (names + fixed != op->input_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected totally %lld inputs as input #1 (which is "
                           "a string tensor of saved names) contains %lld "
                           "names, but received %d inputs",
                           (long long)names + fixed, (long long)names,
                           op->input_count);
  }
  if (!has_slices || op->inputs[2].count == names) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Expected %lld elements for the tensor shapes and "
                         "slices but got %lld",
                         (long long)names, (long long)op->inputs[2].count);
}

berth_code_t berth_op_restore_old(berth_case_t *op, berth_error_t *err) {
  static const char *const words[] = {"file_pattern", "tensor_name",
                                      "tensor_slice"};
  op->outputs[0].rank = -1;
  for (int i = 0; i < op->input_count; ++i) {
    if (op->inputs[i].count == 1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input %d (%s) must be a string scalar; got a "
                           "tensor of %lldelements",
                           i, words[i], (long long)op->inputs[i].count);
  }
  return BERTH_OK;
}

berth_code_t berth_op_merge_checkpoints(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[0].rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input checkpoint_prefixes should be an 1-D tensor, "
                           "got %s instead.",
                           berth_input_text(&op->inputs[0], text));
  }
  if (op->inputs[1].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input destination_prefix should be a scalar tensor, "
                         "got %s instead.",
                         berth_input_text(&op->inputs[1], text));
}

berth_code_t berth_op_remap(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"ckpt_path", "old_tensor_name",
                                      "row_remapping", "col_remapping"};
  const berth_case_input_t *in = op->inputs;
  int64_t dims[] = {berth_node_attr_int(op->node, "num_rows", 0),
                    berth_node_attr_int(op->node, "num_cols", 1)};
  char text[BERTH_DIMS_TEXT];
  for (int i = 3; i >= 0; --i) {
    bool is_list = i >= 2;
    if (is_list ? in[i].rank == 1 : in[i].count == 1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The `%s` tensor must %s, got %stensor of shape %s",
                           names[i],
                           is_list ? "be 1-D" : "have exactly one element",
                           is_list ? "a " : "", berth_input_text(&in[i], text));
  }
  if (in[2].count != dims[0]) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Size of row_remapping is %lld instead of being "
                           "equal to num_rows=%lld",
                           (long long)in[2].count, (long long)dims[0]);
  }
  if (in[3].count != dims[1] && in[3].count > 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Provided col_remapping, but its size is %lld "
                           "instead of being equal to num_cols=%lld",
                           (long long)in[3].count, (long long)dims[1]);
  }
  berth_case_output(op, 0, (berth_dims_t){2, dims});
  return BERTH_OK;
}

berth_code_t berth_op_sharded_name(berth_case_t *op, berth_error_t *err) {
  static const char *const names[] = {"basename", "shard", "num_shards"};
  char text[BERTH_DIMS_TEXT];
  for (int i = 0; i < op->input_count; ++i) {
    if (op->inputs[i].rank == 0) continue;
    bool is_count = op->input_count == 2 && i == 1;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must be a scalar, got shape %s",
                           is_count ? "num_shards" : names[i],
                           berth_input_text(&op->inputs[i], text));
  }
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}
