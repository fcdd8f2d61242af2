// cmd_explain.c - `berth explain`: where every node goes, and why.
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cards.h"
#include "command.h"
#include "graph_file.h"
#include "json.h"
#include "table.h"
#include "term.h"

static const char HELP[] =
    "Tells on which device every node of a graph would run, and why, for the\n"
    "devices of this machine or for any others; runs nothing.\n"
    "\n"
    "Usage:\n"
    "  berth explain GRAPH [OPTIONS]\n"
    "\n"
    "  GRAPH is a GraphDef: binary (.pb), text (.pbtxt, .txt), or - for\n"
    "  standard input.\n"
    "\n"
    "Options:\n"
    "  --devices LIST    imagine these: CPU:0,GPU:0,GPU:1\n"
    "  --gpus N          imagine one CPU and N GPUs\n"
    "  --simulate SPEC   make cards in software, with their names\n"
    "  --soft-placement  use another device where the one asked for is "
    "missing\n"
    "                    or cannot do it\n"
    "  --strict          a node that lands on a CPU unasked is an error\n"
    "  --json            as JSON\n"
    "\n"
    "Examples:\n"
    "  berth explain model.pb\n"
    "  berth explain model.pb --gpus 4 --soft-placement\n"
    "  berth explain model.pb --gpus 1 --strict && echo all on the GPU\n";

// How the names of this machine's devices begin.
#define LOCAL "/job:localhost/replica:0/task:0/device:"

typedef struct request {
  cli_list_t graphs;
  const char *devices;  // As given; NULL: not.
  int gpus;             // 0: not given.
  const char *simulate;
  bool is_soft, is_strict, is_json;
} request_t;

// The devices to plan for; |text| holds their names, one after the other.
typedef struct machine {
  cli_text_t text;
  cli_list_t names, descriptions;
} machine_t;

// ---- Devices ----

static void clear_machine(machine_t *machine) {
  cli_list_clear(&machine->names);
  cli_list_clear(&machine->descriptions);
  cli_text_clear(&machine->text);
}

static int add_device(machine_t *machine, const char *name,
                      const char *description) {
  if (cli_list_add(&machine->names, name) &&
      cli_list_add(&machine->descriptions, description)) {
    return CLI_OK;
  }
  return cli_fail("not enough memory for the devices");
}

// Those of this machine.
static int add_real(machine_t *machine) {
  cli_announce_nothing();
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0, status = CLI_OK;
  berth_code_t code = berth_device_count(&count, &err);
  for (int i = 0; i < count && code == BERTH_OK && status == CLI_OK; ++i) {
    berth_device_info_t info;
    code = berth_device_query(i, &info, &err);
    if (code == BERTH_OK) {
      status = add_device(machine, info.name, info.description);
    }
  }
  return code == BERTH_OK ? status : cli_fail_with(NULL, &err);
}

