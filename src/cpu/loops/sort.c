// sort.c - Sorting by the digits of keys.
#include "cpu/loops/sort.h"

#include <stddef.h>

#include "base/parallel.h"

enum {
  DIGITS = 256,
  MAX_PIECES = 32,
  PIECE = 1 << 18,  // Elements that are worth a thread.
};

// One pass over all elements. |counts| are those of each piece; then where its
// next element with a digit goes.
typedef struct pass {
  const void *from;
  void *to;
  int64_t count, length;  // Elements, and those of a piece.
  int shift;
  int64_t (*counts)[DIGITS];
} pass_t;

// Settles where the elements of each piece go; false when all have the same
// digit, and nothing has to move.
static bool begin_pass(pass_t *pass, int pieces) {
  int64_t at = 0;
  for (int digit = 0; digit < DIGITS; ++digit) {
    int64_t first = at;
    for (int piece = 0; piece < pieces; ++piece) {
      int64_t own = pass->counts[piece][digit];
      pass->counts[piece][digit] = at;
      at += own;
    }
    if (at - first == pass->count) return false;
  }
  return true;
}

static int piece_count(int64_t count) {
  int64_t pieces = count / PIECE + 1;
  return (int)(pieces < MAX_PIECES ? pieces : MAX_PIECES);
}

// Defines berth_sort_<name>() for elements of |type|, whose keys are |KEY|.
#define DEFINE_SORT(name, type, KEY)                                        \
  static void name##_count(void *arg, int64_t begin, int64_t end) {         \
    const pass_t *pass = arg;                                               \
    const type *from = pass->from;                                          \
    for (int64_t piece = begin; piece < end; ++piece) {                     \
      int64_t *counts = pass->counts[piece];                                \
      int64_t last = (piece + 1) * pass->length;                            \
      if (last > pass->count) last = pass->count;                           \
      for (int digit = 0; digit < DIGITS; ++digit) counts[digit] = 0;       \
      for (int64_t i = piece * pass->length; i < last; ++i) {               \
        ++counts[KEY(from[i]) >> pass->shift & (DIGITS - 1)];               \
      }                                                                     \
    }                                                                       \
  }                                                                         \
  static void name##_move(void *arg, int64_t begin, int64_t end) {          \
    const pass_t *pass = arg;                                               \
    const type *from = pass->from;                                          \
    type *to = pass->to;                                                    \
    for (int64_t piece = begin; piece < end; ++piece) {                     \
      int64_t *next = pass->counts[piece];                                  \
      int64_t last = (piece + 1) * pass->length;                            \
      if (last > pass->count) last = pass->count;                           \
      for (int64_t i = piece * pass->length; i < last; ++i) {               \
        to[next[KEY(from[i]) >> pass->shift & (DIGITS - 1)]++] = from[i];   \
      }                                                                     \
    }                                                                       \
  }                                                                         \
  type *berth_sort_##name(type *elements, type *room, int64_t count,        \
                          int first, int last) {                            \
    int64_t counts[MAX_PIECES][DIGITS];                                     \
    int pieces = piece_count(count);                                        \
    pass_t pass = {.count = count,                                          \
                   .length = (count + pieces - 1) / pieces,                 \
                   .counts = counts};                                       \
    for (pass.shift = first; pass.shift < last; pass.shift += 8) {          \
      pass.from = elements;                                                 \
      pass.to = room;                                                       \
      if (!berth_parallel_for(pieces, 1, name##_count, &pass)) return NULL; \
      if (!begin_pass(&pass, pieces)) continue;                             \
      if (!berth_parallel_for(pieces, 1, name##_move, &pass)) return NULL;  \
      type *sorted = room;                                                  \
      room = elements;                                                      \
      elements = sorted;                                                    \
    }                                                                       \
    return elements;                                                        \
  }

#define WORD_KEY(word) (word)
#define ENTRY_KEY(entry) ((entry).key)
DEFINE_SORT(words, uint64_t, WORD_KEY)
DEFINE_SORT(entries, berth_sort_entry_t, ENTRY_KEY)
