// ctc.c - The kernels CTCLoss and CTCGreedyDecoder.
//
// A loss is minus the logarithm of how likely a row of labels is, whatever
// blanks lie between them. With U labels, l' has 2 U + 1: a blank before,
// between and after them; forward and backward variables are over l' and time.
#include "cpu/ops/ctc.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/sparse_order.h"

berth_code_t berth_ctc_check_lengths(const berth_ctc_t *ctc,
                                     const int32_t *lengths, berth_code_t code,
                                     berth_error_t *err) {
  for (int64_t b = 0; b < ctc->batch; ++b) {
    if (lengths[b] <= ctc->time && lengths[b] >= 0) continue;
    return berth_error_set(err, code, "sequence_length(%lld) <= %lld",
                           (long long)b, (long long)ctc->time);
  }
  return BERTH_OK;
}

// ---- Labels ----

// Checks the places of labels: inside, and in order.
static berth_code_t check_places(const berth_ctc_t *ctc, const int64_t *at,
                                 berth_error_t *err) {
  int64_t longest = 0;
  for (int64_t i = 0; i < ctc->labels; ++i) {
    if (at[2 * i + 1] >= longest) longest = at[2 * i + 1] + 1;
  }
  const int64_t shape[2] = {ctc->batch, longest};
  return berth_sparse_validate(at, ctc->labels, (berth_dims_t){2, shape},
                               "label SparseTensor is not valid: ", err);
}

// The labels of a row, as they are given and as they are used.
typedef struct row {
  int64_t number;
  const int32_t *given;
  int64_t given_count;
  int32_t *kept;
  int64_t count;
} row_t;

static void print_labels(berth_str_t *str, const int32_t *labels,
                         int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    berth_str_printf(str, "%s%d", i > 0 ? "," : "", (int)labels[i]);
  }
}

// Fails with |text|, in which "%s" are the labels.
static berth_code_t fail_labels(const berth_ctc_t *ctc, const row_t *row,
                                bool is_after_null, berth_error_t *err) {
  berth_str_t given = {0}, kept = {0};
  print_labels(&given, row->given, row->given_count);
  print_labels(&kept, row->kept, row->count);
  if (is_after_null) {
    (void)berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Saw a non-null label (index >= num_classes - 1) following a null "
        "label, batch: %lld num_classes: %lld labels: %s labels seen so far: "
        "%s",
        (long long)row->number, (long long)ctc->classes, berth_str_get(&given),
        berth_str_get(&kept));
  } else {
    (void)berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "All labels must be nonnegative integers, batch: %lld labels: %s",
        (long long)row->number, berth_str_get(&kept));
  }
  berth_str_clear(&given);
  berth_str_clear(&kept);
  return BERTH_INVALID_ARGUMENT;
}

// Fills in the labels of |row| that are used.
static berth_code_t keep_labels(const berth_ctc_t *ctc, int64_t time,
                                row_t *row, berth_error_t *err) {
  bool is_finished = false;
  if (row->given_count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Labels length is zero in batch %lld",
                           (long long)row->number);
  }
  for (int64_t i = 0; i < row->given_count; ++i) {
    int32_t label = row->given[i];
    if (ctc->collapses && i > 0 && label == row->given[i - 1]) continue;
    if (label >= ctc->end) {
      is_finished = true;
    } else if (is_finished) {
      return fail_labels(ctc, row, true, err);
    } else {
      row->kept[row->count++] = label;
    }
  }
  for (int64_t i = 0; i < row->count; ++i) {
    if (row->kept[i] < 0) return fail_labels(ctc, row, false, err);
  }
  if (ctc->ignores || row->given_count <= time) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Not enough time for target transition sequence (required: %lld, "
      "available: %lld)%lldYou can turn this error into a warning by using the "
      "flag ignore_longer_outputs_than_inputs",
      (long long)row->given_count, (long long)time, (long long)row->number);
}

// ---- The loss of a row ----

typedef struct lattice {
  const berth_ctc_t *ctc;
  int64_t time, states;      // Of this row: T and 2 U + 1.
  int32_t *labels;           // l'.
  double *y, *alpha, *beta;  // By time: classes, then states.
  double *sums;              // By class.
} lattice_t;

