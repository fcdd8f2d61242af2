// spill.c - Variables that wait on the host while a GPU is full.
#include "state/spill.h"

#include "base/fork.h"
#include "base/parallel.h"
#include "device/reclaim.h"
#include "state/variable_internal.h"
#include "tensor/transfer.h"

// What is smaller is not worth a copy.
enum { LEAST_BYTES = 64 * 1024 };

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards the list.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static berth_variable_t *variables = NULL;  // All; newest first.

static _Atomic uint64_t rounds = 1;
static _Atomic uint64_t moved_count, moved_bytes, returned_count, away_bytes;

uint64_t berth_spill_clock(void) {
  return atomic_load_explicit(&rounds, memory_order_relaxed);
}

// ---- The list ----

void berth_spill_add(berth_variable_t *variable) {
  berth_mutex_lock(&lock);
  variable->newer = NULL;
  variable->older = variables;
  if (variables != NULL) variables->newer = variable;
  variables = variable;
  berth_mutex_unlock(&lock);
}

void berth_spill_remove(berth_variable_t *variable) {
  berth_mutex_lock(&lock);
  if (variable->newer != NULL) {
    variable->newer->older = variable->older;
  } else {
    variables = variable->older;
  }
  if (variable->older != NULL) variable->older->newer = variable->newer;
  berth_mutex_unlock(&lock);
}

// Counts |variable| up unless it is about to be destroyed.
static bool retain_if_held(berth_variable_t *variable) {
  int refs = atomic_load(&variable->resource.refs);
  while (refs > 0) {
    if (atomic_compare_exchange_weak(&variable->resource.refs, &refs,
                                     refs + 1)) {
      return true;
    }
  }
  return false;
}

// ---- Moving ----

static size_t bytes_of(const berth_tensor_t *value) {
  return (size_t)value->count * berth_dtype_size(value->dtype);
}

// True when the value can go. The variable's lock is held.
static bool is_cold(const berth_variable_t *variable,
                    const berth_device_t *device, uint64_t read_before) {
  const berth_tensor_t *value = variable->value;
  return value != NULL && value->device == device &&
         atomic_load(&variable->read_at) < read_before &&
         berth_dtype_is_plain(value->dtype) && bytes_of(value) >= LEAST_BYTES &&
         berth_tensor_is_exclusive(value);
}

// Returns a variable of |device| whose value can go, and a reference to that;
// NULL when there is none.
static berth_variable_t *find_cold(const berth_device_t *device,
                                   uint64_t read_before,
                                   berth_tensor_t **out_value) {
  berth_variable_t *found = NULL;
  berth_mutex_lock(&lock);
  for (berth_variable_t *v = variables; v != NULL && found == NULL;
       v = v->older) {
    if (!berth_mutex_try_lock(&v->lock)) continue;
    if (is_cold(v, device, read_before) && retain_if_held(v)) {
      found = v;
      *out_value = berth_tensor_retain(v->value);
    }
    berth_mutex_unlock(&v->lock);
  }
  berth_mutex_unlock(&lock);
  return found;
}

// Makes |copy| the value, if |value| still is and nobody else has come to hold
// it; true when it was done.
static bool swap(berth_variable_t *variable, berth_tensor_t *value,
                 berth_tensor_t *copy, berth_device_t *device) {
  if (!berth_mutex_try_lock(&variable->lock)) return false;
  // The variable's own reference, and the caller's.
  bool is_same = variable->value == value && atomic_load(&value->refs) == 2;
  if (is_same) {
    variable->value = berth_tensor_retain(copy);
    atomic_store(&variable->away_from, device);
  }
  berth_mutex_unlock(&variable->lock);
  if (is_same) berth_tensor_release(value);
  return is_same;
}

// Moves one variable to the host; returns the bytes that came free, 0 when
// there is nothing to move.
static uint64_t move_one(berth_device_t *device, uint64_t read_before) {
  berth_tensor_t *value = NULL, *copy = NULL;
  berth_variable_t *variable = find_cold(device, read_before, &value);
  if (variable == NULL) return 0;
  uint64_t bytes = 0;
  if (berth_tensor_transfer(value, NULL, &copy, NULL) == BERTH_OK &&
      swap(variable, value, copy, device)) {
    bytes = bytes_of(copy);
    atomic_fetch_add(&moved_count, 1);
    atomic_fetch_add(&moved_bytes, bytes);
    atomic_fetch_add(&away_bytes, bytes);
  }
  berth_tensor_release(copy);
  berth_tensor_release(value);
  berth_resource_release(&variable->resource);
  return bytes;
}

// Moves variables of |device| until |bytes| have come free, those first that
// were not read since the last time. Nothing ends a copy in the middle.
static uint64_t spill(berth_device_t *device, uint64_t bytes) {
  const berth_parallel_scope_t *scope = berth_parallel_enter(NULL);
  uint64_t now = atomic_fetch_add(&rounds, 1), freed = 0;
  uint64_t limits[] = {now, UINT64_MAX};
  for (int i = 0; i < 2; ++i) {
    uint64_t got = 1;
    while (freed < bytes && got > 0) {
      got = move_one(device, limits[i]);
      freed += got;
    }
  }
  berth_parallel_enter(scope);
  return freed;
}

berth_code_t berth_spill_return(berth_variable_t *variable,
                                berth_error_t *err) {
  for (;;) {
    berth_mutex_lock(&variable->lock);
    berth_device_t *device = atomic_load(&variable->away_from);
    berth_tensor_t *copy =
        device != NULL ? berth_tensor_retain(variable->value) : NULL;
    berth_mutex_unlock(&variable->lock);
    if (copy == NULL) return BERTH_OK;
    berth_tensor_t *value = NULL;
    berth_code_t code = berth_tensor_transfer(copy, device, &value, err);
    berth_mutex_lock(&variable->lock);
    bool is_same = code == BERTH_OK && variable->value == copy;
    if (is_same) {
      variable->value = value;
      atomic_store(&variable->away_from, NULL);
    }
    berth_mutex_unlock(&variable->lock);
    if (is_same) {
      atomic_fetch_add(&returned_count, 1);
      atomic_fetch_sub(&away_bytes, bytes_of(copy));
      berth_tensor_release(copy);
    } else {
      berth_tensor_release(value);
    }
    berth_tensor_release(copy);
    if (code != BERTH_OK || is_same) return code;
  }
}

void berth_spill_forget(berth_variable_t *variable) {
  if (atomic_exchange(&variable->away_from, NULL) == NULL) return;
  atomic_fetch_sub(&away_bytes, bytes_of(variable->value));
}

// ---- Settings ----

void berth_memory_set_spill(bool is_on) {
  berth_reclaim_set_spill(is_on ? spill : NULL);
}

void berth_memory_query_spill(berth_memory_spill_t *out_spill) {
  if (out_spill == NULL) return;
  *out_spill =
      (berth_memory_spill_t){.is_on = berth_reclaim_has_spill(),
                             .moved_count = atomic_load(&moved_count),
                             .moved_bytes = atomic_load(&moved_bytes),
                             .returned_count = atomic_load(&returned_count),
                             .away_bytes = atomic_load(&away_bytes)};
}
