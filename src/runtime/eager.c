// eager.c - Calling one op at once.
#include "berth/eager.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/float_env.h"
#include "base/parallel.h"
#include "exec/inputs.h"
#include "exec/pending.h"
#include "graph/builder.h"
#include "runtime/eager_internal.h"
#include "tensor/transfer.h"

// Between two polls: less than half of the 50 ms that are promised.
enum { POLL_NS = 20000000 };

static BERTH_NOINLINE berth_code_t call_blocking(berth_context_t *context,
                                                 berth_step_t *step,
                                                 berth_late_call_t *call,
                                                 berth_error_t *err) {
  berth_waiter_t waiter;
  berth_pending_t pending;
  berth_waiter_init(&waiter);
  berth_pending_init(&pending, &waiter, call->outputs, step->output_count);
  call->completion = &pending.completion;
  berth_pending_begin(&pending);
  berth_code_t code = berth_step_call(step, call, err);
  if (code == BERTH_PENDING) {
    berth_pending_await(&pending, berth_eager_look, context);
    code = berth_pending_result(&pending, err);
  } else {
    berth_pending_end(&pending);
  }
  berth_pending_deinit(&pending);
  berth_waiter_deinit(&waiter);
  return code;
}

// Says where a kernel failed, as TensorFlow does.
static void blame(const berth_eager_entry_t *entry, berth_error_t *err) {
  berth_error_prepend(err, "{{function_node __wrapped__%s_device_%s}} ",
                      entry->key.op,
                      entry->devices->exec[entry->step.device].name);
}

// Makes |tensor| input |i|, copied to another memory if need be.
static berth_code_t input_set(const berth_eager_entry_t *entry, int i,
                              berth_tensor_t *tensor, berth_inputs_t *in,
                              berth_error_t *err) {
  bool on_host = entry->host_inputs == NULL || entry->host_inputs[i];
  berth_device_t *wanted =
      on_host ? NULL : entry->devices->exec[entry->step.device].device;
  berth_inputs_set(in, i, tensor);
  if (BERTH_LIKELY(tensor->device == wanted || entry->shapes_only)) {
    return BERTH_OK;
  }
  berth_tensor_t *copy = NULL;
  BERTH_TRY(berth_tensor_transfer(tensor, wanted, &copy, err));
  berth_inputs_set(in, i, copy);
  berth_inputs_own(in, i, copy);
  return BERTH_OK;
}

bool berth_eager_look(void *arg) {
  const berth_config_t *config = &((berth_context_t *)arg)->config;
  return config->poll != NULL && config->poll(config->poll_arg) != 0;
}

static berth_code_t call_step(berth_context_t *context, berth_step_t *step,
                              berth_late_call_t *call, berth_error_t *err) {
  return BERTH_UNLIKELY((step->traits & BERTH_OP_BLOCKS) != 0)
             ? call_blocking(context, step, call, err)
             : berth_step_call(step, call, err);
}

// Calls |entry| on a card, which is not given back meanwhile.
static BERTH_NOINLINE berth_code_t call_on_card(berth_context_t *context,
                                                berth_eager_entry_t *entry,
                                                berth_late_call_t *call,
                                                berth_error_t *err) {
  berth_hold_t hold = {.what = "an eager call", .name = entry->key.op};
  BERTH_TRY(
      berth_device_hold(call->device, &hold, berth_eager_look, context, err));
  berth_code_t code = call_step(context, &entry->step, call, err);
  berth_gate_leave(&hold);
  return code;
}

static berth_code_t call_with(berth_context_t *context,
                              berth_eager_entry_t *entry,
                              const berth_inputs_t *in,
                              const berth_watch_t *watch,
                              berth_tensor_t **outputs, berth_error_t *err) {
  berth_late_call_t call =
      berth_inputs_call(in, &entry->step, entry->devices->exec,
                        context->container, &watch->ended);
  call.outputs = outputs;
  call.may_share = true;
  return call.device != NULL ? call_on_card(context, entry, &call, err)
                             : call_step(context, &entry->step, &call, err);
}

// A constant placed on a device is brought there.
static berth_code_t call_constant(const berth_eager_entry_t *entry,
                                  berth_tensor_t **outputs,
                                  berth_error_t *err) {
  berth_tensor_t *value = NULL;
  BERTH_TRY(berth_node_constant(entry->step.node, &value, err));
  bool on_host =
      entry->step.host_outputs != NULL && entry->step.host_outputs[0];
  berth_device_t *device =
      on_host ? NULL : entry->devices->exec[entry->step.device].device;
  berth_code_t code = berth_tensor_transfer(value, device, &outputs[0], err);
  berth_tensor_release(value);
  return code;
}

