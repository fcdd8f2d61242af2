// text_map.h - A function of each text of a tensor.
//
// What kernels of such ops share: the loop, and how a result is given.
#ifndef BERTH_CPU_OPS_TEXT_MAP_H_
#define BERTH_CPU_OPS_TEXT_MAP_H_

#include "base/pattern.h"
#include "base/str.h"
#include "kernel/kernel.h"
#include "op/text.h"
#include "tensor/string.h"

typedef struct berth_text_work berth_text_work_t;

// One text, and where its result goes.
typedef struct berth_text_job {
  const berth_text_work_t *work;
  const char *text;
  size_t size;
  int64_t index;  // Of the text, and of its result in |out|.
  void *out;
  berth_str_t str;  // Empty; for a result that is a text.
  berth_error_t *err;
} berth_text_job_t;

typedef berth_code_t (*berth_text_each_fn)(berth_text_job_t *job);

// The plan of such an op.
struct berth_text_work {
  berth_text_map_t map;
  berth_text_each_fn each;
  berth_dtype_t dtype;       // Of results.
  size_t result_size;
  berth_pattern_t *pattern;  // Of ops whose pattern is an attribute.
};

// Lets the family check the op and sets the run function to a loop of |each|.
// Fails as the family does.
BERTH_NODISCARD berth_code_t
berth_text_map_prepare(berth_prepare_t *prepare, berth_text_each_fn each,
                       berth_text_work_t **out_work, berth_error_t *err);

// Stores |str| as an element, and empties it for the next.
BERTH_NODISCARD berth_code_t berth_text_take(berth_str_t *str,
                                             berth_string_t *out,
                                             berth_error_t *err);

#endif  // BERTH_CPU_OPS_TEXT_MAP_H_
