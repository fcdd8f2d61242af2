// reason.c - Why a node is on its device: deciding, and saying it.
//
// The reason is the fact that a user would have to change to move the node: its
// own request first, then what kernels there are, then the nodes it must be
// with, then the heuristics, then the order of preference.
#include "place/message_internal.h"
#include "place/place_internal.h"

const char *berth_reason_name(berth_reason_t reason) {
  static const char *const names[BERTH_REASON_COUNT] = {
      [BERTH_REASON_NONE] = "none",
      [BERTH_REASON_ASKED] = "asked",
      [BERTH_REASON_ASKED_PARTLY] = "asked-partly",
      [BERTH_REASON_DEFAULT] = "default",
      [BERTH_REASON_ONLY_DEVICE_TYPE] = "only-device-type",
      [BERTH_REASON_NO_GPU_KERNEL] = "no-gpu-kernel",
      [BERTH_REASON_NO_GPU_KERNEL_FOR_TYPE] = "no-gpu-kernel-for-type",
      [BERTH_REASON_SOFT_NO_DEVICE] = "soft-no-device",
      [BERTH_REASON_SOFT_NO_KERNEL] = "soft-no-kernel",
      [BERTH_REASON_SOFT_COLOCATED] = "soft-colocated",
      [BERTH_REASON_GROUP] = "group",
      [BERTH_REASON_RESOURCE] = "resource",
      [BERTH_REASON_GENERATOR] = "generator",
      [BERTH_REASON_METADATA] = "metadata",
      [BERTH_REASON_KEPT] = "kept",
      [BERTH_REASON_FUNCTION_CALL] = "function-call",
      [BERTH_REASON_IDENTITY] = "identity",
  };
  return reason >= 0 && reason < BERTH_REASON_COUNT ? names[reason] : "unknown";
}

// ---- Deciding ----

static berth_place_hint_t because_of(berth_reason_t reason, int32_t node) {
  return (berth_place_hint_t){reason, node};
}

static bool matches(const berth_placer_t *placer, int32_t name, int device) {
  return berth_device_name_matches(berth_place_names_get(&placer->names, name),
                                   &placer->options->devices[device].parsed);
}

// True when some device that matches |name| exists; with |types| not -1, one of
// these types.
static bool exists(const berth_placer_t *placer, int32_t name, int32_t types) {
  for (int i = 0; i < placer->options->device_count; ++i) {
    bool is_fit = types < 0 || berth_place_types_has(&placer->types, types,
                                                     placer->device_types[i]);
    if (is_fit && matches(placer, name, i)) return true;
  }
  return false;
}

// True when another node's request, or the device it kept, decided for |node|.
static bool is_led(const berth_placer_t *placer, int32_t node,
                   const berth_place_set_t *set, int device) {
  int32_t asker = set->asker;
  if (asker < 0 || asker == node) return false;
  return berth_placer_kept(placer, asker) >= 0 ||
         matches(placer, placer->own_request[asker], device);
}

// The reason of a node whose own request stands or was given up.
static berth_place_hint_t decide_asked(berth_placer_t *placer, int32_t node,
                                       int device) {
  int32_t request = placer->own_request[node];
  const berth_device_name_t *name =
      berth_place_names_get(&placer->names, request);
  if (matches(placer, request, device)) {
    bool is_exact = name->has_type && name->has_id;
    return because_of(is_exact ? BERTH_REASON_ASKED : BERTH_REASON_ASKED_PARTLY,
                      -1);
  }
  const berth_place_set_t *set = &placer->sets[berth_placer_root(placer, node)];
  if (is_led(placer, node, set, device)) {
    return because_of(BERTH_REASON_SOFT_COLOCATED, set->asker);
  }
  if (!exists(placer, request, -1)) {
    return because_of(BERTH_REASON_SOFT_NO_DEVICE, -1);
  }
  if (!exists(placer, request, placer->own_types[node])) {
    return because_of(BERTH_REASON_SOFT_NO_KERNEL, -1);
  }
  int32_t other = set->limiter >= 0 && set->limiter != node
                      ? set->limiter
                      : placer->partner[node];
  if (other < 0) other = set->asker != node ? set->asker : -1;
  return because_of(BERTH_REASON_SOFT_COLOCATED, other);
}

// True when |node| itself keeps its set off the GPUs that there are.
static bool lacks_gpu_kernel(const berth_placer_t *placer, int32_t node,
                             const berth_place_set_t *set, int device) {
  int gpu = placer->types.gpu;
  if (gpu < 0 || placer->device_types[device] == gpu) return false;
  return set->limiter == node ||
         !berth_place_types_has(&placer->types, placer->own_types[node], gpu);
}

