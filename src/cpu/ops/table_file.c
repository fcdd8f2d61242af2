// table_file.c - The kernels InitializeTableFromTextFile and its second
// version: pairs of a table in the lines of a file; and GenerateVocabRemapping,
// which holds the lines of two files against each other.
//
// The file is gone through twice: first to count its lines, then to read them.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cpu/kernels.h"
#include "io/input.h"
#include "kernel/handle.h"
#include "op/table.h"
#include "state/table.h"
#include "tensor/string.h"

// Parts of a line that are not a column.
enum { LINE_NUMBER = -1, WHOLE_LINE = -2 };

typedef struct lines {
  berth_call_t *call;
  const char *path;
  const berth_table_spec_t *spec;
  char delimiter;
  int64_t index[2];  // Of key and value.
  int64_t size;      // Lines that count; -1: all.
  int64_t offset;
  int64_t number;            // Of the line that is read.
  berth_tensor_t *pairs[2];  // Keys and values.
  const char *line;
  size_t length;
  berth_str_t part;
} lines_t;

#define FAIL(...) \
  berth_error_set(l->call->err, BERTH_INVALID_ARGUMENT, __VA_ARGS__)

static berth_dtype_t dtype_of(const lines_t *l, int which) {
  return which == 0 ? l->spec->key_dtype : l->spec->value_dtype;
}

static berth_code_t check_types(const lines_t *l) {
  static const char *const numbers[] = {
      "Key index for line number requires table key dtype of int64, got %s",
      "Value index for line number requires table value dtype of int64, got "
      "%s"};
  static const char *const wholes[] = {
      "Key index for whole line requires string or integer table key, got %s",
      "Value index for whole line requires table value dtype of integer or "
      "string, got %s"};
  for (int i = 0; i < 2; ++i) {
    berth_dtype_t dtype = dtype_of(l, i);
    const char *text = NULL;
    if (l->index[i] == LINE_NUMBER && dtype != BERTH_INT64) text = numbers[i];
    if (l->index[i] == WHOLE_LINE && dtype != BERTH_STRING &&
        !berth_type_in(dtype, BERTH_TYPES_INDEX)) {
      text = wholes[i];
    }
    if (text == NULL) continue;
    berth_str_t str = {0};
    berth_str_put(&str, text, strlen(text) - 2);
    berth_str_puts(&str, berth_dtype_name(dtype));
    (void)FAIL("%s", berth_str_get(&str));
    berth_str_clear(&str);
    return BERTH_INVALID_ARGUMENT;
  }
  return BERTH_OK;
}

// ---- A line ----

// Finds column |index|; returns how many there are up to it.
static int64_t find_column(const lines_t *l, int64_t index, const char **out,
                           size_t *out_size) {
  const char *at = l->line, *end = l->line + l->length;
  for (int64_t i = 0;; ++i) {
    const char *mark = memchr(at, l->delimiter, (size_t)(end - at));
    *out = at;
    *out_size = (size_t)((mark != NULL ? mark : end) - at);
    if (i == index || mark == NULL) return i + 1;
    at = mark + 1;
  }
}

static berth_code_t fail_columns(const lines_t *l, int64_t wanted) {
  const char *text = NULL;
  size_t size = 0;
  int64_t count = find_column(l, INT64_MAX, &text, &size);
  return FAIL(
      "Invalid number of columns in %s line %lld (%.*s) : expected at least "
      "%lld got %lld",
      l->path, (long long)l->number, (int)l->length, l->line, (long long)wanted,
      (long long)count);
}

// Stores a number; false where |text| is none.
static bool store_number(lines_t *l, berth_dtype_t dtype, const char *text,
                         void *to) {
  char *end = NULL;
  long long value = 0;
  errno = 0;
  if (dtype == BERTH_FLOAT) {
    *(float *)to = strtof(text, &end);
  } else if (dtype == BERTH_DOUBLE) {
    *(double *)to = strtod(text, &end);
  } else {
    value = strtoll(text, &end, 10);
    if (errno == ERANGE) return false;
  }
  if (end == text) return false;
  while (*end == ' ') ++end;
  if (*end != '\0') return false;
  if (dtype == BERTH_INT64) *(int64_t *)to = value;
  if (dtype == BERTH_INT32) *(int32_t *)to = (int32_t)(value + l->offset);
  return dtype != BERTH_INT32 || (value >= INT32_MIN && value <= INT32_MAX);
}

