// sweep.c - Preparing to run a loop over all elements of one or two inputs.
//
// prepare chooses three things that do not depend on each other: the loop
// (which input is a single element), the strip around it (plain, converting,
// past the caches) and the run around that (flat, tiled, rows). The two latter
// are in sweep_run.c.
#include "cpu/ops/sweep.h"

#include "cpu/loops/stream.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/sweep_internal.h"
#include "op/value.h"

enum {
  SHORT_ROW = 256,  // Elements; shorter rows are repeated.
  TILE = 2048,      // Elements of repeated rows.
  // Elements of rows that are not worth a call, and of those to be converted.
  SPREAD_ROW = 16,
  SPREAD_CONVERTED = 64,
  MEMORY_COST = 40  // Picoseconds a byte that comes from memory.
};

static void plan_set_conversion(berth_sweep_plan_t *plan,
                                const berth_sweep_t *sweep) {
  const berth_convert_loops_t *loops = BERTH_ISA_PICK(berth_cpu_convert_loops);
  if (sweep->input == BERTH_HALF) {
    plan->widen = loops->half_to_float;
    if (sweep->output == BERTH_HALF) plan->narrow = loops->float_to_half;
  } else if (sweep->input == BERTH_BFLOAT16) {
    plan->widen = loops->BFLOAT16_to_FLOAT;
    if (sweep->output == BERTH_BFLOAT16) {
      plan->narrow = loops->FLOAT_to_BFLOAT16;
    }
  }
  if (plan->narrow != NULL) plan->after = sweep->after;
}

static void plan_set_strip(berth_sweep_plan_t *plan) {
  plan->strip =
      plan->widen != NULL ? berth_sweep_strip_convert : berth_sweep_strip_plain;
  plan->strip_in_place = plan->strip;
  if (plan->widen == NULL &&
      plan->count * plan->out_size > berth_cpu_cache_size() / 2) {
    plan->strip = berth_sweep_strip_stream;
  }
}

static berth_sweep_plan_t *plan_make(berth_prepare_t *prepare,
                                     const berth_sweep_t *sweep, int64_t count,
                                     berth_error_t *err) {
  berth_sweep_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) {
    berth_error_no_memory(err, "a plan");
    return NULL;
  }
  plan->loop = plan->both = sweep->loops.both;
  plan->slope = sweep->slope;
  if (sweep->input == BERTH_DOUBLE) {
    plan->parameter.f64 = sweep->parameter;
  } else {
    plan->parameter.f32 = (float)sweep->parameter;
  }
  plan->count = count;
  plan->in_size = (int32_t)berth_dtype_size(sweep->input);
  plan->out_size = (int32_t)berth_dtype_size(sweep->output);
  plan->a_size = plan->b_size = plan->in_size;
  // What comes from memory takes that long at least, however simple the loop.
  int32_t least = (plan->in_size + plan->out_size) * MEMORY_COST;
  int32_t cost = sweep->cost > least ? sweep->cost : least;
  plan->grain = berth_grain(cost);
  prepare->work = count / 1000 * cost;
  plan_set_conversion(plan, sweep);
  plan_set_strip(plan);
  return plan;
}

// ---- Terms ----

static const void *second_of(const berth_sweep_plan_t *plan,
                             const char *const *in) {
  return plan->second >= 0 ? (const void *)in[plan->second] : &plan->parameter;
}

static void apply_loop(const void *arg, const char *const *in, char *out,
                       int64_t count) {
  const berth_sweep_plan_t *plan = arg;
  plan->loop(in[plan->first], second_of(plan, in), out, count);
}

static void apply_strip(const void *arg, const char *const *in, char *out,
                        int64_t count) {
  const berth_sweep_plan_t *plan = arg;
  plan->strip_in_place(plan, in[plan->first], second_of(plan, in), out, count);
}

// Notes a constant row, |input| number |i|.
static void rows_set(berth_cpu_term_t *term, const berth_case_input_t *input,
                     int i) {
  if (term->reach[i] != BERTH_REACH_ROW || !input->is_fixed) return;
  switch (i == term->second ? term->of_first : term->of_second) {
    case BERTH_STRAND_ADD:
      term->rows_kind = BERTH_ROWS_ADD;
      break;
    case BERTH_STRAND_SUB:
      term->rows_kind = BERTH_ROWS_SUB;
      break;
    case BERTH_STRAND_MUL:
      term->rows_kind = BERTH_ROWS_MUL;
      break;
    default:
      return;
  }
  term->rows = input->value;
}

