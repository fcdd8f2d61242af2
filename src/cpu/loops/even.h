// even.h - Loops of long functions, over full vectors.
//
// A compiler that does not know how many elements there are writes a function
// several times: for vectors, for shorter ones, for what is left. Here the
// number is fixed, and what is left is done in a block that is filled up: a
// third of the code, and the same instructions for every element. As much is
// saved by spreading a single element over a block, and by computing with
// floats in blocks of double.
//
// For *_isa.c files.
#ifndef BERTH_CPU_LOOPS_EVEN_H_
#define BERTH_CPU_LOOPS_EVEN_H_

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu/loops/vexp.h"
#include "cpu/ops/sweep.h"

// Code that is there once, whatever is known of its arguments.
#if defined(__clang__)
#define BERTH_ONCE __attribute__((noinline, unused))
#else
#define BERTH_ONCE __attribute__((noinline, noclone, unused))
#endif
#define BERTH_EVEN(type) (64 / (int)sizeof(type))  // Elements done as one.

enum {
  BERTH_BLOCK = 256,  // Elements spread or converted at a time.
  BERTH_LARGEST = 16  // Bytes of one, a complex number of double.
};

// Does what is left, |bytes| of less than 64: |right| may be NULL.
static BERTH_ONCE void berth_even_rest(berth_loop_fn loop, const void *left,
                                       const void *right, void *out,
                                       size_t bytes, int count) {
  _Alignas(64) char x[64] = {0}, y[64] = {0};
  memcpy(x, left, bytes);
  if (right != NULL) memcpy(y, right, bytes);
  loop(x, right != NULL ? y : NULL, x, count);
  memcpy(out, x, bytes);
}

#define LOOP1_EVEN(op, slot, type, expr)                                  \
  static void loop_##op##_##slot(const void *a, const void *b, void *out, \
                                 int64_t count) {                         \
    const type *from = a;                                                 \
    type *to = out;                                                       \
    (void)b;                                                              \
    for (; count >= BERTH_EVEN(type); count -= BERTH_EVEN(type)) {        \
      BERTH_VECTOR_LOOP                                                   \
      for (int i = 0; i < BERTH_EVEN(type); ++i) {                        \
        const type x = from[i];                                           \
        to[i] = (type)(expr);                                             \
      }                                                                   \
      from += BERTH_EVEN(type);                                           \
      to += BERTH_EVEN(type);                                             \
    }                                                                     \
    if (count == 0) return;                                               \
    berth_even_rest(loop_##op##_##slot, from, NULL, to,                   \
                    (size_t)count * sizeof(type), BERTH_EVEN(type));      \
  }

#define LOOP_BOTH_EVEN(op, slot, type, expr)                          \
  static void loop_##op##_##slot##_both(const void *a, const void *b, \
                                        void *out, int64_t count) {   \
    const type *left = a, *right = b;                                 \
    type *to = out;                                                   \
    for (; count >= BERTH_EVEN(type); count -= BERTH_EVEN(type)) {    \
      BERTH_VECTOR_LOOP                                               \
      for (int i = 0; i < BERTH_EVEN(type); ++i) {                    \
        const type x = left[i], y = right[i];                         \
        to[i] = (type)(expr);                                         \
      }                                                               \
      left += BERTH_EVEN(type);                                       \
      right += BERTH_EVEN(type);                                      \
      to += BERTH_EVEN(type);                                         \
    }                                                                 \
    if (count == 0) return;                                           \
    berth_even_rest(loop_##op##_##slot##_both, left, right, to,       \
                    (size_t)count * sizeof(type), BERTH_EVEN(type));  \
  }

// ---- A single element ----

