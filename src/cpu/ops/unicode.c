// unicode.c - Kernels between texts and their characters: UnicodeDecode,
// UnicodeEncode, UnicodeTranscode; the scripts of characters.
#include "base/unicode.h"
#include "base/alloc.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/text_map.h"

typedef struct chars {
  int32_t *values;
  int64_t *starts;  // Of bytes.
  size_t count, value_room, start_room;
} chars_t;

static bool add_char(chars_t *chars, int32_t c, size_t start) {
  if (chars->count == chars->value_room) {
    void *grown = berth_grow(chars->values, chars->count, &chars->value_room,
                             sizeof(*chars->values));
    if (grown == NULL) return false;
    chars->values = grown;
  }
  if (chars->count == chars->start_room) {
    void *grown = berth_grow(chars->starts, chars->count, &chars->start_room,
                             sizeof(*chars->starts));
    if (grown == NULL) return false;
    chars->starts = grown;
  }
  chars->values[chars->count] = c;
  chars->starts[chars->count++] = (int64_t)start;
  return true;
}

static void drop_chars(chars_t *chars) {
  berth_free(chars->values);
  berth_free(chars->starts);
}

// Adds the characters of |text|.
static berth_code_t read_chars(const berth_text_code_t *code, const char *text,
                               size_t size, chars_t *chars,
                               berth_error_t *err) {
  for (size_t i = 0; i < size;) {
    int32_t c = 0;
    size_t start = i;
    i += (size_t)berth_utf8_read(text + i, size - i, &c);
    if (c < 0 && code->is_strict) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Invalid formatting on input string");
    }
    if (c < 0 || (code->replaces_controls && c < 0x20)) {
      if (code->ignores) continue;
      c = code->replacement;
    }
    if (!add_char(chars, c, start)) return berth_error_no_memory(err, "a text");
  }
  return BERTH_OK;
}

// ---- Writing ----

static void put_big_endian(berth_str_t *str, uint32_t value, int bytes) {
  for (int i = bytes; i-- > 0;) berth_str_putc(str, (char)(value >> (8 * i)));
}

static void put_char(const berth_text_code_t *code, berth_str_t *str,
                     int32_t c) {
  if (code->to == BERTH_CODE_UTF8) {
    berth_utf8_put(str, c);
  } else if (code->to == BERTH_CODE_UTF32) {
    put_big_endian(str, (uint32_t)c, 4);
  } else if (c < 0x10000) {
    put_big_endian(str, (uint32_t)c, 2);
  } else {
    put_big_endian(str, 0xd800 + ((uint32_t)(c - 0x10000) >> 10), 2);
    put_big_endian(str, 0xdc00 + ((uint32_t)(c - 0x10000) & 0x3ff), 2);
  }
}

static berth_code_t transcode_one(const berth_text_code_t *code,
                                  const berth_string_t *in, berth_string_t *out,
                                  berth_error_t *err) {
  chars_t chars = {0};
  berth_str_t str = {0};
  size_t size = 0;
  const char *text = berth_string_get(in, &size);
  berth_code_t result = read_chars(code, text, size, &chars, err);
  for (size_t i = 0; i < chars.count; ++i) {
    put_char(code, &str, chars.values[i]);
  }
  if (result == BERTH_OK) result = berth_text_take(&str, out, err);
  berth_str_clear(&str);
  drop_chars(&chars);
  return result;
}

typedef struct coding {
  berth_text_code_t code;
  int64_t count;
} coding_t;

static berth_code_t run_transcode(const void *plan, void *const *args,
                                  berth_call_t *call) {
  const coding_t *coding = plan;
  const berth_string_t *in = args[0];
  berth_string_t *out = args[1];
  for (int64_t i = 0; i < coding->count; ++i) {
    if ((i & 255) == 255 && berth_cpu_has_ended(call)) break;
    BERTH_TRY(transcode_one(&coding->code, &in[i], &out[i], call->err));
  }
  return BERTH_OK;
}

// ---- Decoding ----

static void set_index(berth_tensor_t *tensor, int64_t i, int64_t value) {
  if (tensor->dtype == BERTH_INT32) {
    ((int32_t *)tensor->data)[i] = (int32_t)value;
  } else {
    ((int64_t *)tensor->data)[i] = value;
  }
}

static berth_code_t make_vector(berth_call_t *call, int index, int64_t count,
                                berth_tensor_t **out) {
  return berth_tensor_make(call->allocator, call->node->output_types[index], 1,
                           &count, count, out, call->err);
}

// Reads all texts and makes the row splits of |splits|.
static berth_code_t decode_all(const coding_t *coding, berth_call_t *call,
                               berth_tensor_t *splits, chars_t *chars) {
  const berth_string_t *in = call->inputs[0]->data;
  set_index(splits, 0, 0);
  for (int64_t i = 0; i < call->inputs[0]->count; ++i) {
    size_t size = 0;
    const char *text = berth_string_get(&in[i], &size);
    if ((i & 255) == 255 && berth_cpu_has_ended(call)) {
      return berth_cpu_ended(call);
    }
    BERTH_TRY(read_chars(&coding->code, text, size, chars, call->err));
    set_index(splits, i + 1, (int64_t)chars->count);
  }
  return BERTH_OK;
}

