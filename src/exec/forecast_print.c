// forecast_print.c - Forecasts as JSON.
#include <stdio.h>

#include "base/json.h"
#include "exec/copy.h"
#include "exec/forecast.h"

bool berth_forecast_counts(const berth_forecast_t *f, int index) {
  return index == BERTH_HOST_SPACE || f->memories[index].peak > 0 ||
         f->memories[index].held > 0;
}

const char *berth_forecast_name(const berth_forecast_t *f,
                                const berth_exec_host_t *host, int index) {
  if (index == f->memory_count - 1) return "pinned";
  return host->devices[index == BERTH_HOST_SPACE ? 0 : index - 1].name;
}

// Returns which of the memories that count |index| is.
static int place_of(const berth_forecast_t *f, int index) {
  int place = -1;
  for (int m = 0; m <= index; ++m) place += berth_forecast_counts(f, m);
  return berth_forecast_counts(f, index) ? place : -1;
}

static void memory_print(const berth_forecast_t *f, int m, const char *name,
                         berth_str_t *str) {
  const berth_forecast_memory_t *memory = &f->memories[m];
  int64_t live = memory->moment >= 0 ? memory->live[memory->moment] : 0;
  berth_str_puts(str, "{\"name\":");
  berth_json_text(str, name);
  berth_str_printf(str,
                   ",\"peak_bytes\":%lld,\"arena_bytes\":%lld,"
                   "\"live_bytes\":%lld,\"held_bytes\":%lld,\"peak_step\":%d,"
                   "\"live\":[",
                   (long long)memory->peak, (long long)memory->arenas,
                   (long long)live, (long long)memory->held, memory->moment);
  for (size_t i = 0; i < f->moment_count; ++i) {
    berth_str_printf(str, "%s%lld", i > 0 ? "," : "",
                     (long long)memory->live[i]);
  }
  berth_str_puts(str, "]}");
}

static void step_print(const berth_forecast_t *f, size_t i, berth_str_t *str) {
  const berth_forecast_moment_t *step = &f->moments[i];
  berth_str_puts(str, "{\"name\":");
  berth_json_text(str, step->name);
  berth_str_puts(str, ",\"op\":");
  berth_json_text(str, step->op);
  berth_str_printf(str, ",\"memory\":%d}", place_of(f, step->memory));
}

static void value_print(const berth_forecast_t *f, size_t i, berth_str_t *str) {
  static const char *const kinds[] = {"arena", "tensor", "scratch"};
  const berth_forecast_value_t *value = &f->values[i];
  char output[16];
  snprintf(output, sizeof(output), ":%d", (int)value->output);
  berth_str_puts(str, "{\"name\":");
  berth_json_open(str);
  berth_json_add(str, value->name);
  if (value->kind != BERTH_FORECAST_SCRATCH) berth_json_add(str, output);
  berth_json_close(str);
  berth_str_puts(str, ",\"op\":");
  berth_json_text(str, value->op);
  berth_str_printf(str, ",\"memory\":%d,\"kind\":\"%s\",\"dtype\":\"%s\"",
                   place_of(f, value->memory), kinds[value->kind],
                   berth_dtype_name(value->dtype));
  berth_str_puts(str, ",\"shape\":[");
  for (int32_t d = 0; d < value->dims.rank; ++d) {
    berth_str_printf(str, "%s%lld", d > 0 ? "," : "",
                     (long long)value->dims.dims[d]);
  }
  berth_str_printf(str, "],\"bytes\":%lld,\"from\":%d,\"to\":%d}",
                   (long long)value->bytes, value->begin, value->end);
}

static void unknown_print(const berth_forecast_t *f, size_t i,
                          berth_str_t *str) {
  const berth_forecast_unknown_t *unknown = &f->unknowns[i];
  berth_str_puts(str, "{\"name\":");
  berth_json_text(str, unknown->name);
  berth_str_puts(str, ",\"op\":");
  berth_json_text(str, unknown->op);
  berth_str_puts(str, ",\"why\":");
  berth_json_text(str, unknown->why);
  berth_str_putc(str, '}');
}

// Prints |count| things in square brackets, under |name|.
static void list_print(const berth_forecast_t *f, const char *name,
                       size_t count,
                       void (*print)(const berth_forecast_t *, size_t,
                                     berth_str_t *),
                       berth_str_t *str) {
  berth_str_printf(str, ",\n\"%s\":[", name);
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) berth_str_puts(str, ",\n");
    print(f, i, str);
  }
  berth_str_putc(str, ']');
}

void berth_forecast_print(const berth_forecast_t *f, const char *const *names,
                          berth_str_t *str) {
  bool is_exact = !f->is_bound && f->unknown_count == 0;
  bool is_first = true;
  berth_str_printf(str, "{\"exact\":%s,\n\"memories\":[",
                   is_exact ? "true" : "false");
  for (int m = 0; m < f->memory_count; ++m) {
    if (!berth_forecast_counts(f, m)) continue;
    if (!is_first) berth_str_puts(str, ",\n");
    memory_print(f, m, names[m], str);
    is_first = false;
  }
  berth_str_putc(str, ']');
  list_print(f, "steps", f->moment_count, step_print, str);
  list_print(f, "values", f->value_count, value_print, str);
  list_print(f, "unknown", f->unknown_count, unknown_print, str);
  berth_str_puts(str, "}\n");
}
