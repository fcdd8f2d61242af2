// missing.c - Which nodes of a graph Berth cannot run.
//
// 1. The bytes are read, and the GraphDefs in them found: one, or those of a
//    SavedModel.
// 2. Nodes of the graph and of the functions in its library are looked at one
//    by one. A graph that can be imported is placed, and its nodes are asked
//    for with their types; nodes of functions, and those of a graph with ops
//    that nobody knows, by the name of their op alone.
// 3. Nodes that lack a kernel for one reason, on one type of device, are told
//    together.
#include "missing.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cards.h"
#include "graph_file.h"
#include "json.h"
#include "op_def.h"
#include "table.h"
#include "term.h"

// Nodes told in the table; JSON has all of them.
enum { MOST_NAMES = 3 };

// One kind of missing kernel. |nodes| has the names, each with a NUL.
typedef struct lack {
  cli_text_t op, why, nodes;
  const char *device;  // "CPU", "GPU".
  int count;
} lack_t;

typedef struct search {
  int gpus;
  berth_graph_t *graph;  // NULL: it cannot be imported.
  berth_plan_t *plan;    // NULL: it cannot be placed.
  cli_list_t functions;  // Names in the library.
  cli_text_t names;      // Where they lie.
  lack_t *lacks;
  int count, node_count;
  bool is_short;  // Of memory.
} search_t;

// ---- What is missing ----

static void put_bytes(cli_text_t *text, const char *bytes, size_t size) {
  cli_text_clear(text);
  cli_text_put(text, bytes, size);
}

static lack_t *find_lack(search_t *search, const char *op, const char *device,
                         const char *why) {
  for (int i = 0; i < search->count; ++i) {
    lack_t *lack = &search->lacks[i];
    if (strcmp(cli_text_get(&lack->op), op) == 0 &&
        strcmp(lack->device, device) == 0 &&
        strcmp(cli_text_get(&lack->why), why) == 0) {
      return lack;
    }
  }
  lack_t *lacks =
      cli_grow(search->lacks, (size_t)search->count, sizeof(*lacks));
  if (lacks == NULL) return NULL;
  search->lacks = lacks;
  lack_t *lack = &lacks[search->count++];
  *lack = (lack_t){.device = device};
  cli_text_puts(&lack->op, op);
  cli_text_puts(&lack->why, why);
  return lack;
}

// Notes that |node|, of the function |function| (NULL: of none), has no kernel.
static void note(search_t *search, const char *function, const char *node,
                 const char *op, const char *device, const char *why) {
  lack_t *lack = find_lack(search, op, device, why);
  if (lack == NULL) {
    search->is_short = true;
    return;
  }
  ++lack->count;
  if (function != NULL) cli_text_printf(&lack->nodes, "%s: ", function);
  cli_text_put(&lack->nodes, node, strlen(node) + 1);
}

static bool is_function(const search_t *search, const char *op) {
  for (int i = 0; i < search->functions.count; ++i) {
    if (strcmp(search->functions.items[i], op) == 0) return true;
  }
  return false;
}

// Looks at a node of which no more than the op is known. Whether a GPU does it
// is a question of its types.
static void check_name(search_t *search, const char *function, const char *node,
                       const char *op) {
  cli_op_def_t def;
  const char *why = NULL;
  if (is_function(search, op)) {
    why = "a call of a function";
  } else if (cli_op_def_open(op, &def, NULL) != BERTH_OK) {
    why = "no op of TensorFlow";
  } else {
    cli_op_def_close(&def);
    if (!berth_op_has_kernel(op, "CPU")) why = "no CPU kernel";
  }
  if (why != NULL) note(search, function, node, op, "CPU", why);
}

// Looks at a node of the graph, where the plan has it.
static void check_node(search_t *search, berth_node_id_t node) {
  berth_node_placement_t placement = {0};
  berth_plan_query(search->plan, node, &placement);
  bool is_gpu =
      placement.device != NULL && strstr(placement.device, ":GPU:") != NULL;
  const char *device = is_gpu ? "GPU" : "CPU";
  char *why = NULL;
  if (!berth_node_has_kernel(search->graph, node, device, &why)) {
    note(search, NULL, berth_node_name(search->graph, node),
         berth_node_op(search->graph, node), device, why != NULL ? why : "");
  }
  berth_text_free(why);
}

