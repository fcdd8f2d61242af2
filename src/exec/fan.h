// fan.h - Stretches of a layout whose parts run beside each other.
//
// Towers, the branches of a block, the two products of a gradient: parts that
// need nothing of each other, each too long to wait for and none wide enough to
// fill all CPUs with its loops. Such a stretch of steps is a *fan*; its parts
// follow each other in the list and are done by several threads:
//
//   steps    … x │ a1 a2 a3 │ b1 b2 │ c1 c2 c3 │ join …
//   caller   … x   a1 a2 a3            ┌─ wait ─ join …
//   worker           b1 b2   c1 c2 c3 ─┘
//
// Steps of a part only compute: what changes or hands out state keeps the order
// of the list. Reads of variables that wait for nothing are done before the
// parts; anything else ends the fan.
//
// A part has bytes and scratch space of its own (offsets.h).
//
// Threads: as the layout, immutable once made.
#ifndef BERTH_EXEC_FAN_H_
#define BERTH_EXEC_FAN_H_

#include "exec/layout.h"

typedef struct berth_part {
  int32_t begin, end;     // Steps.
  size_t scratch_offset;  // In the host's arena.
  size_t scratch_size;
} berth_part_t;

typedef struct berth_fan {
  int32_t begin, end;  // Steps, from the first of a part to the last of one.
  int32_t part_count;  // Two at least.
  berth_part_t *parts;
} berth_fan_t;

// Finds the fans of |layout|, whose steps are planned and have storage.
// |plans|, by step.
BERTH_NODISCARD berth_code_t berth_fans_find(berth_layout_t *layout,
                                             const berth_planned_t *plans,
                                             berth_error_t *err);

// Returns the fan that begins with step |s|, which there is.
const berth_fan_t *berth_fan_at(const berth_layout_t *layout, int s);

// True when |step| of a fan is done before the parts.
static inline bool berth_fan_leads(const berth_layout_t *layout, int step) {
  return layout->hot[step].how == BERTH_HOT_MAKES;
}

#endif  // BERTH_EXEC_FAN_H_