static berth_code_t run_decode(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  chars_t chars = {0};
  berth_tensor_t *outputs[3] = {NULL};
  int count = call->node->output_count;
  berth_code_t code =
      make_vector(call, 0, call->inputs[0]->count + 1, &outputs[0]);
  if (code == BERTH_OK) code = decode_all(plan, call, outputs[0], &chars);
  for (int i = 1; code == BERTH_OK && i < count; ++i) {
    code = make_vector(call, i, (int64_t)chars.count, &outputs[i]);
  }
  for (size_t i = 0; code == BERTH_OK && i < chars.count; ++i) {
    ((int32_t *)outputs[1]->data)[i] = chars.values[i];
    if (count > 2) ((int64_t *)outputs[2]->data)[i] = chars.starts[i];
  }
  for (int i = 0; i < count; ++i) {
    if (code == BERTH_OK) {
      call->outputs[i] = outputs[i];
    } else {
      berth_tensor_release(outputs[i]);
    }
  }
  drop_chars(&chars);
  return code;
}

// ---- Encoding ----

static int64_t index_at(const berth_tensor_t *tensor, int64_t i) {
  return tensor->dtype == BERTH_INT32 ? ((const int32_t *)tensor->data)[i]
                                      : ((const int64_t *)tensor->data)[i];
}

static berth_code_t check_splits(const berth_tensor_t *values,
                                 const berth_tensor_t *splits,
                                 berth_error_t *err) {
  int64_t last = 0;
  if (values->rank != 1 || splits->rank != 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Both the input_tensor and input_splits should be "
                           "of rank 1. ");
  }
  if (splits->count == 0) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "input_splits should not be empty");
  }
  for (int64_t i = 0; i < splits->count; ++i) {
    int64_t split = index_at(splits, i);
    if (i == 0 && split != 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "First value in input_splits must be zero.");
    }
    if (split < last) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Values in input_splits must be equal or in ascending order.");
    }
    last = split;
  }
  if (last != values->count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Last value in input_splits must be equal to length of input_tensor.");
  }
  return BERTH_OK;
}

static berth_code_t encode_row(const berth_text_code_t *code,
                               const int32_t *values, int64_t count,
                               berth_str_t *str, berth_error_t *err) {
  for (int64_t i = 0; i < count; ++i) {
    int32_t c = values[i];
    bool is_wrong = c < 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff);
    if (is_wrong && code->is_strict) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Code point is out of range for Unicode, or is a surrogate.");
    }
    if (is_wrong && code->ignores) continue;
    put_char(code, str, is_wrong ? code->replacement : c);
  }
  return BERTH_OK;
}

static berth_code_t run_encode(const void *plan, void *const *args,
                               berth_call_t *call) {
  (void)args;
  const coding_t *coding = plan;
  const berth_tensor_t *values = call->inputs[0], *splits = call->inputs[1];
  berth_tensor_t *texts = NULL;
  berth_str_t str = {0};
  BERTH_TRY(check_splits(values, splits, call->err));
  BERTH_TRY(make_vector(call, 0, splits->count - 1, &texts));
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < texts->count; ++i) {
    int64_t begin = index_at(splits, i), end = index_at(splits, i + 1);
    code = encode_row(&coding->code, (const int32_t *)values->data + begin,
                      end - begin, &str, call->err);
    if (code == BERTH_OK) {
      code =
          berth_text_take(&str, (berth_string_t *)texts->data + i, call->err);
    }
  }
  berth_str_clear(&str);
  if (code == BERTH_OK) {
    call->outputs[0] = texts;
  } else {
    berth_tensor_release(texts);
  }
  return code;
}

static berth_code_t prepare_coding(berth_prepare_t *prepare, berth_run_fn run,
                                   berth_error_t *err) {
  coding_t *coding = berth_prepare_plan(prepare, sizeof(*coding));
  if (coding == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_unicode(&prepare->op, &coding->code, err));
  coding->count = prepare->op.inputs[0].count;
  prepare->run = run;
  prepare->work = coding->count * 200;
  return BERTH_OK;
}

static berth_code_t prepare_transcode(berth_prepare_t *prepare,
                                      berth_error_t *err) {
  return prepare_coding(prepare, run_transcode, err);
}

static berth_code_t prepare_decode(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return prepare_coding(prepare, run_decode, err);
}

static berth_code_t prepare_encode(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  return prepare_coding(prepare, run_encode, err);
}

// ---- UnicodeScript ----

static berth_code_t run_script(const void *plan, void *const *args,
                               berth_call_t *call) {
  const int64_t count = *(const int64_t *)plan;
  const int32_t *chars = args[0];
  int32_t *scripts = args[1];
  for (int64_t i = 0; i < count; ++i) {
    if (i % BERTH_CPU_POLL == 0 && berth_cpu_has_ended(call)) break;
    scripts[i] = berth_char_script(chars[i]);
  }
  return BERTH_OK;
}

static berth_code_t prepare_script(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  int64_t *count = berth_prepare_plan(prepare, sizeof(*count));
  if (count == NULL) return berth_error_no_memory(err, "a plan");
  *count = prepare->op.inputs[0].count;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->op.may_overwrite = 1;
  prepare->run = *count > 0 ? run_script : berth_run_nothing;
  prepare->work = *count * 20;
  return BERTH_OK;
}

#define SPLITS \
  { "Tsplits", BERTH_TYPES_INDEX }

const berth_kernel_t berth_cpu_unicode_kernels[] = {
    {.op = "UnicodeDecode", .types = {SPLITS}, .prepare = prepare_decode},
    {.op = "UnicodeDecodeWithOffsets",
     .types = {SPLITS},
     .prepare = prepare_decode},
    {.op = "UnicodeEncode", .types = {SPLITS}, .prepare = prepare_encode},
    {.op = "UnicodeScript", .prepare = prepare_script},
    {.op = "UnicodeTranscode", .prepare = prepare_transcode},
    {.op = NULL},
};
