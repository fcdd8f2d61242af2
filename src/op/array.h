// array.h - Ops on arrays that only move elements.
//
// Each function checks its op, sets the outputs and describes the work as moves
// (op/move.h). All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words,
// BERTH_UNIMPLEMENTED for what TensorFlow does not do either, and
// BERTH_RESOURCE_EXHAUSTED. Where an output is an input in another shape they
// set the op's alias and give no moves.
#ifndef BERTH_OP_ARRAY_H_
#define BERTH_OP_ARRAY_H_

#include "op/move.h"
#include "op/value.h"

// Declares a family of moves: berth_op_<name>(), a berth_moves_fn.
#define BERTH_OP_MOVES(name)                    \
  BERTH_NODISCARD berth_code_t berth_op_##name( \
      berth_case_t *op, berth_moves_t *out_moves, berth_error_t *err)

// concat.c: the axis first, the axis last, a new axis.
BERTH_OP_MOVES(concat);
BERTH_OP_MOVES(concat_v2);
BERTH_OP_MOVES(pack);
BERTH_OP_MOVES(parallel_concat);

// split.c.
BERTH_OP_MOVES(split);
BERTH_OP_MOVES(split_v);
BERTH_OP_MOVES(unpack);

// slice.c.
BERTH_OP_MOVES(slice);
BERTH_OP_MOVES(strided_slice);
BERTH_OP_MOVES(strided_slice_update);
BERTH_OP_MOVES(reverse);

// tile.c.
BERTH_OP_MOVES(tile);
BERTH_OP_MOVES(fill);
BERTH_OP_MOVES(broadcast_to);

// transpose.c.
BERTH_OP_MOVES(transpose);

// diag.c.
BERTH_OP_MOVES(diag_part);

// turn.c.
BERTH_OP_MOVES(roll);
BERTH_OP_MOVES(reverse_sequence);

// blocks.c.
BERTH_OP_MOVES(space_to_depth);
BERTH_OP_MOVES(depth_to_space);

// pad.c.
BERTH_OP_MOVES(mirror_pad);

// What Pad and PadV2 do. |around| repeats input 2 in all places that |inside|
// leaves; it is empty for Pad, whose places are zero.
typedef struct berth_pad {
  berth_moves_t inside;
  berth_moves_t around;
} berth_pad_t;

// Checks |op|, a Pad or PadV2, sets its output and describes the work in
// |*out_pad|, which must not be copied. No moves, and no alias: the output has
// no elements, or zeros alone.
BERTH_NODISCARD berth_code_t berth_op_pad(berth_case_t *op,
                                          berth_pad_t *out_pad,
                                          berth_error_t *err);

// strided_slice.c: StridedSliceGrad, in the same way. The gradient of the slice
// is input 4; all other places are zero.
BERTH_NODISCARD berth_code_t berth_op_strided_slice_grad(berth_case_t *op,
                                                         berth_pad_t *out_pad,
                                                         berth_error_t *err);

// strided_slice.c: what StridedSliceAssign and ResourceStridedSliceAssign do to
// a variable, whose shape is known when they run.
typedef struct berth_slice_assign {
  const berth_node_t *node;      // Borrowed; outlives this.
  bool is_ref;                   // The variable is a reference, given on.
  berth_case_input_t inputs[5];  // As the op's; all is in its arena.
} berth_slice_assign_t;

// Checks |op|, sets its output, if it has one, and describes the work.
BERTH_NODISCARD berth_code_t berth_op_slice_assign(
    berth_case_t *op, berth_slice_assign_t *out_assign, berth_error_t *err);

// Checks that |assign| can be done to a variable of |dims| and stores how input
// 4 is moved into it. A dimension of the move may be 0: there is no work.
BERTH_NODISCARD berth_code_t
berth_slice_assign_move(const berth_slice_assign_t *assign, berth_dims_t dims,
                        berth_move_spec_t *out_move, berth_error_t *err);

// mirror_grad.c: what MirrorPadGrad does. Each element of the output is the sum
// of those of the input that it was copied to: in each dimension the one
// |before| indices on, and the ones where the edges mirror it.
enum { BERTH_MIRROR_MAX_RANK = 5 };

typedef struct berth_mirror {
  berth_dtype_t dtype;
  int64_t count;  // Of the output.
  int32_t rank;
  bool reflects;  // The outermost element is not mirrored.
  int64_t before[BERTH_MIRROR_MAX_RANK], after[BERTH_MIRROR_MAX_RANK];
  int64_t sizes[BERTH_MIRROR_MAX_RANK];     // Of the output.
  int64_t in_steps[BERTH_MIRROR_MAX_RANK];  // Of the input, in elements.
} berth_mirror_t;

// Checks |op|, sets its output and describes the work in |*out_mirror|. Where
// nothing was added the output is the input.
BERTH_NODISCARD berth_code_t berth_op_mirror_pad_grad(
    berth_case_t *op, berth_mirror_t *out_mirror, berth_error_t *err);

#endif  // BERTH_OP_ARRAY_H_
