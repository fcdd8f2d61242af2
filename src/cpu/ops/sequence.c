// sequence.c - The kernels ParseSequenceExampleV2, ParseSequenceExample and
// ParseSingleSequenceExample: records with a context and lists of features.
//
// A feature of the context is one step of a record, a list of features several;
// the steps of all records are noted first, then copied.
//
//   steps   [s s s][s][][s s]      of four records
//   first    0     3  4 4   6
#include <string.h>

#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/number.h"
#include "cpu/loops/poll.h"
#include "io/example.h"
#include "op/value.h"
#include "tensor/string.h"

// The records are the first input.
enum { RECORDS };
// Kinds of features, in the order of keys.
enum { SPARSE, DENSE, RAGGED, KINDS };

// Arguments, or attributes, that have the keys of features.
static const char *const context_keys[KINDS] = {
    "context_sparse_keys", "context_dense_keys", "context_ragged_keys"};
static const char *const list_keys[KINDS] = {"feature_list_sparse_keys",
                                             "feature_list_dense_keys",
                                             "feature_list_ragged_keys"};
static const char may_miss[] = "feature_list_dense_missing_assumed_empty";

// How many features of each kind there are, and where inputs are.
typedef struct sequence_plan {
  bool is_batch;
  bool is_single;  // One record, whose lists have no lengths.
  int names, defaults;
  int context[KINDS], lists[KINDS];
} sequence_plan_t;

// Returns the first input of argument |name|; -1: there is none of that name.
static int input_of(const berth_node_t *node, const char *name) {
  for (int i = 0; i < node->op->input_count; ++i) {
    int first = 0, count = 0;
    if (strcmp(node->op->inputs[i].name, name) != 0) continue;
    berth_node_input_range(node, i, &first, &count);
    return first;
  }
  return -1;
}

// A feature that is wanted.
typedef struct part {
  berth_slice_t key;
  berth_dtype_t dtype;
  bool is_list;
  berth_slice_t *found;    // One for each record; without bytes: none.
  int64_t *first;          // Of the steps of each record, and their number.
  berth_feature_t *steps;  // Owned.
  int64_t room;
} part_t;

// A call while it lasts.
typedef struct sequence {
  const sequence_plan_t *plan;
  berth_call_t *call;
  int64_t count;  // Records.
  int part_count;
  part_t *parts;  // Of the context, then of lists.
  berth_slice_t *found;
  int64_t *first;
} sequence_t;

static int sum(const int *counts) {
  return counts[SPARSE] + counts[DENSE] + counts[RAGGED];
}

// ---- Errors, in TensorFlow's words ----

static const char *name_of(const sequence_t *s, int64_t record, int *out_size) {
  const berth_tensor_t *names = s->call->inputs[s->plan->names];
  size_t size = 0;
  *out_size = 9;
  if (record >= names->count) return "<unknown>";
  const char *name =
      berth_string_get((const berth_string_t *)names->data + record, &size);
  *out_size = (int)size;
  return name;
}

static berth_code_t fail_bytes(const sequence_t *s, int64_t record) {
  int size = 0;
  const char *name = name_of(s, record, &size);
  return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                         "Invalid protocol message input, example id: %.*s",
                         size, name);
}

static berth_code_t fail_record(const sequence_t *s, int64_t record,
                                berth_slice_t bytes) {
  if (!s->plan->is_single) return fail_bytes(s, record);
  return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                         "Could not parse example input, value: '%.*s'",
                         (int)bytes.size, bytes.bytes);
}

static berth_code_t fail_type(const sequence_t *s, const part_t *part,
                              int64_t record, int64_t step) {
  char place[40] = "";
  int size = 0;
  const char *name = name_of(s, record, &size);
  if (part->is_list) {
    (void)snprintf(place, sizeof(place), ", Index: %lld", (long long)step);
  }
  return berth_error_set(
      s->call->err, BERTH_INVALID_ARGUMENT,
      "Name: %.*s, %s: %.*s%s.  Data types don't match. Expected type: %s",
      size, name, part->is_list ? "Feature list" : "Context feature",
      (int)part->key.size, part->key.bytes, place,
      berth_dtype_name(part->dtype));
}

