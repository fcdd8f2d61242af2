// schema.h - Op schemas: what an op takes, gives and is called.
//
// The one source of truth is ops.def beside this file, a table that people
// edit; tools/opgen.c turns it into C at build time (constant data, no start-up
// cost), into the typed builders of berth/ops.h, and into docs. What TensorFlow
// registers for each device type stands in the same table, apart from the
// kernels that Berth has: placement must agree with TensorFlow whether or not a
// kernel is built in.
//
// Everything here is constant and may be read from any thread.
#ifndef BERTH_GRAPH_SCHEMA_H_
#define BERTH_GRAPH_SCHEMA_H_

#include "base/error.h"
#include "base/str.h"
#include "graph/attr.h"
#include "tensor/dtype.h"

// One input or output of an op. Exactly one of these says its type:
//   |type|            fixed (not BERTH_INVALID)
//   |type_attr| >= 0  the attribute that holds it
//   |list_attr| >= 0  the list(type) attribute: several values, types apart
// and |number_attr| >= 0 the attribute that counts values of one type.
typedef struct berth_arg_schema {
  const char *name;
  berth_dtype_t type;
  int16_t type_attr;  // Index into the op's attributes, or -1.
  int16_t list_attr;
  int16_t number_attr;
  bool is_ref;
} berth_arg_schema_t;

typedef struct berth_attr_schema {
  const char *name;
  berth_attr_kind_t kind;
  bool has_minimum;
  int64_t minimum;  // Of an int, or of the length of a list.
  const berth_attr_value_t *default_value;  // NULL: must be given.
  berth_dtype_set_t allowed_types;          // 0: any.
  const char *const *allowed_strings;       // NULL-terminated; NULL: any.
  // The order in which messages list the allowed types.
  const uint8_t *allowed_order;
  int16_t allowed_count;
} berth_attr_schema_t;

// What an attribute must be for a registration to match.
typedef struct berth_constraint {
  int16_t attr;              // Index into the op's attributes.
  berth_dtype_set_t types;   // Of every element, when it is a list.
  const char *const *texts;  // For a string: NULL-terminated; else NULL.
} berth_constraint_t;

typedef enum berth_registered_for {
  BERTH_FOR_CPU = 0,
  BERTH_FOR_GPU = 1,
  BERTH_FOR_DEFAULT = 2  // Any type without a registration of its own.
} berth_registered_for_t;

// One or more kernels that TensorFlow registers; several lines of its list that
// differ in the types only are one entry here.
typedef struct berth_registration {
  berth_registered_for_t device;
  int16_t constraint_count;
  int16_t priority;
  const berth_constraint_t *constraints;  // All must hold.
  const char *label;                      // "" almost always.
  uint32_t host_inputs;  // Bit per argument (not per value) in host memory.
  uint32_t host_outputs;
} berth_registration_t;

typedef struct berth_shape_context berth_shape_context_t;

typedef struct berth_op_schema {
  const char *name;
  const berth_arg_schema_t *inputs;
  const berth_arg_schema_t *outputs;
  const berth_attr_schema_t *attrs;
  const berth_registration_t *registrations;
  int16_t input_count;
  int16_t output_count;
  int16_t attr_count;
  int16_t registration_count;
  bool is_stateful;
  bool is_aggregate;
  bool is_commutative;
  bool allows_uninitialized_input;
  bool is_distributed;  // Talks to other processes.
  bool is_function;     // Made from a FunctionDef, not from the table.
  int16_t removed_in;   // GraphDef version from which on it is gone; 0: never.
  const char *removed_text;  // What to use instead; NULL: nothing to say.
  // Optional. Infers output shapes (graph/shape_fn.h); NULL: unknown.
  berth_code_t (*infer)(berth_shape_context_t *context, berth_error_t *err);
} berth_op_schema_t;

// Returns the schema of |name|, or NULL. A perfect-hash-like lookup; cheap.
const berth_op_schema_t *berth_schema_find(const char *name);

// All ops, sorted by name.
int berth_schema_count(void);
const berth_op_schema_t *berth_schema_at(int index);

// Returns the index of attribute |name|, or -1.
int berth_schema_attr_index(const berth_op_schema_t *schema, const char *name);

// Appends `Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[...]>`, as
// TensorFlow's messages show an op.
void berth_schema_print(const berth_op_schema_t *schema, berth_str_t *str);

#endif  // BERTH_GRAPH_SCHEMA_H_
