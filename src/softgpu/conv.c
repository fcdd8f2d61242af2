// conv.c - A convolution as cuDNN describes it, on the host.
//
// It is a product of matrices. A row of the first one is the patch of an image
// that an output sees, taps and channels side by side; the second is the filter:
//
//               width = taps x depth          outs
//   places     [  patch of output 0  ]      [     ]
//   of an      [  patch of output 1  ]  x   [  w  ]  width
//   image      [         ...         ]      [     ]
//
// The gradient of the image is y times w transposed, added where patches came
// from; that of the filter is the patches transposed, times y. Patches are made
// BAND rows at a time, so that they stay in a cache.
#include "softgpu/conv.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/parallel.h"
#include "softgpu/number.h"
#include "softgpu/product.h"

// The gradient of a filter is added up in so many parts, whatever the number of
// threads: the bits are the same on any.
enum {
  AXES = BERTH_SOFT_DNN_AXES,
  RANK = BERTH_SOFT_DNN_RANK,
  BAND = 96,
  PARTS = 4
};

size_t berth_soft_conv_size(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT ? 4 : 2;
}

int64_t berth_soft_grid_count(const berth_soft_grid_t *grid) {
  int64_t count = 1;
  for (int i = 0; i < RANK; ++i) count *= grid->dims[i];
  return count;
}

// What a convolution is done with.
typedef struct job {
  const berth_soft_conv_t *conv;
  int64_t depth, outs;    // Channels of the image and the output in a group.
  int64_t width, places;  // Of a patch; how many there are in an image.
  bool is_dense;         // Taps of the last axis lie side by side in the image.
  float *numbers[3];     // x, w, y as floats, in the order of memory.
  bool is_owned[3];      // Or they are the memory itself.
  float *filter;         // A matrix for each group.
  float *sums;           // The same, for each part.
  atomic_bool is_short;  // Of memory.
} job_t;

enum { X, W, Y };

// ---- Numbers ----

static float load(const berth_soft_conv_t *conv, const void *data, int64_t at) {
  if (conv->type == CUDNN_DATA_FLOAT) {
    float value = ((const float *)data)[at];
    return conv->is_tf32 ? berth_soft_to_tf32(value) : value;
  }
  uint16_t half = ((const uint16_t *)data)[at];
  return conv->type == CUDNN_DATA_HALF ? berth_soft_from_half(half)
                                       : berth_soft_from_bf16(half);
}

static void store(const berth_soft_conv_t *conv, void *data, int64_t at,
                  float value) {
  if (conv->type == CUDNN_DATA_FLOAT) {
    ((float *)data)[at] = value;
  } else {
    ((uint16_t *)data)[at] = conv->type == CUDNN_DATA_HALF
                                 ? berth_soft_to_half(value)
                                 : berth_soft_to_bf16(value);
  }
}

// Takes the elements of |grid|, which are read if |is_read| and else written.
static bool take(job_t *job, int which, const berth_soft_grid_t *grid,
                 bool is_read) {
  const berth_soft_conv_t *conv = job->conv;
  int64_t count = berth_soft_grid_count(grid);
  if (conv->type == CUDNN_DATA_FLOAT && !(is_read && conv->is_tf32)) {
    job->numbers[which] = grid->data;
    return true;
  }
  float *values = berth_alloc((size_t)count * sizeof(*values));
  for (int64_t i = 0; values != NULL && is_read && i < count; ++i) {
    values[i] = load(conv, grid->data, i);
  }
  job->numbers[which] = values;
  job->is_owned[which] = true;
  return values != NULL;
}

// Writes what was computed apart.
static void put_back(const job_t *job, int which,
                     const berth_soft_grid_t *grid) {
  int64_t count = berth_soft_grid_count(grid);
  for (int64_t i = 0; job->is_owned[which] && i < count; ++i) {
    store(job->conv, grid->data, i, job->numbers[which][i]);
  }
}

// ---- Places ----

// Sets |at| to the indices of output |index|, and returns where it lies.
static int64_t find_place(const berth_soft_grid_t *grid, int64_t index,
                          int64_t *at) {
  int64_t offset = 0;
  for (int i = AXES; i-- > 0;) {
    at[i] = index % grid->dims[i + 2];
    index /= grid->dims[i + 2];
    offset += at[i] * grid->steps[i + 2];
  }
  return offset;
}

