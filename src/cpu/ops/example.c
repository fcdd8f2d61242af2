// example.c - The kernel ParseExampleV2.
//
// Records are read into an arena, then each feature is gathered from all.
#include "op/example.h"

#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "io/example.h"
#include "tensor/string.h"

// A call while it lasts.
typedef struct parse {
  const berth_example_plan_t *plan;
  berth_call_t *call;
  const berth_example_t **records;
  int64_t count;
  bool is_batch;
} parse_t;

// A feature of one record that is wrong, for messages.
typedef struct place {
  const parse_t *parse;
  int64_t record;
  const char *key;
} place_t;

// Describes what is wrong with a feature, in TensorFlow's words.
static berth_code_t fail_feature(const place_t *place, const char *what) {
  const berth_tensor_t *names = place->parse->call->inputs[1];
  size_t size = 0;
  const char *name = "<unknown>";
  if (!place->parse->is_batch) {
    return berth_error_set(place->parse->call->err, BERTH_INVALID_ARGUMENT,
                           "Key: %s.  %s", place->key, what);
  }
  if (names->count > place->record) {
    name = berth_string_get((const berth_string_t *)names->data + place->record,
                            &size);
  }
  return berth_error_set(place->parse->call->err, BERTH_INVALID_ARGUMENT,
                         "Name: %s, Key: %s, Index: %lld.  %s", name,
                         place->key, (long long)place->record, what);
}

static berth_feature_t find(const parse_t *parse, int64_t record,
                            const berth_tensor_t *keys, int index,
                            const char **out_key) {
  size_t size = 0;
  *out_key =
      berth_string_get((const berth_string_t *)keys->data + index, &size);
  return berth_example_find(parse->records[record], *out_key, size);
}

static berth_code_t make(berth_call_t *call, int index, int32_t rank,
                         const int64_t *dims) {
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i) count *= dims[i];
  return berth_tensor_make(call->allocator, call->node->output_types[index],
                           rank, dims, count, &call->outputs[index], call->err);
}

// ---- Dense features ----

static berth_code_t fail_missing(const place_t *place, berth_dtype_t dtype) {
  berth_error_t *err = place->parse->call->err;
  const char *type = berth_dtype_name(dtype);
  if (place->parse->is_batch) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Name: <unknown>, Feature: %s (data type: %s) is "
                           "required but could not be found.",
                           place->key, type);
  }
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Feature: %s (data type: %s) is required but could "
                         "not be found.",
                         place->key, type);
}

static berth_code_t check_dense(const place_t *place,
                                const berth_feature_t *feature,
                                const berth_tensor_t *out, int64_t size) {
  char what[BERTH_DIMS_TEXT + 128], shape[BERTH_DIMS_TEXT];
  const char *type = berth_dtype_name(out->dtype);
  bool is_batch = place->parse->is_batch;
  if (feature->dtype != out->dtype) {
    snprintf(what, sizeof(what),
             "Data types don't match. Data type: %s but expected type: %s",
             berth_dtype_name(feature->dtype), type);
    return fail_feature(place, what);
  }
  if ((int64_t)feature->count == size) return BERTH_OK;
  if (out->dtype == BERTH_STRING && (int64_t)feature->count > size) {
    return fail_feature(place, is_batch
                                   ? "Can't parse serialized Example."
                                   : "Can't parse serialized Example: Parsing "
                                     "bytes_list failed.");
  }
  if (!is_batch) {
    const char *list = out->dtype == BERTH_STRING  ? "bytes"
                       : out->dtype == BERTH_FLOAT ? "float"
                                                   : "int64";
    snprintf(what, sizeof(what),
             "Can't parse serialized Example: Some %s_list slice was not "
             "parsed.",
             list);
    return fail_feature(place, what);
  }
  snprintf(
      what, sizeof(what),
      "Number of %s values != expected.  Values size: %zu but output "
      "shape: %s",
      out->dtype == BERTH_STRING ? "bytes" : type, feature->count,
      berth_dims_text((berth_dims_t){out->rank - 1, out->dims + 1}, shape));
  return fail_feature(place, what);
}

static berth_code_t fill_dense(const parse_t *parse, int index,
                               berth_tensor_t *out) {
  const berth_tensor_t *keys = parse->call->inputs[3];
  const berth_tensor_t *defaults = parse->call->inputs[5 + index];
  int64_t size = parse->count > 0 ? out->count / parse->count : 0;
  size_t element = berth_dtype_size(out->dtype);
  for (int64_t i = 0; i < parse->count; ++i) {
    place_t place = {parse, i, NULL};
    berth_feature_t feature = find(parse, i, keys, index, &place.key);
    char *to = (char *)out->data + (size_t)(i * size) * element;
    bool is_there = feature.dtype != 0;
    if (!is_there && defaults->count == 0) {
      return fail_missing(&place, out->dtype);
    }
    if (is_there) BERTH_TRY(check_dense(&place, &feature, out, size));
    bool is_done =
        is_there ? berth_feature_copy(&feature, to)
                 : berth_elements_copy(out->dtype, to, defaults->data, size);
    if (!is_done) return berth_error_no_memory(parse->call->err, "a feature");
  }
  return BERTH_OK;
}

