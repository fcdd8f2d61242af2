// gate.c - A card that is used by many, or changed by one.
#include "device/gate.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/fork.h"

// How often somebody who waits outside looks at what may end that.
enum { LOOK_NS = 5000000 };

// The holds of this thread, innermost first. Its address names the thread, also
// in the child of a fork, where the system's number of it is another one.
static BERTH_THREAD_LOCAL berth_hold_t *inside = NULL;

// The system's number, asked for once; 0: not yet.
static BERTH_THREAD_LOCAL int64_t own_number = 0;

static int64_t thread_number(void) {
  if (BERTH_UNLIKELY(own_number == 0)) own_number = berth_thread_id();
  return own_number;
}

// ---- All gates, for forks ----

static berth_mutex_t gates_lock = BERTH_MUTEX_INIT;  // Guards |gates|.
static berth_gate_t *gates = NULL;

static void before_fork(void) {
  berth_mutex_lock(&gates_lock);
  for (berth_gate_t *gate = gates; gate != NULL; gate = gate->next) {
    berth_mutex_lock(&gate->lock);
  }
}

static void after_fork_in_parent(void) {
  for (berth_gate_t *gate = gates; gate != NULL; gate = gate->next) {
    berth_mutex_unlock(&gate->lock);
  }
  berth_mutex_unlock(&gates_lock);
}

// Takes |hold| off its gate's list. Lock held.
static void unlink_hold(berth_hold_t *hold) {
  if (hold->next != NULL) hold->next->prev = hold->prev;
  if (hold->prev != NULL) {
    hold->prev->next = hold->next;
  } else {
    hold->gate->holds = hold->next;
  }
  hold->next = hold->prev = NULL;
}

// Other threads do not exist here, and never leave.
static void after_fork_in_child(void) {
  own_number = 0;
  for (berth_gate_t *gate = gates; gate != NULL; gate = gate->next) {
    berth_hold_t *next = NULL;
    for (berth_hold_t *hold = gate->holds; hold != NULL; hold = next) {
      next = hold->next;
      if (hold->owner != &inside && !hold->is_lasting) unlink_hold(hold);
    }
    if (gate->closer != &inside) gate->is_closed = false;
    berth_cond_init(&gate->changed);
    berth_mutex_unlock(&gate->lock);
  }
  berth_mutex_unlock(&gates_lock);
}

BERTH_FORK_HOOK(gates, .rank = BERTH_FORK_INNERMOST, .before = before_fork,
                .in_parent = after_fork_in_parent,
                .in_child = after_fork_in_child)

void berth_gate_init(berth_gate_t *gate) {
  *gate = (berth_gate_t){0};
  berth_mutex_init(&gate->lock);
  berth_cond_init(&gate->changed);
  berth_mutex_lock(&gates_lock);
  gate->next = gates;
  gates = gate;
  berth_mutex_unlock(&gates_lock);
}

void berth_gate_deinit(berth_gate_t *gate) {
  berth_mutex_lock(&gates_lock);
  berth_gate_t **link = &gates;
  while (*link != NULL && *link != gate) link = &(*link)->next;
  if (*link != NULL) *link = gate->next;
  berth_mutex_unlock(&gates_lock);
  berth_cond_deinit(&gate->changed);
  berth_mutex_deinit(&gate->lock);
}

// ---- Inside ----

// Returns the calling thread's outermost hold of |gate|, or NULL.
static const berth_hold_t *find_own(const berth_gate_t *gate) {
  const berth_hold_t *found = NULL;
  for (const berth_hold_t *hold = inside; hold != NULL; hold = hold->outer) {
    if (hold->gate == gate) found = hold;
  }
  return found;
}

bool berth_gate_is_held(const berth_gate_t *gate) {
  return gate != NULL && find_own(gate) != NULL;
}

static void thread_push(berth_hold_t *hold) {
  hold->outer = inside;
  inside = hold;
}

static void thread_pop(berth_hold_t *hold) {
  berth_hold_t **link = &inside;
  while (*link != NULL && *link != hold) link = &(*link)->outer;
  if (*link != NULL) *link = hold->outer;
  hold->outer = NULL;
}

// Lock held.
static void link_hold(berth_gate_t *gate, berth_hold_t *hold) {
  hold->gate = gate;
  hold->owner = &inside;
  hold->thread = thread_number();
  hold->since_ns = berth_now_ns();
  hold->prev = NULL;
  hold->next = gate->holds;
  if (gate->holds != NULL) gate->holds->prev = hold;
  gate->holds = hold;
}

// Waits until |gate| is open; false when |look| ends that. Lock held, but not
// throughout.
static BERTH_NOINLINE bool wait_outside(berth_gate_t *gate, berth_look_fn look,
                                        void *arg) {
  while (gate->is_closed) {
    if (look == NULL) {
      berth_cond_wait(&gate->changed, &gate->lock);
      continue;
    }
    berth_mutex_unlock(&gate->lock);
    bool ends = look(arg);
    berth_mutex_lock(&gate->lock);
    if (ends) return false;
    if (!gate->is_closed) break;
    (void)berth_cond_wait_until(&gate->changed, &gate->lock,
                                berth_now_ns() + LOOK_NS);
  }
  return true;
}

