// partial.c - Runs that are fed and fetched from in several calls.
#include "base/alloc.h"
#include "exec/prune.h"
#include "runtime/session_internal.h"

struct berth_partial {
  berth_session_t *session;  // Borrowed; outlives this.
  berth_program_t *program;  // A reference.
  berth_part_run_t *run;     // NULL once all is fetched.
  bool *fed;                 // By feed.
  // What was asked for, in the graph that the program sees or in another one
  // that calls functions.
  berth_out_t *feeds;
  berth_out_t *fetches;
};

static berth_out_t *outs_copy(const berth_out_t *outs, int count) {
  berth_out_t *copy = berth_calloc((size_t)count + 1, sizeof(*copy));
  for (int i = 0; copy != NULL && i < count; ++i) copy[i] = outs[i];
  return copy;
}

// Keeps what |signature| asks for; false when memory is short.
static bool partial_init(berth_partial_t *partial,
                         const berth_signature_t *signature) {
  if (partial == NULL) return false;
  partial->fed =
      berth_calloc((size_t)signature->feed_count + 1, sizeof(*partial->fed));
  partial->feeds = outs_copy(signature->feeds, signature->feed_count);
  partial->fetches = outs_copy(signature->fetches, signature->fetch_count);
  return partial->fed != NULL && partial->feeds != NULL &&
         partial->fetches != NULL;
}

// NOLINTNEXTLINE(readability-function-size): a public signature.
berth_code_t berth_partial_create(
    berth_session_t *session, const berth_out_t *feeds, int feed_count,
    const berth_out_t *fetches, int fetch_count, const berth_node_id_t *targets,
    int target_count, berth_partial_t **out_partial, berth_error_t *err) {
  BERTH_GIVEN(session, err);
  BERTH_GIVEN_LIST(feeds, feed_count, err);
  BERTH_GIVEN_LIST(fetches, fetch_count, err);
  BERTH_GIVEN_LIST(targets, target_count, err);
  BERTH_GIVEN(out_partial, err);
  unsigned term = 0;
  BERTH_TRY(berth_session_enter(session, &term, err));
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
  berth_code_t code = partial_init(partial, &signature)
                          ? BERTH_OK
                          : berth_error_no_memory(err, "a partial run");
  berth_run_control_t control;
  berth_session_control(session, NULL, &control);
  if (code == BERTH_OK) {
    partial->session = session;
    code = berth_session_program(session, &signature, &control,
                                 &partial->program, err);
  }
  if (code == BERTH_OK) {
    berth_program_retain(partial->program);
    code =
        berth_part_run_create(partial->program, &control, &partial->run, err);
  } else if (partial != NULL) {
    partial->program = NULL;
  }
  if (code == BERTH_OK) {
    *out_partial = partial;
  } else {
    berth_partial_destroy(partial);
  }
  berth_session_leave(session, term);
  return code;
}

void berth_partial_destroy(berth_partial_t *partial) {
  if (partial == NULL) return;
  berth_part_run_destroy(partial->run);
  berth_program_release(partial->program);
  berth_free(partial->fed);
  berth_free(partial->feeds);
  berth_free(partial->fetches);
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
  const berth_graph_t *graph = partial->session->given;
  const char *name = out.node >= 0 && out.node < berth_graph_node_count(graph)
                         ? berth_node_name(graph, out.node)
                         : "?";
  return berth_error_set(err, BERTH_INVALID_ARGUMENT, "%s%s:%d%s", before, name,
                         out.index, after);
}

// One call of a partial run, and its feeds and fetches as indices into those of
// the setup.
typedef struct piece {
  const berth_feed_t *feeds;
  int feed_count;
  const berth_out_t *fetches;
  int fetch_count;
  berth_tensor_t **results;
  int *feed_indices;
  berth_tensor_t **values;
  int *fetch_indices;
} piece_t;

// Checks feed |i| of |piece| and fills in its index and value.
static berth_code_t find_feed(berth_partial_t *partial, piece_t *piece, int i,
                              berth_error_t *err) {
  const berth_program_t *program = partial->program;
  const berth_signature_t *own = &program->signature;
  berth_out_t out = piece->feeds[i].out;
  int feed = out_index(partial->feeds, own->feed_count, out);
  if (feed < 0) {
    return out_error(partial, out, "The feed ",
                     " was not specified in partial_run_setup.", err);
  }
  if (partial->fed[feed]) {
    return out_error(partial, out, "The feed ", " has already been fed.", err);
  }
  berth_tensor_t *value = piece->feeds[i].tensor;
  berth_dtype_t wanted = program->slots[program->feed_slots[feed]].dtype;
  if (value == NULL || value->dtype != wanted) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Expects arg[%d] to be %s but %s is provided", feed,
        berth_dtype_name(wanted),
        value != NULL ? berth_dtype_name(value->dtype) : "nothing");
  }
  piece->feed_indices[i] = feed;
  piece->values[i] = value;
  return BERTH_OK;
}

// A walk back from a fetch, last input first, as TensorFlow's.
typedef struct walk {
  const berth_partial_t *partial;
  berth_prune_t prune;
  berth_out_t *stack;  // Values still to be looked at.
  size_t count, capacity;
  uint8_t *seen;  // By node id.
} walk_t;

static berth_code_t walk_push(walk_t *walk, berth_out_t out,
                              berth_error_t *err) {
  berth_out_t *stack =
      berth_grow(walk->stack, walk->count, &walk->capacity, sizeof(*stack));
  if (stack == NULL) return berth_error_no_memory(err, "a partial run");
  walk->stack = stack;
  walk->stack[walk->count++] = out;
  return BERTH_OK;
}

