// ctc.c - Connectionist temporal classification: checks.
#include "op/ctc.h"

#include <string.h>

#include "op/value.h"

#define INVALID(...) berth_error_set(err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static berth_code_t read_sizes(const berth_case_t *op, berth_ctc_t *out,
                               berth_error_t *err) {
  const berth_case_input_t *in = &op->inputs[0];
  if (in->rank != 3) return INVALID("inputs is not a 3-Tensor");
  *out = (berth_ctc_t){.dtype = in->dtype,
                       .time = in->dims[0],
                       .batch = in->dims[1],
                       .classes = in->dims[2],
                       .blank = in->dims[2] - 1};
  return BERTH_OK;
}

static berth_code_t check_lengths(const berth_case_t *op, int index,
                                  const berth_ctc_t *ctc, berth_code_t code,
                                  berth_error_t *err) {
  if (op->inputs[index].count == ctc->batch) return BERTH_OK;
  return berth_error_set(err, code,
                         "len(sequence_length) != batch_size.  "
                         "len(sequence_length):  %lld batch_size: %lld",
                         (long long)op->inputs[index].count,
                         (long long)ctc->batch);
}

berth_code_t berth_op_ctc_loss(berth_case_t *op, berth_ctc_t *out,
                               berth_error_t *err) {
  const berth_case_input_t *in = op->inputs;
  char a[BERTH_DIMS_TEXT], b[BERTH_DIMS_TEXT];
  BERTH_TRY(read_sizes(op, out, err));
  if (in[3].rank != 1) return INVALID("sequence_length is not a vector");
  if (in[1].rank != 2) return INVALID("labels_indices is not a matrix");
  if (in[1].dims[1] != 2) {
    return INVALID("labels_indices must have two columns, but has %lld",
                   (long long)in[1].dims[1]);
  }
  if (in[2].rank != 1) return INVALID("labels_values is not a vector");
  if (in[1].dims[0] != in[2].count) {
    return INVALID(
        "labels_indices and labels_values must contain the same "
        "number of rows, but saw shapes: %s vs. %s",
        berth_input_text(&in[1], a), berth_input_text(&in[2], b));
  }
  BERTH_TRY(check_lengths(op, 3, out, BERTH_INVALID_ARGUMENT, err));
  if (out->batch == 0) return INVALID("batch_size must not be 0");
  if (out->classes == 0) return INVALID("inputs has no classes");
  const berth_node_t *node = op->node;
  // The second version is a library's, whose blank comes first.
  bool is_second = strcmp(node->op->name, "CTCLossV2") == 0;
  if (is_second) out->blank = 0;
  out->end = out->classes - !is_second;
  out->labels = in[2].count;
  out->collapses =
      berth_node_attr_bool(node, "preprocess_collapse_repeated", false);
  out->merges = berth_node_attr_bool(node, "ctc_merge_repeated", true);
  out->ignores =
      berth_node_attr_bool(node, "ignore_longer_outputs_than_inputs", false);
  berth_case_output(op, 0, (berth_dims_t){1, &out->batch});
  berth_case_output(op, 1, berth_case_input_dims(op, 0));
  return BERTH_OK;
}

// Checks what is decoded.
static berth_code_t read_decoded(berth_case_t *op, berth_ctc_t *out,
                                 berth_error_t *err) {
  BERTH_TRY(read_sizes(op, out, err));
  if (op->inputs[1].rank != 1)
    return INVALID("sequence_length is not a vector");
  if (op->inputs[0].count == 0) return INVALID("inputs must not be empty");
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  return check_lengths(op, 1, out, BERTH_FAILED_PRECONDITION, err);
}

berth_code_t berth_op_ctc_beam(berth_case_t *op, berth_ctc_t *out,
                               berth_error_t *err) {
  BERTH_TRY(read_decoded(op, out, err));
  out->width = berth_node_attr_int(op->node, "beam_width", 1);
  out->paths = berth_node_attr_int(op->node, "top_paths", 1);
  out->merges = berth_node_attr_bool(op->node, "merge_repeated", true);
  if (out->paths <= out->width) return BERTH_OK;
  return INVALID("requested more paths than the beam width.");
}

berth_code_t berth_op_ctc_greedy(berth_case_t *op, berth_ctc_t *out,
                                 berth_error_t *err) {
  BERTH_TRY(read_decoded(op, out, err));
  int64_t blank = berth_node_attr_int(op->node, "blank_index", -1);
  if (blank < -out->classes || blank >= out->classes) {
    return INVALID(
        "blank_index expected to be between %lld and %lld but was %lld",
        (long long)-out->classes, (long long)out->classes - 1,
        (long long)blank);
  }
  out->blank = blank < 0 ? blank + out->classes : blank;
  out->merges = berth_node_attr_bool(op->node, "merge_repeated", false);
  return BERTH_OK;
}
