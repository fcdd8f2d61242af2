// pools.h - All pools of the process, looked at together.
//
// Threads: thread-safe.
#ifndef BERTH_MEMORY_POOLS_H_
#define BERTH_MEMORY_POOLS_H_

#include "memory/pool.h"

// Locks every pool, so that nothing is allocated or freed meanwhile; and
// unlocks them. For moments.
void berth_pools_lock(void);
void berth_pools_unlock(void);

// Returns the first of all pools, which are locked.
berth_pool_t *berth_pools_first(void);

#endif  // BERTH_MEMORY_POOLS_H_
