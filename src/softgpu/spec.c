// spec.c - Reading which cards to simulate.
#include "softgpu/spec.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"

enum { MAX_ENTRY = 2048 };

static const uint64_t MIB = 1u << 20;
// Less would not hold a context; more is no card anybody has.
static const uint64_t MIN_MEMORY = 128ull << 20;
static const uint64_t MAX_MEMORY = 1ull << 40;

// One card of the spec while it is read; the parts point into |text|.
typedef struct entry {
  char text[MAX_ENTRY];
  char shown[MAX_ENTRY];  // As it was given, for messages.
  char *name;
  char *pcis;  // NULL: none given.
  int count;
  uint64_t memory_bytes;  // 0: not given.
  int major, minor;       // 0.0: not given.
} entry_t;

// Cuts white space off both ends of |text|.
static char *trim(char *text) {
  while (isspace((unsigned char)*text)) ++text;
  size_t size = strlen(text);
  while (size > 0 && isspace((unsigned char)text[size - 1])) --size;
  text[size] = '\0';
  return text;
}

// ---- Settings ----

static berth_code_t parse_memory(entry_t *entry, const char *value,
                                 berth_error_t *err) {
  static const struct {
    const char *name;
    int shift;
  } units[] = {{"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  char *end = NULL;
  double number = isdigit((unsigned char)*value) ? strtod(value, &end) : -1;
  for (int i = 0; number >= 0 && i < BERTH_COUNT_OF(units); ++i) {
    if (strcmp(end, units[i].name) != 0) continue;
    double bytes = number * (double)(1ull << units[i].shift);
    if (bytes < (double)MIN_MEMORY || bytes > (double)MAX_MEMORY) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "'%s': memory must be from 128MiB to 1TiB, not %s",
                             entry->shown, value);
    }
    entry->memory_bytes = (uint64_t)(bytes / (double)MIB) * MIB;
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "'%s': '%s' is no size like 12GiB or 512MiB",
                         entry->shown, value);
}

static berth_code_t parse_capability(entry_t *entry, const char *value,
                                     berth_error_t *err) {
  int major = 0, minor = 0, used = 0;
  bool is_plain = isdigit((unsigned char)*value);
  if (is_plain && sscanf(value, "%2d.%1d%n", &major, &minor, &used) == 2 &&
      value[used] == '\0' && major >= 1) {
    entry->major = major;
    entry->minor = minor;
    return BERTH_OK;
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "'%s': '%s' is no compute capability like 3.5",
                         entry->shown, value);
}

static berth_code_t parse_setting(entry_t *entry, const char *text,
                                  berth_error_t *err) {
  if (berth_has_prefix(text, "memory=")) {
    return parse_memory(entry, text + 7, err);
  }
  if (berth_has_prefix(text, "cc=")) {
    return parse_capability(entry, text + 3, err);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "'%s': unknown setting '%s'; there are memory= and "
                         "cc=",
                         entry->shown, text);
}

// Takes settings off the end of |text| while the last word is one.
static berth_code_t parse_settings(entry_t *entry, char *text,
                                   berth_error_t *err) {
  for (;;) {
    char *last = strrchr(text, ' ');
    if (last == NULL || strchr(last, '=') == NULL) return BERTH_OK;
    BERTH_TRY(parse_setting(entry, last + 1, err));
    *last = '\0';
    trim(text);
  }
}

// ---- One card ----

static berth_code_t parse_count(entry_t *entry, berth_error_t *err) {
  char *star = strrchr(entry->name, '*');
  entry->count = 1;
  if (star == NULL) return BERTH_OK;
  *star = '\0';
  int64_t count = 0;
  if (!berth_parse_int64(trim(star + 1), &count) || count < 1 ||
      count > BERTH_SOFT_MAX_CARDS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'%s': the count must be a number from 1 to %d",
                           entry->shown, BERTH_SOFT_MAX_CARDS);
  }
  entry->count = (int)count;
  return BERTH_OK;
}

