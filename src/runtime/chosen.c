// chosen.c - The cards that this process may use, of all there are.
#include "runtime/chosen.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/env.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/thread.h"
#include "device/claims.h"
#include "runtime/cards.h"
#include "runtime/pick.h"

enum { MOST_CARDS = 256, MOST_CLAIMS = 1024, MOST_PROCESSES = 128 };

// Settled once, and constant from then on.
static struct {
  berth_mutex_t lock;  // Guards what follows, while it is being settled.
  atomic_bool is_settled;
  bool is_all;  // No card is left out.
  int count;
  int cards[MOST_CARDS];
} chosen = {.lock = BERTH_MUTEX_INIT};

BERTH_FORK_HOOK(chosen, .rank = BERTH_FORK_ROSTER, .mutex = &chosen.lock)

// ---- Who is on a card ----

static bool is_listed(const berth_card_process_t *processes, int count,
                      int64_t pid) {
  for (int i = 0; i < count; ++i) {
    if ((int64_t)processes[i].pid == pid) return true;
  }
  return false;
}

// Counts the other processes on card |card|, and those about to be there.
static int processes_count(int card, const char *key,
                           const berth_claim_t *claims, int claim_count) {
  berth_card_process_t processes[MOST_PROCESSES];
  int count = 0, others = 0;
  if (berth_cards_all_processes(card, processes, MOST_PROCESSES, &count,
                                NULL) != BERTH_OK) {
    count = 0;
  }
  if (count > MOST_PROCESSES) count = MOST_PROCESSES;
  for (int i = 0; i < count; ++i) {
    if (processes[i].pid != (uint32_t)getpid()) ++others;
  }
  for (int i = 0; i < claim_count; ++i) {
    if (strcmp(claims[i].key, key) == 0 &&
        !is_listed(processes, count, claims[i].pid)) {
      ++others;
    }
  }
  return others;
}

// ---- Choosing ----

static void tell(const char *wish, const berth_pick_card_t *cards, int count) {
  for (int i = 0; i < chosen.count; ++i) {
    const berth_pick_card_t *card = &cards[chosen.cards[i]];
    berth_trace(
        "cards",
        "%s: chose card %d (%s, %s) of %d: %d other processes, %.1f GiB "
        "free",
        wish, card->info->bus_index, card->info->pci_bus_id, card->info->name,
        count, card->process_count, (double)card->free_bytes / (1 << 30));
  }
}

// Looks at all cards and chooses. The lock is held, and nobody else chooses.
static berth_code_t choose(const char *wish, int all, bool has_claims,
                           berth_error_t *err) {
  berth_claim_t *claims = berth_calloc(MOST_CLAIMS, sizeof(*claims));
  berth_pick_card_t *cards = berth_calloc((size_t)all + 1, sizeof(*cards));
  berth_code_t code = BERTH_OK;
  if (claims == NULL || cards == NULL) {
    code = berth_error_no_memory(err, "cards");
    goto done;
  }
  int claim_count = has_claims ? berth_claims_list(claims, MOST_CLAIMS) : 0;
  for (int i = 0; i < all; ++i) {
    uint64_t total = 0;
    cards[i].info = berth_cards_all_info(i);
    cards[i].process_count =
        processes_count(i, cards[i].info->uuid, claims, claim_count);
    // A driver that does not say how much is free does not say it of any card.
    (void)!berth_cards_all_memory(i, &cards[i].free_bytes, &total, NULL);
  }
  code = berth_pick(wish, cards, all, chosen.cards, &chosen.count, err);
  for (int i = 0; has_claims && code == BERTH_OK && i < chosen.count; ++i) {
    berth_claims_add(cards[chosen.cards[i]].info->uuid);
  }
  if (code == BERTH_OK) tell(wish, cards, all);
done:
  berth_free(cards);
  berth_free(claims);
  return code;
}

static berth_code_t settle(int all, berth_error_t *err) {
  const char *wish = berth_env_get("BERTH_GPU");
  chosen.is_all = wish == NULL || wish[0] == '\0';
  if (!chosen.is_all) {
    if (all > MOST_CARDS) all = MOST_CARDS;
    bool has_claims = berth_claims_begin();
    berth_code_t code = choose(wish, all, has_claims, err);
    if (has_claims) berth_claims_end();
    if (code != BERTH_OK) return code;
  }
  atomic_store(&chosen.is_settled, true);
  return BERTH_OK;
}

berth_code_t berth_chosen_count(int all, int *out_count, berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  if (!atomic_load(&chosen.is_settled)) {
    berth_mutex_lock(&chosen.lock);
    if (!atomic_load(&chosen.is_settled)) code = settle(all, err);
    berth_mutex_unlock(&chosen.lock);
  }
  if (code == BERTH_OK) *out_count = chosen.is_all ? all : chosen.count;
  return code;
}

int berth_chosen_card(int index) {
  if (!atomic_load(&chosen.is_settled) || chosen.is_all) return index;
  return index >= 0 && index < chosen.count ? chosen.cards[index] : -1;
}

int berth_chosen_place(int card) {
  if (!atomic_load(&chosen.is_settled) || chosen.is_all) return card;
  for (int i = 0; i < chosen.count; ++i) {
    if (chosen.cards[i] == card) return i;
  }
  return -1;
}
