// rows.c - Walking the rows of inputs that broadcast.
#include "cpu/ops/rows.h"

#include <string.h>

void berth_rows_start(const berth_broadcast_t *broadcast, int64_t row,
                      berth_rows_t *walk) {
  memset(walk->offsets, 0, sizeof(walk->offsets));
  for (int i = 1; i < broadcast->level_count; ++i) {
    const berth_level_t *level = &broadcast->levels[i];
    walk->index[i] = row % level->count;
    row /= level->count;
    for (int k = 0; k < BERTH_BROADCAST_MAX; ++k) {
      walk->offsets[k] += walk->index[i] * level->steps[k];
    }
  }
}

void berth_rows_next(const berth_broadcast_t *broadcast, berth_rows_t *walk) {
  for (int i = 1; i < broadcast->level_count; ++i) {
    const berth_level_t *level = &broadcast->levels[i];
    int64_t turn = ++walk->index[i] < level->count ? 0 : level->count;
    for (int k = 0; k < BERTH_BROADCAST_MAX; ++k) {
      walk->offsets[k] += level->steps[k] * (1 - turn);
    }
    if (turn == 0) return;
    walk->index[i] = 0;
  }
}
