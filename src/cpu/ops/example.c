// example.c - The kernels ParseExampleV2, ParseExample, ParseSingleExample.
//
// 1. Every record is walked once, and where it has a feature that is wanted is
//    noted: a row of slices for each feature.
// 2. Feature by feature, the slices are looked through and copied.
#include "op/example.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "io/example.h"
#include "tensor/string.h"

// A feature that is wanted.
typedef struct wanted {
  berth_slice_t key;
  berth_dtype_t dtype;
  berth_feature_t *found;  // One for each record; without a type: none.
} wanted_t;

// A call while it lasts.
typedef struct parse {
  const berth_example_plan_t *plan;
  berth_call_t *call;
  int64_t count;     // Records.
  int wanted_count;  // Sparse, dense, ragged.
  wanted_t *wanted;
  berth_feature_t *found;
  // Places of |wanted| by the hash of their keys, a power of two; -1: none.
  int32_t *slots;
  uint64_t mask;
  atomic_llong bad;  // The first record that is none, or |count|.
} parse_t;

// ---- Finding ----

static uint64_t hash_key(berth_slice_t key) {
  return berth_hash(key.bytes, key.size, 0);
}

static bool same_key(berth_slice_t a, berth_slice_t b) {
  return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// One record on its walk.
typedef struct walk {
  const parse_t *parse;
  int64_t record;
} walk_t;

static void note(void *arg, berth_slice_t key, berth_slice_t feature) {
  const walk_t *walk = arg;
  const parse_t *parse = walk->parse;
  for (uint64_t slot = hash_key(key) & parse->mask; parse->slots[slot] >= 0;
       slot = (slot + 1) & parse->mask) {
    wanted_t *wanted = &parse->wanted[parse->slots[slot]];
    if (!same_key(key, wanted->key)) continue;
    // More may be wanted under one key.
    wanted->found[walk->record].list = feature;
  }
}

static void walk_records(void *arg, int64_t begin, int64_t end) {
  parse_t *parse = arg;
  const berth_string_t *texts = parse->call->inputs[0]->data;
  for (int64_t i = begin; i < end; ++i) {
    walk_t walk = {parse, i};
    berth_slice_t record;
    record.bytes = berth_string_get(&texts[i], &record.size);
    if (berth_example_walk(record, note, &walk)) continue;
    long long first = atomic_load(&parse->bad);
    while (i < first && !atomic_compare_exchange_weak(&parse->bad, &first, i)) {
    }
  }
}

static berth_code_t find_features(parse_t *parse) {
  enum { GRAIN = 16 };
  atomic_init(&parse->bad, parse->count);
  if (!berth_parallel_for(parse->count, GRAIN, walk_records, parse)) {
    return berth_cpu_ended(parse->call);
  }
  int64_t bad = atomic_load(&parse->bad);
  if (bad == parse->count) return BERTH_OK;
  size_t size = 0;
  const char *text = berth_string_get(
      (const berth_string_t *)parse->call->inputs[0]->data + bad, &size);
  return berth_error_set(parse->call->err, BERTH_INVALID_ARGUMENT,
                         "Could not parse example input, value: '%.*s'",
                         (int)size, text);
}

// ---- Errors, in TensorFlow's words ----

// Appends "Name: …, " where records make a batch.
static void put_name(const parse_t *parse, int64_t record, berth_str_t *str) {
  if (!parse->plan->is_batch) return;
  const berth_tensor_t *names = parse->call->inputs[parse->plan->names];
  size_t size = 9;
  const char *name = "<unknown>";
  if (names->count > record) {
    name =
        berth_string_get((const berth_string_t *)names->data + record, &size);
  }
  berth_str_printf(str, "Name: %.*s, ", (int)size, name);
}

static berth_code_t fail(const parse_t *parse, berth_str_t *str) {
  berth_code_t code = berth_error_set_text(
      parse->call->err, BERTH_INVALID_ARGUMENT, berth_str_get(str));
  berth_str_clear(str);
  return code;
}

// Says what is wrong with a feature of one record.
static berth_code_t fail_feature(const parse_t *parse, const wanted_t *wanted,
                                 int64_t record, const char *what) {
  berth_str_t str = {0};
  put_name(parse, record, &str);
  berth_str_printf(&str, "Key: %.*s", (int)wanted->key.size, wanted->key.bytes);
  if (parse->plan->is_batch) {
    berth_str_printf(&str, ", Index: %lld", (long long)record);
  }
  berth_str_printf(&str, ".  %s", what);
  return fail(parse, &str);
}

static berth_code_t fail_missing(const parse_t *parse, const wanted_t *wanted,
                                 int64_t record) {
  berth_str_t str = {0};
  put_name(parse, record, &str);
  berth_str_printf(&str,
                   "Feature: %.*s (data type: %s) is required but could not be "
                   "found.",
                   (int)wanted->key.size, wanted->key.bytes,
                   berth_dtype_name(wanted->dtype));
  return fail(parse, &str);
}

static const char *list_name(berth_dtype_t dtype) {
  return dtype == BERTH_STRING  ? "bytes"
         : dtype == BERTH_FLOAT ? "float"
                                : "int64";
}

// Says that a list is none, or too long for texts.
static berth_code_t fail_list(const parse_t *parse, const wanted_t *wanted,
                              int64_t record) {
  char what[128];
  (void)snprintf(what, sizeof(what),
                 parse->plan->is_batch ? "Can't parse serialized Example."
                                       : "Can't parse serialized Example: "
                                         "Parsing %s_list failed.",
                 list_name(wanted->dtype));
  return fail_feature(parse, wanted, record, what);
}

static berth_code_t fail_type(const parse_t *parse, const wanted_t *wanted,
                              int64_t record, bool is_dense) {
  char what[128];
  const char *has = berth_dtype_name(wanted->found[record].dtype);
  const char *is_wanted = berth_dtype_name(wanted->dtype);
  (void)snprintf(what, sizeof(what), "Data types don't match. %s: %s%s: %s",
                 is_dense ? "Data type" : "Expected type",
                 is_dense ? has : is_wanted,
                 is_dense ? " but expected type" : ", Actual type",
                 is_dense ? is_wanted : has);
  return fail_feature(parse, wanted, record, what);
}

// ---- Features of one key ----

// Reads the feature of one record, and checks its type.
static berth_code_t read_feature(const parse_t *parse, const wanted_t *wanted,
                                 int64_t record, bool is_dense) {
  berth_slice_t message = wanted->found[record].list;
  bool is_sound = berth_feature_read(message, &wanted->found[record]);
  berth_dtype_t dtype = wanted->found[record].dtype;
  if (dtype != 0 && dtype != wanted->dtype) {
    return fail_type(parse, wanted, record, is_dense);
  }
  return is_sound ? BERTH_OK : fail_list(parse, wanted, record);
}

static berth_code_t read_features(const parse_t *parse,
                                  const wanted_t *wanted) {
  for (int64_t i = 0; i < parse->count; ++i) {
    BERTH_TRY(read_feature(parse, wanted, i, false));
  }
  return BERTH_OK;
}

static berth_code_t make(berth_call_t *call, int index, int32_t rank,
                         const int64_t *dims) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i) count *= dims[i];
  return berth_tensor_make(call->allocator, call->node->output_types[index],
                           rank, dims, count, &call->outputs[index], call->err);
}

