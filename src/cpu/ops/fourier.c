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
  int64_t room;  // Numbers of a convolution.
  int64_t span;  // The longest transform of a power of two.
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

// Where the work is done.
typedef struct space {
  number_t *x;      // All rows, of the width below.
  number_t *line;   // One of any dimension.
  number_t *room;   // Of convolutions.
  number_t *turns;  // Those of half a circle that is cut into |span| parts.
  int64_t span;     // A power of two: no transform of one is longer.
} space_t;

// Joins the transforms of the even and the odd of |size| numbers, which are |x|
// and what follows it. Products are spelled out: C's look for infinities.
static void join_halves(number_t *x, int64_t size, int sign,
                        const space_t *space) {
  int64_t half = size / 2, step = space->span / size;
  double *even = (double *)x, *odd = (double *)(x + half);
  const double *turns = (const double *)space->turns;
  for (int64_t k = 0; k < half; ++k, even += 2, odd += 2) {
    double re = turns[2 * k * step], im = sign * turns[2 * k * step + 1];
    double real = odd[0] * re - odd[1] * im, imag = odd[0] * im + odd[1] * re;
    odd[0] = even[0] - real;
    odd[1] = even[1] - imag;
    even[0] += real;
    even[1] += imag;
  }
}

// Transforms |n| numbers, a power of two of them; |sign| is -1, or 1 for the
// way back, which is not divided.
static void transform_power(number_t *x, int64_t n, int sign,
                            const space_t *space) {
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
    for (int64_t i = 0; i < n; i += size) join_halves(x + i, size, sign, space);
  }
}

