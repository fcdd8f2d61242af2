// special_isa.c - Loops of special functions for float and double.
#include "cpu/loops/even.h"
#include "cpu/loops/loop.h"
#include "cpu/loops/special_vector.h"
#include "cpu/loops/varc.h"
#include "cpu/loops/varc64.h"
#include "cpu/loops/vbessel64.h"
#include "cpu/loops/verror64.h"
#include "cpu/loops/vgamma64.h"
#include "cpu/loops/vwave64.h"

#define OF_DOUBLE(name) LOOP1_EVEN(name, F64, double, berth_v##name##64(x))
BERTH_SPECIAL_LIST(OF_DOUBLE, OF_DOUBLE)

#define OF_FLOAT(name) LOOP1_EVEN(name, F32, float, berth_v##name(x))
#define NO_LOOP(...)
BERTH_SPECIAL_LIST(OF_FLOAT, NO_LOOP)

// The loop of floats of all others, which the parameter tells apart.
static void loop_shared_F32(const void *a, const void *b, void *out,
                            int64_t count) {
  const berth_special_t function = (berth_special_t) * (const float *)b;
  const berth_loop_fn loop = BERTH_ISA(berth_cpu_special_hot).f64[function];
  const int64_t done = berth_in_double(loop, a, NULL, out, count);
  float rest[BERTH_EVEN(float)] = {0};
  const size_t bytes = (size_t)(count - done) * sizeof(float);
  memcpy(rest, (const float *)a + done, bytes);
  berth_in_double(loop, rest, NULL, rest, BERTH_EVEN(float));
  memcpy((float *)out + done, rest, bytes);
}

OF_DOUBLE(lgamma)
OF_DOUBLE(digamma)

// ---- What grows or decays ----

// |loop| times e^(sign |x|); of infinities it is |far|.
static BERTH_ONCE void grow(berth_loop_fn loop, double sign, double far,
                            const double *from, double *to, int64_t count) {
  double y[BERTH_BLOCK];
  for (int64_t at = 0; at < count; at += BERTH_BLOCK) {
    const int64_t n = count - at < BERTH_BLOCK ? count - at : BERTH_BLOCK;
    loop(from + at, NULL, y, n);
    BERTH_VECTOR_LOOP
    for (int64_t i = 0; i < n; ++i) {
      const double a = berth_vabs64(from[at + i]);
      const double grown = y[i] * berth_vexp64(sign * a);
      to[at + i] = a == (double)INFINITY ? far : grown;
    }
  }
}

