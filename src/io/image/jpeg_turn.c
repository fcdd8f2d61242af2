// jpeg_turn.c - Blocks of coefficients become samples.
//
// Two transforms of eight by eight: a fast one whose factors are part of the
// quantisation and whose numbers have 16 bits, and an exact one. And three that
// give fewer samples. All round as libjpeg-turbo does.
//
// Loops go through the columns of a block, which compilers make vectors of; rows
// are columns of the block turned over.
#include <string.h>

#include "base/compiler.h"
#include "io/image/jpeg_internal.h"

static uint8_t to_sample(int32_t value) {
  value += 128;
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

// ---- Fast ----

// The factors of rows and columns, times 2 to the power of 14.
static const int16_t fast_scales[JPEG_BLOCK] = {
    16384, 22725, 21407, 19266, 16384, 12873, 8867,  4520,  //
    22725, 31521, 29692, 26722, 22725, 17855, 12299, 6270,  //
    21407, 29692, 27969, 25172, 21407, 16819, 11585, 5906,  //
    19266, 26722, 25172, 22654, 19266, 15137, 10426, 5315,  //
    16384, 22725, 21407, 19266, 16384, 12873, 8867,  4520,  //
    12873, 17855, 16819, 15137, 12873, 10114, 6967,  3552,  //
    8867,  12299, 11585, 10426, 8867,  6967,  4799,  2446,  //
    4520,  6270,  5906,  5315,  4520,  3552,  2446,  1247};

static int16_t wrap(int32_t value) { return (int16_t)(uint32_t)value; }

// Multiplies by |factor| / 256, rounded down.
static int16_t times(int32_t value, int32_t factor) {
  return wrap(wrap(wrap(value) * 4) * (factor * 64) >> 16);
}

// Transforms a column.
static BERTH_INLINE void fast_line(int16_t *at) {
#define IN(i) at[(i)*8]
  int16_t a = wrap(IN(0) + IN(4)), b = wrap(IN(0) - IN(4));
  int16_t c = wrap(IN(2) + IN(6));
  int16_t d = wrap(times(IN(2) - IN(6), 362) - c);
  int16_t e0 = wrap(a + c), e3 = wrap(a - c);
  int16_t e1 = wrap(b + d), e2 = wrap(b - d);
  int16_t z13 = wrap(IN(5) + IN(3)), z10 = wrap(IN(5) - IN(3));
  int16_t z11 = wrap(IN(1) + IN(7)), z12 = wrap(IN(1) - IN(7));
  int16_t z5 = times(z10 + z12, 473);
  int16_t o7 = wrap(z11 + z13);
  int16_t o6 = wrap(times(z10, -413) - z10 + z5 - o7);
  int16_t o5 = wrap(times(z11 - z13, 362) - o6);
  int16_t o4 = wrap(times(z12, 277) - z5 + o5);
  IN(0) = wrap(e0 + o7);
  IN(7) = wrap(e0 - o7);
  IN(1) = wrap(e1 + o6);
  IN(6) = wrap(e1 - o6);
  IN(2) = wrap(e2 + o5);
  IN(5) = wrap(e2 - o5);
  IN(4) = wrap(e3 + o4);
  IN(3) = wrap(e3 - o4);
#undef IN
}

static void turn_fast(const int16_t *coefs, const int16_t *scale,
                      uint8_t *restrict out, int64_t stride) {
  int16_t work[JPEG_BLOCK];
  for (int i = 0; i < JPEG_BLOCK; ++i) work[i] = wrap(coefs[i] * scale[i]);
  for (int i = 0; i < 8; ++i) fast_line(work + i);
  berth_jpeg_flip(work);
  for (int i = 0; i < 8; ++i) fast_line(work + i);
  berth_jpeg_flip(work);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      int16_t value = wrap((work[y * 8 + x] >> 5) + 128);
      int16_t some = value < 0 ? 0 : value;
      out[y * stride + x] = (uint8_t)(some > 255 ? 255 : some);
    }
  }
}

// ---- Exact ----

static int32_t rounded(int32_t value, int shift) {
  return (int32_t)((uint32_t)value + (1u << (shift - 1))) >> shift;
}

// Sums of products that may run over wrap around.
static int32_t mul(int32_t value, int32_t factor) {
  return (int32_t)((uint32_t)value * (uint32_t)factor);
}

static int32_t sum(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

static int32_t minus(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a - (uint32_t)b);
}

static int32_t to_short(int32_t value) {
  return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : value;
}

// Transforms eight numbers, |step| apart; |shift| takes the factors out again.
static void exact_line(int32_t *at, int step, int shift) {
#define IN(i) at[(i)*step]
  int32_t z = mul(sum(IN(2), IN(6)), 4433);
  int32_t t2 = sum(z, mul(IN(6), -15137)), t3 = sum(z, mul(IN(2), 6270));
  int32_t t0 = mul(sum(IN(0), IN(4)), 8192);
  int32_t t1 = mul(minus(IN(0), IN(4)), 8192);
  int32_t even[4] = {sum(t0, t3), sum(t1, t2), minus(t1, t2), minus(t0, t3)};
  int32_t a = IN(7), b = IN(5), c = IN(3), d = IN(1);
  int32_t z5 = mul(sum(sum(a, c), sum(b, d)), 9633);
  int32_t z1 = mul(sum(a, d), -7373), z2 = mul(sum(b, c), -20995);
  int32_t z3 = sum(mul(sum(a, c), -16069), z5);
  int32_t z4 = sum(mul(sum(b, d), -3196), z5);
  int32_t odd[4] = {
      sum(mul(d, 12299), sum(z1, z4)), sum(mul(c, 25172), sum(z2, z3)),
      sum(mul(b, 16819), sum(z2, z4)), sum(mul(a, 2446), sum(z1, z3))};
  for (int i = 0; i < 4; ++i) {
    IN(i) = to_short(rounded(sum(even[i], odd[i]), shift));
    IN(7 - i) = to_short(rounded(minus(even[i], odd[i]), shift));
  }
#undef IN
}

