// recurrent.c - Kernels of recurrent networks: LSTM and GRU.
//
// Everything is computed in float; half is rounded to after each step, as
// TensorFlow does. Rows are those of a batch; the gates of a
// row lie side by side, in the order of the weights.
#include "op/recurrent.h"

#include <math.h>
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/floats.h"
#include "cpu/loops/poll.h"
#include "tensor/half.h"

enum { MOST_ARGS = 26 };

typedef struct plan {
  berth_recurrent_t cell;
  int input_count, output_count;
  int64_t counts[MOST_ARGS];  // Elements of inputs, then of outputs.
  int64_t room;               // Floats behind them.
} plan_t;

// The arguments of a run as floats.
typedef struct work {
  const berth_recurrent_t *cell;
  float *args[MOST_ARGS];
  float *room;
} work_t;

// ---- Rows ----

// Adds x w to |out|: x has |k| numbers, w rows of |n|.
static void add_product(const float *x, const float *w, float *out, int64_t k,
                        int64_t n) {
  for (int64_t i = 0; i < k; ++i) {
    float factor = x[i];
    const float *restrict row = w + i * n;
    float *restrict to = out;
    for (int64_t j = 0; j < n; ++j) to[j] += factor * row[j];
  }
}

// Stores w x, the other way round: |k| sums of |n| products.
static void product_back(const float *x, const float *w, float *out, int64_t k,
                         int64_t n) {
  for (int64_t i = 0; i < k; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += x[j] * w[i * n + j];
    out[i] = sum;
  }
}

static float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// Rounds |x| to the type of the elements.
static float q(const berth_recurrent_t *cell, float x) {
  if (cell->dtype != BERTH_HALF) return x;
  return berth_half_to_float(berth_float_to_half(x));
}

// Rounds |count| of them, with |more| added.
static void q_add(const berth_recurrent_t *cell, float *x, const float *more,
                  int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = q(cell, q(cell, x[i]) + more[i]);
}

// Puts two vectors behind each other.
static void join(const float *a, int64_t n, const float *b, int64_t m,
                 float *out) {
  memcpy(out, a, (size_t)n * sizeof(*a));
  memcpy(out + n, b, (size_t)m * sizeof(*b));
}

// ---- LSTM ----

// Where the gates of a row lie.
typedef struct gates {
  int64_t i, c, f, o;
} gates_t;

static gates_t gates_of(const berth_recurrent_t *cell) {
  int64_t n = cell->cell;
  return cell->is_second ? (gates_t){0, 2 * n, n, 3 * n}
                         : (gates_t){0, n, 2 * n, 3 * n};
}

// What a row of a cell takes and gives; all have |cell| numbers but |x|.
typedef struct lstm_row {
  const float *x, *cs_prev, *h_prev;
  float *i, *cs, *f, *o, *ci, *co, *h;
} lstm_row_t;

// |weights| are w, wci, wcf, wco, b.
static void lstm_forward(const berth_recurrent_t *cell, float *const *weights,
                         const lstm_row_t *row, float *room) {
  int64_t n = cell->cell, k = cell->input + n;
  gates_t at = gates_of(cell);
  float *xh = room, *g = room + k;
  const float *wci = weights[1], *wcf = weights[2], *wco = weights[3];
  join(row->x, cell->input, row->h_prev, n, xh);
  memset(g, 0, (size_t)(4 * n) * sizeof(*g));
  add_product(xh, weights[0], g, k, 4 * n);
  q_add(cell, g, weights[4], 4 * n);
  for (int64_t j = 0; j < n; ++j) {
    float prev = row->cs_prev[j], i = g[at.i + j], o = g[at.o + j];
    float f = q(cell, g[at.f + j] + cell->forget_bias);
    if (cell->has_peephole) {
      i = q(cell, i + q(cell, prev * wci[j]));
      f = q(cell, f + q(cell, prev * wcf[j]));
    }
    row->i[j] = q(cell, sigmoid(i));
    row->f[j] = q(cell, sigmoid(f));
    row->ci[j] = q(cell, tanhf(g[at.c + j]));
    float kept = q(cell, prev * row->f[j]);
    float cs = q(cell, q(cell, row->ci[j] * row->i[j]) + kept);
    if (cell->clip > 0) cs = fminf(fmaxf(cs, -cell->clip), cell->clip);
    if (cell->has_peephole) o = q(cell, o + q(cell, cs * wco[j]));
    row->cs[j] = q(cell, cs);
    row->o[j] = q(cell, sigmoid(o));
    row->co[j] = q(cell, tanhf(row->cs[j]));
    row->h[j] = q(cell, row->o[j] * row->co[j]);
  }
}

