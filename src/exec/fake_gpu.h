// fake_gpu.h - A device for tests that works beside the host, or seems to.
//
// Its memory is the host's and whatever is queued is done at once, but for what
// is recorded: that is kept, and done when it is replayed. Everything that is
// asked of a stream is counted, and noted in a log of one letter each:
//
//   c copy  k kernel  r record  w wait  p replay
//
// Threads: one at a time.
#ifndef BERTH_EXEC_FAKE_GPU_H_
#define BERTH_EXEC_FAKE_GPU_H_

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/device.h"

enum { FAKE_LOG = 4096 };

// One kernel: out = a + b, or -a where there is no b.
typedef struct fake_work {
  const float *a, *b;
  float *out;
  int64_t count;
} fake_work_t;

typedef struct fake_stream {
  berth_stream_t base;  // First.
  berth_lane_t lane;
  berth_recording_t *recording;  // What is recorded on it; NULL: nothing.
} fake_stream_t;

struct berth_event {
  fake_stream_t *on;  // NULL: not recorded yet.
  int waits;
};

struct berth_recording {
  fake_work_t *works;
  int count;
};

typedef struct fake_gpu {
  berth_device_t device;  // First.
  berth_allocator_t allocator, pinned;
  fake_stream_t streams[BERTH_LANES];
  fake_stream_t recorder;
  char log[FAKE_LOG];  // Letters.
  int log_size;
  int lanes[FAKE_LOG];  // By letter: on which stream.
  int events;           // That there are.
  int recordings;       // That there are.
  bool is_reset;        // What was recorded is gone, once.
} fake_gpu_t;

static inline fake_gpu_t *fake_gpu_of(const berth_stream_t *stream) {
  return (fake_gpu_t *)stream->device;
}

static inline void fake_note(berth_stream_t *stream, char letter) {
  fake_gpu_t *gpu = fake_gpu_of(stream);
  if (gpu->log_size >= FAKE_LOG - 1) return;
  gpu->lanes[gpu->log_size] = (int)((fake_stream_t *)stream)->lane;
  gpu->log[gpu->log_size++] = letter;
  gpu->log[gpu->log_size] = '\0';
}

// Returns how often |letter| is in the log of |gpu|.
static inline int fake_count(const fake_gpu_t *gpu, char letter) {
  int count = 0;
  for (int i = 0; i < gpu->log_size; ++i) count += gpu->log[i] == letter;
  return count;
}

static inline void fake_forget(fake_gpu_t *gpu) {
  gpu->log_size = 0;
  gpu->log[0] = '\0';
}

// ---- Work ----

static inline void fake_do(const fake_work_t *work) {
  for (int64_t i = 0; i < work->count; ++i) {
    work->out[i] = work->b != NULL ? work->a[i] + work->b[i] : -work->a[i];
  }
}

// Queues |work|.
static inline void fake_queue(berth_stream_t *stream, fake_work_t work) {
  fake_stream_t *own = (fake_stream_t *)stream;
  if (own->recording == NULL) {
    fake_note(stream, 'k');
    fake_do(&work);
    return;
  }
  berth_recording_t *recording = own->recording;
  size_t count = (size_t)recording->count + 1;
  recording->works =
      realloc(recording->works, count * sizeof(*recording->works));
  recording->works[recording->count++] = work;
}

static inline berth_code_t fake_copy(berth_stream_t *stream,
                                     berth_device_t *to_device, void *to,
                                     berth_device_t *from_device,
                                     const void *from, size_t size,
                                     berth_error_t *err) {
  (void)to_device, (void)from_device, (void)err;
  fake_note(stream, 'c');
  memcpy(to, from, size);
  return BERTH_OK;
}

static inline berth_code_t fake_copy_near(berth_stream_t *stream,
                                          const berth_near_copy_t *copies,
                                          int count, berth_error_t *err) {
  (void)err;
  fake_note(stream, 'c');
  for (int i = 0; i < count; ++i) {
    memcpy(copies[i].to, copies[i].from, copies[i].size);
  }
  return BERTH_OK;
}

static inline berth_code_t fake_sync(berth_stream_t *stream,
                                     berth_error_t *err) {
  (void)stream, (void)err;
  return BERTH_OK;
}

// ---- Events ----

static inline berth_code_t fake_event_create(berth_device_t *device,
                                             berth_event_t **out,
                                             berth_error_t *err) {
  (void)err;
  ++((fake_gpu_t *)device)->events;
  *out = calloc(1, sizeof(**out));
  return BERTH_OK;
}

static inline void fake_event_destroy(berth_event_t *event) { free(event); }

static inline berth_code_t fake_event_record(berth_stream_t *stream,
                                             berth_event_t *event,
                                             berth_error_t *err) {
  (void)err;
  fake_note(stream, 'r');
  event->on = (fake_stream_t *)stream;
  return BERTH_OK;
}

static inline berth_code_t fake_event_wait(berth_stream_t *stream,
                                           berth_event_t *event,
                                           berth_error_t *err) {
  (void)err;
  fake_note(stream, 'w');
  ++event->waits;
  return BERTH_OK;
}

static inline berth_code_t fake_event_sync(berth_event_t *event,
                                           berth_error_t *err) {
  (void)event, (void)err;
  return BERTH_OK;
}

static inline berth_code_t fake_event_query(berth_event_t *event,
                                            bool *out_done,
                                            berth_error_t *err) {
  (void)event, (void)err;
  *out_done = true;
  return BERTH_OK;
}

// ---- Recordings ----