static void softmax_row(const berth_ctc_t *ctc, const void *inputs, int64_t at,
                        double *y) {
  double most = -INFINITY, sum = 0;
  for (int64_t c = 0; c < ctc->classes; ++c) {
    y[c] = berth_number_at(ctc->dtype, inputs, at + c);
    most = y[c] > most ? y[c] : most;
  }
  for (int64_t c = 0; c < ctc->classes; ++c) {
    y[c] = berth_ctc_round(ctc, exp(berth_ctc_round(ctc, y[c] - most)));
    sum = berth_ctc_round(ctc, sum + y[c]);
  }
  for (int64_t c = 0; c < ctc->classes; ++c)
    y[c] = berth_ctc_round(ctc, y[c] / sum);
}

static double log_y(const lattice_t *l, int64_t state, int64_t t) {
  return berth_ctc_round(l->ctc,
                         log(l->y[t * l->ctc->classes + l->labels[state]]));
}

// True when state |u| may be left out between |u| - 1 and |u| + 1, or reached
// from two before: it is no blank, and not the label before.
static bool may_skip(const lattice_t *l, int64_t u, int64_t other) {
  return l->labels[u] != l->ctc->blank &&
         !(l->ctc->merges && l->labels[u] == l->labels[other]);
}

static bool may_stay(const lattice_t *l, int64_t u) {
  return l->ctc->merges || l->labels[u] == l->ctc->blank;
}

// The states that a path can be in at time |t|.
static void range_at(const lattice_t *l, int64_t t, int64_t *low,
                     int64_t *high) {
  *low = l->states - 2 * (l->time - t);
  *low = *low < 0 ? 0 : *low;
  *high = 2 * (t + 1) < l->states ? 2 * (t + 1) : l->states;
}

static void forward(lattice_t *l) {
  int64_t n = l->states, low, high;
  for (int64_t i = 0; i < n * l->time; ++i) l->alpha[i] = -INFINITY;
  l->alpha[0] = log_y(l, 0, 0);
  if (n > 1) l->alpha[1] = log_y(l, 1, 0);
  for (int64_t t = 1; t < l->time; ++t) {
    const double *before = l->alpha + (t - 1) * n;
    range_at(l, t, &low, &high);
    for (int64_t u = low; u < high; ++u) {
      double sum = may_stay(l, u) ? before[u] : -INFINITY;
      if (u > 0) sum = berth_ctc_log_add(l->ctc, sum, before[u - 1]);
      if (u > 1 && may_skip(l, u, u - 2))
        sum = berth_ctc_log_add(l->ctc, sum, before[u - 2]);
      l->alpha[t * n + u] = berth_ctc_round(l->ctc, log_y(l, u, t) + sum);
    }
  }
}

static void backward(lattice_t *l) {
  int64_t n = l->states, low, high;
  for (int64_t i = 0; i < n * l->time; ++i) l->beta[i] = -INFINITY;
  l->beta[(l->time - 1) * n + n - 1] = 0;
  if (n > 1) l->beta[(l->time - 1) * n + n - 2] = 0;
  for (int64_t t = l->time - 1; t-- > 0;) {
    const double *after = l->beta + (t + 1) * n;
    range_at(l, t, &low, &high);
    for (int64_t u = low; u < high; ++u) {
      double sum = may_stay(l, u)
                       ? berth_ctc_round(l->ctc, after[u] + log_y(l, u, t + 1))
                       : -INFINITY;
      if (u + 1 < n)
        sum = berth_ctc_log_add(
            l->ctc, sum,
            berth_ctc_round(l->ctc, after[u + 1] + log_y(l, u + 1, t + 1)));
      if (u + 2 < n && may_skip(l, u, u + 2)) {
        sum = berth_ctc_log_add(
            l->ctc, sum,
            berth_ctc_round(l->ctc, after[u + 2] + log_y(l, u + 2, t + 1)));
      }
      l->beta[t * n + u] = sum;
    }
  }
}

// Stores the gradient of row |b|, given the logarithm of its likelihood.
static void write_gradient(const lattice_t *l, double total, int64_t b,
                           void *gradient) {
  const berth_ctc_t *ctc = l->ctc;
  for (int64_t t = 0; t < l->time; ++t) {
    int64_t at = (t * ctc->batch + b) * ctc->classes, n = l->states;
    for (int64_t c = 0; c < ctc->classes; ++c) l->sums[c] = -INFINITY;
    for (int64_t u = 0; u < n; ++u) {
      double *sum = &l->sums[l->labels[u]];
      *sum = berth_ctc_log_add(
          ctc, *sum,
          berth_ctc_round(ctc, l->alpha[t * n + u] + l->beta[t * n + u]));
    }
    for (int64_t c = 0; c < ctc->classes; ++c) {
      double y = l->y[t * ctc->classes + c];
      if (total != -INFINITY) y -= (double)expf((float)(l->sums[c] - total));
      berth_number_set(ctc->dtype, gradient, at + c, y);
    }
  }
}

