// kernels.c - The kernels to measure, their inputs and a few of their results.
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MEGA (1024 * 1024)
#define COUNT (16 * MEGA)
#define BYTES(count) ((double)(count)*1e-9)
#define FLOPS(n) (2.0 * (n) * (n) * (n)*1e-9)

static double input(const kernel_set_t *set, int index, int64_t at) {
  return (double)((const float *)set->data[index])[at];
}

static double expect_matmul(const kernel_t *kernel, const kernel_set_t *set,
                            int64_t at) {
  int64_t n = kernel->inputs[0].dims[1], row = at / n, column = at % n;
  double sum = 0;
  for (int64_t k = 0; k < n; ++k) {
    sum += input(set, 0, row * n + k) * input(set, 1, k * n + column);
  }
  return sum;
}

static double expect_add(const kernel_t *kernel, const kernel_set_t *set,
                         int64_t at) {
  int64_t second = at % kernel_shape_count(&kernel->inputs[1]);
  return input(set, 0, at) + input(set, 1, second);
}

static double expect_exp(const kernel_t *kernel, const kernel_set_t *set,
                         int64_t at) {
  (void)kernel;
  return exp(input(set, 0, at));
}

static double expect_tanh(const kernel_t *kernel, const kernel_set_t *set,
                          int64_t at) {
  (void)kernel;
  return tanh(input(set, 0, at));
}

static double expect_cast(const kernel_t *kernel, const kernel_set_t *set,
                          int64_t at) {
  double value = input(set, 0, at);
  return kernel->result_type == KERNEL_INT32 ? trunc(value) : value;
}

static double expect_sum(const kernel_t *kernel, const kernel_set_t *set,
                         int64_t at) {
  (void)at;
  double sum = 0;
  int64_t count = kernel_shape_count(&kernel->inputs[0]);
  for (int64_t i = 0; i < count; ++i) sum += input(set, 0, i);
  return sum;
}

static double expect_sum_of_row(const kernel_t *kernel, const kernel_set_t *set,
                                int64_t at) {
  int64_t width = kernel->inputs[0].dims[1];
  double sum = 0;
  for (int64_t i = 0; i < width; ++i) sum += input(set, 0, at * width + i);
  return sum;
}

static double expect_sum_of_column(const kernel_t *kernel,
                                   const kernel_set_t *set, int64_t at) {
  int64_t height = kernel->inputs[0].dims[0], width = kernel->inputs[0].dims[1];
  double sum = 0;
  for (int64_t i = 0; i < height; ++i) sum += input(set, 0, i * width + at);
  return sum;
}

static double expect_transpose(const kernel_t *kernel, const kernel_set_t *set,
                               int64_t at) {
  int64_t n = kernel->inputs[0].dims[0];
  return input(set, 0, at % n * n + at / n);
}

static double expect_concat(const kernel_t *kernel, const kernel_set_t *set,
                            int64_t at) {
  int64_t width = kernel->inputs[0].dims[1];
  int64_t row = at / (2 * width), column = at % (2 * width);
  return input(set, (int)(column / width), row * width + column % width);
}

static double expect_gather(const kernel_t *kernel, const kernel_set_t *set,
                            int64_t at) {
  int64_t width = kernel->inputs[0].dims[1];
  int64_t row = ((const int32_t *)set->data[1])[at / width];
  return input(set, 0, row * width + at % width);
}

static double expect_softmax(const kernel_t *kernel, const kernel_set_t *set,
                             int64_t at) {
  int64_t width = kernel->inputs[0].dims[1], row = at / width;
  double sum = 0;
  for (int64_t i = 0; i < width; ++i)
    sum += exp(input(set, 0, row * width + i));
  return exp(input(set, 0, at)) / sum;
}

static double expect_cross_entropy(const kernel_t *kernel,
                                   const kernel_set_t *set, int64_t at) {
  int64_t width = kernel->inputs[0].dims[1];
  double sum = 0, loss = 0;
  for (int64_t i = at * width; i < (at + 1) * width; ++i)
    sum += exp(input(set, 0, i));
  for (int64_t i = at * width; i < (at + 1) * width; ++i)
    loss += input(set, 1, i) * (log(sum) - input(set, 0, i));
  return loss;
}

