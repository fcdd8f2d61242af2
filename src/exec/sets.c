// sets.c - Sets of small numbers that are numbered themselves.
#include "exec/sets.h"

#include "base/alloc.h"

bool berth_sets_init(berth_sets_t *s) {
  *s = (berth_sets_t){0};
  return berth_sets_get(s, NULL, 0) == 0;
}

void berth_sets_deinit(berth_sets_t *s) {
  berth_free(s->all);
  berth_map_clear(&s->by_items);
  berth_map_clear(&s->by_pair);
  berth_arena_clear(&s->arena);
  *s = (berth_sets_t){0};
}

int32_t berth_sets_get(berth_sets_t *s, const int32_t *items, int32_t count) {
  size_t size = (size_t)count * sizeof(*items);
  int64_t *found = berth_map_find(&s->by_items, (const char *)items, size);
  if (found != NULL) return (int32_t)*found;
  berth_few_t *all = berth_grow(s->all, s->count, &s->capacity, sizeof(*all));
  if (all == NULL) return -1;
  s->all = all;
  int32_t *copy = berth_arena_memdup(&s->arena, items, size);
  if (copy == NULL || !berth_map_set(&s->by_items, (const char *)copy, size,
                                     (int64_t)s->count)) {
    return -1;
  }
  s->all[s->count] = (berth_few_t){copy, count};
  return (int32_t)s->count++;
}

static int32_t merge(berth_few_t a, berth_few_t b, int32_t *out) {
  int32_t i = 0, j = 0, count = 0;
  while (i < a.count || j < b.count) {
    if (j == b.count || (i < a.count && a.items[i] < b.items[j])) {
      out[count++] = a.items[i++];
    } else {
      if (i < a.count && a.items[i] == b.items[j]) ++i;
      out[count++] = b.items[j++];
    }
  }
  return count;
}

int32_t berth_sets_union(berth_sets_t *s, int32_t a, int32_t b) {
  if (a < 0 || b < 0) return -1;
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  int32_t pair[2] = {a < b ? a : b, a < b ? b : a};
  int64_t *found =
      berth_map_find(&s->by_pair, (const char *)pair, sizeof(pair));
  if (found != NULL) return (int32_t)*found;
  size_t most = (size_t)(s->all[a].count + s->all[b].count);
  int32_t *merged = berth_alloc(most * sizeof(*merged));
  const char *key = berth_arena_memdup(&s->arena, pair, sizeof(pair));
  int32_t result = -1;
  if (merged != NULL && key != NULL) {
    result = berth_sets_get(s, merged, merge(s->all[a], s->all[b], merged));
    if (result >= 0 && !berth_map_set(&s->by_pair, key, sizeof(pair), result)) {
      result = -1;
    }
  }
  berth_free(merged);
  return result;
}
