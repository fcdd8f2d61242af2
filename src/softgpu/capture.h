// capture.h - Recording what streams are given instead of doing it.
//
// A capture begins in one stream, its origin. A stream that waits for an event
// recorded in it becomes part of it, and must be waited for again before the
// capture ends in its origin. Who has waited for whose work is kept as one
// number per stream, by every stream and every recorded event:
//
//   stream 0 (origin)  work work record(e) ······· work wait(f)   seen {3, 1}
//                                  │                   ▲
//   stream 1                    wait(e) work record(f) ┘          seen {2, 1}
//
// A call that a capture does not allow fails, and breaks the capture: it ends
// with CUDA_ERROR_STREAM_CAPTURE_INVALIDATED. Which calls those are was
// observed on version 580 of the driver.
//
// Thread-safe: one lock for all captures, which comes after a context's and
// before a stream's; while nothing is captured nobody takes it.
#ifndef BERTH_SOFTGPU_CAPTURE_H_
#define BERTH_SOFTGPU_CAPTURE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "softgpu/work.h"

enum { BERTH_SOFT_MAX_PARTICIPANTS = 16 };

// How much of each stream of a capture has been waited for.
typedef struct berth_soft_clock {
  uint32_t seen[BERTH_SOFT_MAX_PARTICIPANTS];
} berth_soft_clock_t;

// Where an event was recorded, when that was captured.
typedef struct berth_soft_captured {
  uint64_t capture;  // 0: not in a capture. Its number otherwise.
  berth_soft_clock_t clock;
} berth_soft_captured_t;

// Takes the work into the capture of |stream|, if it has one, and says so.
CUresult berth_soft_capture_work(CUstream stream,
                                 const berth_soft_work_kind_t *kind,
                                 const void *payload, size_t size,
                                 bool *out_taken);

// Fills |*out_captured| when |stream| captures; its |capture| is 0 otherwise.
CUresult berth_soft_capture_record(CUstream stream,
                                   berth_soft_captured_t *out_captured);

// Makes |stream| part of the capture of an event, or lets it see what the event
// saw. For an event recorded outside, |is_recorded| says whether it ever was;
// |*out_taken| is false when nothing here captures.
CUresult berth_soft_capture_wait(CUstream stream,
                                 const berth_soft_captured_t *captured,
                                 bool is_recorded, bool *out_taken);

// Fails for a call that looks at |captured|'s event: while it is captured, and
// afterwards.
CUresult berth_soft_capture_look(const berth_soft_captured_t *captured);

// Fails when a capture forbids calls that may wait or free: every such call in
// the whole process, in its thread, or none, as its mode says.
CUresult berth_soft_capture_forbids(void);

// Fails when |stream| captures and is waited for or asked about.
CUresult berth_soft_capture_sync(CUstream stream);

// Fails when any stream of |context| captures.
CUresult berth_soft_capture_sync_all(CUcontext context);

// Breaks the capture of |stream| and returns why.
CUresult berth_soft_capture_break(CUstream stream);

// Says whether |stream| captures, and whether its capture is broken. Breaks
// nothing.
CUstreamCaptureStatus berth_soft_capture_status(CUstream stream);

// Takes |stream|, which is being destroyed, out of its capture.
void berth_soft_capture_abandon(CUstream stream);

#endif  // BERTH_SOFTGPU_CAPTURE_H_
