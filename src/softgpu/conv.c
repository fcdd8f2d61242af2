// conv.c - A convolution as cuDNN describes it, on the host.
#include "softgpu/conv.h"

#include <string.h>

#include "base/alloc.h"
#include "softgpu/number.h"

enum { AXES = BERTH_SOFT_DNN_AXES, RANK = BERTH_SOFT_DNN_RANK };

size_t berth_soft_conv_size(cudnnDataType_t type) {
  return type == CUDNN_DATA_FLOAT ? 4 : 2;
}

int64_t berth_soft_grid_count(const berth_soft_grid_t *grid) {
  int64_t count = 1;
  for (int i = 0; i < RANK; ++i) count *= grid->dims[i];
  return count;
}

// ---- Numbers ----

// Returns the elements of |grid| as floats in memory order, or NULL.
static float *read_grid(const berth_soft_conv_t *conv,
                        const berth_soft_grid_t *grid) {
  int64_t count = berth_soft_grid_count(grid);
  float *values = berth_alloc((size_t)count * sizeof(*values));
  const uint16_t *halves = grid->data;
  for (int64_t i = 0; values != NULL && i < count; ++i) {
    if (conv->type == CUDNN_DATA_FLOAT) {
      float value = ((const float *)grid->data)[i];
      values[i] = conv->is_tf32 ? berth_soft_to_tf32(value) : value;
    } else {
      values[i] = conv->type == CUDNN_DATA_HALF
                      ? berth_soft_from_half(halves[i])
                      : berth_soft_from_bf16(halves[i]);
    }
  }
  return values;
}

static void store(const berth_soft_conv_t *conv, const berth_soft_grid_t *grid,
                  int64_t at, double sum) {
  if (conv->type == CUDNN_DATA_FLOAT) {
    ((float *)grid->data)[at] = (float)sum;
  } else {
    ((uint16_t *)grid->data)[at] = conv->type == CUDNN_DATA_HALF
                                       ? berth_soft_to_half((float)sum)
                                       : berth_soft_to_bf16((float)sum);
  }
}

// ---- Places ----

// Sets |at| to the indices of element |index| of |grid|, the last fastest, and
// returns where it lies.
static int64_t find_at(const berth_soft_grid_t *grid, int64_t index,
                       int64_t *at) {
  int64_t offset = 0;
  for (int i = RANK; i-- > 0;) {
    at[i] = index % grid->dims[i];
    index /= grid->dims[i];
    offset += at[i] * grid->steps[i];
  }
  return offset;
}

// Adds to |*offset| where the image is met by output |o| through taps |t|;
// false: outside.
static bool meet_image(const berth_soft_conv_t *conv, const int64_t *o,
                       const int64_t *t, int64_t *offset) {
  for (int i = 0; i < AXES; ++i) {
    int64_t place =
        o[i] * conv->strides[i] - conv->pads[i] + t[i] * conv->dilations[i];
    if (place < 0 || place >= conv->x.dims[i + 2]) return false;
    *offset += place * conv->x.steps[i + 2];
  }
  return true;
}

// The other direction: which output place |place| of the image meets.
static bool meet_output(const berth_soft_conv_t *conv, const int64_t *place,
                        const int64_t *t, int64_t *offset) {
  for (int i = 0; i < AXES; ++i) {
    int64_t from = place[i] + conv->pads[i] - t[i] * conv->dilations[i];
    if (from < 0 || from % conv->strides[i] != 0 ||
        from / conv->strides[i] >= conv->y.dims[i + 2]) {
      return false;
    }
    *offset += from / conv->strides[i] * conv->y.steps[i + 2];
  }
  return true;
}

// Runs the statement behind it for each triple |t| below |dims|.
#define EACH(t, dims)                                         \
  for (int64_t t[AXES] = {0, 0, 0}; t[0] < (dims)[0]; ++t[0]) \
    for (t[1] = 0; t[1] < (dims)[1]; ++t[1])                  \
      for (t[2] = 0; t[2] < (dims)[2]; ++t[2])

static int64_t tap_at(const berth_soft_conv_t *conv, const int64_t *t) {
  return t[0] * conv->w.steps[2] + t[1] * conv->w.steps[3] +
         t[2] * conv->w.steps[4];
}

// ---- Sums ----