// ---- Finding ----

// One record on its walk.
typedef struct visit {
  const sequence_t *sequence;
  int64_t record;
} visit_t;

static void note(const visit_t *visit, bool is_list, berth_slice_t key,
                 berth_slice_t message) {
  const sequence_t *s = visit->sequence;
  for (int i = 0; i < s->part_count; ++i) {
    part_t *part = &s->parts[i];
    if (part->is_list == is_list && part->key.size == key.size &&
        memcmp(part->key.bytes, key.bytes, key.size) == 0) {
      part->found[visit->record] = message;
    }
  }
}

static void note_context(void *arg, berth_slice_t key, berth_slice_t message) {
  note(arg, false, key, message);
}

static void note_list(void *arg, berth_slice_t key, berth_slice_t message) {
  note(arg, true, key, message);
}

static berth_code_t find_parts(const sequence_t *s) {
  const berth_string_t *texts = s->call->inputs[RECORDS]->data;
  for (int64_t i = 0; i < s->count; ++i) {
    visit_t visit = {s, i};
    berth_slice_t record;
    record.bytes = berth_string_get(&texts[i], &record.size);
    if (berth_cpu_has_ended(s->call)) return berth_cpu_ended(s->call);
    if (!berth_sequence_walk(record, note_context, note_list, &visit)) {
      return fail_record(s, i, record);
    }
  }
  return BERTH_OK;
}

// ---- Steps ----

static berth_code_t add_step(const sequence_t *s, part_t *part, int64_t record,
                             berth_slice_t message) {
  int64_t place = part->first[record + 1];
  if (place == part->room) {
    int64_t room = part->room > 0 ? 2 * part->room : s->count + 1;
    berth_feature_t *steps =
        berth_realloc(part->steps, (size_t)room, sizeof(*steps));
    if (steps == NULL) return berth_error_no_memory(s->call->err, "features");
    part->steps = steps;
    part->room = room;
  }
  bool is_sound = berth_feature_read(message, &part->steps[place]);
  berth_dtype_t dtype = part->steps[place].dtype;
  if (dtype != 0 && dtype != part->dtype) {
    return fail_type(s, part, record, place - part->first[record]);
  }
  ++part->first[record + 1];
  return is_sound ? BERTH_OK : fail_bytes(s, record);
}

static berth_code_t add_steps(const sequence_t *s, part_t *part,
                              int64_t record) {
  berth_slice_t list = part->found[record], message;
  bool is_there = true;
  if (list.bytes == NULL) return BERTH_OK;
  while (is_there) {
    if (!berth_feature_list_next(&list, &message, &is_there)) {
      return fail_bytes(s, record);
    }
    if (is_there) BERTH_TRY(add_step(s, part, record, message));
  }
  return BERTH_OK;
}

static berth_code_t read_steps(const sequence_t *s, part_t *part) {
  for (int64_t i = 0; i < s->count; ++i) {
    part->first[i + 1] = part->first[i];
    if (part->is_list) {
      BERTH_TRY(add_steps(s, part, i));
    } else {
      BERTH_TRY(add_step(s, part, i, part->found[i]));
    }
  }
  return BERTH_OK;
}

// What the steps of a feature have at most, and in all.
typedef struct extent {
  int64_t values, most_values, most_steps;
} extent_t;

static extent_t extent_of(const sequence_t *s, const part_t *part) {
  extent_t extent = {0};
  for (int64_t i = 0; i < part->first[s->count]; ++i) {
    int64_t count = (int64_t)part->steps[i].count;
    extent.values += count;
    if (count > extent.most_values) extent.most_values = count;
  }
  for (int64_t i = 0; i < s->count; ++i) {
    int64_t count = part->first[i + 1] - part->first[i];
    if (count > extent.most_steps) extent.most_steps = count;
  }
  return extent;
}