// ---- GraphDef ----

// NodeDef {name = 1, op = 2}.
static void read_node(search_t *search, const char *function, cli_wire_t wire) {
  cli_text_t name = {0}, op = {0};
  while (cli_wire_next(&wire)) {
    if (wire.data == NULL) continue;
    if (wire.field == 1) put_bytes(&name, wire.data, wire.size);
    if (wire.field == 2) put_bytes(&op, wire.data, wire.size);
  }
  ++search->node_count;
  berth_node_id_t node = BERTH_NO_NODE;
  if (function == NULL && search->plan != NULL) {
    node = berth_graph_find(search->graph, cli_text_get(&name));
  }
  if (node != BERTH_NO_NODE) {
    check_node(search, node);
  } else {
    check_name(search, function, cli_text_get(&name), cli_text_get(&op));
  }
  cli_text_clear(&name);
  cli_text_clear(&op);
}

// FunctionDef {signature = 1 {name = 1}, node_def = 3}.
static void put_function_name(cli_wire_t wire, cli_text_t *name) {
  while (cli_wire_next(&wire)) {
    if (wire.field != 1 || wire.data == NULL) continue;
    cli_wire_t signature = cli_wire_inside(&wire);
    while (cli_wire_next(&signature)) {
      if (signature.field == 1 && signature.data != NULL) {
        put_bytes(name, signature.data, signature.size);
      }
    }
  }
}

static void read_function(search_t *search, cli_wire_t wire) {
  cli_text_t name = {0};
  put_function_name(wire, &name);
  while (cli_wire_next(&wire)) {
    if (wire.field == 3 && wire.data != NULL) {
      read_node(search, cli_text_get(&name), cli_wire_inside(&wire));
    }
  }
  cli_text_clear(&name);
}

// Collects the names of the functions of FunctionDefLibrary {function = 1}.
static void read_names(search_t *search, cli_wire_t wire) {
  cli_text_t name = {0};
  while (cli_wire_next(&wire)) {
    if (wire.field != 1 || wire.data == NULL) continue;
    put_function_name(cli_wire_inside(&wire), &name);
    cli_text_put(&search->names, cli_text_get(&name), name.size + 1);
  }
  cli_text_clear(&name);
  // The text no longer moves: its names can be borrowed.
  const char *next = cli_text_get(&search->names);
  const char *end = next + search->names.size;
  for (; next < end; next += strlen(next) + 1) {
    if (!cli_list_add(&search->functions, next)) search->is_short = true;
  }
}

// GraphDef {node = 1, library = 2}. False when it is damaged.
static bool read_graph(search_t *search, cli_wire_t wire) {
  for (cli_wire_t look = wire; cli_wire_next(&look);) {
    if (look.field == 2 && look.data != NULL) {
      read_names(search, cli_wire_inside(&look));
    }
  }
  while (cli_wire_next(&wire)) {
    if (wire.data == NULL) continue;
    cli_wire_t inside = cli_wire_inside(&wire);
    if (wire.field == 1) read_node(search, NULL, inside);
    if (wire.field != 2) continue;
    while (cli_wire_next(&inside)) {
      if (inside.field == 1 && inside.data != NULL) {
        read_function(search, cli_wire_inside(&inside));
      }
    }
  }
  return !wire.is_damaged;
}

// True when every op of the nodes of |wire| is one of TensorFlow's.
static bool knows_all(cli_wire_t wire) {
  cli_text_t op = {0};
  bool is_known = true;
  while (cli_wire_next(&wire) && is_known) {
    if (wire.field != 1 || wire.data == NULL) continue;
    cli_wire_t node = cli_wire_inside(&wire);
    while (cli_wire_next(&node)) {
      if (node.field == 2 && node.data != NULL) {
        put_bytes(&op, node.data, node.size);
      }
    }
    cli_op_def_t def;
    is_known = cli_op_def_open(cli_text_get(&op), &def, NULL) == BERTH_OK;
    if (is_known) cli_op_def_close(&def);
  }
  cli_text_clear(&op);
  return is_known;
}

