// text_map.c - Kernels that make something of each text: StringLower,
// StringLength, StringToNumber, hashes, Base64 …
//
// Each op is a function of one text, and one loop serves them all.
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fingerprint.h"
#include "base/unicode.h"
#include "cpu/kernels.h"
#include "cpu/loops/digits.h"
#include "cpu/loops/poll.h"
#include "cpu/ops/text_map.h"

// The C locale's notion, whatever the process has set.
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

berth_code_t berth_text_take(berth_str_t *str, berth_string_t *out,
                             berth_error_t *err) {
  bool ok =
      berth_str_ok(str) && berth_string_set(out, berth_str_get(str), str->size);
  str->size = 0;
  return ok ? BERTH_OK : berth_error_no_memory(err, "a string");
}

static berth_code_t run_map(const void *plan, void *const *args,
                            berth_call_t *call) {
  const berth_text_work_t *work = plan;
  const berth_string_t *in = args[0];
  berth_code_t code = BERTH_OK;
  berth_text_job_t job = {.work = work, .out = args[1], .err = call->err};
  for (int64_t i = 0; code == BERTH_OK && i < work->map.count; ++i) {
    if ((i & 255) == 255 && berth_cpu_has_ended(call)) break;
    job.text = berth_string_get(&in[i], &job.size);
    job.index = i;
    code = work->each(&job);
  }
  berth_str_clear(&job.str);
  return code;
}

berth_code_t berth_text_map_prepare(berth_prepare_t *prepare,
                                    berth_text_each_fn each,
                                    berth_text_work_t **out_work,
                                    berth_error_t *err) {
  berth_text_work_t *work = berth_prepare_plan(prepare, sizeof(*work));
  if (work == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_text_map(&prepare->op, &work->map, err));
  work->each = each;
  work->dtype = prepare->op.node->output_types[0];
  work->result_size = berth_dtype_size(work->dtype);
  prepare->run = run_map;
  prepare->work = work->map.count * 60;
  *out_work = work;
  return BERTH_OK;
}

// Declares the prepare of an op whose texts |each| does.
#define MAPPED(name, each)                                                 \
  static berth_code_t name(berth_prepare_t *prepare, berth_error_t *err) { \
    berth_text_work_t *work = NULL;                                        \
    return berth_text_map_prepare(prepare, each, &work, err);              \
  }

static berth_code_t give_text(berth_text_job_t *job) {
  return berth_text_take(&job->str, (berth_string_t *)job->out + job->index,
                         job->err);
}

// ---- Cases and spaces ----

static berth_code_t fail_letter(berth_text_job_t *job, int32_t c) {
  return berth_error_set(job->err, BERTH_UNIMPLEMENTED,
                         "Berth does not know the other case of the letter "
                         "U+%04X, which is several characters",
                         (unsigned)c);
}

// Return the other case of the letters of ASCII among eight characters: those
// between two letters get a top bit, which is moved to where cases differ.
#define EIGHT(c) (UINT64_C(0x0101010101010101) * (uint64_t)(c))

static inline uint64_t letters_between(uint64_t eight, char first, char last) {
  uint64_t low = eight & EIGHT(0x7f);
  uint64_t is_behind = low + EIGHT(0x7f - last);
  uint64_t is_from = low + EIGHT(0x80 - first);
  return ~eight & EIGHT(0x80) & (is_from ^ is_behind);
}

static inline uint64_t lower_eight(uint64_t eight) {
  return eight + (letters_between(eight, 'A', 'Z') >> 2);
}

static inline uint64_t upper_eight(uint64_t eight) {
  return eight - (letters_between(eight, 'a', 'z') >> 2);
}

// Makes a result of the characters of a text, eight at a time.
static BERTH_INLINE berth_code_t give_changed(berth_text_job_t *job,
                                              uint64_t (*change)(uint64_t)) {
  char *to = berth_string_make((berth_string_t *)job->out + job->index,
                               job->size);
  if (to == NULL) return berth_error_no_memory(job->err, "a string");
  uint64_t eight = 0;
  size_t i = 0;
  for (; i + sizeof(eight) <= job->size; i += sizeof(eight)) {
    memcpy(&eight, job->text + i, sizeof(eight));
    eight = change(eight);
    memcpy(to + i, &eight, sizeof(eight));
  }
  for (; i < job->size; ++i) {
    to[i] = (char)change((unsigned char)job->text[i]);
  }
  return BERTH_OK;
}