// Makes the sweep a term where it can be one.
static void term_set(berth_prepare_t *prepare, const berth_sweep_plan_t *plan,
                     const berth_sweep_t *sweep) {
  int inputs = plan->second >= 0 ? 2 : 1;
  if (plan->count == 0 || plan->accept != NULL ||
      !berth_dtype_is_plain(sweep->input)) {
    return;
  }
  berth_cpu_term_t made = {
      .term = {.fuse = berth_cpu_fuse, .count = plan->count, .many = true},
      .apply =
          plan->widen == NULL && plan->slope == NULL ? apply_loop : apply_strip,
      .out_size = (uint8_t)plan->out_size,
      .first = (uint8_t)plan->first,
      .second = (uint8_t)(plan->second >= 0 ? plan->second : plan->first),
      .parameter = &plan->parameter.f32};
  if (sweep->input == BERTH_FLOAT) {
    made.of_first = sweep->strand;
    made.of_second = sweep->strand_of;
  }
  for (int i = 0; i < inputs; ++i) {
    made.sizes[i] = (uint8_t)plan->in_size;
    made.reach[i] =
        (uint8_t)berth_term_reach(&made.term, &prepare->op.inputs[i],
                                  inputs == 2 ? &plan->broadcast : NULL, i);
    if (made.reach[i] == BERTH_REACH_NONE) return;
    rows_set(&made, &prepare->op.inputs[i], i);
  }
  berth_cpu_term_t *term =
      berth_arena_memdup(prepare->op.arena, &made, sizeof(made));
  if (term != NULL) prepare->term = &term->term;
}

berth_code_t berth_sweep_unary(berth_prepare_t *prepare,
                               const berth_sweep_t *sweep, berth_error_t *err) {
  berth_sweep_plan_t *plan =
      plan_make(prepare, sweep, prepare->op.inputs[0].count, err);
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  plan->second = -1;
  plan->result = 1;
  plan->b_size = 0;
  if (plan->count == 0) {
    prepare->run = berth_run_nothing;
  } else if (plan->count == 1 && sweep->one != NULL && plan->widen == NULL) {
    prepare->run = sweep->one;
  } else if (plan->widen == NULL && plan->count <= plan->grain) {
    prepare->run = berth_sweep_run_small_unary;
  } else {
    prepare->run = berth_sweep_run_flat;
  }
  term_set(prepare, plan, sweep);
  return BERTH_OK;
}

// Sets which argument is |a|, and the loop, for one level of steps.
static void plan_set_order(berth_sweep_plan_t *plan, const berth_sweep_t *sweep,
                           const berth_level_t *level) {
  plan->first = sweep->swap ? 1 : 0;
  int64_t a_step = level->steps[plan->first];
  int64_t b_step = level->steps[1 - plan->first];
  if (a_step == 0 && b_step != 0 && sweep->loops.left == NULL) {
    plan->first = 1 - plan->first;
    a_step = b_step;
    b_step = 0;
  }
  plan->second = 1 - plan->first;
  plan->a_size = a_step == 0 ? 0 : plan->in_size;
  plan->b_size = b_step == 0 ? 0 : plan->in_size;
  // A single element of each is a run of one.
  if (a_step == 0 && b_step != 0) plan->loop = sweep->loops.left;
  if (b_step == 0 && a_step != 0) plan->loop = sweep->loops.right;
}

// Uses a repeated row when the shapes are [n,m] and [m] with a small m.
static bool plan_set_tile(berth_prepare_t *prepare, berth_sweep_plan_t *plan) {
  const berth_broadcast_t *broadcast = &plan->broadcast;
  const berth_level_t *inner = &broadcast->levels[0];
  if (broadcast->level_count != 2 || inner->count > SHORT_ROW ||
      inner->steps[0] != 1 || inner->steps[1] != 1) {
    return false;
  }
  plan->row = inner->count;
  // No more of it than the output needs: small tensors are the common case.
  plan->tile = TILE / inner->count * inner->count;
  if (plan->count < plan->tile) plan->tile = plan->count;
  plan->tile_is_first = broadcast->levels[1].steps[0] == 0;
  prepare->scratch_size = (size_t)(plan->tile * plan->in_size);
  return true;
}

// The steps of the inputs by argument become those of |a| and |b|.
static void plan_swap_steps(const berth_sweep_plan_t *plan,
                            const berth_broadcast_t *from,
                            berth_level_t *levels) {
  for (int i = 0; i < from->level_count; ++i) {
    levels[i] = from->levels[i];
    levels[i].steps[0] = from->levels[i].steps[plan->first];
    levels[i].steps[1] = from->levels[i].steps[plan->second];
  }
}

