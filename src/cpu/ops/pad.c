// pad.c - Kernels that add elements around a tensor: Pad, PadV2, MirrorPad.
//
//   ┌─────────────────┐   What is added lies in slabs: for each dimension one
//   │     0 before    │   before and one after the input, as wide as the input
//   ├───┬─────────┬───┤   in the dimensions before it and as the output in
//   those │ 1 │  input  │ 1 │   behind. A mirror has a part for each
//   combination of ├───┴─────────┴───┤   before, input and after. │     0 after
//   │ └─────────────────┘
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/ops/move.h"
#include "cpu/ops/value.h"

enum { PAD_MAX_RANK = 8, MIRROR_MAX_RANK = 5 };  // As in TensorFlow.

// What is added to each dimension.
typedef struct pads {
  int32_t rank;
  int64_t before[PAD_MAX_RANK], after[PAD_MAX_RANK];
} pads_t;

// ---- Arguments ----

// Checks the shapes of the inputs; |joint| stands between two of them in a
// message.
static berth_code_t check_paddings(const berth_prepare_t *prepare, int max_rank,
                                   const char *joint, berth_error_t *err) {
  const berth_kernel_input_t *input = &prepare->inputs[0];
  const berth_kernel_input_t *paddings = &prepare->inputs[1];
  char text[BERTH_DIMS_TEXT], input_text[BERTH_DIMS_TEXT];
  if (input->rank > max_rank) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "inputs rank not in [0,%d]: %d", max_rank,
                           (int)input->rank);
  }
  if (paddings->rank != 2 || paddings->dims[1] != 2) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "paddings must be a matrix with 2 columns: %s",
                           berth_input_text(paddings, text));
  }
  if (paddings->dims[0] != input->rank) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "The first dimension of paddings must be the rank of inputs%s%s%s",
        berth_input_text(paddings, text), joint,
        berth_input_text(input, input_text));
  }
  return BERTH_OK;
}

static berth_code_t check_constant(const berth_prepare_t *prepare,
                                   berth_error_t *err) {
  if (prepare->input_count < 3 || prepare->inputs[2].rank == 0) return BERTH_OK;
  char text[BERTH_DIMS_TEXT];
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "constant_values must be a scalar. Found: %s",
                         berth_input_text(&prepare->inputs[2], text));
}

// Reads what is added to dimension |i|; |word| begins the message.
static berth_code_t read_pads(const berth_prepare_t *prepare, int32_t i,
                              const char *word, pads_t *pads,
                              berth_error_t *err) {
  pads->before[i] = berth_value_int(&prepare->inputs[1], 2 * i);
  pads->after[i] = berth_value_int(&prepare->inputs[1], 2 * i + 1);
  if (pads->before[i] >= 0 && pads->after[i] >= 0) return BERTH_OK;
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "%s must be non-negative: %lld %lld", word,
                         (long long)pads->before[i], (long long)pads->after[i]);
}

// Sets the shape of the output, and its size in |*out_count|.
static berth_code_t set_shape(berth_prepare_t *prepare, const pads_t *pads,
                              int64_t *out_count, berth_error_t *err) {
  const berth_kernel_input_t *input = &prepare->inputs[0];
  berth_shape_t *shape = &prepare->outputs[0];
  shape->rank = 0;
  *out_count = 1;
  for (int32_t i = 0; i < pads->rank; ++i) {
    int64_t size = input->dims[i];
    if (__builtin_add_overflow(size, pads->before[i], &size) ||
        __builtin_add_overflow(size, pads->after[i], &size)) {
      size = INT64_MAX;  // Refused as too large.
    }
    BERTH_TRY(berth_shape_push(shape, out_count, size, err));
  }
  return berth_value_check_size(berth_shape_dims(shape), *out_count,
                                input->dtype, err);
}

// ---- Moves ----

// A plan under construction.
typedef struct work {
  berth_prepare_t *prepare;
  const pads_t *pads;
  berth_moves_t *moves;
  int64_t in_steps[PAD_MAX_RANK], out_steps[PAD_MAX_RANK];
  int64_t total_bytes;
} work_t;

static berth_code_t work_begin(work_t *work, berth_prepare_t *prepare,
                               const pads_t *pads, int64_t count, int parts,
                               berth_error_t *err) {
  *work = (work_t){.prepare = prepare, .pads = pads};
  work->moves = berth_moves_begin(prepare, parts);
  if (work->moves == NULL) return berth_error_no_memory(err, "a plan");
  berth_move_steps(berth_shape_dims(&prepare->outputs[0]), work->out_steps);
  if (prepare->inputs[0].count > 0) {
    berth_move_steps(berth_prepare_input_dims(prepare, 0), work->in_steps);
  }
  work->total_bytes =
      count * (int64_t)berth_dtype_size(prepare->inputs[0].dtype);
  return BERTH_OK;
}