// Stores the key or the value of the line.
static berth_code_t store_part(lines_t *l, int which) {
  berth_tensor_t *tensor = l->pairs[which];
  berth_dtype_t dtype = tensor->dtype;
  char *to = (char *)tensor->data + (size_t)l->number * berth_dtype_size(dtype);
  const char *text = l->line;
  size_t size = l->length;
  if (l->index[which] == LINE_NUMBER) {
    *(int64_t *)(void *)to = l->number + l->offset;
    return BERTH_OK;
  }
  if (l->index[which] >= 0) {
    (void)find_column(l, l->index[which], &text, &size);
  }
  if (dtype == BERTH_STRING) {
    return berth_string_set((berth_string_t *)(void *)to, text, size)
               ? BERTH_OK
               : berth_error_no_memory(l->call->err, "a text");
  }
  if (!berth_type_in(
          dtype, BERTH_TYPES_INDEX | BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE))) {
    return FAIL("Data type %s not supported.", berth_dtype_name(dtype));
  }
  l->part.size = 0;
  berth_str_put(&l->part, text, size);
  if (!berth_str_ok(&l->part)) {
    return berth_error_no_memory(l->call->err, "a text");
  }
  if (store_number(l, dtype, berth_str_get(&l->part), to)) return BERTH_OK;
  return FAIL("Field %s in line %lld is not a valid %s.",
              berth_str_get(&l->part), (long long)l->number,
              berth_dtype_name(dtype));
}

static berth_code_t store_line(lines_t *l, const berth_input_t *input) {
  int64_t most = l->index[0] > l->index[1] ? l->index[0] : l->index[1];
  const char *text = NULL;
  size_t size = 0;
  if (l->length == 0) {
    return FAIL("Invalid content in %s: empty line found at position %llu.",
                l->path, (unsigned long long)berth_input_place(input));
  }
  if (most >= 0 && find_column(l, most, &text, &size) <= most) {
    return fail_columns(l, most + 1);
  }
  BERTH_TRY(store_part(l, 0));
  return store_part(l, 1);
}

// ---- The file ----

// Counts the lines, or stores them.
static berth_code_t read_lines(lines_t *l, bool stores, int64_t *out_count) {
  berth_input_t *input = NULL;
  berth_code_t code =
      berth_input_open(l->path, BERTH_PACKING_NONE, &input, l->call->err);
  for (l->number = 0; code == BERTH_OK && l->number != l->size; ++l->number) {
    code = berth_input_line(input, &l->line, &l->length, l->call->err);
    if (code != BERTH_OK || l->line == NULL) break;
    if (stores) code = store_line(l, input);
    if (code != BERTH_OK) break;
  }
  berth_input_close(input);
  *out_count = l->number;
  return code;
}

static berth_code_t make_pairs(lines_t *l) {
  int64_t count = 0;
  BERTH_TRY(read_lines(l, false, &count));
  for (int i = 0; i < 2; ++i) {
    BERTH_TRY(berth_tensor_make(NULL, dtype_of(l, i), 1, &count, count,
                                &l->pairs[i], l->call->err));
  }
  int64_t asked = l->size;
  l->size = count;
  BERTH_TRY(read_lines(l, true, &count));
  if (asked == 0) {
    return berth_error_set(l->call->err, BERTH_OUT_OF_RANGE,
                           "Finished reading 0 of lines from %s", l->path);
  }
  if (asked != -1 && asked != count) {
    return FAIL("Invalid vocab_size in %s: expected %lld but got %lld", l->path,
                (long long)asked, (long long)count);
  }
  if (count > 0) return BERTH_OK;
  return berth_error_set(l->call->err, BERTH_OUT_OF_RANGE,
                         "Read less bytes than requested");
}

static berth_code_t fill_table(lines_t *l, berth_table_t *table) {
  BERTH_TRY(check_types(l));
  BERTH_TRY(make_pairs(l));
  return berth_table_fill(table, l->pairs[0], l->pairs[1], l->call->err);
}

static berth_code_t run_file(const void *plan, void *const *args,
                             berth_call_t *call) {
  (void)plan;
  (void)args;
  const berth_node_t *node = call->node;
  berth_resource_t *resource = NULL;
  BERTH_TRY(berth_handle_get(call->inputs[0]->data, BERTH_RESOURCE_TABLE,
                             &resource, call->err));
  berth_table_t *table = (berth_table_t *)resource;
  if (berth_table_spec(table)->kind != BERTH_TABLE_STATIC) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "Table is not initializable");
  }
  berth_str_t path = {0};
  size_t size = 0;
  const char *text = berth_string_get(call->inputs[1]->data, &size);
  berth_str_put(&path, text, size);
  if (!berth_str_ok(&path)) return berth_error_no_memory(call->err, "a path");
  lines_t lines = {
      .call = call,
      .path = berth_str_get(&path),
      .spec = berth_table_spec(table),
      .delimiter = *berth_node_attr_string(node, "delimiter", "\t"),
      .index = {berth_node_attr_int(node, "key_index", 0),
                berth_node_attr_int(node, "value_index", 0)},
      .size = berth_node_attr_int(node, "vocab_size", -1),
      .offset = berth_node_attr_int(node, "offset", 0)};
  berth_code_t code = fill_table(&lines, table);
  berth_tensor_release(lines.pairs[0]);
  berth_tensor_release(lines.pairs[1]);
  berth_str_clear(&lines.part);
  berth_str_clear(&path);
  return code;
}

