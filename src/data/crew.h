// crew.h - Threads of a cursor that run ahead of it.
//
// A crew is a lock, a condition that everybody waits for, and threads that work
// until they are told to stop. After a fork() a child has none of the threads:
// a crew knows the process it was made in.
//
// Threads: thread-safe, but for init and deinit.
#ifndef BERTH_DATA_CREW_H_
#define BERTH_DATA_CREW_H_

#include "data/dataset.h"

typedef struct berth_crew {
  berth_mutex_t lock;  // Guards |is_stopped|, and what its user says.
  berth_cond_t changed;
  bool is_stopped;
  int64_t process;  // Which it was made in.
  berth_thread_t *threads;
  int count;
} berth_crew_t;

// Makes a crew without threads ready, and frees what is left of one whose
// threads have stopped.
void berth_crew_init(berth_crew_t *crew);
void berth_crew_deinit(berth_crew_t *crew);

// Starts |count| threads that call |work|. Fails when there is none to be had;
// some are enough.
BERTH_NODISCARD berth_code_t berth_crew_start(berth_crew_t *crew, int count,
                                              void (*work)(void *), void *arg,
                                              berth_error_t *err);

// Tells the threads to stop and waits for them.
void berth_crew_stop(berth_crew_t *crew);

// Waits for a change, for at most a moment; the lock is held. Fails with
// BERTH_CANCELLED when |reading| has ended, and with
// BERTH_FAILED_PRECONDITION in a child of the process that has the threads.
BERTH_NODISCARD berth_code_t berth_crew_wait(berth_crew_t *crew,
                                             const berth_reading_t *reading,
                                             berth_error_t *err);

// Copies |err|, which is emptied, to the heap; NULL when memory is short.
berth_error_t *berth_error_keep(berth_error_t *err);
// Moves |kept| into |err|, frees it and returns its code.
berth_code_t berth_error_give(berth_error_t *kept, berth_error_t *err);

#endif  // BERTH_DATA_CREW_H_