// ---- Outputs ----

static berth_code_t make(const sequence_t *s, int index, int32_t rank,
                         const int64_t *dims) {
  berth_call_t *call = s->call;
  int64_t count = 1;
  for (int32_t i = 0; i < rank; ++i) count *= dims[i];
  return berth_tensor_make(call->allocator, call->node->output_types[index],
                           rank, dims, count, &call->outputs[index], call->err);
}

static berth_code_t copy_values(const sequence_t *s, const part_t *part,
                                int index, int64_t values) {
  BERTH_TRY(make(s, index, 1, &values));
  berth_tensor_t *out = s->call->outputs[index];
  char *to = out->data;
  for (int64_t i = 0; i < part->first[s->count]; ++i) {
    if (!berth_feature_copy(&part->steps[i], to)) {
      return berth_error_no_memory(s->call->err, "a feature");
    }
    to += part->steps[i].count * berth_dtype_size(out->dtype);
  }
  return BERTH_OK;
}

// Writes the places of all values: record, step of a list, value.
static void put_places(const sequence_t *s, const part_t *part, int64_t *to) {
  for (int64_t i = 0; i < s->count; ++i) {
    for (int64_t k = part->first[i]; k < part->first[i + 1]; ++k) {
      for (size_t v = 0; v < part->steps[k].count; ++v) {
        if (s->plan->is_batch) *to++ = i;
        if (part->is_list) *to++ = k - part->first[i];
        *to++ = (int64_t)v;
      }
    }
  }
}

// Makes a sparse feature: outputs |index|, |index| + |stride| and the next.
static berth_code_t make_sparse(const sequence_t *s, const part_t *part,
                                int index, int stride) {
  extent_t extent = extent_of(s, part);
  int64_t rank = 1 + (s->plan->is_batch ? 1 : 0) + (part->is_list ? 1 : 0);
  BERTH_TRY(make(s, index, 2, (int64_t[]){extent.values, rank}));
  put_places(s, part, s->call->outputs[index]->data);
  BERTH_TRY(copy_values(s, part, index + stride, extent.values));
  BERTH_TRY(make(s, index + 2 * stride, 1, &rank));
  int64_t *shape = s->call->outputs[index + 2 * stride]->data;
  if (s->plan->is_batch) *shape++ = s->count;
  if (part->is_list) *shape++ = extent.most_steps;
  *shape = extent.most_values;
  return BERTH_OK;
}

// Makes splits of |count| rows by how many values each has.
static berth_code_t make_inner(const sequence_t *s, const part_t *part,
                               int index) {
  int64_t rows = part->first[s->count], at = 0;
  BERTH_TRY(make(s, index, 1, (int64_t[]){rows + 1}));
  const berth_tensor_t *splits = s->call->outputs[index];
  for (int64_t i = 0; i <= rows; ++i) {
    berth_index_set(splits->dtype, splits->data, i, at);
    if (i < rows) at += (int64_t)part->steps[i].count;
  }
  return BERTH_OK;
}

// Makes a ragged feature: its values, where records begin, where steps do. Of
// one record the splits of records are a scalar that says nothing.
static berth_code_t make_ragged(const sequence_t *s, const part_t *part,
                                int index, int stride) {
  BERTH_TRY(copy_values(s, part, index, extent_of(s, part).values));
  if (part->is_list) BERTH_TRY(make_inner(s, part, index + 2 * stride));
  if (!s->plan->is_batch) return make(s, index + stride, 0, NULL);
  if (!part->is_list) return make_inner(s, part, index + stride);
  BERTH_TRY(make(s, index + stride, 1, (int64_t[]){s->count + 1}));
  const berth_tensor_t *splits = s->call->outputs[index + stride];
  for (int64_t i = 0; i <= s->count; ++i) {
    berth_index_set(splits->dtype, splits->data, i, part->first[i]);
  }
  return BERTH_OK;
}

// ---- Dense features of the context ----

