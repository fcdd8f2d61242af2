// backend.h - What a kind of device must be able to do.
//
// A backend is one constant table of functions, in the room of that kind of
// device (src/cpu/device.c); src/runtime/backends.c alone names them.
//
// A member is required unless it says Optional; an optional one may be NULL,
// and its comment says what happens then. New members go at the end.
//
// Threads: everything here may be called from several threads at once, but for
// one device only one open() or close() at a time.
#ifndef BERTH_DEVICE_BACKEND_H_
#define BERTH_DEVICE_BACKEND_H_

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "berth/memory.h"
#include "device/stream.h"
#include "memory/report.h"

typedef struct berth_backend berth_backend_t;
typedef struct berth_card_ops berth_card_ops_t;  // device/card.h

struct berth_backend {
  // sizeof(berth_backend_t) as the backend was compiled. Members past it count
  // as NULL.
  size_t struct_size;

  // The type part of a device name, upper case: "GPU" in "/device:GPU:0".
  const char *type;

  // Adds the backend's kernels to the registry of kernels, under this table.
  // Called once, while the process object is made, with that object's lock
  // held. Fails as berth_kernel_add() does.
  berth_code_t (*add_kernels)(berth_error_t *err);

  // Optional. The cards that its devices live on, and how to open devices
  // there. NULL: they live on the host, and |open| opens them.
  const berth_card_ops_t *cards;

  // Required without |cards|. Opens device number |id| under the name |prefix|
  // + "/device:TYPE:id", where |prefix| is "/job:J/replica:R/task:T". The
  // caller gets one reference. Fails as berth_device_init() does.
  berth_code_t (*open)(const char *prefix, int32_t id,
                       berth_device_t **out_device, berth_error_t *err);

  // Closes and frees a device whose last reference is gone.
  void (*close)(berth_device_t *device);

  // Optional. Fills |out_stats| with the device's memory figures. NULL: the
  // device has no memory of its own to speak of, and the figures are zero.
  void (*memory_stats)(berth_device_t *device, berth_memory_stats_t *out_stats);

  // Optional. Starts counts and peaks anew. NULL: nothing to start.
  void (*reset_memory_stats)(berth_device_t *device);

  // Optional. Gives idle memory back until at most |keep| bytes are idle, and
  // returns how much that was. NULL: nothing goes back.
  uint64_t (*trim_memory)(berth_device_t *device, uint64_t keep);

  // Optional. Makes the device ready for work: opens what opening the device
  // left out because it costs time and memory of the card, and brings back what
  // its memory held before the card was given back. Cheap when it is ready.
  // Fails with what the driver says, BERTH_INTERNAL or BERTH_UNAVAILABLE after
  // a fault. NULL: it always is ready.
  berth_code_t (*start)(berth_device_t *device, berth_error_t *err);

  // Optional. What its streams can do. NULL: the device works in the calling
  // thread, on host memory, and has none.
  const berth_stream_ops_t *streams;

  // Required with |streams|. Returns the stream of a device that was started.
  // Borrowed.
  berth_stream_t *(*lane)(berth_device_t *device, berth_lane_t lane);

  // Optional. Fills |out_report| for a request of |asked| bytes; false when the
  // device holds nothing. NULL: no report is made.
  bool (*memory_report)(berth_device_t *device, uint64_t asked,
                        berth_memory_report_t *out_report);
};

#endif  // BERTH_DEVICE_BACKEND_H_
