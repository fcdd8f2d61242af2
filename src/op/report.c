// report.c - Ops that say something about tensors: Print, PrintV2, Assert,
// StringFormat.
#include <string.h>

#include "op/text.h"
#include "op/value.h"

// Keeps the shapes of the inputs from |first| on, for texts made when it runs.
static berth_code_t report_make(const berth_case_t *op, int first,
                                berth_report_t *out_report,
                                berth_error_t *err) {
  int count = op->input_count - first;
  berth_case_input_t *inputs =
      berth_arena_calloc(op->arena, (size_t)count + 1, sizeof(*inputs));
  if (inputs == NULL) return berth_error_no_memory(err, "a plan");
  for (int i = 0; i < count; ++i) {
    const berth_case_input_t *from = &op->inputs[first + i];
    inputs[i] = *from;
    inputs[i].value = NULL;
    inputs[i].dims = berth_arena_memdup(op->arena, from->dims,
                                        (size_t)from->rank * sizeof(int64_t));
    if (from->rank > 0 && inputs[i].dims == NULL) {
      return berth_error_no_memory(err, "a plan");
    }
  }
  int64_t limit = berth_node_attr_int(op->node, "summarize", 3);
  *out_report = (berth_report_t){.limit = limit < 0 ? INT64_MAX : limit,
                                 .first = first,
                                 .count = count,
                                 .inputs = inputs};
  return BERTH_OK;
}

berth_code_t berth_op_assert(berth_case_t *op, berth_report_t *out_report,
                             berth_error_t *err) {
  const berth_case_input_t *condition = &op->inputs[0];
  if (condition->rank != 0) {
    char text[BERTH_DIMS_TEXT];
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "In[0] should be a scalar: %s",
                           berth_input_text(condition, text));
  }
  return report_make(op, 1, out_report, err);
}

berth_code_t berth_op_print(berth_case_t *op, berth_report_t *out_report,
                            berth_error_t *err) {
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->alias = 0;
  BERTH_TRY(report_make(op, 1, out_report, err));
  out_report->text = berth_node_attr_string(op->node, "message", "");
  out_report->most = berth_node_attr_int(op->node, "first_n", -1);
  return BERTH_OK;
}

berth_code_t berth_op_print_v2(berth_case_t *op, berth_speech_t *out_speech,
                               berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  if (input->rank == 0) {
    *out_speech = (berth_speech_t){
        berth_node_attr_string(op->node, "end", "\n"),
        berth_node_attr_string(op->node, "output_stream", "stderr")};
    return BERTH_OK;
  }
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "Input is expected to be scalar, but got %s",
                         berth_input_text(input, text));
}

// Returns how often |part| stands in |text|, from left to right.
static int32_t count_parts(const char *text, const char *part) {
  int32_t count = 0;
  if (part[0] == '\0') return 0;
  while ((text = strstr(text, part)) != NULL) {
    text += strlen(part);
    ++count;
  }
  return count;
}

berth_code_t berth_op_string_format(berth_case_t *op,
                                    berth_report_t *out_report,
                                    berth_error_t *err) {
  const char *text = berth_node_attr_string(op->node, "template", "%s");
  const char *mark = berth_node_attr_string(op->node, "placeholder", "%s");
  int32_t marks = count_parts(text, mark);
  if (marks != op->input_count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "num placeholders in template and num inputs must match: %d vs. %d",
        (int)marks, op->input_count);
  }
  berth_case_output(op, 0, BERTH_SCALAR);
  BERTH_TRY(report_make(op, 0, out_report, err));
  out_report->text = text;
  out_report->mark = mark;
  return BERTH_OK;
}