// What values are called in messages about a single record, a word and a space.
static const char *type_text(const sequence_t *s, const part_t *part) {
  if (!s->plan->is_single) return "";
  return part->dtype == BERTH_STRING  ? "bytes "
         : part->dtype == BERTH_FLOAT ? "float "
                                      : "int64 ";
}

// Checks a dense feature of the context of a single record.
static berth_code_t check_single(const sequence_t *s, const part_t *part,
                                 const berth_tensor_t *defaults,
                                 const berth_dims_t *shape) {
  char text[BERTH_DIMS_TEXT];
  int size = 0;
  const char *name = name_of(s, 0, &size);
  const berth_feature_t *feature = &part->steps[0];
  if (part->found[0].bytes == NULL && defaults->count == 0) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "Name: %.*s, Context feature '%.*s' is required but "
                           "could not be found.",
                           size, name, (int)part->key.size, part->key.bytes);
  }
  if (part->found[0].bytes == NULL ||
      (int64_t)feature->count == berth_dims_count(*shape)) {
    return BERTH_OK;
  }
  return berth_error_set(
      s->call->err, BERTH_INVALID_ARGUMENT,
      "Name: %.*s, Key: %.*s, Index: 0.  Number of %svalues != expected.  "
      "values size: %zu but output shape: %s",
      size, name, (int)part->key.size, part->key.bytes, type_text(s, part),
      feature->count, berth_dims_text(*shape, text));
}

static berth_code_t check_dense(const sequence_t *s, const part_t *part,
                                const berth_tensor_t *defaults, int64_t size) {
  int64_t most = 0;
  for (int64_t i = 0; i < s->count; ++i) {
    bool is_there = part->steps[i].dtype != 0;
    int64_t count = is_there ? (int64_t)part->steps[i].count : defaults->count;
    if (count > most) most = count;
  }
  if (s->count > 0 && most != size) {
    return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                           "Inconsistent max number of elements for feature "
                           "%.*s: expected %lld, but found %lld",
                           (int)part->key.size, part->key.bytes,
                           (long long)size, (long long)most);
  }
  for (int64_t i = 0; i < s->count; ++i) {
    int name_size = 0;
    const char *name = name_of(s, i, &name_size);
    if (part->steps[i].dtype == 0 && defaults->count == 0) {
      return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                             "Feature: %.*s (data type: %s) is required but "
                             "could not be found.",
                             (int)part->key.size, part->key.bytes,
                             berth_dtype_name(part->dtype));
    }
    if (part->steps[i].dtype != 0 && (int64_t)part->steps[i].count != size) {
      return berth_error_set(s->call->err, BERTH_INVALID_ARGUMENT,
                             "Unexpected number of elements in example %.*s",
                             name_size, name);
    }
  }
  return BERTH_OK;
}

// Writes the shape of dense values behind |lead| dimensions, and returns how
// many elements it has.
static int64_t put_shape(const berth_dims_t *shape, int32_t lead,
                         int64_t *dims) {
  int64_t size = 1;
  for (int32_t i = 0; i < shape->rank; ++i) {
    dims[lead + i] = shape->dims[i];
    size *= shape->dims[i];
  }
  return size;
}

static const berth_dims_t *shape_of(const sequence_t *s, const char *attr,
                                    int index) {
  return &berth_node_attr(s->call->node, attr)->shape_list[index];
}

static berth_code_t make_context(const sequence_t *s, const part_t *part,
                                 int which, int index) {
  const berth_tensor_t *defaults = s->call->inputs[s->plan->defaults + which];
  const berth_dims_t *shape = shape_of(s, "context_dense_shapes", which);
  int64_t dims[BERTH_MAX_RANK + 1] = {s->count};
  int32_t lead = s->plan->is_batch ? 1 : 0;
  int64_t size = put_shape(shape, lead, dims);
  BERTH_TRY(s->plan->is_single ? check_single(s, part, defaults, shape)
                               : check_dense(s, part, defaults, size));
  BERTH_TRY(make(s, index, lead + shape->rank, dims));
  berth_tensor_t *out = s->call->outputs[index];
  size_t stride = (size_t)size * berth_dtype_size(out->dtype);
  for (int64_t i = 0; i < s->count && size > 0; ++i) {
    char *to = (char *)out->data + (size_t)i * stride;
    bool is_done =
        part->steps[i].dtype != 0
            ? berth_feature_copy(&part->steps[i], to)
            : berth_elements_copy(out->dtype, to, defaults->data, size);
    if (!is_done) return berth_error_no_memory(s->call->err, "a feature");
  }
  return BERTH_OK;
}