static inline berth_code_t fake_record_begin(berth_device_t *device,
                                             berth_stream_t **out,
                                             berth_error_t *err) {
  (void)err;
  fake_gpu_t *gpu = (fake_gpu_t *)device;
  ++gpu->recordings;
  gpu->recorder.recording = calloc(1, sizeof(berth_recording_t));
  *out = &gpu->recorder.base;
  return BERTH_OK;
}

static inline void fake_recording_destroy(berth_recording_t *recording) {
  if (recording == NULL) return;
  free(recording->works);
  free(recording);
}

static inline berth_code_t fake_record_end(berth_stream_t *stream,
                                           berth_recording_t **out_recording,
                                           berth_error_t *err) {
  (void)err;
  fake_stream_t *own = (fake_stream_t *)stream;
  if (out_recording != NULL) {
    *out_recording = own->recording;
  } else {
    fake_recording_destroy(own->recording);
  }
  own->recording = NULL;
  return BERTH_OK;
}

static inline berth_code_t fake_replay(berth_stream_t *stream,
                                       berth_recording_t *recording,
                                       const berth_near_copy_t *copies,
                                       int count, berth_error_t *err) {
  (void)copies, (void)count;
  fake_gpu_t *gpu = fake_gpu_of(stream);
  if (gpu->is_reset) {
    gpu->is_reset = false;
    return berth_error_set(err, BERTH_ABORTED, "the device was reset");
  }
  fake_note(stream, 'p');
  for (int i = 0; i < recording->count; ++i) fake_do(&recording->works[i]);
  return BERTH_OK;
}

static inline bool fake_records_copies(berth_device_t *device) {
  (void)device;
  return false;
}

// ---- The rest ----

static inline void *fake_native(berth_stream_t *stream) { return stream; }

static inline berth_code_t fake_query(berth_stream_t *stream, bool *out_done,
                                      berth_error_t *err) {
  (void)stream, (void)err;
  *out_done = true;
  return BERTH_OK;
}

static inline berth_code_t fake_stamp(berth_stream_t *stream, int64_t *out_ns,
                                      berth_error_t *err) {
  (void)stream, (void)err;
  *out_ns = berth_now_ns();
  return BERTH_OK;
}

// What is queued is done already.
static inline berth_code_t fake_keep(berth_stream_t *stream,
                                     berth_buffer_t *buffer,
                                     berth_error_t *err) {
  (void)stream, (void)buffer, (void)err;
  return BERTH_OK;
}

static const berth_stream_ops_t fake_stream_ops = {
    .copy = fake_copy,
    .sync = fake_sync,
    .event_create = fake_event_create,
    .event_destroy = fake_event_destroy,
    .record = fake_event_record,
    .wait = fake_event_wait,
    .event_sync = fake_event_sync,
    .record_begin = fake_record_begin,
    .record_end = fake_record_end,
    .replay = fake_replay,
    .records_copies = fake_records_copies,
    .recording_destroy = fake_recording_destroy,
    .native = fake_native,
    .query = fake_query,
    .stamp = fake_stamp,
    .event_query = fake_event_query,
    .keep = fake_keep,
    .copy_near = fake_copy_near,
};

static inline berth_stream_t *fake_lane(berth_device_t *device,
                                        berth_lane_t lane) {
  return &((fake_gpu_t *)device)->streams[lane].base;
}

// Works in the calling thread, on host memory.
static const berth_backend_t fake_host = {
    .struct_size = sizeof(berth_backend_t),
    .type = "CPU",
};

static const berth_backend_t fake_backend = {
    .struct_size = sizeof(berth_backend_t),
    .type = "GPU",
    .streams = &fake_stream_ops,
    .lane = fake_lane,
};

// ---- Memory ----

static inline void fake_buffer_destroy(berth_buffer_t *buffer) {
  free(buffer->data);
  free(buffer);
}

static inline berth_code_t fake_alloc(berth_allocator_t *allocator, size_t size,
                                      berth_buffer_t **out_buffer,
                                      berth_error_t *err) {
  (void)allocator, (void)err;
  size_t rounded = (size + 63) / 64 * 64 + 64;
  berth_buffer_t *buffer = calloc(1, sizeof(*buffer));
  void *data = aligned_alloc(64, rounded);
  memset(data, 0xff, rounded);  // Not a number, to be seen when it is used.
  berth_buffer_init(buffer, data, rounded, fake_buffer_destroy);
  *out_buffer = buffer;
  return BERTH_OK;
}

static inline berth_code_t fake_gpu_init(fake_gpu_t *gpu, int id,
                                         berth_error_t *err) {
  memset(gpu, 0, sizeof(*gpu));
  BERTH_TRY(berth_device_init(&gpu->device, &fake_backend,
                              "/job:localhost/replica:0/task:0", id, "fake",
                              err));
  gpu->allocator = (berth_allocator_t){fake_alloc, &gpu->device};
  gpu->pinned = (berth_allocator_t){fake_alloc, NULL};
  gpu->device.order = (uint64_t)id + 1;
  gpu->device.allocator = &gpu->allocator;
  gpu->device.pinned = &gpu->pinned;
  for (int i = 0; i < BERTH_LANES; ++i) {
    gpu->streams[i] = (fake_stream_t){{&gpu->device}, (berth_lane_t)i, NULL};
  }
  gpu->recorder = (fake_stream_t){{&gpu->device}, BERTH_LANE_COMPUTE, NULL};
  return BERTH_OK;
}

static inline void fake_gpu_deinit(fake_gpu_t *gpu) {
  berth_device_deinit(&gpu->device);
}

#endif  // BERTH_EXEC_FAKE_GPU_H_
