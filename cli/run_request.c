// run_request.c - What the command line of `berth run` asks for.
#include "run_request.h"

#include <string.h>

#include "args.h"
#include "term.h"

int cli_run_request_parse(int argc, char **argv, cli_run_request_t *request) {
  const cli_option_t options[] = {
      {"--feed", CLI_LIST, &request->feeds},
      {"--fetch", CLI_LIST, &request->fetches},
      {"--out", CLI_LIST, &request->outs},
      {"--target", CLI_LIST, &request->targets},
      {"--log-placement", CLI_MAYBE, &request->log_placement},
      {"--soft-placement", CLI_FLAG, &request->is_soft},
      {"--device-count", CLI_LIST, &request->device_counts},
      {"--gpu", CLI_VALUE, &request->gpu},
      {"--verbose", CLI_FLAG, &request->is_verbose},
      {"-v", CLI_FLAG, &request->is_verbose},
      {"--simulate", CLI_VALUE, &request->simulate},
      {"--threads", CLI_COUNT, &request->threads},
      {"--timeout", CLI_SECONDS, &request->timeout_ms},
      {"--repeat", CLI_COUNT, &request->repeat},
      {"--trace", CLI_VALUE, &request->trace_path},
      {"--explain", CLI_FLAG, &request->is_explained},
      {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("run", argc, argv, options, &request->graphs);
  if (status != CLI_OK) return status;
  if (request->graphs.count != 1) {
    return cli_misuse("run", request->graphs.count == 0
                                 ? "which graph is to be run?"
                                 : "one graph at a time");
  }
  if (request->outs.count > request->fetches.count) {
    return cli_misuse("run", "more --out than --fetch");
  }
  return CLI_OK;
}

void cli_run_request_clear(cli_run_request_t *request) {
  cli_list_t *const lists[] = {&request->graphs,  &request->feeds,
                               &request->fetches, &request->outs,
                               &request->targets, &request->device_counts};
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
    cli_list_clear(lists[i]);
  }
}

static int parse_style(const char *text, berth_log_style_t *out_style) {
  static const char *const names[] = {"default", "tf2", "classic"};
  for (int i = 0; i < 3; ++i) {
    if (strcmp(text, names[i]) == 0 || (i == 0 && text[0] == '\0')) {
      *out_style = (berth_log_style_t)i;
      return CLI_OK;
    }
  }
  return cli_misuse(
      "run", "--log-placement knows default, tf2 and classic, not '%s'", text);
}

// Reads `CPU=2`.
static int parse_device_count(const char *text, berth_config_t *config) {
  int *target = strncmp(text, "CPU=", 4) == 0   ? &config->cpu_count
                : strncmp(text, "GPU=", 4) == 0 ? &config->gpu_count
                                                : NULL;
  if (target != NULL && cli_parse_int(text + 4, 0, target)) return CLI_OK;
  return cli_misuse("run", "--device-count needs CPU=N or GPU=N, not '%s'",
                    text);
}

int cli_run_request_config(const cli_run_request_t *request,
                           berth_config_t *config) {
  *config = BERTH_CONFIG_INIT;
  config->allow_soft_placement = request->is_soft;
  config->intra_op_threads = request->threads;
  if (request->log_placement != NULL) {
    config->log_device_placement = true;
    int status = parse_style(request->log_placement, &config->log_style);
    if (status != CLI_OK) return status;
  }
  for (int i = 0; i < request->device_counts.count; ++i) {
    int status = parse_device_count(request->device_counts.items[i], config);
    if (status != CLI_OK) return status;
  }
  return CLI_OK;
}
