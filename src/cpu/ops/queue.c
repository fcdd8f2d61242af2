// queue.c - Kernels on queues.
//
// What cannot be done at once is parked in the queue (state/queue.h): the run
// returns BERTH_PENDING, and the queue's callback finishes the completion. What
// that takes lies in the completion's own storage.
#include "state/queue.h"

#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/ops/elements.h"
#include "cpu/ops/list.h"
#include "kernel/handle.h"
#include "op/resource.h"
#include "state/barrier.h"

// ---- Making ----

static berth_code_t get_queue(const void *handle, berth_queue_t **out_queue,
                              berth_error_t *err) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(handle, BERTH_RESOURCE_QUEUE, &resource, err));
  *out_queue = (berth_queue_t *)resource;
  return BERTH_OK;
}

// ---- Waiting ----

// An operation on its way, in the storage of its completion.
typedef struct pending {
  berth_queue_waiter_t waiter;
  berth_queue_t *queue;  // Retained until the end.
} pending_t;

_Static_assert(sizeof(pending_t) <=
                   sizeof(((berth_completion_t *)NULL)->storage),
               "a parked operation must fit its completion");

static pending_t *pending_of(berth_completion_t *completion) {
  return (pending_t *)(void *)completion->storage;
}

static void pending_done(berth_queue_waiter_t *waiter, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  berth_completion_t *completion = waiter->arg;
  // The storage is gone once the completion is done.
  berth_queue_t *queue = pending_of(completion)->queue;
  completion->done(completion, code, text, outputs);
  berth_resource_release((berth_resource_t *)queue);
}

static void pending_cancel(berth_completion_t *completion) {
  berth_queue_cancel(&pending_of(completion)->waiter);
}

// Makes the completion ready for |queue|: the operation may be finished by
// another thread as soon as it is parked.
static berth_code_t pending_on(berth_queue_t *queue, berth_call_t *call,
                               pending_t **out_pending) {
  if (call->completion == NULL) {
    return berth_error_set(call->err, BERTH_INTERNAL,
                           "%s was run without a completion", call->node->name);
  }
  pending_t *pending = pending_of(call->completion);
  memset(pending, 0, sizeof(*pending));
  pending->queue = queue;
  pending->waiter.done = pending_done;
  pending->waiter.arg = call->completion;
  berth_resource_retain((berth_resource_t *)queue);
  call->completion->cancel = pending_cancel;
  *out_pending = pending;
  return BERTH_OK;
}

// The same for the queue of the first argument.
static berth_code_t pending_begin(void *const *args, berth_call_t *call,
                                  pending_t **out_pending) {
  berth_queue_t *queue = NULL;
  BERTH_TRY(get_queue(args[0], &queue, call->err));
  return pending_on(queue, call, out_pending);
}

// Ends a run that tried an operation. Nothing of a parked one may be touched.
static berth_code_t pending_end(pending_t *pending, berth_code_t code,
                                bool parked) {
  if (parked) return BERTH_PENDING;
  berth_resource_release((berth_resource_t *)pending->queue);
  return code;
}

// ---- Signatures ----

// Appends "float, int32", after a comma when the list |goes_on|.
static void print_types(const berth_dtype_t *types, int count, bool goes_on,
                        berth_str_t *str) {
  for (int i = 0; i < count; ++i) {
    berth_str_printf(str, "%s%s", i > 0 || goes_on ? ", " : "",
                     berth_dtype_name(types[i]));
  }
}

// Fails when |types|, those of a node's components, are not the queue's. Inputs
// between the handle and the components are named by |before|.
static berth_code_t check_signature(const berth_queue_t *queue,
                                    const char *before, bool are_outputs,
                                    const berth_dtype_t *types, int count,
                                    const berth_call_t *call) {
  int has = berth_queue_component_count(queue);
  const berth_dtype_t *wanted = berth_queue_types(queue);
  bool same = has == count;
  for (int i = 0; same && i < count; ++i) same = types[i] == wanted[i];
  if (same) return BERTH_OK;
  const char *arrow = are_outputs ? "->" : "";
  const char *end = are_outputs ? "" : "->";
  const char *handle =
      call->node->op->inputs[0].is_ref ? "string_ref" : "resource";
  berth_str_t text = {0};
  berth_str_printf(&text, "Signature mismatch, have: %s%s%s", handle, before,
                   arrow);
  print_types(types, count, !are_outputs, &text);
  berth_str_printf(&text, "%s expected: %s%s%s", end, handle, before, arrow);
  print_types(wanted, has, !are_outputs, &text);
  berth_str_puts(&text, end);
  berth_error_set_text(call->err, BERTH_INVALID_ARGUMENT, berth_str_get(&text));
  berth_str_clear(&text);
  return BERTH_INVALID_ARGUMENT;
}

