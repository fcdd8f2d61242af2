// eager_pin.c - What eager calls are using, so that it is not freed meanwhile.
#include "runtime/eager_pin.h"

#include <pthread.h>

#include "base/alloc.h"

atomic_uint_least64_t berth_eager_clock = 1;

static _Atomic(berth_eager_pin_t *) all_pins;
BERTH_THREAD_LOCAL berth_eager_pin_t *berth_eager_own_pin;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;

// Called with the pin of a thread that ends.
static void thread_ends(void *pin) {
  berth_eager_own_pin = NULL;
  atomic_store(&((berth_eager_pin_t *)pin)->is_taken, false);
}

// In a forked child the other threads are gone, in the middle of whatever.
static void after_fork(void) {
  berth_eager_pin_t *pin = atomic_load(&all_pins);
  for (; pin != NULL; pin = pin->next) {
    if (pin == berth_eager_own_pin) continue;
    atomic_store(&pin->since, 0);
    atomic_store(&pin->use, NULL);
    atomic_store(&pin->is_taken, false);
  }
}

static void start(void) {
  has_key = pthread_key_create(&key, thread_ends) == 0;
  (void)pthread_atfork(NULL, NULL, after_fork);
}

// Returns a pin that a thread has left behind, or NULL.
static berth_eager_pin_t *take_old(void) {
  berth_eager_pin_t *pin = atomic_load(&all_pins);
  for (; pin != NULL; pin = pin->next) {
    bool is_taken = false;
    if (atomic_compare_exchange_strong(&pin->is_taken, &is_taken, true)) {
      return pin;
    }
  }
  return NULL;
}

static berth_eager_pin_t *make_new(void) {
  berth_eager_pin_t *pin = berth_calloc(1, sizeof(*pin));
  if (pin == NULL) return NULL;
  atomic_init(&pin->is_taken, true);
  pin->next = atomic_load(&all_pins);
  while (!atomic_compare_exchange_weak(&all_pins, &pin->next, pin)) {
  }
  return pin;
}

berth_eager_pin_t *berth_eager_pin_make(void) {
  (void)pthread_once(&once, start);
  berth_eager_pin_t *pin = take_old();
  if (pin == NULL) pin = make_new();
  // Without a key the pin stays taken when the thread ends; it is small.
  if (pin != NULL && has_key) (void)pthread_setspecific(key, pin);
  berth_eager_own_pin = pin;
  return pin;
}

void berth_eager_use_retire(berth_eager_use_t *use) {
  use->retired = atomic_fetch_add(&berth_eager_clock, 1) + 1;
}

bool berth_eager_use_is_over(berth_eager_use_t *use) {
  berth_eager_pin_t *pin = atomic_load(&all_pins);
  for (; pin != NULL; pin = pin->next) {
    uint64_t since = atomic_load(&pin->since);  // I1
    if (since != 0 && since < use->retired) return false;
    if (atomic_load(&pin->use) == use) return false;  // I2
  }
  return atomic_load(&use->count) == 0;  // I3
}