static bool takes_reference(const berth_placer_t *placer, int32_t node) {
  const berth_node_t *self = berth_graph_get(placer->graph, node);
  if (berth_placer_op(placer, node)->takes_ref) return true;
  for (int i = 0; i < self->input_count; ++i) {
    if (berth_node_input_type(placer->graph, self, i) == BERTH_RESOURCE) {
      return true;
    }
  }
  return false;
}

// The node of the set that |node| is with, or -1.
static int32_t companion(const berth_placer_t *placer, int32_t node,
                         const berth_place_set_t *set, int device) {
  if (is_led(placer, node, set, device)) return set->asker;
  if (placer->partner[node] >= 0) return placer->partner[node];
  bool is_held = placer->types.gpu >= 0 &&
                 placer->device_types[device] != placer->types.gpu;
  return is_held && set->limiter != node ? set->limiter : -1;
}

static berth_place_hint_t decide_unasked(berth_placer_t *placer, int32_t node,
                                         int device) {
  const berth_place_set_t *set = &placer->sets[berth_placer_root(placer, node)];
  if (!is_led(placer, node, set, device) &&
      lacks_gpu_kernel(placer, node, set, device)) {
    bool is_typed = berth_placer_op(placer, node)->has_gpu_kernel;
    return because_of(is_typed ? BERTH_REASON_NO_GPU_KERNEL_FOR_TYPE
                               : BERTH_REASON_NO_GPU_KERNEL,
                      -1);
  }
  int32_t other = set->is_shared ? companion(placer, node, set, device) : -1;
  if (other >= 0) {
    return because_of(takes_reference(placer, node) ? BERTH_REASON_RESOURCE
                                                    : BERTH_REASON_GROUP,
                      other);
  }
  if (berth_placer_op(placer, node)->schema->is_function) {
    return because_of(BERTH_REASON_FUNCTION_CALL, -1);
  }
  return because_of(placer->types.count == 1 ? BERTH_REASON_ONLY_DEVICE_TYPE
                                             : BERTH_REASON_DEFAULT,
                    -1);
}

void berth_place_decide(berth_placer_t *placer, int32_t node,
                        berth_place_hint_t hint) {
  int device = placer->placement.device[node];
  if (berth_placer_kept(placer, node) >= 0) {
    hint = because_of(BERTH_REASON_KEPT, -1);
  } else if (placer->own_request[node] != BERTH_NO_NAME) {
    hint = decide_asked(placer, node, device);
  } else if (hint.reason == BERTH_REASON_NONE) {
    hint = decide_unasked(placer, node, device);
  }
  placer->placement.reason[node] = (uint8_t)hint.reason;
  placer->placement.because[node] = hint.because;
}

// ---- Saying it ----

// Appends `T=DT_HALF` for the attributes that GPU kernels of the op constrain.
static void print_types(const berth_node_t *node, berth_str_t *str) {
  uint64_t printed = 0;
  for (int i = 0; i < node->op->registration_count; ++i) {
    const berth_registration_t *registration = &node->op->registrations[i];
    if (registration->device == BERTH_FOR_CPU) continue;
    for (int j = 0; j < registration->constraint_count; ++j) {
      int attr = registration->constraints[j].attr;
      const char *name = node->op->attrs[attr].name;
      const berth_attr_value_t *value = berth_node_attr(node, name);
      if (attr >= 64 || (printed >> attr & 1) != 0 || value == NULL) continue;
      berth_str_printf(str, "%s%s=", printed != 0 ? ", " : "", name);
      berth_attr_print(value, str);
      printed |= (uint64_t)1 << attr;
    }
  }
}