static void scale_block(const int16_t *coefs, const int16_t *scale,
                        int32_t *work) {
  for (int i = 0; i < JPEG_BLOCK; ++i) work[i] = wrap(coefs[i] * scale[i]);
}

static void turn_exact(const int16_t *coefs, const int16_t *scale, uint8_t *out,
                       int64_t stride) {
  int32_t work[JPEG_BLOCK];
  scale_block(coefs, scale, work);
  for (int i = 0; i < 8; ++i) exact_line(work + i, 8, 11);
  for (int y = 0; y < 8; ++y) {
    exact_line(work + y * 8, 1, 18);
    for (int x = 0; x < 8; ++x) {
      out[y * stride + x] = to_sample(work[y * 8 + x]);
    }
  }
}

// ---- Smaller ----

static void line_of_four(const int32_t *in, int step, int32_t out[4],
                         int shift) {
#define IN(i) in[(i)*step]
  int32_t t0 = mul(IN(0), 1 << 14);
  int32_t t2 = sum(mul(IN(2), 15137), mul(IN(6), -6270));
  int32_t a = sum(sum(mul(IN(7), -1730), mul(IN(5), 11893)),
                  sum(mul(IN(3), -17799), mul(IN(1), 8697)));
  int32_t b = sum(sum(mul(IN(7), -4176), mul(IN(5), -4926)),
                  sum(mul(IN(3), 7373), mul(IN(1), 20995)));
  out[0] = rounded(sum(sum(t0, t2), b), shift);
  out[3] = rounded(minus(sum(t0, t2), b), shift);
  out[1] = rounded(sum(minus(t0, t2), a), shift);
  out[2] = rounded(minus(minus(t0, t2), a), shift);
#undef IN
}

static void turn_four(const int16_t *coefs, const int16_t *scale, uint8_t *out,
                      int64_t stride) {
  int32_t work[JPEG_BLOCK], half[JPEG_BLOCK] = {0}, line[4];
  scale_block(coefs, scale, work);
  for (int x = 0; x < 8; ++x) {
    line_of_four(work + x, 8, line, 12);
    for (int y = 0; y < 4; ++y) half[y * 8 + x] = line[y];
  }
  for (int y = 0; y < 4; ++y) {
    line_of_four(half + y * 8, 1, line, 19);
    for (int x = 0; x < 4; ++x) out[y * stride + x] = to_sample(line[x]);
  }
}

static void line_of_two(const int32_t *in, int step, int32_t out[2],
                        int shift) {
#define IN(i) in[(i)*step]
  int32_t even = mul(IN(0), 1 << 15);
  int32_t odd = sum(sum(mul(IN(7), -5906), mul(IN(5), 6967)),
                    sum(mul(IN(3), -10426), mul(IN(1), 29692)));
  out[0] = rounded(sum(even, odd), shift);
  out[1] = rounded(minus(even, odd), shift);
#undef IN
}

static void turn_two(const int16_t *coefs, const int16_t *scale, uint8_t *out,
                     int64_t stride) {
  int32_t work[JPEG_BLOCK], half[16], line[2];
  scale_block(coefs, scale, work);
  for (int x = 0; x < 8; ++x) {
    line_of_two(work + x, 8, line, 13);
    half[x] = line[0];
    half[8 + x] = line[1];
  }
  for (int y = 0; y < 2; ++y) {
    line_of_two(half + y * 8, 1, line, 20);
    for (int x = 0; x < 2; ++x) out[y * stride + x] = to_sample(line[x]);
  }
}

static void turn_one(const int16_t *coefs, const int16_t *scale, uint8_t *out,
                     int64_t stride) {
  (void)stride;
  out[0] = to_sample(rounded(coefs[0] * scale[0], 3));
}

// ---- Rows of blocks ----

typedef void (*turn_t)(const int16_t *, const int16_t *, uint8_t *, int64_t);

static turn_t choose(const jpeg_t *j, const jpeg_part_t *part) {
  switch (part->side) {
    case 1:
      return turn_one;
    case 2:
      return turn_two;
    case 4:
      return turn_four;
    default:
      return j->options->is_exact ? turn_exact : turn_fast;
  }
}

void berth_jpeg_scale(const jpeg_t *j, jpeg_part_t *part,
                      const uint16_t *table) {
  bool is_fast = choose(j, part) == turn_fast;
  for (int i = 0; i < JPEG_BLOCK; ++i) {
    int64_t fast = ((int64_t)table[i] * fast_scales[i] + (1 << 11)) >> 12;
    part->scale[i] = wrap(is_fast ? (int32_t)fast : table[i]);
  }
}

void berth_jpeg_turn(const jpeg_t *j, jpeg_part_t *part, int64_t row,
                     int64_t begin) {
  turn_t turn = choose(j, part);
  int64_t stride = part->wide * part->side;
  for (int64_t y = 0; y < part->v; ++y) {
    uint8_t *out = part->samples + (row * part->v + y) * part->side * stride;
    const int16_t *coefs = part->coefs + (begin + y) * part->wide * JPEG_BLOCK;
    if (row * part->v + y >= part->down) return;
    for (int64_t x = 0; x < part->across; ++x) {
      turn(coefs + x * JPEG_BLOCK, part->scale, out + x * part->side, stride);
    }
  }
}
