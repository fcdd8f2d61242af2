// memory_report.c - What the memory of a GPU looks like, in words or as JSON.
#include "berth/report.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "device/account.h"
#include "memory/report.h"
#include "runtime/cards.h"
#include "runtime/process.h"

enum { MOST_OTHERS = 64, NAME_ROOM = 64 };

// Everything that a report says.
typedef struct facts {
  berth_memory_report_t report;
  berth_neighbour_t others[MOST_OTHERS];
  char names[MOST_OTHERS][NAME_ROOM];
  uint64_t budget, pool, outside;
  bool is_estimate;
} facts_t;

// ---- Who else is there ----

// Finds what process |pid| is called; "" when nobody says.
static void find_name(int64_t pid, char name[NAME_ROOM]) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%lld/comm", (long long)pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = file >= 0 ? read(file, name, NAME_ROOM - 1) : 0;
  if (file >= 0) close(file);
  name[got > 0 ? got : 0] = '\0';
  name[strcspn(name, "\n")] = '\0';
}

static void add_other(facts_t *facts, int64_t pid, const char *name,
                      uint64_t bytes) {
  int at = facts->report.neighbour_count;
  for (int i = 0; i < at; ++i) {
    if (facts->others[i].pid == pid) return;
  }
  if (at == MOST_OTHERS || pid == getpid()) return;
  if (name != NULL) {
    snprintf(facts->names[at], NAME_ROOM, "%s", name);
  } else {
    find_name(pid, facts->names[at]);
  }
  bool has_name = facts->names[at][0] != '\0';
  facts->others[at] = (berth_neighbour_t){
      .pid = pid, .name = has_name ? facts->names[at] : NULL, .bytes = bytes};
  ++facts->report.neighbour_count;
}

// Berth's own processes say more of themselves than the driver does.
static void add_shares(facts_t *facts, const char *uuid) {
  berth_card_share_t shares[MOST_OTHERS];
  int count = berth_board_list(shares, MOST_OTHERS);
  for (int i = 0; i < count && i < MOST_OTHERS; ++i) {
    const berth_card_share_t *share = &shares[i];
    if (share->is_self || strcmp(share->card_uuid, uuid) != 0) continue;
    add_other(facts, share->pid, share->program,
              share->pool_bytes + share->outside_bytes);
  }
}

static void add_processes(facts_t *facts, int card) {
  berth_card_process_t processes[MOST_OTHERS];
  int count = 0;
  if (berth_cards_processes(card, processes, MOST_OTHERS, &count, NULL) !=
      BERTH_OK) {
    return;
  }
  for (int i = 0; i < count && i < MOST_OTHERS; ++i) {
    uint64_t bytes = processes[i].bytes;
    add_other(facts, processes[i].pid, NULL, bytes == UINT64_MAX ? 0 : bytes);
  }
}

// ---- Collecting ----

static berth_code_t collect(const char *name, uint64_t asked, facts_t *facts,
                            berth_error_t *err) {
  berth_registry_t all = {0};
  berth_device_t *device = NULL;
  berth_code_t code = berth_process_list(&all, err);
  if (code == BERTH_OK) code = berth_registry_get(&all, name, &device, err);
  berth_registry_deinit(&all);
  if (code != BERTH_OK) return code;
  int card = berth_cards_of(device);
  if (card < 0 || device->backend->memory_report == NULL ||
      !device->backend->memory_report(device, asked, &facts->report)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "%s holds no memory of a card", name);
  }
  const berth_card_info_t *info = berth_cards_info(card);
  const berth_account_t *account =
      info != NULL ? berth_account_find(info) : NULL;
  if (account != NULL) {
    facts->budget = atomic_load(&account->budget_bytes);
    facts->pool = atomic_load(&account->held_bytes);
    facts->outside = atomic_load(&account->outside_bytes);
    facts->is_estimate = atomic_load(&account->is_estimate);
    add_shares(facts, account->uuid);
  }
  add_processes(facts, card);
  facts->report.neighbours = facts->others;
  return BERTH_OK;
}

// ---- Writing ----

