// fork.h - Locks of the process that are held while it forks.
//
// The child of a fork() has one thread. A lock that another one held at that
// moment would stay locked for ever, with what it guards half changed. So the
// locks that belong to the process, not to a session or a device, are taken
// before a fork and let go of on both sides, in one order: whoever holds one of
// them takes only those that come later.
//
//   static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards the table.
//   BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
//
// Nothing that the program brings along (a callback) is called under such a
// lock, since that might fork.
//
// Threads: thread-safe.
#ifndef BERTH_BASE_FORK_H_
#define BERTH_BASE_FORK_H_

#include "base/thread.h"

// The order, outermost first. Locks of one rank are never held together.
typedef enum berth_fork_rank {
  BERTH_FORK_PROCESS = 0,  // The process object.
  BERTH_FORK_TABLE,        // What is open.
  BERTH_FORK_ROSTER,       // The devices of cards, also while one is reset.
  BERTH_FORK_LIST,         // Finding cards.
  BERTH_FORK_LIBRARY,      // Opening a library.
  BERTH_FORK_HANDLE,       // Making something with it.
  BERTH_FORK_LEAF,         // Under these nothing is locked but pools.
  BERTH_FORK_POOLS,
  BERTH_FORK_INNERMOST,
  BERTH_FORK_RANKS
} berth_fork_rank_t;

// What happens around a fork; static storage.
typedef struct berth_fork_hook berth_fork_hook_t;
struct berth_fork_hook {
  berth_fork_rank_t rank;
  berth_mutex_t *mutex;  // Held meanwhile; NULL: the functions are called.
  void (*before)(void);
  void (*in_parent)(void);
  void (*in_child)(void);
  berth_fork_hook_t *next;
};

// Adds |hook| for the rest of the process. Called while code is loaded alone,
// when nobody holds any of the locks.
void berth_fork_add(berth_fork_hook_t *hook);

// Holds the static mutex |lock| of this file around forks.
#define BERTH_FORK_HOLDS(lock, its_rank) \
  BERTH_FORK_HOOK(lock, .rank = its_rank, .mutex = &(lock))

// Adds a hook with these members; |name| tells those of one file apart.
#define BERTH_FORK_HOOK(name, ...)                                      \
  __attribute__((constructor)) static void add_fork_hook_##name(void) { \
    static berth_fork_hook_t hook = {__VA_ARGS__};                      \
    berth_fork_add(&hook);                                              \
  }

#endif  // BERTH_BASE_FORK_H_
