// text_pieces.c - Kernels on sequences of texts: StringNGrams,
// UnsortedSegmentJoin, Fingerprint.
#include <string.h>

#include "base/alloc.h"
#include "base/fingerprint.h"
#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/make.h"
#include "cpu/ops/text_map.h"
#include "kernel/places.h"

static void put_attr(const berth_node_t *node, const char *name,
                     berth_str_t *str) {
  const berth_attr_value_t *value = berth_node_attr(node, name);
  berth_str_put(str, value->s.text, value->s.size);
}

static void put_string(const berth_string_t *string, berth_str_t *str) {
  size_t size = 0;
  const char *text = berth_string_get(string, &size);
  berth_str_put(str, text, size);
}

// ---- StringNGrams ----

// Returns how many texts stand beside a row for runs of |width|.
static int64_t pad_of(const berth_ngrams_t *plan, int64_t width) {
  return plan->pad < 0 || plan->pad > width - 1 ? width - 1 : plan->pad;
}

static int64_t runs_of(const berth_ngrams_t *plan, int64_t length,
                       int64_t width) {
  int64_t count = length + 2 * pad_of(plan, width) - width + 1;
  return count > 0 ? count : 0;
}

// Returns how many texts a row of |length| becomes; |*out_is_short| tells that
// it is one because there would be none.
static int64_t row_count(const berth_ngrams_t *plan, int64_t length,
                         bool *out_is_short) {
  int64_t count = 0;
  for (int32_t i = 0; i < plan->width_count; ++i) {
    count += runs_of(plan, length, plan->widths[i]);
  }
  *out_is_short = plan->keeps_short && count == 0 && length > 0;
  return *out_is_short ? 1 : count;
}

// Appends run |index| of |count| runs of |width| from |data|.
static void put_run(const berth_call_t *call, const berth_ngrams_t *plan,
                    const berth_string_t *data, int64_t width, int64_t count,
                    int64_t index, berth_str_t *str) {
  int64_t pad = pad_of(plan, width);
  int64_t left = pad > index ? pad - index : 0;
  int64_t right = pad - (count - index - 1);
  if (right < 0) right = 0;
  int64_t words = width - left - right, first = left > 0 ? 0 : index - pad;
  for (int64_t i = 0; i < width; ++i) {
    if (i > 0) put_attr(call->node, "separator", str);
    if (i < left) {
      put_attr(call->node, "left_pad", str);
    } else if (i - left < words) {
      put_string(&data[first + i - left], str);
    } else {
      put_attr(call->node, "right_pad", str);
    }
  }
}

// Stores the runs of one row at |*out|; |str| is room.
static berth_code_t put_row(const berth_call_t *call,
                            const berth_ngrams_t *plan,
                            const berth_string_t *data, int64_t length,
                            berth_str_t *str, berth_string_t **out) {
  bool is_short = false;
  (void)row_count(plan, length, &is_short);
  if (is_short) {
    put_run(call, plan, data, length + 2 * plan->pad, 1, 0, str);
    return berth_text_take(str, (*out)++, call->err);
  }
  for (int32_t k = 0; k < plan->width_count; ++k) {
    int64_t count = runs_of(plan, length, plan->widths[k]);
    for (int64_t i = 0; i < count; ++i) {
      put_run(call, plan, data, plan->widths[k], count, i, str);
      BERTH_TRY(berth_text_take(str, (*out)++, call->err));
    }
  }
  return BERTH_OK;
}

// Stores the runs of all rows at |out|.
static berth_code_t put_rows(const berth_call_t *call,
                             const berth_ngrams_t *plan, berth_string_t *out) {
  const berth_tensor_t *splits = call->inputs[1];
  const berth_string_t *data = call->inputs[0]->data;
  berth_str_t str = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < plan->rows; ++i) {
    int64_t begin = berth_index_at(splits->dtype, splits->data, i);
    int64_t end = berth_index_at(splits->dtype, splits->data, i + 1);
    code = berth_cpu_has_ended(call)
               ? berth_cpu_ended(call)
               : put_row(call, plan, data + begin, end - begin, &str, &out);
  }
  berth_str_clear(&str);
  return code;
}

static berth_code_t check_splits(const berth_call_t *call) {
  const berth_tensor_t *splits = call->inputs[1];
  int64_t size = call->inputs[0]->count, last = 0;
  for (int64_t i = 0; i < splits->count; ++i) {
    int64_t at = berth_index_at(splits->dtype, splits->data, i);
    if (i == 0 && at != 0) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "First split value must be 0, got %lld",
                             (long long)at);
    }
    if (at < last || at > size) {
      return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                             "Invalid split value %lld, must be in [%lld, "
                             "%lld]",
                             (long long)at, (long long)last, (long long)size);
    }
    last = at;
  }
  if (splits->count == 0 || last == size) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT,
      "Last split value must be data size. Expected %lld, got %lld",
      (long long)size, (long long)last);
}

static berth_code_t make_ngrams(const void *arg, void *const *args,
                                berth_call_t *call) {
  (void)args;
  const berth_ngrams_t *plan = arg;
  const berth_tensor_t *splits = call->inputs[1];
  void *texts = NULL, *ends = NULL;
  int64_t total = 0, count = splits->count;
  BERTH_TRY(check_splits(call));
  if (count == 0) {
    BERTH_TRY(berth_cpu_make(call, 1, 1, &count, &ends));
    return berth_cpu_make(call, 0, 1, &call->inputs[0]->count, &texts);
  }
  BERTH_TRY(berth_cpu_make(call, 1, 1, &count, &ends));
  berth_index_set(splits->dtype, ends, 0, 0);
  for (int64_t i = 0; i < plan->rows; ++i) {
    bool is_short = false;
    total += row_count(plan,
                       berth_index_at(splits->dtype, splits->data, i + 1) -
                           berth_index_at(splits->dtype, splits->data, i),
                       &is_short);
    berth_index_set(splits->dtype, ends, i + 1, total);
  }
  BERTH_TRY(berth_cpu_make(call, 0, 1, &total, &texts));
  return put_rows(call, plan, texts);
}
BERTH_CPU_MAKES(ngrams)

