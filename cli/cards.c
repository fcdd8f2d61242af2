// cards.c - GPUs on the command line.
#include "cards.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "term.h"

enum { MOST_USERS = 64 };

int cli_simulate(const char *command, const char *spec) {
  if (spec == NULL) return CLI_OK;
  // An empty variable is one that is not set.
  if (spec[0] == '\0') {
    return cli_misuse(command, "--simulate '': which cards?");
  }
  if (setenv("BERTH_SIMULATE_GPUS", spec, 1) != 0) {
    return cli_fail("not enough memory for the arguments");
  }
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  berth_code_t code = berth_card_count(&count, &err);
  if (code == BERTH_INVALID_ARGUMENT) {
    // The text names the variable, which nobody has set.
    const char *text = berth_error_message(&err);
    const char *colon = strstr(text, ": ");
    bool is_choice = strncmp(text, "BERTH_GPU", strlen("BERTH_GPU")) == 0;
    int status =
        cli_misuse(command, "%s: %s", is_choice ? "--gpu" : "--simulate",
                   colon != NULL ? colon + 2 : text);
    berth_error_clear(&err);
    return status;
  }
  if (code != BERTH_OK) return cli_fail_with(NULL, &err);
  // CUDA_VISIBLE_DEVICES hides simulated cards too, and that is fine.
  return CLI_OK;
}

int cli_all_cards(const char *command, const char *spec) {
  if (unsetenv("BERTH_GPU") != 0) return cli_fail("not enough memory");
  return cli_simulate(command, spec);
}

int cli_choose_cards(const char *wish, bool is_verbose) {
  bool is_set = wish == NULL || setenv("BERTH_GPU", wish, 1) == 0;
  if (is_verbose) is_set = setenv("BERTH_LOG", "cards", 0) == 0 && is_set;
  return is_set ? CLI_OK : cli_fail("not enough memory for the arguments");
}

static void drop_information(berth_log_level_t level, const char *file,
                             int line, const char *text, void *arg) {
  (void)file;
  (void)line;
  (void)arg;
  // That a driver fails is told where cards are.
  if (level == BERTH_LOG_INFO || strncmp(text, "failed call", 11) == 0) return;
  (void)cli_fail("%s", text);
}

void cli_announce_nothing(void) {
  berth_log_set_callback(drop_information, NULL);
}

// One card, with who is on it.
typedef struct shown_card {
  berth_card_t card;
  berth_card_user_t users[MOST_USERS];
  int user_count;  // At most as many as there is room for.
} shown_card_t;

static berth_code_t query(int index, shown_card_t *shown, berth_error_t *err) {
  berth_code_t code = berth_card_query(index, &shown->card, err);
  if (code != BERTH_OK) return code;
  code = berth_card_query_users(index, shown->users, MOST_USERS,
                                &shown->user_count, err);
  if (shown->user_count > MOST_USERS) shown->user_count = MOST_USERS;
  return code;
}

// Writes a place in an order; "-" for one that is not known.
static void print_place(int place, char *text, size_t size) {
  if (place < 0) {
    snprintf(text, size, "-");
  } else {
    snprintf(text, size, "%d", place);
  }
}

// Writes "4711: 1.2 GiB, 4712", "-" for nobody.
static void print_users(const shown_card_t *shown, cli_text_t *text) {
  if (shown->user_count == 0) cli_text_puts(text, "-");
  for (int i = 0; i < shown->user_count; ++i) {
    const berth_card_user_t *user = &shown->users[i];
    cli_text_printf(text, "%s%u", i > 0 ? ", " : "", (unsigned)user->pid);
    if (user->bytes == UINT64_MAX) continue;
    char bytes[32];
    cli_print_bytes((int64_t)user->bytes, bytes, sizeof(bytes));
    cli_text_printf(text, ": %s", bytes);
  }
}

