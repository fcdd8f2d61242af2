// host_call.c - Ops whose work the host program does.
//
// A call is counted twice: by the run that waits for it and by the host that
// will finish it. A cancelled run lets go at once; what the host delivers
// afterwards is dropped.
#include "runtime/host_call.h"

#include "base/alloc.h"
#include "base/fork.h"
#include "base/thread.h"

// A registered function. The list is short: tokens are few.
typedef struct host_fn host_fn_t;
struct host_fn {
  host_fn_t *next;
  char *token;
  berth_host_fn fn;
  void *arg;
};

static berth_mutex_t registry_lock = BERTH_MUTEX_INIT;  // Guards |functions|.
BERTH_FORK_HOLDS(registry_lock, BERTH_FORK_LEAF)
static host_fn_t *functions = NULL;

struct berth_host_call {
  atomic_int refs;
  berth_mutex_t lock;              // Guards |completion|.
  berth_completion_t *completion;  // NULL once it is done or cancelled.
  int input_count;
  int output_count;
  const berth_dtype_t *output_types;  // The node's; while the run waits.
  berth_tensor_t *inputs[];           // Retained.
};

// ---- Registry ----

static host_fn_t **find_slot(const char *token) {
  host_fn_t **slot = &functions;
  while (*slot != NULL && strcmp((*slot)->token, token) != 0) {
    slot = &(*slot)->next;
  }
  return slot;
}

static berth_code_t register_locked(const char *token, berth_host_fn fn,
                                    void *arg, berth_error_t *err) {
  host_fn_t **slot = find_slot(token);
  if (*slot == NULL && fn != NULL) {
    host_fn_t *entry = berth_calloc(1, sizeof(*entry));
    char *copy = berth_strdup(token);
    if (entry == NULL || copy == NULL) {
      berth_free(entry);
      berth_free(copy);
      return berth_error_no_memory(err, "a host function");
    }
    entry->token = copy;
    *slot = entry;
  }
  host_fn_t *entry = *slot;
  if (entry == NULL) return BERTH_OK;
  if (fn != NULL) {
    entry->fn = fn;
    entry->arg = arg;
    return BERTH_OK;
  }
  *slot = entry->next;
  berth_free(entry->token);
  berth_free(entry);
  return BERTH_OK;
}

berth_code_t berth_host_register(const char *token, berth_host_fn fn, void *arg,
                                 berth_error_t *err) {
  BERTH_GIVEN(token, err);
  berth_mutex_lock(&registry_lock);
  berth_code_t code = register_locked(token, fn, arg, err);
  berth_mutex_unlock(&registry_lock);
  return code;
}

static bool find_function(const char *token, berth_host_fn *fn, void **arg) {
  berth_mutex_lock(&registry_lock);
  host_fn_t *entry = *find_slot(token);
  if (entry != NULL) {
    *fn = entry->fn;
    *arg = entry->arg;
  }
  berth_mutex_unlock(&registry_lock);
  return entry != NULL;
}

// ---- Calls ----

static void call_release(berth_host_call_t *call) {
  if (atomic_fetch_sub(&call->refs, 1) != 1) return;
  for (int i = 0; i < call->input_count; ++i) {
    berth_tensor_release(call->inputs[i]);
  }
  berth_mutex_deinit(&call->lock);
  berth_free(call);
}

// Takes the completion: whoever gets it must call done.
static berth_completion_t *take_completion(berth_host_call_t *call) {
  berth_mutex_lock(&call->lock);
  berth_completion_t *completion = call->completion;
  call->completion = NULL;
  berth_mutex_unlock(&call->lock);
  return completion;
}

static berth_host_call_t *call_of(berth_completion_t *completion) {
  berth_host_call_t *call = NULL;
  memcpy(&call, completion->storage, sizeof(call));
  return call;
}

static void call_cancel(berth_completion_t *completion) {
  berth_host_call_t *call = call_of(completion);
  berth_completion_t *taken = take_completion(call);
  if (taken != NULL) {
    taken->done(taken, BERTH_CANCELLED, "Run call was cancelled", NULL);
  }
}

// The run lets go: nobody will cancel any more.
static void call_cleanup(berth_completion_t *completion) {
  call_release(call_of(completion));
}

