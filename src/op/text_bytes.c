// text_bytes.c - Ops whose texts are files or bytes of numbers.
#include <string.h>

#include "graph/shape_fn.h"
#include "op/text.h"
#include "op/value.h"

static berth_code_t check_scalar(const berth_case_t *op, int index,
                                 const char *words, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[index].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s shape: %s", words,
                         berth_input_text(&op->inputs[index], text));
}

static const char file_words[] =
    "Input filename tensor must be scalar, but had";

berth_code_t berth_op_file_constant(berth_case_t *op, berth_error_t *err) {
  berth_dtype_t dtype = op->node->output_types[0];
  const berth_attr_value_t *declared = berth_node_attr(op->node, "shape");
  berth_dims_t dims = BERTH_SCALAR;
  if (dtype == BERTH_RESOURCE || dtype == BERTH_VARIANT) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Resource and variant dtypes are invalid for this op.");
  }
  // One that is not known at all is a scalar to TensorFlow.
  if (declared != NULL && declared->shape.rank >= 0) dims = declared->shape;
  if (!berth_dims_is_full(dims)) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Shape %s is not fully defined",
                           berth_dims_text(dims, text));
  }
  berth_case_output(op, 0, dims);
  return BERTH_OK;
}

berth_code_t berth_op_read_file(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(check_scalar(op, 0, file_words, err));
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

berth_code_t berth_op_write_file(berth_case_t *op, berth_error_t *err) {
  BERTH_TRY(check_scalar(op, 0, file_words, err));
  return check_scalar(op, 1, "Contents tensor must be scalar, but had", err);
}

berth_code_t berth_op_matching_files(berth_case_t *op, berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  op->outputs[0].rank = -1;
  if (op->inputs[0].rank <= 1) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input patterns tensor must be scalar or vector, but "
                         "had shape: %s",
                         berth_input_text(&op->inputs[0], text));
}

berth_code_t berth_op_decode_raw(berth_case_t *op, berth_error_t *err) {
  op->outputs[0].rank = -1;
  if (op->inputs[0].rank < BERTH_MAX_RANK) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "DecodeRaw takes texts of fewer dimensions than %d",
                         BERTH_MAX_RANK);
}

berth_code_t berth_op_padded_length(const int32_t *value, size_t size,
                                    int64_t *out_length, berth_error_t *err) {
  if (*value % (int)size != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "fixed_length (%d) must be a multiple of the size "
                           "of out_type (%zu)",
                           (int)*value, size);
  }
  if (*value <= 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "fixed_length (%d) must be greater than zero.",
                           (int)*value);
  }
  *out_length = *value;
  return BERTH_OK;
}

berth_code_t berth_op_serialize_tensor(berth_case_t *op, berth_error_t *err) {
  (void)err;
  berth_case_output(op, 0, BERTH_SCALAR);
  return BERTH_OK;
}

berth_code_t berth_op_parse_tensor(berth_case_t *op, berth_error_t *err) {
  op->outputs[0].rank = -1;
  return check_scalar(op, 0, "Expected `serialized` to be a scalar, got", err);
}

// ---- Shapes of a graph ----

BERTH_INFER(scalar_of_scalars) {
  for (int i = 0; i < berth_shape_inputs(c); ++i) {
    berth_dims_t in;
    BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, i), 0, &in, err));
  }
  if (c->node->output_count > 0) c->outputs[0] = BERTH_SCALAR;
  return BERTH_OK;
}

BERTH_INFER(some) { return berth_shape_unknown(c, 1, &c->outputs[0], err); }

// One dimension more than the texts have.
BERTH_INFER(decode_raw) {
  berth_dims_t in = berth_shape_in(c, 0);
  if (in.rank < 0) return BERTH_OK;
  int64_t *dims = berth_shape_room(c, in.rank + 1);
  if (dims == NULL) return berth_error_no_memory(err, "a shape");
  if (in.rank > 0) memcpy(dims, in.dims, (size_t)in.rank * sizeof(*dims));
  dims[in.rank] = -1;
  c->outputs[0] = (berth_dims_t){in.rank + 1, dims};
  return BERTH_OK;
}

// As many as fit in the length, where that is known.
BERTH_INFER(decode_padded) {
  berth_dims_t length;
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 0, &length, err));
  BERTH_TRY(berth_infer_decode_raw(c, err));
  int64_t bytes = 0;
  if (c->outputs[0].rank < 0 || !berth_shape_scalar(c, 1, &bytes)) {
    return BERTH_OK;
  }
  int32_t value = (int32_t)bytes;
  BERTH_TRY(berth_op_padded_length(
      &value, berth_dtype_size(c->node->output_types[0]), &bytes, err));
  int64_t *dims = (int64_t *)(uintptr_t)c->outputs[0].dims;
  dims[c->outputs[0].rank - 1] =
      bytes / (int64_t)berth_dtype_size(c->node->output_types[0]);
  return BERTH_OK;
}