static berth_code_t each_lower(berth_text_job_t *job) {
  int32_t letter = 0;
  if (!job->work->map.is_utf8) return give_changed(job, lower_eight);
  if (!berth_text_lower(job->text, job->size, &job->str, &letter)) {
    return fail_letter(job, letter);
  }
  return give_text(job);
}

static berth_code_t each_upper(berth_text_job_t *job) {
  int32_t letter = 0;
  if (!job->work->map.is_utf8) return give_changed(job, upper_eight);
  if (!berth_text_upper(job->text, job->size, &job->str, &letter)) {
    return fail_letter(job, letter);
  }
  return give_text(job);
}

static berth_code_t each_strip(berth_text_job_t *job) {
  const char *text = job->text;
  size_t size = job->size;
  while (size > 0 && is_space(text[size - 1])) --size;
  for (; size > 0 && is_space(*text); ++text) --size;
  berth_string_t *out = (berth_string_t *)job->out + job->index;
  return berth_string_set(out, text, size)
             ? BERTH_OK
             : berth_error_no_memory(job->err, "a string");
}

MAPPED(prepare_lower, each_lower)
MAPPED(prepare_upper, each_upper)
MAPPED(prepare_strip, each_strip)

// ---- Numbers ----

static berth_code_t each_length(berth_text_job_t *job) {
  size_t length = berth_utf8_count(job->text, job->size);
  ((int32_t *)job->out)[job->index] = (int32_t)length;
  return BERTH_OK;
}

// Stores how many bytes texts have, which is less work than a call of each.
static berth_code_t run_sizes(const void *plan, void *const *args,
                              berth_call_t *call) {
  const berth_text_work_t *work = plan;
  const berth_string_t *in = args[0];
  int32_t *out = args[1];
  for (int64_t i = 0; i < work->map.count; ++i) {
    if (berth_cpu_ends_at(call, i)) break;
    size_t size = 0;
    (void)berth_string_get(&in[i], &size);
    out[i] = (int32_t)size;
  }
  return BERTH_OK;
}

static berth_code_t prepare_length(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_text_work_t *work = NULL;
  BERTH_TRY(berth_text_map_prepare(prepare, each_length, &work, err));
  if (!work->map.is_utf8) prepare->run = run_sizes;
  return BERTH_OK;
}

static berth_code_t fail_number(berth_text_job_t *job) {
  return berth_error_set(job->err, BERTH_INVALID_ARGUMENT,
                         "StringToNumberOp could not correctly convert string: "
                         "%.*s",
                         (int)job->size, job->text);
}

// Stores the number in |text|, which ends in a NUL and has spaces around it at
// most; false where there is none.
static bool read_number(const char *text, berth_dtype_t dtype, void *out) {
  char *end = NULL;
  bool is_real = dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE;
  bool is_negative = *text == '-';
  unsigned long long whole = 0;
  long long value = 0;
  if (strchr(text, '(') != NULL) return false;
  errno = 0;
  if (dtype == BERTH_FLOAT) *(float *)out = strtof(text, &end);
  if (dtype == BERTH_DOUBLE) *(double *)out = strtod(text, &end);
  if (dtype == BERTH_INT32 || dtype == BERTH_INT64) {
    value = strtoll(text, &end, 10);
  } else if (!is_real) {
    whole = is_negative ? 0 : strtoull(text, &end, 10);
  }
  if (end == NULL || end == text || *end != '\0') return false;
  if (is_real) return true;
  if (errno == ERANGE) return false;
  if (dtype == BERTH_INT64) *(int64_t *)out = value;
  if (dtype == BERTH_UINT64) *(uint64_t *)out = whole;
  if (dtype == BERTH_INT32) {
    *(int32_t *)out = (int32_t)value;
    return value >= INT32_MIN && value <= INT32_MAX;
  }
  if (dtype == BERTH_UINT32) {
    *(uint32_t *)out = (uint32_t)whole;
    return whole <= UINT32_MAX;
  }
  return true;
}

