// byte_product.c - Kernels of products of bytes that stand for fractions:
// QuantizedMatMul, QuantizedConv2D.
//
// The number that stands for 0 is taken off both sides first; then all is exact
// in 32 bits. A row of the output is made at a time: one number of the left
// side, as often as there is one, times a row of the right one.
#include <string.h>

#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/ops/whole.h"
#include "op/whole.h"

enum { GRAIN = 1 << 16 };  // Products that are worth a thread.

typedef struct plan {
  berth_whole_product_t product;
  berth_conv_t conv;
  bool is_conv;
  int64_t rows;  // Of the output,
  int64_t work;  // and products for each.
} plan_t;

typedef struct work {
  const plan_t *plan;
  const uint8_t *left;
  const int16_t *right;  // Rows of |columns|, less what stands for 0.
  int32_t zero;          // What stands for 0 on the left.
  int32_t *out;
} work_t;

// Adds |factor| times a row of |n| to |out|.
static void add_row(int32_t factor, const int16_t *row, int32_t *out,
                    int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] += factor * row[i];
}

static void product_row(const work_t *work, int64_t row) {
  const berth_whole_product_t *p = &work->plan->product;
  int32_t *out = work->out + row * p->columns;
  memset(out, 0, (size_t)p->columns * sizeof(*out));
  for (int64_t k = 0; k < p->depth; ++k) {
    int32_t x = work->left[row * p->left[0] + k * p->left[1]] - work->zero;
    if (x != 0) add_row(x, work->right + k * p->columns, out, p->columns);
  }
}

// A row is one place of the output, with all its channels.
static void conv_row(const work_t *work, int64_t row) {
  const berth_window_t *window = &work->plan->conv.window;
  const berth_window_axis_t *h = &window->axes[1], *w = &window->axes[2];
  int64_t depth = window->channels, columns = window->out_channels;
  int64_t x = row % w->out, y = row / w->out % h->out;
  int64_t image = row / (w->out * h->out) * h->in;
  int64_t first[2], last[2];
  int32_t *out = work->out + row * columns;
  memset(out, 0, (size_t)columns * sizeof(*out));
  berth_window_taps(h, y, &first[0], &last[0]);
  berth_window_taps(w, x, &first[1], &last[1]);
  for (int64_t i = first[0]; i < last[0]; ++i) {
    int64_t line = image + y * h->stride - h->before + i * h->dilation;
    for (int64_t j = first[1]; j < last[1]; ++j) {
      int64_t at = line * w->in + x * w->stride - w->before + j * w->dilation;
      const uint8_t *from = work->left + at * depth;
      const int16_t *filter =
          work->right + (i * w->window + j) * depth * columns;
      for (int64_t c = 0; c < depth; ++c) {
        add_row(from[c] - work->zero, filter + c * columns, out, columns);
      }
    }
  }
}

static void rows_piece(void *arg, int64_t begin, int64_t end) {
  const work_t *work = arg;
  for (int64_t row = begin; row < end; ++row) {
    if (work->plan->is_conv) {
      conv_row(work, row);
    } else {
      product_row(work, row);
    }
  }
}

// Brings the right side in order.
static void settle_right(const plan_t *plan, const uint8_t *right, int32_t zero,
                         int16_t *out) {
  const berth_whole_product_t *p = &plan->product;
  for (int64_t k = 0; k < p->depth; ++k) {
    for (int64_t j = 0; j < p->columns; ++j) {
      *out++ = (int16_t)(right[k * p->right[0] + j * p->right[1]] - zero);
    }
  }
}

static berth_code_t run(const void *arg, void *const *args,
                        berth_call_t *call) {
  const plan_t *plan = arg;
  float r[4];
  for (int i = 0; i < 4; ++i) r[i] = *(const float *)args[2 + i];
  BERTH_TRY(berth_whole_check_ranges(call->node, r, call->err));
  int16_t *right = args[9];
  settle_right(plan, args[1],
               (int32_t)berth_whole_place(BERTH_QUINT8, 0, r[2], r[3]), right);
  work_t work = {
      .plan = plan,
      .left = args[0],
      .right = right,
      .zero = (int32_t)berth_whole_place(BERTH_QUINT8, 0, r[0], r[1]),
      .out = args[6]};
  berth_parallel_for(plan->rows, GRAIN / (plan->work + 1) + 1, rows_piece,
                     &work);
  berth_whole_product_range(BERTH_QUINT8, r[0], r[1], BERTH_QUINT8, r[2], r[3],
                            args[7], args[8]);
  return BERTH_OK;
}

static berth_code_t prepare_any(berth_prepare_t *prepare, plan_t *plan) {
  plan->work = plan->product.depth * plan->product.columns;
  prepare->scratch_size = (size_t)plan->work * sizeof(int16_t);
  prepare->work = plan->rows * plan->work / 4;
  prepare->run = run;
  return BERTH_OK;
}

static berth_code_t prepare_product(berth_prepare_t *prepare,
                                    berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_product(&prepare->op, &plan->product, err));
  plan->rows = plan->product.rows;
  return prepare_any(prepare, plan);
}

static berth_code_t prepare_conv(berth_prepare_t *prepare, berth_error_t *err) {
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_whole_conv(&prepare->op, &plan->conv, err));
  const berth_window_t *window = &plan->conv.window;
  const int64_t *filter = prepare->op.inputs[1].dims;
  plan->is_conv = true;
  plan->product =
      (berth_whole_product_t){.depth = filter[0] * filter[1] * filter[2],
                              .columns = window->out_channels,
                              .right = {window->out_channels, 1}};
  plan->rows = window->batch * window->axes[1].out * window->axes[2].out;
  return prepare_any(prepare, plan);
}

#define BYTE BERTH_TYPE(QUINT8)

const berth_kernel_t berth_cpu_byte_product_kernels[] = {
    {.op = "QuantizedMatMul",
     .types = {{"T1", BYTE}, {"T2", BYTE}},
     .prepare = prepare_product},
    {.op = "QuantizedConv2D",
     .types = {{"Tinput", BYTE}, {"Tfilter", BYTE}},
     .prepare = prepare_conv},
    {.op = NULL},
};
