// branch.c - If and Case, by Switch and Merge.
//
//   x ──────── Switch ──┬── :1 ── then ──┬── Merge ── y
//   pred ──────┘        └── :0 ── else ──┘
//   pred ── Switch ─┬─ Identity "pivot_t": what has no input waits for it
//                   └─ Identity "pivot_f"
//
// A Case is an If of its first branch and of the Case of the others; a number
// that is none of a branch means the last.
#include <stdio.h>
#include <string.h>

#include "lower/lower_internal.h"
#include "tensor/tensor.h"

typedef struct chooser {
  berth_lowering_t *lowering;
  const berth_node_spec_t *spec;
  const berth_attr_func_t *functions;
  int32_t count;
} chooser_t;

// What a side is given.
typedef struct side {
  berth_out_t index;  // A number, or a bool of two branches.
  const berth_out_t *inputs;
  int32_t input_count;
  int32_t after;
} side_t;

static berth_code_t no_memory(berth_error_t *err) {
  return berth_error_no_memory(err, "a conditional");
}

// Adds a node of two inputs, or one, with one result that is wanted.
static berth_code_t add(const chooser_t *c, const char *op, const char *name,
                        const berth_out_t *inputs, int32_t count, int32_t after,
                        int32_t *out_node, berth_error_t *err) {
  return berth_lower_add(c->lowering, op, c->spec->name, name, c->spec->device,
                         inputs, count, &after, 1, NULL, 0, out_node, err);
}

// Makes a constant of |type|.
static berth_code_t constant_add(const chooser_t *c, berth_dtype_t type,
                                 int64_t number, int32_t after,
                                 berth_out_t *out, berth_error_t *err) {
  berth_tensor_t *value = NULL;
  BERTH_TRY(berth_tensor_make(NULL, BERTH_INT32, 0, NULL, 1, &value, err));
  *(int32_t *)value->data = (int32_t)number;
  berth_attr_t attrs[] = {
      {"dtype", {.kind = BERTH_ATTR_TYPE, .type = BERTH_INT32}},
      {"value", {.kind = BERTH_ATTR_TENSOR, .tensor = value}}};
  int32_t node = -1;
  berth_code_t code = berth_lower_add(c->lowering, "Const", c->spec->name,
                                      "branch_number", c->spec->device, NULL, 0,
                                      &after, 1, attrs, 2, &node, err);
  berth_tensor_release(value);
  *out = (berth_out_t){node, 0};
  if (code != BERTH_OK || type == BERTH_INT32) return code;
  berth_attr_t cast[] = {{"DstT", {.kind = BERTH_ATTR_TYPE, .type = type}}};
  code = berth_lower_add(c->lowering, "Cast", c->spec->name, "branch_cast",
                         c->spec->device, out, 1, NULL, 0, cast, 1, &node, err);
  *out = (berth_out_t){node, 0};
  return code;
}

// Makes the predicate of |side|: true for branch |first|. An If has its two
// branches in this order: the one for true first.
static berth_code_t predicate_make(const chooser_t *c, const side_t *side,
                                   int32_t first, berth_out_t *out,
                                   berth_error_t *err) {
  berth_dtype_t type = berth_lower_type(c->lowering, side->index);
  *out = side->index;
  if (type == BERTH_BOOL) return BERTH_OK;
  bool is_if = strstr(c->spec->op, "If") != NULL;
  if (type == BERTH_STRING) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "%s: a condition that is a text", c->spec->name);
  }
  berth_out_t pair[2] = {side->index, {0}};
  BERTH_TRY(
      constant_add(c, type, is_if ? 0 : first, side->after, &pair[1], err));
  int32_t node = -1;
  BERTH_TRY(add(c, is_if ? "NotEqual" : "Equal", "predicate", pair, 2, -1,
                &node, err));
  *out = (berth_out_t){node, 0};
  return BERTH_OK;
}

// Sends what |side| has both ways.
static berth_code_t sides_make(const chooser_t *c, const side_t *side,
                               berth_out_t predicate, side_t sides[2],
                               berth_error_t *err) {
  size_t count = (size_t)side->input_count;
  berth_out_t pair[2] = {predicate, predicate};
  int32_t node = -1;
  BERTH_TRY(add(c, "Switch", "Switch", pair, 2, side->after, &node, err));
  berth_out_t *inputs[2];
  for (int way = 0; way < 2; ++way) {
    berth_out_t out = {node, way};
    inputs[way] = berth_arena_alloc(&c->lowering->arena,
                                    (count + 1) * sizeof(berth_out_t));
    if (inputs[way] == NULL) return no_memory(err);
    sides[way] = (side_t){.index = side->index,
                          .inputs = inputs[way],
                          .input_count = side->input_count};
    BERTH_TRY(add(c, "Identity", way == 1 ? "pivot_t" : "pivot_f", &out, 1, -1,
                  &sides[way].after, err));
  }
  for (size_t i = 0; i < count; ++i) {
    pair[0] = side->inputs[i];
    BERTH_TRY(add(c, "Switch", "Switch", pair, 2, -1, &node, err));
    inputs[0][i] = (berth_out_t){node, 0};
    inputs[1][i] = (berth_out_t){node, 1};
  }
  return BERTH_OK;
}

static berth_code_t choose(const chooser_t *c, int32_t first,
                           const side_t *side, berth_lowered_t *out,
                           berth_error_t *err);

