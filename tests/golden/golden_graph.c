// golden_graph.c - Replays small graphs: builds them and does their runs.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "golden_replay.h"

enum { MAX_SAID = 4096 };

// A run of a graph as the file tells it.
typedef struct run {
  berth_feed_t feeds[GOLDEN_MAX_TENSORS];
  golden_tensors_t fed;
  berth_out_t fetches[GOLDEN_MAX_TENSORS];
  int fetch_count;
  berth_node_id_t targets[GOLDEN_MAX_TENSORS];
  int target_count;
} run_t;

// ---- Graphs ----

static bool read_out(golden_file_t *file, const berth_graph_t *graph,
                     const char *text, berth_out_t *out) {
  berth_error_t err = BERTH_ERROR_INIT;
  char name[128];
  snprintf(name, sizeof(name), strchr(text, ':') ? "%s" : "%s:0", text);
  if (berth_graph_find_out(graph, name, out, &err) == BERTH_OK) return true;
  golden_complain(file, "%s", berth_error_message(&err));
  berth_error_clear(&err);
  return false;
}

// Adds "[a,b:1]" to |op| as one list.
static bool add_list(golden_file_t *file, const berth_graph_t *graph,
                     char *text, berth_op_t *op) {
  berth_out_t outs[GOLDEN_MAX_TENSORS];
  int count = 0;
  for (char *at = text + 1; *at != '\0' && *at != ']';) {
    size_t size = strcspn(at, ",]");
    bool is_last = at[size] != ',';
    at[size] = '\0';
    if (!read_out(file, graph, at, &outs[count++])) return false;
    at += size + 1;
    if (is_last || count == GOLDEN_MAX_TENSORS) break;
  }
  berth_op_input_list(op, outs, count);
  return true;
}

static bool add_word(golden_file_t *file, const berth_graph_t *graph,
                     char *word, berth_op_t *op) {
  berth_out_t out;
  if (strchr(word, '=') != NULL) return golden_attr_type(file, word, op);
  if (word[0] == '[') return add_list(file, graph, word, op);
  if (word[0] == '^') {
    berth_op_control(op, berth_graph_find(graph, word + 1));
    return true;
  }
  if (!read_out(file, graph, word, &out)) return false;
  berth_op_input(op, out);
  return true;
}

static bool finish(golden_file_t *file, berth_op_t *op) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_id_t node;
  if (berth_op_try_finish(op, &node, &err) == BERTH_OK) return true;
  golden_complain(file, "%s", berth_error_message(&err));
  berth_error_clear(&err);
  return false;
}

// Reads "NAME TYPE SHAPE DATA" after "const".
static bool add_const(golden_file_t *file, berth_graph_t *graph, char *rest) {
  berth_tensor_t *value = NULL;
  const char *name = golden_word(&rest);
  if (!golden_tensor(file, rest, &value)) return false;
  berth_op_t *op = berth_op_begin_exact(graph, "Const", name);
  berth_op_attr_type(op, "dtype", berth_tensor_dtype(value));
  berth_op_attr_tensor(op, "value", value);
  berth_tensor_release(value);
  return finish(file, op);
}

// Reads "NAME OP INPUT..." after "node", and the attributes that follow.
static bool add_node(golden_file_t *file, berth_graph_t *graph, char *rest) {
  const char *name = golden_word(&rest);
  const char *type = golden_word(&rest);
  berth_op_t *op = berth_op_begin_exact(graph, type, name);
  bool ok = true;
  for (char *word = golden_word(&rest); ok && word; word = golden_word(&rest)) {
    ok = add_word(file, graph, word, op);
  }
  while (ok && file->at + 1 < file->line_count &&
         strncmp(file->lines[file->at + 1], "attr ", 5) == 0) {
    ++file->at;
    ok = golden_attr(file, file->lines[file->at] + 5, op);
  }
  if (ok) return finish(file, op);
  berth_op_abandon(op);
  return false;
}

// Makes |graph| one of the GraphDef version |rest|, which may have older ops.
static bool set_producer(golden_file_t *file, berth_graph_t *graph,
                         const char *rest) {
  berth_error_t err = BERTH_ERROR_INIT;
  char text[64];
  snprintf(text, sizeof(text), "versions { producer: %s }", rest);
  if (berth_graph_import_text(graph, text, strlen(text), NULL, &err) ==
      BERTH_OK) {
    return true;
  }
  golden_complain(file, "%s", berth_error_message(&err));
  berth_error_clear(&err);
  return false;
}

