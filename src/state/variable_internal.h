// variable_internal.h - A variable from the inside, for what changes it.
#ifndef BERTH_STATE_VARIABLE_INTERNAL_H_
#define BERTH_STATE_VARIABLE_INTERNAL_H_

#include "base/thread.h"
#include "state/variable.h"

struct berth_variable {
  berth_resource_t resource;  // First.
  berth_mutex_t lock;         // Guards |value| and |declared|.
  berth_tensor_t *value;      // Owned; NULL: not initialised.
  int64_t *declared;          // Dimensions; owned. Set once; NULL: none.
  int32_t declared_rank;
  atomic_bool is_declared;  // Also of a scalar.
  berth_dtype_t dtype;
  char *name;
  // Of state/rows.h: how many are lent the value, to be given back soon. Counted
  // up under |lock|. The commit that waits for them, which holds |lock|, is told
  // under |lent_lock|.
  atomic_int lent;
  atomic_bool is_awaited;
  berth_mutex_t lent_lock;
  berth_cond_t is_given_back;
  // Of state/spill.h. Written under |lock|: where the value was, which waits on
  // the host; NULL: it is where it belongs.
  _Atomic(berth_device_t *) away_from;
  _Atomic uint64_t read_at;         // By berth_spill_clock().
  berth_variable_t *newer, *older;  // In the list of all.
};

#endif  // BERTH_STATE_VARIABLE_INTERNAL_H_