// What a row's gradient takes and gives: the gradients of what it held and gave,
// those of the gates, of what it held before, and of the peepholes, added.
typedef struct lstm_back {
  const float *cs_grad, *h_grad;
  float *cs_prev_grad, *gates, *wci_grad, *wcf_grad, *wco_grad;
} lstm_back_t;

// Returns the product of three, each step rounded.
static float q3(const berth_recurrent_t *cell, float a, float b, float c) {
  return q(cell, q(cell, a * b) * c);
}

// Returns x (1 - x).
static float q_slope(const berth_recurrent_t *cell, float x) {
  return q(cell, x * q(cell, 1 - x));
}

// Returns 1 - x x.
static float q_rest(const berth_recurrent_t *cell, float x) {
  return q(cell, 1 - q(cell, x * x));
}

static void lstm_backward(const berth_recurrent_t *cell, float *const *weights,
                          const lstm_row_t *row, const lstm_back_t *back) {
  gates_t at = gates_of(cell);
  for (int64_t j = 0; j < cell->cell; ++j) {
    float i = row->i[j], f = row->f[j], o = row->o[j], ci = row->ci[j];
    float co = row->co[j], prev = row->cs_prev[j], dh = back->h_grad[j];
    float d_o = q3(cell, q_slope(cell, o), dh, co);
    float dcs = q(cell, q3(cell, q_rest(cell, co), dh, o) + back->cs_grad[j]);
    if (cell->has_peephole) {
      dcs = q(cell, dcs + q(cell, d_o * weights[3][j]));
    }
    float di = q3(cell, q_slope(cell, i), dcs, ci);
    float df = q3(cell, q_slope(cell, f), dcs, prev);
    back->gates[at.i + j] = di;
    back->gates[at.c + j] = q3(cell, q_rest(cell, ci), dcs, i);
    back->gates[at.f + j] = df;
    back->gates[at.o + j] = d_o;
    float before = q(cell, dcs * f);
    if (cell->has_peephole) {
      before = q(cell, before + q(cell, di * weights[1][j]));
      before = q(cell, before + q(cell, df * weights[2][j]));
      back->wci_grad[j] += q(cell, di * prev);
      back->wcf_grad[j] += q(cell, df * prev);
      back->wco_grad[j] += q(cell, d_o * row->cs[j]);
    }
    back->cs_prev_grad[j] = before;
  }
}

// Row |b| of step |t|, whose gates are the arguments from |first|: i, cs, f, o,
// ci, co, h. What is before the first step are the arguments behind |x|.
static lstm_row_t lstm_row_at(const work_t *work, int x, int first, int64_t t,
                              int64_t b) {
  const berth_recurrent_t *cell = work->cell;
  int64_t n = cell->cell, at = (t * cell->batch + b) * n;
  int64_t before = ((t - 1) * cell->batch + b) * n;
  float *const *gate = &work->args[first];
  bool has_h = gate[6] != NULL;
  return (lstm_row_t){
      .x = work->args[x] + (t * cell->batch + b) * cell->input,
      .cs_prev = t > 0 ? gate[1] + before : work->args[x + 1] + b * n,
      .h_prev = t > 0 && has_h ? gate[6] + before : work->args[x + 2] + b * n,
      .i = gate[0] + at,
      .cs = gate[1] + at,
      .f = gate[2] + at,
      .o = gate[3] + at,
      .ci = gate[4] + at,
      .co = gate[5] + at,
      .h = has_h ? gate[6] + at : NULL};
}

