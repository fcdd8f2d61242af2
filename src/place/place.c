// place.c - Placement from beginning to end.
//
//   1  constraint.c  what each node alone allows
//   2  colocate.c    which nodes must be together
//   3  candidate.c   where each set of them can be
//   4  choose.c      one device each, with the reason (reason.c)
#include "place/place.h"

#include <string.h>

#include "base/alloc.h"
#include "place/place_internal.h"

// True when device |a| comes before |b| among candidates of equal priority.
static bool ranks_before(const berth_placer_t *placer, int a, int b) {
  const berth_place_device_t *devices = placer->options->devices;
  if (placer->device_types[a] != placer->device_types[b]) {
    return placer->device_types[a] < placer->device_types[b];
  }
  if (devices[a].is_local != devices[b].is_local) return devices[a].is_local;
  return strcmp(devices[a].name, devices[b].name) < 0;
}

static void rank_devices(berth_placer_t *placer) {
  for (int i = 0; i < placer->options->device_count; ++i) {
    int at = i;
    for (; at > 0 && ranks_before(placer, i, placer->ranked[at - 1]); --at) {
      placer->ranked[at] = placer->ranked[at - 1];
    }
    placer->ranked[at] = (int16_t)i;
  }
}

static berth_code_t init_devices(berth_placer_t *placer, berth_error_t *err) {
  const berth_place_options_t *options = placer->options;
  size_t count = (size_t)options->device_count;
  berth_arena_t *arena = &placer->arena;
  placer->device_names =
      berth_arena_calloc(arena, count, sizeof(*placer->device_names));
  placer->device_types =
      berth_arena_calloc(arena, count, sizeof(*placer->device_types));
  placer->ranked = berth_arena_calloc(arena, count, sizeof(*placer->ranked));
  placer->mentioned =
      berth_arena_calloc(arena, count, sizeof(*placer->mentioned));
  if (placer->device_names == NULL || placer->device_types == NULL ||
      placer->ranked == NULL || placer->mentioned == NULL) {
    return berth_error_no_memory(err, "placement");
  }
  for (int i = 0; i < options->device_count; ++i) {
    const berth_device_name_t *name = &options->devices[i].parsed;
    placer->device_types[i] =
        (uint8_t)berth_place_types_find(&placer->types, name->type);
    BERTH_TRY(berth_place_names_add(&placer->names, name,
                                    &placer->device_names[i], err));
  }
  rank_devices(placer);
  return BERTH_OK;
}

static berth_code_t init_nodes(berth_placer_t *placer, berth_error_t *err) {
  size_t count = (size_t)placer->node_count + 1;  // Never zero bytes.
  berth_placement_t *placement = &placer->placement;
  placer->sets = berth_alloc(count * sizeof(*placer->sets));
  // One block for the four arrays of numbers.
  placer->own_request = berth_alloc(4 * count * sizeof(int32_t));
  placement->device = berth_alloc(count * sizeof(*placement->device));
  placement->reason = berth_calloc(count, sizeof(*placement->reason));
  placement->because = berth_alloc(count * sizeof(*placement->because));
  placement->order = berth_alloc(count * sizeof(*placement->order));
  if (placer->sets == NULL || placer->own_request == NULL ||
      placement->device == NULL || placement->reason == NULL ||
      placement->because == NULL || placement->order == NULL) {
    return berth_error_no_memory(err, "placement");
  }
  placer->own_types = placer->own_request + count;
  placer->op_index = placer->own_types + count;
  placer->partner = placer->op_index + count;
  placement->node_count = placer->node_count;
  memset(placement->device, 0xff, count * sizeof(*placement->device));
  memset(placement->because, 0xff, count * sizeof(*placement->because));
  memset(placement->order, 0xff, count * sizeof(*placement->order));
  return BERTH_OK;
}

berth_code_t berth_placer_init(berth_placer_t *placer,
                               const berth_graph_t *graph,
                               const berth_place_options_t *options,
                               berth_error_t *err) {
  *placer = (berth_placer_t){
      .graph = graph, .options = options, .node_count = options->node_count};
  if (options->device_count <= 0) {
    return berth_error_set(err, BERTH_FAILED_PRECONDITION,
                           "No devices are registered");
  }
  if (options->device_count > INT16_MAX) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%d devices are more than the %d that placement "
                           "can tell apart",
                           options->device_count, INT16_MAX);
  }
  berth_code_t code = berth_place_types_init(&placer->types, options, err);
  if (code == BERTH_OK) code = berth_place_names_init(&placer->names, err);
  if (code == BERTH_OK) code = init_devices(placer, err);
  if (code == BERTH_OK) code = init_nodes(placer, err);
  if (code != BERTH_OK) berth_placer_deinit(placer);
  return code;
}

void berth_placer_deinit(berth_placer_t *placer) {
  berth_place_types_deinit(&placer->types);
  berth_place_names_deinit(&placer->names);
  berth_place_ops_deinit(&placer->ops);
  berth_map_clear(&placer->by_constraint);
  berth_arena_clear(&placer->arena);
  berth_free(placer->candidates);
  berth_free(placer->sets);
  berth_free(placer->own_request);
  berth_free(placer->sole_consumer);
  berth_placement_deinit(&placer->placement);
  *placer = (berth_placer_t){0};
}

berth_code_t berth_place(const berth_graph_t *graph,
                         const berth_place_options_t *options,
                         berth_placement_t *out_placement, berth_error_t *err) {
  berth_placer_t placer;
  BERTH_TRY(berth_placer_init(&placer, graph, options, err));
  berth_code_t code = berth_place_constrain(&placer, err);
  if (code == BERTH_OK) code = berth_place_colocate(&placer, err);
  if (code == BERTH_OK) code = berth_place_choose(&placer, err);
  if (code == BERTH_OK && options->strict) {
    code = berth_place_check_strict(&placer, err);
  }
  if (code == BERTH_OK) {
    *out_placement = placer.placement;
    placer.placement = (berth_placement_t){0};
  }
  berth_placer_deinit(&placer);
  return code;
}

void berth_placement_deinit(berth_placement_t *placement) {
  berth_free(placement->device);
  berth_free(placement->reason);
  berth_free(placement->because);
  berth_free(placement->order);
  *placement = (berth_placement_t){0};
}
