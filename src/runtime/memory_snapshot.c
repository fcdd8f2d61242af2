// memory_snapshot.c - What all devices hold and what went before, as JSON.
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "berth/report.h"
#include "device/account.h"
#include "device/board_file.h"
#include "memory/picture.h"
#include "runtime/cards.h"
#include "runtime/process.h"

// ---- Switching ----

berth_code_t berth_memory_keep_history(int64_t events, berth_error_t *err) {
  berth_history_begin();  // What the environment says comes before.
  return berth_history_set(events, err);
}

int64_t berth_memory_history_size(void) {
  berth_history_begin();
  return berth_history_size();
}

void berth_memory_set_line(const char *line) {
  berth_label_line = berth_label_of(line);
}

const char *berth_memory_label(int index) {
  bool is_there = index >= 0 && (uint32_t)index < berth_label_count();
  return is_there ? berth_label_text((berth_label_t)index) : NULL;
}

// ---- Devices ----

static void put_number(berth_str_t *str, const char *name, uint64_t value) {
  berth_str_printf(str, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void device_print(berth_device_t *device, berth_str_t *str) {
  berth_memory_stats_t stats;
  bool is_host = !berth_device_has_streams(device);
  int card = berth_cards_of(device);
  const berth_card_info_t *info = card >= 0 ? berth_cards_info(card) : NULL;
  const berth_account_t *account =
      info != NULL ? berth_account_find(info) : NULL;
  berth_device_query_memory(device, &stats);
  berth_str_puts(str, "{\"name\":");
  berth_json_text(str, berth_device_full_name(device));
  berth_str_puts(str, ",\"memory\":");
  berth_json_text(str,
                  is_host ? "host" : device->names[BERTH_NAME_LOCAL_LEGACY]);
  put_number(str, "limit", (uint64_t)stats.bytes_limit);
  put_number(str, "in_use", (uint64_t)stats.bytes_in_use);
  put_number(str, "peak", (uint64_t)stats.peak_bytes_in_use);
  put_number(str, "pool", (uint64_t)stats.pool_bytes);
  put_number(str, "idle", (uint64_t)stats.idle_bytes);
  put_number(str, "largest_free", (uint64_t)stats.largest_free_block_bytes);
  put_number(str, "allocations", (uint64_t)stats.live_allocs);
  if (account != NULL) {
    berth_str_puts(str, ",\"card\":");
    berth_json_text(str, account->uuid);
    put_number(str, "card_pool", atomic_load(&account->held_bytes));
    put_number(str, "outside", atomic_load(&account->outside_bytes));
    put_number(str, "budget", atomic_load(&account->budget_bytes));
  }
  berth_str_putc(str, '}');
}

static berth_code_t devices_print(berth_str_t *str, berth_error_t *err) {
  berth_registry_t all = {0};
  berth_code_t code = berth_process_list(&all, err);
  for (size_t i = 0; code == BERTH_OK && i < all.count; ++i) {
    if (i > 0) berth_str_puts(str, ",\n");
    device_print(all.devices[i], str);
  }
  berth_registry_deinit(&all);
  return code;
}

// ---- Labels ----

// Prints the labels that |picture| has, and "" for those that it has not.
static void labels_print(const berth_memory_picture_t *picture, bool *is_used,
                         uint32_t count, berth_str_t *str) {
  for (size_t i = 0; i < picture->tenant_count; ++i) {
    const berth_tenant_t *tenant = &picture->tenants[i];
    is_used[tenant->where] = is_used[tenant->label] = true;
    is_used[tenant->line] = true;
  }
  for (int64_t i = 0; i < picture->event_count; ++i) {
    const berth_memory_event_t *event = &picture->events[i];
    is_used[event->where] = is_used[event->line] = true;
    if (event->kind <= BERTH_EVENT_FREE) is_used[event->label] = true;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0) berth_str_putc(str, ',');
    berth_json_text(str, is_used[i] ? berth_label_text(i) : "");
  }
}

static void holders_print(const berth_memory_picture_t *picture,
                          berth_str_t *str) {
  for (size_t i = 0; i < picture->tenant_count; ++i) {
    const berth_tenant_t *tenant = &picture->tenants[i];
    berth_str_printf(str,
                     "%s{\"memory\":%u,\"op\":%u,\"line\":%u,\"bytes\":%llu,"
                     "\"count\":%lld}",
                     i > 0 ? ",\n" : "", tenant->where, tenant->label,
                     tenant->line, (unsigned long long)tenant->bytes,
                     (long long)tenant->count);
  }
}

static void plans_print(berth_str_t *str) {
  const char *plan = NULL;
  for (uint32_t i = 1; (plan = berth_history_plan(i)) != NULL; ++i) {
    if (i > 1) berth_str_puts(str, ",\n");
    berth_str_puts(str, plan);
  }
}

// ---- Events ----

// Writes |value| in front of |end| and returns where it begins: there are many.
static char *number_write(uint64_t value, char *end) {
  do {
    *--end = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  return end;
}

static void event_print(const berth_memory_event_t *event, int64_t start,
                        berth_str_t *str) {
  const uint64_t fields[] = {(uint64_t)(event->time_ns - start),
                             event->kind,
                             event->where,
                             event->label,
                             event->line,
                             event->size,
                             event->address};
  char text[160];
  char *at = text + sizeof(text);
  *--at = ']';
  for (size_t i = sizeof(fields) / sizeof(fields[0]); i-- > 0;) {
    at = number_write(fields[i], at);
    *--at = i > 0 ? ',' : '[';
  }
  berth_str_put(str, at, (size_t)(text + sizeof(text) - at));
}

static void history_print(const berth_memory_picture_t *picture,
                          berth_str_t *str) {
  // Events are in order but for what two threads noted at the same time.
  int64_t start =
      picture->event_count > 0 ? picture->events[0].time_ns : picture->time_ns;
  for (int64_t i = 0; i < picture->event_count; ++i) {
    int64_t time = picture->events[i].time_ns;
    if (time < start) start = time;
  }
  int64_t start_us = berth_wall_us() - (berth_now_ns() - start) / 1000;
  berth_str_printf(
      str, "{\"size\":%lld,\"noted\":%lld,\"start_us\":%lld,\"events\":[",
      (long long)berth_history_size(), (long long)picture->noted,
      (long long)start_us);
  for (int64_t i = 0; i < picture->event_count; ++i) {
    if (i > 0) berth_str_puts(str, ",\n");
    event_print(&picture->events[i], start, str);
  }
  berth_str_puts(str, "]}");
}

// ---- The whole ----

static berth_code_t snapshot_print(const berth_memory_picture_t *picture,
                                   berth_str_t *str, berth_error_t *err) {
  uint32_t labels = berth_label_count();
  bool *is_used = berth_calloc(labels, sizeof(*is_used));
  if (is_used == NULL) return berth_error_no_memory(err, "a snapshot");
  char program[BERTH_BOARD_PROGRAM];
  berth_board_program(program);
  berth_str_printf(str, "{\"pid\":%lld,\"program\":", (long long)getpid());
  berth_json_text(str, program);
  berth_str_printf(str, ",\"time_us\":%lld,\n\"devices\":[",
                   (long long)berth_wall_us());
  berth_code_t code = devices_print(str, err);
  berth_str_puts(str, "],\n\"labels\":[");
  labels_print(picture, is_used, labels, str);
  berth_str_puts(str, "],\n\"holders\":[");
  holders_print(picture, str);
  berth_str_puts(str, "],\n\"plans\":[");
  plans_print(str);
  berth_str_puts(str, "],\n\"history\":");
  history_print(picture, str);
  berth_str_puts(str, "}\n");
  berth_free(is_used);
  return code;
}

berth_code_t berth_memory_snapshot(char **out_text, berth_error_t *err) {
  BERTH_GIVEN(out_text, err);
  berth_memory_picture_t picture = {0};
  berth_str_t str = {0};
  BERTH_TRY(berth_memory_picture_take(NULL, &picture, err));
  berth_code_t code = snapshot_print(&picture, &str, err);
  berth_memory_picture_clear(&picture);
  char *text = berth_str_take(&str);
  if (code == BERTH_OK && text == NULL) {
    code = berth_error_no_memory(err, "a snapshot");
  }
  if (code != BERTH_OK) {
    berth_free(text);
    return code;
  }
  *out_text = text;
  return BERTH_OK;
}