// Inputs: perhaps how many steps, x, cs_prev, h_prev, weights; outputs: gates.
static berth_code_t lstm(const work_t *work, int64_t steps, int x,
                         berth_call_t *call) {
  const berth_recurrent_t *cell = work->cell;
  for (int64_t t = 0; t < steps; ++t) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    for (int64_t b = 0; b < cell->batch; ++b) {
      lstm_row_t row = lstm_row_at(work, x, x + 8, t, b);
      lstm_forward(cell, &work->args[x + 3], &row, work->room);
    }
  }
  return BERTH_OK;
}

static berth_code_t lstm_cell(const work_t *work, berth_call_t *call) {
  return lstm(work, 1, 0, call);
}

static berth_code_t read_steps(const work_t *work, void *const *args,
                               int64_t *out, berth_error_t *err) {
  *out = *(const int64_t *)args[0];
  if (*out >= 0 && *out <= work->cell->steps) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "seq_len_max must be in [0, %lld], but is %lld",
                         (long long)work->cell->steps, (long long)*out);
}

// Inputs: x, cs_prev, h_prev, weights, i, cs, f, o, ci, co, cs_grad, h_grad.
static berth_code_t lstm_cell_grad(const work_t *work, berth_call_t *call) {
  const berth_recurrent_t *cell = work->cell;
  (void)call;
  float *const *out = &work->args[16];
  for (int64_t b = 0; b < cell->batch; ++b) {
    int64_t at = b * cell->cell;
    // There is no h among the inputs; the row does not need it.
    lstm_row_t row = {.cs_prev = work->args[1] + at,
                      .i = work->args[8] + at,
                      .cs = work->args[9] + at,
                      .f = work->args[10] + at,
                      .o = work->args[11] + at,
                      .ci = work->args[12] + at,
                      .co = work->args[13] + at};
    lstm_back_t back = {.cs_grad = work->args[14] + at,
                        .h_grad = work->args[15] + at,
                        .cs_prev_grad = out[0] + at,
                        .gates = out[1] + 4 * at,
                        .wci_grad = out[2],
                        .wcf_grad = out[3],
                        .wco_grad = out[4]};
    lstm_backward(cell, &work->args[3], &row, &back);
  }
  return BERTH_OK;
}

// One row of one step, backwards: |out| are x_grad, cs_prev_grad, h_prev_grad,
// w_grad, wci_grad, wcf_grad, wco_grad, b_grad.
static void lstm_grad_row(const work_t *work, int64_t t, int64_t b) {
  const berth_recurrent_t *cell = work->cell;
  int64_t n = cell->cell, k = cell->input + n, at = (t * cell->batch + b) * n;
  float *const *out = &work->args[18];
  float *gates = work->room, *xh = gates + 4 * n, *xh_grad = xh + k;
  float *h_grad = xh_grad + k, *cs_grad = h_grad + n;
  lstm_row_t row = lstm_row_at(work, 1, 9, t, b);
  for (int64_t j = 0; j < n; ++j) {
    cs_grad[j] = q(cell, work->args[16][at + j] + out[1][b * n + j]);
    h_grad[j] = q(cell, work->args[17][at + j] + out[2][b * n + j]);
  }
  lstm_back_t back = {.cs_grad = cs_grad,
                      .h_grad = h_grad,
                      .cs_prev_grad = out[1] + b * n,
                      .gates = gates,
                      .wci_grad = out[4],
                      .wcf_grad = out[5],
                      .wco_grad = out[6]};
  lstm_backward(cell, &work->args[4], &row, &back);
  product_back(gates, work->args[4], xh_grad, k, 4 * n);
  for (int64_t i = 0; i < k; ++i) xh_grad[i] = q(cell, xh_grad[i]);
  memcpy(out[0] + (t * cell->batch + b) * cell->input, xh_grad,
         (size_t)cell->input * sizeof(float));
  memcpy(out[2] + b * n, xh_grad + cell->input, (size_t)n * sizeof(float));
  join(row.x, cell->input, row.h_prev, n, xh);
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < 4 * n; ++j) {
      out[3][i * 4 * n + j] += xh[i] * gates[j];
    }
  }
  for (int64_t j = 0; j < 4 * n; ++j) out[7][j] += gates[j];
}

static berth_code_t lstm_grad(const work_t *work, int64_t steps,
                              berth_call_t *call) {
  for (int64_t t = steps; t-- > 0;) {
    if (berth_cpu_has_ended(call)) return BERTH_OK;
    for (int64_t b = 0; b < work->cell->batch; ++b) lstm_grad_row(work, t, b);
  }
  return BERTH_OK;
}