static berth_code_t check_inputs(const berth_queue_t *queue,
                                 const berth_call_t *call) {
  const berth_attr_value_t *types = berth_node_attr(call->node, "Tcomponents");
  return check_signature(queue, "", false,
                         types != NULL ? types->type_list : NULL,
                         types != NULL ? types->count : 0, call);
}

static berth_code_t check_outputs(const berth_queue_t *queue,
                                  const char *before,
                                  const berth_call_t *call) {
  return check_signature(queue, before, true, call->node->output_types,
                         call->node->output_count, call);
}

// ---- Running ----

static berth_code_t run_enqueue(const void *plan, void *const *args,
                                berth_call_t *call) {
  const bool *many = plan;
  berth_queue_t *queue = NULL;
  BERTH_TRY(get_queue(args[0], &queue, call->err));
  BERTH_TRY(check_inputs(queue, call));
  pending_t *pending = NULL;
  BERTH_TRY(pending_begin(args, call, &pending));
  bool parked = false;
  int count = call->node->input_count - 1;
  berth_code_t code =
      *many ? berth_queue_enqueue_many(queue, call->inputs + 1, count,
                                       &pending->waiter, &parked, call->err)
            : berth_queue_enqueue(queue, call->inputs + 1, count,
                                  &pending->waiter, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_dequeue(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan;
  berth_queue_t *queue = NULL;
  BERTH_TRY(get_queue(args[0], &queue, call->err));
  BERTH_TRY(check_outputs(queue, "", call));
  pending_t *pending = NULL;
  BERTH_TRY(pending_begin(args, call, &pending));
  bool parked = false;
  berth_code_t code = berth_queue_dequeue(queue, &pending->waiter,
                                          call->outputs, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_dequeue_many(const void *plan, void *const *args,
                                     berth_call_t *call) {
  const bool *or_fewer = plan;
  berth_queue_t *queue = NULL;
  BERTH_TRY(get_queue(args[0], &queue, call->err));
  int32_t count = *(const int32_t *)args[1];
  if (count < 0) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT, "%s requested %d < 0 elements",
        *or_fewer ? "DequeueUpToOp" : "DequeueManyOp", (int)count);
  }
  BERTH_TRY(check_outputs(queue, ", int32", call));
  pending_t *pending = NULL;
  BERTH_TRY(pending_begin(args, call, &pending));
  bool parked = false;
  berth_code_t code =
      berth_queue_dequeue_many(queue, count, *or_fewer, &pending->waiter,
                               call->outputs, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_close(const void *plan, void *const *args,
                              berth_call_t *call) {
  const bool *gives_up = plan;
  pending_t *pending = NULL;
  BERTH_TRY(pending_begin(args, call, &pending));
  bool parked = false;
  berth_code_t code = berth_queue_close(pending->queue, *gives_up,
                                        &pending->waiter, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_size(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  berth_queue_t *queue = NULL;
  BERTH_TRY(get_queue(args[0], &queue, call->err));
  *(int32_t *)args[1] = (int32_t)berth_queue_size(queue);
  return BERTH_OK;
}

static berth_code_t run_is_closed(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  berth_queue_t *queue = NULL;
  BERTH_TRY(get_queue(args[0], &queue, call->err));
  *(bool *)args[1] = berth_queue_is_closed(queue);
  return BERTH_OK;
}

// ---- Staging areas ----
//
// Queues that are the nodes' own.

static berth_code_t run_stage(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)plan, (void)args;
  pending_t *pending = NULL;
  BERTH_TRY(pending_on((berth_queue_t *)call->resource, call, &pending));
  bool parked = false;
  berth_code_t code =
      berth_queue_enqueue(pending->queue, call->inputs, call->node->input_count,
                          &pending->waiter, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_unstage(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan, (void)args;
  pending_t *pending = NULL;
  BERTH_TRY(pending_on((berth_queue_t *)call->resource, call, &pending));
  bool parked = false;
  berth_code_t code = berth_queue_dequeue(pending->queue, &pending->waiter,
                                          call->outputs, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_stage_peek(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  pending_t *pending = NULL;
  BERTH_TRY(pending_on((berth_queue_t *)call->resource, call, &pending));
  bool parked = false;
  berth_code_t code =
      berth_queue_peek(pending->queue, *(const int32_t *)args[0],
                       &pending->waiter, call->outputs, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_stage_size(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  *(int32_t *)args[0] =
      (int32_t)berth_queue_size((berth_queue_t *)call->resource);
  return BERTH_OK;
}

// Nobody waits here: what comes meanwhile is taken, and what others take is
// theirs.
static void drop_outputs(berth_queue_waiter_t *waiter, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  (void)text;
  int count = berth_queue_component_count(waiter->arg);
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    berth_tensor_release(outputs[i]);
  }
}

static berth_code_t run_stage_clear(const void *plan, void *const *args,
                                    berth_call_t *call) {
  (void)plan, (void)args;
  berth_queue_t *queue = (berth_queue_t *)call->resource;
  int count = berth_queue_component_count(queue);
  berth_tensor_t **outputs = berth_calloc((size_t)count, sizeof(*outputs));
  if (outputs == NULL) return berth_error_no_memory(call->err, "an element");
  bool parked = false;
  while (!parked && berth_queue_size(queue) > 0) {
    berth_queue_waiter_t waiter = {.done = drop_outputs, .arg = queue};
    berth_code_t code =
        berth_queue_dequeue(queue, &waiter, outputs, &parked, NULL);
    if (parked) berth_queue_cancel(&waiter);
    if (parked || code != BERTH_OK) break;
    for (int i = 0; i < count; ++i) berth_tensor_release(outputs[i]);
  }
  berth_free(outputs);
  return BERTH_OK;
}

// ---- Barriers ----

static berth_code_t get_barrier(const berth_call_t *call,
                                berth_barrier_t **out_barrier) {
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_BARRIER,
                             &resource, call->err));
  *out_barrier = (berth_barrier_t *)resource;
  return BERTH_OK;
}

// Reads what a barrier is made as.
static berth_code_t read_barrier(const berth_call_t *call,
                                 berth_queue_options_t *out_options) {
  const berth_node_t *node = call->node;
  const berth_attr_value_t *types = berth_node_attr(node, "component_types");
  const berth_attr_value_t *shapes = berth_node_attr(node, "shapes");
  const char *shared = berth_node_attr_string(node, "shared_name", "");
  int count = types != NULL ? types->count : 0;
  int shape_count = shapes != NULL ? shapes->count : 0;
  for (int i = 0; i < shape_count; ++i) {
    char text[BERTH_DIMS_TEXT];
    if (berth_dims_is_full(shapes->shape_list[i])) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Shape %s is not fully defined",
                           berth_dims_text(shapes->shape_list[i], text));
  }
  if (shape_count != count) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "All of the component shapes must be specified");
  }
  if (berth_node_attr_int(node, "capacity", -1) != -1) {
    return berth_error_set(
        call->err, BERTH_INVALID_ARGUMENT,
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
        "through a queue to enforce a limited capacity.");
  }
  *out_options = (berth_queue_options_t){.component_count = count,
                                         .types = types->type_list,
                                         .shapes = shapes->shape_list,
                                         .is_shared = shared[0] != '\0'};
  return BERTH_OK;
}

static berth_code_t run_barrier(const void *plan, void *const *args,
                                berth_call_t *call) {
  (void)plan, (void)args;
  berth_queue_options_t options;
  berth_tensor_t *handle = NULL;
  berth_barrier_t *barrier = NULL;
  BERTH_TRY(read_barrier(call, &options));
  BERTH_TRY(berth_element_scalar(call, BERTH_RESOURCE, &handle));
  berth_code_t code = berth_barrier_get(
      call->container, berth_node_attr_string(call->node, "container", ""),
      berth_handle_key(call->node), &options, &barrier, call->err);
  if (code != BERTH_OK) {
    berth_tensor_release(handle);
    return code;
  }
  ((berth_handle_t *)handle->data)->resource = (berth_resource_t *)barrier;
  call->outputs[0] = handle;
  return BERTH_OK;
}

static berth_code_t check_part(const berth_barrier_t *barrier, int64_t part,
                               const berth_call_t *call) {
  int width = berth_barrier_width(barrier);
  berth_dtype_t is = call->inputs[2]->dtype;
  if (part < 0 || part >= width) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "The component ID is out of range %lld > "
                           "num_components (= %d)",
                           (long long)part, width);
  }
  berth_dtype_t wanted = berth_barrier_types(barrier)[part];
  if (is == wanted) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "Signature mismatch, have: string_ref, string, %s-> "
                         "expected: string_ref, string, %s->",
                         berth_dtype_name(is), berth_dtype_name(wanted));
}

static berth_code_t run_insert(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)plan, (void)args;
  const berth_tensor_t *keys = call->inputs[1];
  berth_tensor_t *values = call->inputs[2];
  int64_t part = berth_node_attr_int(call->node, "component_index", 0);
  int64_t count = 0, has = values->rank == 0 ? 1 : values->dims[0];
  berth_barrier_t *barrier = NULL;
  BERTH_TRY(get_barrier(call, &barrier));
  BERTH_TRY(check_part(barrier, part, call));
  if (has < keys->count) {
    return berth_list_fail_shape(call,
                                 "There are more keys than values: ", values);
  }
  berth_tensor_t **rows = berth_calloc((size_t)keys->count + 1, sizeof(*rows));
  if (rows == NULL) return berth_error_no_memory(call->err, "values");
  berth_code_t code = BERTH_OK;
  for (; code == BERTH_OK && count < keys->count; ++count) {
    if (values->rank == 0) {
      rows[count] = berth_tensor_retain(values);
    } else {
      code = berth_element_row(call, values, count, -1, &rows[count]);
    }
  }
  if (code == BERTH_OK) {
    code = berth_barrier_insert(barrier, (int)part, keys, rows, call->err);
  }
  for (int64_t i = 0; i < count; ++i) berth_tensor_release(rows[i]);
  berth_free(rows);
  return code;
}

static berth_code_t run_take_many(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan, (void)args;
  bool or_fewer = berth_node_attr_bool(call->node, "allow_small_batch", false);
  int64_t count = *(const int32_t *)call->inputs[1]->data;
  berth_barrier_t *barrier = NULL;
  pending_t *pending = NULL;
  bool parked = false;
  BERTH_TRY(get_barrier(call, &barrier));
  berth_queue_t *queue = berth_barrier_queue(barrier);
  BERTH_TRY(check_outputs(queue, ", int32", call));
  BERTH_TRY(berth_barrier_begin_take(barrier, or_fewer, &count, call->err));
  BERTH_TRY(pending_on(queue, call, &pending));
  berth_code_t code =
      berth_queue_dequeue_many(queue, count, or_fewer, &pending->waiter,
                               call->outputs, &parked, call->err);
  return pending_end(pending, code, parked);
}

static berth_code_t run_barrier_close(const void *plan, void *const *args,
                                      berth_call_t *call) {
  (void)plan, (void)args;
  berth_barrier_t *barrier = NULL;
  BERTH_TRY(get_barrier(call, &barrier));
  return berth_barrier_close(
      barrier,
      berth_node_attr_bool(call->node, "cancel_pending_enqueues", false),
      call->err);
}

// How many tuples are whole, or are not, as the op asks.
static berth_code_t run_barrier_size(const void *plan, void *const *args,
                                     berth_call_t *call) {
  (void)plan, (void)args;
  berth_barrier_t *barrier = NULL;
  BERTH_TRY(get_barrier(call, &barrier));
  BERTH_TRY(berth_element_scalar(call, BERTH_INT32, &call->outputs[0]));
  bool is_whole = strcmp(call->node->op->name, "BarrierReadySize") == 0;
  *(int32_t *)call->outputs[0]->data =
      (int32_t)(is_whole ? berth_queue_size(berth_barrier_queue(barrier))
                         : berth_barrier_parts(barrier));
  return BERTH_OK;
}

BERTH_LIST_PREPARE(barrier)
BERTH_LIST_PREPARE(insert)
BERTH_LIST_PREPARE(barrier_close)
BERTH_LIST_PREPARE(barrier_size)

// ---- Preparing ----

// Prepares an operation that |describe| checks; its plan is one flag.
static berth_code_t prepare_operation(
    berth_prepare_t *prepare,
    berth_code_t (*describe)(berth_case_t *op, berth_error_t *err),
    berth_run_fn run, bool flag, berth_error_t *err) {
  BERTH_TRY(describe(&prepare->op, err));
  bool *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = flag;
  prepare->run = run;
  return BERTH_OK;
}

// Defines prepare_<name>().
#define OPERATION(name, describe, run, flag)                     \
  static berth_code_t prepare_##name(berth_prepare_t *prepare,   \
                                     berth_error_t *err) {       \
    return prepare_operation(prepare, describe, run, flag, err); \
  }

