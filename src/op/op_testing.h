// op_testing.h - Asks a family of ops from a test: an op made by hand.
//
//   op_case_t given = {.op = "ConcatV2"};
//   op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 2));
//   op_case_input(&given, BERTH_FLOAT, BERTH_SHAPE(3, 5));
//   op_case_ints(&given, BERTH_SCALAR, 1);
//   op_case_output(&given, BERTH_FLOAT);
//   ASSERT_OK(berth_op_concat_v2(op_case_make(&given), &moves, &err), &err);
//   EXPECT_STR(op_case_shape(&given, 0), "[3,7]");
//   op_case_deinit(&given);
//
// No kernel, device or graph is involved: the node belongs to nothing. Inputs
// have shapes, and values where they are given some. A case may be made again;
// what the family has filled in is forgotten then.
#ifndef BERTH_OP_OP_TESTING_H_
#define BERTH_OP_OP_TESTING_H_

#include <string.h>

#include "op/case.h"

enum { OP_CASE_MAX = 16 };

typedef struct op_case {
  const char *op;
  berth_attr_t attrs[OP_CASE_MAX];
  int attr_count;
  berth_case_input_t inputs[OP_CASE_MAX];  // Dims and values are in the arena.
  int input_count;
  berth_dtype_t output_types[OP_CASE_MAX];
  int output_count;
  berth_arena_t arena;  // Descriptions too.

  // Filled in by op_case_make().
  berth_node_t node;
  berth_shape_t outputs[OP_CASE_MAX];
  berth_case_t made;
} op_case_t;

// ---- Attributes ----

static inline berth_attr_value_t *op_case_attr(op_case_t *given,
                                               const char *name,
                                               berth_attr_kind_t kind) {
  berth_attr_t *attr = &given->attrs[given->attr_count++];
  *attr = (berth_attr_t){.name = name, .value = {.kind = kind}};
  return &attr->value;
}

static inline void op_case_type(op_case_t *given, const char *name,
                                berth_dtype_t type) {
  op_case_attr(given, name, BERTH_ATTR_TYPE)->type = type;
}
static inline void op_case_int(op_case_t *given, const char *name,
                               int64_t value) {
  op_case_attr(given, name, BERTH_ATTR_INT)->i = value;
}
static inline void op_case_bool(op_case_t *given, const char *name,
                                bool value) {
  op_case_attr(given, name, BERTH_ATTR_BOOL)->b = value;
}
static inline void op_case_text(op_case_t *given, const char *name,
                                const char *text) {
  op_case_attr(given, name, BERTH_ATTR_STRING)->s =
      (berth_attr_text_t){text, strlen(text)};
}

// ---- Inputs and outputs ----

// Adds an input with a copy of |value|, which has as many elements as |dims|;
// NULL: its contents are not known.
static inline void op_case_value(op_case_t *given, berth_dtype_t dtype,
                                 berth_dims_t dims, const void *value) {
  int64_t count = berth_dims_count(dims);
  size_t size = (size_t)count * berth_dtype_size(dtype);
  const int64_t *kept = berth_arena_memdup(
      &given->arena, dims.dims, (size_t)dims.rank * sizeof(*dims.dims));
  given->inputs[given->input_count++] = (berth_case_input_t){
      .dtype = dtype,
      .rank = dims.rank,
      .dims = kept,
      .count = count,
      .value = value != NULL ? berth_arena_memdup(&given->arena, value, size)
                             : NULL};
}

// Adds an input of which the shape is known.
static inline void op_case_input(op_case_t *given, berth_dtype_t dtype,
                                 berth_dims_t dims) {
  op_case_value(given, dtype, dims, NULL);
}

// Adds an input of integers.
#define op_case_ints(given, dims, ...) \
  op_case_value(given, BERTH_INT32, dims, (const int32_t[]){__VA_ARGS__})
#define op_case_longs(given, dims, ...) \
  op_case_value(given, BERTH_INT64, dims, (const int64_t[]){__VA_ARGS__})

static inline void op_case_output(op_case_t *given, berth_dtype_t type) {
  given->output_types[given->output_count++] = type;
}

// ---- Asking ----

// Returns the op, as a prepare gives it to a family. Belongs to |given|.
static inline berth_case_t *op_case_make(op_case_t *given) {
  given->node = (berth_node_t){.input_count = given->input_count,
                               .output_count = given->output_count,
                               .attr_count = given->attr_count,
                               .op = berth_schema_find(given->op),
                               .name = given->op,
                               .device = "",
                               .attrs = given->attrs,
                               .output_types = given->output_types};
  for (int i = 0; i < given->output_count; ++i) given->outputs[i].rank = -1;
  given->made = (berth_case_t){.node = &given->node,
                               .input_count = given->input_count,
                               .output_count = given->output_count,
                               .inputs = given->inputs,
                               .arena = &given->arena,
                               .outputs = given->outputs,
                               .alias = -1};
  return &given->made;
}

// Returns the shape of output |index| as text, "[2,3]"; "?" where the family
// has not said it. Valid until the next call.
static inline const char *op_case_shape(const op_case_t *given, int index) {
  static char text[BERTH_DIMS_TEXT];
  if (given->outputs[index].rank < 0) return "?";
  return berth_dims_text(berth_shape_dims(&given->outputs[index]), text);
}

static inline void op_case_deinit(op_case_t *given) {
  berth_arena_clear(&given->arena);
  *given = (op_case_t){0};
}

#endif  // BERTH_OP_OP_TESTING_H_