static berth_code_t prepare_ngrams(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_ngrams_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  prepare->run = run_ngrams;
  prepare->work = prepare->op.inputs[0].count * 100;
  return berth_op_ngrams(&prepare->op, plan, err);
}

// ---- UnsortedSegmentJoin ----

typedef struct join {
  berth_segment_join_t sizes;
  berth_dtype_t type;  // Of places.
} join_t;

// Appends the texts of |segment| in column |inner|.
static void put_segment(const join_t *plan, void *const *args,
                        const berth_call_t *call, int64_t segment,
                        int64_t inner, berth_str_t *str) {
  const berth_string_t *texts = args[0];
  bool is_first = true;
  for (int64_t i = 0; i < plan->sizes.count; ++i) {
    if (berth_index_at(plan->type, args[1], i) != segment) continue;
    if (!is_first) put_attr(call->node, "separator", str);
    put_string(&texts[i * plan->sizes.inner + inner], str);
    is_first = false;
  }
}

static berth_code_t run_join(const void *arg, void *const *args,
                             berth_call_t *call) {
  const join_t *plan = arg;
  berth_string_t *out = args[3];
  berth_str_t str = {0};
  for (int64_t i = 0; i < plan->sizes.count; ++i) {
    int64_t place = berth_index_at(plan->type, args[1], i);
    if (place >= 0 && place < plan->sizes.segments) continue;
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "segment_ids are not allowed to exceed num_segments "
                           "or to have negative values.");
  }
  berth_code_t code = BERTH_OK;
  int64_t count = plan->sizes.segments * plan->sizes.inner;
  for (int64_t i = 0; code == BERTH_OK && i < count; ++i) {
    if (berth_cpu_has_ended(call)) break;
    put_segment(plan, args, call, i / plan->sizes.inner, i % plan->sizes.inner,
                &str);
    code = berth_text_take(&str, &out[i], call->err);
  }
  berth_str_clear(&str);
  return code;
}

static berth_code_t prepare_join(berth_prepare_t *prepare, berth_error_t *err) {
  join_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  plan->type = prepare->op.inputs[1].dtype;
  prepare->run = run_join;
  prepare->work = prepare->op.inputs[0].count * 100;
  return berth_op_segment_join(&prepare->op, &plan->sizes, err);
}

// ---- Fingerprint ----

typedef struct rows {
  int64_t rows, inner;  // Elements of each row.
  berth_dtype_t dtype;
} rows_t;

static void put_mark(uint64_t mark, uint8_t *out) {
  for (int i = 0; i < 8; ++i) out[i] = (uint8_t)(mark >> 8 * i);
}

static uint64_t mark_of(const berth_string_t *string) {
  size_t size = 0;
  const char *text = berth_string_get(string, &size);
  return berth_fingerprint_farm(text, size);
}

// A row of several texts is marked by the marks of each.
static berth_code_t mark_texts(const rows_t *plan, const berth_string_t *texts,
                               uint8_t *out, berth_error_t *err) {
  if (plan->inner == 1) {
    for (int64_t i = 0; i < plan->rows; ++i)
      put_mark(mark_of(&texts[i]), &out[8 * i]);
    return BERTH_OK;
  }
  uint8_t *marks = berth_alloc((size_t)plan->inner * 8 + 1);
  if (marks == NULL) return berth_error_no_memory(err, "fingerprints");
  for (int64_t row = 0; row < plan->rows; ++row) {
    for (int64_t i = 0; i < plan->inner; ++i) {
      put_mark(mark_of(&texts[row * plan->inner + i]), &marks[8 * i]);
    }
    put_mark(
        berth_fingerprint_farm((const char *)marks, (size_t)plan->inner * 8),
        &out[8 * row]);
  }
  berth_free(marks);
  return BERTH_OK;
}

static berth_code_t run_fingerprint(const void *arg, void *const *args,
                                    berth_call_t *call) {
  const rows_t *plan = arg;
  uint8_t *out = args[2];
  if (plan->dtype == BERTH_STRING) {
    return mark_texts(plan, args[0], out, call->err);
  }
  size_t size = (size_t)plan->inner * berth_dtype_size(plan->dtype);
  for (int64_t i = 0; i < plan->rows; ++i) {
    const char *row = (const char *)args[0] + (size_t)i * size;
    put_mark(berth_fingerprint_farm(row, size), &out[8 * i]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_fingerprint(berth_prepare_t *prepare,
                                        berth_error_t *err) {
  BERTH_TRY(berth_op_fingerprint(&prepare->op, err));
  rows_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  const berth_case_input_t *data = &prepare->op.inputs[0];
  *plan = (rows_t){.rows = data->count == 0 ? 0 : data->dims[0],
                   .dtype = data->dtype};
  plan->inner = plan->rows > 0 ? data->count / plan->rows : 0;
  prepare->run = run_fingerprint;
  prepare->work = data->count;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_text_pieces_kernels[] = {
    {.op = "StringNGrams",
     .types = {{"Tsplits", BERTH_TYPES_INDEX}},
     .prepare = prepare_ngrams},
    {.op = "UnsortedSegmentJoin",
     .types = {{"Tindices", BERTH_TYPES_INDEX},
               {"Tnumsegments", BERTH_TYPES_INDEX}},
     .prepare = prepare_join},
    {.op = "Fingerprint", .prepare = prepare_fingerprint},
    {.op = NULL},
};
