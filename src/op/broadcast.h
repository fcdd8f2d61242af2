// broadcast.h - Several inputs seen as if they had the shape of the output.
//
// Dimensions along which all inputs go on the same way become one level:
//
//   [8,4] + [8,4]      one level of 32, steps 1 1
//   [8,4] + [4]        levels 4 (steps 1 1) and 8 (steps 4 0)
//   [8,4] + [8,1]      levels 4 (steps 1 0) and 8 (steps 4 1)
//
// The output is contiguous. Levels are stored innermost first; there is always
// at least one.
//
// Immutable once made; lives in an arena.
#ifndef BERTH_OP_BROADCAST_H_
#define BERTH_OP_BROADCAST_H_

#include "base/arena.h"
#include "base/error.h"
#include "tensor/shape.h"

enum { BERTH_BROADCAST_MAX = 3 };  // Inputs.

typedef struct berth_level {
  int64_t count;
  int64_t steps[BERTH_BROADCAST_MAX];  // In elements; 0 where it repeats.
} berth_level_t;

typedef struct berth_broadcast {
  int32_t level_count;
  int64_t rows;  // Product of all levels but the innermost.
  const berth_level_t *levels;
} berth_broadcast_t;

// Fills |out| for |count| inputs of the shapes |inputs|, which broadcast to
// |shape|, a shape with elements.
BERTH_NODISCARD berth_code_t berth_broadcast_make(const berth_dims_t *inputs,
                                                  int count, berth_dims_t shape,
                                                  berth_arena_t *arena,
                                                  berth_broadcast_t *out,
                                                  berth_error_t *err);

#endif  // BERTH_OP_BROADCAST_H_
