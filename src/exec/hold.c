// hold.c - The cards that a run uses are not given back meanwhile.
#include "exec/hold.h"

#include "base/alloc.h"
#include "device/device.h"

static berth_code_t enter(berth_device_t *device, berth_hold_t *hold,
                          const char *what, berth_watch_t *watch,
                          berth_error_t *err) {
  hold->what = what;
  hold->name = NULL;
  berth_code_t code = berth_gate_enter(
      device->gate, hold, watch != NULL ? berth_watch_poll : NULL, watch);
  if (code != BERTH_OK) return berth_watch_error(watch, err);
  // Whoever starts it first brings back what its memory held.
  code = berth_device_start(device, err);
  if (code != BERTH_OK) berth_gate_leave(hold);
  return code;
}

berth_code_t berth_program_use(berth_program_t *program, berth_device_t *device,
                               berth_watch_t *watch, berth_error_t *err) {
  if (device == NULL) return BERTH_OK;
  berth_used_device_t **link = &program->used;
  // In one order for all programs, so that no two runs wait for each other.
  while (*link != NULL && (*link)->device->order < device->order) {
    link = &(*link)->next;
  }
  if (*link != NULL && (*link)->device == device) {
    return berth_device_start(device, err);
  }
  berth_used_device_t *used =
      berth_arena_calloc(&program->arena, 1, sizeof(*used));
  if (used == NULL) return berth_error_no_memory(err, "a program");
  used->device = device;
  BERTH_TRY(
      enter(device, &used->making, "the making of a program", watch, err));
  used->next = *link;
  *link = used;
  ++program->used_count;
  return BERTH_OK;
}

void berth_program_let_go(berth_program_t *program) {
  for (berth_used_device_t *u = program->used; u != NULL; u = u->next) {
    berth_gate_leave(&u->making);
  }
}

// I6: the gates of all cards, in the order of memories.
berth_code_t berth_holds_enter(berth_holds_t *holds,
                               const berth_program_t *program,
                               berth_watch_t *watch, berth_error_t *err) {
  const char *what = program->signature.is_call ? "a call of a function"
                                                : "a run of a session";
  holds->count = 0;
  holds->all = holds->few;
  if (BERTH_UNLIKELY(program->used_count > BERTH_COUNT_OF(holds->few))) {
    holds->all = berth_calloc((size_t)program->used_count, sizeof(*holds->all));
    if (holds->all == NULL) return berth_error_no_memory(err, "a run");
  }
  berth_code_t code = BERTH_OK;
  for (berth_used_device_t *u = program->used; u != NULL; u = u->next) {
    code = enter(u->device, &holds->all[holds->count], what, watch, err);
    if (code != BERTH_OK) break;
    ++holds->count;
  }
  if (code != BERTH_OK) berth_holds_leave(holds);
  return code;
}

void berth_holds_leave(berth_holds_t *holds) {
  while (holds->count > 0) berth_gate_leave(&holds->all[--holds->count]);
  if (holds->all != holds->few) berth_free(holds->all);
  holds->all = NULL;
}