int berth_host_call_input_count(const berth_host_call_t *call) {
  if (call == NULL) return 0;
  return call->input_count;
}

berth_tensor_t *berth_host_call_input(const berth_host_call_t *call,
                                      int index) {
  if (call == NULL || index < 0 || index >= call->input_count) return NULL;
  return call->inputs[index];
}

// Checks what the host delivers against what the op promises.
static bool outputs_fit(const berth_host_call_t *call,
                        berth_tensor_t *const *outputs, int count, char *text,
                        size_t size) {
  if (count != call->output_count) {
    snprintf(text, size, "a host function gave %d outputs instead of %d", count,
             call->output_count);
    return false;
  }
  for (int i = 0; i < count; ++i) {
    if (outputs[i] != NULL && outputs[i]->dtype == call->output_types[i]) {
      continue;
    }
    snprintf(
        text, size, "output %d of a host function is %s instead of %s", i,
        outputs[i] != NULL ? berth_dtype_name(outputs[i]->dtype) : "missing",
        berth_dtype_name(call->output_types[i]));
    return false;
  }
  return true;
}

void berth_host_call_finish(berth_host_call_t *call, berth_code_t code,
                            const char *message, berth_tensor_t **outputs,
                            int output_count) {
  if (call == NULL) return;
  char text[160];
  if (berth_is_no_list(outputs, output_count)) output_count = 0;
  if ((int)code < BERTH_OK || code > BERTH_UNAUTHENTICATED) {
    code = BERTH_UNKNOWN;
  }
  if (code != BERTH_OK && message == NULL) message = "a host function failed";
  // Without a completion the run is over, and its node may be gone.
  berth_completion_t *completion = take_completion(call);
  if (completion != NULL && code == BERTH_OK &&
      !outputs_fit(call, outputs, output_count, text, sizeof(text))) {
    code = BERTH_INVALID_ARGUMENT;
    message = text;
  }
  bool delivered = completion != NULL && code == BERTH_OK;
  if (!delivered) {
    for (int i = 0; i < output_count; ++i) berth_tensor_release(outputs[i]);
  }
  if (completion != NULL) {
    completion->done(completion, code, message, delivered ? outputs : NULL);
  }
  call_release(call);
}

// ---- The kernel ----

static berth_host_call_t *call_create(berth_call_t *call) {
  const berth_node_t *node = call->node;
  size_t count = (size_t)node->input_count;
  berth_host_call_t *host =
      berth_calloc(1, sizeof(*host) + count * sizeof(host->inputs[0]));
  if (host == NULL) return NULL;
  atomic_init(&host->refs, 2);
  berth_mutex_init(&host->lock);
  host->completion = call->completion;
  host->input_count = node->input_count;
  host->output_count = node->output_count;
  host->output_types = node->output_types;
  for (size_t i = 0; i < count; ++i) {
    host->inputs[i] = berth_tensor_retain(call->inputs[i]);
  }
  return host;
}

static berth_code_t host_call_run(const void *plan, void *const *args,
                                  berth_call_t *call) {
  (void)plan;
  (void)args;
  const char *token = berth_node_attr_string(call->node, "token", "");
  berth_host_fn fn = NULL;
  void *arg = NULL;
  if (!find_function(token, &fn, &arg)) {
    return berth_error_set(call->err, BERTH_NOT_FOUND,
                           "no host function is registered under '%s'", token);
  }
  berth_host_call_t *host = call_create(call);
  if (host == NULL) return berth_error_no_memory(call->err, "a host call");
  memcpy(call->completion->storage, &host, sizeof(host));
  call->completion->cancel = call_cancel;
  call->completion->cleanup = call_cleanup;
  fn(host, arg);
  return BERTH_PENDING;
}

static berth_code_t host_call_prepare(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  (void)err;
  prepare->run = host_call_run;
  return BERTH_OK;
}

#define HOST_CALL(name) \
  { .op = name, .prepare = host_call_prepare }

const berth_kernel_t berth_host_call_kernels[] = {HOST_CALL("BerthCallback"),
                                                  HOST_CALL("PyFunc"),
                                                  HOST_CALL("PyFuncStateless"),
                                                  {.op = NULL}};
