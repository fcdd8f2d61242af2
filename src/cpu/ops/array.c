// array.c - Kernels that only move elements.
#include "op/array.h"
#include "cpu/kernels.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/move.h"

// Defines prepare_<name>(), which plans the moves of berth_op_<name>().
#define MOVES(name)                                            \
  static berth_code_t prepare_##name(berth_prepare_t *prepare, \
                                     berth_error_t *err) {     \
    berth_moves_t moves;                                       \
    BERTH_TRY(berth_op_##name(&prepare->op, &moves, err));     \
    return berth_cpu_moves_plan(prepare, &moves, err);         \
  }

MOVES(broadcast_to)
MOVES(concat)
MOVES(concat_v2)
MOVES(depth_to_space)
MOVES(diag_part)
MOVES(fill)
MOVES(mirror_pad)
MOVES(pack)
MOVES(parallel_concat)
MOVES(reverse)
MOVES(reverse_sequence)
MOVES(roll)
MOVES(space_to_depth)
MOVES(split)
MOVES(split_v)
MOVES(strided_slice)
MOVES(strided_slice_update)
MOVES(tile)
MOVES(transpose)
MOVES(unpack)

// Says which part of a matrix of floats a slice of |moves| is, so that a product
// before it makes nothing else.
static berth_code_t set_window(berth_prepare_t *prepare,
                               const berth_moves_t *moves, berth_error_t *err) {
  const berth_case_input_t *from = &prepare->op.inputs[0];
  if (from->dtype != BERTH_FLOAT || from->rank != 2 || moves->count != 1) {
    return BERTH_OK;
  }
  berth_dims_t dims = berth_case_output_dims(&prepare->op, 0);
  berth_cutout_t *window =
      berth_arena_alloc(prepare->op.arena, sizeof(*window));
  if (window == NULL) return berth_error_no_memory(err, "a plan");
  int64_t first = moves->first->from_offset, cols = from->dims[1];
  *window =
      (berth_cutout_t){first / cols, first % cols, dims.dims[0], dims.dims[1]};
  berth_cpu_term_t *term = NULL;
  BERTH_TRY(berth_cpu_head(prepare, 0, sizeof(float), &term, err));
  term->term.fed = 1;
  term->term.needs_feed = true;
  term->window = window;
  return BERTH_OK;
}

static berth_code_t prepare_slice(berth_prepare_t *prepare,
                                  berth_error_t *err) {
  berth_moves_t moves;
  BERTH_TRY(berth_op_slice(&prepare->op, &moves, err));
  BERTH_TRY(berth_cpu_moves_plan(prepare, &moves, err));
  return set_window(prepare, &moves, err);
}

#define ANY (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_OBJECT)
#define CONCAT                                                      \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_QUANTIZED | \
   BERTH_TYPE(STRING))
#define DIAG ((BERTH_TYPES_INEXACT & ~BERTH_TYPE(BFLOAT16)) | BERTH_TYPES_INDEX)
#define FILL                                                      \
  (BERTH_TYPES_BASIC | BERTH_TYPES_QUANTIZED | BERTH_TYPES_INT4 | \
   BERTH_TYPES_OBJECT)
#define PAD                                                      \
  (BERTH_TYPES_BASIC | BERTH_TYPE(STRING) | BERTH_TYPE(QINT32) | \
   BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8))
#define SLICE                                                    \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPE(QINT32) | \
   BERTH_TYPE(QINT8) | BERTH_TYPE(QUINT8) | BERTH_TYPE(STRING))
#define SPLIT                                                  \
  (BERTH_TYPES_BASIC | BERTH_TYPES_FLOAT8 | BERTH_TYPES_INT4 | \
   BERTH_TYPE(QUINT8) | BERTH_TYPES_OBJECT)

const berth_kernel_t berth_cpu_array_kernels[] = {
    {.op = "BroadcastTo",
     .types = {{"T", ANY}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_broadcast_to},
    {.op = "Concat", .types = {{"T", CONCAT}}, .prepare = prepare_concat},
    {.op = "ConcatV2",
     .types = {{"T", CONCAT}, {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_concat_v2},
    {.op = "DepthToSpace",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT}},
     .prepare = prepare_depth_to_space},
    {.op = "DiagPart", .types = {{"T", DIAG}}, .prepare = prepare_diag_part},
    {.op = "Fill",
     .types = {{"T", FILL}, {"index_type", BERTH_TYPES_INDEX}},
     .prepare = prepare_fill},
    {.op = "MirrorPad",
     .types = {{"T", PAD}, {"Tpaddings", BERTH_TYPES_INDEX}},
     .prepare = prepare_mirror_pad},
    {.op = "Pack",
     .types = {{"T", CONCAT | BERTH_TYPES_OBJECT}},
     .prepare = prepare_pack},
    {.op = "ParallelConcat",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_parallel_concat},
    {.op = "Reverse",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)}},
     .prepare = prepare_reverse},
    {.op = "ReverseSequence",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)},
               {"Tlen", BERTH_TYPES_INDEX}},
     .prepare = prepare_reverse_sequence},
    {.op = "Roll",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT},
               {"Tshift", BERTH_TYPES_INDEX}},
     .prepare = prepare_roll},
    {.op = "SpaceToDepth",
     .types = {{"T",
                BERTH_TYPES_BASIC | BERTH_TYPES_OBJECT | BERTH_TYPE(QINT8)}},
     .prepare = prepare_space_to_depth},
    {.op = "ReverseV2",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)},
               {"Tidx", BERTH_TYPES_INDEX}},
     .prepare = prepare_reverse},
    {.op = "Slice",
     .types = {{"T", SLICE}, {"Index", BERTH_TYPES_INDEX}},
     .prepare = prepare_slice},
    {.op = "Split", .types = {{"T", SPLIT}}, .prepare = prepare_split},
    {.op = "SplitV",
     .types = {{"T", SPLIT}, {"Tlen", BERTH_TYPES_INDEX | BERTH_TYPE(INT8)}},
     .prepare = prepare_split_v},
    {.op = "StridedSlice",
     .types = {{"T", SLICE | BERTH_TYPES_OBJECT},
               {"Index", BERTH_TYPES_INDEX | BERTH_TYPE(INT16)}},
     .prepare = prepare_strided_slice},
    {.op = "TensorStridedSliceUpdate",
     .types = {{"T", BERTH_TYPES_BASIC | BERTH_TYPE(STRING)},
               {"Index", BERTH_TYPES_INDEX}},
     .prepare = prepare_strided_slice_update},
    {.op = "Tile",
     .types = {{"Tmultiples", BERTH_TYPES_INDEX}},
     .prepare = prepare_tile},
    {.op = "Transpose",
     .types = {{"T", ANY}, {"Tperm", BERTH_TYPES_INDEX}},
     .prepare = prepare_transpose},
    {.op = "Unpack", .types = {{"T", ANY}}, .prepare = prepare_unpack},
    {.op = NULL},
};
