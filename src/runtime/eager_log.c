// eager_log.c - What eager calls say about where they run.
#include <stdio.h>

#include "base/log.h"
#include "place/one.h"
#include "runtime/eager_internal.h"

// Appends a line for every value of one argument: `a: (_Arg): <device>`,
// counted where there are several.
static void print_arg(const berth_arg_schema_t *arg, int count,
                      const char *kind, const char *device, berth_str_t *str) {
  bool many = arg->number_attr >= 0 || arg->list_attr >= 0;
  for (int i = 0; i < count; ++i) {
    berth_str_puts(str, arg->name);
    if (many) berth_str_printf(str, "_%d", i);
    berth_str_printf(str, "%s: %s\n", kind, device);
  }
}

static void print_op(const berth_op_schema_t *op, const char *device,
                     berth_str_t *str) {
  berth_str_printf(str, "%s: (%s): %s\n", op->name, op->name, device);
}

// TensorFlow shows the placement of the one-op function it wraps a call in when
// it first meets the signature.
void berth_eager_log_first(const berth_context_t *context,
                           const berth_eager_entry_t *entry) {
  if (context->style != BERTH_STYLE_TF2) return;
  const berth_node_t *node = entry->step.node;
  const berth_op_schema_t *op = node->op;
  const char *device = context->devices.exec[entry->step.device].name;
  berth_str_t text = {0};
  int first = 0, count = 0;
  for (int i = 0; i < op->input_count; ++i) {
    berth_node_input_range(node, i, &first, &count);
    print_arg(&op->inputs[i], count, ": (_Arg)", device, &text);
  }
  // An op without inputs is the one kind that TensorFlow shows after its
  // outputs.
  bool is_source = node->input_count == 0;
  if (!is_source) print_op(op, device, &text);
  for (int i = 0; i < op->output_count; ++i) {
    berth_node_output_range(node, i, &first, &count);
    print_arg(&op->outputs[i], count, "_RetVal: (_Retval)", device, &text);
  }
  if (is_source) print_op(op, device, &text);
  berth_place_log_text(berth_str_get(&text));
  berth_str_clear(&text);
}

void berth_eager_log_call(const berth_context_t *context,
                          const berth_eager_entry_t *entry) {
  const char *device = context->devices.exec[entry->step.device].name;
  if (context->style == BERTH_STYLE_TF2) {
    berth_log(BERTH_LOG_INFO, "execute.cc", 1775,
              "Executing op %s in device %s", entry->op, device);
  } else {
    printf("Executing op %s in device %s\n", entry->op, device);
  }
}
