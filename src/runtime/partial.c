// partial.c - Runs that are fed and fetched from in several calls.
#include "base/alloc.h"
#include "exec/prune.h"
#include "runtime/session_internal.h"

struct berth_partial {
  berth_session_t *session;  // Borrowed; outlives this.
  berth_program_t *program;  // The session's.
  berth_part_run_t *run;     // NULL once all is fetched.
  bool *fed;                 // By feed.
};

berth_code_t berth_partial_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_partial_t **out_partial, berth_error_t *err) {
  BERTH_TRY(berth_session_enter(session, err));
  berth_signature_t signature = {
      .feeds = feeds,
      .feed_count = feed_count,
      .fetches = fetches,
      .fetch_count = fetch_count,
      .targets = targets,
      .target_count = target_count,
      .is_partial = true,
  };
  berth_partial_t *partial = berth_calloc(1, sizeof(*partial));
  bool *fed = berth_calloc((size_t)feed_count + 1, sizeof(*fed));
  berth_code_t code = partial != NULL && fed != NULL
                          ? BERTH_OK
                          : berth_error_no_memory(err, "a partial run");
  if (code == BERTH_OK) {
    partial->session = session;
    code = berth_session_program(session, &signature, &partial->program, err);
  }
  if (code == BERTH_OK) {
    code = berth_part_run_create(partial->program, &partial->run, err);
  }
  if (code == BERTH_OK) {
    partial->fed = fed;
    *out_partial = partial;
  } else {
    berth_free(fed);
    berth_free(partial);
  }
  berth_session_leave(session);
  return code;
}

void berth_partial_destroy(berth_partial_t *partial) {
  if (partial == NULL) return;
  berth_part_run_destroy(partial->run);
  berth_free(partial->fed);
  berth_free(partial);
}

static int out_index(const berth_out_t *outs, int count, berth_out_t out) {
  for (int i = 0; i < count; ++i) {
    if (outs[i].node == out.node && outs[i].index == out.index) return i;
  }
  return -1;
}

// Fails with `|before|name:index|after|`.
static berth_code_t out_error(const berth_partial_t *partial, berth_out_t out,
                              const char *before, const char *after,
                              berth_error_t *err) {
  const berth_graph_t *graph = partial->session->graph;
  const char *name = out.node >= 0 && out.node < berth_graph_node_count(graph)
                         ? berth_node_name(graph, out.node)
                         : "?";
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s%s:%d%s", before, name,
                         out.index, after);
}

// Finds the feeds of a call among those of the setup.
static berth_code_t find_feeds(berth_partial_t *partial,
                               const berth_feed_t *feeds, int count,
                               int *indices, berth_tensor_t **values,
                               berth_error_t *err) {
  const berth_signature_t *own = &partial->program->signature;
  for (int i = 0; i < count; ++i) {
    indices[i] = out_index(own->feeds, own->feed_count, feeds[i].out);
    values[i] = feeds[i].tensor;
    if (indices[i] < 0) {
      return out_error(partial, feeds[i].out, "The feed ",
                       " was not specified in partial_run_setup.", err);
    }
    if (partial->fed[indices[i]]) {
      return out_error(partial, feeds[i].out, "The feed ",
                       " has already been fed.", err);
    }
    berth_dtype_t wanted =
        partial->program->slots[partial->program->feed_slots[indices[i]]].dtype;
    if (values[i] == NULL || berth_tensor_dtype(values[i]) != wanted) {
      return berth_error_set(
          err, BERTH_INVALID_ARGUMENT,
          "Expects arg[%d] to be %s but %s is provided", indices[i],
          berth_dtype_name(wanted),
          values[i] != NULL ? berth_dtype_name(berth_tensor_dtype(values[i]))
                            : "nothing");
    }
  }
  return BERTH_OK;
}

