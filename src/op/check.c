// check.c - CheckNumerics: values that must be numbers, and finite.
#include "op/check.h"

#include <string.h>

berth_code_t berth_op_check_numerics(berth_case_t *op, berth_check_t *out_check,
                                     berth_error_t *err) {
  const berth_case_input_t *input = &op->inputs[0];
  const char *message = berth_node_attr_string(op->node, "message", "");
  *out_check = (berth_check_t){
      .dtype = input->dtype,
      .count = input->count,
      .message = berth_arena_strndup(op->arena, message, strlen(message))};
  if (out_check->message == NULL) return berth_error_no_memory(err, "a plan");
  berth_case_output(op, 0, berth_case_input_dims(op, 0));
  op->alias = 0;
  return BERTH_OK;
}

berth_code_t berth_check_tell(const char *message, unsigned found,
                              berth_error_t *err) {
  static const char *const kinds[] = {"", "Inf", "NaN", "Inf and NaN"};
  if (found == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s : Tensor had %s values", message, kinds[found]);
}

berth_code_t berth_check_tell_signs(const char *message, unsigned found,
                                    berth_error_t *err) {
  static const char *const kinds[] = {
      "",     "+Inf",          "NaN",          "+Inf and NaN",
      "-Inf", "-Inf and +Inf", "-Inf and NaN", "-Inf, +Inf, and NaN"};
  if (found == 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s : Tensor had %s values", message, kinds[found]);
}