// ---- GRU ----

// Inputs: x, h_prev, w_ru, w_c, b_ru, b_c; outputs: r, u, c, h.
static berth_code_t gru_cell(const work_t *work, berth_call_t *call) {
  const berth_recurrent_t *cell = work->cell;
  int64_t n = cell->cell, k = cell->input + n;
  float *const *a = work->args;
  float *xh = work->room, *ru = xh + k;
  for (int64_t row = 0; row < cell->batch; ++row) {
    if (berth_cpu_ends_at(call, row * 1024)) return BERTH_OK;
    const float *x = a[0] + row * cell->input, *h = a[1] + row * n;
    float *r = a[6] + row * n, *u = a[7] + row * n, *c = a[8] + row * n;
    join(x, cell->input, h, n, xh);
    memcpy(ru, a[4], (size_t)(2 * n) * sizeof(*ru));
    add_product(xh, a[2], ru, k, 2 * n);
    for (int64_t j = 0; j < n; ++j) {
      r[j] = sigmoid(ru[j]);
      u[j] = sigmoid(ru[n + j]);
      xh[cell->input + j] = h[j] * r[j];
    }
    memcpy(c, a[5], (size_t)n * sizeof(*c));
    add_product(xh, a[3], c, k, n);
    for (int64_t j = 0; j < n; ++j) {
      c[j] = tanhf(c[j]);
      a[9][row * n + j] = u[j] * h[j] + (1 - u[j]) * c[j];
    }
  }
  return BERTH_OK;
}

// Inputs: those of the cell, r, u, c, d_h; outputs: d_x, d_h_prev, d_c_bar,
// d_r_bar_u_bar.
static berth_code_t gru_cell_grad(const work_t *work, berth_call_t *call) {
  const berth_recurrent_t *cell = work->cell;
  int64_t n = cell->cell, in = cell->input, k = in + n;
  float *const *a = work->args;
  float *by_c = work->room, *by_ru = by_c + k;
  for (int64_t row = 0; row < cell->batch; ++row) {
    if (berth_cpu_ends_at(call, row * 1024)) return BERTH_OK;
    const float *h = a[1] + row * n, *r = a[6] + row * n, *u = a[7] + row * n;
    const float *c = a[8] + row * n, *dh = a[9] + row * n;
    float *dx = a[10] + row * in, *dh_prev = a[11] + row * n;
    float *dc = a[12] + row * n, *dru = a[13] + row * 2 * n;
    for (int64_t j = 0; j < n; ++j) {
      dc[j] = dh[j] * (1 - u[j]) * (1 - c[j] * c[j]);
      dru[n + j] = dh[j] * (h[j] - c[j]) * u[j] * (1 - u[j]);
    }
    product_back(dc, a[3], by_c, k, n);
    for (int64_t j = 0; j < n; ++j) {
      dru[j] = by_c[in + j] * h[j] * r[j] * (1 - r[j]);
    }
    product_back(dru, a[2], by_ru, k, 2 * n);
    for (int64_t j = 0; j < in; ++j) dx[j] = by_ru[j] + by_c[j];
    for (int64_t j = 0; j < n; ++j) {
      dh_prev[j] = by_ru[in + j] + by_c[in + j] * r[j] + dh[j] * u[j];
    }
  }
  return BERTH_OK;
}

// ---- Running ----

// True for how many steps there are, which is no float.
static bool is_number(const plan_t *plan, int arg) {
  return arg == 0 && plan->cell.steps > 0;
}

// Brings inputs and outputs into floats; those that are already stay.
static work_t work_of(const plan_t *plan, void *const *args) {
  int count = plan->input_count + plan->output_count;
  bool is_float = plan->cell.dtype == BERTH_FLOAT;
  float *next = args[count];
  work_t work = {.cell = &plan->cell};
  for (int i = 0; i < count; ++i) {
    bool is_input = i < plan->input_count;
    size_t size = (size_t)plan->counts[i] * sizeof(float);
    if (is_number(plan, i)) continue;
    work.args[i] = is_float ? args[i] : next;
    if (!is_float) next += plan->counts[i];
    if (!is_input) {
      if (size > 0) memset(work.args[i], 0, size);
    } else if (!is_float) {
      berth_floats_from(plan->cell.dtype, args[i], work.args[i],
                        plan->counts[i]);
    }
  }
  work.room = next;
  return work;
}

