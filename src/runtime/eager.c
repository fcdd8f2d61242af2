// eager.c - Calling one op at once.
#include "berth/eager.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "base/parallel.h"
#include "graph/builder.h"
#include "runtime/eager_internal.h"
#include "tensor/transfer.h"

// Between two polls: less than half of the 50 ms that are promised.
enum { POLL_NS = 20000000 };

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
    berth_cond_wait_until(&w->wake, &w->lock, berth_now_ns() + POLL_NS);
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
                      entry->key.op,
                      context->devices.exec[entry->step.device].name);
}

// The inputs of a call, where the kernel wants them.
typedef struct call_inputs {
  berth_kernel_input_t *inputs;
  const void **data;
  berth_tensor_t **tensors;  // The caller's, or copies of our own.
  int copy_count;
} call_inputs_t;

// Stores |tensor| as input |i|, copied to another memory if need be.
static berth_code_t input_set(const berth_context_t *context,
                              const berth_eager_entry_t *entry, int i,
                              berth_tensor_t *tensor, call_inputs_t *in,
                              berth_error_t *err) {
  bool on_host = entry->host_inputs == NULL || entry->host_inputs[i];
  berth_device_t *wanted =
      on_host ? NULL : context->devices.exec[entry->step.device].device;
  in->tensors[i] = tensor;
  if (BERTH_UNLIKELY(tensor->device != wanted && !entry->shapes_only)) {
    BERTH_TRY(berth_tensor_transfer(tensor, wanted, &in->tensors[i], err));
    tensor = in->tensors[i];
    ++in->copy_count;
  }
  in->data[i] = tensor->data;
  in->inputs[i] = (berth_kernel_input_t){
      tensor->dtype, tensor->rank, tensor->dims, tensor->count,
      tensor->device == NULL ? tensor->data : NULL};
  return BERTH_OK;
}

static void inputs_release(const berth_eager_request_t *request,
                           call_inputs_t *in, int count) {
  for (int i = 0; in->copy_count > 0 && i < count; ++i) {
    if (in->tensors[i] != request->inputs[i]) {
      berth_tensor_release(in->tensors[i]);
    }
  }
}

bool berth_eager_look(void *arg) {
  const berth_config_t *config = &((berth_context_t *)arg)->config;
  return config->poll != NULL && config->poll(config->poll_arg) != 0;
}

static berth_code_t call_with(berth_context_t *context,
                              berth_eager_entry_t *entry,
                              const call_inputs_t *in,
                              const berth_watch_t *watch,
                              berth_tensor_t **outputs, berth_error_t *err) {
  const berth_step_t *step = &entry->step;
  const berth_exec_device_t *devices = context->devices.exec;
  berth_late_call_t call = {
      .data = in->data,
      .inputs = in->inputs,
      .tensors = in->tensors,
      .outputs = outputs,
      .cancelled = &watch->ended,
      .container = context->container,
      .allocator = berth_step_allocator(devices, step),
      .device = berth_step_device(devices, step),
  };
  bool blocks = (step->kernel->flags & BERTH_KERNEL_BLOCKS) != 0;
  berth_hold_t hold = {.what = "an eager call", .name = entry->key.op};
  BERTH_TRY(
      berth_device_hold(call.device, &hold, berth_eager_look, context, err));
  berth_code_t code = blocks
                          ? call_blocking(context, &entry->step, &call, err)
                          : berth_step_call(&entry->step, &call, err);
  berth_gate_leave(&hold);
  return code;
}

// A constant placed on a device is brought there.
static berth_code_t call_constant(const berth_context_t *context,
                                  const berth_eager_entry_t *entry,
                                  berth_tensor_t **outputs,
                                  berth_error_t *err) {
  berth_tensor_t *value = berth_node_attr(entry->step.node, "value")->tensor;
  bool on_host = (entry->step.host_outputs & 1) != 0;
  berth_device_t *device =
      on_host ? NULL : context->devices.exec[entry->step.device].device;
  return berth_tensor_transfer(value, device, &outputs[0], err);
}

static berth_code_t call_entry(berth_context_t *context,
                               berth_eager_entry_t *entry,
                               const berth_eager_request_t *request,
                               const berth_watch_t *watch,
                               berth_tensor_t **outputs, berth_error_t *err) {
  enum { ON_STACK = 16 };
  berth_kernel_input_t stack_inputs[ON_STACK];
  const void *stack_data[ON_STACK];
  berth_tensor_t *stack_tensors[ON_STACK];
  call_inputs_t in = {stack_inputs, stack_data, stack_tensors, 0};
  size_t count = (size_t)request->input_count;
  void *heap = NULL;
  if (!entry->step.on_host && entry->is_constant) {
    return call_constant(context, entry, outputs, err);
  }
  if (count > ON_STACK) {
    heap = berth_alloc(
        count * (sizeof(*in.inputs) + sizeof(*in.data) + sizeof(*in.tensors)));
    if (heap == NULL) return berth_error_no_memory(err, "an eager call");
    in.inputs = heap;
    in.data = (const void **)(void *)(in.inputs + count);
    in.tensors = (berth_tensor_t **)(void *)(in.data + count);
  }
  berth_code_t code = BERTH_OK;
  int ready = 0;
  for (; code == BERTH_OK && ready < (int)count; ++ready) {
    code = input_set(context, entry, ready, request->inputs[ready], &in, err);
  }
  if (code == BERTH_OK) {
    code = call_with(context, entry, &in, watch, outputs, err);
  }
  inputs_release(request, &in, ready);
  berth_free(heap);
  if (BERTH_UNLIKELY(code != BERTH_OK)) blame(context, entry, err);
  return code;
}