berth_code_t berth_gate_enter(berth_gate_t *gate, berth_hold_t *hold,
                              berth_look_fn look, void *arg) {
  hold->gate = NULL;
  if (gate == NULL) return BERTH_OK;
  hold->is_lasting = false;
  hold->is_inner = find_own(gate) != NULL;
  if (hold->is_inner) {
    hold->gate = gate;
    thread_push(hold);
    return BERTH_OK;
  }
  berth_mutex_lock(&gate->lock);
  bool enters = BERTH_LIKELY(!gate->is_closed) || wait_outside(gate, look, arg);
  if (enters) link_hold(gate, hold);
  berth_mutex_unlock(&gate->lock);
  if (!enters) return BERTH_CANCELLED;
  thread_push(hold);
  return BERTH_OK;
}

void berth_gate_enter_lasting(berth_gate_t *gate, berth_hold_t *hold) {
  hold->gate = NULL;
  if (gate == NULL) return;
  hold->is_lasting = true;
  hold->is_inner = false;
  bool is_own = find_own(gate) != NULL;
  berth_mutex_lock(&gate->lock);
  if (!is_own) (void)wait_outside(gate, NULL, NULL);
  link_hold(gate, hold);
  berth_mutex_unlock(&gate->lock);
}

void berth_gate_leave(berth_hold_t *hold) {
  berth_gate_t *gate = hold->gate;
  if (gate == NULL) return;
  if (!hold->is_lasting) thread_pop(hold);
  if (!hold->is_inner) {
    berth_mutex_lock(&gate->lock);
    unlink_hold(hold);
    if (BERTH_UNLIKELY(gate->is_closed)) berth_cond_broadcast(&gate->changed);
    berth_mutex_unlock(&gate->lock);
  }
  hold->gate = NULL;
}

// ---- Alone ----

// Describes the oldest of those inside: it is the one that stays longest.
// Lock held.
static berth_code_t tell_holder(const berth_gate_t *gate, const char *name,
                                berth_error_t *err) {
  const berth_hold_t *oldest = gate->holds;
  int others = 0;
  while (oldest->next != NULL) {
    oldest = oldest->next;
    ++others;
  }
  char more[40] = "";
  if (others > 0) {
    snprintf(more, sizeof(more), " and %d other%s", others,
             others > 1 ? "s" : "");
  }
  double seconds = (double)(berth_now_ns() - oldest->since_ns) * 1e-9;
  return berth_error_set(
      err, BERTH_FAILED_PRECONDITION,
      "%s is in use by %s%s%s (thread %lld, for %.1f s)%s; try again when that "
      "is over",
      name, oldest->what, oldest->name != NULL ? " of " : "",
      oldest->name != NULL ? oldest->name : "", (long long)oldest->thread,
      seconds, more);
}

// Lock held.
static bool has_lasting(const berth_gate_t *gate) {
  const berth_hold_t *hold = gate->holds;
  while (hold != NULL && !hold->is_lasting) hold = hold->next;
  return hold != NULL;
}

// Waits for another closer. Lock held, but not throughout.
static berth_code_t await_closer(berth_gate_t *gate, const char *name,
                                 int64_t deadline, berth_error_t *err) {
  bool in_time = true;
  while (gate->is_closed && in_time) {
    in_time = berth_cond_wait_until(&gate->changed, &gate->lock, deadline);
  }
  if (!gate->is_closed) return BERTH_OK;
  return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                         "%s is being given back by thread %lld; try again "
                         "when that is over",
                         name, (long long)gate->closer_thread);
}

// Waits for those inside. Lock held, but not throughout.
static berth_code_t await_holders(berth_gate_t *gate, const char *name,
                                  int64_t deadline, berth_error_t *err) {
  bool in_time = !has_lasting(gate);
  while (gate->holds != NULL && in_time) {
    in_time = berth_cond_wait_until(&gate->changed, &gate->lock, deadline);
  }
  return gate->holds == NULL ? BERTH_OK : tell_holder(gate, name, err);
}

berth_code_t berth_gate_close(berth_gate_t *gate, berth_hold_t *hold,
                              const char *name, int64_t wait_ns,
                              berth_error_t *err) {
  const berth_hold_t *own = find_own(gate);
  *hold = (berth_hold_t){0};
  if (own != NULL) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "%s cannot be given back from inside %s%s%s, which "
                           "uses it; do that when it is over",
                           name, own->what, own->name != NULL ? " of " : "",
                           own->name != NULL ? own->name : "");
  }
  int64_t deadline = berth_now_ns() + wait_ns;
  berth_mutex_lock(&gate->lock);
  berth_code_t code = await_closer(gate, name, deadline, err);
  if (code == BERTH_OK) {
    gate->is_closed = true;
    gate->closer = &inside;
    gate->closer_thread = thread_number();
    code = await_holders(gate, name, deadline, err);
    if (code != BERTH_OK) {
      gate->is_closed = false;
      berth_cond_broadcast(&gate->changed);
    }
  }
  berth_mutex_unlock(&gate->lock);
  if (code != BERTH_OK) return code;
  hold->gate = gate;
  hold->what = "giving it back";
  thread_push(hold);
  return BERTH_OK;
}

void berth_gate_open(berth_hold_t *hold) {
  berth_gate_t *gate = hold->gate;
  if (gate == NULL) return;
  thread_pop(hold);
  berth_mutex_lock(&gate->lock);
  gate->is_closed = false;
  berth_cond_broadcast(&gate->changed);
  berth_mutex_unlock(&gate->lock);
  hold->gate = NULL;
}

const char *berth_gate_label(void) {
  if (inside == NULL) return NULL;
  return inside->name != NULL ? inside->name : inside->what;
}
