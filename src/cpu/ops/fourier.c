// fourier.c - Kernels of Fourier transforms.
//
// All are computed in double. Lengths that are powers of two are halved again
// and again; others become a convolution of such a length (Bluestein).
#include "op/fourier.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/types.h"
#include "tensor/complex.h"

typedef berth_complex128_t number_t;

typedef struct plan {
  berth_fourier_t fourier;
  bool is_wide;
  int64_t room;  // Of a convolution, the larger of both dimensions.
} plan_t;

// ---- One row ----

static bool is_power(int64_t n) { return (n & (n - 1)) == 0; }

static int64_t convolution_size(int64_t n) {
  int64_t size = 1;
  if (is_power(n)) return 0;
  while (size < 2 * n - 1) size *= 2;
  return size;
}

// e^(i turns of the circle).
static number_t turn(double turns) {
  return cos(2 * M_PI * turns) + sin(2 * M_PI * turns) * I;
}

// Transforms |n| numbers, a power of two of them; |sign| is -1, or 1 for the
// way back, which is not divided.
static void transform_power(number_t *x, int64_t n, int sign) {
  for (int64_t i = 1, k = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; (k & bit) != 0; bit >>= 1) k ^= bit;
    k ^= bit;
    if (i < k) {
      number_t kept = x[i];
      x[i] = x[k];
      x[k] = kept;
    }
  }
  for (int64_t size = 2; size <= n; size *= 2) {
    for (int64_t k = 0; k < size / 2; ++k) {
      number_t factor = turn(sign * (double)k / (double)size);
      for (int64_t i = k; i < n; i += size) {
        number_t odd = x[i + size / 2] * factor;
        x[i + size / 2] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

// The same of any length, with |room| for two convolutions.
static void transform(number_t *x, int64_t n, int sign, number_t *room) {
  if (is_power(n)) {
    transform_power(x, n, sign);
    return;
  }
  int64_t size = convolution_size(n);
  number_t *a = room, *b = room + size;
  memset(room, 0, (size_t)(2 * size) * sizeof(*room));
  for (int64_t i = 0; i < n; ++i) {
    // i * i modulo 2n keeps the angle exact.
    number_t chirp = turn(sign * (double)(i * i % (2 * n)) / (2.0 * (double)n));
    a[i] = x[i] * chirp;
    b[i] = conj(chirp);
    if (i > 0) b[size - i] = conj(chirp);
  }
  transform_power(a, size, -1);
  transform_power(b, size, -1);
  for (int64_t i = 0; i < size; ++i) a[i] *= b[i];
  transform_power(a, size, 1);
  for (int64_t i = 0; i < n; ++i) {
    number_t chirp = turn(sign * (double)(i * i % (2 * n)) / (2.0 * (double)n));
    x[i] = a[i] * chirp / (double)size;
  }
}

// ---- Reading and writing ----

static number_t read_at(const plan_t *plan, const void *in, int64_t i) {
  bool is_real = plan->fourier.is_real && !plan->fourier.is_inverse;
  if (is_real) {
    return plan->is_wide ? ((const double *)in)[i] : ((const float *)in)[i];
  }
  return plan->is_wide ? ((const berth_complex128_t *)in)[i]
                       : ((const berth_complex64_t *)in)[i];
}

static void write_at(const plan_t *plan, void *out, int64_t i, number_t x) {
  bool is_real = plan->fourier.is_real && plan->fourier.is_inverse;
  if (is_real && plan->is_wide) {
    ((double *)out)[i] = creal(x);
  } else if (is_real) {
    ((float *)out)[i] = (float)creal(x);
  } else if (plan->is_wide) {
    ((berth_complex128_t *)out)[i] = x;
  } else {
    ((berth_complex64_t *)out)[i] = (berth_complex64_t)x;
  }
}

// Reads row |row| of the input; of half a spectrum the rest is its mirror.
static void read_row(const plan_t *plan, const void *in, int64_t row,
                     number_t *x) {
  const berth_fourier_t *f = &plan->fourier;
  int64_t first = row * f->in_columns, n = f->columns;
  bool mirrors = f->is_real && f->is_inverse;
  for (int64_t i = 0; i < n; ++i) {
    bool is_there = !mirrors || i <= n / 2;
    number_t value = read_at(plan, in, first + (is_there ? i : n - i));
    x[i] = is_there ? value : conj(value);
  }
  // What has no mirror is real.
  if (mirrors && n > 0) x[0] = creal(x[0]);
  if (mirrors && n % 2 == 0 && n > 0) x[n / 2] = creal(x[n / 2]);
}

// Transforms |rows| columns of |x|, one after the other, through |line|.
static void transform_columns(const plan_t *plan, number_t *x, number_t *line,
                              number_t *room, int sign) {
  const berth_fourier_t *f = &plan->fourier;
  for (int64_t k = 0; k < f->columns; ++k) {
    for (int64_t i = 0; i < f->rows; ++i) line[i] = x[i * f->columns + k];
    transform(line, f->rows, sign, room);
    for (int64_t i = 0; i < f->rows; ++i) x[i * f->columns + k] = line[i];
  }
}

static berth_code_t run_fourier(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_fourier_t *f = &plan->fourier;
  int output = f->is_real ? 2 : 1, sign = f->is_inverse ? 1 : -1;
  number_t *x = args[output + 1], *line = x + f->rows * f->columns;
  number_t *room = line + f->rows;
  double scale = f->is_inverse ? 1 / (double)(f->rows * f->columns) : 1;
  for (int64_t b = 0; b < f->batch; ++b) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    for (int64_t i = 0; i < f->rows; ++i) {
      read_row(plan, args[0], b * f->rows + i, x + i * f->columns);
      transform(x + i * f->columns, f->columns, sign, room);
    }
    if (f->rows > 1) transform_columns(plan, x, line, room, sign);
    for (int64_t i = 0; i < f->rows * f->out_columns; ++i) {
      int64_t row = i / f->out_columns, at = i % f->out_columns;
      write_at(plan, args[output], b * f->rows * f->out_columns + i,
               x[row * f->columns + at] * scale);
    }
  }
  return BERTH_OK;
}

static berth_code_t prepare_fourier(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_fourier(&prepare->op, &plan->fourier, err));
  const berth_fourier_t *f = &plan->fourier;
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  plan->is_wide = dtype == BERTH_DOUBLE || dtype == BERTH_COMPLEX128;
  int64_t a = convolution_size(f->rows), b = convolution_size(f->columns);
  plan->room = a > b ? a : b;
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->scratch_size =
      (size_t)(f->rows * f->columns + f->rows + 2 * plan->room) *
      sizeof(number_t);
  prepare->run = count > 0 ? run_fourier : berth_run_nothing;
  prepare->work = count * 100;
  return BERTH_OK;
}

#define FOURIER(name) \
  { .op = name, .prepare = prepare_fourier }

const berth_kernel_t berth_cpu_fourier_kernels[] = {
    FOURIER("FFT"),  FOURIER("IFFT"),  FOURIER("FFT2D"), FOURIER("IFFT2D"),
    FOURIER("RFFT"), FOURIER("IRFFT"), {.op = NULL},
};
