// ages.c - How long things have been idle, without reading a clock each time.
#include "memory/ages.h"

#include <string.h>

static void note_remove(berth_ages_t *ages, int at) {
  --ages->count;
  size_t rest = (size_t)(ages->count - at);
  memmove(&ages->times[at], &ages->times[at + 1],
          rest * sizeof(ages->times[0]));
  memmove(&ages->stamps[at], &ages->stamps[at + 1],
          rest * sizeof(ages->stamps[0]));
}

// Drops the note whose absence tells least: the one where the gap it leaves is
// smallest for its age. The first and the last stay.
static void thin_out(berth_ages_t *ages, int64_t now) {
  int least = 1;
  double least_gap = 2;
  for (int i = 1; i < ages->count - 1; ++i) {
    double gap = (double)(ages->times[i + 1] - ages->times[i - 1]) /
                 (double)(now - ages->times[i] + 1);
    if (i == 1 || gap < least_gap) {
      least = i;
      least_gap = gap;
    }
  }
  note_remove(ages, least);
}

void berth_ages_note(berth_ages_t *ages, int64_t now, uint64_t stamp) {
  if (ages->count > 0) {
    int last = ages->count - 1;
    if (now <= ages->times[last]) return;
    // The counter has not moved: the older note says more.
    if (stamp == ages->stamps[last]) return;
  }
  if (ages->count == BERTH_AGES) thin_out(ages, now);
  ages->times[ages->count] = now;
  ages->stamps[ages->count++] = stamp;
}

uint64_t berth_ages_at(const berth_ages_t *ages, int64_t time) {
  for (int i = ages->count; i-- > 0;) {
    if (ages->times[i] <= time) return ages->stamps[i];
  }
  return 0;
}
