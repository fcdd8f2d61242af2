// meeting.h - Steps that begin together: the last one to come does the work.
//
// A collective is a node on each of several devices, and none of them can be
// done alone. Each joins the meeting that its key names and waits, as blocking
// kernels do; the one that makes it complete calls |hold| for all:
//
//   GPU:0   join ── PENDING ……………………………………… done
//   GPU:1          join ── PENDING ………………… done
//   GPU:2                    join ── hold ── done
//
//   I1  A guest is in the list of its meeting, or its |completion| is about to
//       be done; the lock decides which. So it is done exactly once.
//   I2  What is held is held by one thread for all guests: the devices get
//       collectives in one order, however steps and threads come.
//
// When one guest is cancelled all that have come are: what is missing would not
// come any more. A run that fails cancels all of its own.
//
// Threads: thread-safe. |hold| is called without the lock.
#ifndef BERTH_KERNEL_MEETING_H_
#define BERTH_KERNEL_MEETING_H_

#include "kernel/kernel.h"

typedef struct berth_meeting berth_meeting_t;
typedef struct berth_guest berth_guest_t;

enum { BERTH_MEETING_MOST = 64 };

// What guests must agree about.
typedef struct berth_topic {
  const char *key;   // Borrowed by berth_meeting_join().
  const void *run;   // Only guests of one run meet; NULL: any.
  const char *what;  // Constant: "NcclAllReduce".
  const char *how;   // The same, of one process: "sum".
  int size;          // How many it takes.
  berth_dtype_t dtype;
} berth_topic_t;

// One that has come, in the storage of its completion.
struct berth_guest {
  berth_guest_t *next;
  berth_meeting_t *meeting;  // NULL: not in a list any more.
  berth_completion_t *completion;
  berth_tensor_t *input;   // Retained until the end; NULL: it gives nothing.
  berth_tensor_t *output;  // Made by the guest or by |hold|; handed over.
  berth_stream_t *stream;  // Of the step; NULL: the host's memory.
  berth_event_t *ready;    // |input| is there, |output| may be written.
  berth_event_t *over;     // |output| is there, |input| is not read any more.
  bool is_over_awaited;    // By |stream|, or there was nothing to wait for.
};

// Does the work for |count| guests, in the order of their devices' names where
// they have devices.
typedef berth_code_t (*berth_hold_fn)(const berth_topic_t *topic,
                                      berth_guest_t *const *guests, int count,
                                      berth_error_t *err);

// Makes the storage of |call->completion| a guest with its |input| (NULL:
// none), not joined yet.
BERTH_NODISCARD berth_code_t berth_guest_init(berth_call_t *call,
                                              berth_tensor_t *input,
                                              berth_guest_t **out_guest);

// Lets |guest| join the meeting about |topic|; the last one calls |hold|.
// Returns BERTH_PENDING, or an error: then nothing of it is left. Takes
// |guest->output| over. BERTH_INVALID_ARGUMENT when the others are there for
// something else.
BERTH_NODISCARD berth_code_t berth_meeting_join(const berth_topic_t *topic,
                                                berth_guest_t *guest,
                                                berth_hold_fn hold,
                                                berth_error_t *err);

#endif  // BERTH_KERNEL_MEETING_H_
