// fourier.c - FFT, IFFT, RFFT and IRFFT, of one to three dimensions.
#include "op/fourier.h"

#include <string.h>

#include "graph/shape_fn.h"
#include "op/name.h"
#include "op/value.h"

// Returns how many dimensions |op| transforms: FFT, IRFFT2D …
static int32_t rank_of(const char *op) {
  return strstr(op, "3D") != NULL ? 3 : strstr(op, "2D") != NULL ? 2 : 1;
}

// Reads the lengths of a transform of real numbers, of |rank| dimensions, and
// checks that the input has as much.
static berth_code_t read_lengths(const berth_case_t *op, int32_t rank,
                                 berth_fourier_t *fourier, berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0], *lengths = &op->inputs[1];
  if (lengths->rank != 1 || lengths->count != rank) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "fft_length must have shape [%d]", (int)rank);
  }
  for (int32_t i = 0; i < rank; ++i) {
    int64_t length = berth_value_int(lengths, i);
    int32_t at = BERTH_FOURIER_RANK - rank + i;
    if (length < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "fft_length[%d] must >= 0, but got: %lld", (int)i,
                             (long long)length);
    }
    bool is_half = i == rank - 1 && length > 0;
    int64_t half = is_half ? length / 2 + 1 : length;
    int64_t least = fourier->is_inverse ? half : length;
    if (fourier->in[at] > 0 && fourier->in[at] < least) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Input dimension %d must have length of at least "
                             "%lld but got: %lld",
                             (int)(input->rank - rank + i), (long long)least,
                             (long long)fourier->in[at]);
    }
    fourier->sizes[at] = length;
    fourier->out[at] = fourier->is_inverse ? length : half;
  }
  return BERTH_OK;
}

// Real and complex numbers have the same size on both sides.
static berth_code_t check_types(const berth_case_t *op, bool is_inverse,
                                berth_error_t *err) {
  berth_dtype_t in = op->inputs[0].dtype, out = op->node->output_types[0];
  berth_dtype_t real = is_inverse ? out : in, other = is_inverse ? in : out;
  bool is_wide = real == BERTH_DOUBLE;
  if (other == (is_wide ? BERTH_COMPLEX128 : BERTH_COMPLEX64)) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT, "Wrong types for %s real FFT: in=%d out=%d",
      is_inverse ? "backward" : "forward", (int)in, (int)out);
}

berth_code_t berth_op_fourier(berth_case_t *op, berth_fourier_t *out_fourier,
                              berth_error_t *err) {
  const char *name = berth_op_plain_name(op->node->op->name);
  const berth_case_input_t *input = &op->inputs[0];
  int32_t rank = rank_of(name), outer = input->rank - rank;
  char text[BERTH_DIMS_TEXT];
  if (outer < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Input must have rank of at least %d but got: %s",
                           (int)rank, berth_input_text(input, text));
  }
  berth_fourier_t made = {
      .batch = 1, .is_inverse = name[0] == 'I', .is_real = op->input_count > 1};
  int64_t dims[BERTH_MAX_RANK];
  for (int32_t i = 0; i < outer; ++i) {
    dims[i] = input->dims[i];
    made.batch *= dims[i];
  }
  for (int32_t i = 0; i < BERTH_FOURIER_RANK; ++i) {
    int32_t at = i - BERTH_FOURIER_RANK + rank;
    made.in[i] = at < 0 ? 1 : input->dims[outer + at];
    made.out[i] = made.sizes[i] = made.in[i];
  }
  if (made.is_real) {
    BERTH_TRY(read_lengths(op, rank, &made, err));
    BERTH_TRY(check_types(op, made.is_inverse, err));
  }
  memcpy(dims + outer, made.out + BERTH_FOURIER_RANK - rank,
         (size_t)rank * sizeof(*dims));
  berth_case_output(op, 0, (berth_dims_t){input->rank, dims});
  *out_fourier = made;
  return BERTH_OK;
}

// ---- Shapes of a graph ----

BERTH_INFER(fourier) {
  c->outputs[0] = berth_shape_in(c, 0);
  return berth_shape_rank_at_least(c->outputs[0], rank_of(c->node->op->name),
                                   err);
}

BERTH_INFER(real_fourier) {
  int32_t rank = rank_of(c->node->op->name);
  berth_dims_t in = berth_shape_in(c, 0), lengths, shape;
  BERTH_TRY(berth_shape_rank_at_least(in, rank, err));
  BERTH_TRY(berth_shape_with_rank(c, berth_shape_in(c, 1), 1, &shape, err));
  BERTH_TRY(berth_shape_check_dim(shape.dims[0], rank, err));
  if (in.rank < 0) return BERTH_OK;
  BERTH_TRY(berth_shape_from_value(c, 1, &lengths, err));
  bool is_forward = c->node->op->name[0] == 'R';
  c->outputs[0] = in;
  for (int32_t i = 0; i < rank; ++i) {
    int64_t size = lengths.rank == rank ? lengths.dims[i] : -1;
    if (is_forward && i == rank - 1 && size > 0) size = size / 2 + 1;
    BERTH_TRY(berth_shape_replace(c, c->outputs[0], in.rank - rank + i, size,
                                  &c->outputs[0], err));
  }
  return BERTH_OK;
}
