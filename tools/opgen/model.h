// model.h - What ops.def says, in memory.
//
// Everything lives in static storage: the generator runs for milliseconds and
// frees nothing. Texts point into the file that was read.
#ifndef BERTH_TOOLS_OPGEN_MODEL_H_
#define BERTH_TOOLS_OPGEN_MODEL_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/types.h"

enum {
  MAX_OPS = 1200,
  MAX_KNOWN = 2000,
  MAX_ARGS = 32,  // Bits in a mask of host arguments.
  MAX_ATTRS = 32,
  MAX_REGISTRATIONS = 32,
  MAX_CONSTRAINTS = 6,
  MAX_SET = 48,
  MAX_TEXTS = 12,
  MAX_VALUES = 8192,  // In defaults, all together.
  MAX_ITEMS = 8,      // Of a shape or a tensor among them.
};

// Members of a set in the order written; either types or texts.
typedef struct set {
  int count;
  bool is_text;
  uint8_t types[MAX_SET];
  const char *texts[MAX_TEXTS];
} set_t;

typedef struct arg {
  const char *name;
  const char *type_name;    // A type or an attribute; resolved below.
  const char *number_name;  // NULL: one value.
  int line;                 // Of ops.def.
  int type;                 // 0: by attribute.
  int type_attr, list_attr, number_attr;  // -1: none.
  bool is_ref;
} arg_t;

typedef enum kind {
  KIND_STRING,
  KIND_INT,
  KIND_FLOAT,
  KIND_BOOL,
  KIND_TYPE,
  KIND_SHAPE,
  KIND_TENSOR,
  KIND_FUNC,
  KIND_COUNT
} kind_t;

// One value of a default.
typedef struct value {
  const char *text;  // As written: 3, NHWC, int32, unknown; NULL: items.
  int type;          // Of a tensor.
  bool is_scalar;    // A tensor of rank 0; else items are a vector.
  int item_count;    // Dimensions, or elements.
  const char *items[MAX_ITEMS];
} value_t;

typedef struct attr {
  const char *name;
  kind_t kind;
  bool is_list;
  bool has_minimum, has_default;
  int64_t minimum;
  set_t allowed;            // Empty: any.
  const value_t *defaults;  // One, or those of a list.
  int default_count;
  bool is_inferred;  // Follows from the inputs.
} attr_t;

typedef struct registration {
  const char *device;  // "CPU", "GPU" or "DEFAULT".
  int constraint_count;
  struct {
    int attr;
    set_t set;
  } constraints[MAX_CONSTRAINTS];
  uint32_t host_inputs, host_outputs;
  int priority;
  const char *label;
} registration_t;

typedef struct op {
  const char *name;
  int input_count, output_count, attr_count, registration_count;
  arg_t inputs[MAX_ARGS], outputs[MAX_ARGS];
  attr_t attrs[MAX_ATTRS];
  registration_t registrations[MAX_REGISTRATIONS];
  bool is_stateful, is_commutative, is_aggregate, is_uninitialized;
  bool is_distributed;
  uint32_t traits;                     // BERTH_OP_*.
  uint32_t value_inputs, keep_inputs;  // As berth_op_schema_t has them.
  int owns, flow;                      // berth_owned_t, berth_flow_kind_t.
  int removed_in;
  const char *removed_text;
  const char *builder;  // NULL: from the name; "none": no builder.
  const char *shape;
  const char *grad;  // NULL: nothing said; "none": nothing to go through.
  const char *rule;  // Of shapes; only without |shape|.
} op_t;

// The ops that Berth works with, sorted by name.
extern op_t opgen_ops[MAX_OPS];
extern int opgen_op_count;

// The ops that it only knows, sorted by name.
extern op_t opgen_known[MAX_KNOWN];
extern int opgen_known_count;

// The name of each data type, by number, as ops.def writes it.
extern const char *const opgen_type_names[BERTH_DTYPE_COUNT];

// Reads |ops| into opgen_ops and |known| into opgen_known; the groups of types
// of the first are the second's too. Prints what is wrong and returns false.
bool opgen_parse(const char *ops, const char *known);

// Reads the rules of shapes at |path| into both. Prints what is wrong and
// returns false.
bool opgen_parse_rules(const char *path);

// Returns the attribute of |op| called |name|, or -1.
int opgen_find_attr(const op_t *op, const char *name);

// Writes the schemas as bytes (graph/op_bytes.h), and what they refer to.
void opgen_write_table(FILE *file);

// Write what bytes refer to by its number, unless it is there: the default of
// |attr|, the texts of |set| and the order of its types. Return the number in
// its name.
int opgen_write_value(FILE *file, const attr_t *attr);
int opgen_write_texts(FILE *file, const set_t *set);
int opgen_write_order(FILE *file, const set_t *set);

// Returns the types of |set| as bits.
uint64_t opgen_type_bits(const set_t *set);

// Writes the table of rules of gradients.
void opgen_write_gradients(FILE *file);

// Writes the header and the source of the builders.
void opgen_write_builders_header(FILE *file);
void opgen_write_builders_source(FILE *file);

#endif  // BERTH_TOOLS_OPGEN_MODEL_H_