// ---- Dense lists ----

static bool is_text(berth_slice_t key, const char *bytes, size_t size) {
  return key.size == size && memcmp(key.bytes, bytes, size) == 0;
}

// True when records need not have list |which|: told for each list, or by keys.
static bool list_may_miss(const sequence_t *s, int which, berth_slice_t key) {
  const berth_node_t *node = s->call->node;
  int input = input_of(node, may_miss);
  if (input < 0) {
    const berth_attr_value_t *keys = berth_node_attr(node, may_miss);
    for (int i = 0; keys != NULL && i < keys->count; ++i) {
      if (is_text(key, keys->s_list[i].text, keys->s_list[i].size)) return true;
    }
    return false;
  }
  const berth_tensor_t *given = s->call->inputs[input];
  if (given->dtype == BERTH_BOOL) return ((const bool *)given->data)[which];
  for (int64_t i = 0; i < given->count; ++i) {
    size_t size = 0;
    const char *bytes =
        berth_string_get((const berth_string_t *)given->data + i, &size);
    if (is_text(key, bytes, size)) return true;
  }
  return false;
}

static berth_code_t check_list(const sequence_t *s, const part_t *part,
                               int which, const berth_dims_t *shape,
                               int64_t size) {
  bool is_needed = !list_may_miss(s, which, part->key);
  char text[BERTH_DIMS_TEXT];
  for (int64_t i = 0; i < s->count; ++i) {
    int name_size = 0;
    const char *name = name_of(s, i, &name_size);
    if (part->found[i].bytes == NULL && is_needed) {
      return berth_error_set(
          s->call->err, BERTH_INVALID_ARGUMENT,
          "Name: %.*s, Feature list '%.*s' is required but could not be found. "
          " Did you mean to include it in "
          "feature_list_dense_missing_assumed_empty or "
          "feature_list_dense_defaults?",
          name_size, name, (int)part->key.size, part->key.bytes);
    }
    for (int64_t k = part->first[i]; k < part->first[i + 1]; ++k) {
      if ((int64_t)part->steps[k].count == size) continue;
      return berth_error_set(
          s->call->err, BERTH_INVALID_ARGUMENT,
          "Name: %.*s, Key: %.*s, Index: %lld.  Number of %svalues != "
          "expected.  values size: %zu but output shape: %s",
          name_size, name, (int)part->key.size, part->key.bytes,
          (long long)(k - part->first[i]), type_text(s, part),
          part->steps[k].count, berth_dims_text(*shape, text));
    }
  }
  return BERTH_OK;
}

// Makes the steps of all records, with zeros behind the last ones, and their
// numbers, unless |stride| is 0.
static berth_code_t make_list(const sequence_t *s, const part_t *part,
                              int which, int index, int stride) {
  const berth_dims_t *shape = shape_of(s, "feature_list_dense_shapes", which);
  int64_t dims[BERTH_MAX_RANK + 2] = {s->count};
  int32_t lead = s->plan->is_batch ? 2 : 1;
  int64_t size = put_shape(shape, lead, dims);
  int64_t most = extent_of(s, part).most_steps;
  dims[lead - 1] = most;
  BERTH_TRY(check_list(s, part, which, shape, size));
  BERTH_TRY(make(s, index, lead + shape->rank, dims));
  if (stride > 0) BERTH_TRY(make(s, index + stride, lead - 1, &s->count));
  berth_tensor_t *out = s->call->outputs[index];
  size_t step = (size_t)size * berth_dtype_size(out->dtype);
  // Texts are made empty.
  if (out->dtype != BERTH_STRING && out->count > 0) {
    memset(out->data, 0, (size_t)out->count * berth_dtype_size(out->dtype));
  }
  for (int64_t i = 0; i < s->count; ++i) {
    int64_t length = part->first[i + 1] - part->first[i];
    if (stride > 0) {
      ((int64_t *)s->call->outputs[index + stride]->data)[i] = length;
    }
    for (int64_t k = 0; k < length && size > 0; ++k) {
      char *to = (char *)out->data + (size_t)(i * most + k) * step;
      if (!berth_feature_copy(&part->steps[part->first[i] + k], to)) {
        return berth_error_no_memory(s->call->err, "a feature");
      }
    }
  }
  return BERTH_OK;
}

