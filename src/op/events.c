// events.c - Ops on files of events.
#include "op/events.h"

#include <string.h>

#include "graph/graph.h"

// True for the arguments that are one value each.
static bool is_one(const char *name) {
  static const char *const names[] = {
      "step", "tag", "value", "summary_metadata", "sample_rate", "event"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

berth_code_t berth_op_on_events(berth_case_t *op, berth_error_t *err) {
  const berth_op_schema_t *schema = op->node->op;
  bool makes = strcmp(schema->name, "CreateSummaryFileWriter") == 0;
  for (int i = 1; i < op->input_count; ++i) {
    const char *name = schema->inputs[i].name;
    const berth_case_input_t *in = &op->inputs[i];
    if (makes && in->rank != 0) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s must be a scalar",
                             name);
    }
    if (makes || !is_one(name) || in->count == 1) continue;
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s must have one element, not %lld", name,
                           (long long)in->count);
  }
  return BERTH_OK;
}