// Adds a part from input |from|, unless it has no elements.
static berth_code_t part_add(work_t *work, berth_move_spec_t *spec, int from,
                             berth_error_t *err) {
  for (int32_t i = 0; i < spec->rank; ++i) {
    if (spec->dims[i] == 0) return BERTH_OK;
  }
  return berth_moves_add(work->prepare, work->moves, spec,
                         work->prepare->inputs[0].dtype, from,
                         work->prepare->input_count, work->total_bytes, err);
}

// Puts dimension |i| of a part |offset| indices into the output, |size| of
// them.
static void level_set(const work_t *work, berth_move_spec_t *spec, int32_t i,
                      int64_t size, int64_t offset) {
  spec->dims[i] = size;
  spec->to_steps[i] = work->out_steps[i];
  spec->to_offset += offset * work->out_steps[i];
}

static berth_code_t input_add(work_t *work, berth_error_t *err) {
  berth_move_spec_t spec;
  spec.rank = work->pads->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < spec.rank; ++i) {
    level_set(work, &spec, i, work->prepare->inputs[0].dims[i],
              work->pads->before[i]);
    spec.from_steps[i] = work->in_steps[i];
  }
  return part_add(work, &spec, 0, err);
}

// Adds the slab of dimension |d| before or after the input: the constant again
// and again.
static berth_code_t slab_add(work_t *work, int32_t d, bool is_after,
                             berth_error_t *err) {
  const berth_kernel_input_t *input = &work->prepare->inputs[0];
  const pads_t *pads = work->pads;
  berth_move_spec_t spec;
  spec.rank = pads->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < spec.rank; ++i) {
    spec.from_steps[i] = 0;
    if (i < d) {
      level_set(work, &spec, i, input->dims[i], pads->before[i]);
    } else if (i > d) {
      level_set(work, &spec, i, work->prepare->outputs[0].dims[i], 0);
    } else if (is_after) {
      level_set(work, &spec, i, pads->after[i],
                pads->before[i] + input->dims[i]);
    } else {
      level_set(work, &spec, i, pads->before[i], 0);
    }
  }
  return part_add(work, &spec, 2, err);
}

// ---- Pad, PadV2 ----

typedef struct zero_plan {
  size_t bytes;  // Of the output.
  berth_run_fn run;
  const void *moves;
} zero_plan_t;

static berth_code_t run_zeros(const void *arg, void *const *args,
                              berth_call_t *call) {
  const zero_plan_t *plan = arg;
  memset(args[2], 0, plan->bytes);
  return plan->run(plan->moves, args, call);
}

// Makes zeros come before the moves. Strings are empty at first.
static berth_code_t zeros_first(berth_prepare_t *prepare, const work_t *work,
                                berth_error_t *err) {
  if (prepare->inputs[0].dtype == BERTH_STRING) return BERTH_OK;
  berth_run_fn run = prepare->run;
  const void *moves = prepare->plan;
  zero_plan_t *plan = berth_prepare_plan(prepare, sizeof(*plan));
  if (plan == NULL) return berth_error_no_memory(err, "a plan");
  *plan = (zero_plan_t){(size_t)work->total_bytes, run, moves};
  prepare->run = run_zeros;
  return BERTH_OK;
}

static berth_code_t plan_pad(berth_prepare_t *prepare, const pads_t *pads,
                             int64_t count, berth_error_t *err) {
  // Whoever only hears of moves fills in their own way.
  bool has_value = prepare->input_count > 2 && prepare->moves == NULL;
  work_t work;
  BERTH_TRY(work_begin(&work, prepare, pads, count, 2 * pads->rank + 1, err));
  for (int32_t d = 0; has_value && d < pads->rank; ++d) {
    BERTH_TRY(slab_add(&work, d, false, err));
    BERTH_TRY(slab_add(&work, d, true, err));
  }
  BERTH_TRY(input_add(&work, err));
  berth_moves_end(prepare, work.moves);
  return has_value ? BERTH_OK : zeros_first(prepare, &work, err);
}

static berth_code_t prepare_pad(berth_prepare_t *prepare, berth_error_t *err) {
  pads_t pads = {.rank = prepare->inputs[0].rank};
  int64_t count = 0;
  BERTH_TRY(check_paddings(prepare, PAD_MAX_RANK, " ", err));
  BERTH_TRY(check_constant(prepare, err));
  for (int32_t i = 0; i < pads.rank; ++i) {
    BERTH_TRY(read_pads(prepare, i, "Paddings", &pads, err));
  }
  BERTH_TRY(set_shape(prepare, &pads, &count, err));
  if (count == 0) return berth_moves_none(prepare, err);
  if (count == prepare->inputs[0].count) {
    prepare->alias = 0;
    return BERTH_OK;
  }
  return plan_pad(prepare, &pads, count, err);
}

