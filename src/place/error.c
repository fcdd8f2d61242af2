// error.c - The words of every way placement can fail.
//
// They are TensorFlow's: of 2.21, or of 0.6 to 0.12 in the classic style.
// People search for them and programs match on them.
#include <string.h>

#include "place/message_internal.h"

static const char *name_of(const berth_placer_t *placer, int32_t node) {
  return berth_graph_get(placer->graph, node)->name;
}

static const char *op_of(const berth_placer_t *placer, int32_t node) {
  return berth_graph_get(placer->graph, node)->op->name;
}

static bool is_classic(const berth_placer_t *placer) {
  return placer->options->style == BERTH_STYLE_CLASSIC;
}

// Describes the failure by |str|, which it clears.
static berth_code_t fail(berth_error_t *err, berth_code_t code,
                         berth_str_t *str) {
  berth_error_set_text(err, code, berth_str_get(str));
  berth_str_clear(str);
  return code;
}

void berth_place_print_name(const berth_placer_t *placer, int32_t id,
                            berth_str_t *str) {
  const berth_device_name_t *name = berth_place_names_get(&placer->names, id);
  if (is_classic(placer)) {
    berth_device_name_print_legacy(name, str);
  } else {
    berth_device_name_print(name, str);
  }
}

void berth_place_error_attach(const berth_placer_t *placer, int32_t node,
                              berth_error_t *err) {
  if (err == NULL) return;
  berth_str_t text = {0};
  if (is_classic(placer)) {
    berth_place_print_node_classic(placer, berth_graph_get(placer->graph, node),
                                   &text);
  } else {
    bool is_named = strstr(berth_error_message(err), "{{node ") != NULL;
    berth_str_printf(&text, is_named ? "%s" : "{{node %s}}",
                     name_of(placer, node));
  }
  berth_error_append(err, "\n\t [[%s]]", berth_str_get(&text));
  berth_str_clear(&text);
}

// ---- Step 1 ----

berth_code_t berth_place_error_no_kernel(berth_placer_t *placer, int32_t node,
                                         berth_error_t *err) {
  const berth_node_t *self = berth_graph_get(placer->graph, node);
  berth_str_t str = {0};
  berth_str_printf(&str, "No OpKernel was registered to support Op '%s'",
                   self->op->name);
  if (is_classic(placer)) {
    berth_str_puts(&str, " with these attrs.  Registered devices: [");
    berth_place_types_print(&placer->types, &str);
    berth_str_puts(&str, "], Registered kernels:\n");
  } else {
    berth_str_printf(&str, " used by {{node %s}} with these attrs: [",
                     self->name);
    berth_place_print_attrs(self, &str);
    berth_str_puts(&str, "]\nRegistered devices: [");
    berth_place_types_print(&placer->types, &str);
    berth_str_puts(&str, "]\nRegistered kernels:\n");
  }
  berth_place_print_kernels(self->op, placer->options->devices,
                            placer->options->device_count, &str);
  berth_code_t code = fail(err, BERTH_INVALID_ARGUMENT, &str);
  berth_place_error_attach(placer, node, err);
  return code;
}

berth_code_t berth_place_error_malformed(berth_placer_t *placer, int32_t node,
                                         berth_error_t *err) {
  const berth_node_t *self = berth_graph_get(placer->graph, node);
  berth_str_t str = {0};
  berth_str_printf(&str, "Malformed device specification '%s'", self->device);
  if (!is_classic(placer)) {
    // TensorFlow's ids count its source and sink nodes.
    berth_str_printf(&str,
                     " in node: {name:'%s' id:%d op device:{requested: '%s', "
                     "assigned: ''} def:{",
                     self->name, node + 2, self->device);
    berth_node_print(placer->graph, self, &str);
    berth_str_puts(&str, "}}");
  }
  berth_code_t code = fail(err, BERTH_INVALID_ARGUMENT, &str);
  berth_place_error_attach(placer, node, err);
  return code;
}

// Appends the names of all devices in their own order.
static void print_devices(const berth_placer_t *placer, berth_str_t *str) {
  for (int i = 0; i < placer->options->device_count; ++i) {
    berth_str_printf(str, "%s%s", i > 0 ? ", " : "",
                     placer->options->devices[i].name);
  }
}

berth_code_t berth_place_error_lost(berth_placer_t *placer, int32_t node,
                                    berth_error_t *err) {
  berth_str_t str = {0};
  berth_str_printf(&str,
                   "Assigned device '%d' does not match any device. Here are "
                   "the devices available on this machine: [",
                   berth_placer_kept(placer, node));
  print_devices(placer, &str);
  berth_str_puts(&str, "].");
  berth_code_t code = fail(err, BERTH_INTERNAL, &str);
  berth_place_error_attach(placer, node, err);
  return code;
}

