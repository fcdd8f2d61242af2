// schema.h - Op schemas: what an op takes, gives and is called.
//
// The one source of truth is src/op/ops.def, a table that people edit;
// tools/opgen turns it into C at build time (bytes that cost nothing at the
// start, graph/op_bytes.h), into the typed builders of berth/ops.h, and into docs. What TensorFlow
// registers for each device type stands in the same table, apart from the
// kernels that Berth has: placement must agree with TensorFlow whether or not a
// kernel is built in. All other ops of TensorFlow stand in known.def; they are
// looked up in the same way.
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
  berth_dtype_t type;   // Without BERTH_REF; BERTH_INVALID: an attribute says.
  int16_t type_attr;    // Index into the op's attributes, or -1.
  int16_t list_attr;    // As |type_attr|.
  int16_t number_attr;  // As |type_attr|.
  bool is_ref;          // Takes or gives a reference.
} berth_arg_schema_t;

// An attribute of an op: what it may be, and what it is unless told.
typedef struct berth_attr_schema {
  const char *name;
  berth_attr_kind_t kind;
  bool has_minimum;  // |minimum| counts.
  int64_t minimum;   // Of an int, or of the length of a list.
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
  const char *const *texts;  // For a type: NULL; else what a string, an int or
                             // a bool may be, NULL-terminated.
} berth_constraint_t;

// What kind of device a registration is for.
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
  int16_t priority;  // Of several kernels the highest is taken; 0 mostly.
  const berth_constraint_t *constraints;  // All must hold.
  const char *label;                      // "" almost always.
  uint32_t host_inputs;   // Bit per argument (not per value) in host memory.
  uint32_t host_outputs;  // The same of outputs.
} berth_registration_t;

typedef struct berth_shape_context berth_shape_context_t;

// What an op is, for whoever runs it. ops.def names them after "is", in lower
// case without BERTH_OP_. Kernels may add some of their own.
enum {
  // It makes its output tensors itself, and their shapes may be known only
  // then.
  BERTH_OP_MAKES = 1,
  // It may wait for something other than its inputs.
  BERTH_OP_BLOCKS = 2,
  // The result depends on more than the inputs (random numbers, time), or the
  // run does more than make outputs. Ops that are stateful imply it.
  BERTH_OP_IMPURE = 4,
  // On a device with streams: run decides anew each time what it queues, or
  // waits for the device, so that it cannot be part of a recording.
  BERTH_OP_UNRECORDED = 8,
  // It changes variables: run adds what is to happen to a commit and does
  // nothing itself. Inputs and plan stay until the commit is done or dropped;
  // there is no scratch.
  BERTH_OP_UPDATES = 16,
  // It only hands elements on, or looks at shapes: it computes with none, and
  // how a thread computes (base/float_env.h) is nothing to it.
  BERTH_OP_MOVES = 32,
  BERTH_OP_CONSTANT = 64,  // Its value is an attribute.
  BERTH_OP_FED = 128,      // It has a value only when it is fed.
  BERTH_OP_SHAPES = 256,   // It looks at the shapes of its inputs alone.
  BERTH_OP_PASSES = 512,   // Each output is an input, memory and all.
  BERTH_OP_READS = 1024,   // It hands out what a variable holds.
  BERTH_OP_ASKS = 2048,    // It takes a reference and changes nothing.
  BERTH_OP_VIEWS = 4096,   // Its output is input 0 in another shape.
  BERTH_OP_CHECKS = 8192,  // It is there to fail for some inputs.
  BERTH_OP_MEETS = 16384,  // It blocks until other steps of its run have begun.
  // Though it makes its outputs it is done at once, whatever its inputs.
  BERTH_OP_BRIEF = 32768,
  // Steps with any of these are never part of a recording.
  BERTH_OP_NEVER_RECORDED = BERTH_OP_MAKES | BERTH_OP_BLOCKS | BERTH_OP_IMPURE |
                            BERTH_OP_UNRECORDED | BERTH_OP_UPDATES,
};

// What a node of an op owns in a session.
typedef enum berth_owned {
  BERTH_OWNS_NOTHING = 0,
  BERTH_OWNS_REFERENCE,  // A variable, found by its name.
  BERTH_OWNS_HANDLE,     // A variable, found by its shared name alone.
  BERTH_OWNS_QUEUE,
  BERTH_OWNS_ACCUMULATOR,  // Sums of gradients.
  BERTH_OWNS_GENERATOR,    // A sequence of random numbers.
  BERTH_OWNS_COUNTER,      // How often it has spoken.
  BERTH_OWNS_FUNCTION      // The function that it calls.
} berth_owned_t;