static berth_code_t call_entry(berth_context_t *context,
                               berth_eager_entry_t *entry,
                               const berth_eager_request_t *request,
                               const berth_watch_t *watch,
                               berth_tensor_t **outputs, berth_error_t *err) {
  if (!entry->step.on_host && entry->is_constant) {
    return call_constant(entry, outputs, err);
  }
  berth_inputs_t in;
  BERTH_TRY(berth_inputs_init(&in, &entry->step, err));
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < request->input_count; ++i) {
    code = input_set(entry, i, request->inputs[i], &in, err);
  }
  if (code == BERTH_OK) {
    code = call_with(context, entry, &in, watch, outputs, err);
  }
  berth_inputs_deinit(&in);
  if (BERTH_UNLIKELY(code != BERTH_OK)) blame(entry, err);
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
  berth_float_env_t float_env = 0;
  if (entry->computes) float_env = berth_float_env_enter();
  berth_code_t code = call_entry(context, entry, request, &watch, outputs, err);
  if (entry->computes) berth_float_env_leave(float_env);
  berth_parallel_enter(before);
  if (BERTH_LIKELY(code != BERTH_OK || watch.why == BERTH_OK)) return code;
  for (int i = 0; i < entry->step.output_count; ++i) {
    berth_tensor_release(outputs[i]);
    outputs[i] = NULL;
  }
  code = berth_error_set(err, BERTH_CANCELLED, "The call of %s was ended",
                         request->op);
  blame(entry, err);
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
  if (home <= 0) return NULL;
  const berth_registry_t *all = &berth_context_devices(context)->registry;
  for (size_t i = 0; i < all->count; ++i) {
    if (all->devices[i]->order + 1 != (uint64_t)home) continue;
    return berth_device_full_name(all->devices[i]);
  }
  return NULL;  // It is not one of the context's any more.
}

int berth_context_last_device(const berth_context_t *context) {
  const berth_eager_pin_t *pin = berth_eager_own_pin;
  int count = berth_context_devices(context)->count;
  return pin != NULL && pin->device < count ? pin->device : 0;
}

// Looks at the inputs once: checks them and hashes their types. A call with a
// handle goes where its resource is, as in TensorFlow.
static berth_code_t look_at_inputs(const berth_context_t *context,
                                   berth_eager_request_t *request,
                                   berth_error_t *err) {
  bool has_choice = berth_context_devices(context)->count > 1;
  uint64_t hash = 0;
  for (int i = 0; i < request->input_count; ++i) {
    const berth_tensor_t *input = request->inputs[i];
    if (BERTH_UNLIKELY(input == NULL)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "input %d of %s is NULL", i, request->op);
    }
    hash = hash * 31 + (uint64_t)input->dtype;
    if (has_choice && input->dtype == BERTH_RESOURCE) {
      const char *home = berth_context_handle_device(context, input);
      if (home != NULL) request->device = home;
      has_choice = false;  // The first handle decides.
    }
  }
  request->types_hash = hash;
  return BERTH_OK;
}

// Notes where the resource is that |entry| has made.
static void set_home(const berth_eager_entry_t *entry,
                     const berth_tensor_t *made) {
  const berth_handle_t *handle = made->data;
  if (made->count == 0 || handle->resource == NULL) return;
  int none = 0;
  const berth_device_t *device =
      entry->devices->registry.devices[entry->step.device];
  atomic_compare_exchange_strong(&handle->resource->home, &none,
                                 (int)device->order + 1);
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
  BERTH_TRY(look_at_inputs(context, request, err));
  berth_eager_pin_t *pin = berth_eager_pin_get();
  if (pin == NULL) return berth_error_no_memory(err, "an eager call");
  berth_eager_entry_t *entry = NULL;
  BERTH_TRY(berth_eager_entry_get(context, request, pin, &entry, err));
  berth_code_t code =
      call_in(context, entry, request, outputs, output_count, err);
  pin->device = entry->step.device;
  berth_eager_entry_put(pin, entry);
  return code;
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_eager_call(berth_context_t *context, const char *op,
                              const char *device, berth_tensor_t *const *inputs,
                              int input_count, berth_tensor_t **outputs,
                              int *output_count, berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(op, err);
  BERTH_GIVEN_LIST(inputs, input_count, err);
  BERTH_GIVEN(output_count, err);
  BERTH_GIVEN_LIST(outputs, *output_count, err);
  berth_eager_request_t request = {.op = op,
                                   .device = device != NULL ? device : "",
                                   .inputs = inputs,
                                   .input_count = input_count};
  return eager_call(context, &request, outputs, output_count, err);
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_eager_call_op(berth_context_t *context, const berth_op_t *op,
                                 const char *device,
                                 berth_tensor_t *const *inputs, int input_count,
                                 berth_tensor_t **outputs, int *output_count,
                                 berth_error_t *err) {
  BERTH_GIVEN(context, err);
  BERTH_GIVEN(op, err);
  BERTH_GIVEN_LIST(inputs, input_count, err);
  BERTH_GIVEN(output_count, err);
  BERTH_GIVEN_LIST(outputs, *output_count, err);
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
