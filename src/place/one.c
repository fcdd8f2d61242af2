// one.c - The device of one op that is called at once.
#include "place/one.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "graph/registration.h"
#include "place/message_internal.h"
#include "place/place_internal.h"

enum { LINE_NODE = 162 };

static bool is_type(const berth_place_device_t *device, const char *type) {
  berth_word_t word = device->parsed.type;
  return word.size == (int32_t)strlen(type) &&
         strncmp(word.text, type, (size_t)word.size) == 0;
}

// Returns the kernel that TensorFlow has for |node| on devices like |device|, or
// NULL.
static const berth_registration_t *found_for(
    const berth_node_t *node, const berth_place_device_t *device) {
  berth_registered_for_t registered = is_type(device, "GPU") ? BERTH_FOR_GPU
                                      : is_type(device, "CPU")
                                          ? BERTH_FOR_CPU
                                          : BERTH_FOR_DEFAULT;
  return berth_registration_find(node, registered);
}

static bool supports(const berth_node_t *node,
                     const berth_place_device_t *device) {
  return found_for(node, device) != NULL;
}

// True when |a| comes before |b|, which both have a kernel: the one with the
// higher priority first, then GPUs, then by name.
static bool is_better(const berth_node_t *node, const berth_place_device_t *a,
                      const berth_place_device_t *b) {
  int16_t of_a = found_for(node, a)->priority;
  int16_t of_b = found_for(node, b)->priority;
  if (of_a != of_b) return of_a > of_b;
  bool gpu_a = is_type(a, "GPU"), gpu_b = is_type(b, "GPU");
  return gpu_a != gpu_b ? gpu_a : strcmp(a->name, b->name) < 0;
}

// Returns the best device that agrees with |wanted|, or -1.
static int best_match(const berth_node_t *node,
                      const berth_device_name_t *wanted,
                      const berth_place_device_t *devices, int count) {
  int best = -1;
  for (int i = 0; i < count; ++i) {
    if (!berth_device_name_matches(wanted, &devices[i].parsed) ||
        !supports(node, &devices[i])) {
      continue;
    }
    if (best < 0 || is_better(node, &devices[i], &devices[best])) best = i;
  }
  return best;
}

// Appends the types that have a kernel for |node|: `GPU, CPU`.
static void print_types(const berth_node_t *node,
                        const berth_place_device_t *devices, int count,
                        berth_str_t *str) {
  static const char *const types[] = {"GPU", "CPU"};
  size_t before = str->size;
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < count; ++i) {
      if (!is_type(&devices[i], types[t]) || !supports(node, &devices[i])) {
        continue;
      }
      berth_str_printf(str, "%s%s", str->size > before ? ", " : "", types[t]);
      break;
    }
  }
}

static berth_code_t no_device(const berth_node_t *node, const char *asked,
                              const berth_place_device_t *devices, int count,
                              bool soft, berth_error_t *err) {
  berth_str_t types = {0}, all = {0};
  print_types(node, devices, count, &types);
  for (int i = 0; i < count; ++i) {
    berth_str_printf(&all, "%s%s", i > 0 ? ", " : "", devices[i].name);
  }
  berth_code_t code = berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      "Could not satisfy device specification '%s'. enable_soft_placement=%d. "
      "Supported device types [%s]. All available devices [%s].",
      asked, soft, berth_str_get(&types), berth_str_get(&all));
  berth_str_clear(&types);
  berth_str_clear(&all);
  return code;
}

// No device at all has a kernel.
static berth_code_t no_kernel(const berth_graph_t *graph,
                              const berth_node_t *node,
                              const berth_place_device_t *devices, int count,
                              berth_error_t *err) {
  berth_str_t text = {0};
  berth_str_puts(&text, "Could not find device for node: ");
  berth_node_print(graph, node, &text);
  berth_str_printf(&text, "\nAll kernels registered for op %s:\n",
                   node->op->name);
  berth_place_print_kernels(node->op, devices, count, &text);
  berth_code_t code =
      berth_error_set_text(err, BERTH_NOT_FOUND, berth_str_get(&text));
  berth_str_clear(&text);
  return code;
}

berth_code_t berth_place_one(const berth_graph_t *graph,
                             const berth_node_t *node, const char *asked,
                             const berth_place_device_t *devices,
                             int device_count, bool soft, int *out_device,
                             berth_error_t *err) {
  berth_device_name_t wanted = {0};
  if (asked[0] != '\0' && !berth_device_name_parse_any(asked, &wanted)) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Malformed device specification '%s' in eager op: %s", asked,
        node->op->name);
  }
  // What the caller leaves out is that of the first device's task.
  berth_device_name_t full = wanted;
  berth_device_name_t local = devices[0].parsed;
  local.has_type = local.has_id = false;
  berth_device_name_merge_unset(&full, &local);
  int best = best_match(node, &full, devices, device_count);
  if (best < 0 && soft) {
    full.has_type = full.has_id = false;
    best = best_match(node, &full, devices, device_count);
  }
  if (best >= 0) {
    *out_device = best;
    return BERTH_OK;
  }
  berth_device_name_t any = {0};
  if (best_match(node, &any, devices, device_count) < 0) {
    return no_kernel(graph, node, devices, device_count, err);
  }
  berth_str_t name = {0};
  berth_device_name_merge_unset(&wanted, &local);
  berth_device_name_print(&wanted, &name);
  berth_code_t code =
      no_device(node, berth_str_get(&name), devices, device_count, soft, err);
  berth_str_clear(&name);
  return code;
}

void berth_place_log_text(const char *text) {
  fputs(text, stdout);
  while (*text != '\0') {
    int size = (int)strcspn(text, "\n");
    berth_log(BERTH_LOG_INFO, "placer.cc", LINE_NODE, "%.*s", size, text);
    text += size + (text[size] == '\n');
  }
}
