// history.h - What was allocated and freed, and which runs used what: the last
// events of the process.
//
//   ring   [ … | alloc 4 MiB conv1 | free 4 MiB conv1 | run, plan 3 | … ]
//                                                       ^ next
//
// Pools note what they give and take, under their locks; frames (exec/frame.h)
// note when a run begins and ends to use an arena, which is one allocation for
// all values of a plan. What lies in it when is told once, by the plan.
//
// It is off unless somebody asks for it: that costs one look at a flag.
// BERTH_MEMORY_HISTORY=N has it on from the beginning.
//
// Threads: thread-safe. berth_history_note() is for who holds the lock of a
// pool; whoever changes or reads the ring holds those of all pools
// (berth_pools_lock()).
#ifndef BERTH_MEMORY_HISTORY_H_
#define BERTH_MEMORY_HISTORY_H_

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "memory/label.h"

typedef enum berth_memory_event_kind {
  BERTH_EVENT_ALLOC = 0,
  BERTH_EVENT_FREE,
  BERTH_EVENT_RUN,  // An arena is in use from here on, |label| is a plan,
  BERTH_EVENT_END,  // until here.
} berth_memory_event_kind_t;

typedef struct berth_memory_event {
  int64_t time_ns;  // Of berth_now_ns(); in the ring, of berth_ticks().
  uint64_t address, size;
  berth_label_t where;  // Whose memory: "GPU:0".
  berth_label_t label;  // Which op; of a run, which plan.
  berth_label_t line;   // Of a script; 0: unknown.
  uint32_t kind;        // berth_memory_event_kind_t.
} berth_memory_event_t;

// True while events are noted.
extern atomic_bool berth_history_is_noting;
static inline bool berth_history_is_on(void) {
  return BERTH_UNLIKELY(
      atomic_load_explicit(&berth_history_is_noting, memory_order_relaxed));
}

// Notes the last |events| from now on; what was noted before is forgotten. 0:
// nothing is noted. BERTH_RESOURCE_EXHAUSTED leaves it as it was.
BERTH_NODISCARD berth_code_t berth_history_set(int64_t events,
                                               berth_error_t *err);

// Returns how many events were asked for; 0: it is off.
int64_t berth_history_size(void);

// Begins as the environment says, once.
void berth_history_begin(void);

// Notes an event that happens now. It is on; the lock of a pool is held.
void berth_history_note(const berth_memory_event_t *event);

// Returns how many events there are to copy; and copies them, oldest first, to
// |out|, and stores how many were noted in all. All pools are locked.
int64_t berth_history_keeps(void);
int64_t berth_history_copy(berth_memory_event_t *out, int64_t *out_noted);

// Keeps |text|, JSON of a plan (berth/memory_plan.h), and returns its number; 0
// when there are too many. Takes |text| over.
uint32_t berth_history_add_plan(char *text);

// Returns plan |number|, NULL behind the last; the first is 1. It stays for the
// life of the process.
const char *berth_history_plan(uint32_t number);

#endif  // BERTH_MEMORY_HISTORY_H_
