// keeper.c - A thread that looks after the cards a process uses.
#include "device/keeper.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/fork.h"
#include "device/reclaim.h"

#define SECOND ((int64_t)1000000000)

// How often figures are told, and how often what is outside pools is measured:
// that asks the driver.
static const int64_t TELL_NS = SECOND / 4, MEASURE_NS = SECOND;

// Guards what follows. Nothing is called under it.
static berth_mutex_t lock = BERTH_MUTEX_INIT;
static berth_cond_t is_over = {PTHREAD_COND_INITIALIZER};
static berth_ward_t *wards = NULL;
static int walkers = 0;          // Who go through the list.
static bool is_running = false;  // There is a thread,
static bool is_ending = false;   // which is to end.
static bool has_failed = false;  // There was none to be had.
static berth_thread_t thread;

// How often this thread goes through the list just now.
static BERTH_THREAD_LOCAL int own_walks = 0;

static void before_fork(void) { berth_mutex_lock(&lock); }
static void in_parent(void) { berth_mutex_unlock(&lock); }

// The thread is not in the child, and cards are the parent's.
static void in_child(void) {
  wards = NULL;
  walkers = own_walks;
  is_running = false;
  berth_cond_init(&is_over);
  berth_mutex_unlock(&lock);
}

BERTH_FORK_HOOK(keeper, .rank = BERTH_FORK_LEAF, .before = before_fork,
                .in_parent = in_parent, .in_child = in_child)

// Begins to go through the list, which nobody leaves meanwhile; and ends.
static berth_ward_t *list_begin(void) {
  berth_mutex_lock(&lock);
  ++walkers;
  ++own_walks;
  berth_ward_t *list = wards;
  berth_mutex_unlock(&lock);
  return list;
}

static void list_end(void) {
  berth_mutex_lock(&lock);
  --own_walks;
  if (--walkers == 0) berth_cond_broadcast(&is_over);
  berth_mutex_unlock(&lock);
}

// ---- Telling ----

static void tell(berth_account_t *account, const berth_ward_t *list) {
  berth_card_figures_t figures = {
      .budget_bytes = atomic_load(&account->budget_bytes),
      .floor_bytes = atomic_load(&account->floor_bytes),
      .outside_bytes = atomic_load(&account->outside_bytes)};
  for (const berth_ward_t *ward = list; ward != NULL; ward = ward->next) {
    if (ward->account != account) continue;
    berth_memory_stats_t stats;
    berth_device_query_memory(ward->device, &stats);
    figures.pool_bytes += (uint64_t)stats.pool_bytes;
    figures.in_use_bytes += (uint64_t)stats.bytes_in_use;
    figures.peak_bytes += (uint64_t)stats.peak_bytes_in_use;
  }
  berth_board_publish(atomic_load(&account->line), &figures);
}

// ---- Giving back ----

static uint64_t idle_of(const berth_ward_t *ward) {
  berth_memory_stats_t stats;
  berth_device_query_memory(ward->device, &stats);
  return (uint64_t)stats.idle_bytes;
}

// Gives back |bytes| of what is idle on the card, more or less.
static uint64_t give(const berth_account_t *account, const berth_ward_t *list,
                     uint64_t bytes) {
  uint64_t given = 0;
  for (const berth_ward_t *ward = list; ward != NULL && given < bytes;
       ward = ward->next) {
    if (ward->account != account) continue;
    uint64_t idle = idle_of(ward), want = bytes - given;
    given += berth_device_trim(ward->device, idle > want ? idle - want : 0);
  }
  return given;
}

// Returns how much the floor allows to give.
static uint64_t beyond_floor(const berth_account_t *account) {
  uint64_t floor = atomic_load(&account->floor_bytes);
  uint64_t all =
      atomic_load(&account->held_bytes) + atomic_load(&account->outside_bytes);
  return all > floor ? all - floor : 0;
}

// Gives a neighbour up to |bytes|: what is idle, and if that does not do what
// is ward for the next run.
static uint64_t give_to_neighbour(const berth_account_t *account,
                                  const berth_ward_t *list, uint64_t bytes) {
  uint64_t most = beyond_floor(account);
  uint64_t want = bytes < most ? bytes : most;
  uint64_t given = give(account, list, want);
  if (given >= want) return given;
  bool has_more = false;
  for (const berth_ward_t *ward = list; ward != NULL; ward = ward->next) {
    if (ward->account == account && berth_reclaim(ward->device)) {
      has_more = true;
    }
  }
  return has_more ? given + give(account, list, want - given) : given;
}

