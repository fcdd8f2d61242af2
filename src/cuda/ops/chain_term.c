// chain_term.c - Which steps of a card can be part of a group, and how.
#include "cuda/ops/chain_internal.h"

// How many steps a function counts for: what is written of it is as long as so
// many additions.
enum { BRIEF_WEIGHT = 1, CURVE_WEIGHT = 6, ERROR_WEIGHT = 12 };

// A cell that is trained keeps all its gates.
enum { MOST_OUTPUTS = 12 };

// Adds |made|, whose weight is that of floats.
static void term_add(berth_prepare_t *prepare, const berth_gpu_term_t *made) {
  if (made->term.count == 0) return;
  berth_gpu_term_t *term =
      berth_arena_memdup(prepare->op.arena, made, sizeof(*made));
  if (term == NULL) return;
  // Half floats are rounded in between.
  if (made->to != BERTH_FLOAT) {
    term->term.weight = (uint8_t)(made->term.weight + 2);
  }
  term->term.fuse = berth_chain_fuse;
  term->term.most_inputs = BERTH_CHAIN_INPUTS;
  term->term.most_outputs = MOST_OUTPUTS;
  term->term.many = true;
  prepare->term = &term->term;
}

// What a function is, on cards.
typedef struct function {
  const char *name;  // NULL: no term.
  uint8_t kernel, weight;
} function_t;

void berth_chain_term_unary(berth_prepare_t *prepare,
                            const berth_unary_t *unary) {
  enum { HOST, EVERY, BOTH, WIDE, INDEX, NOT_BF16 };
  enum { BRIEF, QUESTION, CURVE, ERROR, ANGLE, LONG };
  enum {
#define UNARY(NAME, name, ...) at_##name = BERTH_UNARY_##NAME,
#include "op/unary_list.inc"
  };
  static const function_t functions[BERTH_UNARY_COUNT] = {
#define UNARY_REAL(where, kind, name, expr)                                  \
  [at_##name] = {                                                            \
      where == HOST || kind == QUESTION || kind > ERROR ? NULL : "u_" #name, \
      kind == BRIEF ? BERTH_IN_BRIEF : BERTH_IN_CURVES,                      \
      kind == BRIEF   ? BRIEF_WEIGHT                                         \
      : kind == CURVE ? CURVE_WEIGHT                                         \
                      : ERROR_WEIGHT},
#include "op/unary_list.inc"
  };
  const function_t *function = &functions[unary->function];
  if (function->name == NULL || unary->input != unary->output ||
      berth_chain_text_type(unary->input) < 0) {
    return;
  }
  berth_gpu_term_t made = {
      .term = {.count = unary->count, .carried = 1, .weight = function->weight},
      .name = function->name,
      .from = unary->input,
      .to = unary->output,
      .parameter = unary->parameter,
      .step = {.code = (uint8_t)unary->function,
               .parameter = (float)unary->parameter},
      .kernel = function->kernel,
      .reach = {BERTH_CHAIN_ALL}};
  term_add(prepare, &made);
}

void berth_chain_term_cast(berth_prepare_t *prepare,
                           const berth_unary_t *cast) {
  // A parameter says that numbers are cut off.
  if (cast->parameter != 0 || berth_chain_text_type(cast->input) < 0 ||
      berth_chain_text_type(cast->output) < 0) {
    return;
  }
  berth_gpu_term_t made = {
      .term = {.count = cast->count, .carried = 1, .weight = BRIEF_WEIGHT},
      .name = "u_cast",
      .from = cast->input,
      .to = cast->output,
      .kernel = BERTH_IN_NONE,
      .reach = {BERTH_CHAIN_ALL}};
  term_add(prepare, &made);
}

void berth_chain_term_binary(berth_prepare_t *prepare, berth_binary_op_t op,
                             bool swap, const berth_broadcast_t *broadcast) {
  enum { HOST, EVERY, BOTH, WIDE, INDEX, NOT_BF16, DEVICE };
  enum { COMMON, COMPARE, BRIEF, CURVE, SLOPE, LONG };
  enum {
#define BINARY(NAME, name, ...) at_##name = BERTH_BINARY_##NAME,
#include "op/binary_list.inc"
  };
  static const function_t functions[BERTH_BINARY_COUNT] = {
#define BINARY_REAL(where, kind, order, name, expr)                         \
  [at_##name] = {                                                           \
      where == HOST || kind == COMPARE || kind > CURVE ? NULL : "b_" #name, \
      kind == CURVE ? BERTH_IN_CURVES : BERTH_IN_BRIEF,                     \
      kind == CURVE ? CURVE_WEIGHT : BRIEF_WEIGHT},
#include "op/binary_list.inc"
  };
  const function_t *function = &functions[op];
  const berth_case_input_t *inputs = prepare->op.inputs;
  if (function->name == NULL || berth_chain_text_type(inputs[0].dtype) < 0) {
    return;
  }
  berth_gpu_term_t made = {
      .term = {.count =
                   berth_dims_count(berth_case_output_dims(&prepare->op, 0)),
               .weight = function->weight},
      .name = function->name,
      .from = inputs[0].dtype,
      .to = inputs[0].dtype,
      .step = {.code = (uint8_t)op},
      .kernel = function->kernel,
      .left = swap};
  for (int i = 0; i < 2; ++i) {
    made.reach[i] =
        (uint8_t)berth_term_reach(&made.term, &inputs[i], broadcast, i);
    if (made.reach[i] == BERTH_REACH_NONE) return;
  }
  // Rows are found by dividing numbers of 32 bits.
  if (made.term.row > 0 && made.term.count >= (int64_t)BERTH_DIVIDE_LIMIT) {
    return;
  }
  term_add(prepare, &made);
}

