// pick.c - Choosing cards as BERTH_GPU says.
#include "runtime/pick.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

enum { MAX_WORD = 128 };

typedef struct choice {
  berth_pick_card_t *cards;
  int count;
  int *chosen;
  int chosen_count;
} choice_t;

// True when |a| is freer than |b|.
static bool is_freer(const berth_pick_card_t *a, const berth_pick_card_t *b) {
  if (a->process_count != b->process_count) {
    return a->process_count < b->process_count;
  }
  if (a->free_bytes != b->free_bytes) return a->free_bytes > b->free_bytes;
  return a->info->bus_index < b->info->bus_index;
}

static void take(choice_t *c, int card) {
  c->cards[card].is_taken = true;
  c->chosen[c->chosen_count++] = card;
}

// ---- The freest ----

static bool has_name(const berth_pick_card_t *card, const char *name) {
  return strcmp(name, "auto") == 0 ||
         strcasestr(card->info->name, name) != NULL;
}

// Takes the |wanted| freest cards whose names have |name| in them.
static berth_code_t take_freest(choice_t *c, const char *name, int wanted,
                                berth_error_t *err) {
  for (int i = 0; i < wanted; ++i) {
    int best = -1;
    for (int k = 0; k < c->count; ++k) {
      if (c->cards[k].is_taken || !has_name(&c->cards[k], name)) continue;
      if (best < 0 || is_freer(&c->cards[k], &c->cards[best])) best = k;
    }
    if (best < 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "BERTH_GPU=%s:%d: there are %d such cards", name,
                             wanted, i);
    }
    take(c, best);
  }
  return BERTH_OK;
}

// ---- A certain one ----

// True when |word| is a PCI id, whole or without its domain.
static bool is_pci(const char *word, const char *pci) {
  const char *part = strchr(pci, ':');
  return strcasecmp(word, pci) == 0 ||
         (part != NULL && strcasecmp(word, part + 1) == 0);
}

static bool is_uuid(const char *word) {
  return strncasecmp(word, "GPU-", 4) == 0 || strncasecmp(word, "MIG-", 4) == 0;
}

// Returns the card that |word| names, -1: none, -2: several.
static int find(const choice_t *c, const char *word) {
  int64_t number = 0;
  bool is_number = berth_parse_int64(word, &number);
  int found = -1;
  for (int i = 0; i < c->count; ++i) {
    const berth_card_info_t *info = c->cards[i].info;
    int place = info->bus_index >= 0 ? info->bus_index : i;
    bool is_it = is_number ? place == number
                 : is_uuid(word)
                     ? strncasecmp(info->uuid, word, strlen(word)) == 0
                     : is_pci(word, info->pci_bus_id);
    if (is_it) found = found == -1 ? i : -2;
  }
  return found;
}

// True for what find() can find: a number, a PCI id or a UUID.
static bool is_certain(const char *word) {
  bool is_number = word[0] != '\0' && word[strspn(word, "0123456789")] == '\0';
  bool is_address = strchr(word, '.') != NULL &&
                    word[strspn(word, "0123456789abcdefABCDEF:.")] == '\0';
  return is_number || is_address || is_uuid(word);
}

static berth_code_t take_certain(choice_t *c, const char *word,
                                 berth_error_t *err) {
  int card = find(c, word);
  if (card >= 0 && c->cards[card].is_taken) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "BERTH_GPU: card %s is named twice", word);
  }
  if (card < 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           card == -2 ? "BERTH_GPU: %s are several of %d cards"
                                      : "BERTH_GPU: %s is none of %d cards",
                           word, c->count);
  }
  take(c, card);
  return BERTH_OK;
}

// ---- The whole ----

// Splits `H200:2` into a name and a number, 1 where there is none.
static bool count_split(char *word, int *out_wanted) {
  char *colon = strrchr(word, ':');
  int64_t wanted = 1;
  if (colon != NULL) {
    if (!berth_parse_int64(colon + 1, &wanted) || wanted < 1 ||
        wanted > 100000) {
      return false;
    }
    *colon = '\0';
  }
  *out_wanted = (int)wanted;
  return word[0] != '\0';
}

static berth_code_t take_word(choice_t *c, const char *word,
                              berth_error_t *err) {
  char name[MAX_WORD];
  int wanted = 0;
  if (is_certain(word)) return take_certain(c, word, err);
  snprintf(name, sizeof(name), "%s", word);
  if (!count_split(name, &wanted)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "BERTH_GPU: '%s' is neither auto[:N] nor a card's "
                           "number, PCI id, UUID or name",
                           word);
  }
  return take_freest(c, name, wanted, err);
}

berth_code_t berth_pick(const char *wish, berth_pick_card_t *cards, int count,
                        int *chosen, int *out_count, berth_error_t *err) {
  choice_t c = {cards, count, chosen, 0};
  *out_count = 0;
  if (strcmp(wish, "none") == 0) return BERTH_OK;
  // Without any card a script runs as it would on a machine that has none.
  if (count == 0 && strncmp(wish, "auto", 4) == 0) return BERTH_OK;
  for (const char *next = wish;;) {
    char word[MAX_WORD];
    size_t size = strcspn(next, ",");
    snprintf(word, sizeof(word), "%.*s", (int)(size < MAX_WORD ? size : 0),
             next);
    BERTH_TRY(take_word(&c, word, err));
    if (next[size] == '\0') break;
    next += size + 1;
  }
  *out_count = c.chosen_count;
  return BERTH_OK;
}
