// commit.h - Changing variables: all of a group, or none.
//
// A commit is a list of changes. Kernels that update variables only describe
// what is to happen; whoever runs them does it, for a group of kernels at once:
//
//   1. lock     the variables, in the order of their addresses
//   2. check    every change against what its variable holds; the first that
//               cannot be made ends the commit, and nothing has changed
//   3. room     a value that others hold too is not written: where there is no
//               room for its successor, unlock, get some, and begin again
//   4. apply    every change, in the order in which they were added
//   5. publish  the new values and unlock
//
// Nothing may end a commit once it applies: loops inside it do not poll. On a
// device applying means queueing, on the stream that all readers of the
// variable are ordered behind.
//
// A variable changes once in a commit. Adding a second change of it does what
// was added before, first.
//
// Threads: a commit belongs to one thread; commits of several threads on the
// same variables come one after the other.
#ifndef BERTH_STATE_COMMIT_H_
#define BERTH_STATE_COMMIT_H_

#include <stdint.h>

#include "base/error.h"
#include "state/variable.h"
#include "tensor/tensor.h"

typedef struct berth_change berth_change_t;

// Fails unless a variable that holds |now| (NULL: nothing yet) can be changed
// so. Called with the variable's lock held, perhaps more than once, and must
// take no other.
typedef berth_code_t (*berth_change_check_fn)(const berth_change_t *change,
                                              const berth_tensor_t *now,
                                              berth_error_t *err);

// Writes to |to|, which may be |from|, what the variable will hold instead of
// |from|: of the same type and shape, in the same memory.
typedef berth_code_t (*berth_change_apply_fn)(const berth_change_t *change,
                                              const berth_tensor_t *from,
                                              berth_tensor_t *to,
                                              berth_error_t *err);

struct berth_change {
  berth_variable_t *variable;  // Borrowed; outlives the commit.
  berth_change_check_fn check;

  // What the variable will hold; a reference, taken over. NULL: |apply| makes
  // it from what it holds now.
  berth_tensor_t *value;

  berth_change_apply_fn apply;   // Unused where |value| is given.
  berth_allocator_t *allocator;  // Where |to| comes from; NULL: host memory.

  const void *owner;  // Whom errors are blamed on. Not looked at.
  // For |check| and |apply|: whatever they need.
  _Alignas(16) unsigned char arg[112];
};

// A change, and room for what it makes that may not be needed.
typedef struct berth_commit_entry {
  berth_change_t change;
  berth_tensor_t *room;
  berth_tensor_t *to;  // Where it is applied: the value, or |room|.
  bool is_end;         // Of a commit that is applied: nothing comes behind.
} berth_commit_entry_t;

// Empty once zeroed, or initialised.
typedef struct berth_commit {
  berth_commit_entry_t *entries;  // In the order in which they were added.
  int32_t *by_address;            // Entries in the order of their variables.
  int count;
  int capacity;
  const void *blamed;  // Owner of the change that failed last.
  // Where the first change lies, while there is no other.
  berth_commit_entry_t only;
  int32_t zero;
} berth_commit_t;

// Makes |commit|, which is uninitialised, empty.
static inline void berth_commit_init(berth_commit_t *commit) {
  commit->entries = NULL;
  commit->by_address = NULL;
  commit->count = 0;
  commit->capacity = 0;
  commit->blamed = NULL;
}

// Adds a change of |variable|, for |owner|, and lends it to be filled in before
// anything else is done with |commit|: |check|, and |value| or |apply|. Fails
// when memory is short, and as berth_commit_do() when the variable is in
// |commit| already.
BERTH_NODISCARD berth_code_t berth_commit_add(berth_commit_t *commit,
                                              berth_variable_t *variable,
                                              const void *owner,
                                              berth_change_t **out_change,
                                              berth_error_t *err);

// Adds changes of |count| variables, all different, that belong together, in
// their order, and lends the first of them; berth_change_at() leads to the
// others. Fails as berth_commit_add() does, and with BERTH_INVALID_ARGUMENT for
// a variable that is there twice; nothing has been added then.
BERTH_NODISCARD berth_code_t berth_commit_add_group(
    berth_commit_t *commit, berth_variable_t *const *variables, int count,
    const void *owner, berth_change_t **out_first, berth_error_t *err);

// Returns the change that was added |steps| after |change| to the same group;
// before it, where that is negative.
berth_change_t *berth_change_at(const berth_change_t *change, int steps);

// Returns the change that is applied behind |change|, of whatever group; NULL
// behind the last. For |apply|.
berth_change_t *berth_change_next(const berth_change_t *change);

// Returns what the variable of |change| holds now, NULL: nothing. For |check|
// and |apply| of changes in its group: the lock is held.
const berth_tensor_t *berth_change_now(const berth_change_t *change);

// Returns where it is applied. For |apply|; a change of which nobody writes
// there changes nothing only where that is the value itself.
berth_tensor_t *berth_change_to(const berth_change_t *change);

// Makes all changes of |commit|, or none, and empties it. Fails with what the
// check of a change fails with, with BERTH_RESOURCE_EXHAUSTED where there is no
// room for a new value, or as |apply| does, which only a device that has failed
// makes it do; |commit->blamed| is the owner of that change then.
BERTH_NODISCARD berth_code_t berth_commit_do(berth_commit_t *commit,
                                             berth_error_t *err);

// Empties |commit| without doing anything.
void berth_commit_drop(berth_commit_t *commit);

// The same, and frees its memory.
void berth_commit_deinit(berth_commit_t *commit);

#endif  // BERTH_STATE_COMMIT_H_