// Adds |name|, completed, to |machine->text|.
static int imagine(machine_t *machine, const char *name) {
  berth_error_t err = BERTH_ERROR_INIT;
  char *full = NULL;
  if (berth_device_name_complete(name, LOCAL "CPU:0", &full, &err) !=
      BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  cli_text_put(&machine->text, full, strlen(full) + 1);
  berth_text_free(full);
  return CLI_OK;
}

// The devices of `CPU:0,GPU:0`.
static int imagine_list(machine_t *machine, const char *list) {
  cli_text_t name = {0};
  int status = CLI_OK;
  for (const char *next = list; status == CLI_OK;) {
    size_t size = strcspn(next, ",");
    cli_text_clear(&name);
    cli_text_put(&name, next, size);
    status = imagine(machine, cli_text_get(&name));
    if (next[size] == '\0') break;
    next += size + 1;
  }
  cli_text_clear(&name);
  return status;
}

// One CPU and |count| GPUs.
static int imagine_gpus(machine_t *machine, int count) {
  int status = imagine(machine, "CPU:0");
  for (int i = 0; i < count && status == CLI_OK; ++i) {
    char name[32];
    snprintf(name, sizeof(name), "GPU:%d", i);
    status = imagine(machine, name);
  }
  return status;
}

static int make_machine(const request_t *request, machine_t *machine) {
  if (request->devices == NULL && request->gpus == 0) return add_real(machine);
  int status = request->devices != NULL
                   ? imagine_list(machine, request->devices)
                   : imagine_gpus(machine, request->gpus);
  if (machine->text.is_broken) return cli_fail("not enough memory");
  // The text no longer moves: its names can be borrowed.
  const char *name = cli_text_get(&machine->text);
  const char *end = name + machine->text.size;
  for (; name < end && status == CLI_OK; name += strlen(name) + 1) {
    status = add_device(machine, name, "");
  }
  return status;
}

// ---- Telling ----

// The part of a device name that tells it apart: "GPU:1" on this machine.
static const char *short_name(const char *device) {
  size_t size = strlen(LOCAL);
  return strncmp(device, LOCAL, size) == 0 ? device + size : device;
}

// The reason in an explanation `'x' (Op) is on DEVICE: REASON.`
static const char *reason_in(const char *text, const char *device) {
  const char *found = device != NULL ? strstr(text, device) : NULL;
  if (found == NULL) return text;
  found += strlen(device);
  return strncmp(found, ": ", 2) == 0 ? found + 2 : text;
}

static void write_node(const berth_graph_t *graph, berth_node_id_t node,
                       const berth_node_placement_t *placement, const char *why,
                       cli_json_t *json) {
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", berth_node_name(graph, node));
  cli_json_text(json, "op", berth_node_op(graph, node));
  cli_json_text(json, "asked", berth_node_device(graph, node));
  cli_json_text(json, "device", placement->device);
  cli_json_text(json, "reason", berth_reason_name(placement->reason));
  if (placement->because >= 0) {
    cli_json_text(json, "because", berth_node_name(graph, placement->because));
  }
  cli_json_text(json, "why", why);
  cli_json_close(json);
}

static int tell_node(const berth_graph_t *graph, const berth_plan_t *plan,
                     berth_node_id_t node, cli_json_t *json,
                     cli_table_t *table) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_node_placement_t placement = {0};
  char *text = NULL;
  berth_plan_query(plan, node, &placement);
  if (placement.device == NULL) return CLI_OK;
  if (berth_plan_explain(plan, node, &text, &err) != BERTH_OK) {
    return cli_fail_with(NULL, &err);
  }
  const char *why = reason_in(text, placement.device);
  if (json != NULL) {
    write_node(graph, node, &placement, why, json);
  } else {
    cli_table_row(table, berth_node_name(graph, node),
                  berth_node_op(graph, node), short_name(placement.device),
                  why);
  }
  berth_text_free(text);
  return CLI_OK;
}

static int count_on(const berth_graph_t *graph, const berth_plan_t *plan,
                    const char *device) {
  int count = 0;
  for (int node = 0; node < berth_graph_node_count(graph); ++node) {
    berth_node_placement_t placement = {0};
    berth_plan_query(plan, node, &placement);
    if (placement.device != NULL && strcmp(placement.device, device) == 0) {
      ++count;
    }
  }
  return count;
}

static void print_summary(const berth_graph_t *graph, const berth_plan_t *plan,
                          const machine_t *machine) {
  putchar('\n');
  for (int i = 0; i < machine->names.count; ++i) {
    const char *name = machine->names.items[i];
    printf("%s%d on %s", i > 0 ? ", " : "", count_on(graph, plan, name),
           short_name(name));
  }
  putchar('\n');
}

