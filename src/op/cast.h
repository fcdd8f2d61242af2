// cast.h - What the op Cast means on every device.
#ifndef BERTH_OP_CAST_H_
#define BERTH_OP_CAST_H_

#include "tensor/dtype.h"

// Returns how many digits after the binary point |to| keeps when it is cut off
// instead of rounded, or 0 when attribute Truncate means nothing for the pair.
int berth_cast_digits(berth_dtype_t from, berth_dtype_t to);

#endif  // BERTH_OP_CAST_H_
