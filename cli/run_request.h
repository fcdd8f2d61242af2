// run_request.h - What the command line of `berth run` asks for.
#ifndef BERTH_CLI_RUN_REQUEST_H_
#define BERTH_CLI_RUN_REQUEST_H_

#include <berth/berth.h>

#include "memory.h"

// Texts are borrowed from the arguments. Begins as {.repeat = 1}.
typedef struct cli_run_request {
  cli_list_t graphs, feeds, fetches, outs, targets, device_counts;
  const char *log_placement;  // NULL: no log.
  const char *trace_path;
  bool is_explained;
  const char *gpu;  // Cards to use, as BERTH_GPU has it; NULL: all.
  bool is_verbose;
  const char *simulate;  // Cards to make in software; NULL: none.
  bool is_soft;
  int threads, repeat;
  int64_t timeout_ms;
} cli_run_request_t;

// Reads the arguments. Returns the exit status; tells what is wrong.
int cli_run_request_parse(int argc, char **argv, cli_run_request_t *request);

// Sets |config| to what |request| wants of a session. Returns the exit status;
// tells what is wrong.
int cli_run_request_config(const cli_run_request_t *request,
                           berth_config_t *config);

void cli_run_request_clear(cli_run_request_t *request);

#endif  // BERTH_CLI_RUN_REQUEST_H_