// ---- All of them ----

static berth_code_t make_all(const sequence_t *s) {
  const int *context = s->plan->context, *lists = s->plan->lists;
  const part_t *part = s->parts;
  int out = 0, lengths = s->plan->is_single ? 0 : lists[DENSE];
  for (int i = 0; i < context[SPARSE]; ++i) {
    BERTH_TRY(make_sparse(s, part++, out + i, context[SPARSE]));
  }
  out += 3 * context[SPARSE];
  for (int i = 0; i < context[DENSE]; ++i) {
    BERTH_TRY(make_context(s, part++, i, out + i));
  }
  out += context[DENSE];
  for (int i = 0; i < context[RAGGED]; ++i) {
    BERTH_TRY(make_ragged(s, part++, out + i, context[RAGGED]));
  }
  out += 2 * context[RAGGED];
  for (int i = 0; i < lists[SPARSE]; ++i) {
    BERTH_TRY(make_sparse(s, part++, out + i, lists[SPARSE]));
  }
  out += 3 * lists[SPARSE];
  for (int i = 0; i < lists[DENSE]; ++i) {
    BERTH_TRY(make_list(s, part++, i, out + i, lengths));
  }
  out += lists[DENSE] + lengths;
  for (int i = 0; i < lists[RAGGED]; ++i) {
    BERTH_TRY(make_ragged(s, part++, out + i, lists[RAGGED]));
  }
  return BERTH_OK;
}

static berth_code_t parse(const sequence_t *s) {
  BERTH_TRY(find_parts(s));
  for (int i = 0; i < s->part_count; ++i) {
    BERTH_TRY(read_steps(s, &s->parts[i]));
  }
  return make_all(s);
}

// Returns key |index| of those that |label| names: elements of an input, inputs
// of their own, or texts of an attribute.
static berth_slice_t key_of(const sequence_t *s, const char *label, int index) {
  const berth_node_t *node = s->call->node;
  berth_slice_t key = {0};
  int input = input_of(node, label);
  if (input < 0) {
    const berth_attr_text_t *text =
        &berth_node_attr(node, label)->s_list[index];
    return (berth_slice_t){text->text, text->size};
  }
  bool is_list = s->plan->is_single;
  const berth_tensor_t *keys = s->call->inputs[is_list ? input + index : input];
  const berth_string_t *text =
      (const berth_string_t *)keys->data + (is_list ? 0 : index);
  key.bytes = berth_string_get(text, &key.size);
  return key;
}

// Notes |count| features of one kind; |label| names their keys, and their values
// are outputs from |output| on.
static void add_parts(sequence_t *s, const char *label, int count, int output,
                      bool is_list) {
  for (int i = 0; i < count; ++i) {
    int place = s->part_count++;
    part_t *part = &s->parts[place];
    part->key = key_of(s, label, i);
    part->dtype = s->call->node->output_types[output + i];
    part->is_list = is_list;
    part->found = s->found + place * s->count;
    part->first = s->first + place * (s->count + 1);
  }
}

