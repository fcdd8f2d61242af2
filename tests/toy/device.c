// device.c - The toy's card, its devices and their streams.
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "device/card.h"
#include "device/reclaim.h"
#include "memory/pool.h"
#include "toy.h"

#define MEMORY ((uint64_t)64 << 20)

typedef struct toy_device {
  berth_device_t device;  // First: everybody else sees only this.
  berth_allocator_t allocator, pinned;
  berth_stream_t lanes[BERTH_LANES];
  berth_pool_t *pool;
} toy_device_t;

int toy_kernels_queued, toy_copies_queued;

// ---- Memory ----

static berth_code_t toy_alloc(berth_allocator_t *allocator, size_t size,
                              berth_buffer_t **out_buffer, berth_error_t *err) {
  toy_device_t *toy = (toy_device_t *)allocator->device;
  return berth_reclaim_buffer(&toy->device, toy->pool, size, out_buffer, err);
}

// Memory of the host, which this device reads at the same address.
static berth_code_t toy_alloc_pinned(berth_allocator_t *allocator, size_t size,
                                     berth_buffer_t **out_buffer,
                                     berth_error_t *err) {
  toy_device_t *toy =
      (toy_device_t *)((char *)allocator - offsetof(toy_device_t, pinned));
  return berth_pool_buffer(toy->pool, size, out_buffer, err);
}

// ---- Streams ----

static berth_code_t toy_copy(berth_stream_t *stream, berth_device_t *to_device,
                             void *to, berth_device_t *from_device,
                             const void *from, size_t size,
                             berth_error_t *err) {
  (void)stream, (void)to_device, (void)from_device, (void)err;
  ++toy_copies_queued;
  memcpy(to, from, size);
  return BERTH_OK;
}

static berth_code_t toy_copy_near(berth_stream_t *stream,
                                  const berth_near_copy_t *copies, int count,
                                  berth_error_t *err) {
  (void)stream, (void)err;
  ++toy_copies_queued;
  for (int i = 0; i < count; ++i) {
    memcpy(copies[i].to, copies[i].from, copies[i].size);
  }
  return BERTH_OK;
}

static berth_code_t toy_sync(berth_stream_t *stream, berth_error_t *err) {
  (void)stream, (void)err;
  return BERTH_OK;
}

// Whatever is marked is done already, so that events hold nothing.
static berth_code_t toy_event_create(berth_device_t *device,
                                     berth_event_t **out, berth_error_t *err) {
  (void)device;
  *out = berth_alloc(1);
  return *out != NULL ? BERTH_OK : berth_error_no_memory(err, "an event");
}

static void toy_event_destroy(berth_event_t *event) { berth_free(event); }

static berth_code_t toy_event_on(berth_stream_t *stream, berth_event_t *event,
                                 berth_error_t *err) {
  (void)stream, (void)event, (void)err;
  return BERTH_OK;
}

static berth_code_t toy_event_sync(berth_event_t *event, berth_error_t *err) {
  (void)event, (void)err;
  return BERTH_OK;
}

static berth_code_t toy_event_query(berth_event_t *event, bool *out_done,
                                    berth_error_t *err) {
  (void)event, (void)err;
  *out_done = true;
  return BERTH_OK;
}

static berth_code_t toy_record_begin(berth_device_t *device,
                                     berth_stream_t **out, berth_error_t *err) {
  (void)device, (void)out;
  return berth_error_set(err, BERTH_UNIMPLEMENTED, "a toy records nothing");
}

static berth_code_t toy_record_end(berth_stream_t *stream,
                                   berth_recording_t **out_recording,
                                   berth_error_t *err) {
  (void)stream, (void)out_recording;
  return berth_error_set(err, BERTH_INTERNAL, "a toy records nothing");
}

static berth_code_t toy_replay(berth_stream_t *stream,
                               berth_recording_t *recording,
                               const berth_near_copy_t *copies, int count,
                               berth_error_t *err) {
  (void)stream, (void)recording, (void)copies, (void)count;
  return berth_error_set(err, BERTH_INTERNAL, "a toy records nothing");
}

static bool toy_records_copies(berth_device_t *device) {
  (void)device;
  return false;
}

static void toy_recording_destroy(berth_recording_t *recording) {
  (void)recording;
}

static void *toy_native(berth_stream_t *stream) { return stream; }

static berth_code_t toy_query(berth_stream_t *stream, bool *out_done,
                              berth_error_t *err) {
  (void)stream, (void)err;
  *out_done = true;
  return BERTH_OK;
}

static berth_code_t toy_stamp(berth_stream_t *stream, int64_t *out_ns,
                              berth_error_t *err) {
  (void)stream, (void)err;
  *out_ns = berth_now_ns();
  return BERTH_OK;
}

static berth_code_t toy_keep(berth_stream_t *stream, berth_buffer_t *buffer,
                             berth_error_t *err) {
  (void)stream, (void)buffer, (void)err;
  return BERTH_OK;
}

