// gpu_memory.c - Copies to and from the card, and its pool, from the inside.
//
// The public functions do both as parts of something else; here they are alone.
#include <stdio.h>
#include <stdlib.h>

#include "cuda/stream/device.h"
#include "gpu_side.h"

typedef struct state {
  berth_error_t err;
  berth_device_t *device;
  berth_stream_t *stream;
  berth_buffer_t *host;  // Pinned.
  berth_buffer_t *card;
  size_t size;
  bool is_in;
} state_t;

static bool is_ok(berth_code_t code, berth_error_t *err) {
  if (code == BERTH_OK) return true;
  fprintf(stderr, "%s: %s\n", berth_code_name(code), berth_error_message(err));
  berth_error_clear(err);
  return false;
}

// Opens a device of its own on the first card.
static bool open_device(state_t *state) {
  berth_device_wish_t wish = {.id = 99,
                              .policy = berth_policy_mapped(UINT64_C(4) << 30),
                              .description = "bench"};
  return is_ok(berth_cuda_device_open(&wish, "/job:localhost/replica:0/task:0",
                                      &state->device, &state->err),
               &state->err) &&
         is_ok(berth_device_start(state->device, &state->err), &state->err);
}

static berth_buffer_t *take(state_t *state, berth_allocator_t *from) {
  berth_buffer_t *buffer = NULL;
  berth_code_t code = from->alloc(from, state->size, &buffer, &state->err);
  return is_ok(code, &state->err) ? buffer : NULL;
}

static state_t *open_state(const side_bench_t *bench) {
  state_t *state = side_alloc(sizeof(*state));
  if (state == NULL) return NULL;
  state->size = *(const size_t *)bench->arg;
  if (open_device(state)) return state;
  gpu_close_memory(state);
  return NULL;
}

static void *open_copy(const side_bench_t *bench, bool is_in) {
  state_t *state = open_state(bench);
  if (state == NULL) return NULL;
  state->is_in = is_in;
  state->stream = state->device->backend->lane(
      state->device, is_in ? BERTH_LANE_IN : BERTH_LANE_OUT);
  state->host = take(state, state->device->pinned);
  state->card = take(state, state->device->allocator);
  if (state->host != NULL && state->card != NULL) return state;
  gpu_close_memory(state);
  return NULL;
}

void *gpu_open_copy_in(const side_bench_t *bench) {
  return open_copy(bench, true);
}

void *gpu_open_copy_out(const side_bench_t *bench) {
  return open_copy(bench, false);
}

bool gpu_call_copy(void *arg, long turn) {
  state_t *state = arg;
  const berth_stream_ops_t *streams = state->device->backend->streams;
  berth_code_t code = BERTH_OK;
  (void)turn;
  if (state->is_in) {
    code = streams->copy(state->stream, state->device, state->card->data, NULL,
                         state->host->data, state->size, &state->err);
  } else {
    code = streams->copy(state->stream, NULL, state->host->data, state->device,
                         state->card->data, state->size, &state->err);
  }
  return is_ok(code, &state->err) &&
         is_ok(streams->sync(state->stream, &state->err), &state->err);
}

void *gpu_open_alloc(const side_bench_t *bench) { return open_state(bench); }

bool gpu_call_alloc(void *arg, long turn) {
  state_t *state = arg;
  (void)turn;
  berth_buffer_t *buffer = take(state, state->device->allocator);
  berth_buffer_release(buffer);
  return buffer != NULL;
}

void gpu_close_memory(void *arg) {
  state_t *state = arg;
  berth_buffer_release(state->host);
  berth_buffer_release(state->card);
  berth_device_release(state->device);
  free(state);
}
