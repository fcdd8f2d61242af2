// place_internal.h - What the files of this room share.
//
//   placer ─┬─ types:      device types, and lists of them that ops support
//           ├─ names:      device names, each distinct one parsed once
//           ├─ sets:       one per node; a union-find forest of nodes that must
//           │              be together. Only a root's constraints count.
//           ├─ candidates: device lists, one per distinct constraint
//           └─ placement:  the outcome
//
// Names, type lists and candidate lists are known by number, so that the loops
// over nodes compare integers. Nothing allocates per node: arrays are made
// once, and tables grow with what is distinct.
//
//   I1  A set's requested name specialises its assigned and resource names.
//   I2  A root's |types| is never the empty list.
//   I3  Once a set is on a device, its three names are that device's.
//
// Threads: a placer belongs to one call of berth_place().
#ifndef BERTH_PLACE_PLACE_INTERNAL_H_
#define BERTH_PLACE_PLACE_INTERNAL_H_

#include "place/names_internal.h"
#include "place/place.h"
#include "place/types_internal.h"

enum { BERTH_PLACE_MAX_CONSTRAINED = 4 };  // Attributes an op's kernels check.

// ---- Ops (support.c) ----

// What placement needs to know of an op, found out once.
typedef struct berth_place_op {
  const berth_op_schema_t *schema;
  int8_t constrained_count;  // -1: too many to remember outcomes.
  int16_t constrained[BERTH_PLACE_MAX_CONSTRAINED];  // Attribute indices.
  bool takes_ref;       // Some input is a reference.
  bool takes_resource;  // Some input may be a resource.
  bool takes_variant;
  bool is_exempt;  // Resource inputs do not tie it to a device.
  bool is_dataset;
  bool is_identity;
  bool has_gpu_kernel;    // For some types at least.
  int32_t first_support;  // Into |supports|, -1: none yet.
} berth_place_op_t;

// A remembered outcome for one choice of types.
typedef struct berth_place_support {
  berth_dtype_set_t values[BERTH_PLACE_MAX_CONSTRAINED];
  int32_t types;  // Number of the list of device types.
  int32_t next;   // Into |supports|: another one of the op, or -1.
} berth_place_support_t;

// All ops that the graph has, by number.
typedef struct berth_place_ops {
  berth_place_op_t *items;
  size_t count, capacity;
  berth_place_support_t *supports;
  size_t support_count, support_capacity;
  berth_map_t by_name;
  struct {
    const berth_op_schema_t *schema;
    int32_t index;
  } recent[BERTH_PLACE_CACHE];  // By address of the schema.
} berth_place_ops_t;

// ---- Sets ----

// Nodes that must be on one device. Every node has one; merged ones point to
// another by |parent|, and a root points to itself.
typedef struct berth_place_set {
  int32_t parent;     // A node: nearer to the root.
  int32_t requested;  // Names, by number.
  int32_t resource;   // Asked for by a node that makes a reference or resource.
  int32_t assigned;   // Fixed: kept from before, or chosen.
  int32_t types;      // Number of the list that all of its nodes support.
  int32_t candidates;  // Number of the list, or -1.
  int32_t asker;       // The node whose request stands, or -1.
  int32_t limiter;     // A node that keeps the set off GPUs, or -1.
  int16_t device;      // Chosen, or -1.
  uint8_t rank;        // Of the tree, when sets are merged.
  bool is_shared;      // Has more than one node.
  // Of the node, so that the loops need not look at it again:
  bool has_private;   // Attributes that begin with "_".
  bool is_generator;  // No inputs, one output that is no reference.
  bool is_metadata;   // Shape, Size or Rank of an input.
  bool is_identity;   // Identity of one value, with no request or control.
} berth_place_set_t;

// ---- Candidates (candidate.c) ----

// How much of the request a list of candidates honours.
typedef enum berth_place_fit {
  BERTH_FIT_ASKED,     // All of it.
  BERTH_FIT_SOFT,      // Type and id were dropped.
  BERTH_FIT_RESOURCE,  // And those that a resource asked for.
} berth_place_fit_t;

// What a list of candidates depends on.
typedef struct berth_place_key {
  int32_t requested, resource, assigned, types;
} berth_place_key_t;

// Where a set can be. Lies in the placer's arena, shared by equal constraints.
typedef struct berth_candidates {
  const int16_t *devices;  // The best first.
  int count;               // 0: nothing fits.
  berth_place_fit_t fit;
} berth_candidates_t;

// ---- The placer ----

// One placement under way. Everything that is by number lives as long as this.
typedef struct berth_placer {
  const berth_graph_t *graph;  // Borrowed, as the options.
  const berth_place_options_t *options;
  int node_count;
  berth_place_types_t types;
  berth_place_names_t names;
  berth_place_ops_t ops;
  berth_arena_t arena;
  int32_t *device_names;  // By device.
  uint8_t *device_types;
  int16_t *ranked;     // Devices in the order candidates are sorted.
  int16_t *mentioned;  // When each was first assigned, from 1; 0: never.
  int mentioned_count;
  berth_candidates_t *candidates;
  size_t candidate_count, candidate_capacity;
  berth_map_t by_constraint;  // Keys lie in |arena|.
  struct {
    berth_place_key_t key;
    int32_t id;                 // Plus 1; 0: free.
  } recent[BERTH_PLACE_CACHE];  // By a hash of the key.
  berth_place_set_t *sets;      // By node, as all below.
  int32_t *own_request;         // Name.
  int32_t *own_types;
  int32_t *op_index;
  int32_t *partner;  // The node that an edge or group tied this one to, or -1.
  // The only consumer, -1: none, -2: several. NULL: nobody needs to know.
  int32_t *sole_consumer;
  bool has_identities;
  berth_placement_t placement;
  int placed_count;
} berth_placer_t;

