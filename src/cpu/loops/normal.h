// normal.h - Normal numbers from random words.
//
// Box and Muller's method. The functions are the C library's, as TensorFlow's
// are, and rounding happens where it happens there: the numbers are the same to
// the last bit. Pure functions.
#ifndef BERTH_CPU_LOOPS_NORMAL_H_
#define BERTH_CPU_LOOPS_NORMAL_H_

#include <math.h>

#include "state/philox.h"

// Makes a pair of two words.
static inline void berth_normal_floats(const uint32_t words[2], float pair[2]) {
  float u = berth_philox_float(words[0]);
  if (u < 1.0e-7F) u = 1.0e-7F;
  float v = (float)(2.0 * M_PI * (double)berth_philox_float(words[1]));
  float radius = sqrtf(-2.0F * logf(u));
  float sine, cosine;
  sincosf(v, &sine, &cosine);
  pair[0] = sine * radius;
  pair[1] = cosine * radius;
}

// Makes a pair of four words.
static inline void berth_normal_doubles(const uint32_t words[4],
                                        double pair[2]) {
  double u = berth_philox_double(words[0], words[1]);
  if (u < 1.0e-7) u = 1.0e-7;
  double v = 2 * M_PI * berth_philox_double(words[2], words[3]);
  double radius = sqrt(-2.0 * log(u));
  double sine, cosine;
  sincos(v, &sine, &cosine);
  pair[0] = sine * radius;
  pair[1] = cosine * radius;
}

#endif  // BERTH_CPU_LOOPS_NORMAL_H_
