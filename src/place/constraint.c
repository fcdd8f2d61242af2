// constraint.c - Step 1: what each node alone allows.
//
// A node starts as a set of its own with
//   types      the device types that have a kernel for it,
//   requested  what its device string says,
//   resource   the same again, for a node that makes a reference or resource:
//              such a request is given up last,
//   assigned   the device it was on before, for a node that must stay.
#include "place/message_internal.h"
#include "place/place_internal.h"

// True for variables and the like: no inputs, one reference or resource out.
static bool makes_resource(const berth_node_t *node) {
  return node->input_count == 0 && node->output_count == 1 &&
         (berth_dtype_is_ref(node->output_types[0]) ||
          node->output_types[0] == BERTH_RESOURCE);
}

// True for constants and the like, which are made where they are used.
static bool is_generator(const berth_node_t *node) {
  return node->input_count == 0 && node->output_count == 1 &&
         !berth_dtype_is_ref(node->output_types[0]);
}

// True for an Identity that may go where its input is (choose.c).
static bool is_free_identity(const berth_placer_t *placer,
                             const berth_node_t *node) {
  return berth_placer_op(placer, node->id)->is_identity &&
         node->device[0] == '\0' && node->input_count == 1 &&
         node->control_count == 0;
}

// True when |name| picks a task other than ours: its kernels are not known
// here.
static bool is_elsewhere(const berth_placer_t *placer, int32_t name) {
  const berth_device_name_t *parsed =
      berth_place_names_get(&placer->names, name);
  if (!parsed->has_job || !parsed->has_replica || !parsed->has_task) {
    return false;
  }
  for (int i = 0; i < placer->options->device_count; ++i) {
    const berth_place_device_t *device = &placer->options->devices[i];
    if (device->is_local) {
      return !berth_device_name_same_address_space(parsed, &device->parsed);
    }
  }
  return false;
}

static berth_code_t keep(berth_placer_t *placer, int32_t id, int device,
                         berth_error_t *err) {
  if (device >= placer->options->device_count) {
    return berth_place_error_lost(placer, id, err);
  }
  berth_place_set_t *set = &placer->sets[id];
  set->assigned = set->requested = placer->device_names[device];
  set->asker = id;
  if (!berth_place_types_has(&placer->types, set->types,
                             placer->device_types[device])) {
    return berth_place_error_unsupported(placer, id, err);
  }
  return BERTH_OK;
}

static berth_code_t ask(berth_placer_t *placer, const berth_node_t *node,
                        int32_t request, berth_error_t *err) {
  berth_place_set_t *set = &placer->sets[node->id];
  if (set->types == BERTH_TYPES_NONE && request >= 0 &&
      node->op->registration_count == 0 && is_elsewhere(placer, request)) {
    set->types = placer->own_types[node->id] = BERTH_TYPES_ALL;
  }
  if (set->types == BERTH_TYPES_NONE) {
    return berth_place_error_no_kernel(placer, node->id, err);
  }
  if (request < 0) return berth_place_error_malformed(placer, node->id, err);
  set->requested = request;
  if (makes_resource(node)) set->resource = request;
  if (request != BERTH_NO_NAME) set->asker = node->id;
  return BERTH_OK;
}

// True when some attribute begins with "_": a group, or the label of a kernel.
static bool has_private_attr(const berth_node_t *node) {
  for (int i = 0; i < node->attr_count; ++i) {
    if (node->attrs[i].name[0] == '_') return true;
  }
  return false;
}

static berth_code_t constrain_node(berth_placer_t *placer,
                                   const berth_node_t *node,
                                   berth_error_t *err) {
  int32_t id = node->id, request = BERTH_NO_NAME, types = 0;
  berth_place_set_t *set = &placer->sets[id];
  bool has_private = has_private_attr(node);
  BERTH_TRY(berth_place_support(placer, node, has_private,
                                &placer->op_index[id], &types, err));
  BERTH_TRY(
      berth_place_names_read(&placer->names, node->device, &request, err));
  bool has_gpu =
      berth_place_types_has(&placer->types, types, placer->types.gpu);
  *set = (berth_place_set_t){
      .parent = id,
      .types = types,
      .candidates = -1,
      .asker = -1,
      .device = -1,
      .has_private = has_private,
      .is_generator = is_generator(node),
      .is_metadata = node->is_metadata && node->input_count > 0,
      .is_identity = is_free_identity(placer, node),
      .limiter = has_gpu ? -1 : id};
  placer->has_identities = placer->has_identities || set->is_identity;
  placer->own_types[id] = types;
  placer->own_request[id] = request >= 0 ? request : BERTH_NO_NAME;
  placer->partner[id] = -1;
  int kept = berth_placer_kept(placer, id);
  return kept >= 0 ? keep(placer, id, kept, err)
                   : ask(placer, node, request, err);
}

berth_code_t berth_place_constrain(berth_placer_t *placer, berth_error_t *err) {
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_node_t *node = berth_graph_get(placer->graph, id);
    BERTH_TRY(constrain_node(placer, node, err));
  }
  return BERTH_OK;
}
