// debug.c - The long parts of messages: sets, attributes, kernels, nodes.
//
// Where TensorFlow prints in the order of a hash table, this prints in a fixed
// one: attributes and types by name, the ops of a set last to first.
#include <string.h>

#include "base/alloc.h"
#include "place/message_internal.h"

// ---- Sets ----

static void print_types(const berth_placer_t *placer, int32_t types,
                        const char *before, const char *after,
                        berth_str_t *str) {
  const berth_type_list_t *list = &placer->types.lists[types];
  for (int i = 0; i < list->count; ++i) {
    berth_word_t word = placer->types.words[list->types[i]];
    berth_str_printf(str, "%s%.*s%s", i > 0 ? before : "", word.size, word.text,
                     after);
  }
}

static void print_root(const berth_placer_t *placer,
                       const berth_place_set_t *set, berth_str_t *str) {
  int index = set->device >= 0 ? placer->mentioned[set->device] : -1;
  berth_str_printf(str,
                   "\nRoot Member(assigned_device_name_index_=%d "
                   "requested_device_name_='",
                   index);
  berth_place_print_name(placer, set->requested, str);
  berth_str_puts(str, "' assigned_device_name_='");
  berth_place_print_name(placer, set->assigned, str);
  berth_str_puts(str, "' resource_device_name_='");
  berth_place_print_name(placer, set->resource, str);
  berth_str_puts(str, "' supported_device_types_=[");
  print_types(placer, set->types, ", ", "", str);
  berth_str_puts(str, "] possible_devices_=[]");
}

// True when no member before |index| has the same op.
static bool is_first_of_op(const berth_placer_t *placer, const int32_t *members,
                           int index) {
  for (int i = 0; i < index; ++i) {
    if (placer->op_index[members[i]] == placer->op_index[members[index]]) {
      return false;
    }
  }
  return true;
}

// Prints what supports each op; of several nodes of one op the last counts.
static void print_ops(const berth_placer_t *placer, const int32_t *members,
                      int count, berth_str_t *str) {
  for (int i = count - 1; i >= 0; --i) {
    if (!is_first_of_op(placer, members, i)) continue;
    int last = i;
    for (int j = i; j < count; ++j) {
      if (placer->op_index[members[j]] == placer->op_index[members[i]]) {
        last = j;
      }
    }
    berth_str_printf(
        str, "\n%s: ", berth_placer_op(placer, members[i])->schema->name);
    print_types(placer, placer->own_types[members[last]], "", " ", str);
  }
}

static void print_members(const berth_placer_t *placer, const int32_t *members,
                          int count, berth_str_t *str) {
  const berth_place_device_t *devices = placer->options->devices;
  for (int i = 0; i < count; ++i) {
    const berth_node_t *node = berth_graph_get(placer->graph, members[i]);
    int device = placer->placement.device[members[i]];
    if (device < 0) device = berth_placer_kept(placer, members[i]);
    berth_str_printf(str, "\n  %s (%s) %s", node->name, node->op->name,
                     node->device);
    if (device >= 0) {
      berth_str_printf(str, " framework assigned device=%s",
                       devices[device].name);
    }
  }
}

// Fills |members| with the nodes of |root|'s set that were constrained.
static int find_members(berth_placer_t *placer, int32_t root,
                        int32_t *members) {
  int count = 0;
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (berth_placer_has(placer, id) && berth_placer_root(placer, id) == root) {
      members[count++] = id;
    }
  }
  return count;
}

void berth_place_print_debug(berth_placer_t *placer, int32_t root,
                             berth_str_t *str) {
  // Without memory for the list, the message goes without the block.
  int32_t *members =
      berth_alloc(((size_t)placer->node_count + 1) * sizeof(*members));
  if (members == NULL) return;
  int count = find_members(placer, root, members);
  berth_str_puts(str,
                 "\nColocation Debug Info:\nColocation group had the following "
                 "types and supported devices: ");
  print_root(placer, &placer->sets[root], str);
  print_ops(placer, members, count, str);
  berth_str_puts(
      str,
      "\n\nColocation members, user-requested devices, and framework "
      "assigned devices, if any:");
  print_members(placer, members, count, str);
  berth_str_putc(str, '\n');
  berth_free(members);
}

