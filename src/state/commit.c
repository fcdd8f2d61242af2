// commit.c - Changing variables: all of a group, or none.
#include "state/commit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "state/rows.h"
#include "state/spill.h"
#include "state/variable_internal.h"

// ---- The list ----

// Returns where |variable| stands, or would stand, in the order of addresses.
static int position_of(const berth_commit_t *commit,
                       const berth_variable_t *variable) {
  int low = 0, high = commit->count;
  while (low < high) {
    int middle = (low + high) / 2;
    const berth_variable_t *at =
        commit->entries[commit->by_address[middle]].change.variable;
    if ((uintptr_t)at < (uintptr_t)variable) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool has_variable(const berth_commit_t *commit,
                         const berth_variable_t *variable, int position) {
  return position < commit->count &&
         commit->entries[commit->by_address[position]].change.variable ==
             variable;
}

// Makes room for one more change. False when memory is short.
static bool grow(berth_commit_t *commit) {
  if (commit->capacity == 0) {
    commit->entries = &commit->only;
    commit->by_address = &commit->zero;
    commit->capacity = 1;
    return true;
  }
  size_t capacity = (size_t)commit->capacity * 2 + 6;
  bool is_own = commit->entries != &commit->only;
  berth_commit_entry_t *entries = berth_realloc(is_own ? commit->entries : NULL,
                                                capacity, sizeof(*entries));
  if (entries == NULL) return false;
  if (!is_own) entries[0] = commit->only;
  commit->entries = entries;
  int32_t *by_address = berth_realloc(is_own ? commit->by_address : NULL,
                                      capacity, sizeof(*by_address));
  if (by_address == NULL) {
    // |only| counts again, as long as nothing else was added.
    if (!is_own) {
      berth_free(entries);
      commit->entries = &commit->only;
    }
    return false;
  }
  if (!is_own) by_address[0] = 0;
  commit->by_address = by_address;
  commit->capacity = (int)capacity;
  return true;
}

// Notes that the change added next is of |variable|, doing what was added
// before if that has one of it.
static berth_code_t put_in_order(berth_commit_t *commit,
                                 const berth_variable_t *variable,
                                 berth_error_t *err) {
  int position = position_of(commit, variable);
  if (has_variable(commit, variable, position)) {
    BERTH_TRY(berth_commit_do(commit, err));
    position = 0;
  }
  memmove(commit->by_address + position + 1, commit->by_address + position,
          (size_t)(commit->count - position) * sizeof(*commit->by_address));
  commit->by_address[position] = commit->count;
  return BERTH_OK;
}

berth_code_t berth_commit_add(berth_commit_t *commit,
                              berth_variable_t *variable, const void *owner,
                              berth_change_t **out_change, berth_error_t *err) {
  if (commit->count == commit->capacity && !grow(commit)) {
    commit->blamed = owner;
    return berth_error_no_memory(err, "a commit");
  }
  if (commit->count > 0) {
    BERTH_TRY(put_in_order(commit, variable, err));
  } else {
    commit->by_address[0] = 0;
  }
  berth_commit_entry_t *entry = &commit->entries[commit->count++];
  entry->change.variable = variable;
  entry->change.owner = owner;
  entry->change.value = NULL;
  entry->change.allocator = NULL;
  entry->room = NULL;
  entry->is_end = false;
  *out_change = &entry->change;
  return BERTH_OK;
}

static berth_code_t check_group(berth_variable_t *const *variables, int count,
                                berth_error_t *err) {
  for (int i = 1; i < count; ++i) {
    for (int k = 0; k < i; ++k) {
      if (variables[i] != variables[k]) continue;
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "variable %s is given twice to one update: each of "
          "its variables must be another one",
          berth_variable_name(variables[i]));
    }
  }
  return BERTH_OK;
}

berth_code_t berth_commit_add_group(berth_commit_t *commit,
                                    berth_variable_t *const *variables,
                                    int count, const void *owner,
                                    berth_change_t **out_first,
                                    berth_error_t *err) {
  commit->blamed = owner;
  BERTH_TRY(check_group(variables, count, err));
  // A group is not torn apart: what has one of its variables is done before.
  for (int i = 0; i < count; ++i) {
    if (commit->count == 0) break;
    if (has_variable(commit, variables[i], position_of(commit, variables[i]))) {
      BERTH_TRY(berth_commit_do(commit, err));
    }
  }
  while (commit->capacity < commit->count + count) {
    if (grow(commit)) continue;
    commit->blamed = owner;
    return berth_error_no_memory(err, "a commit");
  }
  int first = commit->count;
  for (int i = 0; i < count; ++i) {
    berth_change_t *change = NULL;
    BERTH_TRY(berth_commit_add(commit, variables[i], owner, &change, err));
  }
  *out_first = &commit->entries[first].change;
  return BERTH_OK;
}

// A change is the first member of its entry.
static berth_commit_entry_t *entry_of(const berth_change_t *change) {
  return (berth_commit_entry_t *)(uintptr_t)change;
}

berth_change_t *berth_change_at(const berth_change_t *change, int steps) {
  return &entry_of(change)[steps].change;
}

berth_change_t *berth_change_next(const berth_change_t *change) {
  return entry_of(change)->is_end ? NULL : berth_change_at(change, 1);
}

const berth_tensor_t *berth_change_now(const berth_change_t *change) {
  return change->variable->value;
}

berth_tensor_t *berth_change_to(const berth_change_t *change) {
  return entry_of(change)->to;
}

void berth_commit_drop(berth_commit_t *commit) {
  for (int i = 0; i < commit->count; ++i) {
    berth_commit_entry_t *entry = &commit->entries[i];
    if (entry->change.value != NULL) berth_tensor_release(entry->change.value);
    if (entry->room != NULL) berth_tensor_release(entry->room);
  }
  commit->count = 0;
}

void berth_commit_deinit(berth_commit_t *commit) {
  berth_commit_drop(commit);
  if (commit->capacity > 1) {
    berth_free(commit->entries);
    berth_free(commit->by_address);
  }
  berth_commit_init(commit);
}

// ---- Doing it ----

// Most commits are of one change, which a copy of all of this without loops
// does: |count| is |commit->count|, or 1 where the compiler can see it.

// Returns the lock that is taken as number |i|.
static BERTH_INLINE berth_mutex_t *lock_of(const berth_commit_t *commit, int i,
                                           int count) {
  int32_t at = count == 1 ? 0 : commit->by_address[i];
  return &commit->entries[at].change.variable->lock;
}

static BERTH_INLINE void lock_all(const berth_commit_t *commit, int count) {
  for (int i = 0; i < count; ++i) berth_mutex_lock(lock_of(commit, i, count));
}

static BERTH_INLINE void unlock_all(const berth_commit_t *commit, int count) {
  for (int i = count - 1; i >= 0; --i) {
    berth_mutex_unlock(lock_of(commit, i, count));
  }
}

// Finds where what the variable of |entry| becomes can be written; false when
// that is nowhere. The lock is held: nobody comes to hold a value that only the
// variable holds. Readers of rows are waited for, once.
static bool find_place(berth_commit_entry_t *entry) {
  berth_variable_t *variable = entry->change.variable;
  berth_tensor_t *now = variable->value;
  bool in_place = berth_tensor_is_exclusive(now);
  if (!in_place && entry->room == NULL && atomic_load(&variable->lent) > 0) {
    berth_rows_await(variable);
    in_place = berth_tensor_is_exclusive(now);
  }
  entry->to = in_place ? now : entry->room;
  return in_place || (entry->room != NULL &&
                      berth_dims_equal(berth_tensor_dims(entry->room),
                                       berth_tensor_dims(now)));
}

// Checks every change and finds its place. Stores the first that has none, or
// NULL, and whether any is to be applied. All variables are locked.
static BERTH_INLINE berth_code_t check_all(berth_commit_t *commit, int count,
                                           berth_commit_entry_t **out_lacking,
                                           bool *out_applies,
                                           berth_error_t *err) {
  *out_lacking = NULL;
  *out_applies = false;
  for (int i = 0; i < count; ++i) {
    berth_commit_entry_t *entry = &commit->entries[i];
    const berth_change_t *change = &entry->change;
    berth_code_t code = change->check(change, change->variable->value, err);
    if (BERTH_UNLIKELY(code != BERTH_OK)) {
      commit->blamed = change->owner;
      return code;
    }
    if (change->value != NULL) continue;
    *out_applies = true;
    if (!find_place(entry) && *out_lacking == NULL) *out_lacking = entry;
  }
  return BERTH_OK;
}

static BERTH_NOINLINE berth_code_t room_make(berth_commit_entry_t *entry,
                                             berth_error_t *err) {
  berth_variable_t *variable = entry->change.variable;
  berth_dtype_t dtype = BERTH_INVALID;
  berth_shape_t shape;
  // Held just now, the value would be copied by others, too.
  berth_mutex_lock(&variable->lock);
  if (variable->value != NULL) {
    dtype = variable->value->dtype;
    berth_shape_set(&shape, berth_tensor_dims(variable->value));
  }
  berth_mutex_unlock(&variable->lock);
  if (dtype == BERTH_INVALID) return BERTH_OK;  // Gone: the check says so.
  berth_tensor_release(entry->room);
  entry->room = NULL;
  berth_dims_t dims = berth_shape_dims(&shape);
  return berth_tensor_make(entry->change.allocator, dtype, dims.rank, dims.dims,
                           berth_dims_count(dims), &entry->room, err);
}

// True when a value waits on the host (state/spill.h).
static BERTH_INLINE bool is_any_away(const berth_commit_t *commit, int count) {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const berth_variable_t *variable = commit->entries[i].change.variable;
    any |= atomic_load_explicit(&variable->away_from, memory_order_relaxed) !=
           NULL;
  }
  return any;
}