static void write_text(const facts_t *facts, berth_str_t *str) {
  char budget[BERTH_SIZE_TEXT], pool[BERTH_SIZE_TEXT], outside[BERTH_SIZE_TEXT];
  berth_report_print(&facts->report, str);
  if (facts->budget == 0) return;
  berth_str_printf(str,
                   "The budget of the card is %s: pools hold %s, context, code "
                   "and libraries %s%s.\n",
                   berth_size_text(facts->budget, budget),
                   berth_size_text(facts->pool, pool),
                   berth_size_text(facts->outside, outside),
                   facts->is_estimate ? " (estimated)" : "");
}

static void put_number(berth_str_t *str, const char *name, uint64_t value) {
  berth_str_printf(str, "\"%s\": %llu, ", name, (unsigned long long)value);
}

static void put_holders(const berth_memory_report_t *report, berth_str_t *str) {
  berth_str_puts(str, "\"holders\": [");
  for (int i = 0; i < report->holder_count; ++i) {
    const berth_holder_t *holder = &report->holders[i];
    berth_str_printf(
        str, "%s{\"bytes\": %llu, \"count\": %lld, \"op\": ", i > 0 ? ", " : "",
        (unsigned long long)holder->bytes, (long long)holder->count);
    berth_json_text(str, holder->label);
    berth_str_puts(str, ", \"line\": ");
    berth_json_text(str, holder->line);
    berth_str_printf(str, ", \"is_node\": %s",
                     holder->is_node ? "true" : "false");
    berth_str_putc(str, '}');
  }
  berth_str_puts(str, "], ");
}

static void put_neighbours(const berth_memory_report_t *report,
                           berth_str_t *str) {
  berth_str_puts(str, "\"neighbours\": [");
  for (int i = 0; i < report->neighbour_count; ++i) {
    const berth_neighbour_t *other = &report->neighbours[i];
    berth_str_printf(str, "%s{\"pid\": %lld, \"bytes\": %llu, \"program\": ",
                     i > 0 ? ", " : "", (long long)other->pid,
                     (unsigned long long)other->bytes);
    berth_json_text(str, other->name != NULL ? other->name : "");
    berth_str_putc(str, '}');
  }
  berth_str_puts(str, "], ");
}

static void write_json(const facts_t *facts, berth_str_t *str) {
  const berth_memory_report_t *report = &facts->report;
  const berth_memory_stats_t *stats = &report->stats;
  berth_str_puts(str, "{\"device\": ");
  berth_json_text(str, report->where);
  berth_str_puts(str, ", ");
  put_number(str, "asked", report->asked_bytes);
  put_number(str, "limit", (uint64_t)stats->bytes_limit);
  put_number(str, "budget", facts->budget);
  put_number(str, "card_pool", facts->pool);
  put_number(str, "outside", facts->outside);
  put_number(str, "pool", (uint64_t)stats->pool_bytes);
  put_number(str, "in_use", (uint64_t)stats->bytes_in_use);
  put_number(str, "peak", (uint64_t)stats->peak_bytes_in_use);
  put_number(str, "idle", (uint64_t)stats->idle_bytes);
  put_number(str, "largest_free", (uint64_t)stats->largest_free_block_bytes);
  put_number(str, "live_allocations", (uint64_t)stats->live_allocs);
  put_holders(report, str);
  put_neighbours(report, str);
  berth_str_printf(str, "\"is_estimate\": %s, \"fragmentation\": %.4f, ",
                   facts->is_estimate ? "true" : "false",
                   berth_stats_fragmentation(stats));
  berth_str_puts(str, "\"advice\": ");
  berth_json_text(str, berth_report_advice(report));
  berth_str_putc(str, '}');
}

berth_code_t berth_device_report_memory(const char *name, uint64_t asked,
                                        berth_report_form_t form,
                                        char **out_text, berth_error_t *err) {
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(out_text, err);
  facts_t facts = {0};
  BERTH_TRY(collect(name, asked, &facts, err));
  berth_str_t str = {0};
  if (form == BERTH_REPORT_JSON) {
    write_json(&facts, &str);
  } else {
    write_text(&facts, &str);
  }
  char *text = berth_str_take(&str);
  if (text == NULL) return berth_error_no_memory(err, "a report");
  *out_text = text;
  return BERTH_OK;
}
