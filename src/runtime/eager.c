// eager.c - Calling one op at once.
#include "berth/eager.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "base/parallel.h"
#include "graph/builder.h"
#include "runtime/eager_internal.h"

// A blocking op that the calling thread waits for.
typedef struct waiting {
  berth_completion_t completion;  // First.
  berth_mutex_t lock;
  berth_cond_t wake;
  bool is_done;
  berth_code_t code;
  char *text;
  berth_tensor_t **outputs;
  int output_count;
} waiting_t;

static void waiting_done(berth_completion_t *completion, berth_code_t code,
                         const char *text, berth_tensor_t **outputs) {
  waiting_t *w = (waiting_t *)completion;
  berth_mutex_lock(&w->lock);
  w->code = code;
  w->text = code != BERTH_OK && text != NULL ? berth_strdup(text) : NULL;
  for (int i = 0; code == BERTH_OK && i < w->output_count; ++i) {
    w->outputs[i] = outputs[i];
  }
  w->is_done = true;
  berth_cond_signal(&w->wake);
  berth_mutex_unlock(&w->lock);
}

// Waits, polling; a poll that says so cancels.
static berth_code_t waiting_finish(berth_context_t *context, waiting_t *w,
                                   berth_error_t *err) {
  bool told = false;
  berth_mutex_lock(&w->lock);
  while (!w->is_done) {
    berth_cond_wait_until(&w->wake, &w->lock, berth_now_ns() + 20000000);
    if (w->is_done || told || context->config.poll == NULL) continue;
    berth_mutex_unlock(&w->lock);
    told = context->config.poll(context->config.poll_arg) != 0;
    if (told && w->completion.cancel != NULL) {
      w->completion.cancel(&w->completion);
    }
    berth_mutex_lock(&w->lock);
  }
  berth_mutex_unlock(&w->lock);
  if (w->code == BERTH_OK) return BERTH_OK;
  return berth_error_set_text(err, w->code,
                              w->text != NULL ? w->text : "the op failed");
}

static berth_code_t call_blocking(berth_context_t *context, berth_step_t *step,
                                  berth_late_call_t *call, berth_error_t *err) {
  waiting_t w = {.outputs = call->outputs, .output_count = step->output_count};
  w.completion.done = waiting_done;
  berth_mutex_init(&w.lock);
  berth_cond_init(&w.wake);
  call->completion = &w.completion;
  berth_code_t code = berth_step_call(step, call, err);
  if (code == BERTH_PENDING) code = waiting_finish(context, &w, err);
  if (w.completion.cleanup != NULL) w.completion.cleanup(&w.completion);
  berth_free(w.text);
  berth_mutex_deinit(&w.lock);
  berth_cond_deinit(&w.wake);
  return code;
}

// Says where a kernel failed, as TensorFlow does.
static void blame(const berth_context_t *context,
                  const berth_eager_entry_t *entry, berth_error_t *err) {
  berth_error_prepend(err, "{{function_node __wrapped__%s_device_%s}} ",
                      entry->op,
                      context->devices.exec[entry->step.device].name);
}

static berth_code_t call_entry(berth_context_t *context,
                               berth_eager_entry_t *entry,
                               const berth_eager_request_t *request,
                               berth_tensor_t **outputs, berth_error_t *err) {
  enum { ON_STACK = 16 };
  berth_kernel_input_t stack_inputs[ON_STACK];
  const void *stack_data[ON_STACK];
  berth_kernel_input_t *inputs = stack_inputs;
  const void **data = stack_data;
  size_t count = (size_t)request->input_count;
  void *heap = NULL;
  if (count > ON_STACK) {
    heap = berth_alloc(count * (sizeof(*inputs) + sizeof(*data)));
    if (heap == NULL) return berth_error_no_memory(err, "an eager call");
    inputs = heap;
    data = (const void **)(void *)(inputs + count);
  }
  for (size_t i = 0; i < count; ++i) {
    berth_tensor_t *tensor = request->inputs[i];
    data[i] = tensor->data;
    inputs[i] = (berth_kernel_input_t){
        tensor->dtype, tensor->rank, tensor->dims, tensor->count, tensor->data};
  }
  static const atomic_int never = 0;
  berth_late_call_t call = {
      .data = data,
      .inputs = inputs,
      .tensors = request->inputs,
      .outputs = outputs,
      .cancelled = &never,
      .container = context->container,
      .allocator = context->devices.exec[entry->step.device].allocator,
  };
  bool blocks = (entry->step.kernel->flags & BERTH_KERNEL_BLOCKS) != 0;
  berth_code_t code = blocks ? call_blocking(context, &entry->step, &call, err)
                             : berth_step_call(&entry->step, &call, err);
  berth_free(heap);
  if (BERTH_UNLIKELY(code != BERTH_OK)) blame(context, entry, err);
  return code;
}

static berth_code_t eager_call(berth_context_t *context,
                               const berth_eager_request_t *request,
                               berth_tensor_t **outputs, int *output_count,
                               berth_error_t *err) {
  for (int i = 0; i < request->input_count; ++i) {
    if (request->inputs[i] == NULL) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "input %d of %s is NULL", i, request->op);
    }
  }
  berth_eager_entry_t *entry = NULL;
  BERTH_TRY(berth_eager_entry_get(context, request, &entry, err));
  int count = entry->step.output_count;
  if (count > *output_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s has %d outputs, but there is room for %d",
                           request->op, count, *output_count);
  }
  if (BERTH_UNLIKELY(atomic_load(&context->log)))
    berth_eager_log_call(context, entry);
  berth_parallel_scope_t scope = {.threads = context->config.intra_op_threads};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_float_env_t float_env = berth_float_env_enter();
  berth_code_t code = call_entry(context, entry, request, outputs, err);
  berth_float_env_leave(float_env);
  berth_parallel_enter(before);
  if (code == BERTH_OK) *output_count = count;
  return code;
}

berth_code_t berth_eager_call(berth_context_t *context, const char *op,
                              const char *device, berth_tensor_t *const *inputs,
                              int input_count, berth_tensor_t **outputs,
                              int *output_count, berth_error_t *err) {
  berth_eager_request_t request = {.op = op,
                                   .device = device != NULL ? device : "",
                                   .inputs = inputs,
                                   .input_count = input_count};
  return eager_call(context, &request, outputs, output_count, err);
}

berth_code_t berth_eager_call_op(berth_context_t *context, const berth_op_t *op,
                                 const char *device,
                                 berth_tensor_t *const *inputs, int input_count,
                                 berth_tensor_t **outputs, int *output_count,
                                 berth_error_t *err) {
  berth_node_spec_t spec;
  BERTH_TRY(berth_op_describe(op, &spec, err));
  if (device == NULL) device = spec.device;
  berth_eager_request_t request = {.op = spec.op,
                                   .device = device != NULL ? device : "",
                                   .attrs = spec.attrs,
                                   .attr_count = spec.attr_count,
                                   .inputs = inputs,
                                   .input_count = input_count};
  return eager_call(context, &request, outputs, output_count, err);
}