// Adds to |*offset| where output |o| meets the image along |axis| through tap
// |t|; false: outside.
static bool meet(const berth_soft_conv_t *conv, int axis, int64_t o, int64_t t,
                 int64_t *offset) {
  int64_t place =
      o * conv->strides[axis] - conv->pads[axis] + t * conv->dilations[axis];
  *offset += place * conv->x.steps[axis + 2];
  return place >= 0 && place < conv->x.dims[axis + 2];
}

// The taps [begin, end) of the last axis that meet the image; the first would
// be met at |from|.
typedef struct run {
  int64_t begin, end, from;
} run_t;

// Returns what output |o| meets through taps |t0|, |t1| of the first two axes.
static run_t find_run(const berth_soft_conv_t *conv, const int64_t *o,
                      int64_t t0, int64_t t1) {
  run_t run = {0, 0, 0};
  if (!meet(conv, 0, o[0], t0, &run.from) ||
      !meet(conv, 1, o[1], t1, &run.from)) {
    return run;
  }
  int64_t first = o[2] * conv->strides[2] - conv->pads[2];
  int64_t step = conv->dilations[2], room = conv->x.dims[4] - first;
  int64_t taps = conv->w.dims[4];
  run.from += first * conv->x.steps[4];
  run.begin = first < 0 ? (-first + step - 1) / step : 0;
  run.end = room > 0 ? (room + step - 1) / step : 0;
  if (run.end > taps) run.end = taps;
  if (run.begin > run.end) run.begin = run.end;
  return run;
}

// ---- Patches ----

// Calls for each pair of taps of the first two axes: |run| is what is met, |row|
// the part of the patch.
#define EACH_RUN(job, o, run, row)                                     \
  for (int64_t t0 = 0; t0 < (job)->conv->w.dims[2]; ++t0)              \
    for (int64_t t1 = 0; t1 < (job)->conv->w.dims[3];                  \
         ++t1, (row) += (job)->conv->w.dims[4] * (job)->depth)         \
      for (run_t run = find_run((job)->conv, o, t0, t1), *once = &run; \
           once != NULL; once = NULL)

// Makes the patch of output |o|.
static void gather(const job_t *job, const float *image, const int64_t *o,
                   float *row) {
  const berth_soft_conv_t *conv = job->conv;
  int64_t depth = job->depth, taps = conv->w.dims[4];
  int64_t channel = conv->x.steps[1];
  int64_t tap = conv->x.steps[4] * conv->dilations[2];
  EACH_RUN(job, o, run, row) {
    const float *from = image + run.from;
    memset(row, 0, (size_t)(run.begin * depth) * sizeof(*row));
    memset(row + run.end * depth, 0,
           (size_t)((taps - run.end) * depth) * sizeof(*row));
    if (job->is_dense) {
      memcpy(row + run.begin * depth, from + run.begin * depth,
             (size_t)((run.end - run.begin) * depth) * sizeof(*row));
      continue;
    }
    for (int64_t t = run.begin; t < run.end; ++t) {
      for (int64_t c = 0; c < depth; ++c) {
        row[t * depth + c] = from[t * tap + c * channel];
      }
    }
  }
}

// Adds |row| to where the patch of output |o| is.
static void scatter(const job_t *job, float *image, const int64_t *o,
                    const float *row) {
  const berth_soft_conv_t *conv = job->conv;
  int64_t depth = job->depth, channel = conv->x.steps[1];
  int64_t tap = conv->x.steps[4] * conv->dilations[2];
  EACH_RUN(job, o, run, row) {
    float *to = image + run.from;
    if (job->is_dense) {
      for (int64_t i = run.begin * depth; i < run.end * depth; ++i) {
        to[i] += row[i];
      }
      continue;
    }
    for (int64_t t = run.begin; t < run.end; ++t) {
      for (int64_t c = 0; c < depth; ++c) {
        to[t * tap + c * channel] += row[t * depth + c];
      }
    }
  }
}

// ---- The filter as a matrix ----

// Where element (|i|, |k|) of the matrix of |group| is in the filter.
static int64_t find_tap(const job_t *job, int64_t group, int64_t i, int64_t k) {
  const berth_soft_grid_t *w = &job->conv->w;
  int64_t at[AXES];
  return find_place(w, i / job->depth, at) + i % job->depth * w->steps[1] +
         (group * job->outs + k) * w->steps[0];
}

static int64_t matrix_size(const job_t *job) { return job->width * job->outs; }