// ---- Placement ----

// Counts the GPUs that there are.
static int count_gpus(void) {
  int count = 0, gpus = 0;
  cli_announce_nothing();
  if (berth_device_count(&count, NULL) != BERTH_OK) return 0;
  for (int i = 0; i < count; ++i) {
    berth_device_info_t info;
    if (berth_device_query(i, &info, NULL) == BERTH_OK &&
        strstr(info.name, ":GPU:") != NULL) {
      ++gpus;
    }
  }
  return gpus;
}

// Places the graph, where it can be. What asks for a device that is not there
// goes elsewhere.
static void place(search_t *search) {
  enum { MOST = 64 };
  char names[MOST][16] = {"CPU:0"};
  const char *devices[MOST] = {names[0]};
  int gpus = search->gpus < MOST - 1 ? search->gpus : MOST - 1;
  for (int i = 0; i < gpus; ++i) {
    snprintf(names[i + 1], sizeof(names[0]), "GPU:%d", i);
    devices[i + 1] = names[i + 1];
  }
  berth_plan_options_t options = {.devices = devices,
                                  .device_count = gpus + 1,
                                  .allow_soft_placement = true};
  if (berth_plan_create(search->graph, &options, &search->plan, NULL) !=
      BERTH_OK) {
    search->plan = NULL;
  }
}

// Takes leave of one graph.
static void forget(search_t *search) {
  berth_plan_destroy(search->plan);
  berth_graph_release(search->graph);
  search->plan = NULL;
  search->graph = NULL;
  cli_list_clear(&search->functions);
  cli_text_clear(&search->names);
}

// ---- Files ----

static int check_graph(search_t *search, const char *path, const char *bytes,
                       size_t size) {
  berth_error_t err = BERTH_ERROR_INIT;
  cli_wire_t wire = cli_wire_open(bytes, size);
  if (knows_all(wire)) {
    search->graph = berth_graph_create();
    if (search->graph == NULL) return cli_fail("not enough memory");
    if (berth_graph_import(search->graph, bytes, size, NULL, &err) !=
        BERTH_OK) {
      return cli_fail_with(path, &err);
    }
    place(search);
  }
  bool is_whole = read_graph(search, wire);
  forget(search);
  return is_whole ? CLI_OK : cli_fail("%s is damaged", path);
}

// A text: what it says, as bytes.
static int check_text(search_t *search, const char *path) {
  berth_error_t err = BERTH_ERROR_INIT;
  void *bytes = NULL;
  size_t size = 0;
  berth_graph_t *graph = cli_graph_open(path);
  if (graph == NULL) return CLI_FAILED;
  int status = CLI_OK;
  if (berth_graph_export(graph, &bytes, &size, &err) == BERTH_OK) {
    status = check_graph(search, path, bytes, size);
  } else {
    status = cli_fail_with(path, &err);
  }
  berth_text_free(bytes);
  berth_graph_release(graph);
  return status;
}

// SavedModel {meta_graphs = 2 {graph_def = 2}}.
static int check_saved_model(search_t *search, const char *path,
                             const cli_text_t *bytes) {
  int status = CLI_OK;
  cli_wire_t wire = cli_wire_open(cli_text_get(bytes), bytes->size);
  while (status == CLI_OK && cli_wire_next(&wire)) {
    if (wire.field != 2 || wire.data == NULL) continue;
    cli_wire_t meta = cli_wire_inside(&wire);
    while (status == CLI_OK && cli_wire_next(&meta)) {
      if (meta.field != 2 || meta.data == NULL) continue;
      status = check_graph(search, path, meta.data, meta.size);
    }
  }
  if (status == CLI_OK && wire.is_damaged) {
    status = cli_fail("%s is damaged", path);
  }
  return status;
}

