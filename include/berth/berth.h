// berth.h - The whole public API of Berth.
//
//   error.h      codes and texts of failures
//   types.h      data types and shapes
//   tensor.h     tensors
//   file.h       writing files
//   graph.h      building and inspecting graphs, GraphDefs, functions
//   ops.h        a builder for every op, generated from the schemas
//   config.h     settings
//   placement.h  where nodes run, and why
//   session.h    running graphs
//   eager.h      calling one op at once
//   device.h     devices, their names and memory
//   log.h        where log lines go
#ifndef BERTH_BERTH_H_
#define BERTH_BERTH_H_

#include "berth/config.h"
#include "berth/device.h"
#include "berth/eager.h"
#include "berth/error.h"
#include "berth/file.h"
#include "berth/graph.h"
#include "berth/log.h"
#include "berth/ops.h"
#include "berth/placement.h"
#include "berth/session.h"
#include "berth/tensor.h"
#include "berth/types.h"

#endif  // BERTH_BERTH_H_