berth_code_t berth_place_error_unsupported(berth_placer_t *placer, int32_t node,
                                           berth_error_t *err) {
  int device = berth_placer_kept(placer, node);
  berth_error_set(err, BERTH_INTERNAL,
                  "Assigned device '%s' does not have registered OpKernel "
                  "support for %s",
                  placer->options->devices[device].name, op_of(placer, node));
  berth_place_error_attach(placer, node, err);
  return BERTH_INTERNAL;
}

// ---- Step 2 ----

berth_code_t berth_place_error_edge(berth_placer_t *placer, int32_t source,
                                    int32_t node, const char *what, int32_t a,
                                    int32_t b, berth_error_t *err) {
  berth_str_t str = {0};
  berth_str_printf(&str,
                   "Cannot place the graph because a reference or resource "
                   "edge connects colocation groups with incompatible %s "
                   "devices: ",
                   what);
  berth_place_print_name(placer, a, &str);
  berth_str_puts(&str, " vs ");
  berth_place_print_name(placer, b, &str);
  berth_str_printf(&str,
                   ". The edge src node is name='%s' (op='%s'), and the dst "
                   "node is name='%s' (op='%s').",
                   name_of(placer, source), op_of(placer, source),
                   name_of(placer, node), op_of(placer, node));
  return fail(err, BERTH_INVALID_ARGUMENT, &str);
}

void berth_place_error_merge(const berth_placer_t *placer, int32_t x, int32_t y,
                             berth_error_t *err) {
  berth_error_prepend(err,
                      is_classic(placer)
                          ? "Cannot colocate nodes '%s' and '%s': "
                          : "Cannot colocate nodes {{colocation_node %s}} and "
                            "{{colocation_node %s}}: ",
                      name_of(placer, x), name_of(placer, y));
}

berth_code_t berth_place_error_no_type(berth_placer_t *placer, int32_t x,
                                       int32_t x_root, int32_t y,
                                       int32_t y_root, berth_error_t *err) {
  berth_str_t str = {0};
  berth_str_printf(&str,
                   is_classic(placer)
                       ? "Cannot colocate nodes '%s' and '%s'"
                       : "Cannot colocate nodes {{colocation_node %s}} and "
                         "{{colocation_node %s}}",
                   name_of(placer, x), name_of(placer, y));
  berth_str_puts(&str,
                 " because no device type supports both of those nodes and the "
                 "other nodes colocated with them.");
  if (!is_classic(placer)) {
    berth_place_print_debug(placer, x_root, &str);
    berth_place_print_debug(placer, y_root, &str);
  }
  return fail(err, BERTH_INVALID_ARGUMENT, &str);
}

void berth_place_error_joined(const berth_placer_t *placer,
                              berth_error_t *err) {
  berth_error_prepend(
      err,
      "Nodes were connected by a reference %sconnection (requiring them to be "
      "on the same device), but the two nodes were assigned two different "
      "devices: ",
      is_classic(placer) ? "" : "or resource ");
}

// ---- Steps 3 and 4 ----

// Appends the names of all devices sorted as plain text.
static void print_sorted_devices(const berth_placer_t *placer,
                                 berth_str_t *str) {
  const berth_place_options_t *options = placer->options;
  const char *last = NULL;
  for (int i = 0; i < options->device_count; ++i) {
    const char *next = NULL;
    for (int j = 0; j < options->device_count; ++j) {
      const char *name = options->devices[j].name;
      if (last != NULL && strcmp(name, last) <= 0) continue;
      if (next == NULL || strcmp(name, next) < 0) next = name;
    }
    if (next == NULL) return;
    berth_str_printf(str, "%s%s", i > 0 ? ", " : "", next);
    last = next;
  }
}

static bool is_gpu_word(berth_word_t word) {
  return word.size == 3 && strncasecmp(word.text, "gpu", 3) == 0;
}

static void print_missing(const berth_placer_t *placer,
                          const berth_node_t *node, berth_str_t *str) {
  const berth_device_name_t *asked =
      berth_place_names_get(&placer->names, placer->own_request[node->id]);
  berth_str_printf(str,
                   "{{node %s}} was explicitly assigned to %s but available "
                   "devices are [ ",
                   node->name, node->device);
  print_sorted_devices(placer, str);
  berth_str_puts(
      str, " ]. Make sure the device specification refers to a valid device.");
  if (placer->types.gpu < 0 && asked->has_type && is_gpu_word(asked->type)) {
    berth_str_puts(str,
                   " The requested device appears to be a GPU, but CUDA is not "
                   "enabled.");
  }
}