// Reads what most texts are, digits alone; false where it is something else.
static bool read_digits(const char *text, size_t size, berth_dtype_t dtype,
                        void *out) {
  int64_t value = 0;
  switch (dtype) {
    case BERTH_FLOAT:
      return berth_digits_read_float(text, size, out);
    case BERTH_DOUBLE:
      return berth_digits_read(text, size, out);
    case BERTH_INT64:
      return berth_digits_read_int(text, size, out);
    case BERTH_INT32:
      if (!berth_digits_read_int(text, size, &value)) return false;
      *(int32_t *)out = (int32_t)value;
      return value >= INT32_MIN && value <= INT32_MAX;
    default:
      return false;
  }
}

static berth_code_t each_number(berth_text_job_t *job) {
  const char *text = job->text;
  size_t size = job->size;
  char *out = (char *)job->out + (size_t)job->index * job->work->result_size;
  while (size > 0 && is_space(text[size - 1])) --size;
  for (; size > 0 && is_space(*text); ++text) --size;
  if (read_digits(text, size, job->work->dtype, out)) return BERTH_OK;
  if (size == 0 || memchr(text, '\0', size) != NULL) return fail_number(job);
  job->str.size = 0;
  berth_str_put(&job->str, text, size);
  if (!berth_str_ok(&job->str))
    return berth_error_no_memory(job->err, "a text");
  if (!read_number(berth_str_get(&job->str), job->work->dtype, out)) {
    return fail_number(job);
  }
  return BERTH_OK;
}

MAPPED(prepare_number, each_number)

// ---- Hashes ----

static berth_code_t give_bucket(berth_text_job_t *job, uint64_t hash) {
  ((int64_t *)job->out)[job->index] =
      (int64_t)(hash % (uint64_t)job->work->map.buckets);
  return BERTH_OK;
}

static berth_code_t each_farm(berth_text_job_t *job) {
  return give_bucket(job, berth_fingerprint_farm(job->text, job->size));
}

static berth_code_t each_murmur(berth_text_job_t *job) {
  return give_bucket(job, berth_fingerprint_murmur(job->text, job->size));
}

static berth_code_t each_sip(berth_text_job_t *job) {
  return give_bucket(
      job, berth_fingerprint_sip(job->text, job->size, job->work->map.key));
}

MAPPED(prepare_farm, each_farm)
MAPPED(prepare_murmur, each_murmur)
MAPPED(prepare_sip, each_sip)

// Whole numbers are hashed as their digits.
static berth_code_t run_digits(const void *plan, void *const *args,
                               berth_call_t *call) {
  int64_t count = *(const int64_t *)plan;
  const berth_node_t *node = call->node;
  berth_dtype_t dtype = berth_node_attr_type(node, "T", BERTH_INVALID);
  uint64_t buckets = (uint64_t)berth_node_attr_int(node, "num_buckets", 1);
  size_t size = berth_dtype_size(dtype), above = 64 - 8 * size;
  for (int64_t i = 0; i < count; ++i) {
    char text[24];
    uint64_t bits = 0;
    memcpy(&bits, (const char *)args[0] + (size_t)i * size, size);
    int length = snprintf(text, sizeof(text), "%lld",
                          (long long)((int64_t)(bits << above) >> above));
    ((int64_t *)args[1])[i] =
        (int64_t)(berth_fingerprint_farm(text, (size_t)length) % buckets);
  }
  return BERTH_OK;
}

static berth_code_t prepare_digits(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  berth_dtype_t dtype = prepare->op.inputs[0].dtype;
  if (!berth_type_in(dtype, BERTH_TYPES_SIGNED)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Type not supported: %s", berth_dtype_name(dtype));
  }
  int64_t *count = berth_prepare_plan(prepare, sizeof(*count));
  if (count == NULL) return berth_error_no_memory(err, "a plan");
  *count = prepare->op.inputs[0].count;
  berth_case_output(&prepare->op, 0, berth_case_input_dims(&prepare->op, 0));
  prepare->run = run_digits;
  prepare->work = *count * 100;
  return BERTH_OK;
}

// ---- Base64, with letters that are safe in addresses ----

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Writes four letters for up to three bytes.
static void encode_three(const unsigned char *from, size_t left, char *four) {
  uint32_t bits = (uint32_t)from[0] << 16;
  if (left > 1) bits |= (uint32_t)from[1] << 8;
  if (left > 2) bits |= from[2];
  four[0] = letters[bits >> 18 & 63];
  four[1] = letters[bits >> 12 & 63];
  four[2] = left > 1 ? letters[bits >> 6 & 63] : '=';
  four[3] = left > 2 ? letters[bits & 63] : '=';
}

