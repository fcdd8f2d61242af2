// golden_call.c - Replays one call of an op: eagerly, and as a node of a graph.
//
// Both must give the same, although little of the way there is shared: a node's
// memory is planned, its inputs are fed, and its error names it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_replay.h"

enum { MAX_ATTRS = 16 };

// A call as the file tells it.
typedef struct call {
  char *label;             // Into the file: "T=float,Tidx=int32".
  char *attrs[MAX_ATTRS];  // Into the file: "NAME KIND VALUE".
  char *lists;             // Into the file: "2,-"; NULL: none is a list.
  int attr_count;
  golden_tensors_t inputs;
  golden_result_t expected;
} call_t;

// ---- Making the op ----

static bool apply_types(golden_file_t *file, char *label, berth_op_t *op) {
  bool ok = true;
  if (strcmp(label, "-") == 0) return true;
  while (ok && label != NULL) {
    char *end = strchr(label, ',');
    if (end != NULL) *end = '\0';
    ok = golden_attr_type(file, label, op);
    label = end != NULL ? end + 1 : NULL;
  }
  return ok;
}

// Calls |apply| with a copy of |text|, which it may cut up.
static bool apply_copy(golden_file_t *file, const char *text, berth_op_t *op,
                       bool (*apply)(golden_file_t *, char *, berth_op_t *)) {
  char *copy = strdup(text);
  bool ok = copy != NULL && apply(file, copy, op);
  free(copy);
  return ok;
}

// Begins the op in |graph| (NULL: for eager calls) with all its attributes.
static berth_op_t *op_begin(golden_replay_t *replay, berth_graph_t *graph,
                            const call_t *call) {
  golden_file_t *file = &replay->file;
  // A node's name must not begin with an underscore; an op's may.
  const char *name = replay->op + strspn(replay->op, "_");
  berth_op_t *op = berth_op_begin(graph, replay->op, name);
  bool ok = apply_copy(file, call->label, op, apply_types);
  for (int i = 0; ok && i < call->attr_count; ++i) {
    ok = apply_copy(file, call->attrs[i], op, golden_attr);
  }
  return op;
}

// ---- Eagerly ----

// Brings the outputs of a call to the host, where they can be read.
static berth_code_t fetch(golden_replay_t *replay, golden_tensors_t *outputs,
                          berth_error_t *err) {
  for (int i = 0; i < outputs->count; ++i) {
    berth_tensor_t *copy = NULL;
    berth_code_t code = berth_eager_copy(replay->context, outputs->items[i],
                                         "CPU:0", &copy, err);
    if (code != BERTH_OK) return code;
    berth_tensor_release(outputs->items[i]);
    outputs->items[i] = copy;
  }
  return BERTH_OK;
}

static void call_eagerly(golden_replay_t *replay, const call_t *call) {
  berth_error_t err = BERTH_ERROR_INIT;
  golden_tensors_t outputs = {.count = 0};
  int count = GOLDEN_MAX_TENSORS;
  berth_op_t *op = op_begin(replay, NULL, call);
  berth_code_t code = berth_eager_call_op(
      replay->context, op, replay->device, call->inputs.items,
      call->inputs.count, outputs.items, &count, &err);
  if (code == BERTH_OK) outputs.count = count;
  if (code == BERTH_OK && replay->device != NULL) {
    code = fetch(replay, &outputs, &err);
  }
  golden_check(replay, &call->expected, "", code, &err, &outputs);
  golden_tensors_clear(&outputs);
  berth_op_abandon(op);
  berth_error_clear(&err);
}

// ---- In a graph ----

// Returns how many inputs of |op| stand alone before or behind its list of
// inputs; -1 when it has no list.
static int inputs_alone(const char *op, bool *out_behind) {
  static const char *const lists[] = {"AddN",      "Einsum", "IdentityN",
                                      "Pack",      "ShapeN", "StringFormat",
                                      "StringJoin"};
  *out_behind = strcmp(op, "ConcatV2") == 0;
  if (*out_behind || strcmp(op, "Concat") == 0 ||
      strcmp(op, "ConcatOffset") == 0) {
    return 1;
  }
  if (strcmp(op, "DecodeCSV") == 0) return 1;
  if (strcmp(op, "ParseExampleV2") == 0) return 5;
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
    if (strcmp(op, lists[i]) == 0) return 0;
  }
  return -1;
}

// Adds inputs as the line `lists` says: "-" is one, a number a list of so many.
static void add_groups(berth_op_t *op, const char *lists,
                       const berth_out_t *inputs) {
  while (*lists != '\0') {
    if (*lists == '-') {
      berth_op_input(op, *inputs++);
    } else {
      int count = (int)strtol(lists, NULL, 10);
      berth_op_input_list(op, inputs, count);
      inputs += count;
    }
    lists += strcspn(lists, ",");
    lists += *lists == ',' ? 1 : 0;
  }
}