const int64_t kernel_window[4] = {1, 3, 3, 1}, kernel_steps[4] = {1, 2, 2, 1};

// Padding of an even size is behind the image alone.
static double expect_max_pool(const kernel_t *kernel, const kernel_set_t *set,
                              int64_t at) {
  int64_t channels = kernel->inputs[0].dims[3], c = at % channels;
  int64_t size = kernel->inputs[0].dims[1], half = size / 2;
  int64_t x = at / channels % half, y = at / channels / half % half;
  int64_t image = at / channels / half / half;
  double best = -INFINITY;
  for (int64_t i = 2 * y; i < 2 * y + 3 && i < size; ++i) {
    for (int64_t j = 2 * x; j < 2 * x + 3 && j < size; ++j) {
      int64_t from = ((image * size + i) * size + j) * channels + c;
      best = fmax(best, input(set, 0, from));
    }
  }
  return best;
}

// With what is said when nothing is: five to either side, a root.
static double expect_lrn(const kernel_t *kernel, const kernel_set_t *set,
                         int64_t at) {
  int64_t channels = kernel->inputs[0].dims[3], c = at % channels;
  double sum = 1;
  for (int64_t k = c - 5; k <= c + 5; ++k) {
    if (k < 0 || k >= channels) continue;
    double x = input(set, 0, at - c + k);
    sum += x * x;
  }
  return input(set, 0, at) / sqrt(sum);
}

// To twice the size: every second pixel is there, others are means.
static double expect_resize(const kernel_t *kernel, const kernel_set_t *set,
                            int64_t at) {
  int64_t size = kernel->inputs[0].dims[1], wide = 2 * size;
  int64_t c = at % 3, x = at / 3 % wide, y = at / 3 / wide % wide;
  int64_t image = at / 3 / wide / wide;
  double sum = 0;
  for (int k = 0; k < 4; ++k) {
    int64_t i = y / 2 + (k / 2 == 1 && y % 2 == 1 ? 1 : 0);
    int64_t j = x / 2 + (k % 2 == 1 && x % 2 == 1 ? 1 : 0);
    if (i >= size) i = size - 1;
    if (j >= size) j = size - 1;
    sum += input(set, 0, ((image * size + i) * size + j) * 3 + c);
  }
  return sum / 4;
}

// clang-format off
#define MATMUL(n)                                                         \
  {.name = "kernel_matmul_" #n, .op = "MatMul", .unit = "GFLOP/s",         \
   .work = FLOPS(n), .inputs = {{2, {n, n}}, {2, {n, n}}},                 \
   .setting_rank = -1, .result_type = KERNEL_FLOAT,                        \
   .result_count = (n) * (n), .scale = 1, .expect = expect_matmul}
#define UNARY(label, type, bytes, result, range, function)                 \
  {.name = label, .op = type, .unit = "GB/s",                              \
   .work = BYTES((bytes) * (int64_t)COUNT), .inputs = {{1, {COUNT}}},      \
   .setting_rank = -1, .result_type = result, .result_count = COUNT,       \
   .scale = range, .expect = function}
#define SUM(label, shape, axis, count, function)                           \
  {.name = label, .op = "Sum", .unit = "GB/s",                             \
   .work = BYTES(4 * (int64_t)COUNT), .inputs = {shape},                   \
   .setting_rank = 1, .setting_count = 1, .setting = {axis}, .result_type = KERNEL_FLOAT,      \
   .result_count = count, .scale = 1, .expect = function}
#define VECTOR {1, {COUNT}}
#define SQUARE {2, {4096, 4096}}