static void answer(berth_account_t *account, const berth_ward_t *list) {
  uint64_t bytes = 0, ticket = 0;
  berth_board_card_t *line = atomic_load(&account->line);
  if (!berth_board_asked(line, &bytes, &ticket)) return;
  uint64_t given = give_to_neighbour(account, list, bytes);
  tell(account, list);
  berth_board_answer(line, ticket, given);
}

static void trim_old(const berth_account_t *account, const berth_ward_t *list) {
  int64_t idle_ns = atomic_load(&account->idle_ns);
  if (idle_ns <= 0) return;
  for (const berth_ward_t *ward = list; ward != NULL; ward = ward->next) {
    if (ward->account != account || ward->trim_older == NULL) continue;
    (void)ward->trim_older(ward->device, idle_ns, berth_now_ns());
  }
}

static bool is_ward(const berth_account_t *account, const berth_ward_t *list) {
  while (list != NULL && list->account != account) list = list->next;
  return list != NULL;
}

static void measure(berth_account_t *account) {
  // Whoever does something there measures himself.
  if (!berth_mutex_try_lock(&account->acts)) return;
  (void)berth_account_measure(account);
  berth_mutex_unlock(&account->acts);
}

static void look_after(bool measures) {
  // Tests that make calls fail count those of their own threads.
  if (atomic_load(&berth_fault_armed)) return;
  berth_ward_t *list = list_begin();
  for (berth_account_t *account = berth_account_first(); account != NULL;
       account = account->next) {
    if (!is_ward(account, list)) continue;
    if (atomic_load(&account->line) == NULL) {
      atomic_store(&account->line,
                   berth_board_enter(account->key, account->pci_bus_id));
    }
    if (measures) measure(account);
    answer(account, list);
    trim_old(account, list);
    tell(account, list);
  }
  list_end();
}

// ---- The thread ----

static bool goes_on(void) {
  berth_mutex_lock(&lock);
  bool is_wanted = !is_ending;
  berth_mutex_unlock(&lock);
  return is_wanted;
}

static void keep(void *arg) {
  (void)arg;
  int64_t measured = 0;
  while (goes_on()) {
    uint32_t bell = berth_board_bell();
    int64_t now = berth_now_ns();
    bool measures = now - measured >= MEASURE_NS;
    if (measures) measured = now;
    look_after(measures);
    berth_board_wait(bell, TELL_NS);
  }
}

// At the end of the process no thread may call the driver any more.
static void end(void) {
  berth_mutex_lock(&lock);
  bool was_running = is_running;
  is_ending = true;
  is_running = false;
  berth_mutex_unlock(&lock);
  if (!was_running) return;
  berth_board_ring();
  berth_thread_join(&thread);
  berth_board_leave();
}

// Lock held.
static void start_thread(void) {
  if (is_running || is_ending || has_failed) return;
  if (atomic_load(&berth_fault_armed)) return;
  is_running = berth_thread_start(&thread, keep, NULL, NULL) == BERTH_OK;
  has_failed = !is_running;
  if (is_running) (void)atexit(end);
}

void berth_keeper_add(berth_ward_t *ward) {
  berth_mutex_lock(&lock);
  if (!ward->is_added) {
    ward->next = wards;
    wards = ward;
    ward->is_added = true;
  }
  start_thread();
  berth_mutex_unlock(&lock);
}

void berth_keeper_remove(berth_ward_t *ward) {
  berth_mutex_lock(&lock);
  while (walkers > own_walks) berth_cond_wait(&is_over, &lock);
  berth_ward_t **link = &wards;
  while (*link != NULL && *link != ward) link = &(*link)->next;
  if (*link != NULL) *link = ward->next;
  ward->is_added = false;
  berth_mutex_unlock(&lock);
}

uint64_t berth_keeper_shrink(const berth_account_t *account, uint64_t bytes) {
  uint64_t given = 0;
  const berth_ward_t *list = list_begin();
  for (const berth_ward_t *ward = list; ward != NULL && given < bytes;
       ward = ward->next) {
    if (ward->account != account || ward->shrink == NULL) continue;
    given += ward->shrink(ward->device, bytes - given);
  }
  list_end();
  return given;
}

uint64_t berth_keeper_spill(const berth_account_t *account, uint64_t bytes) {
  uint64_t freed = 0;
  const berth_ward_t *list = list_begin();
  for (const berth_ward_t *ward = list; ward != NULL && freed < bytes;
       ward = ward->next) {
    if (ward->account != account) continue;
    freed += berth_reclaim_spill(ward->device, bytes - freed);
  }
  list_end();
  return freed;
}

void berth_keeper_tell(void) { look_after(false); }