static bool sequence_begin(sequence_t *s) {
  const int *context = s->plan->context, *lists = s->plan->lists;
  size_t count = (size_t)(sum(context) + sum(lists)) + 1;
  size_t records = (size_t)s->count + 1;
  s->parts = berth_calloc(count, sizeof(*s->parts));
  s->found = berth_calloc(count * records, sizeof(*s->found));
  s->first = berth_calloc(count * records, sizeof(*s->first));
  if (s->parts == NULL || s->found == NULL || s->first == NULL) return false;
  int out = context[SPARSE];
  add_parts(s, context_keys[SPARSE], context[SPARSE], out, false);
  out += 2 * context[SPARSE];
  add_parts(s, context_keys[DENSE], context[DENSE], out, false);
  out += context[DENSE];
  add_parts(s, context_keys[RAGGED], context[RAGGED], out, false);
  out += 2 * context[RAGGED] + lists[SPARSE];
  add_parts(s, list_keys[SPARSE], lists[SPARSE], out, true);
  out += 2 * lists[SPARSE];
  add_parts(s, list_keys[DENSE], lists[DENSE], out, true);
  out += lists[DENSE] + (s->plan->is_single ? 0 : lists[DENSE]);
  add_parts(s, list_keys[RAGGED], lists[RAGGED], out, true);
  return true;
}

static berth_code_t run_sequence(const void *plan, void *const *args,
                                 berth_call_t *call) {
  (void)args;
  sequence_t s = {
      .plan = plan, .call = call, .count = call->inputs[RECORDS]->count};
  for (int i = 0; i < call->node->output_count; ++i) call->outputs[i] = NULL;
  berth_code_t code = sequence_begin(&s)
                          ? parse(&s)
                          : berth_error_no_memory(call->err, "features");
  for (int i = 0; code != BERTH_OK && i < call->node->output_count; ++i) {
    berth_tensor_release(call->outputs[i]);
    call->outputs[i] = NULL;
  }
  for (int i = 0; i < s.part_count; ++i) berth_free(s.parts[i].steps);
  berth_free(s.parts);
  berth_free(s.found);
  berth_free(s.first);
  return code;
}

// ---- Preparing ----

static int list_count(const berth_case_t *op, const char *attr) {
  const berth_attr_value_t *list = berth_node_attr(op->node, attr);
  return list != NULL ? list->count : 0;
}

static bool are_known(const berth_case_t *op, const char *attr, int count) {
  const berth_attr_value_t *shapes = berth_node_attr(op->node, attr);
  if ((shapes != NULL ? shapes->count : 0) != count) return false;
  for (int i = 0; i < count; ++i) {
    const berth_dims_t *shape = &shapes->shape_list[i];
    if (shape->rank < 0) return false;
    for (int32_t k = 0; k < shape->rank; ++k) {
      if (shape->dims[k] < 0) return false;
    }
  }
  return true;
}

// True when as many keys are given as there are features.
static bool has_keys(const berth_case_t *op, const char *label, int count,
                     bool is_single) {
  int input = input_of(op->node, label);
  if (input < 0) return list_count(op, label) == count;
  if (!is_single) return op->inputs[input].count == count;
  for (int i = 0; i < count; ++i) {
    if (op->inputs[input + i].count != 1) return false;
  }
  return true;
}

// True when the numbers of outputs that are whole numbers are those of features.
static bool has_counts(const berth_case_t *op, const sequence_plan_t *plan) {
  const berth_node_t *node = op->node;
  int places = plan->context[SPARSE], more = plan->lists[SPARSE];
  return berth_node_attr_int(node, "Ncontext_sparse", places) == places &&
         berth_node_attr_int(node, "Nfeature_list_sparse", more) == more &&
         (plan->is_single ||
          berth_node_attr_int(node, "Nfeature_list_dense",
                              plan->lists[DENSE]) == plan->lists[DENSE]) &&
         list_count(op, "context_ragged_split_types") ==
             plan->context[RAGGED] &&
         list_count(op, "feature_list_ragged_split_types") ==
             plan->lists[RAGGED];
}