static void print_no_type_kernel(berth_placer_t *placer,
                                 const berth_node_t *node, berth_str_t *str) {
  const berth_device_name_t *asked =
      berth_place_names_get(&placer->names, placer->own_request[node->id]);
  berth_str_printf(str, "Could not satisfy explicit device specification '%s",
                   node->device);
  if (asked->has_type) {
    berth_str_printf(
        str, "' because no supported kernel for %.*s devices is available.",
        asked->type.size, asked->type.text);
  }
  berth_place_print_debug(placer, berth_placer_root(placer, node->id), str);
  if (!asked->has_type) return;
  berth_str_printf(str, "\nOp: %s\nNode attrs: ", node->op->name);
  berth_place_print_attrs(node, str);
  berth_str_puts(str, "\nRegistered kernels:\n");
  berth_place_print_kernels(node->op, placer->options->devices,
                            placer->options->device_count, str);
}

static void print_clash(berth_placer_t *placer, const berth_node_t *node,
                        berth_str_t *str) {
  int32_t root = berth_placer_root(placer, node->id);
  berth_str_printf(str,
                   "Could not satisfy explicit device specification '%s' "
                   "because the node {{colocation_node %s}} was colocated with "
                   "a group of nodes that required incompatible device '",
                   node->device, node->name);
  berth_place_print_name(placer, placer->sets[root].requested, str);
  berth_str_puts(str, "'. All available devices [");
  print_devices(placer, str);
  berth_str_puts(str, "]. ");
  berth_place_print_debug(placer, root, str);
}

static void print_no_kernel(berth_placer_t *placer, const berth_node_t *node,
                            berth_str_t *str) {
  berth_str_printf(str,
                   "Node had no OpKernel registered to support this operation: "
                   "Operation was %s and inputs were [",
                   node->op->name);
  for (int i = 0; i < node->input_count; ++i) {
    berth_dtype_t type = berth_node_input_type(placer->graph, node, i);
    berth_str_printf(str, "%s%s", i > 0 ? ", " : "", berth_dtype_name(type));
  }
  berth_str_puts(str, "].\n");
  berth_place_print_debug(placer, berth_placer_root(placer, node->id), str);
}

// True when some device matches |name|.
static bool exists(const berth_placer_t *placer, int32_t name) {
  for (int i = 0; i < placer->options->device_count; ++i) {
    if (berth_device_name_matches(berth_place_names_get(&placer->names, name),
                                  &placer->options->devices[i].parsed)) {
      return true;
    }
  }
  return false;
}

static void print_inner(berth_placer_t *placer, const berth_node_t *node,
                        berth_str_t *str) {
  int32_t own = placer->own_request[node->id];
  int32_t root = berth_placer_root(placer, node->id);
  int32_t requested = placer->sets[root].requested;
  if (requested == BERTH_NO_NAME) {
    print_no_kernel(placer, node, str);
  } else if (own != requested) {
    print_clash(placer, node, str);
  } else if (!exists(placer, own)) {
    print_missing(placer, node, str);
  } else {
    print_no_type_kernel(placer, node, str);
  }
}

berth_code_t berth_place_error_no_candidate(berth_placer_t *placer,
                                            int32_t node, berth_error_t *err) {
  const berth_node_t *self = berth_graph_get(placer->graph, node);
  berth_str_t str = {0};
  if (is_classic(placer)) {
    berth_str_printf(&str,
                     "Cannot assign a device to node '%s': Could not satisfy "
                     "explicit device specification '",
                     self->name);
    berth_place_print_name(placer, placer->own_request[node], &str);
    berth_str_putc(&str, '\'');
  } else {
    berth_str_printf(&str,
                     "Cannot assign a device for operation %s: ", self->name);
    print_inner(placer, self, &str);
  }
  berth_code_t code = fail(err, BERTH_INVALID_ARGUMENT, &str);
  berth_place_error_attach(placer, node, err);
  return code;
}

berth_code_t berth_place_error_mismatch(berth_placer_t *placer, int32_t node,
                                        int device, int before,
                                        berth_error_t *err) {
  const berth_place_device_t *devices = placer->options->devices;
  return berth_error_set(
      err, BERTH_INTERNAL,
      "Stateful placement mismatch. Current assignment of %s to %s does not "
      "match %s",
      name_of(placer, node), devices[device].name,
      before >= 0 ? devices[before].name : "an unknown device");
}