static const kernel_t kernels[] = {
    MATMUL(256),
    MATMUL(1024),
    MATMUL(2048),
    {.name = "kernel_add_16m", .op = "AddV2", .unit = "GB/s",
     .work = BYTES(12 * (int64_t)COUNT), .inputs = {VECTOR, VECTOR},
     .setting_rank = -1, .result_type = KERNEL_FLOAT, .result_count = COUNT,
     .scale = 1, .expect = expect_add},
    {.name = "kernel_add_4k", .op = "AddV2", .unit = "us", .work = 1,
     .inputs = {{1, {4096}}, {1, {4096}}}, .setting_rank = -1,
     .result_type = KERNEL_FLOAT, .result_count = 4096,
     .scale = 1, .expect = expect_add},
    UNARY("kernel_exp_16m", "Exp", 8, KERNEL_FLOAT, 1, expect_exp),
    UNARY("kernel_tanh_16m", "Tanh", 8, KERNEL_FLOAT, 1, expect_tanh),
    UNARY("kernel_cast_f32_i32_16m", "Cast", 8, KERNEL_INT32, 1000,
          expect_cast),
    UNARY("kernel_cast_f32_bf16_16m", "Cast", 6, KERNEL_BFLOAT16, 1,
          expect_cast),
    SUM("kernel_reduce_sum_16m", VECTOR, 0, 1, expect_sum),
    SUM("kernel_reduce_sum_rows_4096", SQUARE, 1, 4096, expect_sum_of_row),
    SUM("kernel_reduce_sum_cols_4096", SQUARE, 0, 4096, expect_sum_of_column),
    {.name = "kernel_transpose_4096", .op = "Transpose", .unit = "GB/s",
     .work = BYTES(8 * (int64_t)COUNT), .inputs = {SQUARE},
     .setting_rank = 1, .setting_count = 2, .setting = {1, 0},
     .result_type = KERNEL_FLOAT, .result_count = COUNT, .scale = 1,
     .expect = expect_transpose},
    {.name = "kernel_concat_4096x2048", .op = "ConcatV2", .unit = "GB/s",
     .work = BYTES(8 * (int64_t)COUNT),
     .inputs = {{2, {4096, 2048}}, {2, {4096, 2048}}}, .is_list = true,
     .setting_rank = 0, .setting_count = 1, .setting = {1},
     .result_type = KERNEL_FLOAT, .result_count = COUNT, .scale = 1,
     .expect = expect_concat},
    {.name = "kernel_gather_65536x256", .op = "GatherV2", .unit = "GB/s",
     .work = BYTES(8 * (int64_t)COUNT),
     .inputs = {{2, {65536, 256}}, {1, {65536}}}, .has_index = true,
     .setting_rank = 0, .setting_count = 1, .setting = {0},
     .result_type = KERNEL_FLOAT, .result_count = COUNT, .scale = 1,
     .expect = expect_gather},
    {.name = "kernel_softmax_1024x1000", .op = "Softmax", .unit = "GB/s",
     .work = BYTES(8 * 1024000), .inputs = {{2, {1024, 1000}}},
     .setting_rank = -1, .result_type = KERNEL_FLOAT,
     .result_count = 1024000, .scale = 1, .expect = expect_softmax},
    {.name = "kernel_cross_entropy_128x10", .unit = "GB/s",
     .op = "SoftmaxCrossEntropyWithLogits", .work = BYTES(12 * 1280),
     .inputs = {{2, {128, 10}}, {2, {128, 10}}}, .setting_rank = -1,
     .result_type = KERNEL_FLOAT, .result_count = 128, .scale = 1,
     .expect = expect_cross_entropy},
    {.name = "kernel_cross_entropy_128x50000", .unit = "GB/s",
     .op = "SoftmaxCrossEntropyWithLogits", .work = BYTES(12 * 6400000),
     .inputs = {{2, {128, 50000}}, {2, {128, 50000}}}, .setting_rank = -1,
     .result_type = KERNEL_FLOAT, .result_count = 128, .scale = 1,
     .expect = expect_cross_entropy},
    {.name = "kernel_bias_add_128x24x24x64", .op = "BiasAdd", .unit = "GB/s",
     .work = BYTES(8 * 4718592),
     .inputs = {{4, {128, 24, 24, 64}}, {1, {64}}},
     .setting_rank = -1, .result_type = KERNEL_FLOAT,
     .result_count = 4718592, .scale = 1, .expect = expect_add},
    {.name = "kernel_max_pool_128x24x24x64", .op = "MaxPool", .unit = "GB/s",
     .work = BYTES(5 * 4718592), .inputs = {{4, {128, 24, 24, 64}}},
     .has_windows = true, .setting_rank = -1, .result_type = KERNEL_FLOAT,
     .result_count = 1179648, .scale = 1, .expect = expect_max_pool},
    {.name = "kernel_lrn_128x24x24x64", .op = "LRN", .unit = "GB/s",
     .work = BYTES(8 * 4718592), .inputs = {{4, {128, 24, 24, 64}}},
     .setting_rank = -1, .result_type = KERNEL_FLOAT,
     .result_count = 4718592, .scale = 1, .expect = expect_lrn},
    {.name = "kernel_resize_bilinear_8x224x224x3", .op = "ResizeBilinear",
     .unit = "GB/s", .work = BYTES(5 * 4 * 1204224),
     .inputs = {{4, {8, 224, 224, 3}}},
     .setting_rank = 1, .setting_count = 2, .setting = {448, 448},
     .result_type = KERNEL_FLOAT, .result_count = 4816896, .scale = 1,
     .expect = expect_resize},
};
// clang-format on