// Counts all values of a feature, and the most that one record has.
static void count_values(const parse_t *parse, const wanted_t *wanted,
                         int64_t *out_count, int64_t *out_most) {
  *out_count = *out_most = 0;
  for (int64_t i = 0; i < parse->count; ++i) {
    int64_t count = (int64_t)wanted->found[i].count;
    *out_count += count;
    if (count > *out_most) *out_most = count;
  }
}

// Copies the values of all records, one behind the other.
static berth_code_t copy_values(const parse_t *parse, const wanted_t *wanted,
                                berth_tensor_t *values) {
  char *to = values->data;
  for (int64_t i = 0; i < parse->count; ++i) {
    const berth_feature_t *feature = &wanted->found[i];
    if (!berth_feature_copy(feature, to)) {
      return berth_error_no_memory(parse->call->err, "a feature");
    }
    to += feature->count * berth_dtype_size(values->dtype);
  }
  return BERTH_OK;
}

// ---- Sparse features ----

static berth_code_t parse_sparse(const parse_t *parse, int index) {
  berth_call_t *call = parse->call;
  const wanted_t *wanted = &parse->wanted[index];
  int sparse = parse->plan->sparse;
  bool is_batch = parse->plan->is_batch;
  int64_t count = 0, most = 0;
  BERTH_TRY(read_features(parse, wanted));
  count_values(parse, wanted, &count, &most);
  int64_t places[] = {count, is_batch ? 2 : 1};
  BERTH_TRY(make(call, index, 2, places));
  BERTH_TRY(make(call, sparse + index, 1, &count));
  BERTH_TRY(make(call, 2 * sparse + index, 1, &places[1]));
  int64_t *place = call->outputs[index]->data;
  for (int64_t i = 0; i < parse->count; ++i) {
    for (size_t k = 0; k < wanted->found[i].count; ++k) {
      if (is_batch) *place++ = i;
      *place++ = (int64_t)k;
    }
  }
  int64_t *shape = call->outputs[2 * sparse + index]->data;
  if (is_batch) *shape++ = parse->count;
  *shape = most;
  return copy_values(parse, wanted, call->outputs[sparse + index]);
}