static void add_inputs(berth_op_t *op, const char *name,
                       const berth_out_t *inputs, int count) {
  bool behind = false;
  int alone = inputs_alone(name, &behind);
  if (strstr(name, "DynamicStitch") != NULL) {  // Two lists.
    berth_op_input_list(op, inputs, count / 2);
    berth_op_input_list(op, inputs + count / 2, count / 2);
    return;
  }
  if (alone < 0) {
    for (int i = 0; i < count; ++i) berth_op_input(op, inputs[i]);
    return;
  }
  for (int i = 0; i < alone && !behind; ++i) berth_op_input(op, inputs[i]);
  berth_op_input_list(op, inputs + (behind ? 0 : alone), count - alone);
  if (alone > 0 && behind) berth_op_input(op, inputs[count - 1]);
}

// Builds the op over placeholders of its inputs' types and fills |feeds|.
static berth_code_t build(golden_replay_t *replay, const call_t *call,
                          berth_graph_t *graph, berth_feed_t *feeds,
                          berth_node_id_t *out_node, berth_error_t *err) {
  berth_out_t outs[GOLDEN_MAX_TENSORS];
  for (int i = 0; i < call->inputs.count; ++i) {
    berth_tensor_t *tensor = call->inputs.items[i];
    berth_op_t *op = berth_op_begin(graph, "Placeholder", "input");
    berth_op_attr_type(op, "dtype", berth_tensor_dtype(tensor));
    outs[i] = (berth_out_t){berth_op_finish(op), 0};
    feeds[i] = (berth_feed_t){outs[i], tensor};
  }
  berth_op_t *op = op_begin(replay, graph, call);
  if (call->lists != NULL) {
    add_groups(op, call->lists, outs);
  } else {
    add_inputs(op, replay->op, outs, call->inputs.count);
  }
  return berth_op_try_finish(op, out_node, err);
}

static berth_code_t run(golden_replay_t *replay, berth_graph_t *graph,
                        berth_node_id_t node, const berth_feed_t *feeds,
                        int feed_count, golden_tensors_t *outputs,
                        berth_error_t *err) {
  berth_out_t fetches[GOLDEN_MAX_TENSORS];
  int count = berth_node_output_count(graph, node);
  for (int i = 0; i < count; ++i) fetches[i] = (berth_out_t){node, i};
  berth_run_t request = {.feeds = feeds,
                         .feed_count = feed_count,
                         .fetches = fetches,
                         .fetch_count = count,
                         .results = outputs->items,
                         .targets = &node,
                         .target_count = 1};
  berth_session_t *session = NULL;
  berth_code_t code =
      berth_session_create(graph, &replay->config, &session, err);
  if (code == BERTH_OK) code = berth_session_run_with(session, &request, err);
  if (code == BERTH_OK) outputs->count = count;
  berth_session_destroy(session);
  return code;
}

static void call_in_graph(golden_replay_t *replay, const call_t *call) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_feed_t feeds[GOLDEN_MAX_TENSORS];
  golden_tensors_t outputs = {.count = 0};
  berth_node_id_t node = BERTH_NO_NODE;
  berth_graph_t *graph = berth_graph_create();
  if (replay->device != NULL) berth_device_push(graph, replay->device);
  berth_code_t code = build(replay, call, graph, feeds, &node, &err);
  char suffix[96];
  snprintf(suffix, sizeof(suffix), "\n\t [[{{node %s}}]]", replay->op);
  if (code == BERTH_OK) {
    code = run(replay, graph, node, feeds, call->inputs.count, &outputs, &err);
  }
  golden_check(replay, &call->expected, suffix, code, &err, &outputs);
  golden_tensors_clear(&outputs);
  berth_graph_release(graph);
  berth_error_clear(&err);
}

// ---- Reading ----

static bool read_line(golden_file_t *file, char *line, call_t *call) {
  const char *word = golden_word(&line);
  if (strcmp(word, "in") == 0) {
    return golden_tensors_add(file, line, &call->inputs);
  }
  if (strcmp(word, "lists") == 0) {
    call->lists = line;
    return true;
  }
  if (strcmp(word, "attr") == 0 && call->attr_count < MAX_ATTRS) {
    call->attrs[call->attr_count++] = line;
    return true;
  }
  return golden_result_line(file, word, line, &call->expected) ||
         golden_complain(file, "what is %s?", word);
}

void golden_replay_call(golden_replay_t *replay, char *label) {
  golden_file_t *file = &replay->file;
  call_t call = {.label = label};
  int first = file->at++;
  bool ok = true;
  for (; file->at < file->line_count; ++file->at) {
    if (golden_begins_case(file->lines[file->at])) break;
    ok = ok && read_line(file, file->lines[file->at], &call);
  }
  int end = file->at;
  file->at = first;
  if (ok) {
    file->how = " eagerly";
    call_eagerly(replay, &call);
    file->how = " in a graph";
    call_in_graph(replay, &call);
    file->how = "";
  }
  file->at = end;
  golden_tensors_clear(&call.inputs);
  golden_tensors_clear(&call.expected.outputs);
}