OPERATION(enqueue, berth_op_queue, run_enqueue, false)
OPERATION(enqueue_many, berth_op_queue, run_enqueue, true)
OPERATION(dequeue, berth_op_queue, run_dequeue, false)
OPERATION(stage, berth_op_queue, run_stage, false)
OPERATION(unstage, berth_op_queue, run_unstage, false)
OPERATION(stage_clear, berth_op_queue, run_stage_clear, false)
OPERATION(stage_peek, berth_op_stage_peek, run_stage_peek, false)
OPERATION(take_many, berth_op_queue_many, run_take_many, false)
OPERATION(dequeue_many, berth_op_queue_many, run_dequeue_many, false)
OPERATION(dequeue_up_to, berth_op_queue_many, run_dequeue_many, true)

static berth_code_t prepare_close(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  bool *gives_up = berth_prepare_plan(prepare, sizeof(*gives_up));
  if (gives_up == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_close;
  return berth_op_queue_close(&prepare->op, gives_up, err);
}

static berth_code_t prepare_size(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_size;
  return berth_op_handle(&prepare->op, err);
}

static berth_code_t prepare_stage_size(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  (void)err;
  prepare->run = run_stage_size;
  berth_case_output(&prepare->op, 0, (berth_dims_t){0, NULL});
  return BERTH_OK;
}

static berth_code_t prepare_is_closed(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  prepare->run = run_is_closed;
  return berth_op_handle(&prepare->op, err);
}

// Also of ops whose handles are resources (op/name.h).
const berth_kernel_t berth_cpu_queue_kernels[] = {
    {.op = "FIFOQueue", .prepare = berth_handle_prepare},
    {.op = "RandomShuffleQueue", .prepare = berth_handle_prepare},
    {.op = "PaddingFIFOQueue", .prepare = berth_handle_prepare},
    {.op = "PriorityQueue", .prepare = berth_handle_prepare},
    // Tensors go in and come out as they are, wherever they are: all work on a
    // card is in the order of its stream.
    {.op = "QueueEnqueue",
     .prepare = prepare_enqueue,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "QueueDequeue",
     .prepare = prepare_dequeue,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "Stage", .prepare = prepare_stage, .anywhere = BERTH_TYPES_ALL},
    {.op = "Unstage", .prepare = prepare_unstage, .anywhere = BERTH_TYPES_ALL},
    {.op = "StageClear",
     .prepare = prepare_stage_clear,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "StagePeek",
     .prepare = prepare_stage_peek,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "StageSize",
     .prepare = prepare_stage_size,
     .anywhere = BERTH_TYPES_ALL},
    {.op = "QueueEnqueueMany", .prepare = prepare_enqueue_many},
    {.op = "QueueDequeueMany", .prepare = prepare_dequeue_many},
    {.op = "QueueDequeueUpTo", .prepare = prepare_dequeue_up_to},
    {.op = "QueueClose", .prepare = prepare_close},
    {.op = "QueueSize", .prepare = prepare_size},
    {.op = "QueueIsClosed", .prepare = prepare_is_closed},
    {.op = "Barrier", .prepare = prepare_barrier},
    {.op = "BarrierInsertMany", .prepare = prepare_insert},
    {.op = "BarrierTakeMany", .prepare = prepare_take_many},
    {.op = "BarrierClose", .prepare = prepare_barrier_close},
    {.op = "BarrierReadySize", .prepare = prepare_barrier_size},
    {.op = "BarrierIncompleteSize", .prepare = prepare_barrier_size},
    {.op = NULL},
};