// ---- Ragged features ----

static berth_code_t parse_ragged(const parse_t *parse, int index) {
  berth_call_t *call = parse->call;
  const berth_example_plan_t *plan = parse->plan;
  const wanted_t *wanted = &parse->wanted[plan->sparse + plan->dense + index];
  int out = 3 * plan->sparse + plan->dense + index;
  int64_t count = 0, most = 0;
  int64_t split_count = plan->is_batch ? parse->count + 1 : 0;
  BERTH_TRY(read_features(parse, wanted));
  count_values(parse, wanted, &count, &most);
  BERTH_TRY(make(call, out, 1, &count));
  BERTH_TRY(make(call, out + plan->ragged, 1, &split_count));
  const berth_tensor_t *splits = call->outputs[out + plan->ragged];
  int64_t at = 0;
  for (int64_t i = 0; i < split_count; ++i) {
    berth_index_set(splits->dtype, splits->data, i, at);
    if (i < parse->count) at += (int64_t)wanted->found[i].count;
  }
  return copy_values(parse, wanted, call->outputs[out]);
}

// ---- Dense features ----

// One dense feature.
typedef struct dense {
  const wanted_t *wanted;
  const berth_dims_t *shape;       // Of one record's values.
  const berth_tensor_t *defaults;  // Borrowed.
  int64_t size;  // Elements of a record, or of a row where rows vary.
  int64_t rows;  // The most that a record has; 1 where they do not vary.
} dense_t;

static berth_code_t check_size(const parse_t *parse, const dense_t *dense,
                               int64_t record) {
  char what[BERTH_DIMS_TEXT + 160], shape[BERTH_DIMS_TEXT];
  const wanted_t *wanted = dense->wanted;
  int64_t count = (int64_t)wanted->found[record].count;
  const char *list = list_name(wanted->dtype);
  if (count == dense->size) return BERTH_OK;
  if (wanted->dtype == BERTH_STRING && count > dense->size) {
    return fail_list(parse, wanted, record);
  }
  if (!parse->plan->is_batch) {
    (void)snprintf(what, sizeof(what),
                   "Can't parse serialized Example: Some %s_list slice was not "
                   "parsed.",
                   list);
  } else {
    (void)snprintf(what, sizeof(what),
                   "Number of %s values != expected.  Values size: %lld but "
                   "output shape: %s",
                   list, (long long)count,
                   berth_dims_text(*dense->shape, shape));
  }
  return fail_feature(parse, wanted, record, what);
}