// Makes the broadcast of inputs that come without one.
static berth_code_t plan_make_broadcast(berth_prepare_t *prepare,
                                        berth_sweep_plan_t *plan,
                                        berth_error_t *err) {
  berth_dims_t inputs[2] = {berth_case_input_dims(&prepare->op, 0),
                            berth_case_input_dims(&prepare->op, 1)};
  for (int i = 0; i < 2; ++i) {
    bool fits = prepare->op.inputs[i].count == plan->count &&
                plan->in_size == plan->out_size;
    if (fits) prepare->op.may_overwrite |= UINT32_C(1) << i;
  }
  return berth_broadcast_make(inputs, 2,
                              berth_case_output_dims(&prepare->op, 0),
                              prepare->op.arena, &plan->broadcast, err);
}

static berth_code_t plan_set_broadcast(berth_prepare_t *prepare,
                                       berth_sweep_plan_t *plan,
                                       const berth_sweep_t *sweep,
                                       berth_error_t *err) {
  if (sweep->broadcast != NULL) {
    plan->broadcast = *sweep->broadcast;
  } else {
    BERTH_TRY(plan_make_broadcast(prepare, plan, err));
  }
  plan_set_order(plan, sweep, &plan->broadcast.levels[0]);
  if (plan->first == 0) return BERTH_OK;
  berth_level_t *levels = berth_arena_calloc(
      prepare->op.arena, (size_t)plan->broadcast.level_count, sizeof(*levels));
  if (levels == NULL) return berth_error_no_memory(err, "a broadcast");
  plan_swap_steps(plan, &plan->broadcast, levels);
  plan->broadcast.levels = levels;
  return BERTH_OK;
}

static berth_run_fn plan_choose_run(berth_prepare_t *prepare,
                                    berth_sweep_plan_t *plan,
                                    const berth_sweep_t *sweep) {
  if (plan->broadcast.level_count > 1) {
    if (plan_set_tile(prepare, plan)) return berth_sweep_run_tiles;
    // Pieces that are shorter than their buffer gain nothing from it.
    if (plan->broadcast.levels[0].count * plan->out_size < BERTH_STREAM_PIECE) {
      plan->strip = plan->strip_in_place;
    }
    int64_t most = plan->widen != NULL ? SPREAD_CONVERTED : SPREAD_ROW;
    bool is_short = plan->broadcast.levels[0].count <= most;
    // Strings are larger, and stay where they are.
    is_short = is_short && plan->in_size <= 16;
    return is_short && plan->slope == NULL ? berth_sweep_run_spread
                                           : berth_sweep_run_rows;
  }
  if (plan->widen != NULL) return berth_sweep_run_flat;
  if (plan->count == 1 && sweep->one != NULL) return sweep->one;
  return plan->count <= plan->grain ? berth_sweep_run_small
                                    : berth_sweep_run_flat;
}

berth_code_t berth_sweep_binary(berth_prepare_t *prepare,
                                const berth_sweep_t *sweep,
                                berth_error_t *err) {
  int64_t count = berth_dims_count(berth_shape_dims(&prepare->op.outputs[0]));
  berth_sweep_plan_t *plan = plan_make(prepare, sweep, count, err);
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  plan->result = 2;
  if (count == 0) {
    prepare->run = berth_run_nothing;
    return BERTH_OK;
  }
  BERTH_TRY(plan_set_broadcast(prepare, plan, sweep, err));
  plan->run = plan_choose_run(prepare, plan, sweep);
  plan->accept = sweep->accept;
  plan->right_count = prepare->op.inputs[plan->second].count;
  plan->code = sweep->code;
  plan->text = sweep->text;
  prepare->run = plan->accept != NULL ? berth_sweep_run_checked : plan->run;
  term_set(prepare, plan, sweep);
  return BERTH_OK;
}

berth_code_t berth_sweep_sum(berth_prepare_t *prepare,
                             const berth_loops_t *loops, const berth_sum_t *sum,
                             berth_error_t *err) {
  int32_t size = (int32_t)berth_dtype_size(sum->dtype);
  berth_sweep_t sweep = {.loops = *loops,
                         .input = sum->dtype,
                         .output = sum->dtype,
                         .cost = size * MEMORY_COST * sum->input_count};
  berth_sweep_plan_t *plan = plan_make(prepare, &sweep, sum->count, err);
  if (plan == NULL) return BERTH_RESOURCE_EXHAUSTED;
  plan->strip = plan->strip_in_place;
  plan->input_count = sum->input_count;
  plan->first_count = sum->first;
  plan->result = sum->input_count;
  prepare->run = plan->count == 0 ? berth_run_nothing : berth_sweep_run_sum;
  // A later input would be overwritten before it is read.
  prepare->op.may_overwrite &= 3;
  return BERTH_OK;
}
