// cmd_devices.c - `berth devices`: what there is to run on.
#include "args.h"
#include "cards.h"
#include "command.h"
#include "json.h"
#include "table.h"
#include "term.h"

static const char HELP[] =
    "Lists the devices that graphs can run on, and the cards behind the GPUs:\n"
    "their numbers (in the order of this process, on the bus as nvidia-smi\n"
    "counts, and fastest first), memory, and who else is on them. Holds "
    "nothing\n"
    "on a card.\n"
    "\n"
    "Usage:\n"
    "  berth devices [OPTIONS]\n"
    "\n"
    "Options:\n"
    "  --simulate SPEC  make cards in software: 'Tesla K40c', 'H100*2'; see\n"
    "                   docs/howto/simulate-gpus.md\n"
    "  --json           as JSON, with incarnations and memory figures\n"
    "\n"
    "Examples:\n"
    "  berth devices\n"
    "  berth devices --simulate 'Tesla K20m*4'\n"
    "  berth devices --json | python3 -m json.tool\n";

static void print_row(cli_table_t *table, const berth_device_info_t *info) {
  char limit[32];
  cli_print_bytes(info->memory_limit, limit, sizeof(limit));
  cli_table_row(table, info->name, info->type, limit, info->description);
}

static berth_code_t write_memory(cli_json_t *json, const char *name,
                                 berth_error_t *err) {
  berth_memory_stats_t stats;
  berth_code_t code = berth_device_memory_stats(name, &stats, err);
  if (code != BERTH_OK) return code;
  cli_json_open(json, "memory", '{');
  cli_json_int(json, "bytes_in_use", stats.bytes_in_use);
  cli_json_int(json, "peak_bytes_in_use", stats.peak_bytes_in_use);
  cli_json_int(json, "pool_bytes", stats.pool_bytes);
  cli_json_close(json);
  return BERTH_OK;
}

static berth_code_t write_device(cli_json_t *json,
                                 const berth_device_info_t *info,
                                 berth_error_t *err) {
  char incarnation[24];
  // As text: readers of JSON keep 53 bits of a number.
  snprintf(incarnation, sizeof(incarnation), "%llu",
           (unsigned long long)info->incarnation);
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", info->name);
  cli_json_text(json, "type", info->type);
  cli_json_text(json, "description", info->description);
  cli_json_int(json, "memory_limit", info->memory_limit);
  cli_json_text(json, "incarnation", incarnation);
  berth_code_t code = write_memory(json, info->name, err);
  cli_json_close(json);
  return code;
}

static int list_devices(bool is_json, cli_table_t *table, cli_json_t *json) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  berth_code_t code = berth_device_count(&count, &err);
  for (int i = 0; i < count && code == BERTH_OK; ++i) {
    berth_device_info_t info;
    code = berth_device_query(i, &info, &err);
    if (code != BERTH_OK) break;
    if (is_json) {
      code = write_device(json, &info, &err);
    } else {
      print_row(table, &info);
    }
  }
  return code == BERTH_OK ? CLI_OK : cli_fail_with(NULL, &err);
}

static int print_json(void) {
  cli_json_t json;
  cli_json_begin(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_json_open(&json, "devices", '[');
  int status = list_devices(true, NULL, &json);
  cli_json_close(&json);
  if (status == CLI_OK) status = cli_cards_write(&json);
  cli_json_close(&json);
  cli_json_end(&json);
  return status;
}

static int print_tables(void) {
  cli_table_t table = {.column_count = 4, .is_right = {[2] = true}};
  cli_table_row(&table, "NAME", "TYPE", "MEMORY", "DESCRIPTION");
  int status = list_devices(false, &table, NULL);
  if (status == CLI_OK) {
    cli_table_print(&table, stdout);
    fputc('\n', stdout);
    status = cli_cards_print();
  }
  cli_table_clear(&table);
  return status;
}

static int run(int argc, char **argv) {
  bool is_json = false;
  const char *simulate = NULL;
  cli_list_t others = {0};
  const cli_option_t options[] = {{"--json", CLI_FLAG, &is_json},
                                  {"--simulate", CLI_VALUE, &simulate},
                                  {NULL, CLI_FLAG, NULL}};
  int status = cli_args_parse("devices", argc, argv, options, &others);
  if (status == CLI_OK && others.count > 0) {
    status = cli_misuse("devices", "unknown argument '%s'", others.items[0]);
  }
  cli_list_clear(&others);
  if (status == CLI_OK) status = cli_all_cards("devices", simulate);
  if (status != CLI_OK) return status;
  cli_announce_nothing();
  return is_json ? print_json() : print_tables();
}

const cli_command_t cli_cmd_devices = {
    "devices", "list what there is to run on", HELP, run};
