// op_bytes.h - Schemas kept as bytes until they are asked for.
//
// TensorFlow has 1,619 ops, of which a process needs few. opgen writes them as
// bytes, which cost no relocation when the library is loaded, and the first to
// ask for an op turns its bytes into a schema, in room that is set aside for it:
//
//   berth_op_slots --> berth_op_places --> berth_op_bytes
//      by name            where one is        numbers, mostly of one byte
//                                                 |        |        |
//                               berth_op_texts <--+        |        +--> sets
//                               offsets of names           +--> values,
//                                                          functions, constant
//
// An op is the numbers below. A number takes seven bits of each byte, the least
// first; all but its last byte have the eighth. "text" is an offset.
//
//   text of the name, flags (BERTH_BYTES_STATEFUL ...), how many inputs,
//   outputs, attributes and registrations; then, as many times as there are:
//   argument      text, marks (BERTH_BYTES_TYPE_ATTR ...), the type or the
//                 index of an attribute; with NUMBER the index of another
//   attribute     text, kind, marks; with MINIMUM it, with DEFAULT the index of
//                 a value, with ALLOWED that of a set
//   registration  device, marks, how many constraints, each the index of an
//                 attribute and of a set; with HOST the bits of the inputs and
//                 outputs in host memory; with RANK the priority and the label
//   with BERTH_BYTES_REMOVED the version and the text
//   with BERTH_BYTES_RULE the text of the rule of its shapes
//   with BERTH_BYTES_WORK what the schema of an op of ops.def has besides:
//   traits, value_inputs, keep_inputs, flow, owns, and the number of its shape
//   function from 1, or 0
//
// Threads: thread-safe; a schema never changes once it is handed out.
#ifndef BERTH_GRAPH_OP_BYTES_H_
#define BERTH_GRAPH_OP_BYTES_H_

enum {
  // Of an op.
  BERTH_BYTES_STATEFUL = 1,
  BERTH_BYTES_AGGREGATE = 2,
  BERTH_BYTES_COMMUTATIVE = 4,
  BERTH_BYTES_UNINITIALIZED = 8,
  BERTH_BYTES_DISTRIBUTED = 16,
  BERTH_BYTES_REMOVED = 32,
  BERTH_BYTES_RULE = 64,
  BERTH_BYTES_WORK = 128,
  // Of an argument.
  BERTH_BYTES_TYPE_ATTR = 1,
  BERTH_BYTES_LIST_ATTR = 2,
  BERTH_BYTES_NUMBER = 4,
  BERTH_BYTES_REF = 8,
  // Of an attribute.
  BERTH_BYTES_MINIMUM = 1,
  BERTH_BYTES_DEFAULT = 2,
  BERTH_BYTES_ALLOWED = 4,
  // Of a registration.
  BERTH_BYTES_HOST = 1,
  BERTH_BYTES_RANK = 2,
};

#endif  // BERTH_GRAPH_OP_BYTES_H_