static berth_code_t check_rows(const parse_t *parse, const dense_t *dense,
                               int64_t record) {
  char what[BERTH_DIMS_TEXT + 160], shape[BERTH_DIMS_TEXT];
  const wanted_t *wanted = dense->wanted;
  long long count = (long long)wanted->found[record].count;
  if (dense->size > 0 && count % dense->size == 0) return BERTH_OK;
  if (!parse->plan->is_batch) {
    return berth_error_set(parse->call->err, BERTH_INVALID_ARGUMENT,
                           "Error while parsing feature with key %.*s: number "
                           "of elements should be divisible by %lld, found "
                           "%lld instead",
                           (int)wanted->key.size, wanted->key.bytes,
                           (long long)dense->size, count);
  }
  (void)snprintf(what, sizeof(what),
                 "Number of %s values is not a multiple of stride length. Saw "
                 "%lld values but output shape is: %s",
                 list_name(wanted->dtype), count,
                 berth_dims_text(*dense->shape, shape));
  return fail_feature(parse, wanted, record, what);
}

static berth_code_t read_dense(const parse_t *parse, dense_t *dense) {
  const wanted_t *wanted = dense->wanted;
  bool has_rows = berth_example_has_rows(dense->shape);
  int64_t most = 0;
  for (int64_t i = 0; i < parse->count; ++i) {
    BERTH_TRY(read_feature(parse, wanted, i, true));
    if (has_rows) {
      BERTH_TRY(check_rows(parse, dense, i));
    } else if (wanted->found[i].dtype != 0) {
      BERTH_TRY(check_size(parse, dense, i));
    } else if (dense->defaults->count == 0) {
      return fail_missing(parse, wanted, i);
    }
    int64_t count = (int64_t)wanted->found[i].count;
    if (count > most) most = count;
  }
  dense->rows = has_rows ? (dense->size > 0 ? most / dense->size : 0) : 1;
  return BERTH_OK;
}

// Fills what record |i| has not: all, by its defaults, or the rows behind its
// own, by the one that pads.
static bool fill_rest(const dense_t *dense, const berth_feature_t *feature,
                      char *to) {
  berth_dtype_t dtype = dense->wanted->dtype;
  size_t element = berth_dtype_size(dtype);
  if (!berth_example_has_rows(dense->shape)) {
    return feature->dtype != 0 ||
           berth_elements_copy(dtype, to, dense->defaults->data, dense->size);
  }
  for (int64_t k = (int64_t)feature->count; k < dense->rows * dense->size;
       ++k) {
    if (!berth_elements_copy(dtype, to + (size_t)k * element,
                             dense->defaults->data, 1)) {
      return false;
    }
  }
  return true;
}

static berth_code_t fill_dense(const parse_t *parse, const dense_t *dense,
                               berth_tensor_t *out) {
  size_t stride =
      (size_t)(dense->rows * dense->size) * berth_dtype_size(out->dtype);
  for (int64_t i = 0; i < parse->count; ++i) {
    const berth_feature_t *feature = &dense->wanted->found[i];
    char *to = (char *)out->data + (size_t)i * stride;
    if (stride == 0) break;
    if (!berth_feature_copy(feature, to) || !fill_rest(dense, feature, to)) {
      return berth_error_no_memory(parse->call->err, "a feature");
    }
  }
  return BERTH_OK;
}

static berth_code_t parse_dense(const parse_t *parse, int index) {
  berth_call_t *call = parse->call;
  const berth_example_plan_t *plan = parse->plan;
  int out = 3 * plan->sparse + index;
  dense_t dense = {
      .wanted = &parse->wanted[plan->sparse + index],
      .shape = &berth_node_attr(call->node, "dense_shapes")->shape_list[index],
      .defaults = call->inputs[plan->defaults + index],
      .size = 1};
  bool has_rows = berth_example_has_rows(dense.shape);
  int64_t dims[BERTH_MAX_RANK + 1] = {parse->count};
  int32_t first = plan->is_batch ? 1 : 0;
  for (int32_t i = 0; i < dense.shape->rank; ++i) {
    dims[first + i] = dense.shape->dims[i];
    if (i > 0 || !has_rows) dense.size *= dense.shape->dims[i];
  }
  BERTH_TRY(read_dense(parse, &dense));
  if (has_rows) dims[first] = dense.rows;
  BERTH_TRY(make(call, out, first + dense.shape->rank, dims));
  return fill_dense(parse, &dense, call->outputs[out]);
}

// ---- All of them ----

