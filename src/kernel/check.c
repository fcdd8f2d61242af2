// check.c - What CheckNumerics says.
#include "kernel/check.h"

berth_code_t berth_check_tell(const berth_call_t *call, unsigned found) {
  static const char *const kinds[] = {"", "Inf", "NaN", "Inf and NaN"};
  if (found == 0) return BERTH_OK;
  return berth_error_set(
      call->err, BERTH_INVALID_ARGUMENT, "%s : Tensor had %s values",
      berth_node_attr_string(call->node, "message", ""), kinds[found]);
}
