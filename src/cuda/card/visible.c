// visible.c - Which cards the driver will show, worked out without it.
#include "cuda/card/visible.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

// Returns the card at the place that |text| begins with, or -1. The driver
// keeps 32 bits of it.
static int by_place(const char *text, int count) {
  char *end = NULL;
  long long value = strtoll(text, &end, 10);
  if (end == text) return -1;
  uint32_t low = (uint32_t)(uint64_t)value;
  return low < (uint32_t)count ? (int)low : -1;
}

// Returns the only card whose UUID begins with |size| characters of |text|.
static int by_uuid(const char *text, size_t size, const char *const *uuids,
                   int count) {
  int found = -1;
  if (size <= strlen("GPU-")) return -1;
  for (int i = 0; i < count; ++i) {
    if (strncmp(uuids[i], text, size) != 0) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}

static bool contains(const int *cards, int count, int card) {
  for (int i = 0; i < count; ++i) {
    if (cards[i] == card) return true;
  }
  return false;
}

berth_visible_t berth_visible_read(const char *list, const char *const *uuids,
                                   int count, int *out_cards) {
  berth_visible_t visible = {0};
  if (list == NULL) {
    for (int i = 0; i < count; ++i) out_cards[i] = i;
    visible.count = count;
    return visible;
  }
  bool has_uuids = berth_has_prefix(list, "GPU-");
  for (const char *next = list; next != NULL;) {
    size_t size = strcspn(next, ",");
    int card =
        has_uuids ? by_uuid(next, size, uuids, count) : by_place(next, count);
    if (card < 0) break;
    if (contains(out_cards, visible.count, card)) {
      return (berth_visible_t){.is_refused = true};
    }
    out_cards[visible.count++] = card;
    next = next[size] == ',' ? next + size + 1 : NULL;
  }
  return visible;
}
