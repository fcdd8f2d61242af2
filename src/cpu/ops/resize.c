// resize.c - The kernels that make images of another size.
//
// Rows of outputs are pieces. A piece keeps the input rows that it has made
// wide last: the next output often needs them again.
#include "op/resize.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "cpu/ops/resize_place.h"
#include "op/types.h"

typedef struct plan {
  const berth_resize_loops_t *loops;
  berth_resize_t resize;
  int64_t rows;   // Of all outputs.
  int64_t grain;  // Rows of a piece.
  int64_t room;   // Floats that a piece works with.
  size_t item;    // Bytes of an element of the image.
  union {
    const berth_between_t *between;
    const berth_among_t *among;
    const berth_cover_t *cover;
    const int64_t *nearest;
  };
} plan_t;

typedef struct resize_run {
  const plan_t *plan;
  const char *in;
  void *out;
  float *room;
} resize_run_t;

// Returns row |y| of image |batch| as floats; |room| holds them where they are
// none.
static const float *load_row(const resize_run_t *run, int64_t batch, int64_t y,
                             float *room) {
  const berth_resize_t *resize = &run->plan->resize;
  int64_t n = resize->axes[1].in * resize->channels;
  const char *from = run->in + (size_t)((batch * resize->axes[0].in + y) * n) *
                                   run->plan->item;
  if (resize->dtype == BERTH_FLOAT) return (const float *)(const void *)from;
  berth_floats_from(resize->dtype, from, room, n);
  return room;
}

// ---- Between two pixels ----

// Input rows that have been made wide: which ones, and where they are.
typedef struct kept {
  int64_t row[2];
  float *wide[2];
  float *loaded;
} kept_t;

// Returns input row |row| (of all images) made wide, and keeps it in place of
// one that is not |other|.
static const float *wide_row(const resize_run_t *run, kept_t *kept, int64_t row,
                             int64_t other) {
  const plan_t *plan = run->plan;
  const berth_resize_t *resize = &plan->resize;
  for (int i = 0; i < 2; ++i) {
    if (kept->row[i] == row) return kept->wide[i];
  }
  int slot = kept->row[0] == other ? 1 : 0;
  int64_t height = resize->axes[0].in;
  const float *in = load_row(run, row / height, row % height, kept->loaded);
  plan->loops->across(in, kept->wide[slot], plan->between, resize->axes[1].out,
                      resize->channels, resize->axes[1].in);
  kept->row[slot] = row;
  return kept->wide[slot];
}

static void run_between(const resize_run_t *run, int64_t begin, int64_t end,
                        float *room) {
  const plan_t *plan = run->plan;
  const berth_resize_axis_t *height = &plan->resize.axes[0];
  int64_t n = plan->resize.axes[1].out * plan->resize.channels;
  kept_t kept = {{-1, -1}, {room, room + n}, room + 2 * n};
  for (int64_t r = begin; r < end; ++r) {
    int64_t first = r / height->out * height->in;
    berth_between_t at =
        berth_resize_between(&plan->resize, 0, r % height->out);
    const float *top = wide_row(run, &kept, first + at.lower, first + at.upper);
    const float *bottom =
        wide_row(run, &kept, first + at.upper, first + at.lower);
    plan->loops->between(top, bottom, at.share, (float *)run->out + r * n, n);
  }
}

// ---- Among four pixels ----

static void run_among(const resize_run_t *run, int64_t begin, int64_t end,
                      float *room) {
  const plan_t *plan = run->plan;
  const berth_resize_t *resize = &plan->resize;
  int64_t n = resize->axes[1].in * resize->channels;
  int64_t wide = resize->axes[1].out * resize->channels;
  for (int64_t r = begin; r < end; ++r) {
    int64_t batch = r / resize->axes[0].out, y = r % resize->axes[0].out;
    berth_among_t at = berth_resize_among(resize, 0, y);
    const float *rows[4];
    for (int i = 0; i < 4; ++i) {
      rows[i] = load_row(run, batch, at.at[i], room + (i + 1) * n);
    }
    plan->loops->among(rows, at.weights, room, n);
    plan->loops->across_four(room, (float *)run->out + r * wide, plan->among,
                             resize->axes[1].out, resize->channels,
                             resize->axes[1].in);
  }
}

// ---- Areas ----

// What output |i| covers of the inputs, from |from| to |to|.
typedef struct span {
  float from, to;
  int64_t begin, end;
} span_t;

static span_t span_of(const berth_resize_axis_t *axis, int64_t i) {
  span_t span = {.from = (float)i * axis->scale,
                 .to = (float)(i + 1) * axis->scale};
  span.begin = (int64_t)floorf(span.from);
  span.end = (int64_t)ceilf(span.to);
  return span;
}

