// norm_test.c - LRN and its gradient against sums that are made one by one.
#include <math.h>

#include "cpu/loops/norm.h"
#include "harness.h"

enum { MOST = 2048, AT_ONCE = 256, VECTOR = 16 };

static const int64_t channel_counts[] = {
    1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 64, 65, 100, 127, 257, 600};
static const float betas[] = {0.5f, 0.75f, 1.0f, 0.6f};

static float x[MOST], y[MOST], g[MOST], got[MOST + 1];
static float room[16 * MOST];
static uint32_t masks[64 * MOST];

static float next_number(void) {
  static uint64_t state = 88172645463325252U;
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (float)((double)(state >> 11) * 0x1p-52 - 1);
}

// Returns the sum of |of| over the radius to either side of |at|, in its row.
static double around(const double *of, int64_t at,
                     const berth_lrn_numbers_t *numbers) {
  int64_t n = numbers->channels, c = at % n, row = at - c;
  double sum = 0;
  for (int64_t k = c - numbers->radius; k <= c + numbers->radius; ++k) {
    if (k >= 0 && k < n) sum += of[row + k];
  }
  return sum;
}

static void masks_fill(berth_lrn_numbers_t *numbers) {
  uint32_t *to = masks;
  int64_t n = numbers->channels;
  for (int64_t k = -numbers->radius; k <= numbers->radius; ++k) {
    for (int64_t i = 0; i < numbers->at_once; ++i) {
      *to++ = i % n + k >= 0 && i % n + k < n ? ~0U : 0;
    }
  }
  numbers->masks = masks;
}

static void check(const berth_lrn_numbers_t *numbers, int64_t n) {
  const berth_norm_loops_t *loops = BERTH_ISA_PICK(berth_cpu_norm_loops);
  static double squares[MOST], shares[MOST], norms[MOST];
  const float *inputs[3] = {g, x, y};
  double beta = (double)numbers->beta, alpha = (double)numbers->alpha;
  for (int64_t i = 0; i < n; ++i) {
    x[i] = next_number();
    y[i] = next_number();
    g[i] = next_number();
    squares[i] = (double)x[i] * (double)x[i];
  }
  got[n] = 7;
  loops->lrn(x, got, n, numbers, room);
  for (int64_t i = 0; i < n; ++i) {
    norms[i] = (double)numbers->bias + alpha * around(squares, i, numbers);
    shares[i] = (double)g[i] * (double)y[i] / norms[i];
    EXPECT_NEAR((double)got[i], (double)x[i] * pow(norms[i], -beta), 2e-6);
  }
  loops->lrn_grad(inputs, got, n, numbers, room);
  for (int64_t i = 0; i < n; ++i) {
    double exact = (double)g[i] * pow(norms[i], -beta) -
                   2 * alpha * beta * (double)x[i] * around(shares, i, numbers);
    EXPECT_NEAR((double)got[i], exact, 1e-5);
  }
  EXPECT_TRUE(got[n] == 7);
}

TEST(norm, lrn_sums_what_is_around) {
  for (int i = 0; i < (int)(sizeof(channel_counts) / sizeof(int64_t)); ++i) {
    int64_t n = channel_counts[i], rows = (AT_ONCE + n - 1) / n;
    for (int64_t radius = 0; radius <= 12 && radius <= n; ++radius) {
      berth_lrn_numbers_t numbers = {.radius = radius,
                                     .bias = 1,
                                     .alpha = 0.5f,
                                     .beta = betas[(i + radius) % 4],
                                     .channels = n,
                                     .at_once = rows * n};
      if (n < 8) masks_fill(&numbers);
      check(&numbers, rows * n);
      check(&numbers, (rows / 2 + 1) * n);
      check(&numbers, n);
      ASSERT_TRUE(berth_lrn_room(rows * n, radius, n) <= 16 * MOST);
    }
  }
}
