// cmd_ops.c - `berth ops`: which operations there are.
#include <string.h>

#include "args.h"
#include "cards.h"
#include "command.h"
#include "json.h"
#include "missing.h"
#include "nearest.h"
#include "op_def.h"
#include "table.h"
#include "term.h"

static const char HELP[] =
    "Lists the operations Berth knows, or describes one: its inputs, outputs "
    "and\n"
    "attributes, what TensorFlow registers for it on which device, and "
    "whether\n"
    "Berth has a kernel. An operation without one can be placed, but not run.\n"
    "\n"
    "Usage:\n"
    "  berth ops [NAME] [--json]\n"
    "  berth ops --missing GRAPH [OPTIONS]\n"
    "\n"
    "Options:\n"
    "  --missing GRAPH  list what a GraphDef or a SavedModel has that Berth "
    "cannot\n"
    "                   run where it would be placed, functions included; "
    "fails\n"
    "                   when there is any\n"
    "  --gpus N         imagine one CPU and N GPUs\n"
    "  --simulate SPEC  make cards in software, with their names\n"
    "  --json           as JSON\n"
    "\n"
    "Examples:\n"
    "  berth ops\n"
    "  berth ops MatMul\n"
    "  berth ops --missing model.pb --gpus 1\n"
    "  berth ops | grep -c yes$\n";

// ---- All of them ----

static const char *yes_or_dash(bool is_so) { return is_so ? "yes" : "-"; }

static void write_op(cli_json_t *json, const cli_op_def_t *def) {
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", def->name);
  cli_json_bool(json, "tensorflow_cpu", cli_op_def_is_registered(def, "CPU"));
  cli_json_bool(json, "tensorflow_gpu", cli_op_def_is_registered(def, "GPU"));
  cli_json_bool(json, "berth_cpu", berth_op_has_kernel(def->name, "CPU"));
  cli_json_bool(json, "berth_gpu", berth_op_has_kernel(def->name, "GPU"));
  cli_json_close(json);
}

static void add_op(cli_table_t *table, const cli_op_def_t *def) {
  cli_table_row(table, def->name,
                yes_or_dash(cli_op_def_is_registered(def, "CPU")),
                yes_or_dash(cli_op_def_is_registered(def, "GPU")),
                yes_or_dash(berth_op_has_kernel(def->name, "CPU")));
}

static int list_ops(cli_json_t *json, cli_table_t *table) {
  berth_error_t err = BERTH_ERROR_INIT;
  for (int i = 0; i < berth_op_count(); ++i) {
    cli_op_def_t def;
    if (cli_op_def_open(berth_op_name(i), &def, &err) != BERTH_OK) {
      return cli_fail_with(NULL, &err);
    }
    if (json != NULL) {
      write_op(json, &def);
    } else {
      add_op(table, &def);
    }
    cli_op_def_close(&def);
  }
  return CLI_OK;
}

static int list_table(void) {
  cli_table_t table = {.column_count = 4};
  cli_table_row(&table, "OP", "TF CPU", "TF GPU", "BERTH CPU");
  int status = list_ops(NULL, &table);
  if (status == CLI_OK) cli_table_print(&table, stdout);
  cli_table_clear(&table);
  return status;
}

static int list_json(void) {
  cli_json_t json;
  cli_json_begin(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_json_open(&json, "ops", '[');
  int status = list_ops(&json, NULL);
  cli_json_close(&json);
  cli_json_close(&json);
  cli_json_end(&json);
  return status;
}

// ---- One of them ----

static void print_heading(const char *text) {
  printf("\n%s%s%s\n", cli_bold(stdout), text, cli_plain(stdout));
}

static void print_attrs(const cli_op_def_t *def) {
  cli_wire_t wire = cli_op_def_attrs(def);
  cli_op_attr_t attr;
  bool is_first = true;
  while (cli_op_attr_next(&wire, &attr)) {
    if (is_first) print_heading("Attributes:");
    is_first = false;
    printf("  %s: %s", cli_text_get(&attr.name), cli_text_get(&attr.type));
    if (attr.value.size > 0) printf(" = %s", cli_text_get(&attr.value));
    if (attr.allowed.size > 0) printf("  {%s}", cli_text_get(&attr.allowed));
    putchar('\n');
    cli_op_attr_clear(&attr);
  }
}

static void print_kernels(const cli_op_def_t *def) {
  cli_wire_t wire = cli_op_def_kernels(def);
  cli_op_kernel_t kernel;
  bool is_first = true;
  print_heading("TensorFlow registers:");
  while (cli_op_kernel_next(&wire, &kernel)) {
    is_first = false;
    printf("  %s", cli_text_get(&kernel.device));
    if (kernel.types.size > 0) printf("  %s", cli_text_get(&kernel.types));
    if (kernel.host_memory.size > 0) {
      printf("  (host memory: %s)", cli_text_get(&kernel.host_memory));
    }
    if (kernel.label.size > 0) {
      printf("  (label %s)", cli_text_get(&kernel.label));
    }
    putchar('\n');
    cli_op_kernel_clear(&kernel);
  }
  if (is_first) puts("  no kernel");
}

static void print_one(const cli_op_def_t *def) {
  cli_text_t signature = {0};
  cli_op_def_signature(def, &signature);
  printf("%s%s%s\n  %s\n", cli_bold(stdout), def->name, cli_plain(stdout),
         cli_text_get(&signature));
  if (cli_op_def_is_stateful(def)) puts("  keeps state");
  print_attrs(def);
  print_kernels(def);
  print_heading("Berth:");
  bool has_kernel = berth_op_has_kernel(def->name, "CPU");
  bool has_both = has_kernel && berth_op_has_kernel(def->name, "GPU");
  printf("  %s%s%s\n", has_kernel ? cli_green(stdout) : cli_red(stdout),
         has_both     ? "has kernels for CPUs and GPUs"
         : has_kernel ? "has a CPU kernel"
                      : "has no kernel: can be placed, not run",
         cli_plain(stdout));
  cli_text_clear(&signature);
}

static void write_attrs(cli_json_t *json, const cli_op_def_t *def) {
  cli_wire_t wire = cli_op_def_attrs(def);
  cli_op_attr_t attr;
  cli_json_open(json, "attributes", '[');
  while (cli_op_attr_next(&wire, &attr)) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", cli_text_get(&attr.name));
    cli_json_text(json, "type", cli_text_get(&attr.type));
    if (attr.value.size > 0) {
      cli_json_text(json, "default", cli_text_get(&attr.value));
    }
    if (attr.allowed.size > 0) {
      cli_json_text(json, "allowed", cli_text_get(&attr.allowed));
    }
    cli_json_close(json);
    cli_op_attr_clear(&attr);
  }
  cli_json_close(json);
}

