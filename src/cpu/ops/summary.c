// summary.c - Kernels that describe values for TensorBoard, as messages Summary.
#include "cpu/ops/summary.h"

#include <string.h>

#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "io/message.h"

enum { VALUE = 1, TAG = 1, NODE_NAME = 7, TENSOR = 8 };  // Fields.

static const char *text_of(const berth_string_t *string) {
  size_t size = 0;
  return berth_string_get(string, &size);
}

static size_t size_of(const berth_string_t *string) {
  size_t size = 0;
  (void)berth_string_get(string, &size);
  return size;
}

// Stores |message| in |out| unless |code| says that it is none, and empties it.
static berth_code_t keep(berth_code_t code, berth_str_t *message, void *out,
                         berth_error_t *err) {
  bool ok = code != BERTH_OK ||
            (berth_str_ok(message) &&
             berth_string_set(out, berth_str_get(message), message->size));
  berth_str_clear(message);
  return ok ? code : berth_error_no_memory(err, "a summary");
}

typedef struct plan {
  berth_dtype_t dtype;
  int32_t rank;
  int64_t count;
  berth_image_summary_t images;
  berth_audio_summary_t audio;
  int64_t dims[];
} plan_t;

static berth_summary_data_t data_of(const plan_t *plan,
                                    const berth_string_t *tag,
                                    const void *data) {
  return (berth_summary_data_t){.tag = tag,
                                .dtype = plan->dtype,
                                .dims = {plan->rank, plan->dims},
                                .count = plan->count,
                                .data = data};
}

// ---- One value ----

static berth_code_t run_scalar(const void *arg, void *const *args,
                               berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_string_t *tags = args[0];
  berth_str_t summary = {0};
  for (int64_t i = 0; i < plan->count; ++i) {
    berth_summary_put_number(&summary, &tags[i],
                             (float)berth_number_at(plan->dtype, args[1], i));
  }
  return keep(BERTH_OK, &summary, args[2], call->err);
}

static berth_code_t run_histogram(const void *arg, void *const *args,
                                  berth_call_t *call) {
  berth_str_t summary = {0};
  berth_summary_data_t data = data_of(arg, args[0], args[1]);
  berth_summary_words_t words = {"Infinity in Histogram", call->node->name};
  berth_code_t code =
      berth_summary_put_histogram(&summary, &data, &words, call->err);
  return keep(code, &summary, args[2], call->err);
}

static berth_code_t run_image(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_str_t summary = {0};
  berth_summary_data_t data = data_of(plan, args[0], args[1]);
  berth_code_t code =
      berth_summary_put_images(&summary, &data, &plan->images, call->err);
  return keep(code, &summary, args[2], call->err);
}

static berth_code_t run_audio(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  const berth_node_t *node = call->node;
  berth_str_t summary = {0};
  berth_summary_data_t data = data_of(plan, args[0], args[1]);
  // An older op says the rate by an attribute.
  float rate = node->input_count == 3
                   ? *(const float *)args[2]
                   : berth_node_attr_float(node, "sample_rate", 0);
  berth_code_t code =
      berth_summary_put_audio(&summary, &data, &plan->audio, rate, call->err);
  return keep(code, &summary, args[node->input_count], call->err);
}

static berth_code_t run_tensor(const void *arg, void *const *args,
                               berth_call_t *call) {
  berth_str_t summary = {0};
  berth_summary_data_t data = data_of(arg, args[0], args[1]);
  berth_summary_put_tensor(&summary, &data, args[2]);
  return keep(BERTH_OK, &summary, args[3], call->err);
}

// Says a node's name where later summaries have a tag.
static berth_code_t run_named_tensor(const void *arg, void *const *args,
                                     berth_call_t *call) {
  berth_str_t summary = {0}, value = {0}, tensor = {0};
  berth_summary_data_t data = data_of(arg, NULL, args[0]);
  const char *name = call->node->name;
  berth_field_text(&value, NODE_NAME, name, strlen(name));
  berth_summary_put_proto(&tensor, &data);
  berth_field_message(&value, TENSOR, &tensor);
  berth_field_message(&summary, VALUE, &value);
  return keep(BERTH_OK, &summary, args[1], call->err);
}

// ---- Several ----

// Reads the next value of a summary, and its tag; false at the end or where it
// is none.
static bool value_next(berth_varints_t *at, berth_varints_t *out_tag,
                       bool *out_is_bad) {
  uint64_t key = 0, size = 0;
  *out_is_bad = at->at < at->end;
  if (at->at == at->end || !berth_varint_read(at, &key) ||
      key != (VALUE << 3 | BERTH_FIELD_BYTES) ||
      !berth_varint_read(at, &size) || size > (uint64_t)(at->end - at->at)) {
    return false;
  }
  berth_varints_t inner = {at->at, at->at + size};
  at->at = inner.end;
  *out_tag = (berth_varints_t){inner.at, inner.at};
  if (berth_varint_read(&inner, &key) &&
      key == (TAG << 3 | BERTH_FIELD_BYTES) &&
      berth_varint_read(&inner, &size) &&
      size <= (uint64_t)(inner.end - inner.at)) {
    *out_tag = (berth_varints_t){inner.at, inner.at + size};
  }
  return true;
}

