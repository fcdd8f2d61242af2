// pool_fork.c - Keeps pools usable in the child of a fork().
//
// A thread of the parent may hold a pool's lock, or be getting a region, at the
// moment of a fork; in the child that thread does not exist and would never let
// go. So every pool is locked around a fork, and the child forgets the growing.
// The handlers have no argument: the list of pools has to be the process's.
#include "base/fork.h"
#include "memory/pool_internal.h"

static berth_mutex_t pools_lock = BERTH_MUTEX_INIT;  // Guards |pools|.
static berth_pool_t *pools = NULL;

static void before_fork(void) {
  berth_mutex_lock(&pools_lock);
  for (berth_pool_t *pool = pools; pool != NULL; pool = pool->next_pool) {
    berth_mutex_lock(&pool->lock);
  }
}

static void after_fork(bool is_child) {
  for (berth_pool_t *pool = pools; pool != NULL; pool = pool->next_pool) {
    if (is_child) {
      pool->is_growing = false;
      pool->waiters = 0;
      berth_cond_init(&pool->grown);
      berth_cond_init(&pool->freed);
    }
    berth_mutex_unlock(&pool->lock);
  }
  berth_mutex_unlock(&pools_lock);
}

static void after_fork_in_parent(void) { after_fork(false); }
static void after_fork_in_child(void) { after_fork(true); }

BERTH_FORK_HOOK(pools, .rank = BERTH_FORK_POOLS, .before = before_fork,
                .in_parent = after_fork_in_parent,
                .in_child = after_fork_in_child)

void berth_pool_fork_add(berth_pool_t *pool) {
  berth_mutex_lock(&pools_lock);
  pool->prev_pool = NULL;
  pool->next_pool = pools;
  if (pools != NULL) pools->prev_pool = pool;
  pools = pool;
  berth_mutex_unlock(&pools_lock);
}

void berth_pool_fork_remove(berth_pool_t *pool) {
  berth_mutex_lock(&pools_lock);
  if (pool->next_pool != NULL) pool->next_pool->prev_pool = pool->prev_pool;
  if (pool->prev_pool != NULL) {
    pool->prev_pool->next_pool = pool->next_pool;
  } else {
    pools = pool->next_pool;
  }
  berth_mutex_unlock(&pools_lock);
}