// ---- MirrorPad ----

// Checks that there is enough to mirror in dimension |i|. A reflection leaves
// out the outermost element.
static berth_code_t check_mirror(const berth_prepare_t *prepare, int32_t i,
                                 const pads_t *pads, bool reflects,
                                 berth_error_t *err) {
  int64_t dim = prepare->inputs[0].dims[i];
  int64_t most = reflects ? dim - 1 : dim;
  if (pads->before[i] <= most && pads->after[i] <= most) return BERTH_OK;
  return berth_error_set(
      err, BERTH_INVALID_ARGUMENT,
      reflects ? "paddings must be less than the dimension size: %lld, %lld "
                 "not less than %lld"
               : "paddings must be no greater than the dimension size: %lld, "
                 "%lld greater than %lld",
      (long long)pads->before[i], (long long)pads->after[i], (long long)dim);
}

// Adds the part that is, in each dimension, before the input (digit 0 of
// |which| to the base of 3), the input itself (1) or after it (2).
static berth_code_t mirror_add(work_t *work, int which, bool reflects,
                               berth_error_t *err) {
  const pads_t *pads = work->pads;
  berth_move_spec_t spec;
  spec.rank = pads->rank;
  spec.from_offset = spec.to_offset = 0;
  for (int32_t i = 0; i < spec.rank; ++i, which /= 3) {
    int64_t dim = work->prepare->inputs[0].dims[i], step = work->in_steps[i];
    int64_t before = pads->before[i];
    if (which % 3 == 1) {
      level_set(work, &spec, i, dim, before);
      spec.from_steps[i] = step;
    } else if (which % 3 == 0) {
      level_set(work, &spec, i, before, 0);
      spec.from_steps[i] = -step;
      spec.from_offset += (reflects ? before : before - 1) * step;
    } else {
      level_set(work, &spec, i, pads->after[i], before + dim);
      spec.from_steps[i] = -step;
      spec.from_offset += (reflects ? dim - 2 : dim - 1) * step;
    }
  }
  return part_add(work, &spec, 0, err);
}

static berth_code_t plan_mirror(berth_prepare_t *prepare, const pads_t *pads,
                                int64_t count, bool reflects,
                                berth_error_t *err) {
  int parts = 1;
  work_t work;
  for (int32_t i = 0; i < pads->rank; ++i) parts *= 3;
  BERTH_TRY(work_begin(&work, prepare, pads, count, parts, err));
  for (int which = 0; which < parts; ++which) {
    BERTH_TRY(mirror_add(&work, which, reflects, err));
  }
  berth_moves_end(prepare, work.moves);
  return BERTH_OK;
}

static berth_code_t prepare_mirror(berth_prepare_t *prepare,
                                   berth_error_t *err) {
  pads_t pads = {.rank = prepare->inputs[0].rank};
  const char *mode = berth_node_attr_string(prepare->node, "mode", "REFLECT");
  bool reflects = strcmp(mode, "REFLECT") == 0;
  int64_t count = 0;
  BERTH_TRY(check_paddings(prepare, MIRROR_MAX_RANK, ", ", err));
  for (int32_t i = 0; i < pads.rank; ++i) {
    BERTH_TRY(read_pads(prepare, i, "paddings", &pads, err));
    BERTH_TRY(check_mirror(prepare, i, &pads, reflects, err));
  }
  BERTH_TRY(set_shape(prepare, &pads, &count, err));
  if (count == 0) return berth_moves_none(prepare, err);
  if (count == prepare->inputs[0].count) {
    prepare->alias = 0;
    return BERTH_OK;
  }
  return plan_mirror(prepare, &pads, count, reflects, err);
}

#define TYPES                                                    \
  (BERTH_TYPES_BASIC | BERTH_TYPE(STRING) | BERTH_TYPE(QINT32) | \
   BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8))
#define PAD(name, function)                                                \
  {                                                                        \
    .op = name, .types = {{"T", TYPES}, {"Tpaddings", BERTH_TYPES_INDEX}}, \
    .prepare = function, .value_inputs = 2                                 \
  }

const berth_kernel_t berth_cpu_pad_kernels[] = {
    PAD("Pad", prepare_pad),
    PAD("PadV2", prepare_pad),
    PAD("MirrorPad", prepare_mirror),
};
const int berth_cpu_pad_kernel_count = BERTH_COUNT_OF(berth_cpu_pad_kernels);
