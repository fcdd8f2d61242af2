// transfer.c - Tensors between memories.
#include "tensor/transfer.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "device/device.h"

static bool is_ended(void *unused) {
  (void)unused;
  return berth_parallel_poll();
}

// Lets what is queued on |stream| from now on come after what |device| does.
static berth_code_t stream_follow(berth_stream_t *stream,
                                  berth_device_t *device, berth_error_t *err) {
  const berth_stream_ops_t *ops = device->backend->streams;
  berth_event_t *mark = NULL;
  BERTH_TRY(ops->event_create(device, &mark, err));
  berth_code_t code = ops->record(berth_device_compute(device), mark, err);
  if (code == BERTH_OK) code = ops->wait(stream, mark, err);
  ops->event_destroy(mark);
  return code;
}

// Copies what |from| holds into |to| and waits. One of them is on a device.
//
// A copy that is no longer waited for goes on. Nobody sees what it writes:
// memory of a device is used next behind it, and host memory is written by this
// thread. What it reads in a device's memory may be something else by then;
// pinned memory of the host has to be there.
static berth_code_t contents_copy(const berth_tensor_t *from,
                                  berth_tensor_t *to, berth_error_t *err) {
  berth_device_t *worker = to->device != NULL ? to->device : from->device;
  const berth_stream_ops_t *ops = worker->backend->streams;
  berth_stream_t *stream = berth_device_compute(worker);
  if (from->device != NULL && from->device != worker) {
    BERTH_TRY(stream_follow(stream, from->device, err));
  }
  BERTH_TRY(ops->copy(stream, to->device, to->data, from->device, from->data,
                      from->size, err));
  berth_code_t code = berth_device_wait(worker, err);
  if (code == BERTH_CANCELLED && from->device == NULL &&
      ops->keep(stream, from->buffer, NULL) != BERTH_OK) {
    (void)ops->sync(stream, NULL);
  }
  return code;
}

// True when a tensor on |from| gets to |to| (NULL: the host) in one copy:
// streams of one backend know nothing of another's memory.
static bool is_near(const berth_device_t *from, const berth_device_t *to) {
  return from == NULL || to == NULL || from->backend == to->backend;
}

// Copies |tensor| to |device|; both cards are held.
static berth_code_t transfer(berth_tensor_t *tensor, berth_device_t *device,
                             berth_tensor_t **out_tensor, berth_error_t *err) {
  berth_tensor_t *copy = NULL;
  if (!is_near(tensor->device, device)) {
    berth_tensor_t *between = NULL;
    BERTH_TRY(transfer(tensor, NULL, &between, err));
    berth_code_t code = transfer(between, device, out_tensor, err);
    berth_tensor_release(between);
    return code;
  }
  BERTH_TRY(berth_tensor_make(device != NULL ? device->allocator : NULL,
                              tensor->dtype, tensor->rank, tensor->dims,
                              tensor->count, &copy, err));
  berth_code_t code =
      tensor->size > 0 ? contents_copy(tensor, copy, err) : BERTH_OK;
  if (code != BERTH_OK) {
    berth_tensor_release(copy);
    return code;
  }
  *out_tensor = copy;
  return BERTH_OK;
}

berth_code_t berth_tensor_transfer(berth_tensor_t *tensor,
                                   berth_device_t *device,
                                   berth_tensor_t **out_tensor,
                                   berth_error_t *err) {
  if (tensor->device == device) {
    *out_tensor = berth_tensor_retain(tensor);
    return BERTH_OK;
  }
  if (!berth_dtype_is_plain(tensor->dtype)) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED, "A tensor of type %s cannot be copied to %s",
        berth_dtype_name(tensor->dtype), berth_device_full_name(device));
  }
  berth_hold_t holds[2] = {{.what = "a copy"}, {.what = "a copy"}};
  berth_device_t *first = tensor->device, *second = device;
  // In one order for all, so that no two wait for each other.
  if (first != NULL && second != NULL && first->order > second->order) {
    first = device;
    second = tensor->device;
  }
  BERTH_TRY(berth_device_hold(first, &holds[0], is_ended, NULL, err));
  berth_code_t code = berth_device_hold(second, &holds[1], is_ended, NULL, err);
  if (code == BERTH_OK) code = transfer(tensor, device, out_tensor, err);
  berth_gate_leave(&holds[1]);
  berth_gate_leave(&holds[0]);
  return code;
}

// Between two calls of a poll function: less than half of the 50 ms that are
// promised.
enum { POLL_NS = 20000000 };

typedef struct poller {
  berth_poll_fn poll;
  void *arg;
  int64_t next_ns;
} poller_t;

static bool poller_ask(void *arg) {
  poller_t *poller = arg;
  int64_t now = berth_now_ns();
  if (now < poller->next_ns) return false;
  poller->next_ns = now + POLL_NS;
  return poller->poll(poller->arg) != 0;
}

berth_code_t berth_tensor_to_host_polled(const berth_tensor_t *tensor,
                                         berth_poll_fn poll, void *poll_arg,
                                         berth_tensor_t **out_tensor,
                                         berth_error_t *err) {
  poller_t poller = {poll, poll_arg, 0};
  berth_parallel_scope_t scope = {0, poll != NULL ? poller_ask : NULL, &poller};
  const berth_parallel_scope_t *before = berth_parallel_enter(&scope);
  berth_code_t code = berth_tensor_to_host(tensor, out_tensor, err);
  berth_parallel_enter(before);
  return code;
}

berth_code_t berth_tensor_to_host(const berth_tensor_t *tensor,
                                  berth_tensor_t **out_tensor,
                                  berth_error_t *err) {
  BERTH_GIVEN(tensor, err);
  BERTH_GIVEN(out_tensor, err);
  return berth_tensor_transfer((berth_tensor_t *)(uintptr_t)tensor, NULL,
                               out_tensor, err);
}
