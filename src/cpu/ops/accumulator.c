// accumulator.c - Kernels on accumulators of gradients.
//
// A take that cannot be done at once is parked (state/accumulator.h), as
// operations of queues are: the run returns BERTH_PENDING.
#include "state/accumulator.h"

#include <string.h>

#include "cpu/kernels.h"
#include "kernel/handle.h"
#include "op/resource.h"

static berth_code_t get_accumulator(const void *handle, berth_call_t *call,
                                    berth_accumulator_t **out) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(handle, BERTH_RESOURCE_ACCUMULATOR, &resource,
                             call->err));
  *out = (berth_accumulator_t *)resource;
  return BERTH_OK;
}

// Gets an accumulator of the type that the node has.
static berth_code_t get_typed(void *const *args, berth_call_t *call,
                              bool is_sparse, berth_accumulator_t **out) {
  BERTH_TRY(get_accumulator(args[0], call, out));
  berth_accumulator_options_t options = berth_accumulator_options(*out);
  berth_dtype_t dtype = berth_node_attr_type(call->node, "dtype", BERTH_FLOAT);
  if (options.dtype == dtype && options.is_sparse == is_sparse) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "%s is for %s gradients of type %s, and got an accumulator for %s ones "
      "of "
      "type %s",
      call->node->name, is_sparse ? "sparse" : "dense", berth_dtype_name(dtype),
      options.is_sparse ? "sparse" : "dense", berth_dtype_name(options.dtype));
}

static berth_code_t run_count(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_accumulator_t *accumulator = NULL;
  BERTH_TRY(get_accumulator(args[0], call, &accumulator));
  *(int32_t *)args[1] = berth_accumulator_count(accumulator);
  return BERTH_OK;
}

static berth_code_t run_set_step(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)plan;
  berth_accumulator_t *accumulator = NULL;
  BERTH_TRY(get_accumulator(args[0], call, &accumulator));
  berth_accumulator_set_step(accumulator, *(const int64_t *)args[1]);
  return BERTH_OK;
}

static berth_code_t run_apply(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan;
  berth_accumulator_t *accumulator = NULL;
  BERTH_TRY(get_typed(args, call, false, &accumulator));
  return berth_accumulator_apply(accumulator, *(const int64_t *)args[1],
                                 call->inputs[2], call->err);
}

static berth_code_t run_apply_rows(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  berth_accumulator_t *accumulator = NULL;
  BERTH_TRY(get_typed(args, call, true, &accumulator));
  bool is_known = berth_node_attr_bool(call->node, "has_known_shape", false);
  return berth_accumulator_apply_rows(
      accumulator, *(const int64_t *)args[1], call->inputs[2], call->inputs[3],
      is_known ? call->inputs[4] : NULL, call->err);
}

// ---- Taking ----

// A take on its way, in the storage of its completion.
typedef struct pending {
  berth_accumulator_waiter_t waiter;
  berth_accumulator_t *accumulator;  // Retained until the end.
} pending_t;

_Static_assert(sizeof(pending_t) <=
                   sizeof(((berth_completion_t *)NULL)->storage),
               "a parked take must fit its completion");

static pending_t *pending_of(berth_completion_t *completion) {
  return (pending_t *)(void *)completion->storage;
}

static void pending_done(berth_accumulator_waiter_t *waiter, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  berth_completion_t *completion = waiter->arg;
  // The storage is gone once the completion is done.
  berth_accumulator_t *accumulator = pending_of(completion)->accumulator;
  completion->done(completion, code, text, outputs);
  berth_resource_release((berth_resource_t *)accumulator);
}

static void pending_cancel(berth_completion_t *completion) {
  berth_accumulator_cancel(&pending_of(completion)->waiter);
}

static berth_code_t run_take(const void *plan, void *const *args,
                             berth_call_t *call) {
  const bool *is_sparse = plan;
  berth_accumulator_t *accumulator = NULL;
  BERTH_TRY(get_typed(args, call, *is_sparse, &accumulator));
  pending_t *pending = pending_of(call->completion);
  memset(pending, 0, sizeof(*pending));
  pending->accumulator = accumulator;
  pending->waiter.done = pending_done;
  pending->waiter.arg = call->completion;
  call->completion->cancel = pending_cancel;
  berth_resource_retain((berth_resource_t *)accumulator);
  bool parked = false;
  berth_code_t code = berth_accumulator_take(
      accumulator, *(const int32_t *)args[1], &pending->waiter, call->outputs,
      &parked, call->err);
  // Nothing of a parked one may be touched.
  if (parked) return BERTH_PENDING;
  berth_resource_release((berth_resource_t *)accumulator);
  return code;
}

// ---- Preparing ----

// Fails unless input 1, called |name|, has one element.
static berth_code_t check_scalar(const berth_case_t *op, const char *name,
                                 berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  if (op->inputs[1].rank == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Argument %s must be scalar, but had bad shape %s",
                         name,
                         berth_dims_text(berth_case_input_dims(op, 1), text));
}

static berth_code_t prepare_count(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  prepare->run = run_count;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t prepare_set_step(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  prepare->run = run_set_step;
  return check_scalar(&prepare->op, "new_global_step", err);
}

static berth_code_t prepare_apply(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  prepare->run = prepare->op.input_count > 3 ? run_apply_rows : run_apply;
  return check_scalar(&prepare->op, "local_step", err);
}

static berth_code_t prepare_take(berth_prepare_t *prepare, berth_error_t *err) {
  bool *is_sparse = berth_prepare_plan(prepare, sizeof(*is_sparse));
  if (is_sparse == NULL) return berth_error_no_memory(err, "a plan");
  *is_sparse = prepare->op.output_count == 3;
  for (int i = 0; i < prepare->op.output_count; ++i) {
    prepare->op.outputs[i].rank = -1;
  }
  prepare->run = run_take;
  return check_scalar(&prepare->op, "num_required", err);
}

#define SUMMED                                                             \
  {                                                                        \
    { "dtype", BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) } \
  }

const berth_kernel_t berth_cpu_accumulator_kernels[] = {
    {.op = "ConditionalAccumulator",
     .types = SUMMED,
     .prepare = berth_handle_prepare},
    {.op = "ResourceConditionalAccumulator",
     .types = SUMMED,
     .prepare = berth_handle_prepare},
    {.op = "SparseConditionalAccumulator",
     .types = SUMMED,
     .prepare = berth_handle_prepare},
    {.op = "AccumulatorApplyGradient",
     .types = SUMMED,
     .prepare = prepare_apply},
    {.op = "ResourceAccumulatorApplyGradient",
     .types = SUMMED,
     .prepare = prepare_apply},
    {.op = "SparseAccumulatorApplyGradient",
     .types = SUMMED,
     .prepare = prepare_apply},
    {.op = "AccumulatorTakeGradient", .types = SUMMED, .prepare = prepare_take},
    {.op = "ResourceAccumulatorTakeGradient",
     .types = SUMMED,
     .prepare = prepare_take},
    {.op = "SparseAccumulatorTakeGradient",
     .types = SUMMED,
     .prepare = prepare_take},
    {.op = "AccumulatorNumAccumulated", .prepare = prepare_count},
    {.op = "ResourceAccumulatorNumAccumulated", .prepare = prepare_count},
    {.op = "AccumulatorSetGlobalStep", .prepare = prepare_set_step},
    {.op = "ResourceAccumulatorSetGlobalStep", .prepare = prepare_set_step},
    {.op = NULL},
};
