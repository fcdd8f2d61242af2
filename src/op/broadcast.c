// broadcast.c - Several inputs seen as if they had the shape of the output.
#include "op/broadcast.h"

// Fills |level| for dimension |axis| (from the end) of |shape|. |sizes| holds
// the elements below this dimension per input, and is moved on.
static void level_fill(const berth_dims_t *inputs, int count,
                       berth_dims_t shape, int axis, int64_t *sizes,
                       berth_level_t *level) {
  level->count = shape.dims[shape.rank - 1 - axis];
  for (int i = 0; i < count; ++i) {
    int64_t dim =
        axis < inputs[i].rank ? inputs[i].dims[inputs[i].rank - 1 - axis] : 1;
    level->steps[i] = dim == 1 ? 0 : sizes[i];
    sizes[i] *= dim;
  }
}

// True when |outer| goes on where |inner| ends, for all inputs.
static bool level_continues(const berth_level_t *inner,
                            const berth_level_t *outer, int count) {
  for (int i = 0; i < count; ++i) {
    if (outer->steps[i] != inner->steps[i] * inner->count) return false;
  }
  return true;
}

berth_code_t berth_broadcast_make(const berth_dims_t *inputs, int count,
                                  berth_dims_t shape, berth_arena_t *arena,
                                  berth_broadcast_t *out, berth_error_t *err) {
  int64_t sizes[BERTH_BROADCAST_MAX] = {1, 1, 1};
  berth_level_t *levels =
      berth_arena_calloc(arena, (size_t)shape.rank + 1, sizeof(*levels));
  if (levels == NULL) return berth_error_no_memory(err, "a broadcast");
  int top = -1;
  for (int axis = 0; axis < shape.rank; ++axis) {
    berth_level_t level = {0};
    level_fill(inputs, count, shape, axis, sizes, &level);
    if (level.count == 1) continue;
    if (top >= 0 && level_continues(&levels[top], &level, count)) {
      levels[top].count *= level.count;
    } else {
      levels[++top] = level;
    }
  }
  if (top < 0) levels[++top].count = 1;
  out->level_count = top + 1;
  out->levels = levels;
  out->rows = 1;
  for (int i = 1; i <= top; ++i) out->rows *= levels[i].count;
  return BERTH_OK;
}
