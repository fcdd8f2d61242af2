// options.c - What a program says about how a dataset is gone through.
//
// OptionsDataset holds TensorFlow's message Options. Obeyed are the order of
// elements and the number of threads; the rest is about how TensorFlow rewrites
// datasets.
#include "data/kernels.h"
#include "graph/graph.h"
#include "io/message.h"

// Fields of Options, and of its ThreadingOptions.
enum { DETERMINISTIC = 1, THREADING = 5, PRIVATE_THREADS = 2 };

typedef struct options {
  berth_dataset_t base;
  berth_element_order_t order;
  int most_threads;
} options_t;

// Reads the key of a field, and its number or the size of its bytes.
static bool read_field(berth_varints_t *at, int *out_field, uint64_t *out_value,
                       bool *out_bytes) {
  uint64_t key = 0;
  berth_varints_t before = *at;
  if (!berth_varint_read(at, &key)) return false;
  *out_field = (int)(key >> 3);
  *out_bytes = (key & 7) == BERTH_FIELD_BYTES;
  if (!*out_bytes && (key & 7) != BERTH_FIELD_NUMBER) {
    *out_field = 0;
    *at = before;
    return berth_field_skip(at);
  }
  if (!berth_varint_read(at, out_value)) return false;
  return !*out_bytes || *out_value <= (uint64_t)(at->end - at->at);
}

static void read_threading(options_t *options, berth_varints_t at) {
  int field = 0;
  uint64_t value = 0;
  bool has_bytes = false;
  while (at.at < at.end && read_field(&at, &field, &value, &has_bytes)) {
    if (has_bytes) at.at += value;
    if (field == PRIVATE_THREADS && value < INT32_MAX) {
      options->most_threads = (int)value;
    }
  }
}

static void read_options(options_t *options, berth_varints_t at) {
  int field = 0;
  uint64_t value = 0;
  bool has_bytes = false;
  while (at.at < at.end && read_field(&at, &field, &value, &has_bytes)) {
    if (field == DETERMINISTIC && !has_bytes) {
      options->order = value != 0 ? BERTH_ORDER_KEPT : BERTH_ORDER_ANY;
    }
    if (field == THREADING && has_bytes) {
      read_threading(options, (berth_varints_t){at.at, at.at + value});
    }
    if (has_bytes) at.at += value;
  }
}

// Options that are further out count more.
static berth_code_t options_open(berth_cursor_t *base, berth_error_t *err) {
  const options_t *options = (const options_t *)base->dataset;
  berth_reading_t *reading = base->reading;
  if (reading->order == BERTH_ORDER_DEFAULT) reading->order = options->order;
  if (reading->most_threads == 0) {
    reading->most_threads = options->most_threads;
  }
  return berth_cursor_open_input(base, err);
}

static berth_code_t options_next(berth_cursor_t *base, berth_tensor_t **out,
                                 bool *out_end, berth_error_t *err) {
  return berth_cursor_next(base->input, out, out_end, err);
}

static int64_t options_count(const berth_dataset_t *dataset) {
  return berth_dataset_count(dataset->inputs[0]);
}

static const berth_dataset_kind_t options_kind = {
    .name = "OptionsDataset",
    .size = sizeof(options_t),
    .cursor_size = sizeof(berth_cursor_t),
    .open = options_open,
    .next = options_next,
    .count = options_count,
};

static berth_code_t make_options(berth_call_t *call,
                                 berth_dataset_t **out_dataset) {
  BERTH_TRY(berth_dataset_make(&options_kind, call, 1, out_dataset, call->err));
  const berth_attr_value_t *value =
      berth_node_attr(call->node, "serialized_options");
  if (value != NULL && value->s.size > 0) {
    const unsigned char *bytes = (const unsigned char *)value->s.text;
    read_options((options_t *)*out_dataset,
                 (berth_varints_t){bytes, bytes + value->s.size});
  }
  return BERTH_OK;
}

BERTH_DATASET(options)

const berth_kernel_t berth_data_options_kernels[] = {
    BERTH_DATA_OP("OptionsDataset", options),
    {.op = NULL},
};
