// names.c - Feeds, fetches and targets by name.
//
// The texts are those of TensorFlow's session, which takes names.
#include "base/error.h"
#include "base/str.h"
#include "berth/session.h"

// Splits "node:index"; the index is 0 when there is none. Returns the node, or
// BERTH_NO_NODE.
static berth_node_id_t split(const berth_graph_t *graph, const char *name,
                             int64_t *out_index) {
  const char *colon = NULL;
  for (const char *at = name; *at != '\0'; ++at) {
    if (*at == ':') colon = at;
  }
  *out_index = 0;
  if (colon == NULL) return berth_graph_find(graph, name);
  if (!berth_parse_int64(colon + 1, out_index)) return BERTH_NO_NODE;
  berth_str_t node = {0};
  berth_str_put(&node, name, (size_t)(colon - name));
  berth_node_id_t id = berth_str_ok(&node)
                           ? berth_graph_find(graph, berth_str_get(&node))
                           : BERTH_NO_NODE;
  berth_str_clear(&node);
  return id;
}

berth_code_t berth_graph_find_feed(const berth_graph_t *graph, const char *name,
                                   berth_out_t *out_feed, berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_feed, err);
  int64_t index = 0;
  berth_node_id_t node = split(graph, name, &index);
  if (node == BERTH_NO_NODE) {
    return berth_error_set(err, BERTH_NOT_FOUND,
                           "FeedInputs: unable to find feed output %s", name);
  }
  int count = berth_node_output_count(graph, node);
  if (index < 0 || index >= count) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "FeedInputs: %s should have output index < %d", name,
                           count);
  }
  *out_feed = (berth_out_t){node, (int32_t)index};
  return BERTH_OK;
}

berth_code_t berth_graph_find_fetch(const berth_graph_t *graph,
                                    const char *name, berth_out_t *out_fetch,
                                    berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_fetch, err);
  int64_t index = 0;
  berth_node_id_t node = split(graph, name, &index);
  if (node == BERTH_NO_NODE) {
    return berth_error_set(err, BERTH_NOT_FOUND,
                           "FetchOutputs node %s: not found", name);
  }
  int count = berth_node_output_count(graph, node);
  if (count == 0) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Tried to fetch data for '%s', which produces no output.  To run to a "
        "node but not fetch any data, pass '%s' as an argument to the "
        "'target_node_names' argument of the Session::Run API.",
        name, name);
  }
  if (index < 0 || index >= count) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "FetchOutputs %s: output index too large, must be < %d", name, count);
  }
  *out_fetch = (berth_out_t){node, (int32_t)index};
  return BERTH_OK;
}

berth_code_t berth_graph_find_targets(const berth_graph_t *graph,
                                      const char *const *names, int count,
                                      berth_node_id_t *out_targets,
                                      berth_error_t *err) {
  BERTH_GIVEN(graph, err);
  BERTH_GIVEN_LIST(names, count, err);
  BERTH_GIVEN_LIST(out_targets, count, err);
  for (int i = 0; i < count; ++i) BERTH_GIVEN(names[i], err);
  berth_str_t missing = {0};
  for (int i = 0; i < count; ++i) {
    if (berth_graph_find(graph, names[i]) == BERTH_NO_NODE) {
      berth_str_printf(&missing, "%s ", names[i]);
    }
  }
  berth_code_t code = BERTH_OK;
  if (missing.size > 0 || !berth_str_ok(&missing)) {
    code = berth_error_set(err, BERTH_NOT_FOUND,
                           "PruneForTargets: Some target nodes not found: %s",
                           berth_str_get(&missing));
  }
  for (int i = 0; code == BERTH_OK && i < count; ++i) {
    out_targets[i] = berth_graph_find(graph, names[i]);
  }
  berth_str_clear(&missing);
  return code;
}
