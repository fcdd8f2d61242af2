// alias.h - Ops that hand on what they are given, in another shape or none, and
// those that give what was written into them.
//
// Most have no work: output 0 is input 0, which they say in the op's alias. All
// fail with BERTH_INVALID_ARGUMENT in TensorFlow's words.
#ifndef BERTH_OP_ALIAS_H_
#define BERTH_OP_ALIAS_H_

#include "op/case.h"
#include "tensor/tensor.h"

// Declares berth_op_<name>(), which checks its op, sets the outputs and, but
// for IdentityN, the alias.
#define BERTH_OP_ALIAS(name)                                     \
  BERTH_NODISCARD berth_code_t berth_op_##name(berth_case_t *op, \
                                               berth_error_t *err)

// alias.c: Identity, StopGradient and all else that changes nothing. The
// outputs of IdentityN are its inputs, in order; one alias cannot say that.
BERTH_OP_ALIAS(identity);
BERTH_OP_ALIAS(identity_n);

// reshape.c.
BERTH_OP_ALIAS(reshape);
BERTH_OP_ALIAS(expand_dims);
BERTH_OP_ALIAS(squeeze);

// alias.c: EnsureShape, which fails for a shape that is not the promised one.
BERTH_OP_ALIAS(ensure_shape);

// reshape.c: Bitcast: the same bytes as another type, in a dimension more or
// less where elements are of another size. No alias.
BERTH_OP_ALIAS(bitcast);

// Stores the value of a Const, borrowed from its node.
BERTH_NODISCARD berth_code_t berth_op_const(berth_case_t *op,
                                            const berth_tensor_t **out_value,
                                            berth_error_t *err);

// A placeholder has no shape until it is fed: one that runs was not.
BERTH_OP_ALIAS(placeholder);

// Says that the placeholder |node| was not fed. Returns
// BERTH_INVALID_ARGUMENT.
BERTH_NODISCARD berth_code_t berth_placeholder_fail(const berth_node_t *node,
                                                    berth_error_t *err);

#endif  // BERTH_OP_ALIAS_H_