static berth_code_t parse_dense(const parse_t *parse, int index) {
  berth_call_t *call = parse->call;
  int out = 3 * parse->plan->sparse + index;
  const berth_attr_value_t *shapes =
      berth_node_attr(call->node, "dense_shapes");
  const berth_dims_t *shape = &shapes->shape_list[index];
  int64_t dims[BERTH_MAX_RANK + 1] = {parse->count};
  int32_t first = parse->is_batch ? 1 : 0;
  for (int32_t i = 0; i < shape->rank; ++i) dims[first + i] = shape->dims[i];
  BERTH_TRY(make(call, out, first + shape->rank, dims));
  return fill_dense(parse, index, call->outputs[out]);
}

// ---- Sparse features ----

// Counts the values of a feature, and the most that one record has.
static berth_code_t count_sparse(const parse_t *parse, int index,
                                 berth_dtype_t dtype, int64_t *out_count,
                                 int64_t *out_most) {
  const berth_tensor_t *keys = parse->call->inputs[2];
  *out_count = *out_most = 0;
  for (int64_t i = 0; i < parse->count; ++i) {
    place_t place = {parse, i, NULL};
    berth_feature_t feature = find(parse, i, keys, index, &place.key);
    if (feature.dtype != 0 && feature.dtype != dtype) {
      char what[128];
      snprintf(what, sizeof(what),
               "Data types don't match. Expected type: %s, Actual type: %s",
               berth_dtype_name(dtype), berth_dtype_name(feature.dtype));
      return fail_feature(&place, what);
    }
    *out_count += (int64_t)feature.count;
    if ((int64_t)feature.count > *out_most) *out_most = (int64_t)feature.count;
  }
  return BERTH_OK;
}

static berth_code_t fill_sparse(const parse_t *parse, int index,
                                int64_t *places, berth_tensor_t *values) {
  const berth_tensor_t *keys = parse->call->inputs[2];
  char *to = values->data;
  for (int64_t i = 0; i < parse->count; ++i) {
    const char *key = NULL;
    berth_feature_t feature = find(parse, i, keys, index, &key);
    for (size_t k = 0; k < feature.count; ++k) {
      if (parse->is_batch) *places++ = i;
      *places++ = (int64_t)k;
    }
    if (feature.dtype != 0 && !berth_feature_copy(&feature, to)) {
      return berth_error_no_memory(parse->call->err, "a feature");
    }
    to += feature.count * berth_dtype_size(values->dtype);
  }
  return BERTH_OK;
}

static berth_code_t parse_sparse(const parse_t *parse, int index) {
  berth_call_t *call = parse->call;
  int sparse = parse->plan->sparse;
  int64_t count = 0, most = 0;
  berth_dtype_t dtype = call->node->output_types[sparse + index];
  BERTH_TRY(count_sparse(parse, index, dtype, &count, &most));
  int64_t places[] = {count, parse->is_batch ? 2 : 1};
  BERTH_TRY(make(call, index, 2, places));
  BERTH_TRY(make(call, sparse + index, 1, &count));
  BERTH_TRY(make(call, 2 * sparse + index, 1, &places[1]));
  int64_t *shape = call->outputs[2 * sparse + index]->data;
  if (parse->is_batch) *shape++ = parse->count;
  *shape = most;
  return fill_sparse(parse, index, call->outputs[index]->data,
                     call->outputs[sparse + index]);
}

// ---- All of them ----

static berth_code_t read_records(parse_t *parse, berth_arena_t *arena) {
  const berth_tensor_t *texts = parse->call->inputs[0];
  parse->records = berth_arena_alloc(
      arena, (size_t)(parse->count + 1) * sizeof(*parse->records));
  if (parse->records == NULL) {
    return berth_error_no_memory(parse->call->err, "records");
  }
  for (int64_t i = 0; i < parse->count; ++i) {
    size_t size = 0;
    const char *bytes =
        berth_string_get((const berth_string_t *)texts->data + i, &size);
    if (berth_cpu_has_ended(parse->call)) return berth_cpu_ended(parse->call);
    BERTH_TRY(berth_example_read(bytes, size, arena, &parse->records[i],
                                 parse->call->err));
  }
  return BERTH_OK;
}

static berth_code_t run_parse(const void *plan, void *const *args,
                              berth_call_t *call) {
  (void)args;
  parse_t parse = {.plan = plan,
                   .call = call,
                   .count = call->inputs[0]->count,
                   .is_batch = call->inputs[0]->rank == 1};
  berth_arena_t arena = {0};
  for (int i = 0; i < call->node->output_count; ++i) call->outputs[i] = NULL;
  berth_code_t code = read_records(&parse, &arena);
  for (int i = 0; code == BERTH_OK && i < parse.plan->dense; ++i) {
    code = parse_dense(&parse, i);
  }
  for (int i = 0; code == BERTH_OK && i < parse.plan->sparse; ++i) {
    code = parse_sparse(&parse, i);
  }
  for (int i = 0; code != BERTH_OK && i < call->node->output_count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  berth_arena_clear(&arena);
  return code;
}

static berth_code_t prepare_parse(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_example_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_parse_example(&prepare->op, plan, err));
  prepare->run = run_parse;
  prepare->work = prepare->op.inputs[0].count * 2000;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_example_kernels[] = {
    {.op = "ParseExampleV2", .prepare = prepare_parse},
    {.op = NULL},
};