static bool is_tag(const berth_varints_t *a, const berth_varints_t *b) {
  size_t size = (size_t)(a->end - a->at);
  return size == (size_t)(b->end - b->at) && memcmp(a->at, b->at, size) == 0;
}

// Fails where |tag| is among the tags of |summary|.
static berth_code_t check_tag(const berth_str_t *summary,
                              const berth_varints_t *tag, berth_error_t *err) {
  const unsigned char *bytes = (const void *)berth_str_get(summary);
  berth_varints_t at = {bytes, bytes + summary->size}, other;
  bool is_bad = false;
  while (value_next(&at, &other, &is_bad)) {
    if (tag->at == tag->end || !is_tag(&other, tag)) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Duplicate tag %.*s found in summary inputs ",
                           (int)(tag->end - tag->at), (const char *)tag->at);
  }
  return BERTH_OK;
}

static berth_code_t summary_add(berth_str_t *summary,
                                const berth_string_t *more,
                                berth_error_t *err) {
  const unsigned char *bytes = (const void *)text_of(more);
  berth_varints_t at = {bytes, bytes + size_of(more)}, tag;
  bool is_bad = false;
  const unsigned char *begin = at.at;
  while (value_next(&at, &tag, &is_bad)) {
    BERTH_TRY(check_tag(summary, &tag, err));
    berth_str_put(summary, (const char *)begin, (size_t)(at.at - begin));
    begin = at.at;
  }
  if (!is_bad) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Could not parse one of the summary inputs");
}

static berth_code_t run_merge(const void *arg, void *const *args,
                              berth_call_t *call) {
  const plan_t *plan = arg;
  berth_str_t summary = {0};
  int inputs = call->node->input_count;
  for (int i = 0; i < inputs; ++i) {
    const berth_string_t *strings = args[i];
    int64_t count = inputs == 1 ? plan->count : 1;
    for (int64_t j = 0; j < count; ++j) {
      berth_code_t code = summary_add(&summary, &strings[j], call->err);
      if (code == BERTH_OK) continue;
      berth_str_clear(&summary);
      return code;
    }
  }
  return keep(BERTH_OK, &summary, args[inputs], call->err);
}

// ---- Preparing ----

static plan_t *plan_new(berth_prepare_t *prepare, int values) {
  const berth_case_input_t *in = &prepare->op.inputs[values];
  size_t dims_bytes = (size_t)in->rank * sizeof(int64_t);
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan) + dims_bytes);
  if (plan == NULL) return NULL;
  plan->count = in->count;
  plan->dtype = in->dtype;
  plan->rank = in->rank;
  for (int32_t i = 0; i < in->rank; ++i) plan->dims[i] = in->dims[i];
  prepare->work = plan->count * 30;
  return plan;
}

// Defines prepare_<name>(), whose values are input |values|.
#define PREPARE(name, values, check)                               \
  static berth_code_t prepare_##name(berth_prepare_t *prepare,     \
                                     berth_error_t *err) {         \
    plan_t *plan = plan_new(prepare, values);                      \
    if (plan == NULL) return berth_error_no_memory(err, "a plan"); \
    prepare->run = run_##name;                                     \
    return check;                                                  \
  }

PREPARE(scalar, 1, berth_op_scalar_summary(&prepare->op, err))
PREPARE(histogram, 1, berth_op_histogram_summary(&prepare->op, err))
PREPARE(image, 1, berth_op_image_summary(&prepare->op, &plan->images, err))
PREPARE(audio, 1, berth_op_audio_summary(&prepare->op, &plan->audio, err))
PREPARE(tensor, 1, berth_op_tensor_summary(&prepare->op, err))
PREPARE(named_tensor, 0, berth_op_tensor_summary(&prepare->op, err))
PREPARE(merge, 0, berth_op_merge_summary(&prepare->op, err))

const berth_kernel_t berth_cpu_summary_kernels[] = {
    {.op = "AudioSummary", .prepare = prepare_audio},
    {.op = "HistogramSummary", .prepare = prepare_histogram},
    {.op = "ImageSummary", .prepare = prepare_image},
    {.op = "MergeSummary", .prepare = prepare_merge},
    {.op = "ScalarSummary", .prepare = prepare_scalar},
    {.op = "TensorSummary", .prepare = prepare_named_tensor},
    {.op = "TensorSummaryV2", .prepare = prepare_tensor},
    {.op = NULL},
};
