// pending.h - Waiting for steps that block.
//
// A kernel that must wait (a dequeue, a call back) returns BERTH_PENDING and
// leaves a completion behind. Whoever finishes it, from any thread, puts it
// into the list of a *waiter* and wakes the thread that owns that:
//
//   owner    begin ── kernel: PENDING ── sleep ……… take ── use the outputs
//   another                                  done ─┘
//
//   I1  |waiting| counts what has begun and is not in the list.
//   I2  An owner returns only when |waiting| is 0: nothing points into its
//       memory then.
//
// Threads: a waiter and what it waits for belong to one thread; completions
// come from any.
#ifndef BERTH_EXEC_PENDING_H_
#define BERTH_EXEC_PENDING_H_

#include "base/thread.h"
#include "device/await.h"
#include "kernel/kernel.h"

typedef struct berth_waiter berth_waiter_t;
typedef struct berth_pending berth_pending_t;

// A blocking step that is under way, or may be.
struct berth_pending {
  berth_completion_t completion;  // First: a kernel gets its address.
  berth_waiter_t *waiter;
  berth_pending_t *next;  // In the list of the finished.
  bool is_waiting;        // Between begin and the list.
  berth_code_t code;
  char *text;                // Of a failure; owned.
  berth_tensor_t **outputs;  // Room for as many as the step has. Borrowed.
  int output_count;
};

struct berth_waiter {
  berth_mutex_t lock;  // Guards what follows, and |is_waiting| of each.
  berth_cond_t wake;
  berth_pending_t *finished;
  int waiting;  // I1.
};

// Sets up a waiter that waits for nothing, and lets go of one that does not.
void berth_waiter_init(berth_waiter_t *waiter);
void berth_waiter_deinit(berth_waiter_t *waiter);

// Sets up |pending| for a step with room for its |outputs|.
void berth_pending_init(berth_pending_t *pending, berth_waiter_t *waiter,
                        berth_tensor_t **outputs, int output_count);

// Frees what is left of |pending|, which is not waiting; not the outputs.
void berth_pending_deinit(berth_pending_t *pending);

// Says that the kernel is about to be called, with |pending->completion|; and
// that it has not returned BERTH_PENDING: there is nothing to wait for.
void berth_pending_begin(berth_pending_t *pending);
void berth_pending_end(berth_pending_t *pending);

// Tells |pending|, if it is still waiting, to come to an end.
void berth_pending_cancel(berth_pending_t *pending);

// Returns how the step of |pending|, which is finished, went; on success its
// outputs are there and count as taken over. Once.
BERTH_NODISCARD berth_code_t berth_pending_result(berth_pending_t *pending,
                                                  berth_error_t *err);

// Waits until |pending|, the only one of its waiter, is finished, looking now
// and then. When |look| says so it is told to come to an end, once.
void berth_pending_await(berth_pending_t *pending, berth_look_fn look,
                         void *arg);

// Takes one that is finished out of the list; NULL when there is none.
berth_pending_t *berth_waiter_take(berth_waiter_t *waiter);

// True when one is finished or still to come.
bool berth_waiter_is_busy(berth_waiter_t *waiter);

// Sleeps until one is finished, a few milliseconds at most.
void berth_waiter_sleep(berth_waiter_t *waiter);

// Sleeps until none is waiting any more. I2.
void berth_waiter_drain(berth_waiter_t *waiter);

#endif  // BERTH_EXEC_PENDING_H_