static const berth_stream_ops_t stream_ops = {
    .copy = toy_copy,
    .sync = toy_sync,
    .event_create = toy_event_create,
    .event_destroy = toy_event_destroy,
    .record = toy_event_on,
    .wait = toy_event_on,
    .event_sync = toy_event_sync,
    .record_begin = toy_record_begin,
    .record_end = toy_record_end,
    .replay = toy_replay,
    .records_copies = toy_records_copies,
    .recording_destroy = toy_recording_destroy,
    .native = toy_native,
    .query = toy_query,
    .stamp = toy_stamp,
    .event_query = toy_event_query,
    .keep = toy_keep,
    .copy_near = toy_copy_near,
};

// ---- Devices ----

static void toy_close(berth_device_t *device) {
  berth_pool_destroy(((toy_device_t *)device)->pool);
  berth_device_deinit(device);
  berth_free(device);
}

static berth_code_t toy_open(const berth_device_wish_t *wish,
                             const char *prefix, berth_device_t **out_device,
                             berth_error_t *err) {
  if (wish->card != 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "there is no toy %d",
                           wish->card);
  }
  toy_device_t *toy = berth_calloc(1, sizeof(*toy));
  if (toy == NULL) return berth_error_no_memory(err, "a toy");
  berth_code_t code = berth_device_init(&toy->device, &toy_backend, prefix,
                                        wish->id, wish->description, err);
  if (code != BERTH_OK) goto done;
  berth_policy_t policy = berth_policy_host(wish->policy.limit_bytes);
  policy.limit_bytes = wish->policy.limit_bytes;
  code = berth_pool_create(berth_source_host(), &policy, &toy->pool, err);
  if (code != BERTH_OK) {
    berth_device_deinit(&toy->device);
    goto done;
  }
  toy->allocator =
      (berth_allocator_t){.alloc = toy_alloc, .device = &toy->device};
  toy->pinned = (berth_allocator_t){.alloc = toy_alloc_pinned};
  toy->device.memory_limit = (int64_t)wish->policy.limit_bytes;
  toy->device.allocator = &toy->allocator;
  toy->device.pinned = &toy->pinned;
  for (int i = 0; i < BERTH_LANES; ++i) toy->lanes[i].device = &toy->device;
  *out_device = &toy->device;
  return BERTH_OK;

done:
  berth_free(toy);
  return code;
}

static berth_stream_t *toy_lane(berth_device_t *device, berth_lane_t lane) {
  return &((toy_device_t *)device)->lanes[lane];
}

static void toy_memory_stats(berth_device_t *device,
                             berth_memory_stats_t *out_stats) {
  berth_pool_stats(((toy_device_t *)device)->pool, out_stats);
}

// ---- The card ----

static berth_code_t toy_count(int *out_count, berth_error_t *err) {
  (void)err;
  *out_count = 1;
  return BERTH_OK;
}

static const berth_card_info_t *toy_info(int index) {
  static const berth_card_info_t info = {.name = "Toy",
                                         .uuid = "TOY-0",
                                         .pci_bus_id = "0000:00:00.0",
                                         .bus_index = -1,
                                         .fast_index = -1,
                                         .cc_major = 9,
                                         .total_bytes = MEMORY,
                                         .is_simulated = true};
  return index == 0 ? &info : NULL;
}

static const char *toy_problem(void) { return ""; }

static berth_code_t toy_memory(int index, uint64_t *out_free,
                               uint64_t *out_total, berth_error_t *err) {
  (void)index, (void)err;
  *out_free = *out_total = MEMORY;
  return BERTH_OK;
}

static berth_code_t toy_processes(int index, berth_card_process_t *processes,
                                  int room, int *out_count,
                                  berth_error_t *err) {
  (void)index, (void)processes, (void)room, (void)err;
  *out_count = 0;
  return BERTH_OK;
}

static int toy_card_of(const berth_device_t *device) {
  (void)device;
  return 0;
}

static uint64_t toy_set_policy(berth_device_t *device,
                               const berth_policy_t *policy) {
  return berth_pool_set_policy(((toy_device_t *)device)->pool, policy);
}

static berth_code_t toy_reset(int index, bool keep, berth_error_t *err) {
  (void)index, (void)keep;
  return berth_error_set(err, BERTH_UNIMPLEMENTED, "a toy is never reset");
}

static void toy_set_tf32(bool is_allowed) { (void)is_allowed; }
static bool toy_has_tf32(void) { return false; }

static const berth_card_ops_t card_ops = {
    .struct_size = sizeof(berth_card_ops_t),
    .count = toy_count,
    .info = toy_info,
    .problem = toy_problem,
    .memory = toy_memory,
    .processes = toy_processes,
    .open = toy_open,
    .card_of = toy_card_of,
    .set_policy = toy_set_policy,
    .reset = toy_reset,
    .set_tf32 = toy_set_tf32,
    .has_tf32 = toy_has_tf32,
};

const berth_backend_t toy_backend = {
    .struct_size = sizeof(berth_backend_t),
    .type = "GPU",
    .add_kernels = toy_add_kernels,
    .cards = &card_ops,
    .close = toy_close,
    .memory_stats = toy_memory_stats,
    .streams = &stream_ops,
    .lane = toy_lane,
};
