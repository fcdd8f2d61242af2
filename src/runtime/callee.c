// callee.c - Functions of a session's graph that its nodes call.
#include "runtime/callee.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "state/routine.h"

enum {
  LEAST_STACK = 256 << 10,  // Bytes that a call must find.
  LOOK_NS = 5000000,        // Between two looks while another thread works.
};

typedef struct callee {
  berth_routine_t base;          // First.
  berth_session_t *session;      // Borrowed; outlives this.
  const berth_callee_t *callee;  // The lowering's.
} callee_t;

// One call.
typedef struct call {
  const callee_t *callee;
  berth_tensor_t *const *inputs;
  berth_tensor_t **outputs;
  const berth_run_control_t *control;
} call_t;

// ---- In this thread ----

// Brings what a call left on a device to the host.
static berth_code_t bring(berth_tensor_t **outputs, int count,
                          berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    if (outputs[i]->device == NULL) continue;
    berth_tensor_t *moved = NULL;
    code = berth_tensor_to_host(outputs[i], &moved, err);
    if (code != BERTH_OK) break;
    berth_tensor_release(outputs[i]);
    outputs[i] = moved;
  }
  for (int i = 0; code != BERTH_OK && i < count; ++i) {
    berth_tensor_release(outputs[i]);
    outputs[i] = NULL;
  }
  return code;
}

// Calls nodes in a failure as the function has them.
static void scope_remove(const char *scope, berth_error_t *err) {
  if (err == NULL) return;
  char *text = err->long_text != NULL ? err->long_text : err->text;
  size_t size = strlen(scope) + 1;  // With the slash.
  for (char *at = strstr(text, scope); at != NULL; at = strstr(at, scope)) {
    if (at[size - 1] == '/') {
      memmove(at, at + size, strlen(at + size) + 1);
    } else {
      ++at;
    }
  }
}

static berth_code_t call_here(const call_t *call, berth_error_t *err) {
  const berth_callee_t *callee = call->callee->callee;
  berth_signature_t signature = {.feeds = callee->args,
                                 .feed_count = callee->arg_count,
                                 .fetches = callee->results,
                                 .fetch_count = callee->result_count,
                                 .targets = &callee->done,
                                 .target_count = callee->done >= 0,
                                 .is_call = true};
  if (signature.fetch_count + signature.target_count == 0) return BERTH_OK;
  berth_program_t *program = NULL;
  berth_code_t code = berth_session_program_of(
      call->callee->session, &signature, call->control, &program, err);
  if (code == BERTH_OK) {
    code = berth_run(program, call->inputs, call->outputs, call->control, err);
  }
  if (code != BERTH_OK) {
    scope_remove(callee->scope, err);
    return code;
  }
  return bring(call->outputs, callee->result_count, err);
}

// ---- In another thread ----

typedef struct errand {
  call_t call;
  berth_run_control_t control;
  atomic_int stop;
  berth_code_t code;
  berth_error_t error;
  berth_mutex_t lock;  // Guards |is_done|.
  berth_cond_t done;
  bool is_done;
} errand_t;

static void errand_run(void *arg) {
  errand_t *errand = arg;
  errand->code = berth_stack_left() >= LEAST_STACK
                     ? call_here(&errand->call, &errand->error)
                     : berth_error_set(&errand->error, BERTH_RESOURCE_EXHAUSTED,
                                       "Threads have too small a stack for "
                                       "calls of functions in functions");
  berth_mutex_lock(&errand->lock);
  errand->is_done = true;
  berth_cond_signal(&errand->done);
  berth_mutex_unlock(&errand->lock);
}

// Waits for |errand|, and ends it when |watch| does.
static void errand_await(errand_t *errand, berth_watch_t *watch) {
  berth_mutex_lock(&errand->lock);
  while (!errand->is_done) {
    (void)berth_cond_wait_until(&errand->done, &errand->lock,
                                berth_now_ns() + LOOK_NS);
    berth_mutex_unlock(&errand->lock);
    if (berth_watch_look(watch)) atomic_store(&errand->stop, 1);
    berth_mutex_lock(&errand->lock);
  }
  berth_mutex_unlock(&errand->lock);
}

// The poll function is this thread's, which goes on calling it.
static berth_code_t call_elsewhere(const call_t *call, berth_error_t *err) {
  errand_t errand = {.call = *call, .control = *call->control};
  berth_watch_t watch = {.control = call->control};
  berth_thread_t thread;
  errand.call.control = &errand.control;
  errand.control.poll = NULL;
  errand.control.cancelled = &errand.stop;
  berth_mutex_init(&errand.lock);
  berth_cond_init(&errand.done);
  berth_code_t code = berth_thread_start(&thread, errand_run, &errand, err);
  if (code == BERTH_OK) {
    errand_await(&errand, &watch);
    berth_thread_join(&thread);
    code = errand.code;
    if (code != BERTH_OK) {
      (void)berth_error_set_text(err, code, berth_error_message(&errand.error));
    }
    if (code == BERTH_CANCELLED) code = berth_watch_why(&watch, code, err);
  }
  berth_error_clear(&errand.error);
  berth_cond_deinit(&errand.done);
  berth_mutex_deinit(&errand.lock);
  return code;
}

// ---- The routine ----

static berth_code_t callee_call(berth_routine_t *base,
                                berth_tensor_t *const *inputs,
                                berth_tensor_t **outputs,
                                const berth_run_control_t *control,
                                berth_error_t *err) {
  const callee_t *callee = (const callee_t *)base;
  berth_run_control_t own;
  berth_session_control(callee->session, NULL, &own);
  if (control != NULL) own = *control;
  if (++own.depth > BERTH_MOST_CALLS) {
    return berth_error_set(err, BERTH_ABORTED,
                           "Function %s is called %d deep in functions, more "
                           "than there may be: does it call itself without "
                           "end?",
                           callee->callee->name, own.depth);
  }
  call_t call = {callee, inputs, outputs, &own};
  return berth_stack_left() >= LEAST_STACK ? call_here(&call, err)
                                           : call_elsewhere(&call, err);
}

// Nothing of a callee begins anew.
static berth_code_t callee_copy(berth_routine_t *base,
                                berth_routine_t **out_copy,
                                berth_error_t *err) {
  (void)err;
  berth_resource_retain(&base->resource);
  *out_copy = base;
  return BERTH_OK;
}

static void callee_destroy(berth_resource_t *resource) { berth_free(resource); }

berth_code_t berth_callee_bind(berth_session_t *session,
                               const berth_node_t *node,
                               berth_resource_t **out_resource,
                               berth_error_t *err) {
  const berth_callee_t *of = NULL;
  if (session->lowering != NULL) {
    of = berth_lowering_callee(session->lowering,
                               berth_node_attr_int(node, BERTH_CALLEE, -1));
  }
  if (of == NULL || of->why_not != NULL) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT, "%s\n\t [[{{node %s}}]]",
        of != NULL ? of->why_not : "It calls no function", node->name);
  }
  callee_t *callee = berth_calloc(1, sizeof(*callee));
  if (callee == NULL) return berth_error_no_memory(err, "a function");
  atomic_init(&callee->base.resource.refs, 1);
  callee->base.resource.kind = BERTH_RESOURCE_ROUTINE;
  callee->base.resource.destroy = callee_destroy;
  callee->base.input_count = of->arg_count;
  callee->base.output_count = of->result_count;
  callee->base.has_state = true;
  callee->base.call = callee_call;
  callee->base.copy = callee_copy;
  callee->session = session;
  callee->callee = of;
  *out_resource = &callee->base.resource;
  return BERTH_OK;
}
