// lanes.h - Which stream each step is queued on, and what waits for what.
//
// A program that uses devices is walked by the host all the same; a step for a
// device is only queued there (device/stream.h). Kernels go to the device's
// compute stream, copies to streams of their own, so that they overlap. An edge
// between two streams is an event: recorded behind the step that makes the
// value, waited for before the step that reads it, by the stream or by the
// host.
//
//   host      copy x ─────────────────────────────────────── sync e2, print
//   in        [x]─e1                                          │
//   compute       └─[matmul][add][relu]─e2                    │
//   out                                  └─[fetch]─e3 ────────┘
//
// What a device step makes is made on its device's compute stream, also when
// the host only hands it out (a variable's value): whatever was queued there
// before may still be writing it. The same goes for what is fed on a device, and
// for what is copied from one device to another: whoever lets go of it does so
// behind the copy.
//
// Steps in a row on one compute stream that no event interrupts are a *range*:
// the second run of a frame records it, later ones replay the recording, as
// long as every address is what it was.
//
// A program with conditionals and loops has neither events nor ranges: its
// steps are late, on compute streams alone, and its walk waits for them
// (flow_run.c).
//
// Immutable after create.
#ifndef BERTH_EXEC_LANES_H_
#define BERTH_EXEC_LANES_H_

#include "exec/layout.h"

// Streams are numbered: device * BERTH_LANES + lane. This one is the host.
#define BERTH_HOST_LANE (-1)

typedef struct berth_lane_step {
  int32_t lane;        // Where it is queued.
  int32_t first_wait;  // Into |waits|: events it waits for.
  int32_t wait_count;
  int32_t record;  // Event recorded behind it, or -1.
  int32_t range;   // The range that begins here, or -1.
} berth_lane_step_t;

// Copies of values that lie elsewhere in every run (steady.h) that a range has at
// most.
#define BERTH_RANGE_COPIES 64

// Steps that are queued as one.
typedef struct berth_range {
  int32_t begin, end;  // Steps.
  int32_t device;
} berth_range_t;

typedef struct berth_lanes {
  berth_lane_step_t *steps;  // By step.
  int32_t *waits;            // Events; ~event: the host waits. Heap.
  int32_t *event_lanes;      // By event: where it is recorded.
  int event_count;
  berth_range_t *ranges;
  int range_count;
  int32_t *used;  // Lanes that steps are queued on.
  int used_count;
  int32_t *fed;  // Compute lanes of devices that feeds are copied from.
  int fed_count;
} berth_lanes_t;

// Chooses the lane of every step of |layout|, whose storage is chosen. Before
// offsets are assigned: these depend on |crosses| of spots that more than one
// lane uses, which this sets (I3). Fails with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_lanes_create(berth_layout_t *layout,
                                                berth_error_t *err);

// Finds events and ranges, so that a step that reads what another stream makes
// waits for it (I7). After offsets are assigned. Fails with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_lanes_connect(berth_layout_t *layout,
                                                 berth_error_t *err);

#endif  // BERTH_EXEC_LANES_H_
