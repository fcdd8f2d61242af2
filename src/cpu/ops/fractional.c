// fractional.c - The kernels FractionalMaxPool, FractionalAvgPool and their
// gradients.
//
// Rows and columns are cut into windows by sequences of where they begin, with
// an end behind the last; windows of a sequence differ in size by one.
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/ops/make.h"
#include "cpu/ops/words.h"
#include "op/glimpse.h"

// ---- Sequences ----

// Stores where |count| windows of |size| rows begin, evenly but for an offset.
static void cut_evenly(berth_words_t *words, int64_t size, int64_t count,
                       int64_t *out) {
  double alpha = (double)size / (double)count;
  int64_t k = size / count;
  double most = (double)(k + 2) / alpha - 1;
  double other = (double)(size + 1 - k) / alpha - (double)(count - 1);
  double u = berth_words_double(words) * (most < other ? most : other);
  for (int64_t i = 1; i < count; ++i) {
    double place = alpha * ((double)i + u);
    int64_t whole = (int64_t)place;
    out[i] = whole + ((double)whole < place) - 1;
  }
}

// The same, with long and short windows in a random order.
static void cut_shuffled(berth_words_t *words, int64_t size, int64_t count,
                         int64_t *out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i + 1] = size / count + (i < size % count);
  }
  for (int64_t i = 0; i + 1 < count; ++i) {
    uint32_t left = (uint32_t)(count - i);
    int64_t other = i + berth_words_next(words) % left, kept = out[i + 1];
    out[i + 1] = out[other + 1];
    out[other + 1] = kept;
  }
  for (int64_t i = 0; i < count; ++i) out[i + 1] += out[i];
}

static void cut(const berth_fractional_t *f, const berth_call_t *call,
                int64_t skipped, int axis, int64_t *out) {
  int64_t count = f->out[axis];
  int64_t steps = f->is_even ? 1 : (count + 3) / 4;
  berth_words_t words =
      berth_words_reserve(call, f->is_fixed ? 0 : (uint64_t)steps);
  if (f->is_fixed) berth_philox_skip(&words.philox, (uint64_t)skipped);
  out[0] = 0;
  if (f->is_even) {
    cut_evenly(&words, f->in[axis], count, out);
  } else {
    cut_shuffled(&words, f->in[axis], count, out);
  }
  out[count] = f->in[axis];
}

// ---- Windows ----

typedef struct windows {
  const berth_fractional_t *f;
  const int64_t *rows, *columns;  // Where they begin.
} windows_t;

// A window: rows and columns, with the last of them.
typedef struct window {
  int64_t at;  // In the output, in pixels.
  int64_t rows[2], columns[2];
  int64_t count;  // Pixels.
} window_t;

static int64_t last_of(const berth_fractional_t *f, int64_t next,
                       int64_t size) {
  int64_t last = f->overlaps ? next : next - 1;
  return last < size - 1 ? last : size - 1;
}

static window_t window_at(const windows_t *w, int64_t index) {
  const berth_fractional_t *f = w->f;
  int64_t row = index / f->out[2] % f->out[1], column = index % f->out[2];
  window_t out = {
      .at = index,
      .rows = {w->rows[row], last_of(f, w->rows[row + 1], f->in[1])},
      .columns = {w->columns[column],
                  last_of(f, w->columns[column + 1], f->in[2])}};
  out.count =
      (out.rows[1] - out.rows[0] + 1) * (out.columns[1] - out.columns[0] + 1);
  return out;
}

// Begins a loop over the pixels |p| of |window| in image |b|.
#define EACH_PIXEL(f, b, window)                                 \
  for (int64_t y = (window).rows[0]; y <= (window).rows[1]; ++y) \
    for (int64_t x = (window).columns[0],                        \
                 p = ((b) * (f)->in[1] + y) * (f)->in[2] + x;    \
         x <= (window).columns[1]; ++x, ++p)