// Element |at| of y; |x| and |w| are the numbers.
static double sum_output(const berth_soft_conv_t *conv, const int64_t *at,
                         const float *x, const float *w) {
  int64_t depth = conv->w.dims[1];
  int64_t group = at[1] / (conv->w.dims[0] / conv->groups);
  double sum = 0;
  EACH(t, conv->w.dims + 2) {
    int64_t from = at[0] * conv->x.steps[0] + group * depth * conv->x.steps[1];
    if (!meet_image(conv, at + 2, t, &from)) continue;
    int64_t by = at[1] * conv->w.steps[0] + tap_at(conv, t);
    for (int64_t c = 0; c < depth; ++c) {
      sum += (double)x[from + c * conv->x.steps[1]] *
             (double)w[by + c * conv->w.steps[1]];
    }
  }
  return sum;
}

// Element |at| of x.
static double sum_image(const berth_soft_conv_t *conv, const int64_t *at,
                        const float *y, const float *w) {
  int64_t depth = conv->w.dims[1], outs = conv->w.dims[0] / conv->groups;
  int64_t group = at[1] / depth;
  double sum = 0;
  EACH(t, conv->w.dims + 2) {
    int64_t from = at[0] * conv->y.steps[0] + group * outs * conv->y.steps[1];
    if (!meet_output(conv, at + 2, t, &from)) continue;
    int64_t by = group * outs * conv->w.steps[0] +
                 at[1] % depth * conv->w.steps[1] + tap_at(conv, t);
    for (int64_t k = 0; k < outs; ++k) {
      sum += (double)y[from + k * conv->y.steps[1]] *
             (double)w[by + k * conv->w.steps[0]];
    }
  }
  return sum;
}

// Element |at| of w.
static double sum_filter(const berth_soft_conv_t *conv, const int64_t *at,
                         const float *x, const float *y) {
  int64_t group = at[0] / (conv->w.dims[0] / conv->groups);
  int64_t channel = group * conv->w.dims[1] + at[1];
  double sum = 0;
  for (int64_t n = 0; n < conv->x.dims[0]; ++n) {
    EACH(o, conv->y.dims + 2) {
      int64_t from = n * conv->x.steps[0] + channel * conv->x.steps[1];
      if (!meet_image(conv, o, at + 2, &from)) continue;
      int64_t by = n * conv->y.steps[0] + at[0] * conv->y.steps[1] +
                   o[0] * conv->y.steps[2] + o[1] * conv->y.steps[3] +
                   o[2] * conv->y.steps[4];
      sum += (double)x[from] * (double)y[by];
    }
  }
  return sum;
}

static const berth_soft_grid_t *written(const berth_soft_conv_t *conv) {
  if (conv->goal == BERTH_SOFT_CONV_OUTPUT) return &conv->y;
  return conv->goal == BERTH_SOFT_CONV_IMAGE ? &conv->x : &conv->w;
}

// What becomes of |sum|, at |to| in channel |channel|.
static double finish(const berth_soft_conv_t *conv, double sum, int64_t to,
                     int64_t channel) {
  if (conv->bias == NULL) return sum;
  float value = (float)sum;
  if (conv->added != NULL) value += conv->added[to];
  value += conv->bias[channel];
  if (conv->is_relu && !(value > 0)) {
    value = conv->is_nan && value != value ? value : 0;
  }
  return (double)value;
}

static void fill(const berth_soft_conv_t *conv, const float *first,
                 const float *second) {
  static double (*const sums[])(const berth_soft_conv_t *, const int64_t *,
                                const float *, const float *) = {
      [BERTH_SOFT_CONV_OUTPUT] = sum_output,
      [BERTH_SOFT_CONV_IMAGE] = sum_image,
      [BERTH_SOFT_CONV_FILTER] = sum_filter,
  };
  const berth_soft_grid_t *goal = written(conv);
  int64_t count = berth_soft_grid_count(goal), at[RANK];
  for (int64_t i = 0; i < count; ++i) {
    int64_t to = find_at(goal, i, at);
    double sum = sums[conv->goal](conv, at, first, second);
    store(conv, goal, to, finish(conv, sum, to, at[1]));
  }
}

bool berth_soft_conv_run(const berth_soft_conv_t *conv) {
  if (conv->workspace_size > 0) {
    memset(conv->workspace, 0xff, conv->workspace_size);
  }
  bool is_image = conv->goal == BERTH_SOFT_CONV_IMAGE;
  bool is_filter = conv->goal == BERTH_SOFT_CONV_FILTER;
  float *first = read_grid(conv, is_image ? &conv->y : &conv->x);
  float *second = read_grid(conv, is_filter ? &conv->y : &conv->w);
  bool is_done = first != NULL && second != NULL;
  if (is_done) fill(conv, first, second);
  berth_free(first);
  berth_free(second);
  return is_done;
}