// ---- Attributes ----

static void consider(const char *name, const berth_attr_value_t *value,
                     const char *last, berth_attr_t *best) {
  if (value == NULL || (last != NULL && strcmp(name, last) <= 0)) return;
  if (best->name == NULL || strcmp(name, best->name) < 0) {
    *best = (berth_attr_t){.name = name, .value = *value};
  }
}

// Stores the attribute of |node|, given or by default, that follows |last| in
// the order of names; false when there is none.
static bool next_attr(const berth_node_t *node, const char *last,
                      berth_attr_t *out) {
  berth_attr_t best = {.name = NULL};
  for (int i = 0; i < node->op->attr_count; ++i) {
    const char *name = node->op->attrs[i].name;
    consider(name, berth_node_attr(node, name), last, &best);
  }
  for (int i = 0; i < node->attr_count; ++i) {
    consider(node->attrs[i].name, &node->attrs[i].value, last, &best);
  }
  if (best.name == NULL) return false;
  *out = best;
  return true;
}

void berth_place_print_attrs(const berth_node_t *node, berth_str_t *str) {
  berth_attr_t attr = {.name = NULL};
  for (bool is_first = true; next_attr(node, attr.name, &attr);
       is_first = false) {
    berth_str_printf(str, "%s%s=", is_first ? "" : ", ", attr.name);
    berth_attr_print(&attr.value, str);
  }
}

// ---- Kernels ----

// Returns the type of |set| that follows |last| in the order of names, or
// BERTH_INVALID.
static berth_dtype_t next_type(berth_dtype_set_t set, berth_dtype_t last) {
  berth_dtype_t best = BERTH_INVALID;
  for (int i = 1; i < BERTH_DTYPE_COUNT; ++i) {
    berth_dtype_t type = (berth_dtype_t)i;
    const char *name = berth_dtype_enum_name(type);
    if ((set & BERTH_DTYPE_BIT(type)) == 0) continue;
    if (last != BERTH_INVALID &&
        strcmp(name, berth_dtype_enum_name(last)) <= 0) {
      continue;
    }
    if (best == BERTH_INVALID ||
        strcmp(name, berth_dtype_enum_name(best)) < 0) {
      best = type;
    }
  }
  return best;
}

enum { MAX_CONSTRAINTS = 8 };

// Moves on to the next combination of types; false after the last.
static bool advance(const berth_registration_t *registration,
                    berth_dtype_t *types) {
  for (int i = registration->constraint_count - 1; i >= 0; --i) {
    types[i] = next_type(registration->constraints[i].types, types[i]);
    if (types[i] != BERTH_INVALID) return true;
    types[i] = next_type(registration->constraints[i].types, BERTH_INVALID);
  }
  return false;
}

static void print_texts(const char *const *texts, bool is_quoted,
                        berth_str_t *str) {
  const char *quote = is_quoted ? "\"" : "";
  for (int i = 0; texts[i] != NULL; ++i) {
    berth_str_printf(str, "%s%s%s%s", i > 0 ? ", " : "", quote, texts[i],
                     quote);
  }
}

static void print_kernel(const berth_op_schema_t *schema,
                         const berth_registration_t *registration,
                         const berth_dtype_t *types, berth_str_t *str) {
  static const char *const devices[] = {"CPU", "GPU", "DEFAULT"};
  berth_str_printf(str, "  device='%s'", devices[registration->device]);
  if (registration->label[0] != '\0') {
    berth_str_printf(str, "; label='%s'", registration->label);
  }
  for (int i = 0; i < registration->constraint_count; ++i) {
    const berth_constraint_t *constraint = &registration->constraints[i];
    const berth_attr_schema_t *attr = &schema->attrs[constraint->attr];
    berth_str_printf(str, "; %s in [", attr->name);
    if (constraint->texts == NULL) {
      berth_str_puts(str, berth_dtype_enum_name(types[i]));
    } else {
      print_texts(constraint->texts, attr->kind == BERTH_ATTR_STRING, str);
    }
    berth_str_putc(str, ']');
  }
  berth_str_putc(str, '\n');
}

