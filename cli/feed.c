// feed.c - Values for a run.
#include "feed.h"

#include <string.h>

#include "literal.h"
#include "term.h"

int cli_find_out(const berth_graph_t *graph, const char *name,
                 berth_out_t *out) {
  berth_error_t err = BERTH_ERROR_INIT;
  if (berth_graph_find_out(graph, name, out, &err) == BERTH_OK) return CLI_OK;
  return cli_fail_with(NULL, &err);
}

// The type of |out|, without the mark of a reference.
static berth_dtype_t wanted_type(const berth_graph_t *graph, berth_out_t out) {
  berth_dtype_t dtype = berth_out_dtype(graph, out);
  return dtype > BERTH_REF ? (berth_dtype_t)(dtype - BERTH_REF) : dtype;
}

static berth_code_t load(const char *path, berth_dtype_t dtype,
                         berth_tensor_t **out_tensor, berth_error_t *err) {
  berth_tensor_t *tensor = NULL;
  berth_code_t code = berth_tensor_load_npy(path, &tensor, err);
  if (code != BERTH_OK) return code;
  berth_dtype_t found = berth_tensor_dtype(tensor);
  if (found != dtype) {
    berth_tensor_release(tensor);
    return cli_refuse(err, "%s holds %s, but the graph wants %s", path,
                      berth_dtype_name(found), berth_dtype_name(dtype));
  }
  *out_tensor = tensor;
  return BERTH_OK;
}

int cli_feed_parse(const berth_graph_t *graph, const char *text,
                   berth_feed_t *feed) {
  const char *value = strchr(text, '=');
  if (value == NULL) {
    return cli_misuse("run", "--feed needs NAME=VALUE or NAME=@FILE, not '%s'",
                      text);
  }
  cli_text_t name = {0};
  cli_text_put(&name, text, (size_t)(value - text));
  int status = cli_find_out(graph, cli_text_get(&name), &feed->out);
  if (status == CLI_OK) {
    berth_error_t err = BERTH_ERROR_INIT;
    berth_dtype_t dtype = wanted_type(graph, feed->out);
    ++value;
    berth_code_t code =
        value[0] == '@' ? load(value + 1, dtype, &feed->tensor, &err)
                        : cli_literal_parse(value, dtype, &feed->tensor, &err);
    if (code != BERTH_OK) status = cli_fail_with(cli_text_get(&name), &err);
  }
  cli_text_clear(&name);
  return status;
}
