// device.h - One device: its name, its memory, its backend.
//
// A backend embeds berth_device_t at the start of a struct of its own, fills it
// with berth_device_init() and hands it out. Everybody else reads the fields.
//
// Threads: immutable after open, but for the count of references, |is_removed|,
// the list of reclaimers and the lenders.
#ifndef BERTH_DEVICE_DEVICE_H_
#define BERTH_DEVICE_DEVICE_H_

#include <stdatomic.h>

#include "base/thread.h"
#include "device/backend.h"
#include "device/gate.h"
#include "device/lender.h"
#include "device/name.h"
#include "memory/allocator.h"

// The forms a device can be found under.
typedef enum berth_name_form {
  BERTH_NAME_FULL,          // /job:localhost/replica:0/task:0/device:GPU:0
  BERTH_NAME_FULL_LEGACY,   // /job:localhost/replica:0/task:0/gpu:0
  BERTH_NAME_LOCAL,         // /device:GPU:0
  BERTH_NAME_LOCAL_LEGACY,  // GPU:0
  BERTH_NAME_FORMS
} berth_name_form_t;

typedef struct berth_reclaimer berth_reclaimer_t;  // device/reclaim.h

struct berth_device {
  atomic_int refs;
  const berth_backend_t *backend;  // Borrowed; constant.
  char *names[BERTH_NAME_FORMS];   // Owned, as |description|.
  berth_device_name_t parsed;      // Of the full name; its words lie in there.
  char *description;               // Of the card; "" for a CPU.
  int64_t memory_limit;            // Bytes, as listings show it.
  uint64_t incarnation;            // Random, never 0.
  uint64_t order;  // Whoever enters several devices enters the least first.
  berth_allocator_t *allocator;  // Borrowed from the backend's struct.
  berth_allocator_t *pinned;  // Of pinned memory (device/stream.h); NULL: the
                              // device works on host memory.
  atomic_bool is_removed;  // The program has taken it away; who still knows it
                           // is refused. Changes while its gate is closed.
  berth_gate_t *gate;  // Of its card (device/gate.h): whoever uses the device
                       // holds it. Borrowed; NULL: nothing is given back.
  berth_reclaimer_t *reclaimers;  // device/reclaim.h. Borrowed.
  // Of its memory and of its pinned memory; what is idle there is the first to
  // be given up.
  berth_lender_t lender;
  berth_lender_t pinned_lender;
};

// Sets up |device| with one reference and the name |prefix|/device:TYPE:|id|.
// The fields after |incarnation| are the backend's to fill. Fails with
// BERTH_INVALID_ARGUMENT for a bad |prefix| and BERTH_RESOURCE_EXHAUSTED; there
// is then nothing to undo.
BERTH_NODISCARD berth_code_t berth_device_init(berth_device_t *device,
                                               const berth_backend_t *backend,
                                               const char *prefix, int32_t id,
                                               const char *description,
                                               berth_error_t *err);

// Frees what berth_device_init() made. For the backend's close().
void berth_device_deinit(berth_device_t *device);

// Adds a reference, and takes one away: the last one closes the device. NULL is
// fine for release.
berth_device_t *berth_device_retain(berth_device_t *device);
void berth_device_release(berth_device_t *device);

// Returns the full canonical name. Borrowed.
static inline const char *berth_device_full_name(const berth_device_t *device) {
  return device->names[BERTH_NAME_FULL];
}

// Returns the type: "CPU". Borrowed.
static inline const char *berth_device_type(const berth_device_t *device) {
  return device->backend->type;
}

// True when |device| works beside the host, on memory of its own.
static inline bool berth_device_has_streams(const berth_device_t *device) {
  return device->backend->streams != NULL;
}

// Returns the stream of kernels of |device|, which has streams and was started.
static inline berth_stream_t *berth_device_compute(berth_device_t *device) {
  return device->backend->lane(device, BERTH_LANE_COMPUTE);
}

// Waits for what is queued on that stream, whatever others queue meanwhile.
// Fails as the stream does (device/stream.h): here a fault of the device shows.
// BERTH_CANCELLED when the scope of the thread (base/parallel.h) says to stop:
// what is queued goes on then, and whatever it uses has to stay.
BERTH_NODISCARD berth_code_t berth_device_wait(berth_device_t *device,
                                               berth_error_t *err);

// Makes |device| ready for work (berth_backend_t.start), and fails as that
// does; with BERTH_FAILED_PRECONDITION when it has been removed. For who holds
// its gate.
BERTH_NODISCARD berth_code_t berth_device_start(berth_device_t *device,
                                                berth_error_t *err);

// Goes inside the gate of |device| (NULL, or one without: nothing is held) and
// makes it ready for work. |hold| says who (device/gate.h), and is the caller's
// until berth_gate_leave(). |look| (NULL: nothing) may end waiting for a card
// that is being given back: BERTH_CANCELLED. Fails too as berth_device_start()
// does. Holds nothing after a failure.
BERTH_NODISCARD berth_code_t berth_device_hold(berth_device_t *device,
                                               berth_hold_t *hold,
                                               berth_look_fn look, void *arg,
                                               berth_error_t *err);

// Fills |out_stats|; zeros for a device that keeps no figures.
void berth_device_query_memory(berth_device_t *device,
                               berth_memory_stats_t *out_stats);

// Starts counts and peaks anew.
void berth_device_reset_memory(berth_device_t *device);

// Gives idle memory back until at most |keep| bytes are idle; returns how much
// that was.
uint64_t berth_device_trim(berth_device_t *device, uint64_t keep);

#endif  // BERTH_DEVICE_DEVICE_H_
