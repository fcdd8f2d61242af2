// missing.h - Which nodes of a graph Berth cannot run.
#ifndef BERTH_CLI_MISSING_H_
#define BERTH_CLI_MISSING_H_

#include <stdbool.h>

// Tells which ops of the graph at |path| have no kernel where their nodes would
// be placed, on this machine's devices or, with |gpus| over 0, on one CPU and
// that many GPUs. |path| is a GraphDef, or a SavedModel: its folder or the file
// saved_model.pb in it. Returns CLI_OK when none is missing.
int cli_missing(const char *path, int gpus, bool is_json);

#endif  // BERTH_CLI_MISSING_H_