static BERTH_NOINLINE berth_code_t return_all(berth_commit_t *commit, int count,
                                              berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    commit->blamed = commit->entries[i].change.owner;
    BERTH_TRY(berth_spill_return(commit->entries[i].change.variable, err));
  }
  return BERTH_OK;
}

// Locks all variables when every change can be made and has room, and returns
// BERTH_OK and whether any is to be applied; otherwise none is locked.
static BERTH_INLINE berth_code_t begin(berth_commit_t *commit, int count,
                                       bool *out_applies, berth_error_t *err) {
  for (;;) {
    berth_commit_entry_t *lacking = NULL;
    lock_all(commit, count);
    if (BERTH_UNLIKELY(is_any_away(commit, count))) {
      unlock_all(commit, count);
      BERTH_TRY(return_all(commit, count, err));
      continue;
    }
    berth_code_t code = check_all(commit, count, &lacking, out_applies, err);
    if (BERTH_LIKELY(code == BERTH_OK && lacking == NULL)) return BERTH_OK;
    unlock_all(commit, count);
    if (code != BERTH_OK) return code;
    code = room_make(lacking, err);
    if (code == BERTH_OK) continue;
    commit->blamed = lacking->change.owner;
    return code;
  }
}

// Leaves in |change.value| what the variable will hold; NULL: its own value was
// changed in place.
static berth_code_t apply(berth_commit_entry_t *entry, berth_error_t *err) {
  berth_change_t *change = &entry->change;
  if (change->value != NULL) return BERTH_OK;
  berth_tensor_t *now = change->variable->value;
  BERTH_TRY(change->apply(change, now, entry->to, err));
  if (entry->to == now) return BERTH_OK;
  change->value = entry->room;
  entry->room = NULL;
  return BERTH_OK;
}

