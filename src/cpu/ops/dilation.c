// dilation.c - Kernels of Dilation2D and its gradients.
//
// The taps of a window are taken one after the other, each for many outputs
// side by side. Where these are pixels of few numbers, the filter's are repeated
// for as many pixels.
#include "op/dilation.h"

#include <float.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "tensor/half.h"

enum { AT_ONCE = 256, PIXELS_OF = 128 };

// Adds |n| numbers of an image and of a filter. What is above |best| takes its
// place, with |tap| in |at|, which is below 0 where there was none. |best| is at
// first what clear() fills it with, the lowest number of the type.
typedef struct loops {
  void (*tap)(const void *x, const void *filter, int64_t n, int32_t tap,
              void *best, int32_t *at);
  void (*clear)(void *best, int64_t n);
} loops_t;

#define DEFINE_TAP(name, T, W, SUM, LOWEST)                             \
  static void tap_##name(const void *in, const void *filter, int64_t n, \
                         int32_t tap, void *out, int32_t *at) {         \
    const T *x = in, *f = filter;                                       \
    W *best = out;                                                      \
    for (int64_t i = 0; i < n; ++i) {                                   \
      const W sum = SUM(x[i], f[i]), old = best[i];                     \
      const int32_t old_at = at[i];                                     \
      best[i] = sum > old ? sum : old;                                  \
      at[i] = sum > old ? tap : old_at;                                 \
    }                                                                   \
  }                                                                     \
  static void clear_##name(void *out, int64_t n) {                      \
    for (int64_t i = 0; i < n; ++i) ((W *)out)[i] = LOWEST;             \
  }
#define PLAIN(a, b) ((a) + (b))
#define SUM_HALF(a, b) \
  berth_half_to_float( \
      berth_float_to_half(berth_half_to_float(a) + berth_half_to_float(b)))
#define SUM_BFLOAT16(a, b)                                                     \
  berth_bfloat16_to_float(berth_float_to_bfloat16(berth_bfloat16_to_float(a) + \
                                                  berth_bfloat16_to_float(b)))