// Runs |both| with what is single repeated: the left input, or the right one.
static BERTH_ONCE void berth_spread(berth_loop_fn both, bool is_left,
                                    size_t size, const char *left,
                                    const char *right, char *out,
                                    int64_t count) {
  _Alignas(64) char block[BERTH_BLOCK * BERTH_LARGEST];
  const int64_t most = count < BERTH_BLOCK ? count : BERTH_BLOCK;
  for (int64_t i = 0; i < most; ++i) {
    memcpy(block + (size_t)i * size, is_left ? left : right, size);
  }
  for (int64_t at = 0; at < count; at += most) {
    const int64_t n = count - at < most ? count - at : most;
    const size_t offset = (size_t)at * size;
    both(is_left ? block : left + offset, is_left ? right + offset : block,
         out + offset, n);
  }
}

// Defines loop_<name>_<slot>_right() and …_left() over …_both().
#define LOOPS_SPREAD(name, slot, type)                                        \
  static void loop_##name##_##slot##_right(const void *a, const void *b,      \
                                           void *out, int64_t count) {        \
    berth_spread(loop_##name##_##slot##_both, false, sizeof(type), a, b, out, \
                 count);                                                      \
  }                                                                           \
  static void loop_##name##_##slot##_left(const void *a, const void *b,       \
                                          void *out, int64_t count) {         \
    berth_spread(loop_##name##_##slot##_both, true, sizeof(type), a, b, out,  \
                 count);                                                      \
  }

// ---- Floats in double ----

// to[i] = from[i], for a number of elements that is even.
static BERTH_ONCE void berth_widen(const float *from, double *to,
                                   int64_t count) {
  for (int64_t at = 0; at < count; at += BERTH_EVEN(float)) {
    for (int i = 0; i < BERTH_EVEN(float); ++i) to[at + i] = from[at + i];
  }
}
static BERTH_ONCE void berth_narrow(const double *from, float *to,
                                    int64_t count) {
  for (int64_t at = 0; at < count; at += BERTH_EVEN(float)) {
    for (int i = 0; i < BERTH_EVEN(float); ++i)
      to[at + i] = (float)from[at + i];
  }
}

// Does |count| floats, an even number, by |loop|, of double; |right| may be
// NULL. Returns how many are done.
static BERTH_ONCE int64_t berth_in_double(berth_loop_fn loop, const float *left,
                                          const float *right, float *to,
                                          int64_t count) {
  double x[BERTH_BLOCK], y[BERTH_BLOCK];
  count -= count % BERTH_EVEN(float);
  for (int64_t at = 0; at < count; at += BERTH_BLOCK) {
    int64_t n = count - at < BERTH_BLOCK ? count - at : BERTH_BLOCK;
    berth_widen(left + at, x, n);
    if (right != NULL) berth_widen(right + at, y, n);
    loop(x, y, x, n);
    berth_narrow(x, to + at, n);
  }
  return count;
}

// Defines loop_<name>_F32() over loop_<name>_F64().
#define LOOP1_IN_DOUBLE(name)                                                  \
  static void loop_##name##_F32(const void *a, const void *b, void *out,       \
                                int64_t count) {                               \
    int64_t done = berth_in_double(loop_##name##_F64, a, NULL, out, count);    \
    (void)b;                                                                   \
    if (done == count) return;                                                 \
    berth_even_rest(                                                           \
        loop_##name##_F32, (const float *)a + done, NULL, (float *)out + done, \
        (size_t)(count - done) * sizeof(float), BERTH_EVEN(float));            \
  }
#define LOOP_BOTH_IN_DOUBLE(name, of_double)                                  \
  static void loop_##name##_F32_both(const void *a, const void *b, void *out, \
                                     int64_t count) {                         \
    int64_t done = berth_in_double(of_double, a, b, out, count);              \
    if (done == count) return;                                                \
    berth_even_rest(loop_##name##_F32_both, (const float *)a + done,          \
                    (const float *)b + done, (float *)out + done,             \
                    (size_t)(count - done) * sizeof(float),                   \
                    BERTH_EVEN(float));                                       \
  }

#endif  // BERTH_CPU_LOOPS_EVEN_H_