// How much of input |at| is covered.
static float covered(const span_t *span, float scale, int64_t at) {
  float low = (float)at, high = (float)(at + 1);
  if (low < span->from) return high > span->to ? scale : high - span->from;
  return high > span->to ? span->to - low : 1.0f;
}

static int64_t inside(int64_t at, int64_t size) {
  return at < 0 ? 0 : at < size ? at : size - 1;
}

// A span may end behind the image, whose last pixel then counts for all that
// is there.
static berth_cover_t cover_of(const berth_resize_axis_t *axis, int64_t i) {
  span_t span = span_of(axis, i);
  berth_cover_t cover = {.begin = inside(span.begin, axis->in),
                         .last = inside(span.end - 1, axis->in)};
  float *last = cover.last > cover.begin ? &cover.last_part : &cover.first_part;
  cover.first_part = covered(&span, axis->scale, span.begin);
  if (cover.last == cover.begin) cover.first_part = 0;
  for (int64_t at = cover.last; at < span.end; ++at) {
    bool is_edge = at == span.begin || at == span.end - 1;
    *last += is_edge ? covered(&span, axis->scale, at) : 1.0f;
  }
  return cover;
}

static void run_area(const resize_run_t *run, int64_t begin, int64_t end,
                     float *room) {
  const berth_resize_t *resize = &run->plan->resize;
  const berth_resize_axis_t *height = &resize->axes[0];
  int64_t n = resize->axes[1].out * resize->channels;
  float whole = 1.0f / (height->scale * resize->axes[1].scale);
  for (int64_t r = begin; r < end; ++r) {
    span_t down = span_of(height, r % height->out);
    float *out = (float *)run->out + r * n;
    memset(out, 0, (size_t)n * sizeof(*out));
    for (int64_t y = down.begin; y < down.end; ++y) {
      float share = covered(&down, height->scale, y);
      const float *in =
          load_row(run, r / height->out, inside(y, height->in), room);
      run->plan->loops->cover(in, out, run->plan->cover, resize->axes[1].out,
                              resize->channels, share, resize->axes[1].in);
    }
    for (int64_t i = 0; i < n; ++i) out[i] *= whole;
  }
}

// ---- The nearest pixel ----

static BERTH_INLINE void copy_pixels(char *to, const char *from,
                                     const int64_t *places, int64_t n,
                                     size_t size) {
  for (int64_t x = 0; x < n; ++x) {
    memcpy(to + (size_t)x * size, from + (size_t)places[x] * size, size);
  }
}

static void copy_row(char *to, const char *from, const int64_t *places,
                     int64_t n, size_t size) {
  switch (size) {
    case 3:
      copy_pixels(to, from, places, n, 3);
      return;
    case 4:
      copy_pixels(to, from, places, n, 4);
      return;
    case 12:
      copy_pixels(to, from, places, n, 12);
      return;
    default:
      copy_pixels(to, from, places, n, size);
  }
}

static void run_nearest(const resize_run_t *run, int64_t begin, int64_t end,
                        float *room) {
  (void)room;
  const plan_t *plan = run->plan;
  const berth_resize_t *resize = &plan->resize;
  size_t pixel = (size_t)resize->channels * plan->item;
  size_t row = (size_t)resize->axes[1].in * pixel;
  size_t wide = (size_t)resize->axes[1].out * pixel;
  int64_t last = -1;
  for (int64_t r = begin; r < end; ++r) {
    int64_t from = r / resize->axes[0].out * resize->axes[0].in +
                   berth_resize_nearest(resize, 0, r % resize->axes[0].out);
    char *to = (char *)run->out + (size_t)r * wide;
    if (from == last) {
      memcpy(to, to - wide, wide);
    } else {
      copy_row(to, run->in + (size_t)from * row, plan->nearest,
               resize->axes[1].out, pixel);
    }
    last = from;
  }
}

// ---- Pieces ----

