// fold_template.h - Makes the two loops of a fold.
//
// FOLD(name, S, A, GET, OP, IDENTITY): values S, accumulators A, GET(s) an A,
// OP(a, b) an A. FOLD_TALL() makes the loop over rows alone, for types whose
// lines are folded in vectors (fold_lines.h). Included by fold_isa.c and
// fold_loops.c.
#ifndef BERTH_CPU_LOOPS_FOLD_TEMPLATE_H_
#define BERTH_CPU_LOOPS_FOLD_TEMPLATE_H_

#include <stdint.h>

#include "base/compiler.h"
#include "cpu/loops/fold.h"

enum {
  FOLD_WIDTH_BYTES = 64,  // Accumulators of a line.
  // So many values go into each before they are folded into one: the error of a
  // sum grows with this, not with the length of the line.
  FOLD_BLOCK = 64,
  // Rows that are folded together before they meet the accumulators.
  FOLD_ROWS = 4,
};

#define FOLD(name, S, A, GET, OP, IDENTITY)                               \
  enum { name##_width = FOLD_WIDTH_BYTES / (int)sizeof(A) };              \
                                                                          \
  /* Folds whole widths, at most FOLD_BLOCK of them. */                   \
  static A name##_block(const S *x, int64_t n) {                          \
    A acc[name##_width];                                                  \
    for (int i = 0; i < name##_width; ++i) acc[i] = GET(x[i]);            \
    for (int64_t p = name##_width; p < n; p += name##_width) {            \
      for (int i = 0; i < name##_width; ++i) {                            \
        acc[i] = OP(acc[i], GET(x[p + i]));                               \
      }                                                                   \
    }                                                                     \
    for (int step = name##_width / 2; step > 0; step /= 2) {              \
      for (int i = 0; i < step; ++i) acc[i] = OP(acc[i], acc[i + step]);  \
    }                                                                     \
    return acc[0];                                                        \
  }                                                                       \
                                                                          \
  /* Folds less than a width, in four parts. */                           \
  static BERTH_INLINE A name##_rest(const S *x, int64_t n) {              \
    A part[4] = {IDENTITY, IDENTITY, IDENTITY, IDENTITY};                 \
    int64_t p = 0;                                                        \
    for (; p + 4 <= n; p += 4) {                                          \
      for (int i = 0; i < 4; ++i) part[i] = OP(part[i], GET(x[p + i]));   \
    }                                                                     \
    for (int i = 0; p + i < n; ++i) part[i] = OP(part[i], GET(x[p + i])); \
    A low = OP(part[0], part[1]), high = OP(part[2], part[3]);            \
    return OP(low, high);                                                 \
  }                                                                       \
                                                                          \
  static void name##_lines(const void *in, int64_t lines, int64_t step,   \
                           int64_t n, void *out) {                        \
    for (int64_t line = 0; line < lines; ++line) {                        \
      const S *x = (const S *)in + line * step;                           \
      A total = IDENTITY;                                                 \
      int64_t p = 0;                                                      \
      while (n - p >= name##_width) {                                     \
        int64_t widths = (n - p) / name##_width;                          \
        if (widths > FOLD_BLOCK) widths = FOLD_BLOCK;                     \
        A block = name##_block(x + p, widths * name##_width);             \
        total = OP(total, block);                                         \
        p += widths * name##_width;                                       \
      }                                                                   \
      A rest = name##_rest(x + p, n - p);                                 \
      ((A *)out)[line] = OP(total, rest);                                 \
    }                                                                     \
  }                                                                       \
                                                                          \
  FOLD_TALL(name, S, A, GET, OP)

#define FOLD_TALL(name, S, A, GET, OP)                                  \
  static void name##_rows(const void *in, int64_t rows, int64_t step,   \
                          int64_t cols, void *acc) {                    \
    const S *x = in;                                                    \
    A *restrict to = acc;                                               \
    int64_t r = 0;                                                      \
    for (; r + FOLD_ROWS <= rows; r += FOLD_ROWS) {                     \
      const S *x0 = x + r * step, *x1 = x0 + step;                      \
      const S *x2 = x1 + step, *x3 = x2 + step;                         \
      for (int64_t j = 0; j < cols; ++j) {                              \
        A low = OP(GET(x0[j]), GET(x1[j]));                             \
        A high = OP(GET(x2[j]), GET(x3[j]));                            \
        A both = OP(low, high);                                         \
        to[j] = OP(to[j], both);                                        \
      }                                                                 \
    }                                                                   \
    for (; r < rows; ++r) {                                             \
      const S *x0 = x + r * step;                                       \
      for (int64_t j = 0; j < cols; ++j) to[j] = OP(to[j], GET(x0[j])); \
    }                                                                   \
  }

#define FOLD_SAME(x) (x)
#define FOLD_ADD(a, b) ((a) + (b))
#define FOLD_TIMES(a, b) ((a) * (b))
#define FOLD_LARGER(a, b) ((a) > (b) ? (a) : (b))
#define FOLD_SMALLER(a, b) ((a) < (b) ? (a) : (b))

#define FOLD_ENTRY(name) \
  { name##_lines, name##_rows }

#endif  // BERTH_CPU_LOOPS_FOLD_TEMPLATE_H_
