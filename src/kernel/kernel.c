// kernel.c - Helpers of prepare.
#include "kernel/kernel.h"

void *berth_prepare_plan(berth_prepare_t *prepare, size_t size) {
  prepare->plan = berth_arena_calloc(prepare->op.arena, 1, size);
  return prepare->plan;
}

bool berth_prepare_own(berth_prepare_t *prepare, void *thing,
                       void (*drop)(void *)) {
  if (berth_arena_own(prepare->op.arena, thing, drop)) return true;
  drop(thing);
  return false;
}

berth_code_t berth_run_nothing(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  (void)call;
  return BERTH_OK;
}
