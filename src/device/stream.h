// stream.h - Work that a device does in order, later.
//
// A device that works beside the host has streams: whatever is queued on one is
// done in the order of queueing, whatever is on two is done at the same time
// unless an event says otherwise. A host device has none; its work is done when
// a call returns.
//
//   copies in    ──[ feed ]──e1                      e1, e2: events
//   compute            └──>[ matmul ][ add ]──e2
//   copies out                               └──>[ fetch ]──> host waits
//
// Two more things belong to a device that works alone. Pinned memory
// (berth_device_t.pinned) is host memory that it reads and writes at the same
// address, without a copy. A recording is a list of work that is queued again
// as a whole, for a fraction of the cost, with the very same addresses.
//
// A failure of the device itself is met where the host next waits, or queues:
// BERTH_INTERNAL or BERTH_UNAVAILABLE, and every later call says the same. All
// functions here may fail so, or with BERTH_RESOURCE_EXHAUSTED; what else they
// fail with they say. They are for who holds the device's gate, and the device
// was started; destroying alone is not.
//
// Threads: several threads may queue on one stream; what order they come in is
// their business. An event or a recording belongs to one thread at a time.
#ifndef BERTH_DEVICE_STREAM_H_
#define BERTH_DEVICE_STREAM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "memory/buffer.h"

typedef struct berth_device berth_device_t;
typedef struct berth_stream berth_stream_t;
typedef struct berth_event berth_event_t;
typedef struct berth_recording berth_recording_t;

// The streams that every such device has.
typedef enum berth_lane {
  BERTH_LANE_COMPUTE = 0,  // Kernels.
  BERTH_LANE_IN,           // Copies from the host.
  BERTH_LANE_OUT,          // Copies to the host.
  BERTH_LANE_PEER,         // Copies to other devices.
  BERTH_LANES
} berth_lane_t;

// Embedded at the start of a backend's own.
struct berth_stream {
  berth_device_t *device;  // Borrowed.
};

// A copy within the memory of one device.
typedef struct berth_near_copy {
  void *to;
  const void *from;
  size_t size;
} berth_near_copy_t;

// So many are queued at once, at most.
#define BERTH_NEAR_COPIES 32

// What streams of one backend can do. All members are required; constant.
typedef struct berth_stream_ops {
  // Queues a copy of |size| bytes. A side whose device is NULL is host memory,
  // which must stay until the copy is done.
  //
  // A copy to host memory that is not pinned is done when this returns. Where
  // host memory is not pinned this may wait for the device; BERTH_CANCELLED
  // when the scope of the thread (base/parallel.h) ends that: the host memory
  // is the caller's again then.
  berth_code_t (*copy)(berth_stream_t *stream, berth_device_t *to_device,
                       void *to, berth_device_t *from_device, const void *from,
                       size_t size, berth_error_t *err);

  // Blocks until everything queued on |stream| is done. Nothing ends it: see
  // device/await.h.
  berth_code_t (*sync)(berth_stream_t *stream, berth_error_t *err);

  // ---- Events ----

  // Makes an event that marks nothing yet; the caller destroys it.
  berth_code_t (*event_create)(berth_device_t *device, berth_event_t **out,
                               berth_error_t *err);
  void (*event_destroy)(berth_event_t *event);  // NULL is fine.
  // Marks what is queued on |stream| so far, in place of what |event| marked.
  berth_code_t (*record)(berth_stream_t *stream, berth_event_t *event,
                         berth_error_t *err);
  // What is queued on |stream| from here on comes after the mark, which may be
  // on a stream of another device of the same backend.
  berth_code_t (*wait)(berth_stream_t *stream, berth_event_t *event,
                       berth_error_t *err);
  // Blocks the host until the mark is reached.
  berth_code_t (*event_sync)(berth_event_t *event, berth_error_t *err);

  // ---- Recordings ----

  // What the calling thread queues on the returned stream until record_end()
  // is kept instead of done. One at a time per thread and device.
  // BERTH_UNIMPLEMENTED where the driver cannot.
  berth_code_t (*record_begin)(berth_device_t *device, berth_stream_t **out,
                               berth_error_t *err);
  // Ends it, in the thread that began. With |out_recording| NULL what was
  // recorded is thrown away.
  berth_code_t (*record_end)(berth_stream_t *stream,
                             berth_recording_t **out_recording,
                             berth_error_t *err);
  // Queues all of |recording| on |stream|. |copies| are those that were recorded
  // of copy_near(), in that order: with their addresses of now, and their sizes
  // of then. BERTH_ABORTED when it was made before the device was last reset:
  // make it anew.
  berth_code_t (*replay)(berth_stream_t *stream, berth_recording_t *recording,
                         const berth_near_copy_t *copies, int count,
                         berth_error_t *err);
  // Says whether copy_near() can be recorded on |device|.
  bool (*records_copies)(berth_device_t *device);
  // No replay may be under way. NULL is fine.
  void (*recording_destroy)(berth_recording_t *recording);

  // Returns the driver's own handle of |stream|, never NULL. Borrowed.
  void *(*native)(berth_stream_t *stream);

  // Says whether everything queued on |stream| is done, without blocking.
  berth_code_t (*query)(berth_stream_t *stream, bool *out_done,
                        berth_error_t *err);

  // Stores the time (berth_now_ns()) at which everything queued so far is done
  // in |*out_ns|, when it is; what is queued later waits for that. |*out_ns|
  // must stay until then.
  berth_code_t (*stamp)(berth_stream_t *stream, int64_t *out_ns,
                        berth_error_t *err);

  // Says whether the mark of |event| is reached, without blocking. An event
  // that marks nothing yet is, and so is one of before a reset.
  berth_code_t (*event_query)(berth_event_t *event, bool *out_done,
                              berth_error_t *err);

  // Retains |buffer|, host memory that copies queued on |stream| may still use,
  // until these are done, or longer: for who has waited for them and no longer
  // does.
  berth_code_t (*keep)(berth_stream_t *stream, berth_buffer_t *buffer,
                       berth_error_t *err);

  // Queues |count| copies within the memory of the stream's device, up to
  // BERTH_NEAR_COPIES, as one piece of work. None reads what another writes.
  berth_code_t (*copy_near)(berth_stream_t *stream,
                            const berth_near_copy_t *copies, int count,
                            berth_error_t *err);
} berth_stream_ops_t;

#endif  // BERTH_DEVICE_STREAM_H_