#define DEFINE_RUN(name)                                             \
  static void name##_pieces(void *arg, int64_t begin, int64_t end) { \
    const resize_run_t *run = arg;                                   \
    const plan_t *plan = run->plan;                                  \
    for (int64_t i = begin; i < end; ++i) {                          \
      int64_t first = i * plan->grain, last = first + plan->grain;   \
      name(run, first, last < plan->rows ? last : plan->rows,        \
           run->room + i * plan->room);                              \
    }                                                                \
  }                                                                  \
  static berth_code_t name##_all(const void *arg, void *const *args, \
                                 berth_call_t *call) {               \
    (void)call;                                                      \
    const plan_t *plan = arg;                                        \
    resize_run_t run = {plan, args[0], args[2], args[3]};            \
    int64_t pieces = (plan->rows + plan->grain - 1) / plan->grain;   \
    berth_parallel_for(pieces, 1, name##_pieces, &run);              \
    return BERTH_OK;                                                 \
  }
DEFINE_RUN(run_between)
DEFINE_RUN(run_among)
DEFINE_RUN(run_area)
DEFINE_RUN(run_nearest)

// ---- Preparing ----

// Makes a plan with |size| bytes behind it for places across. |cost| is
// nanoseconds for 16 numbers.
static berth_code_t make_plan(berth_prepare_t *prepare, size_t size,
                              int64_t rows_of_room, int64_t cost,
                              berth_run_fn run, plan_t **out_plan,
                              berth_error_t *err) {
  berth_resize_t resize;
  *out_plan = NULL;
  BERTH_TRY(berth_op_resize(&prepare->op, &resize, err));
  prepare->run = berth_run_nothing;
  if (resize.batch == 0) return BERTH_OK;
  size_t places = (size_t)resize.axes[1].out * size;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan) + places);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  int64_t in = resize.axes[1].in, out = resize.axes[1].out;
  int64_t row = (in > out ? in : out) * resize.channels;
  plan->loops = BERTH_ISA_PICK(berth_cpu_resize_loops);
  plan->resize = resize;
  plan->rows = resize.batch * resize.axes[0].out;
  plan->grain = 20000 * 16 / (row * cost + 1) + 1;
  plan->item = berth_dtype_size(resize.dtype);
  plan->room = rows_of_room * row;
  int64_t pieces = (plan->rows + plan->grain - 1) / plan->grain;
  prepare->scratch_size = (size_t)(pieces * plan->room) * sizeof(float);
  prepare->work = plan->rows * row * cost / 16;
  prepare->run = run;
  *out_plan = plan;
  return BERTH_OK;
}

static berth_code_t prepare_between(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan;
  BERTH_TRY(make_plan(prepare, sizeof(berth_between_t), 3, 16, run_between_all,
                      &plan, err));
  if (plan == NULL) return BERTH_OK;
  berth_between_t *places = (berth_between_t *)(plan + 1);
  for (int64_t x = 0; x < plan->resize.axes[1].out; ++x) {
    places[x] = berth_resize_between(&plan->resize, 1, x);
  }
  plan->between = places;
  return BERTH_OK;
}

static berth_code_t prepare_among(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  plan_t *plan;
  BERTH_TRY(make_plan(prepare, sizeof(berth_among_t), 5, 32, run_among_all,
                      &plan, err));
  if (plan == NULL) return BERTH_OK;
  berth_among_t *places = (berth_among_t *)(plan + 1);
  for (int64_t x = 0; x < plan->resize.axes[1].out; ++x) {
    places[x] = berth_resize_among(&plan->resize, 1, x);
  }
  plan->among = places;
  return BERTH_OK;
}

static berth_code_t prepare_area(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan;
  BERTH_TRY(make_plan(prepare, sizeof(berth_cover_t), 1, 64, run_area_all,
                      &plan, err));
  if (plan == NULL) return BERTH_OK;
  berth_cover_t *covers = (berth_cover_t *)(plan + 1);
  for (int64_t x = 0; x < plan->resize.axes[1].out; ++x) {
    covers[x] = cover_of(&plan->resize.axes[1], x);
  }
  plan->cover = covers;
  return BERTH_OK;
}

static berth_code_t prepare_nearest(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan;
  BERTH_TRY(
      make_plan(prepare, sizeof(int64_t), 0, 8, run_nearest_all, &plan, err));
  if (plan == NULL) return BERTH_OK;
  int64_t *places = (int64_t *)(plan + 1);
  for (int64_t x = 0; x < plan->resize.axes[1].out; ++x) {
    places[x] = berth_resize_nearest(&plan->resize, 1, x);
  }
  plan->nearest = places;
  return BERTH_OK;
}

#define KERNEL(name, function) \
  { .op = name, .types = {{"T", BERTH_TYPES_REAL}}, .prepare = function }

const berth_kernel_t berth_cpu_resize_kernels[] = {
    KERNEL("ResizeBilinear", prepare_between),
    KERNEL("ResizeBicubic", prepare_among),
    KERNEL("ResizeArea", prepare_area),
    KERNEL("ResizeNearestNeighbor", prepare_nearest),
    {.op = NULL},
};
