// csv.c - The kernel DecodeCSV.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/example.h"
#include "tensor/string.h"

typedef struct plan {
  berth_csv_t csv;
  const berth_dtype_t *types;  // Of outputs; the node's.
  const bool *has_default;     // By output.
} plan_t;

// One record while it is read.
typedef struct reader {
  const plan_t *plan;
  void *const *args;
  const char *at, *end;
  int64_t record;
  berth_str_t field;
  berth_error_t *err;
} reader_t;

// ---- One field as text ----

static berth_code_t read_quoted(reader_t *r) {
  for (++r->at;; ++r->at) {
    if (r->at == r->end) {
      return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                             "Quoted field has to end with quote followed by "
                             "delim or end");
    }
    if (*r->at != '"') {
      berth_str_putc(&r->field, *r->at);
      continue;
    }
    ++r->at;
    if (r->at < r->end && *r->at == '"') {
      berth_str_putc(&r->field, '"');
      continue;
    }
    if (r->at == r->end || *r->at == r->plan->csv.mark) return BERTH_OK;
    return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                           "Quote inside a string has to be escaped by another "
                           "quote");
  }
}

static berth_code_t read_plain(reader_t *r) {
  for (; r->at < r->end && *r->at != r->plan->csv.mark; ++r->at) {
    bool is_wrong = *r->at == '\n' || *r->at == '\r' ||
                    (r->plan->csv.has_quotes && *r->at == '"');
    if (is_wrong) {
      return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                             "Unquoted fields cannot have quotes/CRLFs inside");
    }
    berth_str_putc(&r->field, *r->at);
  }
  return BERTH_OK;
}

static berth_code_t read_field(reader_t *r) {
  r->field.size = 0;
  bool is_quoted = r->plan->csv.has_quotes && r->at < r->end && *r->at == '"';
  BERTH_TRY(is_quoted ? read_quoted(r) : read_plain(r));
  return berth_str_ok(&r->field) ? BERTH_OK
                                 : berth_error_no_memory(r->err, "a field");
}

// ---- One field as a value ----

static bool store_number(const char *text, berth_dtype_t dtype, void *out,
                         int64_t i) {
  char *end = NULL;
  long long value = 0;
  errno = 0;
  if (dtype == BERTH_FLOAT) ((float *)out)[i] = strtof(text, &end);
  if (dtype == BERTH_DOUBLE) ((double *)out)[i] = strtod(text, &end);
  if (dtype == BERTH_INT32 || dtype == BERTH_INT64) {
    value = strtoll(text, &end, 10);
    if (errno == ERANGE) return false;
  }
  while (end != NULL && *end == ' ') ++end;
  if (end == NULL || end == text || *end != '\0') return false;
  if (dtype == BERTH_INT64) ((int64_t *)out)[i] = value;
  if (dtype == BERTH_INT32) {
    ((int32_t *)out)[i] = (int32_t)value;
    return value >= INT32_MIN && value <= INT32_MAX;
  }
  return true;
}

static berth_code_t store_default(reader_t *r, int field) {
  berth_dtype_t dtype = r->plan->types[field];
  size_t size = berth_dtype_size(dtype);
  char *out = r->args[1 + r->plan->csv.fields + field];
  if (!r->plan->has_default[field]) {
    return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                           "Field %d is required but missing in record %lld!",
                           field, (long long)r->record);
  }
  return berth_elements_copy(dtype, out + (size_t)r->record * size,
                             r->args[1 + field], 1)
             ? BERTH_OK
             : berth_error_no_memory(r->err, "a field");
}

static berth_code_t store(reader_t *r, int field) {
  const char *text = berth_str_get(&r->field);
  berth_dtype_t dtype = r->plan->types[field];
  void *out = r->args[1 + r->plan->csv.fields + field];
  if (r->field.size == 0 || strcmp(text, r->plan->csv.missing) == 0) {
    return store_default(r, field);
  }
  if (dtype == BERTH_STRING) {
    bool ok = berth_string_set((berth_string_t *)out + r->record, text,
                               r->field.size);
    return ok ? BERTH_OK : berth_error_no_memory(r->err, "a field");
  }
  if (store_number(text, dtype, out, r->record)) return BERTH_OK;
  return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                         "Field %d in record %lld is not a valid %s: %s", field,
                         (long long)r->record, berth_dtype_name(dtype), text);
}

// ---- Records ----

static berth_code_t read_record(reader_t *r) {
  const berth_csv_t *csv = &r->plan->csv;
  int found = 0;
  for (int64_t column = 0;; ++column) {
    bool is_wanted = csv->columns == NULL ||
                     (found < csv->fields && csv->columns[found] == column);
    BERTH_TRY(read_field(r));
    if (is_wanted && found < csv->fields) BERTH_TRY(store(r, found));
    found += is_wanted;
    if (r->at == r->end) break;
    ++r->at;  // The mark; a field follows, maybe an empty one.
  }
  if (found == csv->fields) return BERTH_OK;
  return berth_error_set(r->err, BERTH_INVALID_ARGUMENT,
                         "Expect %d fields but have %d in record %lld",
                         csv->fields, found, (long long)r->record);
}

static berth_code_t run_csv(const void *data, void *const *args,
                            berth_call_t *call) {
  const plan_t *plan = data;
  const berth_string_t *records = args[0];
  reader_t reader = {.plan = plan, .args = args, .err = call->err};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < plan->csv.records; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&records[i], &size);
    if ((i & 255) == 255 && berth_cpu_has_ended(call)) break;
    reader.at = text;
    reader.end = text + size;
    reader.record = i;
    code = read_record(&reader);
  }
  berth_str_clear(&reader.field);
  return code;
}

static berth_code_t prepare_csv(berth_prepare_t *prepare, berth_error_t *err) {
  int count = prepare->op.output_count;
  plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan) + (size_t)count);
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_decode_csv(&prepare->op, &plan->csv, err));
  bool *has_default = (bool *)(plan + 1);
  for (int i = 0; i < count; ++i) {
    has_default[i] = prepare->op.inputs[1 + i].count > 0;
  }
  plan->has_default = has_default;
  plan->types = prepare->op.node->output_types;
  prepare->run = run_csv;
  prepare->work = plan->csv.records * 200;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_csv_kernels[] = {
    {.op = "DecodeCSV", .prepare = prepare_csv},
    {.op = NULL},
};