// Returns key |index| of one kind, whose keys begin at |input|, or stand in the
// attribute |attr|.
static berth_slice_t key_of(const parse_t *parse, int input, const char *attr,
                            int index) {
  const berth_call_t *call = parse->call;
  berth_slice_t key;
  if (parse->plan->names < 0) {
    const berth_attr_text_t *text =
        &berth_node_attr(call->node, attr)->s_list[index];
    return (berth_slice_t){text->text, text->size};
  }
  bool is_list = parse->plan->has_key_lists;
  const berth_tensor_t *keys = call->inputs[is_list ? input + index : input];
  const berth_string_t *text =
      (const berth_string_t *)keys->data + (is_list ? 0 : index);
  key.bytes = berth_string_get(text, &key.size);
  return key;
}

static void add_wanted(parse_t *parse, int place, berth_slice_t key,
                       berth_dtype_t dtype) {
  parse->wanted[place] =
      (wanted_t){key, dtype, parse->found + place * parse->count};
  uint64_t slot = hash_key(key) & parse->mask;
  while (parse->slots[slot] >= 0) slot = (slot + 1) & parse->mask;
  parse->slots[slot] = place;
}

// Notes all features that are wanted; false when memory is short.
static bool parse_begin(parse_t *parse) {
  const berth_example_plan_t *plan = parse->plan;
  const berth_dtype_t *types = parse->call->node->output_types;
  size_t count = (size_t)parse->wanted_count, slots = 4;
  while (slots < 2 * count + 2) slots *= 2;
  parse->mask = slots - 1;
  parse->wanted = berth_calloc(count + 1, sizeof(*parse->wanted));
  parse->found =
      berth_calloc(count * (size_t)parse->count + 1, sizeof(*parse->found));
  parse->slots = berth_alloc(slots * sizeof(*parse->slots));
  if (parse->wanted == NULL || parse->found == NULL || parse->slots == NULL) {
    return false;
  }
  for (size_t i = 0; i < slots; ++i) parse->slots[i] = -1;
  for (int i = 0; i < plan->sparse; ++i) {
    add_wanted(parse, i, key_of(parse, plan->sparse_keys, "sparse_keys", i),
               types[plan->sparse + i]);
  }
  for (int i = 0; i < plan->dense; ++i) {
    add_wanted(parse, plan->sparse + i,
               key_of(parse, plan->dense_keys, "dense_keys", i),
               types[3 * plan->sparse + i]);
  }
  for (int i = 0; i < plan->ragged; ++i) {
    add_wanted(parse, plan->sparse + plan->dense + i,
               key_of(parse, plan->ragged_keys, "", i),
               types[3 * plan->sparse + plan->dense + i]);
  }
  return true;
}

static berth_code_t parse_all(parse_t *parse) {
  const berth_example_plan_t *plan = parse->plan;
  BERTH_TRY(find_features(parse));
  for (int i = 0; i < plan->dense; ++i) BERTH_TRY(parse_dense(parse, i));
  for (int i = 0; i < plan->sparse; ++i) BERTH_TRY(parse_sparse(parse, i));
  for (int i = 0; i < plan->ragged; ++i) BERTH_TRY(parse_ragged(parse, i));
  return BERTH_OK;
}

static berth_code_t run_parse(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)args;
  parse_t parse = {.plan = plan, .call = call, .count = call->inputs[0]->count};
  parse.wanted_count =
      parse.plan->sparse + parse.plan->dense + parse.plan->ragged;
  for (int i = 0; i < call->node->output_count; ++i) call->outputs[i] = NULL;
  berth_code_t code = parse_begin(&parse)
                          ? parse_all(&parse)
                          : berth_error_no_memory(call->err, "features");
  for (int i = 0; code != BERTH_OK && i < call->node->output_count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  berth_free(parse.wanted);
  berth_free(parse.found);
  berth_free(parse.slots);
  return code;
}

static berth_code_t prepare_parse(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_example_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_parse_example(&prepare->op, plan, err));
  prepare->run = run_parse;
  prepare->work = prepare->op.inputs[0].count * 1000;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_example_kernels[] = {
    {.op = "ParseExample", .prepare = prepare_parse},
    {.op = "ParseSingleExample", .prepare = prepare_parse},
    {.op = NULL},
};