// Copies the filter to its matrices, or matrices to the filter.
static void move_filter(const job_t *job, float *matrices, bool is_back) {
  float *w = job->numbers[W];
  for (int64_t g = 0; g < job->conv->groups; ++g) {
    float *matrix = matrices + g * matrix_size(job);
    for (int64_t i = 0; i < job->width; ++i) {
      int64_t first = find_tap(job, g, i, 0), step = job->conv->w.steps[0];
      for (int64_t k = 0; k < job->outs; ++k, ++matrix) {
        if (is_back) {
          w[first + k * step] = *matrix;
        } else {
          *matrix = w[first + k * step];
        }
      }
    }
  }
}

// ---- A band of outputs ----

// Rows [first, first + rows) of a group of an image.
typedef struct band {
  int64_t image, group, first, rows;
  float *patches;  // rows x width.
  float *values;   // rows x outs: of y.
} band_t;

static float *image_of(const job_t *job, const band_t *band) {
  const berth_soft_grid_t *x = &job->conv->x;
  return job->numbers[X] + band->image * x->steps[0] +
         band->group * job->depth * x->steps[1];
}

static void gather_band(const job_t *job, const band_t *band) {
  int64_t at[AXES];
  for (int64_t r = 0; r < band->rows; ++r) {
    (void)find_place(&job->conv->y, band->first + r, at);
    gather(job, image_of(job, band), at, band->patches + r * job->width);
  }
}

static void scatter_band(const job_t *job, const band_t *band) {
  int64_t at[AXES];
  for (int64_t r = 0; r < band->rows; ++r) {
    (void)find_place(&job->conv->y, band->first + r, at);
    scatter(job, image_of(job, band), at, band->patches + r * job->width);
  }
}

static int64_t output_at(const job_t *job, const band_t *band, int64_t row) {
  const berth_soft_grid_t *y = &job->conv->y;
  int64_t at[AXES];
  return band->image * y->steps[0] + band->group * job->outs * y->steps[1] +
         find_place(y, band->first + row, at);
}

static void read_outputs(const job_t *job, const band_t *band) {
  float *to = band->values;
  int64_t step = job->conv->y.steps[1];
  for (int64_t r = 0; r < band->rows; ++r) {
    const float *from = job->numbers[Y] + output_at(job, band, r);
    for (int64_t k = 0; k < job->outs; ++k) *to++ = from[k * step];
  }
}

// What becomes of |value|, at |to| in channel |channel|.
static float finish(const berth_soft_conv_t *conv, float value, int64_t to,
                    int64_t channel) {
  if (conv->bias == NULL) return value;
  if (conv->added != NULL) value += conv->added[to];
  value += conv->bias[channel];
  if (conv->is_relu && !(value > 0)) {
    value = conv->is_nan && value != value ? value : 0;
  }
  return value;
}

static void write_outputs(const job_t *job, const band_t *band) {
  const float *from = band->values;
  int64_t step = job->conv->y.steps[1];
  for (int64_t r = 0; r < band->rows; ++r) {
    int64_t to = output_at(job, band, r);
    for (int64_t k = 0; k < job->outs; ++k, to += step) {
      job->numbers[Y][to] =
          finish(job->conv, *from++, to, band->group * job->outs + k);
    }
  }
}

static bool run_band(job_t *job, const band_t *band, float *sums) {
  int64_t width = job->width, outs = job->outs, rows = band->rows;
  const float *filter = job->filter + band->group * matrix_size(job);
  float *sum = sums + band->group * matrix_size(job);
  berth_soft_product_t product;
  switch (job->conv->goal) {
    case BERTH_SOFT_CONV_OUTPUT:
      gather_band(job, band);
      product = (berth_soft_product_t){
          rows,   outs, width, band->patches, width, 1,
          filter, outs, 1,     band->values,  outs,  false};
      if (!berth_soft_product_run(&product)) return false;
      write_outputs(job, band);
      return true;
    case BERTH_SOFT_CONV_IMAGE:
      read_outputs(job, band);
      product = (berth_soft_product_t){
          rows,   width, outs, band->values,  outs,  1,
          filter, 1,     outs, band->patches, width, false};
      if (!berth_soft_product_run(&product)) return false;
      scatter_band(job, band);
      return true;
    case BERTH_SOFT_CONV_FILTER:
      gather_band(job, band);
      read_outputs(job, band);
      product = (berth_soft_product_t){
          width,        outs, rows, band->patches, 1,    width,
          band->values, outs, 1,    sum,           outs, true};
      return berth_soft_product_run(&product);
  }
  return false;
}

// ---- All of it ----