// What an op does with values that may not be there. RefSwitch is a Switch
// here, and so on.
typedef enum berth_flow_kind {
  BERTH_FLOW_RUN = 0,  // It runs when all inputs are there.
  BERTH_FLOW_SWITCH,
  BERTH_FLOW_MERGE,
  BERTH_FLOW_ENTER,
  BERTH_FLOW_EXIT,
  BERTH_FLOW_NEXT,
  BERTH_FLOW_TRIGGER,  // It runs whatever is there.
  BERTH_FLOW_LOOP_COND,
  // No op's, but an executor's steps:
  BERTH_FLOW_GATE,    // Its value is settled; it may not be there.
  BERTH_FLOW_RETVAL,  // A fetch from inside a loop.
  BERTH_FLOW_BLOCK    // A straight part of the program.
} berth_flow_kind_t;

// An op, or a function of a graph. Those of the table are constant; those of
// functions live as long as their graph.
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
  // As OpDef has them; only the first changes what Berth does: a node of such
  // an op is never settled, and stays on its device.
  bool is_stateful;
  bool is_aggregate;
  bool is_commutative;
  bool allows_uninitialized_input;
  bool is_distributed;  // Talks to other processes.
  bool is_function;     // Made from a FunctionDef, not from the table.
  uint8_t flow;         // berth_flow_kind_t.
  uint8_t owns;         // berth_owned_t.
  uint32_t traits;      // BERTH_OP_*.
  // Inputs whose contents decide shapes or plans (an axis, a shape): where they
  // are not known in advance the step is prepared when it runs. Bits by value,
  // not by argument. Ask berth_op_reads_value().
  uint32_t value_inputs;
  // Inputs that are kept beyond the run (assign, enqueue). Ask
  // berth_op_keeps().
  uint32_t keep_inputs;
  int16_t removed_in;  // GraphDef version from which on it is gone; 0: never.
  const char *removed_text;  // What to use instead; NULL: nothing to say.
  // Optional. Infers output shapes (graph/shape_fn.h), called under the graph's
  // lock; NULL: unknown.
  berth_code_t (*infer)(berth_shape_context_t *context, berth_error_t *err);
  const char *shape_rule;  // What berth_infer_by_rule() follows, or NULL.
} berth_op_schema_t;

// Stands in |value_inputs| for the last input, wherever that is, and in
// |keep_inputs| for that input and all after it.
#define BERTH_OP_LAST_INPUT (UINT32_C(1) << 31)

// True when the contents of input |index| of |input_count| are read while a
// step is prepared.
static inline bool berth_op_reads_value(const berth_op_schema_t *op, int index,
                                        int input_count) {
  if (index < 31 && (op->value_inputs >> index & 1) != 0) return true;
  return index == input_count - 1 &&
         (op->value_inputs & BERTH_OP_LAST_INPUT) != 0;
}

// True when the tensor of input |index| is kept beyond the run.
static inline bool berth_op_keeps(const berth_op_schema_t *op, int index) {
  return (op->keep_inputs >> (index < 31 ? index : 31) & 1) != 0;
}

// Returns the schema of |name|, or NULL. A perfect-hash-like lookup; cheap.
const berth_op_schema_t *berth_schema_find(const char *name);

// Return how many ops there are, and op |index|, which must be below that.
// Sorted by name.
int berth_schema_count(void);
const berth_op_schema_t *berth_schema_at(int index);

// Returns a number below berth_schema_count() that no other op has, the lowest
// those of ops.def; -1 for the schema of a function.
int berth_schema_number(const berth_op_schema_t *schema);

// Returns the index of attribute |name|, or -1.
int berth_schema_attr_index(const berth_op_schema_t *schema, const char *name);

// Appends `Op<name=Neg; signature=x:T -> y:T; attr=T:type,allowed=[...]>`, as
// TensorFlow's messages show an op.
void berth_schema_print(const berth_op_schema_t *schema, berth_str_t *str);

#endif  // BERTH_GRAPH_SCHEMA_H_