static berth_code_t check_records(const berth_case_t *op,
                                  const sequence_plan_t *plan,
                                  berth_error_t *err) {
  char text[BERTH_DIMS_TEXT];
  const berth_case_input_t *in = &op->inputs[RECORDS];
  const berth_case_input_t *names = &op->inputs[plan->names];
  if (in->rank > (plan->is_single ? 0 : 1)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Expected serialized to be a scalar%s, got shape: "
                           "%s",
                           plan->is_single ? "" : " or vector",
                           berth_input_text(in, text));
  }
  if (names->count == 0 || names->count == in->count) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "example_names must be empty or have the correct number of elements");
}

static berth_code_t check_inputs(const berth_case_t *op,
                                 const sequence_plan_t *plan,
                                 berth_error_t *err) {
  BERTH_TRY(check_records(op, plan, err));
  int input = input_of(op->node, may_miss);
  bool is_right = plan->is_single || input < 0 ||
                  op->inputs[input].count == plan->lists[DENSE];
  is_right = is_right && has_counts(op, plan);
  int kinds = input_of(op->node, context_keys[RAGGED]) < 0 ? RAGGED : KINDS;
  for (int i = 0; i < kinds; ++i) {
    is_right =
        is_right &&
        has_keys(op, context_keys[i], plan->context[i], plan->is_single) &&
        has_keys(op, list_keys[i], plan->lists[i], plan->is_single);
  }
  if (is_right && are_known(op, "context_dense_shapes", plan->context[DENSE]) &&
      are_known(op, "feature_list_dense_shapes", plan->lists[DENSE])) {
    return BERTH_OK;
  }
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "%s needs a key for each feature, and for dense ones a "
      "shape that is known",
      op->node->op->name);
}

// Checks that values that stand for missing ones have the shape of the feature.
static berth_code_t check_defaults(const berth_case_t *op,
                                   const sequence_plan_t *plan,
                                   berth_error_t *err) {
  char has[BERTH_DIMS_TEXT], wanted[BERTH_DIMS_TEXT];
  for (int i = 0; i < plan->context[DENSE]; ++i) {
    const berth_case_input_t *given = &op->inputs[plan->defaults + i];
    const berth_dims_t *shape =
        &berth_node_attr(op->node, "context_dense_shapes")->shape_list[i];
    berth_dims_t dims = {given->rank, given->dims};
    if (given->count == 0 || berth_dims_equal(dims, *shape)) continue;
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        plan->is_single
            ? "def_value[%d].shape() == %s != context_dense_shapes_[%d] == %s"
            : "default_value[%d].shape() == %s != context_dense_shapes[%d] == "
              "%s",
        i, berth_dims_text(dims, has), i, berth_dims_text(*shape, wanted));
  }
  return BERTH_OK;
}

static berth_code_t prepare_sequence(berth_prepare_t *prepare,
                                     berth_error_t *err) {
  berth_case_t *op = &prepare->op;
  sequence_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (sequence_plan_t){
      .is_batch = op->inputs[RECORDS].rank == 1,
      .is_single =
          strcmp(op->node->op->name, "ParseSingleSequenceExample") == 0,
      .names = input_of(op->node, "debug_name"),
      .defaults = input_of(op->node, "context_dense_defaults"),
      .context = {list_count(op, "context_sparse_types"),
                  list_count(op, "Tcontext_dense"),
                  list_count(op, "context_ragged_value_types")},
      .lists = {list_count(op, "feature_list_sparse_types"),
                list_count(op, "feature_list_dense_types"),
                list_count(op, "feature_list_ragged_value_types")}};
  BERTH_TRY(check_inputs(op, plan, err));
  BERTH_TRY(check_defaults(op, plan, err));
  for (int i = 0; i < op->output_count; ++i) op->outputs[i].rank = -1;
  prepare->run = run_sequence;
  prepare->work = op->inputs[RECORDS].count * 1000;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_sequence_kernels[] = {
    {.op = "ParseSequenceExample", .prepare = prepare_sequence},
    {.op = "ParseSingleSequenceExample", .prepare = prepare_sequence},
    {.op = NULL},
};
