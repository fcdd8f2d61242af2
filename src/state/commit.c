// commit.c - Changing variables: all of a group, or none.
#include "state/commit.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
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
static bool reserve(berth_commit_t *commit) {
  if (commit->count < commit->capacity) return true;
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

berth_code_t berth_commit_add(berth_commit_t *commit,
                              const berth_change_t *change,
                              berth_error_t *err) {
  int position = position_of(commit, change->variable);
  berth_code_t code = BERTH_OK;
  if (has_variable(commit, change->variable, position)) {
    code = berth_commit_do(commit, err);
    position = 0;
  }
  if (code == BERTH_OK && !reserve(commit)) {
    commit->blamed = change->owner;
    code = berth_error_no_memory(err, "a commit");
  }
  if (code != BERTH_OK) {
    berth_tensor_release(change->value);
    return code;
  }
  memmove(commit->by_address + position + 1, commit->by_address + position,
          (size_t)(commit->count - position) * sizeof(*commit->by_address));
  commit->by_address[position] = commit->count;
  commit->entries[commit->count++] = (berth_commit_entry_t){.change = *change};
  return BERTH_OK;
}

void berth_commit_drop(berth_commit_t *commit) {
  for (int i = 0; i < commit->count; ++i) {
    berth_tensor_release(commit->entries[i].change.value);
    berth_tensor_release(commit->entries[i].room);
  }
  commit->count = 0;
}

void berth_commit_deinit(berth_commit_t *commit) {
  berth_commit_drop(commit);
  if (commit->entries != &commit->only) {
    berth_free(commit->entries);
    berth_free(commit->by_address);
  }
  *commit = (berth_commit_t){0};
}

// ---- Doing it ----

static void lock_all(const berth_commit_t *commit) {
  for (int i = 0; i < commit->count; ++i) {
    berth_mutex_lock(
        &commit->entries[commit->by_address[i]].change.variable->lock);
  }
}

static void unlock_all(const berth_commit_t *commit) {
  for (int i = commit->count - 1; i >= 0; --i) {
    berth_mutex_unlock(
        &commit->entries[commit->by_address[i]].change.variable->lock);
  }
}

static berth_code_t check_all(berth_commit_t *commit, berth_error_t *err) {
  for (int i = 0; i < commit->count; ++i) {
    const berth_change_t *change = &commit->entries[i].change;
    berth_code_t code = change->check(change, change->variable->value, err);
    if (code == BERTH_OK) continue;
    commit->blamed = change->owner;
    return code;
  }
  return BERTH_OK;
}

// True when |entry| has nowhere to write what its variable becomes. The lock is
// held.
static bool lacks_room(const berth_commit_entry_t *entry) {
  const berth_tensor_t *now = entry->change.variable->value;
  if (entry->change.value != NULL || berth_tensor_is_exclusive(now)) {
    return false;
  }
  return entry->room == NULL ||
         !berth_dims_equal(berth_tensor_dims(entry->room),
                           berth_tensor_dims(now));
}

static berth_code_t room_make(berth_commit_entry_t *entry, berth_error_t *err) {
  berth_tensor_t *now = berth_variable_read(entry->change.variable);
  if (now == NULL) return BERTH_OK;  // Gone meanwhile: the check says so.
  berth_tensor_release(entry->room);
  entry->room = NULL;
  berth_code_t code =
      berth_tensor_make(entry->change.allocator, now->dtype, now->rank,
                        now->dims, now->count, &entry->room, err);
  berth_tensor_release(now);
  return code;
}

// Locks all variables when every change can be made and has room, and returns
// BERTH_OK; otherwise none is locked.
static berth_code_t begin(berth_commit_t *commit, berth_error_t *err) {
  for (;;) {
    lock_all(commit);
    berth_code_t code = check_all(commit, err);
    int lacking = 0;
    while (code == BERTH_OK && lacking < commit->count &&
           !lacks_room(&commit->entries[lacking])) {
      ++lacking;
    }
    if (code == BERTH_OK && lacking == commit->count) return BERTH_OK;
    unlock_all(commit);
    if (code != BERTH_OK) return code;
    code = room_make(&commit->entries[lacking], err);
    if (code == BERTH_OK) continue;
    commit->blamed = commit->entries[lacking].change.owner;
    return code;
  }
}

// Leaves in |change.value| what the variable will hold: its own value, where
// that was changed in place.
static berth_code_t apply(berth_commit_entry_t *entry, berth_error_t *err) {
  berth_change_t *change = &entry->change;
  if (change->value != NULL) return BERTH_OK;
  berth_tensor_t *now = change->variable->value;
  bool in_place = berth_tensor_is_exclusive(now);
  BERTH_TRY(change->apply(change, now, in_place ? now : entry->room, err));
  if (in_place) {
    change->value = berth_tensor_retain(now);
  } else {
    change->value = entry->room;
    entry->room = NULL;
  }
  return BERTH_OK;
}

// Makes what was applied the values, and leaves the old ones in the entries, to
// be released without a lock.
static void publish(berth_commit_entry_t *entry) {
  berth_tensor_t *old = entry->change.variable->value;
  entry->change.variable->value = entry->change.value;
  entry->change.value = old;
}

static berth_code_t apply_all(berth_commit_t *commit, berth_error_t *err) {
  int applied = 0;
  berth_code_t code = BERTH_OK;
  while (code == BERTH_OK && applied < commit->count) {
    code = apply(&commit->entries[applied], err);
    if (code == BERTH_OK) ++applied;
  }
  if (code != BERTH_OK) {
    commit->blamed = commit->entries[applied].change.owner;
    return code;
  }
  for (int i = 0; i < commit->count; ++i) publish(&commit->entries[i]);
  return BERTH_OK;
}

berth_code_t berth_commit_do(berth_commit_t *commit, berth_error_t *err) {
  if (commit->count == 0) return BERTH_OK;
  berth_code_t code = begin(commit, err);
  if (code == BERTH_OK) {
    // A loop that polls could be cut short, or call somebody who reads one of
    // the variables.
    const berth_parallel_scope_t *scope = berth_parallel_enter(NULL);
    berth_parallel_scope_t quiet = {.threads =
                                        scope != NULL ? scope->threads : 0};
    berth_parallel_enter(&quiet);
    code = apply_all(commit, err);
    berth_parallel_enter(scope);
    unlock_all(commit);
  }
  berth_commit_drop(commit);
  return code;
}