// Computes the loss of |row|, in |room|.
static void lose(const berth_ctc_t *ctc, const row_t *row, int64_t time,
                 void *const *args, double *room) {
  int64_t b = row->number, states = 2 * row->count + 1;
  lattice_t l = {.ctc = ctc, .time = time, .states = states, .y = room};
  l.alpha = l.y + time * ctc->classes;
  l.beta = l.alpha + time * states;
  l.sums = l.beta + time * states;
  l.labels = (int32_t *)(void *)(l.sums + ctc->classes);
  for (int64_t u = 0; u < states; ++u) {
    l.labels[u] = u % 2 == 0 ? (int32_t)ctc->blank : row->kept[u / 2];
  }
  for (int64_t t = 0; t < time; ++t) {
    softmax_row(ctc, args[0], (t * ctc->batch + b) * ctc->classes,
                l.y + t * ctc->classes);
  }
  forward(&l);
  backward(&l);
  double total = -INFINITY;
  for (int64_t u = 0; u < states; ++u) {
    total = berth_ctc_log_add(ctc, total,
                              berth_ctc_round(ctc, l.alpha[u] + l.beta[u]));
  }
  berth_number_set(ctc->dtype, args[4], b, -total);
  write_gradient(&l, total, b, args[5]);
}

static berth_code_t run_rows(const berth_ctc_t *ctc, void *const *args,
                             int32_t *kept, double *room, berth_call_t *call) {
  const int64_t *at = args[1];
  const int32_t *labels = args[2], *lengths = args[3];
  int64_t next = 0;
  for (int pass = 0; pass < 2; ++pass, next = 0) {
    for (int64_t b = 0; b < ctc->batch; ++b) {
      row_t row = {.number = b, .given = labels + next, .kept = kept};
      if (berth_cpu_has_ended(call)) return BERTH_OK;
      for (; next < ctc->labels && at[2 * next] == b; ++next) {
        ++row.given_count;
      }
      // All rows are looked at before the first is computed.
      BERTH_TRY(keep_labels(ctc, lengths[b], &row, call->err));
      bool is_long = row.given_count > lengths[b];
      if (pass == 1 && lengths[b] > 0 && !is_long) {
        lose(ctc, &row, lengths[b], args, room);
      }
    }
  }
  return BERTH_OK;
}

static berth_code_t run_loss(const void *data, void *const *args,
                             berth_call_t *call) {
  const berth_ctc_t *ctc = data;
  size_t size = berth_dtype_size(ctc->dtype);
  size_t count = (size_t)(ctc->time * ctc->batch * ctc->classes);
  memset(args[4], 0, (size_t)ctc->batch * size);
  if (count > 0) memset(args[5], 0, count * size);
  BERTH_TRY(
      berth_ctc_check_lengths(ctc, args[3], BERTH_INVALID_ARGUMENT, call->err));
  BERTH_TRY(check_places(ctc, args[1], call->err));
  double *room = args[6];
  int64_t states = 2 * ctc->labels + 1;
  int64_t numbers = ctc->time * (ctc->classes + 2 * states) + ctc->classes;
  int32_t *kept = (int32_t *)(void *)(room + numbers) + states;
  return run_rows(ctc, args, kept, room, call);
}

static berth_code_t prepare_loss(berth_prepare_t *prepare, berth_error_t *err) {
  berth_ctc_t *ctc = berth_prepare_plan(prepare, sizeof(*ctc));
  if (ctc == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_ctc_loss(&prepare->op, ctc, err));
  int64_t states = 2 * ctc->labels + 1, numbers = 0;
  if (__builtin_mul_overflow(ctc->time, ctc->classes + 2 * states, &numbers) ||
      numbers > INT64_MAX / 32) {
    return berth_error_no_memory(err, "a loss");
  }
  numbers += ctc->classes + 2 * states + ctc->labels + 8;
  prepare->scratch_size = (size_t)numbers * sizeof(double);
  prepare->run = run_loss;
  prepare->work = ctc->time * ctc->batch * (ctc->classes + states) * 40;
  return BERTH_OK;
}

