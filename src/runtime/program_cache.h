// program_cache.h - The programs of a session that were used last.
//
// Programs are found without a lock. When there are more than |most|, the one
// that was not used for longest is forgotten: runs that have it go on, and so
// do callables and partial runs, which hold references of their own.
//
// Threads: find is thread-safe, in a run that is counted in |terms|; the caller
// serialises the rest.
#ifndef BERTH_RUNTIME_PROGRAM_CACHE_H_
#define BERTH_RUNTIME_PROGRAM_CACHE_H_

#include "exec/program.h"
#include "exec/retire.h"

enum { BERTH_PROGRAM_BUCKETS = 256 };

typedef struct berth_program_entry berth_program_entry_t;
struct berth_program_entry {
  berth_retired_t retired;  // First.
  _Atomic(berth_program_entry_t *) next;
  uint64_t hash;
  berth_program_t *program;  // A reference.
  atomic_uint used;          // The cache's |tick| when it was last found.
};

typedef struct berth_program_cache {
  _Atomic(berth_program_entry_t *) buckets[BERTH_PROGRAM_BUCKETS];
  berth_terms_t *terms;  // Borrowed; outlives this.
  int count;
  int most;
  atomic_uint tick;  // Programs added so far.
} berth_program_cache_t;

// Returns the number under which |signature| is kept.
uint64_t berth_signature_hash(const berth_signature_t *signature);

// Returns the program for |signature|, or NULL. Borrowed for this run.
berth_program_t *berth_program_cache_find(berth_program_cache_t *cache,
                                          uint64_t hash,
                                          const berth_signature_t *signature);

// Adds |program|, taking over the reference also on failure.
// BERTH_RESOURCE_EXHAUSTED when memory is short.
BERTH_NODISCARD berth_code_t
berth_program_cache_add(berth_program_cache_t *cache, uint64_t hash,
                        berth_program_t *program, berth_error_t *err);

// Forgets all programs.
void berth_program_cache_clear(berth_program_cache_t *cache);

#endif  // BERTH_RUNTIME_PROGRAM_CACHE_H_
