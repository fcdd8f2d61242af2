// pattern_table.c - What a pattern does with ASCII, in tables.
//
// A set of steps is the bits of a number, and so patterns of more steps have no
// tables. A state is the set of steps that wait for a character; characters
// that no step tells apart are one kind.
#include <string.h>

#include "base/pattern_internal.h"

enum { STEPS = 64 };

typedef struct maker {
  const berth_pattern_t *pattern;
  uint64_t reach[STEPS];  // Steps that wait for characters, from each step on.
  uint64_t takes[128];    // Steps that go on at each character.
  uint64_t kinds[BERTH_TABLE_KINDS];    // What characters of a kind have there.
  uint64_t states[BERTH_TABLE_STATES];  // 0 is a state, too: nothing goes on.
  bool has_checks;
} maker_t;

// Follows |step| to steps that wait. Checks of places are passed, and noted.
static uint64_t reach_of(maker_t *maker, int32_t step) {
  uint64_t waiting = 0, seen = 0, left = UINT64_C(1) << step;
  while (left != 0) {
    int32_t at = __builtin_ctzll(left);
    const berth_pattern_step_t *next = &maker->pattern->steps[at];
    uint64_t bit = UINT64_C(1) << at;
    seen |= bit;
    switch (next->op) {
      case BERTH_PATTERN_JUMP:
        left |= UINT64_C(1) << (at + next->x);
        break;
      case BERTH_PATTERN_SPLIT:
        left |= UINT64_C(1) << (at + next->x) | UINT64_C(1) << (at + next->y);
        break;
      case BERTH_PATTERN_CHECK:
        maker->has_checks = true;
        left |= bit << 1;
        break;
      case BERTH_PATTERN_SAVE:
        left |= bit << 1;
        break;
      default:
        waiting |= bit;
        break;
    }
    left &= ~seen;
  }
  return waiting;
}

// Notes which characters a class has.
static void takes_add(maker_t *maker, int32_t step) {
  const berth_pattern_step_t *set = &maker->pattern->steps[step];
  const berth_pattern_range_t *range = &maker->pattern->ranges[set->y];
  const uint64_t bit = UINT64_C(1) << step;
  uint8_t has[128] = {0};
  for (int32_t i = 0; i < set->x; ++i) {
    for (int32_t c = range[i].low; c <= range[i].high && c < 128; ++c) {
      has[c] = 1;
    }
  }
  for (int c = 0; c < 128; ++c) {
    if (has[c] != set->is_negated) maker->takes[c] |= bit;
  }
}

// Returns where |value| is in |list|, and puts it there; |most|: no room.
static int list_find(uint64_t *list, int *count, int most, uint64_t value) {
  for (int i = 0; i < *count; ++i) {
    if (list[i] == value) return i;
  }
  if (*count == most) return most;
  list[*count] = value;
  return (*count)++;
}

static uint64_t move(const maker_t *maker, uint64_t state, uint64_t takes) {
  uint64_t after = 0;
  for (uint64_t left = state & takes; left != 0; left &= left - 1) {
    after |= maker->reach[__builtin_ctzll(left) + 1];
  }
  return after;
}

// Fills in the states that are met from the first one on.
static bool states_make(maker_t *maker, berth_pattern_table_t *table,
                        int kinds) {
  const uint64_t done = UINT64_C(1) << (maker->pattern->step_count - 1);
  int count = 1;
  maker->states[0] = maker->reach[0];
  for (int i = 0; i < count; ++i) {
    table->is_done[i] = (maker->states[i] & done) != 0;
    for (int k = 0; k < kinds; ++k) {
      uint64_t after = move(maker, maker->states[i], maker->kinds[k]);
      int at = list_find(maker->states, &count, BERTH_TABLE_STATES, after);
      if (at == BERTH_TABLE_STATES) return false;
      table->next[i][k] = (uint8_t)at;
    }
  }
  return true;
}

void berth_pattern_table_make(berth_pattern_t *pattern) {
  maker_t maker = {.pattern = pattern};
  berth_pattern_table_t *table = &pattern->table;
  if (pattern->step_count > STEPS) return;
  for (int32_t i = 0; i < pattern->step_count; ++i) {
    maker.reach[i] = reach_of(&maker, i);
    if (pattern->steps[i].op == BERTH_PATTERN_CLASS) takes_add(&maker, i);
  }
  const uint64_t done = UINT64_C(1) << (pattern->step_count - 1);
  table->has_first = (maker.reach[0] & done) == 0;
  int kinds = 0;
  bool fits = !maker.has_checks;
  for (int c = 0; c < 128; ++c) {
    table->is_first[c] = (maker.takes[c] & maker.reach[0]) != 0;
    int kind =
        list_find(maker.kinds, &kinds, BERTH_TABLE_KINDS, maker.takes[c]);
    fits = fits && kind < BERTH_TABLE_KINDS;
    table->kinds[c] = (uint8_t)kind;
  }
  table->has_states = fits && states_make(&maker, table, kinds);
}

berth_pattern_answer_t berth_pattern_table_match(
    const berth_pattern_table_t *table, const char *text, size_t size) {
  if (!table->has_states) return BERTH_PATTERN_UNKNOWN;
  const unsigned char *at = (const unsigned char *)text, *end = at + size;
  int state = 0;
  for (; at < end; ++at) {
    if (*at >= 128) return BERTH_PATTERN_UNKNOWN;
    state = table->next[state][table->kinds[*at]];
  }
  return table->is_done[state] ? BERTH_PATTERN_YES : BERTH_PATTERN_NO;
}

size_t berth_pattern_table_skip(const berth_pattern_table_t *table,
                                const char *text, size_t size, size_t at) {
  if (!table->has_first) return at;
  for (; at < size; ++at) {
    unsigned char c = (unsigned char)text[at];
    if (c >= 128 || table->is_first[c]) break;
  }
  return at;
}
