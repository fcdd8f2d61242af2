// lender.h - Memory that runs borrow in turn.
//
// Most of what a run needs it needs only while it runs. A device has one lender
// for its own memory and one for pinned memory; a run borrows a large piece and
// returns it, and the next run, of whatever program, gets the same piece. So a
// device holds as many pieces as runs go on at once, each as large as the
// largest of them wants, and not one for every program there is.
//
// Idle pieces are given up when memory is short (device/reclaim.h). If there is
// still no room for one more, a run waits while others hold pieces and go on:
// not for itself (a run inside a run), and not for one that waits in turn.
// While somebody waits, what is returned goes back to the pool at once.
//
// What is borrowed is in use by nobody: a run that returns a piece has waited
// for its work. A piece that is *fresh* has just come from the pool, though,
// where the last holder's work may still be queued (exec/issue.h).
//
// Threads: thread-safe.
#ifndef BERTH_DEVICE_LENDER_H_
#define BERTH_DEVICE_LENDER_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread.h"
#include "device/await.h"
#include "memory/allocator.h"

enum { BERTH_LENDER_IDLE = 16 };

// Who borrows: one run. The caller's storage.
typedef struct berth_borrower {
  const void *thread;     // Tells threads apart.
  atomic_bool is_parked;  // It waits for something, and returns nothing soon.
} berth_borrower_t;

// What was borrowed. The caller's storage, until it is returned.
typedef struct berth_loan berth_loan_t;
struct berth_loan {
  berth_buffer_t *piece;  // NULL: nothing is borrowed.
  bool is_fresh;          // As told above.
  berth_borrower_t *borrower;
  berth_loan_t *next;  // Guarded as the lender is.
};

typedef struct berth_lender {
  // Guarded by a lock that all lenders share.
  berth_cond_t returned;                    // Some piece was.
  berth_buffer_t *idle[BERTH_LENDER_IDLE];  // Most recently returned last.
  int idle_count;
  int waiting;     // Threads that want memory,
  int allocating;  // and of these, the ones that are being given it or refused.
  uint64_t returns;  // Pieces returned so far.
  berth_loan_t *loans;
} berth_lender_t;

// Set up a lender without memory, and free what is idle; nothing is borrowed
// any more then.
void berth_lender_init(berth_lender_t *lender);
void berth_lender_deinit(berth_lender_t *lender);

// Begins a run of the calling thread, which is not parked.
void berth_borrower_begin(berth_borrower_t *borrower);

// What a run wants to borrow.
typedef struct berth_wish {
  size_t size;                   // Bytes, at least 1.
  const void *favourite;         // Where it was the last time, or NULL.
  berth_allocator_t *allocator;  // Where new pieces come from.
  berth_look_fn look;            // Optional. True ends the waiting.
  void *look_arg;
} berth_wish_t;

// Borrows at least |wish->size| bytes: the favourite piece if it is idle and
// large enough, else the smallest that is, else memory of the allocator, for
// which smaller idle pieces are given up. Waits as told above. Fails as the
// allocator does, BERTH_RESOURCE_EXHAUSTED mostly, and with BERTH_CANCELLED,
// |err| untouched, when |look| ends it; |loan| borrows nothing then.
BERTH_NODISCARD berth_code_t berth_lender_borrow(berth_lender_t *lender,
                                                 const berth_wish_t *wish,
                                                 berth_borrower_t *borrower,
                                                 berth_loan_t *loan,
                                                 berth_error_t *err);

// Ends |loan|; nothing that was queued uses the piece any more. One of nothing
// is fine. Wakes those who wait.
void berth_lender_return(berth_lender_t *lender, berth_loan_t *loan);

// Gives up all idle pieces; false when there was none.
bool berth_lender_give_up(berth_lender_t *lender);

#endif  // BERTH_DEVICE_LENDER_H_
