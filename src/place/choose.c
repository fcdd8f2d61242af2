// choose.c - Step 4: one device for every node.
//
//   4a  in the order of the graph: nodes that were placed before stay; ops that
//       only look at a shape go to their input's device if they can, and so do
//       Identities between two nodes with equal requests; the others take the
//       first candidate. Generators (no inputs, one output that is no
//       reference) wait;
//   4b  generators, in the order of the graph, go where all their consumers
//       are, if that is one device and a candidate.
//
// After each choice the node's whole set is fixed to that device.
//
// The classic style checks and logs in another order, that of TensorFlow's old
// listings: depth first from the sinks, inputs last to first, a node after its
// inputs. The devices are the same.
#include <string.h>

#include "base/alloc.h"
#include "place/message_internal.h"
#include "place/place_internal.h"

// What is known of a generator's consumers, where a device would stand.
enum { NO_CONSUMER = -1, MANY_DEVICES = -2 };

static bool is_candidate(const berth_candidates_t *candidates, int device) {
  for (int i = 0; i < candidates->count; ++i) {
    if (candidates->devices[i] == device) return true;
  }
  return false;
}

// Puts |node| on |device|.
static berth_code_t assign(berth_placer_t *placer, int32_t node, int device,
                           berth_place_hint_t hint, berth_error_t *err) {
  BERTH_TRY(berth_place_fix(placer, node, device, err));
  berth_placement_t *placement = &placer->placement;
  placement->device[node] = (int16_t)device;
  placement->order[placer->placed_count++] = node;
  berth_place_decide(placer, node, hint);
  if (placer->options->style != BERTH_STYLE_CLASSIC) {
    berth_place_log_node(placer, node);
  }
  return BERTH_OK;
}

// Assigns |wanted| if it is a candidate, else the first one. A heuristic that
// changes nothing is no reason.
static berth_code_t assign_wanted(berth_placer_t *placer, int32_t node,
                                  int wanted, berth_place_hint_t hint,
                                  berth_error_t *err) {
  berth_candidates_t candidates;
  BERTH_TRY(berth_place_candidates(placer, node, &candidates, err));
  int device = candidates.devices[0];
  if (wanted >= 0 && wanted != device && is_candidate(&candidates, wanted)) {
    return assign(placer, node, wanted, hint, err);
  }
  berth_place_hint_t none = {BERTH_REASON_NONE, -1};
  return assign(placer, node, device, none, err);
}

// ---- Identities ----

enum { NOBODY = -1, SEVERAL = -2 };

static void note_edge(berth_placer_t *placer, int32_t producer,
                      int32_t consumer) {
  if (!berth_placer_has(placer, producer)) return;
  int32_t *sole = &placer->sole_consumer[producer];
  *sole = *sole == NOBODY ? consumer : SEVERAL;
}

// Finds the nodes with one outgoing edge, if there are Identities to ask.
static berth_code_t find_sole_consumers(berth_placer_t *placer,
                                        berth_error_t *err) {
  if (!placer->has_identities) return BERTH_OK;
  size_t size = (size_t)placer->node_count * sizeof(*placer->sole_consumer);
  placer->sole_consumer = berth_alloc(size);
  if (placer->sole_consumer == NULL) {
    return berth_error_no_memory(err, "placement");
  }
  memset(placer->sole_consumer, 0xff, size);  // NOBODY
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_node_t *node = berth_graph_get(placer->graph, id);
    for (int i = 0; i < node->input_count; ++i) {
      note_edge(placer, node->inputs[i].node, id);
    }
    for (int i = 0; i < node->control_count; ++i) {
      note_edge(placer, node->controls[i], id);
    }
  }
  return BERTH_OK;
}

// True when |id| is an Identity with at most one consumer, which asks for the
// same as its input; without a consumer its input must ask for nothing.
static bool is_between_equals(const berth_placer_t *placer, int32_t id) {
  if (!placer->sets[id].is_identity || placer->sole_consumer[id] == SEVERAL) {
    return false;
  }
  const berth_graph_t *graph = placer->graph;
  int32_t consumer = placer->sole_consumer[id];
  int32_t input = berth_graph_get(graph, id)->inputs[0].node;
  const char *after =
      consumer >= 0 ? berth_graph_get(graph, consumer)->device : "";
  return strcmp(berth_graph_get(graph, input)->device, after) == 0;
}

