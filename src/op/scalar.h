// scalar.h - The scalar functions that elementwise ops are made of.
//
// What each computes stands in unary_list.inc and binary_list.inc, as an
// expression per class of types, from which every backend makes its code. Here
// are their numbers.
//
// Pure functions.
#ifndef BERTH_OP_SCALAR_H_
#define BERTH_OP_SCALAR_H_

#include <stdbool.h>

// BERTH_UNARY_NEG …
typedef enum berth_unary_op {
#define UNARY(NAME, ...) BERTH_UNARY_##NAME,
#include "op/unary_list.inc"
  BERTH_UNARY_COUNT
} berth_unary_op_t;

// BERTH_BINARY_ADD …
typedef enum berth_binary_op {
#define BINARY(NAME, ...) BERTH_BINARY_##NAME,
#include "op/binary_list.inc"
  BERTH_BINARY_COUNT
} berth_binary_op_t;

// Say whether a bool comes out, whatever the type of what goes in.
bool berth_unary_asks(berth_unary_op_t op);
bool berth_binary_asks(berth_binary_op_t op);

#endif  // BERTH_OP_SCALAR_H_
