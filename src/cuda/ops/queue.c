// queue.c - Queues on GPUs.
//
// The CPU's kernels do it: they never look into the tensors, so that what goes
// into a queue stays in the card's memory. All work on the card is in the order
// of its stream.
#include "cuda/code/launch.h"
#include "cuda/kernels.h"
#include "cuda/ops/fill.h"

static berth_code_t prepare_on_host(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  const berth_kernel_t *kernel =
      berth_kernel_find(berth_kernel_host(), prepare->op.node, NULL);
  if (kernel == NULL) {
    return berth_error_set(err, BERTH_INTERNAL, "%s has no CPU kernel",
                           prepare->op.node->op->name);
  }
  return kernel->prepare(prepare, err);
}

// ---- QueueIsClosedV2 ----

// Its answer belongs into the card's memory.
typedef struct question_plan {
  berth_run_fn ask;  // The CPU's.
  const void *ask_plan;
  berth_run_fn fill[2];  // With no, with yes.
  const void *fill_plan[2];
} question_plan_t;

static berth_code_t run_question(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const question_plan_t *plan = arg;
  bool answer = false;
  void *ask_args[] = {args[0], &answer};
  BERTH_TRY(plan->ask(plan->ask_plan, ask_args, call));
  return plan->fill[answer](plan->fill_plan[answer], args, call);
}

static berth_code_t prepare_question(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  question_plan_t made;
  BERTH_TRY(prepare_on_host(prepare, err));
  made.ask = prepare->run;
  made.ask_plan = prepare->plan;
  for (uint8_t answer = 0; answer < 2; ++answer) {
    BERTH_TRY(berth_fill_prepare(prepare, 1, &answer, -1, err));
    made.fill[answer] = prepare->run;
    made.fill_plan[answer] = prepare->plan;
  }
  question_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  prepare->run = run_question;
  return BERTH_OK;
}

#define BLOCKS \
  (BERTH_KERNEL_MAKES_TENSORS | BERTH_KERNEL_BLOCKS | BERTH_KERNEL_IMPURE)

const berth_kernel_t berth_cuda_queue_kernels[] = {
    // Everything but the handle goes into the queue.
    {.op = "QueueEnqueueV2", .prepare = prepare_on_host},
    {.op = "QueueDequeueV2", .prepare = prepare_on_host},
    {.op = "QueueIsClosedV2", .prepare = prepare_question},
    {.op = NULL},
};
