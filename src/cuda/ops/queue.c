// queue.c - Queues on GPUs: the kernel QueueIsClosedV2.
//
// What goes into a queue and comes out of it stays in the card's memory, and
// the CPU's kernels hand it on. A question alone has its answer there, too.
#include "state/queue.h"

#include "cuda/kernels.h"
#include "cuda/ops/fill.h"
#include "kernel/handle.h"
#include "op/resource.h"

typedef struct plan {
  berth_run_fn run[2];  // Fills the output with no, with yes.
  const void *plan[2];
} plan_t;

static berth_code_t run_is_closed(const void *arg, void *const *args,
                                  berth_call_t *call) {
  const plan_t *plan = arg;
  berth_resource_t *queue = NULL;
  BERTH_TRY(berth_handle_get(args[0], BERTH_RESOURCE_QUEUE, &queue, call->err));
  int answer = berth_queue_is_closed((berth_queue_t *)queue) ? 1 : 0;
  return plan->run[answer](plan->plan[answer], args, call);
}

static berth_code_t prepare_is_closed(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  plan_t made;
  BERTH_TRY(berth_op_handle(&prepare->op, err));
  for (uint8_t answer = 0; answer < 2; ++answer) {
    BERTH_TRY(berth_fill_prepare(prepare, 1, &answer, -1, err));
    made.run[answer] = prepare->run;
    made.plan[answer] = prepare->plan;
  }
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = made;
  prepare->run = run_is_closed;
  return BERTH_OK;
}

const berth_kernel_t berth_cuda_queue_kernels[] = {
    {.op = "QueueIsClosedV2", .prepare = prepare_is_closed},
    {.op = NULL},
};
