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

const char *berth_prepare_check(const berth_prepare_t *prepare,
                                uint32_t traits) {
  if (prepare->run == NULL && prepare->op.alias < 0) {
    return "there is nothing to run, and no alias";
  }
  if (prepare->work < 0) return "the work is less than none";
  if ((traits & BERTH_OP_UPDATES) != 0 && prepare->scratch_size > 0) {
    return "an update has scratch space";
  }
  return berth_case_check(&prepare->op, traits);
}

berth_code_t berth_run_nothing(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan;
  (void)args;
  (void)call;
  return BERTH_OK;
}