#define POOL(name, type)                                                 \
  static void pool_##name(const windows_t *w, const void *in, void *out, \
                          int64_t index) {                               \
    const berth_fractional_t *f = w->f;                                  \
    window_t window = window_at(w, index);                               \
    int64_t depth = f->in[3], b = index / (f->out[1] * f->out[2]);       \
    type *to = (type *)out + index * depth;                              \
    bool is_first = true;                                                \
    EACH_PIXEL(f, b, window) {                                           \
      const type *from = (const type *)in + p * depth;                   \
      for (int64_t d = 0; d < depth; ++d) {                              \
        if (is_first) {                                                  \
          to[d] = from[d];                                               \
        } else if (!f->is_max) {                                         \
          to[d] = (type)(to[d] + from[d]);                               \
        } else if (to[d] < from[d]) {                                    \
          to[d] = from[d];                                               \
        }                                                                \
      }                                                                  \
      is_first = false;                                                  \
    }                                                                    \
    for (int64_t d = 0; !f->is_max && d < depth; ++d) {                  \
      to[d] = (type)(to[d] / (type)window.count);                        \
    }                                                                    \
  }

POOL(float, float)
POOL(double, double)
POOL(int32, int32_t)
POOL(int64, int64_t)

typedef void (*pool_fn)(const windows_t *w, const void *in, void *out,
                        int64_t index);

static pool_fn pool_of(berth_dtype_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return pool_float;
    case BERTH_DOUBLE:
      return pool_double;
    case BERTH_INT32:
      return pool_int32;
    default:
      return pool_int64;
  }
}

static berth_code_t run_pool(const void *data, void *const *args,
                             berth_call_t *call) {
  const berth_fractional_t *f = data;
  windows_t w = {f, args[2], args[3]};
  cut(f, call, 0, 1, args[2]);
  cut(f, call, f->is_even ? 1 : (f->out[1] + 3) / 4, 2, args[3]);
  pool_fn pool = pool_of(f->dtype);
  int64_t count = f->out[0] * f->out[1] * f->out[2];
  for (int64_t i = 0; i < count; ++i) pool(&w, args[0], args[1], i);
  return BERTH_OK;
}

static berth_code_t prepare_pool(berth_prepare_t *prepare, berth_error_t *err) {
  berth_fractional_t *f = berth_prepare_plan(prepare, sizeof(*f));
  if (f == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_fractional(&prepare->op, f, err));
  prepare->run = run_pool;
  prepare->work = prepare->op.inputs[0].count * 2;
  return BERTH_OK;
}

// ---- Gradients ----

// Adds the slope of each output of |window| to the largest of its inputs; false
// when that is not what the output was.
static bool give_max(const windows_t *w, const window_t *window,
                     berth_tensor_t *const *in, void *out) {
  const berth_fractional_t *f = w->f;
  int64_t b = window->at / (f->out[1] * f->out[2]), depth = f->in[3];
  for (int64_t d = 0; d < depth; ++d) {
    int64_t at = window->at * depth + d, best = -1;
    EACH_PIXEL(f, b, *window) {
      int64_t from = p * depth + d;
      if (best < 0 ||
          berth_number_less(f->dtype, in[0]->data, best, in[0]->data, from)) {
        best = from;
      }
    }
    if (best < 0 ||
        berth_number_less(f->dtype, in[0]->data, best, in[1]->data, at) ||
        berth_number_less(f->dtype, in[1]->data, at, in[0]->data, best)) {
      return false;
    }
    if (at >= in[2]->count) continue;
    ((double *)out)[best] += berth_number_at(f->dtype, in[2]->data, at);
  }
  return true;
}

// Shares the slope of each output of |window| out to its inputs.
static void give_mean(const windows_t *w, const window_t *window,
                      const berth_tensor_t *slope, double *out) {
  const berth_fractional_t *f = w->f;
  int64_t b = window->at / (f->out[1] * f->out[2]), depth = f->out[3];
  EACH_PIXEL(f, b, *window) {
    for (int64_t d = 0; d < depth; ++d) {
      out[p * f->in[3] + d] +=
          berth_number_at(f->dtype, slope->data, window->at * depth + d) /
          (double)window->count;
    }
  }
}

