// cast.c - What the op Cast means on every device.
#include "op/cast.h"

#include "op/types.h"

int berth_cast_digits(berth_dtype_t from, berth_dtype_t to) {
  bool is_small = berth_type_in(from, BERTH_TYPE(HALF) | BERTH_TYPE(BFLOAT16));
  bool is_float =
      berth_type_in(from, BERTH_TYPE(FLOAT) | BERTH_TYPE(COMPLEX64));
  bool is_double =
      berth_type_in(from, BERTH_TYPE(DOUBLE) | BERTH_TYPE(COMPLEX128));
  switch (to) {
    case BERTH_FLOAT:
      return is_double ? 23 : 0;
    case BERTH_COMPLEX64:
      return from == BERTH_COMPLEX128 ? 23 : 0;
    case BERTH_HALF:
      return is_double || is_float ? 10 : 0;
    case BERTH_BFLOAT16:
      return from == BERTH_FLOAT ? 7 : 0;
    case BERTH_FLOAT8_E4M3FN:
      return is_double || is_float || is_small ? 3 : 0;
    case BERTH_FLOAT8_E5M2:
      return is_double || is_float || is_small || from == BERTH_FLOAT8_E4M3FN
                 ? 2
                 : 0;
    default:
      return 0;
  }
}