// The same of any length.
static void transform(number_t *x, int64_t n, int sign, const space_t *space) {
  if (is_power(n)) {
    transform_power(x, n, sign, space);
    return;
  }
  int64_t size = convolution_size(n);
  number_t *a = space->room, *b = a + size;
  memset(a, 0, (size_t)(2 * size) * sizeof(*a));
  for (int64_t i = 0; i < n; ++i) {
    // i * i modulo 2n keeps the angle exact.
    number_t chirp = turn(sign * (double)(i * i % (2 * n)) / (2.0 * (double)n));
    a[i] = x[i] * chirp;
    b[i] = conj(chirp);
    if (i > 0) b[size - i] = conj(chirp);
  }
  transform_power(a, size, -1, space);
  transform_power(b, size, -1, space);
  for (int64_t i = 0; i < size; ++i) a[i] *= b[i];
  transform_power(a, size, 1, space);
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

// Columns that are kept between the transforms: half of those of real numbers.
static int64_t width_of(const berth_fourier_t *f) {
  return f->is_real ? f->sizes[2] / 2 + 1 : f->sizes[2];
}

// Where row |row| of a transform begins in an array of |dims|.
static int64_t row_at(const berth_fourier_t *f, const int64_t *dims,
                      int64_t row) {
  return (row / f->sizes[1] * dims[1] + row % f->sizes[1]) * dims[2];
}

// Reads the rows of one transform; those of real numbers are transformed on
// their way in.
static void read_rows(const plan_t *plan, const void *in, int64_t first,
                      const space_t *space) {
  const berth_fourier_t *f = &plan->fourier;
  int64_t width = width_of(f);
  for (int64_t row = 0; row < f->sizes[0] * f->sizes[1]; ++row) {
    int64_t at = first + row_at(f, f->in, row);
    bool is_whole = f->is_real && !f->is_inverse;
    int64_t count = is_whole ? f->sizes[2] : width;
    for (int64_t i = 0; i < count; ++i) {
      space->line[i] = read_at(plan, in, at + i);
    }
    if (!f->is_inverse) transform(space->line, f->sizes[2], -1, space);
    memcpy(space->x + row * width, space->line,
           (size_t)width * sizeof(number_t));
  }
}

// Transforms along dimension |axis|, 0 or 1.
static void transform_axis(const plan_t *plan, int axis, const space_t *space) {
  const berth_fourier_t *f = &plan->fourier;
  int64_t width = width_of(f), length = f->sizes[axis];
  int64_t step = axis == 1 ? width : width * f->sizes[1];
  int64_t total = f->sizes[0] * f->sizes[1] * width;
  for (int64_t i = 0; length > 1 && i < total / length; ++i) {
    number_t *x = space->x + i / step * step * length + i % step;
    for (int64_t k = 0; k < length; ++k) space->line[k] = x[k * step];
    transform(space->line, length, f->is_inverse ? 1 : -1, space);
    for (int64_t k = 0; k < length; ++k) x[k * step] = space->line[k];
  }
}

// Of half a spectrum the rest is its mirror; what has no mirror is real.
static void mirror(number_t *x, int64_t n) {
  x[0] = creal(x[0]);
  if (n % 2 == 0) x[n / 2] = creal(x[n / 2]);
  for (int64_t i = n / 2 + 1; i < n; ++i) x[i] = conj(x[n - i]);
}

static void write_rows(const plan_t *plan, void *out, int64_t first,
                       const space_t *space) {
  const berth_fourier_t *f = &plan->fourier;
  int64_t width = width_of(f), n = f->sizes[2];
  double scale = 1;
  for (int i = 0; f->is_inverse && i < BERTH_FOURIER_RANK; ++i) {
    scale /= (double)f->sizes[i];
  }
  for (int64_t row = 0; row < f->sizes[0] * f->sizes[1]; ++row) {
    memcpy(space->line, space->x + row * width,
           (size_t)width * sizeof(number_t));
    if (f->is_inverse) {
      if (f->is_real) mirror(space->line, n);
      transform(space->line, n, 1, space);
    }
    int64_t at = first + row_at(f, f->out, row);
    for (int64_t i = 0; i < f->out[2]; ++i) {
      write_at(plan, out, at + i, space->line[i] * scale);
    }
  }
}

static int64_t product_of(const int64_t *dims) {
  return dims[0] * dims[1] * dims[2];
}

static int64_t longest_of(const berth_fourier_t *f) {
  int64_t most = 1;
  for (int i = 0; i < BERTH_FOURIER_RANK; ++i) {
    if (f->sizes[i] > most) most = f->sizes[i];
  }
  return most;
}

static berth_code_t run_fourier(const void *arg, void *const *args,
                                berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_fourier_t *f = &plan->fourier;
  int output = f->is_real ? 2 : 1;
  space_t space = {.x = args[output + 1]};
  space.line = space.x + f->sizes[0] * f->sizes[1] * width_of(f);
  space.room = space.line + longest_of(f) + 1;
  space.turns = space.room + 2 * plan->room;
  space.span = plan->span;
  for (int64_t k = 0; k < plan->span / 2; ++k) {
    space.turns[k] = turn((double)k / (double)plan->span);
  }
  for (int64_t b = 0; b < f->batch; ++b) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    read_rows(plan, args[0], b * product_of(f->in), &space);
    transform_axis(plan, 1, &space);
    transform_axis(plan, 0, &space);
    write_rows(plan, args[output], b * product_of(f->out), &space);
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
  for (int i = 0; i < BERTH_FOURIER_RANK; ++i) {
    int64_t size = convolution_size(f->sizes[i]);
    if (size > plan->room) plan->room = size;
    if (size == 0) size = f->sizes[i];
    if (size > plan->span) plan->span = size;
  }
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->scratch_size =
      (size_t)(f->sizes[0] * f->sizes[1] * width_of(f) + longest_of(f) + 1 +
               2 * plan->room + plan->span / 2) *
      sizeof(number_t);
  prepare->run = count > 0 ? run_fourier : berth_run_nothing;
  prepare->work = count * 100;
  return BERTH_OK;
}

#define FOURIER(name) \
  { .op = name, .prepare = prepare_fourier }

const berth_kernel_t berth_cpu_fourier_kernels[] = {
    FOURIER("FFT"),   FOURIER("IFFT"),   FOURIER("RFFT"),   FOURIER("IRFFT"),
    FOURIER("FFT2D"), FOURIER("IFFT2D"), FOURIER("RFFT2D"), FOURIER("IRFFT2D"),
    FOURIER("FFT3D"), FOURIER("IFFT3D"), FOURIER("RFFT3D"), FOURIER("IRFFT3D"),
    {.op = NULL},
};