static int check_file(search_t *search, const char *path) {
  if (cli_ends_with(path, ".pbtxt") || cli_ends_with(path, ".txt")) {
    return check_text(search, path);
  }
  cli_text_t bytes = {0}, inside = {0};
  int status = CLI_OK;
  bool is_saved_model = cli_ends_with(path, "saved_model.pb");
  cli_text_printf(&inside, "%s/saved_model.pb", path);
  if (!cli_text_read(&bytes, path)) {
    int reason = errno;
    cli_text_clear(&bytes);
    is_saved_model =
        reason == EISDIR && cli_text_read(&bytes, cli_text_get(&inside));
    if (!is_saved_model) {
      status = cli_fail("cannot read %s: %s", path,
                        reason == EISDIR ? "a folder without saved_model.pb"
                                         : strerror(reason));
    }
  }
  if (status == CLI_OK) {
    status = is_saved_model
                 ? check_saved_model(search, path, &bytes)
                 : check_graph(search, path, cli_text_get(&bytes), bytes.size);
  }
  cli_text_clear(&bytes);
  cli_text_clear(&inside);
  return status;
}

// ---- Telling ----

// Appends the first names of |lack|.
static void put_names(const lack_t *lack, cli_text_t *text) {
  const char *name = cli_text_get(&lack->nodes);
  int shown = lack->count < MOST_NAMES ? lack->count : MOST_NAMES;
  for (int i = 0; i < shown; ++i, name += strlen(name) + 1) {
    cli_text_printf(text, "%s%s", i > 0 ? ", " : "", name);
  }
  if (lack->count > shown) {
    cli_text_printf(text, " and %d more", lack->count - shown);
  }
}

static void tell_table(const search_t *search) {
  cli_table_t table = {.column_count = 5, .is_right = {[2] = true}};
  int nodes = 0;
  cli_table_row(&table, "OP", "DEVICE", "COUNT", "WHY", "NODES");
  for (int i = 0; i < search->count; ++i) {
    const lack_t *lack = &search->lacks[i];
    char count[16];
    cli_text_t names = {0};
    snprintf(count, sizeof(count), "%d", lack->count);
    put_names(lack, &names);
    cli_table_row(&table, cli_text_get(&lack->op), lack->device, count,
                  cli_text_get(&lack->why), cli_text_get(&names));
    cli_text_clear(&names);
    nodes += lack->count;
  }
  if (search->count > 0) {
    cli_table_print(&table, stdout);
    printf("\n%d of %d nodes have no kernel\n", nodes, search->node_count);
  } else {
    printf("all %d nodes have kernels\n", search->node_count);
  }
  cli_table_clear(&table);
}

static void tell_json(const search_t *search) {
  cli_json_t json;
  cli_json_begin(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_json_int(&json, "nodes", search->node_count);
  cli_json_open(&json, "missing", '[');
  for (int i = 0; i < search->count; ++i) {
    const lack_t *lack = &search->lacks[i];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "op", cli_text_get(&lack->op));
    cli_json_text(&json, "device", lack->device);
    cli_json_int(&json, "count", lack->count);
    cli_json_text(&json, "why", cli_text_get(&lack->why));
    cli_json_open(&json, "nodes", '[');
    const char *name = cli_text_get(&lack->nodes);
    for (int k = 0; k < lack->count; ++k, name += strlen(name) + 1) {
      cli_json_text(&json, NULL, name);
    }
    cli_json_close(&json);
    cli_json_close(&json);
  }
  cli_json_close(&json);
  cli_json_close(&json);
  cli_json_end(&json);
}

static bool is_broken(const search_t *search) {
  for (int i = 0; i < search->count; ++i) {
    if (search->lacks[i].nodes.is_broken) return true;
  }
  return search->is_short;
}

int cli_missing(const char *path, int gpus, bool is_json) {
  search_t search = {.gpus = gpus > 0 ? gpus : count_gpus()};
  int status = check_file(&search, path);
  if (status == CLI_OK && is_broken(&search)) {
    status = cli_fail("not enough memory for the names of nodes");
  } else if (status == CLI_OK && is_json) {
    tell_json(&search);
  } else if (status == CLI_OK) {
    tell_table(&search);
  }
  if (status == CLI_OK && search.count > 0) status = CLI_FAILED;
  forget(&search);
  for (int i = 0; i < search.count; ++i) {
    cli_text_clear(&search.lacks[i].op);
    cli_text_clear(&search.lacks[i].why);
    cli_text_clear(&search.lacks[i].nodes);
  }
  cli_free(search.lacks);
  return status;
}
