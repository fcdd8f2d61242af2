// fork.c - Locks of the process that are held while it forks.
//
// Hooks are added without a lock, because a library may be loaded, and add its
// own, while somebody holds one of theirs.
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic(berth_fork_hook_t *) hooks[BERTH_FORK_RANKS];

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Held during a fork.
// What that fork met; others may come meanwhile. Guarded by |lock|.
static berth_fork_hook_t *met[BERTH_FORK_RANKS];

static void hook_before(berth_fork_hook_t *hook) {
  if (hook->mutex != NULL) {
    berth_mutex_lock(hook->mutex);
  } else {
    hook->before();
  }
}

static void hook_after(berth_fork_hook_t *hook, bool is_child) {
  if (hook->mutex != NULL) {
    berth_mutex_unlock(hook->mutex);
  } else if (is_child) {
    hook->in_child();
  } else {
    hook->in_parent();
  }
}

static void before(void) {
  berth_mutex_lock(&lock);
  for (int rank = 0; rank < BERTH_FORK_RANKS; ++rank) {
    met[rank] = atomic_load(&hooks[rank]);
    berth_fork_hook_t *hook = met[rank];
    for (; hook != NULL; hook = hook->next) hook_before(hook);
  }
}

static void after(bool is_child) {
  for (int rank = 0; rank < BERTH_FORK_RANKS; ++rank) {
    berth_fork_hook_t *hook = met[rank];
    for (; hook != NULL; hook = hook->next) hook_after(hook, is_child);
  }
  berth_mutex_unlock(&lock);
}

static void in_parent(void) { after(false); }
static void in_child(void) { after(true); }

void berth_fork_add(berth_fork_hook_t *hook) {
  static atomic_bool is_installed = false;
  // A failure leaves forks as risky as they are in any threaded program.
  if (!atomic_exchange(&is_installed, true)) {
    (void)pthread_atfork(before, in_parent, in_child);
  }
  hook->next = atomic_load(&hooks[hook->rank]);
  while (!atomic_compare_exchange_weak(&hooks[hook->rank], &hook->next, hook)) {
  }
}
