// admit.c - Memory of a card that grows outside pools, within the budget.
#include "cuda/card/admit.h"

#include "cuda/card/library.h"
#include "device/keeper.h"
#include "memory/stats.h"

#define MIB ((uint64_t)1 << 20)

// The most that was seen of each, beginning with what an H200 takes and some.
// Of contexts see context_cost().
static _Atomic uint64_t costs[BERTH_COSTS] = {
    [BERTH_COST_MODULE] = 4 * MIB,
    [BERTH_COST_LIBRARY] = 16 * MIB,
    [BERTH_COST_PLAN] = 24 * MIB,
    [BERTH_COST_RECORDING] = 8 * MIB,
};

// What pools leave: before a library is used, and from then on; and of a large
// budget one part of so many, since an H200's driver takes 6 MiB by itself to map
// 16 GiB.
enum { SLACK_PARTS = 1024 };
static const uint64_t SMALL_SLACK = 4 * MIB, LARGE_SLACK = 32 * MIB;

static const char *const what[BERTH_COSTS] = {
    "the driver's context", "code", "a library", "a library's kernels",
    "a recording"};

// True while the thread does something that is counted already.
static BERTH_THREAD_LOCAL bool is_inside = false;

// A context was never measured before it is opened. An H200 takes 518 MiB of
// it, older cards less.
static uint64_t context_cost(const berth_cuda_card_t *card) {
  uint64_t seen = atomic_load(&costs[BERTH_COST_CONTEXT]);
  if (seen > 0) return seen;
  if (berth_cuda_is_simulated()) return 64 * MIB;
  return (card->cc_major >= 9   ? 544
          : card->cc_major >= 8 ? 480
          : card->cc_major >= 7 ? 400
                                : 200) *
         MIB;
}

static uint64_t cost_of(const berth_cuda_card_t *card, berth_cuda_cost_t cost) {
  return cost == BERTH_COST_CONTEXT ? context_cost(card)
                                    : atomic_load(&costs[cost]);
}

static berth_code_t no_room(const berth_cuda_card_t *card,
                            const berth_account_t *account,
                            const berth_cuda_act_t *act, berth_error_t *err) {
  char asked[BERTH_SIZE_TEXT], budget[BERTH_SIZE_TEXT], pool[BERTH_SIZE_TEXT],
      outside[BERTH_SIZE_TEXT];
  return berth_error_set(
      err, BERTH_RESOURCE_EXHAUSTED,
      "GPU %d (%s): the budget of %s leaves no room for %s, which may take %s: "
      "%s are in the pool, %s outside it",
      card->index, card->name,
      berth_size_text(atomic_load(&account->budget_bytes), budget),
      what[act->cost], berth_size_text(act->assumed, asked),
      berth_size_text(atomic_load(&account->held_bytes), pool),
      berth_size_text(atomic_load(&account->outside_bytes), outside));
}

// Takes |act->assumed| bytes; idle memory of pools goes for it.
static berth_code_t take(berth_cuda_card_t *card, berth_cuda_act_t *act,
                         berth_error_t *err) {
  berth_account_t *account = act->account;
  if (berth_account_take_outside(account, act->assumed)) return BERTH_OK;
  uint64_t room = berth_account_room(account);
  if (room < act->assumed) {
    (void)berth_keeper_shrink(account, act->assumed - room);
  }
  if (berth_account_take_outside(account, act->assumed)) return BERTH_OK;
  return no_room(card, account, act, err);
}

// Raises the slack that pools leave.
static void widen(berth_account_t *account, berth_cuda_cost_t cost) {
  bool is_library = cost == BERTH_COST_LIBRARY || cost == BERTH_COST_PLAN;
  uint64_t part = atomic_load(&account->budget_bytes) / SLACK_PARTS;
  uint64_t slack = is_library ? LARGE_SLACK : SMALL_SLACK;
  if (slack < part) slack = part;
  if (atomic_load(&account->slack_bytes) < slack) {
    atomic_store(&account->slack_bytes, slack);
  }
}

berth_code_t berth_cuda_admit(berth_cuda_card_t *card, berth_cuda_cost_t cost,
                              berth_cuda_act_t *act, berth_error_t *err) {
  berth_account_t *account = atomic_load(&card->account);
  *act = (berth_cuda_act_t){.cost = cost};
  if (account == NULL || is_inside) return BERTH_OK;
  if (atomic_load(&account->budget_bytes) == 0) {
    atomic_store(&account->is_stirred, true);
    return BERTH_OK;
  }
  for (;;) {
    berth_mutex_lock(&account->acts);
    if (atomic_load(&account->is_stirred)) (void)berth_account_measure(account);
    act->account = account;
    act->before = atomic_load(&account->outside_bytes);
    act->assumed = cost_of(card, cost);
    berth_code_t code = take(card, act, err);
    if (code == BERTH_OK) break;
    act->account = NULL;
    berth_mutex_unlock(&account->acts);
    if (berth_keeper_spill(account, act->assumed) == 0) return code;
    berth_error_clear(err);
  }
  is_inside = true;
  return BERTH_OK;
}

void berth_cuda_admitted(berth_cuda_act_t *act) {
  berth_account_t *account = act->account;
  if (account == NULL) return;
  // Where nothing can be measured the assumption stands.
  (void)berth_account_measure(account);
  uint64_t now = atomic_load(&account->outside_bytes);
  uint64_t took = now > act->before ? now - act->before : 0;
  if (took > atomic_load(&costs[act->cost])) {
    atomic_store(&costs[act->cost], took);
  }
  widen(account, act->cost);
  is_inside = false;
  act->account = NULL;
  berth_mutex_unlock(&account->acts);
  uint64_t budget = atomic_load(&account->budget_bytes);
  uint64_t used = now + atomic_load(&account->held_bytes);
  if (budget > 0 && used > budget) {
    (void)berth_keeper_shrink(account, used - budget);
  }
}

berth_code_t berth_cuda_expect(berth_cuda_card_t *card, berth_cuda_cost_t cost,
                               berth_error_t *err) {
  berth_account_t *account = atomic_load(&card->account);
  if (account == NULL || is_inside) return BERTH_OK;
  atomic_store(&account->is_stirred, true);
  if (atomic_load(&account->budget_bytes) == 0) return BERTH_OK;
  berth_cuda_act_t act = {.account = account, .cost = cost};
  act.assumed = cost_of(card, cost);
  for (;;) {
    berth_code_t code = take(card, &act, err);
    if (code == BERTH_OK) break;
    if (berth_keeper_spill(account, act.assumed) == 0) return code;
    berth_error_clear(err);
  }
  widen(account, cost);
  berth_account_give_outside(account, act.assumed);
  return BERTH_OK;
}
