// told.c - Telling the history of memory what runs have in their arenas.
#include "exec/told.h"

#include <stdio.h>

#include "base/alloc.h"
#include "exec/copy.h"
#include "exec/forecast.h"
#include "memory/history.h"
#include "memory/pool.h"

enum { NO_PLAN = UINT32_MAX };

const berth_step_t *berth_told_largest(const berth_layout_t *layout,
                                       int arena) {
  const berth_program_t *p = layout->program;
  int32_t largest = -1;
  size_t most = 0;
  for (int32_t i = 0; i < p->slot_count; ++i) {
    const berth_spot_t *spot = &layout->spots[i];
    size_t size = berth_dtype_size(p->slots[i].dtype);
    if (spot->storage != BERTH_STORE_ARENA || spot->arena != arena ||
        p->slots[i].producer < 0 || (size_t)spot->count * size < most) {
      continue;
    }
    most = (size_t)spot->count * size;
    largest = p->slots[i].producer;
  }
  return largest >= 0 ? &p->steps[largest] : NULL;
}

const char *berth_told_name(const berth_layout_t *layout, int arena,
                            char name[BERTH_TOLD_NAME]) {
  const berth_step_t *step = berth_told_largest(layout, arena);
  snprintf(name, BERTH_TOLD_NAME, "arena of %s",
           step != NULL ? berth_step_name(step) : "a run");
  return name;
}

// ---- Plans ----

// Whoever looks for lines of a script finds the names as labels.
static void names_keep(const berth_forecast_t *forecast) {
  for (size_t i = 0; i < forecast->value_count; ++i) {
    (void)berth_label_of(forecast->values[i].name);
  }
}

static uint32_t plan_tell(const berth_layout_t *layout) {
  const berth_exec_host_t *host = layout->program->host;
  berth_forecast_t forecast = {0};
  berth_str_t str = {0};
  uint32_t plan = 0;
  berth_code_t code = berth_forecast_layout(&forecast, layout, NULL);
  size_t count = (size_t)forecast.memory_count + 1;
  const char **names = berth_calloc(count, sizeof(*names));
  if (code == BERTH_OK && names != NULL) {
    for (int m = 0; m < forecast.memory_count; ++m) {
      names[m] = berth_forecast_name(&forecast, host, m);
    }
    names_keep(&forecast);
    berth_forecast_print(&forecast, names, &str);
    char *text = berth_str_take(&str);
    if (text != NULL) plan = berth_history_add_plan(text);
  }
  berth_free(names);
  berth_forecast_clear(&forecast);
  return plan > 0 ? plan : NO_PLAN;
}

// Returns the number of the plan of |layout|, told if it was not; NO_PLAN for
// one without shapes, whose values are allocated one by one.
static uint32_t plan_of(berth_layout_t *layout) {
  uint32_t plan = atomic_load(&layout->told_plan);
  if (plan != 0) return plan;
  // Two runs may tell it at once; one of the numbers is kept.
  plan = layout->feeds != NULL ? plan_tell(layout) : NO_PLAN;
  atomic_store(&layout->told_plan, plan);
  return plan;
}

// ---- Runs ----

static void note(const berth_frame_t *frame, uint32_t plan, bool begins) {
  for (int a = 0; a < frame->layout->arena_count; ++a) {
    const berth_frame_arena_t *arena = &frame->arenas[a];
    const berth_buffer_t *buffer =
        arena->own != NULL ? arena->own : arena->loan.piece;
    if (buffer == NULL || !berth_pool_owns(buffer)) continue;
    berth_pool_note_run(buffer, plan, begins);
  }
}

void berth_told_begin(berth_frame_t *frame) {
  frame->told_plan = plan_of(frame->layout);
  if (frame->told_plan == NO_PLAN) frame->told_plan = 0;
  if (frame->told_plan != 0) note(frame, frame->told_plan, true);
}

void berth_told_end(berth_frame_t *frame) {
  if (BERTH_LIKELY(frame->told_plan == 0)) return;
  if (berth_history_is_on()) note(frame, frame->told_plan, false);
  frame->told_plan = 0;
}
