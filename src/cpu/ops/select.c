// select.c - The kernels Select and SelectV2.
//
// Both are one walk over condition, then and else, broadcast.
#include "cpu/loops/select.h"

#include <stdatomic.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/rows.h"
#include "cpu/ops/sweep.h"
#include "op/elementwise.h"

typedef struct select_plan {
  berth_broadcast_t broadcast;
  berth_dtype_t dtype;
  int64_t size;        // Of an element.
  berth_pick_fn loop;  // NULL: elements that own something.
  int64_t grain;       // Rows.
} select_plan_t;

typedef struct select_job {
  const select_plan_t *plan;
  void *const *args;
  atomic_bool failed;
} select_job_t;

// Copies elements that own something, one by one.
static bool pick_objects(const select_plan_t *plan, const berth_pick_t *pick) {
  for (int64_t i = 0; i < pick->count; ++i) {
    bool yes = pick->condition[i * pick->condition_step] != 0;
    const char *from =
        yes ? (const char *)pick->then + i * pick->then_step * plan->size
            : (const char *)pick->other + i * pick->other_step * plan->size;
    char *to = (char *)pick->out + i * plan->size;
    if (!berth_elements_copy(plan->dtype, to, from, 1)) return false;
  }
  return true;
}

static bool pick_run(const select_plan_t *plan, const berth_pick_t *pick) {
  if (plan->loop == NULL) return pick_objects(plan, pick);
  bool yes = *pick->condition != 0;
  bool is_copy = pick->condition_step == 0 &&
                 (yes ? pick->then_step : pick->other_step) == 1;
  if (is_copy) {
    const void *from = yes ? pick->then : pick->other;
    size_t bytes = (size_t)(pick->count * plan->size);
    if (from != pick->out) memcpy(pick->out, from, bytes);
  } else {
    plan->loop(pick);
  }
  return true;
}

static void do_rows(void *arg, int64_t begin, int64_t end) {
  select_job_t *job = arg;
  const select_plan_t *plan = job->plan;
  const berth_level_t *inner = &plan->broadcast.levels[0];
  berth_rows_t walk;
  berth_rows_start(&plan->broadcast, begin, &walk);
  for (int64_t row = begin; row < end; ++row) {
    berth_pick_t pick = {
        (const uint8_t *)job->args[0] + walk.offsets[0],
        (const char *)job->args[1] + walk.offsets[1] * plan->size,
        (const char *)job->args[2] + walk.offsets[2] * plan->size,
        (char *)job->args[3] + row * inner->count * plan->size,
        inner->count,
        inner->steps[0],
        inner->steps[1],
        inner->steps[2]};
    if (!pick_run(plan, &pick)) atomic_store(&job->failed, true);
    berth_rows_next(&plan->broadcast, &walk);
  }
}

// One level: the elements are the rows.
static void do_flat(void *arg, int64_t begin, int64_t end) {
  select_job_t *job = arg;
  const select_plan_t *plan = job->plan;
  const berth_level_t *inner = &plan->broadcast.levels[0];
  const int64_t size = plan->size;
  berth_pick_t pick = {
      (const uint8_t *)job->args[0] + begin * inner->steps[0],
      (const char *)job->args[1] + begin * inner->steps[1] * size,
      (const char *)job->args[2] + begin * inner->steps[2] * size,
      (char *)job->args[3] + begin * size,
      end - begin,
      inner->steps[0],
      inner->steps[1],
      inner->steps[2]};
  if (!pick_run(plan, &pick)) atomic_store(&job->failed, true);
}

static berth_code_t run_select(const void *arg, void *const *args,
                               berth_call_t *call) {
  const select_plan_t *plan = arg;
  select_job_t job = {plan, args, false};
  if (plan->broadcast.level_count == 1) {
    berth_parallel_for(plan->broadcast.levels[0].count, plan->grain, do_flat,
                       &job);
  } else {
    berth_parallel_for(plan->broadcast.rows, plan->grain, do_rows, &job);
  }
  if (atomic_load(&job.failed)) {
    return berth_error_no_memory(call->err, "elements");
  }
  return BERTH_OK;
}

// Chooses the loop, and says what it costs.
static void plan_set_loop(select_plan_t *plan, berth_prepare_t *prepare,
                          const berth_select_t *select) {
  plan->dtype = select->dtype;
  plan->size = (int64_t)berth_dtype_size(plan->dtype);
  bool is_plain = berth_dtype_is_plain(plan->dtype);
  plan->loop = is_plain ? berth_pick_loop((size_t)plan->size) : NULL;
  int32_t cost = is_plain ? (int32_t)(3 * plan->size + 1) * 40 : 20000;
  plan->grain = berth_grain(cost);
  if (plan->broadcast.level_count > 1) {
    plan->grain = plan->grain / plan->broadcast.levels[0].count + 1;
  }
  prepare->work = select->count / 1000 * cost;
}

static berth_code_t prepare_walk(berth_prepare_t *prepare,
                                 const berth_select_t *select,
                                 berth_error_t *err) {
  if (select->count == 0) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  select_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->broadcast = select->broadcast;
  plan_set_loop(plan, prepare, select);
  prepare->run = run_select;
  return BERTH_OK;
}

static berth_code_t prepare_select(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_select_t select;
  BERTH_TRY(berth_op_select(&prepare->op, &select, err));
  return prepare_walk(prepare, &select, err);
}

static berth_code_t prepare_select_v2(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  berth_select_t select;
  BERTH_TRY(berth_op_select_v2(&prepare->op, &select, err));
  return prepare_walk(prepare, &select, err);
}

#define TYPES (BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT)

const berth_kernel_t berth_cpu_select_kernels[] = {
    {.op = "Select", .types = {{"T", TYPES}}, .prepare = prepare_select},
    {.op = "SelectV2", .types = {{"T", TYPES}}, .prepare = prepare_select_v2},
    {.op = NULL},
};