static void write_summary(const berth_graph_t *graph, const berth_plan_t *plan,
                          const machine_t *machine, cli_json_t *json) {
  cli_json_open(json, "devices", '[');
  for (int i = 0; i < machine->names.count; ++i) {
    const char *name = machine->names.items[i];
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", name);
    cli_json_int(json, "nodes", count_on(graph, plan, name));
    cli_json_close(json);
  }
  cli_json_close(json);
}

static int tell_table(const berth_graph_t *graph, const berth_plan_t *plan,
                      const machine_t *machine) {
  cli_table_t table = {.column_count = 4};
  int status = CLI_OK;
  cli_table_row(&table, "NODE", "OP", "DEVICE", "WHY");
  for (int node = 0; node < berth_graph_node_count(graph) && status == CLI_OK;
       ++node) {
    status = tell_node(graph, plan, node, NULL, &table);
  }
  if (status == CLI_OK) {
    cli_table_print(&table, stdout);
    print_summary(graph, plan, machine);
  }
  cli_table_clear(&table);
  return status;
}

static int tell_json(const berth_graph_t *graph, const berth_plan_t *plan,
                     const machine_t *machine) {
  cli_json_t json;
  int status = CLI_OK;
  cli_json_begin(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_json_open(&json, "nodes", '[');
  for (int node = 0; node < berth_graph_node_count(graph) && status == CLI_OK;
       ++node) {
    status = tell_node(graph, plan, node, &json, NULL);
  }
  cli_json_close(&json);
  write_summary(graph, plan, machine, &json);
  cli_json_close(&json);
  cli_json_end(&json);
  return status;
}

// ---- The command ----

static int parse_request(int argc, char **argv, request_t *request) {
  const cli_option_t options[] = {
      {"--devices", CLI_VALUE, &request->devices},
      {"--gpus", CLI_COUNT, &request->gpus},
      {"--simulate", CLI_VALUE, &request->simulate},
      {"--soft-placement", CLI_FLAG, &request->is_soft},
      {"--strict", CLI_FLAG, &request->is_strict},
      {"--json", CLI_FLAG, &request->is_json},
      {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("explain", argc, argv, options, &request->graphs);
  if (status != CLI_OK) return status;
  if (request->devices != NULL && request->gpus > 0) {
    return cli_misuse("explain", "give --devices or --gpus, not both");
  }
  if (request->graphs.count != 1) {
    return cli_misuse("explain", request->graphs.count == 0
                                     ? "which graph is to be explained?"
                                     : "one graph at a time");
  }
  return CLI_OK;
}

static int explain(const request_t *request, const machine_t *machine) {
  berth_error_t err = BERTH_ERROR_INIT;
  berth_plan_t *plan = NULL;
  berth_graph_t *graph = cli_graph_open(request->graphs.items[0]);
  if (graph == NULL) return CLI_FAILED;
  berth_plan_options_t options = {
      .devices = machine->names.items,
      .descriptions = machine->descriptions.items,
      .device_count = machine->names.count,
      .allow_soft_placement = request->is_soft,
      .strict = request->is_strict,
  };
  int status = CLI_OK;
  if (berth_plan_create(graph, &options, &plan, &err) != BERTH_OK) {
    status = cli_fail_with(NULL, &err);
  } else if (request->is_json) {
    status = tell_json(graph, plan, machine);
  } else {
    status = tell_table(graph, plan, machine);
  }
  berth_plan_destroy(plan);
  berth_graph_release(graph);
  return status;
}

static int run(int argc, char **argv) {
  request_t request = {0};
  machine_t machine = {0};
  int status = parse_request(argc, argv, &request);
  if (status == CLI_OK) status = cli_simulate("explain", request.simulate);
  if (status == CLI_OK) status = make_machine(&request, &machine);
  if (status == CLI_OK) status = explain(&request, &machine);
  clear_machine(&machine);
  cli_list_clear(&request.graphs);
  return status;
}

const cli_command_t cli_cmd_explain = {
    "explain", "tell where every node of a graph goes, and why", HELP, run};
