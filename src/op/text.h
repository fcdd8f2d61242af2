// text.h - Ops that make texts of tensors, and those that say them.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words and with
// BERTH_RESOURCE_EXHAUSTED. Texts in descriptions are the node's attributes.
#ifndef BERTH_OP_TEXT_H_
#define BERTH_OP_TEXT_H_

#include "op/case.h"

// ---- text.c ----

// What AsString does with each element.
typedef struct berth_text_format {
  bool is_plain;       // Strings are handed on as they are.
  int64_t characters;  // That were asked for, at least; 0 or less: any number.
  char directive[64];  // For printf: of a double, a long long, an unsigned long
                       // long or a text. Complex numbers use it twice.
} berth_text_format_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_as_string(berth_case_t *op,
                                                berth_text_format_t *out_format,
                                                berth_error_t *err);

// What StringJoin does: text i of the result is text i of each input, or the
// only one of a scalar, with the separator between them.
typedef struct berth_text_join {
  int64_t count;  // Of results.
  const char *separator;
} berth_text_join_t;

// Checks |op|, sets its output and describes the work.
BERTH_NODISCARD berth_code_t berth_op_string_join(berth_case_t *op,
                                                  berth_text_join_t *out_join,
                                                  berth_error_t *err);

// ---- report.c ----

// What is said of tensors: inputs from |first| on, at most |limit| elements of
// each.
typedef struct berth_report {
  int64_t limit;
  int32_t first, count;
  const berth_case_input_t *inputs;  // |count|, without values.
  const char *text;  // What a Print begins with; the template of a format,
  const char *mark;  // in which every |mark| stands for an input.
  int64_t most;      // A Print speaks so often at most; negative: always.
} berth_report_t;

// Declares berth_op_<name>(), which checks its op, sets the output and says
// what is told of which inputs.
#define BERTH_OP_REPORT(name)                   \
  BERTH_NODISCARD berth_code_t berth_op_##name( \
      berth_case_t *op, berth_report_t *out_report, berth_error_t *err)

BERTH_OP_REPORT(assert);
BERTH_OP_REPORT(print);
BERTH_OP_REPORT(string_format);

// What PrintV2 says: one text, input 0, and |end| behind it, to |stream|.
typedef struct berth_speech {
  const char *end;
  const char *stream;  // "stdout", "log(info)", "file://path" …
} berth_speech_t;

// Checks |op| and describes the work.
BERTH_NODISCARD berth_code_t berth_op_print_v2(berth_case_t *op,
                                               berth_speech_t *out_speech,
                                               berth_error_t *err);

#endif  // BERTH_OP_TEXT_H_