// ---- The first pass ----

static berth_code_t place_one(berth_placer_t *placer, int32_t id,
                              berth_error_t *err) {
  const berth_place_set_t *set = &placer->sets[id];
  berth_place_hint_t hint = {BERTH_REASON_METADATA, -1};
  int wanted = -1;
  int kept = berth_placer_kept(placer, id);
  if (kept >= 0) return assign(placer, id, kept, hint, err);
  if (!set->is_metadata) hint.reason = BERTH_REASON_IDENTITY;
  if (set->is_metadata || is_between_equals(placer, id)) {
    hint.because = berth_graph_get(placer->graph, id)->inputs[0].node;
    if (berth_placer_has(placer, hint.because)) {
      wanted = placer->placement.device[hint.because];
    }
  }
  return assign_wanted(placer, id, wanted, hint, err);
}

// ---- Generators ----

static void note_consumer(const berth_placer_t *placer, int32_t producer,
                          int32_t consumer, int16_t *common,
                          int32_t *first_consumer) {
  if (!berth_placer_has(placer, producer)) return;
  if (placer->placement.device[producer] >= 0) return;
  int device = placer->placement.device[consumer];
  if (first_consumer[producer] < 0) {
    first_consumer[producer] = consumer;
    common[producer] = (int16_t)(device >= 0 ? device : MANY_DEVICES);
  } else if (common[producer] != device) {
    common[producer] = MANY_DEVICES;
  }
}

// Finds for every generator the one device of its consumers, in one sweep over
// all edges. A consumer without a device, itself a generator, counts as
// another.
static void note_consumers(const berth_placer_t *placer, int16_t *common,
                           int32_t *first_consumer) {
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_node_t *node = berth_graph_get(placer->graph, id);
    for (int i = 0; i < node->input_count; ++i) {
      note_consumer(placer, node->inputs[i].node, id, common, first_consumer);
    }
    for (int i = 0; i < node->control_count; ++i) {
      note_consumer(placer, node->controls[i], id, common, first_consumer);
    }
  }
}

static berth_code_t place_generators(berth_placer_t *placer,
                                     berth_error_t *err) {
  size_t count = (size_t)placer->node_count;
  berth_code_t code = BERTH_OK;
  int16_t *common = berth_alloc(count * sizeof(*common) + 1);
  int32_t *consumers = berth_alloc(count * sizeof(*consumers) + 1);
  if (common == NULL || consumers == NULL) {
    code = berth_error_no_memory(err, "placement");
    goto done;
  }
  memset(common, 0xff, count * sizeof(*common));  // NO_CONSUMER
  memset(consumers, 0xff, count * sizeof(*consumers));
  note_consumers(placer, common, consumers);
  for (int32_t id = 0; code == BERTH_OK && id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id) || placer->placement.device[id] >= 0) {
      continue;
    }
    berth_place_hint_t hint = {BERTH_REASON_GENERATOR, consumers[id]};
    code = assign_wanted(placer, id, common[id], hint, err);
  }
done:
  berth_free(common);
  berth_free(consumers);
  return code;
}

static berth_code_t place_all(berth_placer_t *placer, berth_error_t *err) {
  BERTH_TRY(find_sole_consumers(placer, err));
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    bool waits =
        placer->sets[id].is_generator && berth_placer_kept(placer, id) < 0;
    if (!waits) BERTH_TRY(place_one(placer, id, err));
  }
  berth_place_log_ends(placer);
  return place_generators(placer, err);
}

// ---- The classic order ----

// A depth-first walk without recursion: |stack| holds the way down, |left| how
// many edges of each node on it are still to follow; -1 marks a node that was
// never met, and nodes that are done have 0.
typedef struct walk {
  const berth_placer_t *placer;
  int32_t *stack;
  int32_t *left;
  int depth;
} walk_t;

static void walk_enter(walk_t *walk, int32_t id) {
  if (!berth_placer_has(walk->placer, id) || walk->left[id] >= 0) return;
  const berth_node_t *node = berth_graph_get(walk->placer->graph, id);
  walk->left[id] = node->input_count + node->control_count;
  walk->stack[walk->depth++] = id;
}

