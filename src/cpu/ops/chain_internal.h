// chain_internal.h - What chain_plan.c plans and chain.c runs.
#ifndef BERTH_CPU_OPS_CHAIN_INTERNAL_H_
#define BERTH_CPU_OPS_CHAIN_INTERNAL_H_

#include "cpu/ops/chain.h"

enum {
  BERTH_CHAIN_ARGS = 34,         // At most.
  BERTH_CHAIN_STRANDS = 64,      // Of one link, at most.
  BERTH_FROM_OUTPUT = INT32_MIN  // Where the head has put it.
};

// Where an input of a link comes from.
typedef struct berth_link_source {
  int32_t from;       // An argument, ~r for register r, or BERTH_FROM_OUTPUT.
  uint8_t reach;      // berth_reach_t.
  uint8_t size;       // Bytes of an element.
  const void *fixed;  // Not NULL: it is here, a single number or repeated rows.
} berth_link_source_t;

// One function of a strand, and where its other number is.
typedef struct berth_strand_link {
  berth_strand_code_t code;
  berth_link_source_t y;
} berth_strand_link_t;

// One loop of a chain: a term, or several functions of floats.
typedef struct berth_link {
  berth_term_fn apply;
  const void *plan;
  berth_link_source_t in[BERTH_TERM_INPUTS];
  int32_t input_count;
  int32_t to;  // A register; -1: the output.
  // The argument that it goes to instead, for others to read too; -1: none.
  int32_t arg;
  int32_t size;    // Bytes of an element of what it makes.
  bool is_unread;  // No other link reads it.
  // Not NULL: what is done instead, to the first input.
  berth_strand_link_t *strands;
  int32_t strand_count;
} berth_link_t;

// A row that is repeated in the scratch space.
typedef struct berth_tile {
  int32_t arg;
  size_t at, size;
} berth_tile_t;

typedef struct berth_chain_plan berth_chain_plan_t;
struct berth_chain_plan {
  berth_link_t *links;
  int link_count;
  berth_strand_fn strand;
  int64_t count, block, row;
  int32_t out_size;
  int32_t output;  // Which argument it is, the first where there are several.
  int32_t scratch;
  int64_t grain;  // Blocks of a piece.
  size_t register_size;
  berth_slots_t slots;  // Of registers.
  size_t slots_at;      // In the scratch space.
  // The register from which results are sent past the caches, or -1.
  int32_t stream;
  uint32_t streams_unless;  // Arguments that the output may be.
  berth_tile_t *tiles;
  int tile_count;
  // There are no links, but an ending for the head (ending.h): what it adds, of
  // which |reach| is none where there is no such thing.
  bool has_ending;
  berth_link_source_t row_added, other_added;
  berth_clamp_t clamp;
  // The head, or NULL; its arguments.
  const berth_cpu_term_t *head;
  const void *head_plan;
  const int32_t *head_inputs;
  int32_t head_input_count;
  const berth_chain_plan_t *fed_by;  // What makes its image; or NULL.
  // The end, or NULL; where its scratch space is.
  const berth_cpu_term_t *end;
  const void *end_plan;
  size_t end_at;
  size_t registers_bytes;  // In a slot; what the end works in follows.
};

// What becomes part of a head.
typedef struct berth_fed_by {
  const int64_t *pads;              // Of a step that it skips; or NULL.
  const berth_chain_plan_t *chain;  // What feeds it; or NULL.
} berth_fed_by_t;

// Plans a chain of |fusion|, none of whose steps feeds another, whose head is fed
// as |by| says; as berth_fuse_fn.
BERTH_NODISCARD berth_code_t berth_chain_make(const berth_fusion_t *fusion,
                                              const berth_fed_by_t *by,
                                              berth_prepare_t *prepare,
                                              berth_error_t *err);

// Stores |fusion| with its steps in another order, so that functions which go on
// with each other's results stand together. BERTH_RESOURCE_EXHAUSTED when memory
// is short, BERTH_UNIMPLEMENTED when there are too many.
BERTH_NODISCARD berth_code_t berth_chain_order(const berth_fusion_t *fusion,
                                               berth_arena_t *arena,
                                               berth_fusion_t *out,
                                               berth_error_t *err);

// Runs a chain, as berth_run_fn.
berth_code_t berth_chain_run(const void *plan, void *const *args,
                             berth_call_t *call);

#endif  // BERTH_CPU_OPS_CHAIN_INTERNAL_H_