DEFINE_TAP(f32, float, float, PLAIN, -FLT_MAX)
DEFINE_TAP(f64, double, double, PLAIN, -DBL_MAX)
DEFINE_TAP(half, uint16_t, float, SUM_HALF, -65504.0f)
DEFINE_TAP(bfloat16, uint16_t, float, SUM_BFLOAT16, -0x1.fep127f)
#define DEFINE_WHOLE(name, T, U, LOWEST)                            \
  static inline T sum_##name(T a, T b) { return (T)((U)a + (U)b); } \
  DEFINE_TAP(name, T, T, sum_##name, LOWEST)
DEFINE_WHOLE(i8, int8_t, uint32_t, INT8_MIN)
DEFINE_WHOLE(u8, uint8_t, uint32_t, 0)
DEFINE_WHOLE(i16, int16_t, uint32_t, INT16_MIN)
DEFINE_WHOLE(u16, uint16_t, uint32_t, 0)
DEFINE_WHOLE(i32, int32_t, uint32_t, INT32_MIN)
DEFINE_WHOLE(u32, uint32_t, uint32_t, 0)
DEFINE_WHOLE(i64, int64_t, uint64_t, INT64_MIN)
DEFINE_WHOLE(u64, uint64_t, uint64_t, 0)

static loops_t loops_of(berth_dtype_t dtype) {
  static const loops_t loops[BERTH_DTYPE_COUNT] = {
#define LOOPS(name) {tap_##name, clear_##name}
      [BERTH_FLOAT] = LOOPS(f32), [BERTH_DOUBLE] = LOOPS(f64),
      [BERTH_HALF] = LOOPS(half), [BERTH_BFLOAT16] = LOOPS(bfloat16),
      [BERTH_INT8] = LOOPS(i8),   [BERTH_UINT8] = LOOPS(u8),
      [BERTH_INT16] = LOOPS(i16), [BERTH_UINT16] = LOOPS(u16),
      [BERTH_INT32] = LOOPS(i32), [BERTH_UINT32] = LOOPS(u32),
      [BERTH_INT64] = LOOPS(i64), [BERTH_UINT64] = LOOPS(u64),
#undef LOOPS
  };
  return loops[dtype];
}

typedef struct plan {
  berth_dilation_t dilation;
  berth_dtype_t dtype;
  int64_t size;    // Of an element.
  int64_t pixels;  // That are done side by side.
  int64_t width;   // Of a sum: those of half and bfloat16 are floats.
  loops_t loops;
} plan_t;

typedef struct dilation_run {
  const plan_t *plan;
  const char *image, *filter;  // The filter's taps, repeated for all pixels.
  const char *gradient;        // NULL: sums are wanted.
  char *out;
  bool is_filter;
} dilation_run_t;

// Outputs that are made together: pixels [x, x + pixels) of a row, of these
// channels [c, c + channels).
typedef struct spot {
  int64_t batch, y, x, pixels, c, channels;
} spot_t;

// What they become.
typedef struct largest {
  _Alignas(64) char best[AT_ONCE * 8];
  int32_t at[AT_ONCE];
} largest_t;

// Takes tap |tap|, which is |column| to the right and in |row| of the image.
static void take_tap(const dilation_run_t *run, const spot_t *spot, int64_t row,
                     int64_t column, int32_t tap, largest_t *all) {
  const plan_t *plan = run->plan;
  const berth_dilation_t *d = &plan->dilation;
  const berth_window_axis_t *axis = &d->axes[1];
  // Of several pixels, whose stride is 1, some may be outside.
  int64_t first = spot->x * axis->stride - axis->before + column;
  int64_t begin = first < 0 ? -first : 0, end = spot->pixels;
  if (end > axis->in - first) end = axis->in - first;
  if (begin >= end) return;
  int64_t from =
      ((spot->batch * d->axes[0].in + row) * axis->in + first + begin) *
          d->depth +
      spot->c;
  int64_t filter = tap * plan->pixels * d->depth + spot->c;
  int64_t to = begin * spot->channels, n = (end - begin) * spot->channels;
  plan->loops.tap(run->image + from * plan->size,
                  run->filter + filter * plan->size, n, tap,
                  all->best + to * plan->width, all->at + to);
}

static void find_largest(const dilation_run_t *run, const spot_t *spot,
                         largest_t *all) {
  const berth_window_axis_t *rows = &run->plan->dilation.axes[0];
  const berth_window_axis_t *columns = &run->plan->dilation.axes[1];
  run->plan->loops.clear(all->best, spot->pixels * spot->channels);
  memset(all->at, -1, sizeof(all->at));
  for (int64_t p = 0; p < rows->window; ++p) {
    int64_t row = spot->y * rows->stride - rows->before + p * rows->dilation;
    if (row < 0 || row >= rows->in) continue;
    for (int64_t q = 0; q < columns->window; ++q) {
      take_tap(run, spot, row, q * columns->dilation,
               (int32_t)(p * columns->window + q), all);
    }
  }
}

// Stores |n| sums from element |to| on.
static void store_sums(const plan_t *plan, const largest_t *all, int64_t n,
                       char *out, int64_t to) {
  out += to * plan->size;
  if (plan->width != plan->size) {
    berth_floats_to(plan->dtype, (const float *)(const void *)all->best, out,
                    n);
  } else {
    memcpy(out, all->best, (size_t)(n * plan->size));
  }
}

// Adds element |from| of |x| to element |to| of |out|, as the type does.
static void add_one(berth_dtype_t dtype, char *out, int64_t to, const char *x,
                    int64_t from) {
  switch (dtype) {
#define CASE(name, T, U)                                                 \
  case name:                                                             \
    ((T *)(void *)out)[to] = (T)((U)((T *)(void *)out)[to] +             \
                                 (U)((const T *)(const void *)x)[from]); \
    return
    CASE(BERTH_FLOAT, float, float);
    CASE(BERTH_DOUBLE, double, double);
    CASE(BERTH_INT8, int8_t, uint32_t);
    CASE(BERTH_UINT8, uint8_t, uint32_t);
    CASE(BERTH_INT16, int16_t, uint32_t);
    CASE(BERTH_UINT16, uint16_t, uint32_t);
    CASE(BERTH_INT32, int32_t, uint32_t);
    CASE(BERTH_UINT32, uint32_t, uint32_t);
    CASE(BERTH_INT64, int64_t, uint64_t);
    CASE(BERTH_UINT64, uint64_t, uint64_t);
#undef CASE
    default:
      berth_number_set(
          dtype, out, to,
          berth_number_at(dtype, out, to) + berth_number_at(dtype, x, from));
  }
}

// Returns where in the image or in the filter the sum of tap |tap| came from. A
// window without sums above the lowest number has the first place inside, and
// tap 0.
static int64_t place_of(const dilation_run_t *run, const spot_t *spot,
                        int64_t x, int64_t tap) {
  const berth_dilation_t *d = &run->plan->dilation;
  const berth_window_axis_t *rows = &d->axes[0], *columns = &d->axes[1];
  int64_t row = spot->y * rows->stride - rows->before;
  int64_t column = x * columns->stride - columns->before;
  if (tap < 0) {
    if (run->is_filter) return 0;
    row = row < 0 ? 0 : row;
    column = column < 0 ? 0 : column;
  } else {
    if (run->is_filter) return tap;
    row += tap / columns->window * rows->dilation;
    column += tap % columns->window * columns->dilation;
  }
  return (spot->batch * rows->in + row) * columns->in + column;
}

// Adds gradients to where the largest sums came from.
static void scatter(const dilation_run_t *run, const spot_t *spot,
                    const largest_t *all, int64_t from) {
  for (int64_t x = 0, i = 0; x < spot->pixels; ++x) {
    for (int64_t c = 0; c < spot->channels; ++c, ++i) {
      int64_t place = place_of(run, spot, spot->x + x, all->at[i]);
      int64_t to = place * run->plan->dilation.depth + spot->c + c;
      add_one(run->plan->dtype, run->out, to, run->gradient, from + i);
    }
  }
}

static void run_spot(const dilation_run_t *run, const spot_t *spot) {
  const berth_dilation_t *d = &run->plan->dilation;
  largest_t all;
  find_largest(run, spot, &all);
  int64_t row = spot->batch * d->axes[0].out + spot->y;
  int64_t to = (row * d->axes[1].out + spot->x) * d->depth + spot->c;
  if (run->gradient != NULL) {
    scatter(run, spot, &all, to);
  } else {
    store_sums(run->plan, &all, spot->pixels * spot->channels, run->out, to);
  }
}

// Does rows of the output, those of all images.
static void run_rows(void *arg, int64_t begin, int64_t end) {
  const dilation_run_t *run = arg;
  const berth_dilation_t *d = &run->plan->dilation;
  int64_t columns = d->axes[1].out, pixels = run->plan->pixels;
  for (int64_t row = begin; row < end; ++row) {
    for (int64_t x = 0; x < columns; x += pixels) {
      spot_t spot = {.batch = row / d->axes[0].out,
                     .y = row % d->axes[0].out,
                     .x = x,
                     .pixels = columns - x < pixels ? columns - x : pixels};
      for (; spot.c < d->depth; spot.c += AT_ONCE) {
        int64_t left = d->depth - spot.c;
        spot.channels = left < AT_ONCE ? left : AT_ONCE;
        run_spot(run, &spot);
      }
    }
  }
}

static dilation_run_t make_run(const plan_t *plan, void *const *args,
                               int inputs, char *room) {
  const berth_dilation_t *d = &plan->dilation;
  int64_t taps = d->axes[0].window * d->axes[1].window;
  size_t pixel = (size_t)(d->depth * plan->size);
  dilation_run_t run = {.plan = plan,
                        .image = args[0],
                        .filter = args[1],
                        .gradient = inputs == 3 ? args[2] : NULL,
                        .out = args[inputs]};
  if (plan->pixels == 1) return run;
  run.filter = room;
  for (int64_t i = 0; i < taps * plan->pixels; ++i, room += pixel) {
    memcpy(room, (char *)args[1] + (size_t)(i / plan->pixels) * pixel, pixel);
  }
  return run;
}

static berth_code_t run_dilation(const void *arg, void *const *args,
                                 berth_call_t *call) {
  (void)call;
  const plan_t *plan = arg;
  const berth_dilation_t *d = &plan->dilation;
  dilation_run_t run = make_run(plan, args, 2, args[3]);
  int64_t work =
      d->axes[0].window * d->axes[1].window * d->axes[1].out * d->depth;
  berth_parallel_for(d->batch * d->axes[0].out, 20000 / (work + 1) + 1,
                     run_rows, &run);
  return BERTH_OK;
}

static berth_code_t run_gradient(const void *arg, void *const *args,
                                 berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_dilation_t *d = &plan->dilation;
  dilation_run_t run = make_run(plan, args, 3, args[4]);
  run.is_filter = strstr(call->node->op->name, "Filter") != NULL;
  int64_t rows = run.is_filter ? d->axes[0].window : d->batch * d->axes[0].in;
  int64_t columns = run.is_filter ? d->axes[1].window : d->axes[1].in;
  memset(run.out, 0, (size_t)(rows * columns * d->depth * plan->size));
  for (int64_t row = 0; row < d->batch * d->axes[0].out; ++row) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    run_rows(&run, row, row + 1);
  }
  return BERTH_OK;
}

