// imagine.c - Placing a graph on devices that need not exist.
#include <string.h>

#include "base/alloc.h"
#include "place/place_internal.h"

// What short names are completed with.
static const char BASE[] = "/job:localhost/replica:0/task:0/device:CPU:0";

struct berth_plan {
  berth_graph_t *graph;           // Retained.
  berth_place_options_t options;  // Its devices and their names lie in |arena|.
  berth_placement_t placement;
  berth_arena_t arena;
};

// Copies |text| into the plan's arena.
static berth_code_t copy_text(berth_plan_t *plan, const char *text,
                              const char **out_text, berth_error_t *err) {
  *out_text = berth_arena_strndup(&plan->arena, text, strlen(text));
  return *out_text != NULL ? BERTH_OK : berth_error_no_memory(err, "a plan");
}

static berth_code_t imagine_device(berth_plan_t *plan, const char *name,
                                   const char *description,
                                   berth_place_device_t *out_device,
                                   berth_error_t *err) {
  berth_str_t full = {0};
  berth_code_t code = berth_device_name_canonicalise(name, BASE, &full, err);
  if (code == BERTH_OK) {
    code = copy_text(plan, berth_str_get(&full), &out_device->name, err);
  }
  berth_str_clear(&full);
  BERTH_TRY(code);
  BERTH_TRY(copy_text(plan, description != NULL ? description : "",
                      &out_device->description, err));
  if (!berth_device_name_parse(out_device->name, &out_device->parsed)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Could not parse %s into a device specification.",
                           name);
  }
  return BERTH_OK;
}

// True when an earlier device has the name of device |index|.
static bool is_double(const berth_place_device_t *devices, int index) {
  for (int i = 0; i < index; ++i) {
    if (strcmp(devices[i].name, devices[index].name) == 0) return true;
  }
  return false;
}

static berth_code_t imagine_devices(berth_plan_t *plan,
                                    const berth_plan_options_t *options,
                                    berth_error_t *err) {
  int count = options->device_count;
  if (count <= 0) return BERTH_OK;
  berth_place_device_t *devices =
      berth_arena_calloc(&plan->arena, (size_t)count, sizeof(*devices));
  if (devices == NULL) return berth_error_no_memory(err, "a plan");
  for (int i = 0; i < count; ++i) {
    const char *description =
        options->descriptions != NULL ? options->descriptions[i] : NULL;
    BERTH_TRY(imagine_device(plan, options->devices[i], description,
                             &devices[i], err));
    // The first device's task is the one that places.
    devices[i].is_local = berth_device_name_same_address_space(
        &devices[0].parsed, &devices[i].parsed);
    if (is_double(devices, i)) {
      return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                             "Device %s is listed twice", devices[i].name);
    }
  }
  plan->options.devices = devices;
  plan->options.device_count = count;
  return BERTH_OK;
}

static berth_code_t imagine(berth_plan_t *plan,
                            const berth_plan_options_t *options,
                            berth_error_t *err) {
  berth_code_t broken = berth_graph_error(plan->graph, err);
  if (broken != BERTH_OK) return broken;
  plan->options = (berth_place_options_t){
      .allow_soft_placement = options->allow_soft_placement,
      .strict = options->strict,
      .log = options->log,
      .style = options->style,
      .default_device = -1,
      .node_count = berth_graph_node_count(plan->graph)};
  BERTH_TRY(imagine_devices(plan, options, err));
  if (options->log) berth_place_log_devices(&plan->options);
  return berth_place(plan->graph, &plan->options, &plan->placement, err);
}

berth_code_t berth_plan_create(const berth_graph_t *graph,
                               const berth_plan_options_t *options,
                               berth_plan_t **out_plan, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(options, err);
  BERTH_GIVEN_LIST(options->devices, options->device_count, err);
  BERTH_GIVEN(out_plan, err);
  for (int i = 0; i < options->device_count; ++i) {
    BERTH_GIVEN(options->devices[i], err);
  }
  if ((int)options->style < 0 || options->style > BERTH_STYLE_CLASSIC) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%d is no style of a placement log",
                           (int)options->style);
  }
  berth_plan_t *plan = berth_calloc(1, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  // Counting does not change what a graph says.
  plan->graph = berth_graph_retain((berth_graph_t *)(uintptr_t)graph);
  berth_code_t code = imagine(plan, options, err);
  if (code != BERTH_OK) {
    berth_plan_destroy(plan);
    return code;
  }
  *out_plan = plan;
  return BERTH_OK;
}

void berth_plan_destroy(berth_plan_t *plan) {
  if (plan == NULL) return;
  berth_placement_deinit(&plan->placement);
  berth_arena_clear(&plan->arena);
  berth_graph_release(plan->graph);
  berth_free(plan);
}

void berth_plan_query(const berth_plan_t *plan, berth_node_id_t node,
                      berth_node_placement_t *out) {
  if (out == NULL) return;
  *out = (berth_node_placement_t){.because = BERTH_NO_NODE};
  if (plan == NULL) return;
  const berth_placement_t *placement = &plan->placement;
  if (node < 0 || node >= placement->node_count ||
      placement->device[node] < 0) {
    return;
  }
  out->device = plan->options.devices[placement->device[node]].name;
  out->reason = (berth_reason_t)placement->reason[node];
  out->because = placement->because[node];
}

berth_code_t berth_plan_explain(const berth_plan_t *plan, berth_node_id_t node,
                                char **out_text, berth_error_t *err) {
  BERTH_GIVEN(plan, err);
  BERTH_GIVEN(out_text, err);
  if (node < 0 || node >= berth_graph_node_count(plan->graph)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "The graph has no node %d", node);
  }
  berth_str_t str = {0};
  berth_place_explain(plan->graph, &plan->placement, &plan->options, node,
                      &str);
  char *text = berth_str_take(&str);
  if (text == NULL) return berth_error_no_memory(err, "an explanation");
  *out_text = text;
  return BERTH_OK;
}
