// known.h - Ops that are only known: schemas kept as bytes until asked for.
//
// TensorFlow has over a thousand ops that Berth neither computes nor builds by
// a function of their own, but that graphs may hold. A process needs few of
// them, if any, so opgen writes those of known.def as bytes, which cost no
// relocation when the library is loaded, and the first to ask for an op turns
// its bytes into a schema like all others, in room that is set aside for it:
//
//   berth_known_slots --> berth_known_at --> berth_known_bytes
//      by name              where one is        numbers, mostly of one byte
//                                                 |        |        |
//                            berth_known_texts <--+        |        +--> sets
//                            offsets of names              +--> values,
//                            constant
//
// An op is the numbers below. A number takes seven bits of each byte, the least
// first; all but its last byte have the eighth. "text" is an offset.
//
//   text of the name, flags (BERTH_KNOWN_STATEFUL ...), how many inputs,
//   outputs, attributes and registrations; then, as many times as there are:
//   argument      text, marks (BERTH_KNOWN_TYPE_ATTR ...), the type or the
//   index
//                 of an attribute; with NUMBER the index of another
//   attribute     text, kind, marks; with MINIMUM it, with DEFAULT the index of
//   a
//                 value, with ALLOWED that of a set
//   registration  device, marks, how many constraints, each the index of an
//                 attribute and of a set; with HOST the bits of the inputs and
//                 outputs in host memory; with RANK the priority and the label
//   with BERTH_KNOWN_REMOVED the version and the text
//   with BERTH_KNOWN_RULE the text of the rule of its shapes
//
// Threads: thread-safe; a schema never changes once it is handed out.
#ifndef BERTH_GRAPH_KNOWN_H_
#define BERTH_GRAPH_KNOWN_H_

enum {
  // Of an op.
  BERTH_KNOWN_STATEFUL = 1,
  BERTH_KNOWN_AGGREGATE = 2,
  BERTH_KNOWN_COMMUTATIVE = 4,
  BERTH_KNOWN_UNINITIALIZED = 8,
  BERTH_KNOWN_DISTRIBUTED = 16,
  BERTH_KNOWN_REMOVED = 32,
  BERTH_KNOWN_RULE = 64,
  // Of an argument.
  BERTH_KNOWN_TYPE_ATTR = 1,
  BERTH_KNOWN_LIST_ATTR = 2,
  BERTH_KNOWN_NUMBER = 4,
  BERTH_KNOWN_REF = 8,
  // Of an attribute.
  BERTH_KNOWN_MINIMUM = 1,
  BERTH_KNOWN_DEFAULT = 2,
  BERTH_KNOWN_ALLOWED = 4,
  // Of a registration.
  BERTH_KNOWN_HOST = 1,
  BERTH_KNOWN_RANK = 2,

  BERTH_KNOWN_SLOTS = 4096  // A power of two, more than twice the ops.
};

#endif  // BERTH_GRAPH_KNOWN_H_