// ---- Greedy decoding ----

// Stores the labels of row |b| at |out|; returns how many.
static int64_t decode_row(const berth_ctc_t *ctc, const void *inputs, int64_t b,
                          int64_t time, int64_t *out, double *out_log) {
  int64_t count = 0, last = -1;
  *out_log = 0;
  for (int64_t t = 0; t < time; ++t) {
    int64_t at = (t * ctc->batch + b) * ctc->classes, best = 0;
    double most = berth_number_at(ctc->dtype, inputs, at);
    for (int64_t c = 1; c < ctc->classes; ++c) {
      double value = berth_number_at(ctc->dtype, inputs, at + c);
      if (value <= most) continue;
      most = value;
      best = c;
    }
    *out_log -= most;
    if (best != ctc->blank && !(ctc->merges && best == last)) {
      out[count++] = best;
    }
    last = best;
  }
  return count;
}

static berth_code_t write_decoded(const berth_ctc_t *ctc, berth_call_t *call,
                                  const int64_t *labels,
                                  const int64_t *counts) {
  int64_t dims[2] = {0, 2}, two = 2, longest = 0, next = 0;
  void *at = NULL, *values = NULL, *shape = NULL;
  for (int64_t b = 0; b < ctc->batch; ++b) {
    dims[0] += counts[b];
    longest = counts[b] > longest ? counts[b] : longest;
  }
  BERTH_TRY(berth_cpu_make(call, 0, 2, dims, &at));
  BERTH_TRY(berth_cpu_make(call, 1, 1, dims, &values));
  BERTH_TRY(berth_cpu_make(call, 2, 1, &two, &shape));
  ((int64_t *)shape)[0] = ctc->batch;
  ((int64_t *)shape)[1] = longest;
  for (int64_t b = 0; b < ctc->batch; ++b) {
    for (int64_t i = 0; i < counts[b]; ++i, ++next) {
      ((int64_t *)at)[2 * next] = b;
      ((int64_t *)at)[2 * next + 1] = i;
      ((int64_t *)values)[next] = labels[b * ctc->time + i];
    }
  }
  return BERTH_OK;
}

static berth_code_t make_greedy(const void *data, void *const *args,
                                berth_call_t *call) {
  (void)args;
  const berth_ctc_t *ctc = data;
  const int32_t *lengths = call->inputs[1]->data;
  const void *inputs = call->inputs[0]->data;
  int64_t dims[2] = {ctc->batch, 1};
  void *logs = NULL;
  BERTH_TRY(berth_ctc_check_lengths(ctc, lengths, BERTH_FAILED_PRECONDITION,
                                    call->err));
  BERTH_TRY(berth_cpu_make(call, 3, 2, dims, &logs));
  int64_t *labels =
      berth_calloc((size_t)(ctc->batch * (ctc->time + 1)) + 1, sizeof(*labels));
  if (labels == NULL) return berth_error_no_memory(call->err, "labels");
  int64_t *counts = labels + ctc->batch * ctc->time;
  for (int64_t b = 0; b < ctc->batch; ++b) {
    double sum = 0;
    counts[b] =
        decode_row(ctc, inputs, b, lengths[b], labels + b * ctc->time, &sum);
    berth_number_set(ctc->dtype, logs, b, sum);
  }
  berth_code_t code = write_decoded(ctc, call, labels, counts);
  berth_free(labels);
  return code;
}

BERTH_CPU_MAKES(greedy)

static berth_code_t prepare_greedy(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_ctc_t *ctc = berth_prepare_plan(prepare, sizeof(*ctc));
  if (ctc == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_ctc_greedy(&prepare->op, ctc, err));
  prepare->run = run_greedy;
  prepare->work = prepare->op.inputs[0].count * 4;
  return BERTH_OK;
}

#define KERNEL(name, function)                                            \
  {                                                                       \
    .op = name, .types = {{"T", BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE)}}, \
    .prepare = prepare_##function                                         \
  }

const berth_kernel_t berth_cpu_ctc_kernels[] = {
    KERNEL("CTCLoss", loss),
    {.op = "CTCLossV2", .prepare = prepare_loss},
    KERNEL("CTCGreedyDecoder", greedy),
    {.op = NULL},
};
