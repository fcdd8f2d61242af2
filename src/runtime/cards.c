// cards.c - The cards of the machine, whatever backends they belong to.
#include "runtime/cards.h"

#include "runtime/backends.h"
#include "runtime/chosen.h"
#include "runtime/process.h"

// How many cards come before those of |backend|; -1 when it has none, or a
// driver fails.
static int first_card(const berth_backend_t *backend) {
  int first = 0;
  for (int i = 0; i < berth_backends_count(); ++i) {
    const berth_backend_t *other = berth_backends_at(i);
    if (other->cards == NULL) continue;
    if (other == backend) return first;
    int count = 0;
    if (other->cards->count(&count, NULL) != BERTH_OK) return -1;
    first += count;
  }
  return -1;
}

// Returns the table of card |*index| of all there are, which becomes its number
// there; NULL: there is no such card, or a driver fails, and nobody knows the
// numbers.
static const berth_card_ops_t *find_any(int *index) {
  for (int i = 0; i < berth_backends_count() && *index >= 0; ++i) {
    const berth_card_ops_t *cards = berth_backends_at(i)->cards;
    int count = 0;
    if (cards == NULL) continue;
    if (cards->count(&count, NULL) != BERTH_OK) return NULL;
    if (*index < count) return cards;
    *index -= count;
  }
  return NULL;
}

// The same for card |*index| of those that were chosen.
static const berth_card_ops_t *find(int *index) {
  int count = 0;
  if (berth_cards_count(&count, NULL) != BERTH_OK) return NULL;
  *index = berth_chosen_card(*index);
  return find_any(index);
}

static berth_code_t get(int *index, const berth_card_ops_t **out_cards,
                        berth_error_t *err) {
  int asked = *index, count = 0;
  *out_cards = find(index);
  if (*out_cards != NULL) return BERTH_OK;
  BERTH_TRY(berth_cards_count(&count, err));
  return berth_error_set(err, BERTH_OUT_OF_RANGE, "card %d of %d was asked for",
                         asked, count);
}

berth_code_t berth_cards_count(int *out_count, berth_error_t *err) {
  int all = 0;
  for (int i = 0; i < berth_backends_count(); ++i) {
    const berth_card_ops_t *cards = berth_backends_at(i)->cards;
    int count = 0;
    if (cards == NULL) continue;
    BERTH_TRY(cards->count(&count, err));
    all += count;
  }
  return berth_chosen_count(all, out_count, err);
}

// ---- All there are, for who chooses ----

const berth_card_info_t *berth_cards_all_info(int index) {
  const berth_card_ops_t *cards = find_any(&index);
  return cards != NULL ? cards->info(index) : NULL;
}

berth_code_t berth_cards_all_memory(int index, uint64_t *out_free,
                                    uint64_t *out_total, berth_error_t *err) {
  const berth_card_ops_t *cards = find_any(&index);
  return cards != NULL ? cards->memory(index, out_free, out_total, err)
                       : BERTH_OUT_OF_RANGE;
}

berth_code_t berth_cards_all_processes(int index,
                                       berth_card_process_t *processes,
                                       int room, int *out_count,
                                       berth_error_t *err) {
  const berth_card_ops_t *cards = find_any(&index);
  return cards != NULL
             ? cards->processes(index, processes, room, out_count, err)
             : BERTH_OUT_OF_RANGE;
}

// ---- Those that were chosen ----

const berth_card_info_t *berth_cards_info(int index) {
  const berth_card_ops_t *cards = find(&index);
  return cards != NULL ? cards->info(index) : NULL;
}

const char *berth_cards_problem(void) {
  const char *problem = "";
  for (int i = 0; i < berth_backends_count(); ++i) {
    const berth_card_ops_t *cards = berth_backends_at(i)->cards;
    if (cards == NULL) continue;
    const char *text = cards->problem();
    if (text[0] == '\0') return text;
    if (problem[0] == '\0') problem = text;
  }
  return problem;
}

berth_code_t berth_cards_memory(int index, uint64_t *out_free,
                                uint64_t *out_total, berth_error_t *err) {
  const berth_card_ops_t *cards = NULL;
  BERTH_TRY(get(&index, &cards, err));
  return cards->memory(index, out_free, out_total, err);
}

berth_code_t berth_cards_processes(int index, berth_card_process_t *processes,
                                   int room, int *out_count,
                                   berth_error_t *err) {
  const berth_card_ops_t *cards = NULL;
  BERTH_TRY(get(&index, &cards, err));
  return cards->processes(index, processes, room, out_count, err);
}

berth_code_t berth_cards_open(const berth_device_wish_t *wish,
                              berth_device_t **out_device, berth_error_t *err) {
  const berth_card_ops_t *cards = NULL;
  berth_device_wish_t own = *wish;
  BERTH_TRY(get(&own.card, &cards, err));
  return cards->open(&own, BERTH_LOCAL_PREFIX, out_device, err);
}

int berth_cards_of(const berth_device_t *device) {
  if (device->backend->cards == NULL) return -1;
  int first = first_card(device->backend);
  if (first < 0) return -1;
  return berth_chosen_place(first + device->backend->cards->card_of(device));
}

berth_code_t berth_cards_reset(int index, bool keep, berth_error_t *err) {
  const berth_card_ops_t *cards = NULL;
  BERTH_TRY(get(&index, &cards, err));
  return cards->reset(index, keep, err);
}