void berth_chain_term_norm(berth_prepare_t *prepare,
                           const berth_batch_norm_t *norm) {
  int64_t count = norm->outer * norm->channels;
  if (norm->is_training || norm->dtype != BERTH_FLOAT || norm->inner != 1 ||
      count >= (int64_t)BERTH_DIVIDE_LIMIT) {
    return;
  }
  berth_gpu_term_t made = {
      .term = {.count = count,
               .row = norm->channels,
               .carried = 1,
               .weight = CURVE_WEIGHT},
      .name = "n_norm",
      .from = BERTH_FLOAT,
      .to = BERTH_FLOAT,
      .parameter = (double)norm->epsilon,
      .kernel = BERTH_IN_NONE,
      .reach = {BERTH_CHAIN_ALL, BERTH_CHAIN_ROW, BERTH_CHAIN_ROW,
                BERTH_CHAIN_ROW, BERTH_CHAIN_ROW}};
  term_add(prepare, &made);
}

void berth_chain_term_head(berth_prepare_t *prepare, berth_dtype_t dtype,
                           const berth_head_t *head) {
  if (berth_chain_text_type(dtype) < 0) return;
  berth_gpu_term_t made = {
      .term = {.count =
                   berth_dims_count(berth_case_output_dims(&prepare->op, 0)),
               .begins = true,
               .finishes = head != NULL,
               .weight = BRIEF_WEIGHT},
      .from = dtype,
      .to = dtype,
      .kernel = BERTH_IN_NONE,
      .head = head};
  term_add(prepare, &made);
}

// Stores in |out_view| where |move| takes the elements of what it fills from;
// false when that is no part as a view can be one.
static bool view_of(const berth_move_t *move, int64_t count,
                    berth_view_t *out_view) {
  const berth_move_level_t *levels = move->levels;
  int32_t last = move->level_count - 1;
  bool is_run = last >= 0 && levels[last].from_step == 1;
  int64_t run = is_run ? levels[last].count : 1;
  int32_t outer = is_run ? last : last + 1;  // Levels around runs.
  bool is_whole =
      move->to_offset == 0 && (!is_run || levels[last].to_step == 1);
  if (!is_whole || outer > 1 || (outer == 0 && run != count)) return false;
  if (outer == 1 && (levels[0].from_step < 0 || levels[0].to_step != run ||
                     levels[0].count * run != count)) {
    return false;
  }
  *out_view = (berth_view_t){.count = count,
                             .offset = move->from_offset,
                             .run = run,
                             .stride = outer == 1 ? levels[0].from_step : run};
  return true;
}

void berth_chain_term_views(berth_prepare_t *prepare,
                            const berth_moves_t *moves) {
  berth_case_t *op = &prepare->op;
  if (berth_chain_text_type(moves->dtype) < 0 ||
      moves->count != op->output_count) {
    return;
  }
  berth_view_t *views =
      berth_arena_calloc(op->arena, (size_t)op->output_count, sizeof(*views));
  if (views == NULL) return;
  for (const berth_move_t *move = moves->first; move != NULL;
       move = move->next) {
    int32_t index = move->to_arg - op->input_count;
    int64_t count = berth_dims_count(berth_case_output_dims(op, index));
    if (move->from_arg != moves->first->from_arg || views[index].count > 0 ||
        !view_of(move, count, &views[index])) {
      return;
    }
  }
  berth_gpu_term_t made = {.term = {.count = views[0].count,
                                    .weight = BRIEF_WEIGHT,
                                    .views = views,
                                    .viewed = moves->first->from_arg},
                           .from = moves->dtype,
                           .to = moves->dtype,
                           .kernel = BERTH_IN_NONE};
  term_add(prepare, &made);
}