static berth_code_t prepare_dilation(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_dilation(&prepare->op, &plan->dilation, err));
  const berth_dilation_t *d = &plan->dilation;
  plan->dtype = prepare->op.inputs[0].dtype;
  plan->size = (int64_t)berth_dtype_size(plan->dtype);
  plan->loops = loops_of(plan->dtype);
  bool is_narrow = plan->dtype == BERTH_HALF || plan->dtype == BERTH_BFLOAT16;
  plan->width = is_narrow ? (int64_t)sizeof(float) : plan->size;
  bool is_few = d->axes[1].stride == 1 && d->depth > 0 && d->depth < PIXELS_OF;
  plan->pixels = is_few ? PIXELS_OF / d->depth : 1;
  if (plan->pixels > 1) {
    int64_t taps = d->axes[0].window * d->axes[1].window;
    prepare->scratch_size =
        (size_t)(taps * plan->pixels * d->depth * plan->size);
  }
  int64_t count = berth_dims_count(berth_case_output_dims(&prepare->op, 0));
  prepare->run = count == 0                     ? berth_run_nothing
                 : prepare->op.input_count == 3 ? run_gradient
                                                : run_dilation;
  prepare->work = prepare->op.inputs[0].count * prepare->op.inputs[1].count;
  return BERTH_OK;
}

#define DILATION(name)                              \
  {                                                 \
    .op = name, .types = {{"T", BERTH_TYPES_REAL}}, \
    .prepare = prepare_dilation                     \
  }

const berth_kernel_t berth_cpu_dilation_kernels[] = {
    DILATION("Dilation2D"),
    DILATION("Dilation2DBackpropInput"),
    DILATION("Dilation2DBackpropFilter"),
    {.op = NULL},
};
