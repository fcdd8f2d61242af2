// retire.h - Freeing what runs may still be using.
//
// Programs and layouts are found without a lock. One that is taken out of its
// cache may have been found by a run just before, so it is *retired*: freed
// when no run that had begun by then is left.
//
// Runs are counted by *term*. A term ends when the runs of the one before are
// over, so that at most two terms have runs:
//
//   runs      ──t──  ──t──────  ──t+1──  ───t+1───  ──t+2──
//   retired        x in term t                     │ freed: nobody of t is left
//
// What was retired in term t is freed when term t + 2 begins.
//
// Sessions count their runs anyway, to be closed; eager calls are not counted,
// and pin what they use instead (runtime/eager_pin.h).
//
// Threads: thread-safe.
#ifndef BERTH_EXEC_RETIRE_H_
#define BERTH_EXEC_RETIRE_H_

#include <stdatomic.h>

#include "base/thread.h"

// Embedded in what is retired.
typedef struct berth_retired berth_retired_t;
struct berth_retired {
  berth_retired_t *next;
  unsigned term;
  void (*destroy)(berth_retired_t *retired);  // Frees it; no lock is held.
};

typedef struct berth_terms {
  atomic_uint term;
  atomic_int running[2];  // By parity of their term.
  atomic_int freeing;     // Runs that are over, and free what is retired.
  atomic_bool has_retired;
  berth_mutex_t lock;  // Guards |retired|, and the step to another term.
  berth_retired_t *retired;
} berth_terms_t;

// Begins the first term.
void berth_terms_init(berth_terms_t *terms);

// Frees all that is retired. No run may be under way.
void berth_terms_deinit(berth_terms_t *terms);

// Counts a run in, and out again. What is found in between is not freed.
unsigned berth_terms_enter(berth_terms_t *terms);
void berth_terms_leave(berth_terms_t *terms, unsigned term);

// Returns how many runs are under way.
int berth_terms_running(const berth_terms_t *terms);

// Frees |retired| when that is safe. It can be found no more.
void berth_terms_retire(berth_terms_t *terms, berth_retired_t *retired);

#endif  // BERTH_EXEC_RETIRE_H_
