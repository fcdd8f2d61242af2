// fork.c - Locks of the process that are held while it forks.
#include "base/fork.h"

#include <pthread.h>

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards |hooks|.
static berth_fork_hook_t *hooks = NULL;        // By rank.

static void before(void) {
  berth_mutex_lock(&lock);
  for (berth_fork_hook_t *hook = hooks; hook != NULL; hook = hook->next) {
    if (hook->mutex != NULL) {
      berth_mutex_lock(hook->mutex);
    } else {
      hook->before();
    }
  }
}

static void after(bool is_child) {
  for (berth_fork_hook_t *hook = hooks; hook != NULL; hook = hook->next) {
    if (hook->mutex != NULL) {
      berth_mutex_unlock(hook->mutex);
    } else if (is_child) {
      hook->in_child();
    } else {
      hook->in_parent();
    }
  }
  berth_mutex_unlock(&lock);
}

static void in_parent(void) { after(false); }
static void in_child(void) { after(true); }

void berth_fork_add(berth_fork_hook_t *hook) {
  berth_mutex_lock(&lock);
  // A failure leaves forks as risky as they are in any threaded program.
  if (hooks == NULL) (void)pthread_atfork(before, in_parent, in_child);
  berth_fork_hook_t **link = &hooks;
  while (*link != NULL && (*link)->rank <= hook->rank) link = &(*link)->next;
  hook->next = *link;
  *link = hook;
  berth_mutex_unlock(&lock);
}
