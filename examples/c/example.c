// example.c - What the examples share.
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static berth_log_style_t find_style(const char *text) {
  if (strcmp(text, "tf2") == 0) return BERTH_STYLE_TF2;
  if (strcmp(text, "classic") == 0) return BERTH_STYLE_CLASSIC;
  return BERTH_STYLE_DEFAULT;
}

berth_config_t example_config(int argc, char **argv) {
  static const char option[] = "--style=";
  berth_config_t config = BERTH_CONFIG_INIT;
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], option, sizeof(option) - 1) == 0) {
      config.log_style = find_style(argv[i] + sizeof(option) - 1);
    }
  }
  // Sessions look at the variable themselves; the printed result follows.
  const char *wish = getenv("BERTH_PLACEMENT_LOG");
  if (wish != NULL) config.log_style = find_style(wish);
  return config;
}

// Tells |err| on stderr, if there is one, and returns the exit status.
static int finish(berth_code_t code, berth_error_t *err) {
  if (code != BERTH_OK) {
    fprintf(stderr, "%s: %s\n", berth_code_name(code),
            berth_error_message(err));
  }
  berth_error_clear(err);
  return code == BERTH_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Prints a value as numpy does: today's, or that of the classic listings.
static berth_code_t print_value(const berth_tensor_t *value,
                                berth_log_style_t style, berth_error_t *err) {
  char *text = NULL;
  berth_code_t code = style == BERTH_STYLE_CLASSIC
                          ? berth_tensor_format_classic(value, &text, err)
                          : berth_tensor_format(value, &text, err);
  if (code == BERTH_OK) puts(text);
  berth_text_free(text);
  return code;
}

int example_run(berth_graph_t *graph, const berth_config_t *config,
                berth_out_t fetch) {
  berth_session_t *session = NULL;
  berth_tensor_t *value = NULL;
  berth_error_t err = BERTH_ERROR_INIT;

  berth_code_t code = berth_session_create(graph, config, &session, &err);
  if (code != BERTH_OK) goto done;
  code = berth_session_run(session, NULL, 0, &fetch, 1, &value, &err);
  if (code != BERTH_OK) goto done;
  code = print_value(value, config->log_style, &err);

done:
  berth_tensor_release(value);
  berth_session_destroy(session);
  return finish(code, &err);
}

int example_open(const berth_config_t *config, int *out_gpu_count) {
  berth_graph_t *graph = berth_graph_create();
  berth_session_t *session = NULL;
  berth_error_t err = BERTH_ERROR_INIT;
  int gpu_count = 0;

  berth_code_t code = berth_session_create(graph, config, &session, &err);
  if (code != BERTH_OK) goto done;
  for (int i = 0; i < berth_session_device_count(session); ++i) {
    const char *name = berth_session_device_name(session, i);
    if (strstr(name, "/device:GPU:") != NULL) ++gpu_count;
  }
  if (out_gpu_count != NULL) *out_gpu_count = gpu_count;

done:
  berth_session_destroy(session);
  berth_graph_release(graph);
  return finish(code, &err);
}

int example_count_gpus(int *out_count) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_code_t code = berth_card_count(out_count, &err);
  return finish(code, &err);
}