#define GROWN_F64(name, of, sign, far)                                   \
  static void loop_##name##_F64(const void *a, const void *b, void *out, \
                                int64_t count) {                         \
    (void)b;                                                             \
    grow(loop_##of##_F64, sign, (double)(far), a, out, count);           \
  }
BERTH_SPECIAL_GROWN(GROWN_F64)

// ---- Waves ----

// |near|, and |far| of what is beyond the reach of its angles.
static BERTH_ONCE void waves(berth_loop_fn near, double (*far)(double),
                             const double *from, double *to, int64_t count) {
  double kept[BERTH_BLOCK];
  for (int64_t at = 0; at < count; at += BERTH_BLOCK) {
    const int64_t n = count - at < BERTH_BLOCK ? count - at : BERTH_BLOCK;
    int large = 0;
    for (int64_t i = 0; i < n; ++i) {
      kept[i] = from[at + i];
      large |= berth_vabs64(kept[i]) > BERTH_VTRIG_LIMIT64;
    }
    near(kept, NULL, to + at, n);
    for (int64_t i = 0; i < n && large != 0; ++i) {
      const double a = berth_vabs64(kept[i]);
      const bool is_far = a > BERTH_VTRIG_LIMIT64 && a < (double)INFINITY;
      // Of what is below 0 those of the second kind are infinite.
      if (is_far && (kept[i] > 0 || far == j0 || far == j1)) {
        to[at + i] = far(kept[i]);
      }
    }
  }
}

#define WAVE_F64(name, far)                                              \
  LOOP1_EVEN(near_##name, F64, double, berth_v##name##64(x))             \
  static void loop_##name##_F64(const void *a, const void *b, void *out, \
                                int64_t count) {                         \
    (void)b;                                                             \
    waves(loop_near_##name##_F64, far, a, out, count);                   \
  }
BERTH_SPECIAL_WAVES(WAVE_F64)

// ---- Two arguments ----

// The number beside x on the side of y.
#define NEXT_AFTER(slot, type, bits_t, bits_of, from_bits)     \
  static BERTH_INLINE type next_after_##slot(type x, type y) { \
    const bits_t bits = bits_of(x),                            \
                 sign = (bits_t)1 << (sizeof(bits) * 8 - 1);   \
    const bits_t up = (x < y) == (x > 0) ? 1 : ~(bits_t)0;     \
    const type least = from_bits((bits_of(y) & sign) | 1);     \
    type z = x == 0 ? least : from_bits(bits + up);            \
    z = x == y ? y : z;                                        \
    return (x != x) | (y != y) ? x + y : z;                    \
  }
NEXT_AFTER(F32, float, uint32_t, berth_float_bits, berth_float_from_bits)
NEXT_AFTER(F64, double, uint64_t, berth_double_bits, berth_double_from_bits)

#define xlog1py_F32(x, y) ((x) == 0 ? (x) : (x)*berth_vlog1p(y))
#define xlog1py_F64(x, y) ((x) == 0 ? (x) : (x)*berth_vlog1p64(y))

#define PAIR_F32(name)                               \
  LOOP_BOTH_EVEN(name, F32, float, name##_F32(x, y)) \
  LOOPS_SPREAD(name, F32, float)
#define PAIR_F64(name)                                \
  LOOP_BOTH_EVEN(name, F64, double, name##_F64(x, y)) \
  LOOPS_SPREAD(name, F64, double)
BERTH_SPECIAL_PAIRS(PAIR_F32)
BERTH_SPECIAL_PAIRS(PAIR_F64)

#define PAIR_F32_ENTRY(name) [BERTH_PAIR_##name] = LOOPS3_OF(name, F32),
#define PAIR_F64_ENTRY(name) [BERTH_PAIR_##name] = LOOPS3_OF(name, F64),

#define F32_ENTRY(name) [BERTH_SPECIAL_##name] = loop_##name##_F32,
#define F64_ENTRY(name) [BERTH_SPECIAL_##name] = loop_##name##_F64,
#define F32_SHARED(name) [BERTH_SPECIAL_##name] = loop_shared_F32,
#define F32_GROWN(name, of, sign, far) F32_SHARED(name)
#define F64_GROWN(name, of, sign, far) F64_ENTRY(name)
#define F32_WAVE(name, far) F32_SHARED(name)
#define F64_WAVE(name, far) F64_ENTRY(name)

const berth_special_hot_t BERTH_ISA(berth_cpu_special_hot) = {
    .f32 = {BERTH_SPECIAL_LIST(F32_ENTRY, F32_SHARED)
                BERTH_SPECIAL_GROWN(F32_GROWN) BERTH_SPECIAL_WAVES(F32_WAVE)},
    .f64 = {BERTH_SPECIAL_LIST(F64_ENTRY, F64_ENTRY)
                BERTH_SPECIAL_GROWN(F64_GROWN) BERTH_SPECIAL_WAVES(F64_WAVE)},
    .lgamma_f64 = loop_lgamma_F64,
    .digamma_f64 = loop_digamma_F64,
    .pair_f32 = {BERTH_SPECIAL_PAIRS(PAIR_F32_ENTRY)},
    .pair_f64 = {BERTH_SPECIAL_PAIRS(PAIR_F64_ENTRY)}};
