// rows_isa.c - Rows of units with steps, for several instruction sets.
//
// A row is the innermost level of a move: single elements that repeat, run
// backwards or are some way apart, or short blocks. Rows come in runs along the
// level around them, since many have only a few units.
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/move_loops.h"

typedef berth_cpu_move_level_t level_t;

// ---- Elements ----

// A unit may be several smaller elements: it lies anywhere.
#define UNALIGNED __attribute__((aligned(1), may_alias))
typedef uint8_t unit_1_t UNALIGNED;
typedef uint16_t unit_2_t UNALIGNED;
typedef uint32_t unit_4_t UNALIGNED;
typedef uint64_t unit_8_t UNALIGNED;
typedef struct __attribute__((packed, may_alias)) unit_16 {
  uint64_t low, high;
} unit_16_t;

// For each size: a row, and a run of them. The first three loops are those that
// compilers turn into vectors.
#define DEFINE_ROWS(size)                                                 \
  static BERTH_INLINE void row_##size(const char *from, char *to,         \
                                      level_t inner) {                    \
    const unit_##size##_t *in = (const void *)from;                       \
    unit_##size##_t *out = (void *)to;                                    \
    bool is_dense = inner.to_step == size;                                \
    if (is_dense && inner.from_step == 0) {                               \
      unit_##size##_t value = *in;                                        \
      for (int64_t i = 0; i < inner.count; ++i) out[i] = value;           \
    } else if (is_dense && inner.from_step == -size) {                    \
      for (int64_t i = 0; i < inner.count; ++i) out[i] = in[-i];          \
    } else if (is_dense && inner.from_step == 2 * size) {                 \
      for (int64_t i = 0; i < inner.count; ++i) out[i] = in[2 * i];       \
    } else {                                                              \
      for (int64_t i = 0; i < inner.count; ++i) {                         \
        memcpy(to + i * inner.to_step, from + i * inner.from_step, size); \
      }                                                                   \
    }                                                                     \
  }                                                                       \
  static void rows_##size(const char *from, char *to, int64_t unit,       \
                          level_t inner, level_t outer) {                 \
    (void)unit;                                                           \
    for (int64_t r = 0; r < outer.count; ++r) {                           \
      row_##size(from, to, inner);                                        \
      from += outer.from_step;                                            \
      to += outer.to_step;                                                \
    }                                                                     \
  }
DEFINE_ROWS(1)
DEFINE_ROWS(2)
DEFINE_ROWS(4)
DEFINE_ROWS(8)
DEFINE_ROWS(16)

// ---- Blocks ----

// Copies blocks of more than |half| bytes, and at most two times as many: as
// two parts that overlap.
static BERTH_INLINE void blocks(const char *from, char *to, int64_t unit,
                                level_t inner, level_t outer, const int half) {
  int64_t second = unit - half;
  for (int64_t r = 0; r < outer.count; ++r) {
    const char *in = from + r * outer.from_step;
    char *out = to + r * outer.to_step;
    for (int64_t i = 0; i < inner.count; ++i) {
      char low[32], high[32];
      memcpy(low, in, (size_t)half);
      memcpy(high, in + second, (size_t)half);
      memcpy(out, low, (size_t)half);
      memcpy(out + second, high, (size_t)half);
      in += inner.from_step;
      out += inner.to_step;
    }
  }
}

#define DEFINE_BLOCKS(half)                                           \
  static void blocks_##half(const char *from, char *to, int64_t unit, \
                            level_t inner, level_t outer) {           \
    blocks(from, to, unit, inner, outer, half);                       \
  }
DEFINE_BLOCKS(2)
DEFINE_BLOCKS(4)
DEFINE_BLOCKS(8)
DEFINE_BLOCKS(16)
DEFINE_BLOCKS(32)

const berth_row_loops_t BERTH_ISA(berth_cpu_row_loops) = {
    {rows_1, rows_2, rows_4, rows_8, rows_16},
    {blocks_2, blocks_4, blocks_8, blocks_16, blocks_32}};
