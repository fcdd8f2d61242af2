// summary.h - Values as TensorBoard shows them: parts of a message Summary.
//
// A summary is a list of values, each with a tag. Messages are written field by
// field, as wire/summary.proto has them.
//
// Pure functions.
#ifndef BERTH_CPU_OPS_SUMMARY_H_
#define BERTH_CPU_OPS_SUMMARY_H_

#include "base/str.h"
#include "op/summary.h"
#include "tensor/string.h"

// What a value is made of. Borrowed.
typedef struct berth_summary_data {
  const berth_string_t *tag;
  berth_dtype_t dtype;
  berth_dims_t dims;
  int64_t count;
  const void *data;
} berth_summary_data_t;

// Append a value to |summary|: a number, a tensor with what is said about it.
void berth_summary_put_number(berth_str_t *summary, const berth_string_t *tag,
                              float number);
void berth_summary_put_tensor(berth_str_t *summary,
                              const berth_summary_data_t *data,
                              const berth_string_t *metadata);

// How a message says that numbers are infinite, and what it calls them.
typedef struct berth_summary_words {
  const char *infinity;
  const char *name;
} berth_summary_words_t;

// Appends how numbers are spread. Fails with
// BERTH_INVALID_ARGUMENT for what is no number or infinite, and with
// BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_summary_put_histogram(
    berth_str_t *summary, const berth_summary_data_t *data,
    const berth_summary_words_t *words, berth_error_t *err);

// Append images or sound, a value each. Fail with BERTH_INVALID_ARGUMENT for
// sound that no file can hold, and with BERTH_RESOURCE_EXHAUSTED.
BERTH_NODISCARD berth_code_t berth_summary_put_images(
    berth_str_t *summary, const berth_summary_data_t *data,
    const berth_image_summary_t *images, berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_summary_put_audio(
    berth_str_t *summary, const berth_summary_data_t *data,
    const berth_audio_summary_t *audio, float rate, berth_error_t *err);

// Appends a tensor as a message TensorProto: raw bytes, or its texts.
void berth_summary_put_proto(berth_str_t *to, const berth_summary_data_t *data);

#endif  // BERTH_CPU_OPS_SUMMARY_H_