static berth_code_t each_encode(berth_text_job_t *job) {
  const unsigned char *text = (const unsigned char *)job->text;
  size_t whole = job->size / 3, left = job->size % 3;
  size_t last = left == 0 ? 0 : job->work->map.is_padded ? 4 : left + 1;
  if (whole > SIZE_MAX / 4 - 2) {
    return berth_error_no_memory(job->err, "a string");
  }
  char *to = berth_string_make((berth_string_t *)job->out + job->index,
                               whole * 4 + last);
  if (to == NULL) return berth_error_no_memory(job->err, "a string");
  for (size_t i = 0; i < whole; ++i) encode_three(text + 3 * i, 3, to + 4 * i);
  if (last > 0) {
    char four[4];
    encode_three(text + 3 * whole, left, four);
    memcpy(to + 4 * whole, four, last);
  }
  return BERTH_OK;
}

// The values of letters, plus one; 0 for what is no letter.
static const unsigned char values_of[256] = {
    ['A'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
    20, 21, 22, 23, 24, 25, 26,
    ['a'] = 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42,
    43, 44, 45, 46, 47, 48, 49, 50, 51, 52,
    ['0'] = 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
    ['-'] = 63,
    ['_'] = 64,
};

static berth_code_t fail_base64(berth_text_job_t *job, const char *what) {
  return berth_error_set(job->err, BERTH_INVALID_ARGUMENT, "%s", what);
}

// Writes the three bytes of up to four letters; false where one is none.
static bool decode_four(const char *from, size_t left, char *three) {
  uint32_t bits = 0, is_wrong = 0;
  for (size_t k = 0; k < left; ++k) {
    uint32_t value = values_of[(unsigned char)from[k]];
    is_wrong |= value == 0;
    bits |= (value - 1) << (18 - 6 * k);
  }
  for (int k = 0; k < 3; ++k) three[k] = (char)(bits >> (16 - 8 * k));
  return is_wrong == 0;
}

static berth_code_t each_decode(berth_text_job_t *job) {
  static const char no_letter[] = "Invalid character found in base64.";
  size_t size = job->size;
  if (size % 4 == 0) {
    for (int i = 0; i < 2 && size > 0 && job->text[size - 1] == '='; ++i) {
      --size;
    }
  }
  if (size % 4 == 1) {
    return berth_error_set(job->err, BERTH_INVALID_ARGUMENT,
                           "Base64 string length cannot be 1 modulo 4.");
  }
  size_t whole = size / 4, left = size % 4;
  char *to = berth_string_make((berth_string_t *)job->out + job->index,
                               whole * 3 + (left > 0 ? left - 1 : 0));
  if (to == NULL) return berth_error_no_memory(job->err, "a string");
  for (size_t i = 0; i < whole; ++i) {
    if (!decode_four(job->text + 4 * i, 4, to + 3 * i)) {
      return fail_base64(job, no_letter);
    }
  }
  char rest[3];
  if (!decode_four(job->text + 4 * whole, left, rest)) {
    return fail_base64(job, no_letter);
  }
  if (left > 0) memcpy(to + 3 * whole, rest, left - 1);
  return BERTH_OK;
}

MAPPED(prepare_encode, each_encode)
MAPPED(prepare_decode, each_decode)

#define NUMBERS                                                 \
  (BERTH_TYPE(FLOAT) | BERTH_TYPE(DOUBLE) | BERTH_TYPES_INDEX | \
   BERTH_TYPE(UINT32) | BERTH_TYPE(UINT64))

const berth_kernel_t berth_cpu_text_map_kernels[] = {
    {.op = "DecodeBase64", .prepare = prepare_decode},
    {.op = "EncodeBase64", .prepare = prepare_encode},
    {.op = "StringLength", .prepare = prepare_length},
    {.op = "StringLower", .prepare = prepare_lower},
    {.op = "StringStrip", .prepare = prepare_strip},
    {.op = "StringToHashBucket", .prepare = prepare_murmur},
    {.op = "StringToHashBucketFast", .prepare = prepare_farm},
    {.op = "StringToHashBucketStrong", .prepare = prepare_sip},
    {.op = "StringToNumber",
     .types = {{"out_type", NUMBERS}},
     .prepare = prepare_number},
    {.op = "StringUpper", .prepare = prepare_upper},
    {.op = "_TensorToHashBucketFast", .prepare = prepare_digits},
    {.op = NULL},
};