// Pushes what |out| is made from; fails when it is a feed that has not been
// fed. TensorFlow's text calls that feed a fetch.
static berth_code_t walk_visit(walk_t *walk, berth_out_t out,
                               berth_error_t *err) {
  int feed = berth_prune_feed_of(&walk->prune, out);
  if (feed >= 0) {
    if (walk->partial->fed[feed]) return BERTH_OK;
    return out_error(
        walk->partial, out, "Fetch ",
        " can't be computed from the feeds that have been fed so far.", err);
  }
  if (walk->seen[out.node] || !walk->prune.needed[out.node]) return BERTH_OK;
  walk->seen[out.node] = 1;
  const berth_node_t *node =
      berth_graph_get(walk->partial->session->given, out.node);
  for (int i = 0; i < node->input_count; ++i) {
    BERTH_TRY(walk_push(walk, node->inputs[i], err));
  }
  for (int i = 0; i < node->control_count; ++i) {
    BERTH_TRY(walk_push(walk, (berth_out_t){node->controls[i], -1}, err));
  }
  return BERTH_OK;
}

// Checks that |fetch| needs no feed but those that are fed.
static berth_code_t check_fetch(const berth_partial_t *partial,
                                berth_out_t fetch, berth_error_t *err) {
  const berth_graph_t *graph = partial->session->given;
  berth_signature_t signature = partial->program->signature;
  signature.feeds = partial->feeds;
  signature.fetches = &fetch;
  signature.fetch_count = 1;
  signature.target_count = 0;
  int count = berth_graph_node_count(graph);
  walk_t walk = {.partial = partial};
  berth_code_t code =
      berth_prune_init(&walk.prune, graph, &signature, count, false, err);
  walk.seen = berth_calloc((size_t)count + 1, 1);
  if (code == BERTH_OK && walk.seen == NULL) {
    code = berth_error_no_memory(err, "a partial run");
  }
  if (code == BERTH_OK) code = walk_push(&walk, fetch, err);
  while (code == BERTH_OK && walk.count > 0) {
    code = walk_visit(&walk, walk.stack[--walk.count], err);
  }
  berth_free(walk.stack);
  berth_free(walk.seen);
  berth_prune_deinit(&walk.prune);
  return code;
}

static berth_code_t find_fetches(const berth_partial_t *partial, piece_t *piece,
                                 berth_error_t *err) {
  const berth_signature_t *own = &partial->program->signature;
  for (int i = 0; i < piece->fetch_count; ++i) {
    berth_out_t out = piece->fetches[i];
    piece->fetch_indices[i] =
        out_index(partial->fetches, own->fetch_count, out);
    if (piece->fetch_indices[i] < 0) {
      return out_error(partial, out, "The fetch ",
                       " was not specified in partial_run_setup.", err);
    }
    BERTH_TRY(check_fetch(partial, out, err));
  }
  return BERTH_OK;
}

// Feeds and runs one piece.
static berth_code_t piece_run(berth_partial_t *partial, piece_t *piece,
                              berth_error_t *err) {
  berth_code_t code = BERTH_OK;
  int fed = 0;
  for (; code == BERTH_OK && fed < piece->feed_count; ++fed) {
    code = find_feed(partial, piece, fed, err);
    if (code != BERTH_OK) break;
    partial->fed[piece->feed_indices[fed]] = true;
  }
  if (code == BERTH_OK) code = find_fetches(partial, piece, err);
  if (code != BERTH_OK) {
    // Nothing has happened yet: the piece may come again, corrected.
    while (fed > 0) partial->fed[piece->feed_indices[--fed]] = false;
    return code;
  }
  berth_run_control_t control;
  berth_session_control(partial->session, NULL, &control);
  return berth_part_run_go(partial->run, piece->feed_indices, piece->values,
                           piece->feed_count, piece->fetch_indices,
                           piece->results, piece->fetch_count, &control, err);
}

berth_code_t berth_partial_run(berth_partial_t *partial,
                               const berth_feed_t *feeds, int feed_count,
                               const berth_out_t *fetches, int fetch_count,
                               berth_tensor_t **results, berth_error_t *err) {
  BERTH_GIVEN(partial, err);
  BERTH_GIVEN_LIST(feeds, feed_count, err);
  BERTH_GIVEN_LIST(fetches, fetch_count, err);
  BERTH_GIVEN_LIST(results, fetch_count, err);
  if (partial->run == NULL) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Must run 'setup' before performing partial runs!");
  }
  unsigned term = 0;
  BERTH_TRY(berth_session_enter(partial->session, &term, err));
  piece_t piece = {
      .feeds = feeds,
      .feed_count = feed_count,
      .fetches = fetches,
      .fetch_count = fetch_count,
      .results = results,
      .feed_indices = berth_calloc((size_t)feed_count + 1, sizeof(int)),
      .values = berth_calloc((size_t)feed_count + 1, sizeof(*piece.values)),
      .fetch_indices = berth_calloc((size_t)fetch_count + 1, sizeof(int)),
  };
  berth_code_t code = piece.feed_indices != NULL && piece.values != NULL &&
                              piece.fetch_indices != NULL
                          ? piece_run(partial, &piece, err)
                          : berth_error_no_memory(err, "a partial run");
  berth_free(piece.feed_indices);
  berth_free(piece.values);
  berth_free(piece.fetch_indices);
  if (code == BERTH_OK && berth_part_run_is_done(partial->run)) {
    berth_part_run_destroy(partial->run);
    partial->run = NULL;
  }
  berth_session_leave(partial->session, term);
  return code;
}
