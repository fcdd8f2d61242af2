// case.h - An op in one case: a node, and the shapes of what it gets.
//
// What an op means is the same on every device: which inputs it takes, what it
// says when they are wrong, the shapes of what it gives, the work there is to
// do. A family of ops says that once, in a function of its own:
//
//   berth_code_t berth_op_matmul(berth_case_t *op, berth_product_t *out_product,
//                                berth_error_t *err);
//
//   op           the node and the shapes of its inputs   in
//   op->outputs  shapes, alias, what may be overwritten   out
//   description  a plain struct that says the work        out
//
// A kernel calls it first, checks nothing again, and turns the description
// into code for its device. A description never says how: no addresses, no
// threads, no types of registers.
//
// What a family may rely on: the node was checked when it was built, so inputs
// have the types, and attributes the values, that the op's schema allows. What
// it has to check is shapes and values. It fails with BERTH_INVALID_ARGUMENT,
// or the code that TensorFlow has, and TensorFlow's text, without the node's
// name, which the executor adds; with BERTH_RESOURCE_EXHAUSTED when |arena| is
// out of memory; and then has changed nothing that anybody looks at.
//
// Threads: the caller serialises; one berth_case_t belongs to one prepare.
#ifndef BERTH_OP_CASE_H_
#define BERTH_OP_CASE_H_

#include "base/arena.h"
#include "base/error.h"
#include "graph/graph.h"
#include "tensor/shape.h"

// An input as a family sees it.
typedef struct berth_case_input {
  berth_dtype_t dtype;  // Without reference.
  int32_t rank;
  const int64_t *dims;  // All known.
  int64_t count;        // Elements; the product of |dims|.
  // Its contents, in host memory, for inputs that the op reads (ops.def); for
  // others where they are known anyway, else NULL. Borrowed for the prepare:
  // a description copies what it needs. May be NULL without elements.
  const void *value;
  // |value| stays where it is, and what it is, as long as the plan lives.
  bool is_fixed;
} berth_case_input_t;

// One op and what it gets and gives. Everything is the caller's; the family
// fills in what stands below the line.
typedef struct berth_case {
  const berth_node_t *node;  // Lives as long as plans do.
  int input_count;
  int output_count;
  const berth_case_input_t *inputs;  // For the prepare alone.
  berth_arena_t *arena;  // Where descriptions live; kernels keep plans there.

  // Filled in by the family. |outputs| has room for output_count shapes. A rank
  // of -1 says that the shape is known only when the step has run; allowed for
  // ops that make their outputs.
  berth_shape_t *outputs;
  // Output 0 is input |alias| in another shape: there is no work. -1: no.
  int8_t alias;
  // The outputs lie in input |part_of| as they are, one behind the other from
  // byte |part_at| on: who can hand on parts of a tensor has no work, either.
  bool is_part;
  int8_t part_of;
  int64_t part_at;
  // Inputs whose memory output 0 may take over: same size, and each element is
  // read before it is written. Kernels clear what is not so for them.
  uint32_t may_overwrite;
} berth_case_t;

// Returns the shape of input |index|. Borrowed for the prepare.
static inline berth_dims_t berth_case_input_dims(const berth_case_t *op,
                                                 int index) {
  const berth_case_input_t *input = &op->inputs[index];
  return (berth_dims_t){input->rank, input->dims};
}

// Returns the shape of output |index|, once the family has said it.
static inline berth_dims_t berth_case_output_dims(const berth_case_t *op,
                                                  int index) {
  return berth_shape_dims(&op->outputs[index]);
}

// Sets output |index| to a copy of |dims|, of at most BERTH_MAX_RANK.
static inline void berth_case_output(berth_case_t *op, int index,
                                     berth_dims_t dims) {
  berth_shape_set(&op->outputs[index], dims);
}

// Returns what is wrong with what a family has filled in |op| for an op of
// |traits|, or NULL: outputs without a shape, an alias or an input to be
// overwritten that is of another size. For assertions.
const char *berth_case_check(const berth_case_t *op, uint32_t traits);

#endif  // BERTH_OP_CASE_H_