// Windows end where the image does; none may begin before it.
static berth_code_t check_begins(const int64_t *begins, int64_t count,
                                 const char *name, berth_error_t *err) {
  berth_str_t text = {0};
  for (int64_t i = 0; i < count; ++i) {
    if (begins[i] >= 0) continue;
    for (int64_t k = 0; k < count; ++k) {
      berth_str_printf(&text, "%s%lld", k > 0 ? "  " : "",
                       (long long)begins[k]);
    }
    (void)berth_error_set(err, BERTH_INVALID_ARGUMENT,
                          "%s sequence tensor values must not be negative, "
                          "got %s",
                          name, berth_str_get(&text));
    berth_str_clear(&text);
    return BERTH_INVALID_ARGUMENT;
  }
  return BERTH_OK;
}

static berth_code_t give_all(const windows_t *w, double *sums,
                             berth_call_t *call) {
  const berth_fractional_t *f = w->f;
  int64_t count = f->out[0] * f->out[1] * f->out[2];
  BERTH_TRY(check_begins(w->rows, f->out[1] + 1, "Row", call->err));
  BERTH_TRY(check_begins(w->columns, f->out[2] + 1, "Column", call->err));
  for (int64_t i = 0; i < count; ++i) {
    window_t window = window_at(w, i);
    if (!f->is_max) {
      give_mean(w, &window, call->inputs[1], sums);
    } else if (!give_max(w, &window, call->inputs, sums)) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "tensor_out_dup is not the same as tensor_out");
    }
  }
  return BERTH_OK;
}

static berth_code_t read_in(berth_fractional_t *f, const berth_call_t *call) {
  const int64_t *dims = call->inputs[0]->data;
  for (int i = 0; i < 4; ++i) {
    f->in[i] = dims[i];
    if (dims[i] >= 0) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Expected a non-negative size, got %lld",
                           (long long)dims[i]);
  }
  if (f->in[0] >= f->out[0] && f->in[3] >= f->out[3]) return BERTH_OK;
  return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                         "out_backprop has more images or channels than the "
                         "original input");
}

static berth_code_t make_grad(const void *data, void *const *args,
                              berth_call_t *call) {
  (void)args;
  berth_fractional_t f = *(const berth_fractional_t *)data;
  if (!f.is_max) BERTH_TRY(read_in(&f, call));
  int first = f.is_max ? 3 : 2;
  windows_t w = {&f, call->inputs[first]->data, call->inputs[first + 1]->data};
  void *out = NULL;
  BERTH_TRY(berth_cpu_make(call, 0, 4, f.in, &out));
  int64_t count = call->outputs[0]->count;
  // Sums are double, of all types, as TensorFlow's of averages are.
  double *sums = berth_calloc((size_t)count + 1, sizeof(*sums));
  if (sums == NULL) return berth_error_no_memory(call->err, "sums");
  berth_code_t code = give_all(&w, sums, call);
  for (int64_t i = 0; code == BERTH_OK && i < count; ++i) {
    berth_number_set(f.dtype, out, i, sums[i]);
  }
  berth_free(sums);
  return code;
}

BERTH_CPU_MAKES(grad)

static berth_code_t prepare_grad(berth_prepare_t *prepare, berth_error_t *err) {
  berth_fractional_t *f = berth_prepare_plan(prepare, sizeof(*f));
  if (f == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_fractional_grad(&prepare->op, f, err));
  prepare->run = run_grad;
  prepare->work = prepare->op.inputs[1].count * 20;
  return BERTH_OK;
}

#define TYPES (BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))
#define KERNEL(name, function) \
  { .op = name, .types = {{"T", TYPES}}, .prepare = prepare_##function }

const berth_kernel_t berth_cpu_fractional_kernels[] = {
    KERNEL("FractionalAvgPool", pool),
    KERNEL("FractionalAvgPoolGrad", grad),
    KERNEL("FractionalMaxPool", pool),
    KERNEL("FractionalMaxPoolGrad", grad),
    {.op = NULL},
};
