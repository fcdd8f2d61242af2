// special.c - Special functions of single real numbers.
#include "cpu/loops/special.h"

#include <math.h>
#include <stdbool.h>

double berth_special_lgamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

float berth_special_digamma_float(float x) {
  if (!(x > 0) || isinf(x)) {
    berth_special_block_t block = {.count = 1, .in = {{(double)x}}};
    berth_special_digamma(&block);
    return (float)block.out[0];
  }
  float sum = 0;
  for (; x < 10; ++x) sum += 1 / x;
  float z = 1 / (x * x);
  float series =
      z * (z * (z * (z * -4.16666667e-3F + 3.96825397e-3F) - 8.33333333e-3F) +
           8.33333333e-2F);
  return logf(x) - 0.5F / x - series - sum;
}
