// berth.h - The whole public API of Berth.
//
//   error.h      codes and texts of failures
//   types.h      data types and shapes
//   tensor.h     tensors
//   file.h       writing files
//   record.h     files of records
//   checkpoint.h checkpoints: named tensors in files
//   graph.h      building and inspecting graphs, GraphDefs, functions
//   ops.h        a builder for every op, generated from the schemas
//   config.h     settings
//   placement.h  where nodes run, and why
//   session.h    running graphs
//   memory_plan.h how much memory a run will take
//   grad.h       gradients of graphs
//   eager.h      calling one op at once
//   tape.h       gradients of eager calls
//   device.h     devices, their names and memory
//   memory.h     figures about memory
//   report.h     what a GPU's memory looks like when it is full
//   share.h      cards that several processes share
//   log.h        where log lines go
//
// A program builds a graph, makes a session of it and runs it; or it makes an
// eager context and calls ops. Each header begins with the few lines of C that
// this takes, and docs/howto/build-and-run-a-graph-in-c.md is a whole program.
//
// What holds everywhere:
//
//   Failures   error.h says how they are told, and which codes every function
//              may return. Where a comment names more, these have that cause.
//   Owners     create gives the caller something to destroy or release, as the
//              type's comment says; get, find and query only lend. Texts and
//              bytes in |out_| parameters are freed with berth_text_free().
//   NULL       Destroying, releasing and clearing NULL does nothing.
//   Threads    Every header says what may be called from several at once.
//   Fork       A child of fork() may go on with sessions that no other thread
//              was inside of, on the CPU: cards are the parent's alone
//              (docs/design/threading.md).
#ifndef BERTH_BERTH_H_
#define BERTH_BERTH_H_

#include "berth/checkpoint.h"
#include "berth/config.h"
#include "berth/device.h"
#include "berth/eager.h"
#include "berth/error.h"
#include "berth/file.h"
#include "berth/grad.h"
#include "berth/graph.h"
#include "berth/log.h"
#include "berth/memory_plan.h"
#include "berth/ops.h"
#include "berth/placement.h"
#include "berth/record.h"
#include "berth/report.h"
#include "berth/session.h"
#include "berth/share.h"
#include "berth/tape.h"
#include "berth/tensor.h"
#include "berth/types.h"

#endif  // BERTH_BERTH_H_
