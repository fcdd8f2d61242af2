// eager_log.c - What eager calls say about where they run.
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "graph/registration.h"
#include "place/one.h"
#include "runtime/eager_internal.h"

// Appends the name of an argument, and which of its values it is where there
// are many. TensorFlow doubles underscores of names, so that they differ from
// those that it counts with.
static void print_name(const berth_arg_schema_t *arg, int number,
                       berth_str_t *str) {
  for (const char *c = arg->name; *c != '\0'; ++c) {
    berth_str_printf(str, *c == '_' ? "_%c" : "%c", *c);
  }
  bool many = arg->number_attr >= 0 || arg->list_attr >= 0;
  if (many) berth_str_printf(str, "_%d", number);
}

// True when TensorFlow's function around |node| takes and gives int32 in device
// memory, which it says in the names of the ops that do: unless everything that
// the node gives is for the host, or it is a constant, which comes from there.
static bool has_ints_on_device(const berth_node_t *node, const char *type) {
  if (strcmp(node->op->name, "_EagerConst") == 0) return false;
  bool is_cpu = strcmp(type, "CPU") == 0;
  const berth_registration_t *registration =
      berth_registration_find(node, is_cpu ? BERTH_FOR_CPU : BERTH_FOR_GPU);
  if (registration == NULL) return false;
  uint32_t all = (UINT32_C(1) << node->op->output_count) - 1;
  return all == 0 || (registration->host_outputs & all) != all;
}

// Appends `a: (_Arg): <device>` for every input.
static void print_inputs(const berth_eager_entry_t *entry, const char *device,
                         bool ints_on_device, berth_str_t *str) {
  const berth_node_t *node = entry->step.node;
  for (int arg = 0; arg < node->op->input_count; ++arg) {
    int first = 0, count = 0;
    berth_node_input_range(node, arg, &first, &count);
    for (int i = 0; i < count; ++i) {
      bool is_int = entry->key.types[first + i] == BERTH_INT32;
      print_name(&node->op->inputs[arg], i, str);
      berth_str_printf(str, ": (%s): %s\n",
                       is_int && ints_on_device ? "_DeviceArg" : "_Arg",
                       device);
    }
  }
}

// Appends `product_RetVal: (_Retval): <device>` for every output.
static void print_outputs(const berth_node_t *node, const char *device,
                          bool ints_on_device, berth_str_t *str) {
  for (int arg = 0; arg < node->op->output_count; ++arg) {
    int first = 0, count = 0;
    berth_node_output_range(node, arg, &first, &count);
    for (int i = 0; i < count; ++i) {
      bool is_int = node->output_types[first + i] == BERTH_INT32;
      print_name(&node->op->outputs[arg], i, str);
      berth_str_printf(str, "_RetVal: (%s): %s\n",
                       is_int && ints_on_device ? "_DeviceRetval" : "_Retval",
                       device);
    }
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
  const berth_exec_device_t *device = &entry->devices->exec[entry->step.device];
  bool ints_on_device = has_ints_on_device(node, device->backend->type);
  berth_str_t text = {0};
  print_inputs(entry, device->name, ints_on_device, &text);
  // An op without inputs is the one kind that TensorFlow shows after its
  // outputs.
  bool is_source = node->input_count == 0;
  if (!is_source) print_op(node->op, device->name, &text);
  print_outputs(node, device->name, ints_on_device, &text);
  if (is_source) print_op(node->op, device->name, &text);
  berth_place_log_text(berth_str_get(&text));
  berth_str_clear(&text);
}

void berth_eager_log_call(const berth_context_t *context,
                          const berth_eager_entry_t *entry) {
  const char *device = entry->devices->exec[entry->step.device].name;
  if (context->style == BERTH_STYLE_TF2) {
    berth_log(BERTH_LOG_INFO, "execute.cc", 1775,
              "Executing op %s in device %s", entry->key.op, device);
  } else {
    printf("Executing op %s in device %s\n", entry->key.op, device);
  }
}