// Reads "feed", "fetch" and "target" lines; false when |word| is none of them.
static bool run_line(golden_file_t *file, const berth_graph_t *graph,
                     const char *word, char *rest, run_t *run) {
  if (strcmp(word, "feed") == 0) {
    int index = run->fed.count;
    const char *name = golden_word(&rest);
    if (!read_out(file, graph, name, &run->feeds[index].out)) return false;
    if (!golden_tensors_add(file, rest, &run->fed)) return false;
    run->feeds[index].tensor = run->fed.items[index];
  } else if (strcmp(word, "fetch") == 0) {
    return read_out(file, graph, rest, &run->fetches[run->fetch_count++]);
  } else if (strcmp(word, "target") == 0) {
    run->targets[run->target_count++] = berth_graph_find(graph, rest);
  } else {
    return false;
  }
  return true;
}

// What was written to stderr since listen_begin().
typedef struct listener {
  FILE *file;
  int kept;
} listener_t;

static void listen_begin(listener_t *listener) {
  fflush(stderr);
  listener->file = tmpfile();
  listener->kept = dup(STDERR_FILENO);
  if (listener->file != NULL) dup2(fileno(listener->file), STDERR_FILENO);
}

static void listen_end(listener_t *listener, char said[MAX_SAID]) {
  fflush(stderr);
  dup2(listener->kept, STDERR_FILENO);
  close(listener->kept);
  said[0] = '\0';
  if (listener->file == NULL) return;
  rewind(listener->file);
  said[fread(said, 1, MAX_SAID - 1, listener->file)] = '\0';
  fclose(listener->file);
}

static void run_and_check(golden_replay_t *replay, berth_session_t *session,
                          run_t *run, const golden_result_t *expected) {
  berth_error_t err = BERTH_ERROR_INIT;
  golden_tensors_t outputs = {.count = 0};
  berth_run_t request = {
      .feeds = run->feeds,
      .feed_count = run->fed.count,
      .fetches = run->fetches,
      .fetch_count = run->fetch_count,
      .results = outputs.items,
      .targets = run->targets,
      .target_count = run->target_count,
      .timeout_ms = 20000,
  };
  listener_t listener = {.file = NULL};
  char said[MAX_SAID] = "";
  if (expected->said != NULL) listen_begin(&listener);
  berth_code_t code = berth_session_run_with(session, &request, &err);
  if (expected->said != NULL) listen_end(&listener, said);
  if (code == BERTH_OK) outputs.count = run->fetch_count;
  golden_check(replay, expected, "", code, &err, &outputs);
  if (expected->said != NULL && strcmp(said, expected->said) != 0) {
    golden_complain(&replay->file, "wrote\n  %s\nexpected\n  %s", said,
                    expected->said);
  }
  golden_tensors_clear(&outputs);
  berth_error_clear(&err);
}

// Reads the lines after "run" and does it.
static bool replay_run(golden_replay_t *replay, const berth_graph_t *graph,
                       berth_session_t *session) {
  golden_file_t *file = &replay->file;
  int first = file->at++;
  run_t run = {.fetch_count = 0};
  golden_result_t expected = {.code = BERTH_OK};
  bool ok = true;
  for (; ok && file->at < file->line_count; ++file->at) {
    char *rest = file->lines[file->at];
    if (golden_begins_case(rest) || strcmp(rest, "run") == 0) break;
    const char *word = golden_word(&rest);
    ok = run_line(file, graph, word, rest, &run) ||
         golden_result_line(file, word, rest, &expected);
  }
  int end = file->at;
  file->at = first;
  if (ok) run_and_check(replay, session, &run, &expected);
  file->at = end;
  golden_tensors_clear(&run.fed);
  golden_tensors_clear(&expected.outputs);
  return ok;
}

static bool build(golden_file_t *file, berth_graph_t *graph) {
  for (++file->at; file->at < file->line_count; ++file->at) {
    char *rest = file->lines[file->at];
    if (golden_begins_case(rest) || strcmp(rest, "run") == 0) return true;
    const char *word = golden_word(&rest);
    bool ok = strcmp(word, "const") == 0      ? add_const(file, graph, rest)
              : strcmp(word, "producer") == 0 ? set_producer(file, graph, rest)
                                              : add_node(file, graph, rest);
    if (!ok) return false;
  }
  return true;
}

void golden_replay_graph(golden_replay_t *replay) {
  golden_file_t *file = &replay->file;
  berth_error_t err = BERTH_ERROR_INIT;
  berth_session_t *session = NULL;
  berth_graph_t *graph = berth_graph_create();
  if (replay->device != NULL) berth_device_push(graph, replay->device);
  bool ok = build(file, graph);
  if (ok && berth_session_create(graph, &replay->config, &session, &err) !=
                BERTH_OK) {
    ok = golden_complain(file, "no session: %s", berth_error_message(&err));
  }
  while (ok && file->at < file->line_count &&
         strcmp(file->lines[file->at], "run") == 0) {
    ok = replay_run(replay, graph, session);
  }
  while (file->at < file->line_count &&
         !golden_begins_case(file->lines[file->at])) {
    ++file->at;  // What is left of a case that went wrong.
  }
  berth_session_destroy(session);
  berth_graph_release(graph);
  berth_error_clear(&err);
}