// Prepares |placer|; on failure there is nothing to free. Fails as
// berth_place() does for its options.
BERTH_NODISCARD berth_code_t
berth_placer_init(berth_placer_t *placer, const berth_graph_t *graph,
                  const berth_place_options_t *options, berth_error_t *err);

// Frees what |placer| owns, the placement included unless it was taken.
void berth_placer_deinit(berth_placer_t *placer);

// True when |node| is one of those to place.
static inline bool berth_placer_has(const berth_placer_t *placer,
                                    int32_t node) {
  return node < placer->node_count &&
         (placer->options->only == NULL || placer->options->only[node] != 0);
}

// Returns the earlier device of |node|, or -1.
static inline int berth_placer_kept(const berth_placer_t *placer,
                                    int32_t node) {
  const berth_place_options_t *options = placer->options;
  bool is_given = options->assigned != NULL && node < options->assigned_count;
  return is_given ? options->assigned[node] : -1;
}

// Returns what is known of |node|'s op, once it was constrained. Borrowed;
// valid until another op is found out about.
static inline const berth_place_op_t *berth_placer_op(
    const berth_placer_t *placer, int32_t node) {
  return &placer->ops.items[placer->op_index[node]];
}

// Returns the root of |node|'s set and shortens the way to it.
static inline int32_t berth_placer_root(berth_placer_t *placer, int32_t node) {
  berth_place_set_t *sets = placer->sets;
  while (sets[node].parent != node) {
    sets[node].parent = sets[sets[node].parent].parent;
    node = sets[node].parent;
  }
  return node;
}

// Steps 1 to 4 come in this order, once each; all fail with TensorFlow's texts
// and with BERTH_RESOURCE_EXHAUSTED, and the placement is of no use then.

// Step 1 (constraint.c): types, requests and earlier devices of each node.
// BERTH_INVALID_ARGUMENT for a request that is no name, and an op without
// kernel (I2); BERTH_INTERNAL for an earlier device that is not there or cannot
// do it.
BERTH_NODISCARD berth_code_t berth_place_constrain(berth_placer_t *placer,
                                                   berth_error_t *err);

// Step 2 (colocate.c): merges the sets of nodes that must be together: edges of
// references and resources, and groups. BERTH_INVALID_ARGUMENT when they
// contradict, unless placement is soft and only a group does.
BERTH_NODISCARD berth_code_t berth_place_colocate(berth_placer_t *placer,
                                                  berth_error_t *err);

// Merges the sets of |x| and |y|. BERTH_INVALID_ARGUMENT when their names or
// types contradict (I2); as in TensorFlow, names may then be merged already.
BERTH_NODISCARD berth_code_t berth_place_merge(berth_placer_t *placer,
                                               int32_t x, int32_t y,
                                               berth_error_t *err);

// Step 3 (candidate.c): stores where |node|'s set can be, the best first. The
// list is never empty on success; BERTH_INVALID_ARGUMENT when it would be.
// Borrowed from the placer.
BERTH_NODISCARD berth_code_t berth_place_candidates(berth_placer_t *placer,
                                                    int32_t node,
                                                    berth_candidates_t *out,
                                                    berth_error_t *err);

// Fixes |node|'s set to |device| (I3). BERTH_INTERNAL when it already is on
// another.
BERTH_NODISCARD berth_code_t berth_place_fix(berth_placer_t *placer,
                                             int32_t node, int device,
                                             berth_error_t *err);

// Step 4 (choose.c): gives every node a device and logs it.
BERTH_NODISCARD berth_code_t berth_place_choose(berth_placer_t *placer,
                                                berth_error_t *err);

// Finds out about |node|'s op, and which types support it (support.c).
// |has_private| says whether it has attributes that begin with "_".
BERTH_NODISCARD berth_code_t berth_place_support(
    berth_placer_t *placer, const berth_node_t *node, bool has_private,
    int32_t *out_op, int32_t *out_types, berth_error_t *err);

// Frees what |ops| owns; zeroed is fine.
void berth_place_ops_deinit(berth_place_ops_t *ops);

// ---- Reasons (reason.c) ----

// What a heuristic found: the node it followed, or -1.
typedef struct berth_place_hint {
  berth_reason_t reason;  // BERTH_REASON_NONE: no heuristic applied.
  int32_t because;
} berth_place_hint_t;

// Records why |node|, which has a device, is there; |hint| counts where nothing
// that was asked for does.
void berth_place_decide(berth_placer_t *placer, int32_t node,
                        berth_place_hint_t hint);

// Fails with BERTH_INVALID_ARGUMENT when a node is on a CPU unasked although
// there are GPUs, for the strict mode: names the first, and counts the others.
BERTH_NODISCARD berth_code_t berth_place_check_strict(berth_placer_t *placer,
                                                      berth_error_t *err);

#endif  // BERTH_PLACE_PLACE_INTERNAL_H_
