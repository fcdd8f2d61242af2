// like.c - ZerosLike and OnesLike.
#include <string.h>

#include "op/elementwise.h"
#include "tensor/complex.h"

berth_code_t berth_op_zeros_like(berth_case_t *op, berth_like_t *out_like,
                                 berth_error_t *err) {
  (void)err;
  const berth_case_input_t *input = &op->inputs[0];
  bool is_plain = berth_dtype_is_plain(input->dtype);
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  *out_like = (berth_like_t){.dtype = input->dtype,
                             .count = is_plain ? input->count : 0,
                             .size = berth_dtype_size(input->dtype)};
  op->may_overwrite = is_plain ? 1 : 0;
  return BERTH_OK;
}

// Stores the number one as |dtype| in |bytes|.
static void set_one(berth_dtype_t dtype, unsigned char *bytes) {
  const float f32 = 1;
  const double f64 = 1;
  const berth_complex64_t c64 = 1;
  const berth_complex128_t c128 = 1;
  const uint16_t half = 0x3c00, bfloat16 = 0x3f80;
  const uint64_t whole = 1;
  const size_t size = berth_dtype_size(dtype);
  const void *from = &whole;
  if (dtype == BERTH_FLOAT) from = &f32;
  if (dtype == BERTH_DOUBLE) from = &f64;
  if (dtype == BERTH_COMPLEX64) from = &c64;
  if (dtype == BERTH_COMPLEX128) from = &c128;
  if (dtype == BERTH_HALF) from = &half;
  if (dtype == BERTH_BFLOAT16) from = &bfloat16;
  if (from != &whole) {
    memcpy(bytes, from, size);
    return;
  }
  // Whole numbers of any size and either order of bytes.
  for (size_t i = 0; i < size; ++i) {
    size_t at = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i;
    bytes[at] = (unsigned char)(i == 0);
  }
}

berth_code_t berth_op_ones_like(berth_case_t *op, berth_like_t *out_like,
                                berth_error_t *err) {
  BERTH_TRY(berth_op_zeros_like(op, out_like, err));
  set_one(out_like->dtype, out_like->element);
  return BERTH_OK;
}