// Prints a line for each combination of types, as TensorFlow, which registers
// each apart.
static void print_registration(const berth_op_schema_t *schema,
                               const berth_registration_t *registration,
                               berth_str_t *str) {
  berth_dtype_t types[MAX_CONSTRAINTS] = {BERTH_INVALID};
  if (registration->constraint_count > MAX_CONSTRAINTS) return;
  for (int i = 0; i < registration->constraint_count; ++i) {
    types[i] = next_type(registration->constraints[i].types, BERTH_INVALID);
  }
  do {
    print_kernel(schema, registration, types, str);
  } while (advance(registration, types));
}

static bool has_gpu(const berth_place_device_t *devices, int count) {
  for (int i = 0; i < count; ++i) {
    const berth_word_t *type = &devices[i].parsed.type;
    if (type->size == 3 && memcmp(type->text, "GPU", 3) == 0) return true;
  }
  return false;
}

void berth_place_print_kernels(const berth_op_schema_t *schema,
                               const berth_place_device_t *devices, int count,
                               berth_str_t *str) {
  bool with_gpus = has_gpu(devices, count);
  size_t before = str->size;
  for (int i = 0; i < schema->registration_count; ++i) {
    const berth_registration_t *registration = &schema->registrations[i];
    if (registration->device == BERTH_FOR_GPU && !with_gpus) continue;
    print_registration(schema, registration, str);
  }
  if (str->size == before) berth_str_puts(str, "  <no registered kernels>\n");
}

// ---- Nodes, the classic way ----

// Appends |values|, `[1 2][3...]...` and what follows, in one row: `1 2 3...`.
static void print_in_a_row(const char *values, berth_str_t *str) {
  for (const char *at = values; *at != '\0'; ++at) {
    if (berth_has_prefix(at, "...")) {
      // Old summaries have no rows and say once that they stop early.
      berth_str_printf(str, "...%s", strrchr(at, '>'));
      return;
    }
    if (at[0] == ']' && at[1] == '[') berth_str_putc(str, ' ');
    if (*at != '[' && *at != ']') berth_str_putc(str, *at);
  }
}

static void print_value_classic(const berth_attr_value_t *value,
                                berth_str_t *str) {
  berth_str_t text = {0};
  berth_attr_print(value, &text);
  const char *start = berth_str_get(&text);
  const char *values = strstr(start, " values: ");
  if (value->kind == BERTH_ATTR_TENSOR && values != NULL &&
      berth_tensor_dtype(value->tensor) != BERTH_STRING) {
    berth_str_put(str, start, (size_t)(values - start));
    print_in_a_row(values, str);
  } else {
    berth_str_puts(str, start);
  }
  berth_str_clear(&text);
}

static void print_inputs(const berth_graph_t *graph, const berth_node_t *node,
                         berth_str_t *str) {
  for (int i = 0; i < node->input_count; ++i) {
    berth_out_t input = node->inputs[i];
    berth_str_printf(str, "%s%s", i > 0 ? ", " : "",
                     berth_graph_get(graph, input.node)->name);
    if (input.index > 0) berth_str_printf(str, ":%d", input.index);
  }
  for (int i = 0; i < node->control_count; ++i) {
    berth_str_printf(str, "%s^%s", i + node->input_count > 0 ? ", " : "",
                     berth_graph_get(graph, node->controls[i])->name);
  }
}

void berth_place_print_node_classic(const berth_placer_t *placer,
                                    const berth_node_t *node,
                                    berth_str_t *str) {
  berth_attr_t attr = {.name = NULL};
  bool is_first = true;
  berth_str_printf(str, "Node: %s = %s[", node->name, node->op->name);
  for (; next_attr(node, attr.name, &attr); is_first = false) {
    berth_str_printf(str, "%s%s=", is_first ? "" : ", ", attr.name);
    print_value_classic(&attr.value, str);
  }
  if (placer->own_request[node->id] != BERTH_NO_NAME) {
    berth_str_printf(str, "%s_device=\"", is_first ? "" : ", ");
    berth_place_print_name(placer, placer->own_request[node->id], str);
    berth_str_putc(str, '"');
  } else if (node->device[0] != '\0') {
    berth_str_printf(str, "%s_device=\"%s\"", is_first ? "" : ", ",
                     node->device);
  }
  berth_str_puts(str, "](");
  print_inputs(placer->graph, node, str);
  berth_str_putc(str, ')');
}