static void work_finish(const plan_t *plan, const work_t *work,
                        void *const *args) {
  if (plan->cell.dtype == BERTH_FLOAT) return;
  for (int i = 0; i < plan->output_count; ++i) {
    int arg = plan->input_count + i;
    berth_floats_to(plan->cell.dtype, work->args[arg], args[arg],
                    plan->counts[arg]);
  }
}

// Defines run_<name>(), which does |expression| with the arguments as floats.
#define RUN(name, expression)                                         \
  static berth_code_t run_##name(const void *data, void *const *args, \
                                 berth_call_t *call) {                \
    const plan_t *plan = data;                                        \
    work_t work = work_of(plan, args);                                \
    int64_t steps = 1;                                                \
    if (plan->cell.steps > 0) {                                       \
      BERTH_TRY(read_steps(&work, args, &steps, call->err));          \
    }                                                                 \
    BERTH_TRY(expression);                                            \
    work_finish(plan, &work, args);                                   \
    return BERTH_OK;                                                  \
  }

RUN(lstm_cell, lstm_cell(&work, call))
RUN(lstm_cell_grad, lstm_cell_grad(&work, call))
RUN(lstm, lstm(&work, steps, 1, call))
RUN(lstm_grad, lstm_grad(&work, steps, call))
RUN(gru_cell, gru_cell(&work, call))
RUN(gru_cell_grad, gru_cell_grad(&work, call))

static void plan_sizes(berth_prepare_t *prepare, plan_t *plan) {
  const berth_case_t *op = &prepare->op;
  const berth_recurrent_t *cell = &plan->cell;
  int64_t floats = 4 * (cell->input + cell->cell) + 8 * cell->cell;
  plan->input_count = op->input_count;
  plan->output_count = op->output_count;
  for (int i = 0; i < op->input_count + op->output_count; ++i) {
    plan->counts[i] =
        i < op->input_count
            ? op->inputs[i].count
            : berth_dims_count(berth_case_output_dims(op, i - op->input_count));
    if (cell->dtype != BERTH_FLOAT) floats += plan->counts[i];
  }
  prepare->scratch_size = (size_t)floats * sizeof(float);
  int64_t rows = cell->batch * (cell->steps > 0 ? cell->steps : 1);
  prepare->work = rows * (cell->input + cell->cell) * cell->cell;
}

#define PREPARE(name)                                              \
  static berth_code_t prepare_##name(berth_prepare_t *prepare,     \
                                     berth_error_t *err) {         \
    plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));     \
    if (plan == NULL) return berth_error_no_memory(err, "a plan"); \
    BERTH_TRY(berth_op_##name(&prepare->op, &plan->cell, err));    \
    plan_sizes(prepare, plan);                                     \
    prepare->run = run_##name;                                     \
    return BERTH_OK;                                               \
  }

PREPARE(lstm_cell)
PREPARE(lstm_cell_grad)
PREPARE(lstm)
PREPARE(lstm_grad)
PREPARE(gru_cell)
PREPARE(gru_cell_grad)

#define KERNEL(name, function)                                          \
  {                                                                     \
    .op = name, .types = {{"T", BERTH_TYPE(HALF) | BERTH_TYPE(FLOAT)}}, \
    .prepare = prepare_##function                                       \
  }

const berth_kernel_t berth_cpu_recurrent_kernels[] = {
    KERNEL("LSTMBlockCell", lstm_cell),
    KERNEL("LSTMBlockCellGrad", lstm_cell_grad),
    KERNEL("BlockLSTM", lstm),
    KERNEL("BlockLSTMV2", lstm),
    KERNEL("BlockLSTMGrad", lstm_grad),
    KERNEL("BlockLSTMGradV2", lstm_grad),
    KERNEL("GRUBlockCell", gru_cell),
    KERNEL("GRUBlockCellGrad", gru_cell_grad),
    {.op = NULL},
};