static berth_code_t prepare_file(berth_prepare_t *prepare, berth_error_t *err) {
  prepare->run = run_file;
  prepare->work = 100000;
  return berth_op_table_file(&prepare->op, err);
}

// ---- GenerateVocabRemapping ----

// Reads the words of the file that |name| says, and their places: all, or the
// first |size|.
static berth_code_t read_words(const berth_string_t *name, int64_t size,
                               berth_call_t *call, berth_tensor_t **out_pairs) {
  size_t length = 0;
  const char *text = berth_string_get(name, &length);
  if (length == 0) {
    return berth_error_set(call->err, BERTH_INVALID_ARGUMENT,
                           "new vocab filename cannot be empty.");
  }
  berth_table_spec_t spec = {.key_dtype = BERTH_STRING,
                             .value_dtype = BERTH_INT64};
  berth_str_t path = {0};
  berth_str_put(&path, text, length);
  if (!berth_str_ok(&path)) return berth_error_no_memory(call->err, "a path");
  lines_t lines = {.call = call,
                   .path = berth_str_get(&path),
                   .spec = &spec,
                   .index = {WHOLE_LINE, LINE_NUMBER},
                   .size = size};
  berth_code_t code = make_pairs(&lines);
  memcpy(out_pairs, lines.pairs, sizeof(lines.pairs));
  berth_str_clear(&lines.part);
  berth_str_clear(&path);
  return code;
}

// Looks the words [first, first + count) of |words| up among the |old| ones.
static berth_code_t find_words(const berth_tensor_t *words, int64_t first,
                               int64_t count, berth_tensor_t *const *old,
                               int64_t *out, berth_error_t *err) {
  berth_resource_t *table = NULL;
  berth_tensor_t *keys = NULL, *missing = NULL;
  if (first + count > words->count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "lookup table size must be larger than last new "
                           "vocab entry's line");
  }
  berth_table_spec_t spec = {.kind = BERTH_TABLE_STATIC,
                             .key_dtype = BERTH_STRING,
                             .value_dtype = BERTH_INT64};
  berth_code_t code = berth_table_create(&spec, &table, err);
  if (code == BERTH_OK) {
    code = berth_table_fill((berth_table_t *)table, old[0], old[1], err);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_view(words->buffer, (berth_string_t *)words->data + first,
                             BERTH_STRING, 1, &count, count, NULL, &keys, err);
  }
  if (code == BERTH_OK) {
    code = berth_tensor_make(NULL, BERTH_INT64, 0, NULL, 1, &missing, err);
  }
  if (code == BERTH_OK) {
    *(int64_t *)missing->data = -1;
    code = berth_table_find((berth_table_t *)table, keys, missing, out, err);
  }
  berth_tensor_release(missing);
  berth_tensor_release(keys);
  berth_resource_release(table);
  return code;
}

static berth_code_t run_vocabulary(const void *plan, void *const *args,
                                   berth_call_t *call) {
  (void)plan;
  const berth_node_t *node = call->node;
  int64_t count = berth_node_attr_int(node, "num_new_vocab", 0);
  int64_t first = berth_node_attr_int(node, "new_vocab_offset", 0);
  int64_t *out = args[2];
  berth_tensor_t *words[2] = {NULL, NULL}, *old[2] = {NULL, NULL};
  berth_code_t code = read_words(args[0], -1, call, words);
  if (code == BERTH_OK) {
    code = read_words(args[1], berth_node_attr_int(node, "old_vocab_size", -1),
                      call, old);
  }
  if (code == BERTH_OK) {
    code = find_words(words[0], first, count, old, out, call->err);
  }
  for (int i = 0; i < 2; ++i) {
    berth_tensor_release(words[i]);
    berth_tensor_release(old[i]);
  }
  *(int32_t *)args[3] = 0;
  for (int64_t i = 0; code == BERTH_OK && i < count; ++i) {
    *(int32_t *)args[3] += out[i] >= 0;
  }
  return code;
}

static berth_code_t prepare_vocabulary(berth_prepare_t *prepare,
                                       berth_error_t *err) {
  prepare->run = run_vocabulary;
  prepare->work = 100000;
  return berth_op_vocabulary(&prepare->op, err);
}

const berth_kernel_t berth_cpu_table_file_kernels[] = {
    {.op = "GenerateVocabRemapping", .prepare = prepare_vocabulary},
    {.op = "InitializeTableFromTextFile", .prepare = prepare_file},
    {.op = NULL},
};