static const char *sentence(berth_reason_t reason) {
  // Placeholders: %d what was asked, %o the op, %t its types, %b the other
  // node.
  static const char *const sentences[BERTH_REASON_COUNT] = {
      [BERTH_REASON_NONE] = "it was not placed",
      [BERTH_REASON_ASKED] = "the script asked for '%d'",
      [BERTH_REASON_ASKED_PARTLY] =
          "the script asked for '%d', and this is the best match",
      [BERTH_REASON_DEFAULT] =
          "nothing was asked for, and this is the best device with a kernel",
      [BERTH_REASON_ONLY_DEVICE_TYPE] =
          "nothing was asked for, and there is no other type of device",
      [BERTH_REASON_NO_GPU_KERNEL] = "TensorFlow has no GPU kernel for %o",
      [BERTH_REASON_NO_GPU_KERNEL_FOR_TYPE] =
          "TensorFlow has no GPU kernel for %o with %t",
      [BERTH_REASON_SOFT_NO_DEVICE] =
          "the script asked for '%d', which does not exist, and soft placement "
          "took another",
      [BERTH_REASON_SOFT_NO_KERNEL] =
          "the script asked for '%d', where %o has no kernel, and soft "
          "placement took another",
      [BERTH_REASON_SOFT_COLOCATED] =
          "the script asked for '%d', but the node must be with '%b'",
      [BERTH_REASON_GROUP] = "it is in the same group as '%b'",
      [BERTH_REASON_RESOURCE] =
          "it uses a variable or resource and must be with '%b'",
      [BERTH_REASON_GENERATOR] = "all its consumers are there, '%b' for one",
      [BERTH_REASON_METADATA] =
          "it only looks at the shape of '%b', which is there",
      [BERTH_REASON_KEPT] = "it holds state and was there before",
      [BERTH_REASON_FUNCTION_CALL] =
          "it calls a function, which any device could do",
      [BERTH_REASON_IDENTITY] = "it only hands on '%b', which is there",
  };
  return sentences[reason];
}

static void fill_in(const berth_graph_t *graph, const berth_node_t *node,
                    int32_t because, const char *text, berth_str_t *str) {
  for (; *text != '\0'; ++text) {
    if (*text != '%') {
      berth_str_putc(str, *text);
      continue;
    }
    ++text;
    if (*text == 'd') berth_str_puts(str, node->device);
    if (*text == 'o') berth_str_puts(str, node->op->name);
    if (*text == 't') print_types(node, str);
    if (*text == 'b') {
      berth_str_puts(str, because >= 0 ? berth_graph_get(graph, because)->name
                                       : "another node");
    }
  }
}

void berth_place_explain(const berth_graph_t *graph,
                         const berth_placement_t *placement,
                         const berth_place_options_t *options, int32_t node,
                         berth_str_t *str) {
  const berth_node_t *self = berth_graph_get(graph, node);
  berth_str_printf(str, "'%s' (%s) is ", self->name, self->op->name);
  if (node >= placement->node_count || placement->device[node] < 0) {
    berth_str_puts(str, "nowhere: it was not placed.");
    return;
  }
  berth_str_printf(str,
                   "on %s: ", options->devices[placement->device[node]].name);
  fill_in(graph, self, placement->because[node],
          sentence((berth_reason_t)placement->reason[node]), str);
  berth_str_putc(str, '.');
}

// ---- The strict mode ----

// True when |node| is on a CPU that neither it nor a node it follows asked for.
// A node that follows another is judged by that one.
static bool is_silent(const berth_placer_t *placer, int32_t node) {
  int device = placer->placement.device[node];
  if (device < 0 || placer->device_types[device] != placer->types.cpu) {
    return false;
  }
  const berth_device_name_t *asked =
      berth_place_names_get(&placer->names, placer->own_request[node]);
  switch ((berth_reason_t)placer->placement.reason[node]) {
    case BERTH_REASON_DEFAULT:
    case BERTH_REASON_FUNCTION_CALL:
    case BERTH_REASON_NO_GPU_KERNEL:
    case BERTH_REASON_NO_GPU_KERNEL_FOR_TYPE:
      return true;
    case BERTH_REASON_SOFT_NO_DEVICE:
    case BERTH_REASON_SOFT_NO_KERNEL:
    case BERTH_REASON_SOFT_COLOCATED:
      return !asked->has_type ||
             berth_place_types_find(&placer->types, asked->type) !=
                 placer->types.cpu;
    default:
      return false;
  }
}

berth_code_t berth_place_check_strict(berth_placer_t *placer,
                                      berth_error_t *err) {
  if (placer->types.gpu < 0) return BERTH_OK;
  int count = 0;
  int32_t first = -1;
  for (int i = 0; i < placer->placed_count; ++i) {
    int32_t node = placer->placement.order[i];
    if (!is_silent(placer, node)) continue;
    if (count++ == 0) first = node;
  }
  if (count == 0) return BERTH_OK;
  berth_str_t why = {0}, more = {0};
  berth_place_explain(placer->graph, &placer->placement, placer->options, first,
                      &why);
  if (count > 1) berth_str_printf(&more, " (and %d more nodes)", count - 1);
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Strict placement: %s Nothing asked for a CPU%s. Ask for '/cpu:0' where "
      "that is meant, or turn strict placement off.",
      berth_str_get(&why), berth_str_get(&more));
  berth_str_clear(&why);
  berth_str_clear(&more);
  return code;
}
