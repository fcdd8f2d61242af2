// rng.c - Random sequences that go on where a variable says.
#include "kernel/rng.h"

#include <string.h>

#include "device/device.h"
#include "kernel/handle.h"
#include "state/commit.h"
#include "state/generator.h"
#include "state/variable.h"

typedef struct skip_arg {
  uint64_t steps;
  int64_t *out_state;
  bool has_algorithm;      // In front of the state.
  berth_stream_t *stream;  // NULL: the state is in host memory.
  berth_container_t *container;
} skip_arg_t;

static const skip_arg_t *arg_of(const berth_change_t *change) {
  return (const skip_arg_t *)(const void *)change->arg;
}

// Fails unless the algorithm that is in front of a state is Philox.
static berth_code_t check_algorithm(const berth_tensor_t *now,
                                    berth_error_t *err) {
  enum { PHILOX = 1, THREEFRY = 2, AUTO_SELECT = 3 };
  if (now->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Size of tensor must be at least 1");
  }
  int64_t algorithm = *(const int64_t *)now->data;
  if (algorithm == PHILOX || algorithm == AUTO_SELECT) return BERTH_OK;
  if (algorithm == THREEFRY) {
    return berth_error_set(
        err, BERTH_UNIMPLEMENTED,
        "Non-XLA devices don't support the ThreeFry algorithm.");
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Unsupported algorithm id: %lld",
                         (long long)algorithm);
}

static berth_code_t check_state(const berth_change_t *change,
                                const berth_tensor_t *now, berth_error_t *err) {
  const skip_arg_t *with = arg_of(change);
  if (now == NULL) {
    return berth_variable_fail_update(change->variable, with->container, false,
                                      err);
  }
  if (with->stream != NULL) {
    BERTH_TRY(berth_variable_check_device(change->variable, now,
                                          with->stream->device, err));
  }
  if (now->dtype != BERTH_INT64) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "dtype of RNG state variable must be int64, not %s",
                           berth_dtype_name(now->dtype));
  }
  if (now->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "RNG state must have one and only one dimension, "
                           "not %d",
                           (int)now->rank);
  }
  int64_t least = BERTH_RNG_STATE + with->has_algorithm;
  if (with->has_algorithm) BERTH_TRY(check_algorithm(now, err));
  if (now->count >= least) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "For the Philox algorithm, the size of state must be "
                         "at least %d; got %lld",
                         (int)least, (long long)now->count);
}

// Copies |size| bytes between tensors, or a tensor and the host.
static berth_code_t copy_words(const skip_arg_t *with,
                               berth_device_t *to_device, void *to,
                               berth_device_t *from_device, const void *from,
                               size_t size, berth_error_t *err) {
  if (with->stream == NULL) {
    memcpy(to, from, size);
    return BERTH_OK;
  }
  return with->stream->device->backend->streams->copy(
      with->stream, to_device, to, from_device, from, size, err);
}

static berth_code_t apply_skip(const berth_change_t *change,
                               const berth_tensor_t *from, berth_tensor_t *to,
                               berth_error_t *err) {
  const skip_arg_t *with = arg_of(change);
  int64_t *state = with->out_state;
  BERTH_TRY(copy_words(with, NULL, state, from->device,
                       (const int64_t *)from->data + with->has_algorithm,
                       sizeof(int64_t[BERTH_RNG_STATE]), err));
  berth_philox_t philox = berth_rng_start(state);
  berth_philox_skip(&philox, with->steps);
  if (to->data != from->data) {
    BERTH_TRY(copy_words(with, to->device, to->data, from->device, from->data,
                         from->size, err));
  }
  return copy_words(with, to->device, (int64_t *)to->data + with->has_algorithm,
                    NULL, philox.counter, sizeof(philox.counter), err);
}

berth_code_t berth_rng_reserve(const void *handle, uint64_t count,
                               berth_call_t *call,
                               int64_t out_state[BERTH_RNG_STATE]) {
  berth_change_t *change = NULL;
  BERTH_TRY(
      berth_handle_change(handle, check_state, apply_skip, call, &change));
  *(skip_arg_t *)(void *)change->arg =
      (skip_arg_t){.steps = count * BERTH_GENERATOR_STEPS,
                   .out_state = out_state,
                   .has_algorithm = call->node->input_count == 2,
                   .stream = call->stream,
                   .container = call->container};
  return berth_commit_do(call->commit, call->err);
}