// Walks everything that |sink| needs and appends it to |order|.
static int walk_from(walk_t *walk, int32_t sink, int32_t *order, int count) {
  walk_enter(walk, sink);
  while (walk->depth > 0) {
    int32_t id = walk->stack[walk->depth - 1];
    if (walk->left[id] == 0) {
      order[count++] = id;
      --walk->depth;
      continue;
    }
    const berth_node_t *node = berth_graph_get(walk->placer->graph, id);
    int edge = --walk->left[id];
    walk_enter(walk, edge < node->input_count
                         ? node->inputs[edge].node
                         : node->controls[edge - node->input_count]);
  }
  return count;
}

static void mark_consumed(const berth_placer_t *placer, uint8_t *is_consumed) {
  for (int32_t id = 0; id < placer->node_count; ++id) {
    if (!berth_placer_has(placer, id)) continue;
    const berth_node_t *node = berth_graph_get(placer->graph, id);
    for (int i = 0; i < node->input_count; ++i) {
      int32_t source = node->inputs[i].node;
      if (berth_placer_has(placer, source)) is_consumed[source] = 1;
    }
    for (int i = 0; i < node->control_count; ++i) {
      int32_t source = node->controls[i];
      if (berth_placer_has(placer, source)) is_consumed[source] = 1;
    }
  }
}

// Fills |order| with all nodes; sinks count as inputs of one last node, so they
// are walked last to first. What only a loop reaches comes at the end.
static berth_code_t classic_order(berth_placer_t *placer, int32_t *order,
                                  int *out_count, berth_error_t *err) {
  size_t count = (size_t)placer->node_count + 1;
  berth_code_t code = BERTH_OK;
  walk_t walk = {.placer = placer};
  uint8_t *is_consumed = berth_calloc(count, 1);
  walk.stack = berth_alloc(count * sizeof(*walk.stack));
  walk.left = berth_alloc(count * sizeof(*walk.left));
  if (is_consumed == NULL || walk.stack == NULL || walk.left == NULL) {
    code = berth_error_no_memory(err, "placement");
    goto done;
  }
  memset(walk.left, 0xff, count * sizeof(*walk.left));
  mark_consumed(placer, is_consumed);
  int placed = 0;
  for (int32_t id = placer->node_count - 1; id >= 0; --id) {
    if (!is_consumed[id]) placed = walk_from(&walk, id, order, placed);
  }
  for (int32_t id = placer->node_count - 1; id >= 0; --id) {
    placed = walk_from(&walk, id, order, placed);
  }
  *out_count = placed;
done:
  berth_free(is_consumed);
  berth_free(walk.stack);
  berth_free(walk.left);
  return code;
}

// Reports the first node, in the classic order, that nothing fits.
static berth_code_t check_in_order(berth_placer_t *placer, const int32_t *order,
                                   int count, berth_error_t *err) {
  for (int i = 0; i < count; ++i) {
    berth_candidates_t candidates;
    if (berth_placer_kept(placer, order[i]) >= 0) continue;
    BERTH_TRY(berth_place_candidates(placer, order[i], &candidates, err));
  }
  return BERTH_OK;
}

static berth_code_t choose_classic(berth_placer_t *placer, berth_error_t *err) {
  int count = 0;
  berth_code_t code = BERTH_OK;
  int32_t *order =
      berth_alloc(((size_t)placer->node_count + 1) * sizeof(*order));
  if (order == NULL) return berth_error_no_memory(err, "placement");
  code = classic_order(placer, order, &count, err);
  if (code == BERTH_OK) code = check_in_order(placer, order, count, err);
  if (code == BERTH_OK) code = place_all(placer, err);
  if (code != BERTH_OK) goto done;
  memcpy(placer->placement.order, order, (size_t)count * sizeof(*order));
  for (int i = 0; i < count; ++i) berth_place_log_node(placer, order[i]);
done:
  berth_free(order);
  return code;
}

berth_code_t berth_place_choose(berth_placer_t *placer, berth_error_t *err) {
  berth_code_t code = placer->options->style == BERTH_STYLE_CLASSIC
                          ? choose_classic(placer, err)
                          : place_all(placer, err);
  berth_place_log_flush(placer);
  return code;
}