// ---- Ending calls ----

// Looks at what may end a call. Most calls with a loop are over before the
// first poll would be due, and asking Python takes its lock.
static bool poll_call(void *arg) {
  berth_watch_t *watch = arg;
  if (watch->next_poll_ns == 0) {
    watch->next_poll_ns = berth_now_ns() + POLL_NS;
    return false;
  }
  return berth_watch_look(watch);
}

// Calls |entry| and watches it. What was ended in the middle gives nothing.
static berth_code_t call_watched(berth_context_t *context,
                                 berth_eager_entry_t *entry,
                                 const berth_eager_request_t *request,
                                 berth_tensor_t **outputs, berth_error_t *err) {
  berth_watch_t watch = {.control = &context->control};
  berth_parallel_scope_t scope = {.threads = context->control.threads};
  // What changes a resource is done to its end.
  if (context->control.poll != NULL && !entry->acts) {
    scope.poll = poll_call;
    scope.poll_arg = &watch;
  }
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_float_env_t float_env = berth_float_env_enter();
  berth_code_t code = call_entry(context, entry, request, &watch, outputs, err);
  berth_float_env_leave(float_env);
  berth_parallel_enter(before);
  if (BERTH_LIKELY(code != BERTH_OK || watch.why == BERTH_OK)) return code;
  for (int i = 0; i < entry->step.output_count; ++i) {
    berth_tensor_release(outputs[i]);
    outputs[i] = NULL;
  }
  code = berth_error_set(err, BERTH_CANCELLED, "The call of %s was ended",
                         request->op);
  blame(context, entry, err);
  return code;
}

// ---- Calls ----

const char *berth_context_handle_device(const berth_context_t *context,
                                        const berth_tensor_t *handle) {
  if (handle->dtype != BERTH_RESOURCE || handle->count == 0) return NULL;
  berth_resource_t *resource = ((const berth_handle_t *)handle->data)->resource;
  int home = resource != NULL
                 ? atomic_load_explicit(&resource->home, memory_order_relaxed)
                 : 0;
  if (home <= 0 || home > context->devices.count) return NULL;
  return context->devices.exec[home - 1].name;
}

// Checks the inputs. A call with a handle goes where its resource is, as in
// TensorFlow.
static berth_code_t check_inputs(const berth_context_t *context,
                                 berth_eager_request_t *request,
                                 berth_error_t *err) {
  bool has_choice = context->devices.count > 1;
  for (int i = 0; i < request->input_count; ++i) {
    const berth_tensor_t *input = request->inputs[i];
    if (input == NULL) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "input %d of %s is NULL", i, request->op);
    }
    if (has_choice && input->dtype == BERTH_RESOURCE) {
      const char *home = berth_context_handle_device(context, input);
      if (home != NULL) request->device = home;
      has_choice = false;  // The first handle decides.
    }
  }
  return BERTH_OK;
}

// Notes where the resource is that |entry| has made.
static void set_home(const berth_eager_entry_t *entry,
                     const berth_tensor_t *made) {
  const berth_handle_t *handle = made->data;
  if (made->count == 0 || handle->resource == NULL) return;
  int none = 0;
  atomic_compare_exchange_strong(&handle->resource->home, &none,
                                 entry->step.device + 1);
}

static berth_code_t call_in(berth_context_t *context,
                            berth_eager_entry_t *entry,
                            const berth_eager_request_t *request,
                            berth_tensor_t **outputs, int *output_count,
                            berth_error_t *err) {
  int count = entry->step.output_count;
  int room = *output_count;
  if (count > room) {
    *output_count = count;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s has %d outputs, but there is room for %d",
                           request->op, count, room);
  }
  if (BERTH_UNLIKELY(atomic_load(&context->log)))
    berth_eager_log_call(context, entry);
  BERTH_TRY(call_watched(context, entry, request, outputs, err));
  if (BERTH_UNLIKELY(entry->gives_handle)) set_home(entry, outputs[0]);
  *output_count = count;
  return BERTH_OK;
}

static berth_code_t eager_call(berth_context_t *context,
                               berth_eager_request_t *request,
                               berth_tensor_t **outputs, int *output_count,
                               berth_error_t *err) {
  BERTH_TRY(check_inputs(context, request, err));
  berth_eager_pin_t *pin = berth_eager_pin_get();
  if (pin == NULL) return berth_error_no_memory(err, "an eager call");
  berth_eager_entry_t *entry = NULL;
  BERTH_TRY(berth_eager_entry_get(context, request, pin, &entry, err));
  berth_code_t code =
      call_in(context, entry, request, outputs, output_count, err);
  berth_eager_entry_put(pin, entry);
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