static void write_kernels(cli_json_t *json, const cli_op_def_t *def) {
  cli_wire_t wire = cli_op_def_kernels(def);
  cli_op_kernel_t kernel;
  cli_json_open(json, "tensorflow_kernels", '[');
  while (cli_op_kernel_next(&wire, &kernel)) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "device", cli_text_get(&kernel.device));
    cli_json_text(json, "types", cli_text_get(&kernel.types));
    cli_json_text(json, "host_memory", cli_text_get(&kernel.host_memory));
    cli_json_text(json, "label", cli_text_get(&kernel.label));
    cli_json_close(json);
    cli_op_kernel_clear(&kernel);
  }
  cli_json_close(json);
}

static void write_one(const cli_op_def_t *def) {
  cli_json_t json;
  cli_text_t signature = {0};
  cli_op_def_signature(def, &signature);
  cli_json_begin(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "name", def->name);
  cli_json_text(&json, "signature", cli_text_get(&signature));
  cli_json_bool(&json, "is_stateful", cli_op_def_is_stateful(def));
  cli_json_bool(&json, "berth_cpu", berth_op_has_kernel(def->name, "CPU"));
  cli_json_bool(&json, "berth_gpu", berth_op_has_kernel(def->name, "GPU"));
  write_attrs(&json, def);
  write_kernels(&json, def);
  cli_json_close(&json);
  cli_json_end(&json);
  cli_text_clear(&signature);
}

// Says that there is no such op, with one that is written almost so.
static int fail_unknown(const char *name) {
  cli_nearest_t near = {.word = name};
  for (int i = 0; i < berth_op_count(); ++i) {
    cli_nearest_try(&near, berth_op_name(i));
  }
  return cli_misuse(
      "ops", "there is no op '%s'%s", name,
      near.best != NULL ? cli_nearest_say(&near) : "; 'berth ops' lists them");
}

static int describe(const char *name, bool is_json) {
  berth_error_t err = BERTH_ERROR_INIT;
  cli_op_def_t def;
  berth_code_t code = cli_op_def_open(name, &def, &err);
  if (code == BERTH_NOT_FOUND) {
    berth_error_clear(&err);
    return fail_unknown(name);
  }
  if (code != BERTH_OK) return cli_fail_with(NULL, &err);
  if (is_json) {
    write_one(&def);
  } else {
    print_one(&def);
  }
  cli_op_def_close(&def);
  return CLI_OK;
}

// What the command line asks for.
typedef struct request {
  cli_list_t names;
  const char *missing, *simulate;
  int gpus;
  bool is_json;
} request_t;

static int parse(int argc, char **argv, request_t *request) {
  const cli_option_t options[] = {{"--missing", CLI_VALUE, &request->missing},
                                  {"--gpus", CLI_COUNT, &request->gpus},
                                  {"--simulate", CLI_VALUE, &request->simulate},
                                  {"--json", CLI_FLAG, &request->is_json},
                                  {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("ops", argc, argv, options, &request->names);
  if (status != CLI_OK) return status;
  bool has_devices = request->gpus > 0 || request->simulate != NULL;
  if (request->missing == NULL && has_devices) {
    return cli_misuse("ops", "--gpus and --simulate go with --missing");
  }
  if (request->names.count > (request->missing == NULL ? 1 : 0)) {
    return cli_misuse("ops", request->missing == NULL
                                 ? "one operation at a time"
                                 : "give an operation or --missing, not both");
  }
  return cli_simulate("ops", request->simulate);
}

static int run(int argc, char **argv) {
  request_t request = {0};
  int status = parse(argc, argv, &request);
  if (status == CLI_OK && request.missing != NULL) {
    status = cli_missing(request.missing, request.gpus, request.is_json);
  } else if (status == CLI_OK && request.names.count == 1) {
    status = describe(request.names.items[0], request.is_json);
  } else if (status == CLI_OK) {
    status = request.is_json ? list_json() : list_table();
  }
  cli_list_clear(&request.names);
  return status;
}

const cli_command_t cli_cmd_ops = {"ops", "list operations, or describe one",
                                   HELP, run};
