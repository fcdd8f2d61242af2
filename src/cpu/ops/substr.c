// substr.c - The kernel Substr: parts of texts.
#include "base/unicode.h"
#include "cpu/kernels.h"
#include "cpu/loops/poll.h"
#include "op/text.h"
#include "tensor/string.h"

typedef struct cut {
  berth_text_part_t part;
  bool is_wide;  // Places and lengths have 64 bits.
} cut_t;

static int64_t number_at(const cut_t *cut, const void *data, int64_t i) {
  return cut->is_wide ? ((const int64_t *)data)[i] : ((const int32_t *)data)[i];
}

// Returns where character |at| begins.
static size_t byte_of(const char *text, size_t size, int64_t at) {
  size_t i = 0;
  while (i < size && at > 0) {
    ++i;
    while (i < size && (text[i] & 0xc0) == 0x80) ++i;
    --at;
  }
  return i;
}

static berth_code_t cut_one(const cut_t *cut, const berth_string_t *in,
                            int64_t at, int64_t length, int64_t index,
                            berth_string_t *out, berth_error_t *err) {
  size_t size = 0;
  const char *text = berth_string_get(in, &size);
  int64_t count =
      cut->part.is_utf8 ? (int64_t)berth_utf8_count(text, size) : (int64_t)size;
  int64_t begin = at < 0 ? at + count : at;
  if ((begin < 0 || begin > count) && cut->part.is_utf8) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "pos %lld out of range for string at index %lld",
                           (long long)at, (long long)index);
  }
  if (begin < 0 || begin > count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "pos %lld out of range for string b'%.*s' at index "
                           "%lld",
                           (long long)at, (int)size, text, (long long)index);
  }
  int64_t left = count - begin;
  // For a negative length TensorFlow takes all bytes that are left, but no
  // characters.
  int64_t taken = length >= 0 && length < left ? length : left;
  if (length < 0 && cut->part.is_utf8) taken = 0;
  size_t first = (size_t)begin, last = (size_t)(begin + taken);
  if (cut->part.is_utf8) {
    first = byte_of(text, size, begin);
    last = first + byte_of(text + first, size - first, taken);
  }
  if (berth_string_set(out, text + first, last - first)) return BERTH_OK;
  return berth_error_no_memory(err, "a string");
}

// Stores which text and which place belong to result |index|.
static void find_inputs(const berth_broadcast_t *broadcast, int64_t index,
                        int64_t out_places[2]) {
  out_places[0] = out_places[1] = 0;
  if (broadcast->level_count == 1) {
    out_places[0] = index * broadcast->levels[0].steps[0];
    out_places[1] = index * broadcast->levels[0].steps[1];
    return;
  }
  for (int32_t i = 0; i < broadcast->level_count; ++i) {
    const berth_level_t *level = &broadcast->levels[i];
    int64_t at = index % level->count;
    out_places[0] += at * level->steps[0];
    out_places[1] += at * level->steps[1];
    index /= level->count;
  }
}

static berth_code_t run_substr(const void *plan, void *const *args,
                               berth_call_t *call) {
  const cut_t *cut = plan;
  const berth_string_t *in = args[0];
  berth_string_t *out = args[3];
  for (int64_t i = 0; i < cut->part.count; ++i) {
    int64_t from[2];
    if ((i & 1023) == 1023 && berth_cpu_has_ended(call)) break;
    find_inputs(&cut->part.broadcast, i, from);
    int64_t at = number_at(cut, args[1], from[1]);
    int64_t length = number_at(cut, args[2], from[1]);
    BERTH_TRY(cut_one(cut, &in[from[0]], at, length, i, &out[i], call->err));
  }
  return BERTH_OK;
}

static berth_code_t prepare_substr(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  cut_t *cut = berth_prepare_plan(prepare, sizeof(*cut));
  if (cut == NULL) return berth_error_no_memory(err, "a plan");
  BERTH_TRY(berth_op_substr(&prepare->op, &cut->part, err));
  cut->is_wide = prepare->op.inputs[1].dtype == BERTH_INT64;
  prepare->run = run_substr;
  prepare->work = cut->part.count * 50;
  return BERTH_OK;
}

const berth_kernel_t berth_cpu_substr_kernels[] = {
    {.op = "Substr",
     .types = {{"T", BERTH_TYPES_INDEX}},
     .prepare = prepare_substr},
    {.op = NULL},
};