// Returns the model whose name is written most like |name|; NULL when less than
// two thirds of the letters are the same.
static const char *nearest_model(const char *name) {
  const char *best = NULL;
  int least = (int)strlen(name) / 3 + 1;
  for (int i = 0; berth_soft_model_at(i) != NULL; ++i) {
    int distance = berth_str_distance(name, berth_soft_model_at(i)->name);
    if (distance >= least) continue;
    least = distance;
    best = berth_soft_model_at(i)->name;
  }
  return best;
}

static berth_code_t unknown_model(const entry_t *entry, berth_error_t *err) {
  const char *best = nearest_model(entry->name);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "unknown card '%s'%s%s%s: add memory= and cc=, or use one of",
      entry->name, best != NULL ? " (did you mean " : "",
      best != NULL ? best : "", best != NULL ? "?)" : "");
  for (int i = 0; berth_soft_model_at(i) != NULL; ++i) {
    berth_error_append(err, "%s %s", i > 0 ? "," : "",
                       berth_soft_model_at(i)->name);
  }
  return code;
}

// Fills |card| with what all cards of |entry| have in common.
static berth_code_t describe(const entry_t *entry, berth_soft_card_t *card,
                             berth_error_t *err) {
  const berth_soft_model_t *model = berth_soft_model_find(entry->name);
  if (model == NULL && (entry->memory_bytes == 0 || entry->major == 0)) {
    return unknown_model(entry, err);
  }
  const berth_soft_model_t other = {entry->name, "", 0, 0, 0, 16, 1000};
  if (model == NULL) model = &other;
  *card = (berth_soft_card_t){.memory_bytes = model->memory_mib * MIB,
                              .major = model->major,
                              .minor = model->minor,
                              .multiprocessors = model->multiprocessors,
                              .clock_mhz = model->clock_mhz};
  if (entry->memory_bytes != 0) card->memory_bytes = entry->memory_bytes;
  if (entry->major != 0) {
    card->major = entry->major;
    card->minor = entry->minor;
  }
  if (strlen(model->name) >= sizeof(card->name)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'%s': a name has at most %zu characters",
                           entry->shown, sizeof(card->name) - 1);
  }
  snprintf(card->name, sizeof(card->name), "%s", model->name);
  return BERTH_OK;
}

// ---- PCI ids ----

static bool parse_pci(const char *text, berth_soft_pci_t *out_pci) {
  unsigned function = 0;
  int used = 0;
  return strspn(text, "0123456789abcdefABCDEF:.") == strlen(text) &&
         strlen(text) == 12 &&
         sscanf(text, "%4x:%2x:%2x.%1x%n", &out_pci->domain, &out_pci->bus,
                &out_pci->device, &function, &used) == 4 &&
         used == 12 && function == 0 && out_pci->device < 32;
}

static uint64_t pci_key(berth_soft_pci_t pci) {
  return (uint64_t)pci.domain << 16 | pci.bus << 8 | pci.device;
}

static bool is_taken(const berth_soft_cards_t *cards, berth_soft_pci_t pci) {
  for (int i = 0; i < cards->count; ++i) {
    if (cards->items[i].pci_text[0] != '\0' &&
        pci_key(cards->items[i].pci) == pci_key(pci)) {
      return true;
    }
  }
  return false;
}

static berth_code_t set_pci(berth_soft_cards_t *cards, int index,
                            berth_soft_pci_t pci, berth_error_t *err) {
  berth_soft_card_t *card = &cards->items[index];
  char text[32];
  snprintf(text, sizeof(text), "%04x:%02x:%02x.0", pci.domain, pci.bus,
           pci.device);
  if (is_taken(cards, pci)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "PCI id %s is given twice", text);
  }
  card->pci = pci;
  memcpy(card->pci_text, text, strlen(text) + 1);
  return BERTH_OK;
}

