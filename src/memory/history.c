// history.c - What was allocated and freed, and which runs used what.
#include "memory/history.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/log.h"
#include "memory/pools.h"

// A writer may be overtaken by as many others before its event is written.
enum { LEAST_ROOM = 1024, PLANS = 256 };
static const int64_t MOST_EVENTS = (int64_t)1 << 26;

atomic_bool berth_history_is_noting = false;

// Changed with all pools locked, so that nobody notes anything meanwhile.
static berth_memory_event_t *ring = NULL;
static uint64_t mask = 0;      // One less than its size, a power of two.
static int64_t wanted = 0;     // Events that somebody wants to see.
static _Atomic uint64_t next;  // Events noted so far.
static uint64_t start_ticks;   // When it began, by both clocks.
static int64_t start_ns;

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards |plans|.
BERTH_FORK_HOLDS(lock, BERTH_FORK_INNERMOST)
static char *plans[PLANS];
static uint32_t plan_count = 0;

int64_t berth_history_size(void) {
  berth_pools_lock();
  int64_t size = wanted;
  berth_pools_unlock();
  return size;
}

berth_code_t berth_history_set(int64_t events, berth_error_t *err) {
  if (events < 0 || events > MOST_EVENTS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "a history has 0 to %lld events, not %lld",
                           (long long)MOST_EVENTS, (long long)events);
  }
  uint64_t room = LEAST_ROOM;
  while (room < (uint64_t)events) room *= 2;
  berth_memory_event_t *made = NULL;
  if (events > 0) {
    made = berth_calloc((size_t)room, sizeof(*made));
    if (made == NULL) return berth_error_no_memory(err, "a history");
  }
  berth_pools_lock();
  berth_memory_event_t *old = ring;
  ring = made;
  mask = room - 1;
  wanted = events;
  start_ns = berth_now_ns();
  start_ticks = berth_ticks();
  atomic_store(&next, 0);
  atomic_store(&berth_history_is_noting, made != NULL);
  berth_pools_unlock();
  berth_free(old);
  return BERTH_OK;
}

static void begin(void) {
  int64_t events = berth_env_int("BERTH_MEMORY_HISTORY", 0);
  berth_error_t err = BERTH_ERROR_INIT;
  if (events <= 0 || berth_history_set(events, &err) == BERTH_OK) return;
  berth_log(BERTH_LOG_WARNING, "memory/history.c", __LINE__,
            "BERTH_MEMORY_HISTORY: %s", berth_error_message(&err));
  berth_error_clear(&err);
}

void berth_history_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin);
}

void berth_history_note(const berth_memory_event_t *event) {
  if (ring == NULL) return;  // It has just been switched off.
  uint64_t at = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  berth_memory_event_t *place = &ring[at & mask];
  *place = *event;
  place->time_ns = (int64_t)berth_ticks();
}

// Turns the ticks of |event| into nanoseconds, |length| each.
static void time_set(berth_memory_event_t *event, double length) {
  double ticks = (double)(int64_t)((uint64_t)event->time_ns - start_ticks);
  event->time_ns = start_ns + (int64_t)(ticks * length);
}

int64_t berth_history_keeps(void) {
  int64_t noted = (int64_t)atomic_load(&next);
  return noted < wanted ? noted : wanted;
}

int64_t berth_history_copy(berth_memory_event_t *out, int64_t *out_noted) {
  int64_t noted = (int64_t)atomic_load(&next), count = berth_history_keeps();
  uint64_t ticks = berth_ticks() - start_ticks;
  int64_t ns = berth_now_ns() - start_ns;
  double length = ticks > 0 ? (double)ns / (double)ticks : 0;
  for (int64_t i = 0; i < count; ++i) {
    out[i] = ring[(uint64_t)(noted - count + i) & mask];
    time_set(&out[i], length);
  }
  *out_noted = noted;
  return count;
}

uint32_t berth_history_add_plan(char *text) {
  berth_mutex_lock(&lock);
  uint32_t number = plan_count < PLANS ? ++plan_count : 0;
  if (number > 0) plans[number - 1] = text;
  berth_mutex_unlock(&lock);
  if (number == 0) berth_free(text);
  return number;
}

const char *berth_history_plan(uint32_t number) {
  berth_mutex_lock(&lock);
  const char *text =
      number > 0 && number <= plan_count ? plans[number - 1] : NULL;
  berth_mutex_unlock(&lock);
  return text;
}
