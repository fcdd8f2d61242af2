// stream.h - A stream: a thread with a queue.
//
//   host threads                         the stream's thread
//   submit ─> [work] ─> [work] ─> [work] ─> run, count, next
//                                   submitted ─────────>  (counter)
//             wait  <──────────────────  done             (counter)
//
// Submitting tells the thread (a counter); nothing but a wait, a query or an
// event tells anybody of the thread. The lock of a stream is for the threads
// that submit; the stream's own thread takes no lock at all (counter.h says
// why). The thread starts with the first work.
//
// A queue is bounded: whoever gives work to a stream that has
// BERTH_SOFT_MAX_PENDING to do waits, as with the driver. What is captured, and
// marks that keep order among streams, are no matter of the queue's length.
//
// The legacy stream waits for all blocking streams of its context, and they
// wait for it: both by marks put into the queues.
#ifndef BERTH_SOFTGPU_STREAM_H_
#define BERTH_SOFTGPU_STREAM_H_

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "softgpu/context.h"
#include "softgpu/counter.h"
#include "softgpu/work.h"

struct berth_soft_capture;

// The driver has about as many.
enum { BERTH_SOFT_MAX_PENDING = 1024 };

struct CUstream_st {
  berth_soft_object_t object;  // The legacy stream is in no list.
  unsigned flags;
  int priority;
  berth_soft_counter_t submitted;
  berth_soft_counter_t done;
  atomic_bool is_closing;  // Waits for memory give up.
  atomic_bool is_held;     // The work at hand waits for somebody else.
  berth_mutex_t lock;      // Guards what follows; after the context's lock.
  bool has_thread;
  berth_thread_t thread;
  uint32_t count;           // Submitted so far.
  berth_soft_work_t *tail;  // The newest work.
  berth_soft_work_t *last;  // What will end the thread: made with it, so that
                            // ending cannot fail.
  berth_soft_work_t *head;  // What the thread did last; its own.
  uint64_t dice;            // Of stress.h; the thread's own.
  berth_soft_mark_t *seen;  // Of the legacy stream; the context's lock.
  CUstream next_zombie;     // The context's lock.
  struct berth_soft_capture *capture;  // NULL: none; capture.c's lock.
  int participant;                     // Which one of the capture's streams.
};

// Returns a stream of |context| that is in no list yet, or NULL.
CUstream berth_soft_stream_create(CUcontext context, unsigned flags,
                                  int priority);

// Takes |stream| out of its context and destroys it once its work is done,
// without waiting for that.
void berth_soft_stream_retire(CUstream stream);

// Joins all threads of |context|, whose lock is held, and frees the legacy
// stream and those that were destroyed before.
void berth_soft_streams_close(CUcontext context);

// Finds what |handle| stands for (NULL: the legacy stream of the current
// context); fails as berth_soft_context_check().
CUresult berth_soft_stream_find(CUstream handle, CUstream *out_stream);

// Waits until |stream| has room for more work, unless it captures. To be called
// without locks. Orders nothing.
//
// A stream that computes gets on, and is waited for. One that is held by a
// function of the program's, a word in memory or another stream may be held
// until the calling thread does what it would do next, so that one is waited for
// only a moment: the queue grows then, but slowly.
void berth_soft_stream_throttle(CUstream stream);

// Says on the thread of |stream| whether its work is held by somebody else.
static inline void berth_soft_stream_hold(CUstream stream, bool is_held) {
  atomic_store_explicit(&stream->is_held, is_held, memory_order_relaxed);
}

// Appends work to |stream|, or to what it captures.
CUresult berth_soft_submit(CUstream stream, const berth_soft_work_kind_t *kind,
                           const void *payload, size_t size);

// True when everything submitted so far is done; of all blocking streams, when
// |stream| is the legacy one.
bool berth_soft_stream_is_idle(CUstream stream);

// Waits for everything submitted so far; returns the card's fault, if any.
CUresult berth_soft_stream_wait(CUstream stream);

// Waits for everything given to all streams of |context| so far.
CUresult berth_soft_streams_wait(CUcontext context);

// Says that work of the calling stream's thread has failed.
void berth_soft_trap(CUresult fault);

// Plays, as work, what a card does that is led astray.
void berth_soft_run_stray(CUstream stream, const void *payload);

// Makes |stream| reach |mark|, or wait for it, whatever it captures; keeps a
// reference meanwhile.
CUresult berth_soft_submit_mark(CUstream stream, berth_soft_mark_t *mark);
CUresult berth_soft_submit_wait(CUstream stream, berth_soft_mark_t *mark);

#endif  // BERTH_SOFTGPU_STREAM_H_