// Makes what was applied the values, and leaves the old ones in the entries, to
// be released without a lock.
static void publish(berth_commit_entry_t *entry) {
  if (entry->change.value == NULL) return;
  berth_tensor_t *old = entry->change.variable->value;
  entry->change.variable->value = entry->change.value;
  entry->change.value = old;
}

// Applies every change that has no value yet. A loop that polls could be cut
// short, or call somebody who reads one of the variables.
static BERTH_INLINE berth_code_t apply_all(berth_commit_t *commit, int count,
                                           berth_error_t *err) {
  berth_parallel_scope_t quiet = {0};
  const berth_parallel_scope_t *scope = berth_parallel_enter(&quiet);
  if (scope != NULL) quiet.threads = scope->threads;
  berth_code_t code = BERTH_OK;
  commit->entries[count - 1].is_end = true;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    code = apply(&commit->entries[i], err);
    if (BERTH_UNLIKELY(code != BERTH_OK)) {
      commit->blamed = commit->entries[i].change.owner;
    }
  }
  berth_parallel_enter(scope);
  return code;
}

static BERTH_INLINE berth_code_t commit_all(berth_commit_t *commit, int count,
                                            berth_error_t *err) {
  bool applies = false;
  BERTH_TRY(begin(commit, count, &applies, err));
  berth_code_t code = applies ? apply_all(commit, count, err) : BERTH_OK;
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    publish(&commit->entries[i]);
  }
  unlock_all(commit, count);
  return code;
}

BERTH_UNGUARDED
berth_code_t berth_commit_do(berth_commit_t *commit, berth_error_t *err) {
  if (commit->count == 0) return BERTH_OK;
  berth_code_t code = commit->count == 1
                          ? commit_all(commit, 1, err)
                          : commit_all(commit, commit->count, err);
  berth_commit_drop(commit);
  return code;
}
