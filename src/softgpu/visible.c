// visible.c - Which cards the driver shows, and in which order.
#include "softgpu/visible.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// All cards in the order of their numbers.
static void number_all(const berth_soft_cards_t *cards, const char *order,
                       berth_soft_visible_t *all) {
  bool by_speed = order == NULL || strcmp(order, "PCI_BUS_ID") != 0;
  all->count = cards->count;
  for (int i = 0; i < cards->count; ++i) {
    int at = i;
    uint64_t speed = berth_soft_card_speed(&cards->items[i]);
    // Cards come by PCI id, so equals keep that order.
    for (; by_speed && at > 0; --at) {
      int before = all->cards[at - 1];
      if (berth_soft_card_speed(&cards->items[before]) >= speed) break;
      all->cards[at] = before;
    }
    all->cards[at] = i;
  }
}

// Returns the card that a number at |text| stands for, or -1. Like the driver,
// keeps 32 bits of it and does not look at what follows.
static int find_number(const berth_soft_visible_t *all, const char *text) {
  char *end = NULL;
  long value = strtol(text, &end, 10);
  int number = (int)(unsigned)value;
  bool is_valid = end != text && number >= 0 && number < all->count;
  return is_valid ? all->cards[number] : -1;
}

// Returns the one card whose UUID begins with |size| characters of |text|.
static int find_uuid(const berth_soft_cards_t *cards, const char *text,
                     size_t size) {
  int found = -1;
  if (size <= strlen("GPU-") || size > 40) return -1;
  for (int i = 0; i < cards->count; ++i) {
    char uuid[41];
    berth_soft_card_uuid_text(&cards->items[i], uuid);
    if (strncmp(uuid, text, size) != 0) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

static bool contains(const berth_soft_visible_t *visible, int card) {
  for (int i = 0; i < visible->count; ++i) {
    if (visible->cards[i] == card) return true;
  }
  return false;
}

CUresult berth_soft_visible_read(const berth_soft_cards_t *cards,
                                 const char *list, const char *order,
                                 berth_soft_visible_t *out_visible) {
  berth_soft_visible_t all = {0};
  number_all(cards, order, &all);
  *out_visible = (berth_soft_visible_t){0};
  if (list == NULL) *out_visible = all;
  bool by_uuid = list != NULL && berth_has_prefix(list, "GPU-");
  for (const char *next = list; next != NULL;) {
    size_t size = strcspn(next, ",");
    int card = by_uuid ? find_uuid(cards, next, size) : find_number(&all, next);
    if (card < 0) break;
    if (contains(out_visible, card)) return CUDA_ERROR_INVALID_DEVICE;
    out_visible->cards[out_visible->count++] = card;
    next = next[size] == ',' ? next + size + 1 : NULL;
  }
  return out_visible->count > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}
