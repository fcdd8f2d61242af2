// account.c - What this process holds of a card, and how much that may be.
#include "device/account.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fork.h"

enum { TRIES = 20, PAUSE_NS = 200000 };

static berth_mutex_t lock = BERTH_MUTEX_INIT;  // Guards adding to the list.
BERTH_FORK_HOLDS(lock, BERTH_FORK_LEAF)
static _Atomic(berth_account_t *) first = NULL;

void berth_account_key(const berth_card_info_t *card,
                       char key[BERTH_ACCOUNT_KEY]) {
  char mark[BERTH_BOARD_MARK];
  snprintf(key, BERTH_ACCOUNT_KEY, "%s", card->uuid);
  if (!card->is_simulated) return;
  berth_board_mark(mark);
  snprintf(key, BERTH_ACCOUNT_KEY, "%.48s%s", card->uuid, mark);
}

berth_account_t *berth_account_first(void) { return atomic_load(&first); }

static berth_account_t *find(const char *key) {
  berth_account_t *account = atomic_load(&first);
  while (account != NULL && strcmp(account->key, key) != 0) {
    account = account->next;
  }
  return account;
}

// Lock held.
static berth_account_t *make(const char *key, const berth_card_info_t *card) {
  berth_account_t *account = berth_calloc(1, sizeof(*account));
  if (account == NULL) return NULL;
  snprintf(account->key, sizeof(account->key), "%s", key);
  snprintf(account->uuid, sizeof(account->uuid), "%s", card->uuid);
  snprintf(account->pci_bus_id, sizeof(account->pci_bus_id), "%s",
           card->pci_bus_id);
  berth_mutex_init(&account->acts);
  account->next = atomic_load(&first);
  atomic_store(&first, account);
  return account;
}

berth_account_t *berth_account_find(const berth_card_info_t *card) {
  char key[BERTH_ACCOUNT_KEY];
  berth_account_key(card, key);
  berth_account_t *account = find(key);
  if (account != NULL) return account;
  berth_mutex_lock(&lock);
  account = find(key);
  if (account == NULL) account = make(key, card);
  berth_mutex_unlock(&lock);
  return account;
}

// ---- Taking and giving ----

static void raise_peak(berth_account_t *account) {
  uint64_t now =
      atomic_load(&account->held_bytes) + atomic_load(&account->outside_bytes);
  uint64_t peak = atomic_load(&account->peak_bytes);
  while (peak < now &&
         !atomic_compare_exchange_weak(&account->peak_bytes, &peak, now)) {
  }
}

static uint64_t room(const berth_account_t *account, uint64_t slack) {
  uint64_t budget = atomic_load(&account->budget_bytes);
  if (budget == 0) return UINT64_MAX;
  uint64_t used = atomic_load(&account->held_bytes) +
                  atomic_load(&account->outside_bytes) + slack;
  return used < budget ? budget - used : 0;
}

uint64_t berth_account_room(const berth_account_t *account) {
  return room(account, 0);
}

uint64_t berth_account_pool_room(const berth_account_t *account) {
  return room(account, atomic_load(&account->slack_bytes));
}

// Adds |bytes| to |place|. Added first and looked at afterwards: of two that
// would only fit one by one both may be refused, but never are both let in.
static bool take(berth_account_t *account, _Atomic uint64_t *place,
                 uint64_t bytes, uint64_t slack) {
  atomic_fetch_add(place, bytes);
  uint64_t budget = atomic_load(&account->budget_bytes);
  if (budget > 0 && atomic_load(&account->held_bytes) +
                            atomic_load(&account->outside_bytes) + slack >
                        budget) {
    atomic_fetch_sub(place, bytes);
    return false;
  }
  raise_peak(account);
  return true;
}

bool berth_account_take(berth_account_t *account, uint64_t bytes) {
  return account == NULL || take(account, &account->held_bytes, bytes,
                                 atomic_load(&account->slack_bytes));
}

void berth_account_give(berth_account_t *account, uint64_t bytes) {
  if (account != NULL) atomic_fetch_sub(&account->held_bytes, bytes);
}

bool berth_account_take_outside(berth_account_t *account, uint64_t bytes) {
  return account == NULL || take(account, &account->outside_bytes, bytes, 0);
}

void berth_account_give_outside(berth_account_t *account, uint64_t bytes) {
  if (account != NULL) atomic_fetch_sub(&account->outside_bytes, bytes);
}

// ---- Measuring ----

// Stores what is outside pools, found while no pool moved anything; false when
// that was never so, or the driver does not say.
static bool look(berth_account_t *account, uint64_t *out_outside) {
  berth_measure_fn measure = atomic_load(&account->measure);
  if (measure == NULL) return false;
  for (int i = 0; i < TRIES; ++i) {
    uint64_t whole = 0, held = atomic_load(&account->held_bytes);
    bool is_still = atomic_load(&account->moving) == 0;
    if (!measure(account, &whole)) return false;
    if (is_still && atomic_load(&account->moving) == 0 &&
        atomic_load(&account->held_bytes) == held) {
      *out_outside = whole > held ? whole - held : 0;
      return true;
    }
    berth_sleep_ns(PAUSE_NS);
  }
  return false;
}

bool berth_account_measure(berth_account_t *account) {
  uint64_t outside = 0;
  atomic_store(&account->is_stirred, false);
  if (!look(account, &outside)) return false;
  atomic_store(&account->outside_bytes, outside);
  raise_peak(account);
  return true;
}

void berth_account_refresh(berth_account_t *account) {
  if (account == NULL || !atomic_load(&account->is_stirred) ||
      atomic_load(&account->budget_bytes) == 0 ||
      !berth_mutex_try_lock(&account->acts)) {
    return;
  }
  (void)berth_account_measure(account);
  berth_mutex_unlock(&account->acts);
}
