// pools.c - The list of all pools, which keeps them usable in the child of a
// fork().
//
// A thread of the parent may hold a pool's lock, or be getting a region, at the
// moment of a fork; in the child that thread does not exist and would never let
// go. So every pool is locked around a fork, and the child forgets the growing.
// The handlers have no argument: the list of pools has to be the process's.
#include "memory/pools.h"
#include "base/fork.h"
#include "memory/pool_internal.h"

static berth_mutex_t pools_lock = BERTH_MUTEX_INIT;  // Guards |pools|.
static berth_pool_t *pools = NULL;

void berth_pools_lock(void) {
  berth_mutex_lock(&pools_lock);
  for (berth_pool_t *pool = pools; pool != NULL; pool = pool->next_pool) {
    berth_mutex_lock(&pool->lock);
  }
}

void berth_pools_unlock(void) {
  for (berth_pool_t *pool = pools; pool != NULL; pool = pool->next_pool) {
    berth_mutex_unlock(&pool->lock);
  }
  berth_mutex_unlock(&pools_lock);
}

static void after_fork_in_child(void) {
  for (berth_pool_t *pool = pools; pool != NULL; pool = pool->next_pool) {
    pool->is_growing = false;
    pool->waiters = 0;
    berth_cond_init(&pool->grown);
    berth_cond_init(&pool->freed);
  }
  berth_pools_unlock();
}

BERTH_FORK_HOOK(pools, .rank = BERTH_FORK_POOLS, .before = berth_pools_lock,
                .in_parent = berth_pools_unlock,
                .in_child = after_fork_in_child)

void berth_pools_add(berth_pool_t *pool) {
  berth_mutex_lock(&pools_lock);
  pool->prev_pool = NULL;
  pool->next_pool = pools;
  if (pools != NULL) pools->prev_pool = pool;
  pools = pool;
  berth_mutex_unlock(&pools_lock);
}

void berth_pools_remove(berth_pool_t *pool) {
  berth_mutex_lock(&pools_lock);
  if (pool->next_pool != NULL) pool->next_pool->prev_pool = pool->prev_pool;
  if (pool->prev_pool != NULL) {
    pool->prev_pool->next_pool = pool->next_pool;
  } else {
    pools = pool->next_pool;
  }
  berth_mutex_unlock(&pools_lock);
}

berth_pool_t *berth_pools_first(void) { return pools; }