const kernel_t *kernel_list(int *out_count) {
  *out_count = (int)(sizeof(kernels) / sizeof(kernels[0]));
  return kernels;
}

int64_t kernel_shape_count(const kernel_shape_t *shape) {
  int64_t count = 1;
  for (int i = 0; i < shape->rank; ++i) count *= shape->dims[i];
  return count;
}

int kernel_input_type(const kernel_t *kernel, int index) {
  return kernel->has_index && index == 1 ? KERNEL_INT32 : KERNEL_FLOAT;
}

// Returns 16 bits that look random; every side makes the same ones.
static uint32_t scramble(uint32_t seed, int64_t at) {
  return ((uint32_t)at * 2654435761u + seed * 40503u) >> 16;
}

void kernel_fill(const kernel_t *kernel, int set, int index, void *data) {
  uint32_t seed = (uint32_t)(set * KERNEL_INPUTS + index + 1);
  int64_t count = kernel_shape_count(&kernel->inputs[index]);
  if (kernel_input_type(kernel, index) == KERNEL_INT32) {
    int32_t *rows = data;
    for (int64_t i = 0; i < count; ++i) rows[i] = (int32_t)scramble(seed, i);
    return;
  }
  float *values = data, step = kernel->scale / 65536;
  for (int64_t i = 0; i < count; ++i) {
    values[i] = (float)scramble(seed, i) * step;
  }
}

void kernel_answer(const kernel_t *kernel, const kernel_set_t *sets,
                   kernel_answers_t *out_answers) {
  for (int i = 0; i < KERNEL_SAMPLES; ++i) {
    // 7919 is a prime, so that samples fall into all rows and columns.
    int64_t at = (kernel->result_count * i / KERNEL_SAMPLES + 7919 * i) %
                 kernel->result_count;
    out_answers->at[i] = at;
    for (int set = 0; set < KERNEL_SETS; ++set) {
      out_answers->value[set][i] = kernel->expect(kernel, &sets[set], at);
    }
  }
}

static double element(const kernel_t *kernel, const void *result, int64_t at) {
  if (kernel->result_type == KERNEL_INT32) {
    return ((const int32_t *)result)[at];
  }
  if (kernel->result_type == KERNEL_FLOAT) {
    return (double)((const float *)result)[at];
  }
  uint32_t bits = (uint32_t)((const uint16_t *)result)[at] << 16;
  float value;
  memcpy(&value, &bits, sizeof(value));
  return (double)value;
}

bool kernel_check(const kernel_t *kernel, const kernel_answers_t *answers,
                  long turn, const void *result) {
  int sample = (int)(turn / KERNEL_SETS % KERNEL_SAMPLES);
  double expected = answers->value[turn % KERNEL_SETS][sample];
  double found = element(kernel, result, answers->at[sample]);
  // Half a unit in the last place of a bfloat16, or what a sum of millions of
  // floats may lose.
  double tolerance = kernel->result_type == KERNEL_BFLOAT16 ? 4e-3 : 2e-4;
  if (fabs(found - expected) <= tolerance * fabs(expected)) return true;
  fprintf(stderr, "%s: element %lld is %.9g, not %.9g\n", kernel->name,
          (long long)answers->at[sample], found, expected);
  return false;
}