// Does image |image|; |sums| is where gradients of the filter go.
static bool run_image(job_t *job, int64_t image, float *sums) {
  size_t row = (size_t)(job->width + job->outs);
  float *memory = berth_alloc(BAND * row * sizeof(*memory));
  bool is_done = memory != NULL;
  for (int64_t g = 0; g < job->conv->groups; ++g) {
    for (int64_t i = 0; i < job->places && is_done; i += BAND) {
      int64_t rows = job->places - i < BAND ? job->places - i : BAND;
      band_t band = {image, g, i, rows, memory, memory + BAND * job->width};
      is_done = run_band(job, &band, sums);
    }
  }
  berth_free(memory);
  return is_done;
}

static void run_images(void *arg, int64_t begin, int64_t end) {
  job_t *job = arg;
  for (int64_t i = begin; i < end; ++i) {
    if (!run_image(job, i, job->sums)) atomic_store(&job->is_short, true);
  }
}

static void run_parts(void *arg, int64_t begin, int64_t end) {
  job_t *job = arg;
  int64_t images = job->conv->x.dims[0];
  for (int64_t part = begin; part < end; ++part) {
    float *sums = job->sums + part * job->conv->groups * matrix_size(job);
    for (int64_t i = images * part / PARTS; i < images * (part + 1) / PARTS;
         ++i) {
      if (!run_image(job, i, sums)) atomic_store(&job->is_short, true);
    }
  }
}

static void add_parts(const job_t *job) {
  int64_t count = job->conv->groups * matrix_size(job);
  for (int part = 1; part < PARTS; ++part) {
    const float *from = job->sums + part * count;
    for (int64_t i = 0; i < count; ++i) job->sums[i] += from[i];
  }
}

// The workers of a wide loop would put streams in an order among themselves,
// which the thread sanitizer must not believe in.
static void go_wide(job_t *job, int64_t count, berth_parallel_fn fn) {
  if (BERTH_TSAN) {
    fn(job, 0, count);
  } else {
    berth_parallel_for_all(count, 1, fn, job);
  }
}

static void run_job(job_t *job) {
  const berth_soft_conv_t *conv = job->conv;
  if (conv->goal == BERTH_SOFT_CONV_FILTER) {
    go_wide(job, PARTS, run_parts);
    add_parts(job);
    move_filter(job, job->sums, true);
    put_back(job, W, &conv->w);
    return;
  }
  move_filter(job, job->filter, false);
  if (conv->goal == BERTH_SOFT_CONV_IMAGE) {
    memset(job->numbers[X], 0,
           (size_t)berth_soft_grid_count(&conv->x) * sizeof(float));
  }
  go_wide(job, conv->x.dims[0], run_images);
  bool is_image = conv->goal == BERTH_SOFT_CONV_IMAGE;
  put_back(job, is_image ? X : Y, is_image ? &conv->x : &conv->y);
}

static bool open_job(job_t *job) {
  const berth_soft_conv_t *conv = job->conv;
  berth_soft_conv_goal_t goal = conv->goal;
  size_t count = (size_t)(conv->groups * matrix_size(job));
  bool is_filter = goal == BERTH_SOFT_CONV_FILTER;
  job->filter = berth_calloc(is_filter ? 1 : count, sizeof(float));
  job->sums = berth_calloc(is_filter ? PARTS * count : count, sizeof(float));
  return job->filter != NULL && job->sums != NULL &&
         take(job, X, &conv->x, goal != BERTH_SOFT_CONV_IMAGE) &&
         take(job, W, &conv->w, !is_filter) &&
         take(job, Y, &conv->y, goal != BERTH_SOFT_CONV_OUTPUT);
}

static void close_job(job_t *job) {
  for (int i = 0; i < 3; ++i) {
    if (job->is_owned[i]) berth_free(job->numbers[i]);
  }
  berth_free(job->filter);
  berth_free(job->sums);
}

bool berth_soft_conv_run(const berth_soft_conv_t *conv) {
  if (conv->workspace_size > 0) {
    memset(conv->workspace, 0xff, conv->workspace_size);
  }
  int64_t depth = conv->w.dims[1];
  job_t job = {
      .conv = conv,
      .depth = depth,
      .outs = conv->w.dims[0] / conv->groups,
      .width = conv->w.dims[2] * conv->w.dims[3] * conv->w.dims[4] * depth,
      .places = conv->y.dims[2] * conv->y.dims[3] * conv->y.dims[4],
      .is_dense = conv->x.steps[1] == 1 &&
                  conv->x.steps[4] * conv->dilations[2] == depth,
  };
  bool is_done = open_job(&job);
  if (is_done) run_job(&job);
  close_job(&job);
  return is_done && !atomic_load(&job.is_short);
}