static void print_row(cli_table_t *table, int index,
                      const shown_card_t *shown) {
  const berth_card_t *card = &shown->card;
  char number[16], bus[16], fast[16], capability[16], used[32], total[32];
  cli_text_t name = {0}, memory = {0}, users = {0};
  print_place(index, number, sizeof(number));
  print_place(card->bus_index, bus, sizeof(bus));
  print_place(card->fast_index, fast, sizeof(fast));
  snprintf(capability, sizeof(capability), "%d.%d", card->cc_major,
           card->cc_minor);
  cli_print_bytes((int64_t)(card->total_bytes - card->free_bytes), used,
                  sizeof(used));
  cli_print_bytes((int64_t)card->total_bytes, total, sizeof(total));
  cli_text_printf(&name, "%s%s", card->name,
                  card->is_simulated ? " (simulated)" : "");
  cli_text_printf(&memory, "%s / %s", used, total);
  print_users(shown, &users);
  cli_table_row(table, number, bus, fast, cli_text_get(&name), capability,
                cli_text_get(&memory), card->pci_bus_id, cli_text_get(&users));
  cli_text_clear(&name);
  cli_text_clear(&memory);
  cli_text_clear(&users);
}

// Why there is no card, after |code|.
static const char *reason(berth_code_t code, const berth_error_t *err) {
  return code != BERTH_OK ? berth_error_message(err) : berth_card_problem();
}

int cli_cards_print(void) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  berth_code_t code = berth_card_count(&count, &err);
  if (code != BERTH_OK || count == 0) {
    printf("No GPU: %s\n", reason(code, &err));
    berth_error_clear(&err);
    return CLI_OK;
  }
  cli_table_t table = {.column_count = 8,
                       .is_right = {true, true, true, [5] = true}};
  cli_table_row(&table, "CARD", "BUS", "FAST", "NAME", "CAPABILITY",
                "USED / TOTAL", "PCI BUS ID", "PROCESSES");
  for (int i = 0; i < count && code == BERTH_OK; ++i) {
    shown_card_t shown;
    code = query(i, &shown, &err);
    if (code == BERTH_OK) print_row(&table, i, &shown);
  }
  cli_table_print(&table, stdout);
  cli_table_clear(&table);
  return code == BERTH_OK ? CLI_OK : cli_fail_with(NULL, &err);
}

static void write_users(cli_json_t *json, const shown_card_t *shown) {
  cli_json_open(json, "processes", '[');
  for (int i = 0; i < shown->user_count; ++i) {
    cli_json_open(json, NULL, '{');
    cli_json_int(json, "pid", shown->users[i].pid);
    if (shown->users[i].bytes != UINT64_MAX) {
      cli_json_int(json, "bytes", (int64_t)shown->users[i].bytes);
    }
    cli_json_close(json);
  }
  cli_json_close(json);
}

static void write_card(cli_json_t *json, int index, const shown_card_t *shown) {
  const berth_card_t *card = &shown->card;
  char capability[16];
  snprintf(capability, sizeof(capability), "%d.%d", card->cc_major,
           card->cc_minor);
  cli_json_open(json, NULL, '{');
  cli_json_int(json, "index", index);
  cli_json_int(json, "bus_index", card->bus_index);
  cli_json_int(json, "fast_index", card->fast_index);
  cli_json_text(json, "name", card->name);
  cli_json_text(json, "uuid", card->uuid);
  cli_json_text(json, "pci_bus_id", card->pci_bus_id);
  cli_json_text(json, "compute_capability", capability);
  cli_json_int(json, "total_bytes", (int64_t)card->total_bytes);
  cli_json_int(json, "free_bytes", (int64_t)card->free_bytes);
  cli_json_bool(json, "slice", card->is_slice);
  cli_json_bool(json, "simulated", card->is_simulated);
  write_users(json, shown);
  cli_json_close(json);
}

int cli_cards_write(cli_json_t *json) {
  berth_error_t err = BERTH_ERROR_INIT;
  int count = 0;
  berth_code_t code = berth_card_count(&count, &err);
  if (code != BERTH_OK || count == 0) {
    cli_json_open(json, "cards", '[');
    cli_json_close(json);
    cli_json_text(json, "no_card", reason(code, &err));
    berth_error_clear(&err);
    return CLI_OK;
  }
  cli_json_open(json, "cards", '[');
  for (int i = 0; i < count && code == BERTH_OK; ++i) {
    shown_card_t shown;
    code = query(i, &shown, &err);
    if (code == BERTH_OK) write_card(json, i, &shown);
  }
  cli_json_close(json);
  return code == BERTH_OK ? CLI_OK : cli_fail_with(NULL, &err);
}