// True when |fetch| needs no feed but those that are or are being fed.
static berth_code_t check_fetch(berth_partial_t *partial, berth_out_t fetch,
                                berth_error_t *err) {
  const berth_graph_t *graph = partial->session->graph;
  berth_signature_t signature = partial->program->signature;
  signature.fetches = &fetch;
  signature.fetch_count = 1;
  signature.target_count = 0;
  berth_prune_t prune;
  int count = berth_graph_node_count(graph);
  berth_code_t code = berth_prune_init(&prune, graph, &signature, count, err);
  for (int id = 0; code == BERTH_OK && id < count; ++id) {
    if (!prune.needed[id]) continue;
    const berth_node_t *node = berth_graph_get(graph, id);
    for (int i = 0; code == BERTH_OK && i < node->input_count; ++i) {
      int feed = berth_prune_feed_of(&prune, node->inputs[i]);
      if (feed < 0 || partial->fed[feed]) continue;
      code = out_error(partial, fetch, "Fetch ",
                       " can't be computed from the feeds that have been fed "
                       "so far.",
                       err);
    }
  }
  berth_prune_deinit(&prune);
  return code;
}

static berth_code_t find_fetches(berth_partial_t *partial,
                                 const berth_out_t *fetches, int count,
                                 int *indices, berth_error_t *err) {
  const berth_signature_t *own = &partial->program->signature;
  for (int i = 0; i < count; ++i) {
    indices[i] = out_index(own->fetches, own->fetch_count, fetches[i]);
    if (indices[i] < 0) {
      return out_error(partial, fetches[i], "The fetch ",
                       " was not specified in partial_run_setup.", err);
    }
    BERTH_TRY(check_fetch(partial, fetches[i], err));
  }
  return BERTH_OK;
}

// Runs one piece. |feed_indices|, |values| and |fetch_indices| have room.
static berth_code_t partial_go(berth_partial_t *partial,
                               const berth_feed_t *feeds, int feed_count,
                               const berth_out_t *fetches, int fetch_count,
                               int *feed_indices, berth_tensor_t **values,
                               int *fetch_indices, berth_tensor_t **results,
                               berth_error_t *err) {
  BERTH_TRY(find_feeds(partial, feeds, feed_count, feed_indices, values, err));
  for (int i = 0; i < feed_count; ++i) partial->fed[feed_indices[i]] = true;
  berth_code_t code =
      find_fetches(partial, fetches, fetch_count, fetch_indices, err);
  if (code != BERTH_OK) {
    for (int i = 0; i < feed_count; ++i) partial->fed[feed_indices[i]] = false;
    return code;
  }
  berth_run_control_t control;
  berth_session_control(partial->session, NULL, &control);
  return berth_part_run_go(partial->run, feed_indices, values, feed_count,
                           fetch_indices, results, fetch_count, &control, err);
}

berth_code_t berth_partial_run(berth_partial_t *partial,
                               const berth_feed_t *feeds, int feed_count,
                               const berth_out_t *fetches, int fetch_count,
                               berth_tensor_t **results, berth_error_t *err) {
  if (partial->run == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Must run 'setup' before performing partial runs!");
  }
  BERTH_TRY(berth_session_enter(partial->session, err));
  int *feed_indices =
      berth_alloc(((size_t)feed_count + 1) * sizeof(*feed_indices));
  berth_tensor_t **values =
      berth_alloc(((size_t)feed_count + 1) * sizeof(*values));
  int *fetch_indices =
      berth_alloc(((size_t)fetch_count + 1) * sizeof(*fetch_indices));
  berth_code_t code = BERTH_OK;
  if (feed_indices == NULL || values == NULL || fetch_indices == NULL) {
    code = berth_error_no_memory(err, "a partial run");
  } else {
    code = partial_go(partial, feeds, feed_count, fetches, fetch_count,
                      feed_indices, values, fetch_indices, results, err);
  }
  berth_free(feed_indices);
  berth_free(values);
  berth_free(fetch_indices);
  if (code == BERTH_OK && berth_part_run_is_done(partial->run)) {
    berth_part_run_destroy(partial->run);
    partial->run = NULL;
  }
  berth_session_leave(partial->session);
  return code;
}
