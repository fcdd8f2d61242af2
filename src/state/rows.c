// rows.c - Rows of a variable that are read beside updates of others.
#include "state/rows.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "state/spill.h"
#include "state/variable_internal.h"

enum {
  LEAST_BYTES = 64 * 1024,      // What is smaller is copied as quickly.
  MOST_NS = 100 * 1000 * 1000,  // A reader that was not scheduled for a while.
};

// What is lent: memory that is another tensor's.
typedef struct loan {
  berth_buffer_t buffer;       // First.
  berth_variable_t *variable;  // Retained.
  berth_tensor_t *value;       // Retained.
} loan_t;

// Gives back |value|. It is let go before it counts as given back: who has
// waited for that has it alone.
static void give_back(berth_variable_t *variable, berth_tensor_t *value) {
  berth_tensor_release(value);
  if (atomic_fetch_sub(&variable->lent, 1) != 1) return;
  if (!atomic_load(&variable->is_awaited)) return;
  berth_mutex_lock(&variable->lent_lock);
  berth_cond_broadcast(&variable->is_given_back);
  berth_mutex_unlock(&variable->lent_lock);
}

static void loan_end(berth_buffer_t *buffer) {
  loan_t *loan = (loan_t *)buffer;
  give_back(loan->variable, loan->value);
  berth_resource_release(&loan->variable->resource);
  berth_free(loan);
}

// True when |value| is worth being lent: on a device readers are only queued.
static bool is_worth_it(const berth_tensor_t *value) {
  return value->size >= LEAST_BYTES && value->device == NULL &&
         berth_dtype_is_plain(value->dtype);
}

// Returns a tensor over |value|, which counts as lent. That itself where memory
// is short: an update beside it makes a copy then.
static berth_tensor_t *loan_make(berth_variable_t *variable,
                                 berth_tensor_t *value) {
  berth_tensor_t *rows = NULL;
  loan_t *loan = berth_alloc(sizeof(*loan));
  if (loan == NULL) {
    berth_tensor_retain(value);
    give_back(variable, value);
    return value;
  }
  berth_buffer_init(&loan->buffer, value->data, value->size, loan_end);
  loan->variable = variable;
  loan->value = value;
  berth_resource_retain(&variable->resource);
  if (berth_tensor_view(&loan->buffer, value->data, value->dtype, value->rank,
                        value->dims, value->count, NULL, &rows,
                        NULL) != BERTH_OK) {
    rows = berth_tensor_retain(value);
  }
  berth_buffer_release(&loan->buffer);  // The tensor holds it.
  return rows;
}

berth_tensor_t *berth_variable_read_rows(berth_variable_t *variable) {
  berth_mutex_lock(&variable->lock);
  berth_tensor_t *value = variable->value;
  bool is_lent = value != NULL && atomic_load(&variable->away_from) == NULL &&
                 is_worth_it(value);
  if (is_lent) {
    berth_tensor_retain(value);
    atomic_fetch_add(&variable->lent, 1);
  }
  berth_mutex_unlock(&variable->lock);
  return is_lent ? loan_make(variable, value) : berth_variable_read(variable);
}

void berth_rows_await(berth_variable_t *variable) {
  int64_t deadline = berth_now_ns() + MOST_NS;
  berth_mutex_lock(&variable->lent_lock);
  atomic_store(&variable->is_awaited, true);
  bool is_early = true;
  while (atomic_load(&variable->lent) > 0 && is_early) {
    is_early = berth_cond_wait_until(&variable->is_given_back,
                                     &variable->lent_lock, deadline);
  }
  atomic_store(&variable->is_awaited, false);
  berth_mutex_unlock(&variable->lent_lock);
}
