// fourier.c - FFT, IFFT, FFT2D, IFFT2D, RFFT and IRFFT.
#include "op/fourier.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/value.h"

// Reads the length of a transform of real numbers, and checks that the input
// has as much.
static berth_code_t read_length(const berth_case_t *op, bool is_inverse,
                                int64_t *out_length, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0], *length = &op->inputs[1];
  if (length->rank != 1 || length->count != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "fft_length must have shape [1]");
  }
  *out_length = berth_value_int(length, 0);
  if (*out_length < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "fft_length[0] must >= 0, but got: %lld",
                           (long long)*out_length);
  }
  int64_t least =
      is_inverse && *out_length > 0 ? *out_length / 2 + 1 : *out_length;
  int64_t has = input->dims[input->rank - 1];
  if (input->count == 0 || has >= least) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input dimension %d must have length of at least %lld "
                         "but got: %lld",
                         (int)input->rank - 1, (long long)least,
                         (long long)has);
}

berth_code_t berth_op_fourier(berth_case_t *op, berth_fourier_t *out_fourier,
                              berth_error_t *err) {
  const char *name = op->node->op->name;
  const berth_case_input_t *input = &op->inputs[0];
  int32_t rank = strstr(name, "2D") != NULL ? 2 : 1;
  bool is_inverse = name[0] == 'I', is_real = op->input_count > 1;
  char text[BERTH_DIMS_TEXT];
  if (input->rank < rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must have rank of at least %d but got: %s",
                           (int)rank, berth_input_text(input, text));
  }
  int64_t columns = input->dims[input->rank - 1];
  *out_fourier = (berth_fourier_t){.rows = 1,
                                   .columns = columns,
                                   .in_columns = columns,
                                   .out_columns = columns,
                                   .is_inverse = is_inverse,
                                   .is_real = is_real};
  if (is_real) {
    int64_t length = 0;
    BERTH_TRY(read_length(op, is_inverse, &length, err));
    out_fourier->columns = length;
    out_fourier->out_columns =
        is_inverse || length == 0 ? length : length / 2 + 1;
  }
  if (rank == 2) out_fourier->rows = input->dims[input->rank - 2];
  int64_t dims[BERTH_MAX_RANK];
  out_fourier->batch = 1;
  for (int32_t i = 0; i < input->rank; ++i) {
    dims[i] = input->dims[i];
    if (i < input->rank - rank) out_fourier->batch *= dims[i];
  }
  dims[input->rank - 1] = out_fourier->out_columns;
  berth_case_output(op, 0, (berth_dims_t){input->rank, dims});
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(fourier) {
  bool is_flat = strstr(c->node->op->name, "2D") != NULL;
  c->outputs[0] = berth_shape_in(c, 0);
  return berth_shape_rank_at_least(c->outputs[0], is_flat ? 2 : 1, err);
}

BERTH_INFER(real_fourier) {
  berth_dims_t in = berth_shape_in(c, 0), length;
  BERTH_TRY(berth_shape_rank_at_least(in, 1, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, NULL, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_from_value(c, 1, &length, err));
  int64_t size = length.rank == 1 ? length.dims[0] : -1;
  bool is_forward = c->node->op->name[0] == 'R';
  if (is_forward && size > 0) size = size / 2 + 1;
  return berth_shape_replace(c, in, in.rank - 1, size, &c->outputs[0], err);
}