// Does branch |number|.
static berth_code_t branch_do(const chooser_t *c, int32_t number,
                              const side_t *side, berth_lowered_t *out,
                              berth_error_t *err) {
  char name[32];
  bool is_if = strstr(c->spec->op, "If") != NULL;
  snprintf(name, sizeof(name), is_if ? (number == 0 ? "then" : "else") : "b%d",
           (int)number);
  char *kept = berth_arena_strndup(&c->lowering->arena, name, strlen(name));
  const char *scope =
      kept != NULL ? berth_lower_join(c->lowering, c->spec->name, kept) : NULL;
  if (scope == NULL) return no_memory(err);
  berth_lower_call_t call = {.name = scope,
                             .device = c->spec->device,
                             .origin = berth_lower_origin(c->spec),
                             .function = &c->functions[number],
                             .inputs = side->inputs,
                             .input_count = side->input_count,
                             .after = side->after};
  return berth_lower_body(c->lowering, &call, out, err);
}

// Makes a value that is there when |side|, which has become |lowered|, is done.
static berth_code_t executed_make(const chooser_t *c, const side_t *side,
                                  const berth_lowered_t *lowered,
                                  berth_out_t *out, berth_error_t *err) {
  berth_out_t pivot = {side->after, 0};
  int32_t node = -1;
  BERTH_TRY(add(c, "Identity", "branch_executed", &pivot, 1, lowered->done,
                &node, err));
  *out = (berth_out_t){node, 0};
  return BERTH_OK;
}

// Brings what both sides have become together.
static berth_code_t merge(const chooser_t *c, const side_t sides[2],
                          const berth_lowered_t made[2], berth_lowered_t *out,
                          berth_error_t *err) {
  if (made[0].out_count != made[1].out_count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s: branches have %d and %d results", c->spec->name,
                           (int)made[1].out_count, (int)made[0].out_count);
  }
  size_t count = (size_t)made[0].out_count;
  berth_out_t *outs =
      berth_arena_alloc(&c->lowering->arena, (count + 1) * sizeof(*outs));
  if (outs == NULL) return no_memory(err);
  int32_t node = -1;
  for (size_t i = 0; i < count; ++i) {
    berth_out_t pair[2] = {made[0].outs[i], made[1].outs[i]};
    BERTH_TRY(add(c, "Merge", "merge", pair, 2, -1, &node, err));
    outs[i] = (berth_out_t){node, 0};
  }
  berth_out_t executed[2];
  for (int way = 0; way < 2; ++way) {
    BERTH_TRY(executed_make(c, &sides[way], &made[way], &executed[way], err));
  }
  BERTH_TRY(add(c, "Merge", "branch_executed", executed, 2, -1, &node, err));
  *out = (berth_lowered_t){
      .outs = outs, .out_count = made[0].out_count, .done = node};
  return BERTH_OK;
}

// Gives the side that is not taken the number to choose by.
static berth_code_t index_send(const chooser_t *c, const side_t *side,
                               berth_out_t predicate, side_t *other,
                               berth_error_t *err) {
  berth_out_t pair[2] = {side->index, predicate};
  int32_t node = -1;
  BERTH_TRY(add(c, "Switch", "Switch", pair, 2, -1, &node, err));
  other->index = (berth_out_t){node, 0};
  return BERTH_OK;
}

// Chooses among the branches from |first| on.
static berth_code_t choose(const chooser_t *c, int32_t first,
                           const side_t *side, berth_lowered_t *out,
                           berth_error_t *err) {
  if (first + 1 == c->count) return branch_do(c, first, side, out, err);
  berth_out_t predicate;
  side_t sides[2];
  berth_lowered_t made[2];
  BERTH_TRY(predicate_make(c, side, first, &predicate, err));
  BERTH_TRY(sides_make(c, side, predicate, sides, err));
  if (first + 2 < c->count) {
    BERTH_TRY(index_send(c, side, predicate, &sides[0], err));
  }
  BERTH_TRY(branch_do(c, first, &sides[1], &made[1], err));
  BERTH_TRY(choose(c, first + 1, &sides[0], &made[0], err));
  return merge(c, sides, made, out, err);
}

berth_code_t berth_lower_branches(berth_lowering_t *l,
                                  const berth_node_spec_t *spec, int32_t after,
                                  berth_lowered_t *out, berth_error_t *err) {
  const berth_attr_value_t *list = berth_lower_attr(spec, "branches");
  const berth_attr_value_t *yes = berth_lower_attr(spec, "then_branch");
  const berth_attr_value_t *no = berth_lower_attr(spec, "else_branch");
  berth_attr_func_t two[2];
  chooser_t c = {.lowering = l, .spec = spec};
  if (list != NULL && (int)list->kind == BERTH_ATTR_LIST + BERTH_ATTR_FUNC &&
      list->count > 0) {
    c.functions = list->func_list;
    c.count = list->count;
  } else if (yes != NULL && no != NULL && yes->kind == BERTH_ATTR_FUNC &&
             no->kind == BERTH_ATTR_FUNC) {
    two[0] = *yes->func;
    two[1] = *no->func;
    c.functions = two;
    c.count = 2;
  }
  if (c.count == 0 || spec->input_count < 1) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Node %s (%s) has no branches, or nothing to choose "
                           "by",
                           spec->name, spec->op);
  }
  side_t side = {.index = spec->inputs[0],
                 .inputs = spec->inputs + 1,
                 .input_count = spec->input_count - 1,
                 .after = after};
  return choose(&c, 0, &side, out, err);
}