// Gives the ids of |entry| to the cards from |first| on.
static berth_code_t place(const entry_t *entry, berth_soft_cards_t *cards,
                          int first, berth_error_t *err) {
  int given = 0;
  char *next = entry->pcis;
  while (next != NULL) {
    char *text = next;
    next = strchr(text, ',');
    if (next != NULL) *next++ = '\0';
    berth_soft_pci_t pci = {0};
    if (!parse_pci(trim(text), &pci)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "'%s': '%s' is no PCI id like 0000:05:00.0",
                             entry->shown, trim(text));
    }
    if (given < entry->count) {
      BERTH_TRY(set_pci(cards, first + given, pci, err));
    }
    ++given;
  }
  if (entry->pcis != NULL && given != entry->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'%s': %d card%s, but %d PCI id%s", entry->shown,
                           entry->count, entry->count == 1 ? "" : "s", given,
                           given == 1 ? "" : "s");
  }
  return BERTH_OK;
}

// ---- The whole ----

static berth_code_t parse_entry(entry_t *entry, berth_soft_cards_t *cards,
                                berth_error_t *err) {
  char *text = trim(entry->text);
  memcpy(entry->shown, text, strlen(text) + 1);
  BERTH_TRY(parse_settings(entry, text, err));
  entry->pcis = strchr(text, '@');
  if (entry->pcis != NULL) *entry->pcis++ = '\0';
  entry->name = trim(text);
  BERTH_TRY(parse_count(entry, err));
  entry->name = trim(entry->name);
  if (entry->name[0] == '\0') {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "'%s': a card needs a name", entry->shown);
  }
  if (cards->count + entry->count > BERTH_SOFT_MAX_CARDS) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT, "more than %d cards",
                           BERTH_SOFT_MAX_CARDS);
  }
  int first = cards->count;
  for (int i = 0; i < entry->count; ++i) {
    BERTH_TRY(describe(entry, &cards->items[first + i], err));
    ++cards->count;
  }
  return place(entry, cards, first, err);
}

static int compare_cards(const void *a, const void *b) {
  uint64_t x = pci_key(((const berth_soft_card_t *)a)->pci);
  uint64_t y = pci_key(((const berth_soft_card_t *)b)->pci);
  return (x > y) - (x < y);
}

// Gives free ids to those that have none, and everyone a UUID.
static berth_code_t finish(berth_soft_cards_t *cards, berth_error_t *err) {
  berth_soft_pci_t next = {0, 1, 0};
  for (int i = 0; i < cards->count; ++i) {
    if (cards->items[i].pci_text[0] != '\0') continue;
    while (is_taken(cards, next)) ++next.bus;
    BERTH_TRY(set_pci(cards, i, next, err));
  }
  qsort(cards->items, (size_t)cards->count, sizeof(cards->items[0]),
        compare_cards);
  for (int i = 0; i < cards->count; ++i) {
    berth_soft_card_t *card = &cards->items[i];
    uint64_t half = berth_hash(card->name, strlen(card->name), 1);
    half = berth_hash(card->pci_text, strlen(card->pci_text), half);
    uint64_t other = berth_hash(&half, sizeof(half), 2);
    memcpy(card->uuid, &half, 8);
    memcpy(card->uuid + 8, &other, 8);
  }
  return BERTH_OK;
}

berth_code_t berth_soft_spec_parse(const char *spec,
                                   berth_soft_cards_t *out_cards,
                                   berth_error_t *err) {
  memset(out_cards, 0, sizeof(*out_cards));
  const char *next = spec;
  while (next != NULL && next[strspn(next, " \t\n;")] != '\0') {
    size_t size = strcspn(next, ";");
    if (size >= MAX_ENTRY) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "a card of more than %d characters", MAX_ENTRY);
    }
    entry_t entry = {.text = ""};
    memcpy(entry.text, next, size);
    next = next[size] == ';' ? next + size + 1 : NULL;
    if (trim(entry.text)[0] == '\0') continue;
    BERTH_TRY(parse_entry(&entry, out_cards, err));
  }
  if (out_cards->count == 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "no cards to simulate: say cards separated by ';', each 'name[*count]"
        "[@pci,pci,...] [memory=12GiB] [cc=3.5]'");
  }
  return finish(out_cards, err);
}
