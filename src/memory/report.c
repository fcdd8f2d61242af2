// report.c - Says in words what a pool holds when it cannot give more.
#include "memory/report.h"

#include <stdio.h>

enum { NEIGHBOURS_SHOWN = 5 };

static uint64_t free_bytes(const berth_memory_stats_t *stats) {
  int64_t bytes = stats->pool_bytes - stats->bytes_in_use;
  return bytes > 0 ? (uint64_t)bytes : 0;
}

bool berth_report_is_fragmented(const berth_memory_report_t *report) {
  return free_bytes(&report->stats) >= report->asked_bytes &&
         (uint64_t)report->stats.largest_free_block_bytes < report->asked_bytes;
}

static void print_limit(const berth_memory_stats_t *stats, berth_str_t *str) {
  char text[BERTH_SIZE_TEXT];
  if (stats->bytes_limit > 0) {
    berth_str_puts(str, berth_size_text((uint64_t)stats->bytes_limit, text));
  } else {
    berth_str_puts(str, "none");
  }
}

static void print_size(int64_t bytes, berth_str_t *str) {
  char text[BERTH_SIZE_TEXT];
  berth_str_puts(str, berth_size_text((uint64_t)bytes, text));
}

void berth_report_print_line(const berth_memory_report_t *report,
                             berth_str_t *str) {
  const berth_memory_stats_t *stats = &report->stats;
  berth_str_printf(str, "%s is out of memory: asked ", report->where);
  print_size((int64_t)report->asked_bytes, str);
  if (report->op != NULL) berth_str_printf(str, " for %s", report->op);
  berth_str_puts(str, "; limit ");
  print_limit(stats, str);
  berth_str_puts(str, ", in use ");
  print_size(stats->bytes_in_use, str);
  berth_str_puts(str, ", largest free span ");
  print_size(stats->largest_free_block_bytes, str);
  if (berth_report_is_fragmented(report)) berth_str_puts(str, " (fragmented)");
}

// One line of the table: a label, a size and a remark that may be "".
static void print_row(const char *label, int64_t bytes, const char *remark,
                      berth_str_t *str) {
  char text[BERTH_SIZE_TEXT];
  berth_str_printf(str, "  %-18s %12s%s%s\n", label,
                   berth_size_text((uint64_t)bytes, text),
                   remark[0] != '\0' ? "  " : "", remark);
}

static void print_holder(const berth_holder_t *holder, berth_str_t *str) {
  char bytes[BERTH_SIZE_TEXT], times[32] = "";
  bool has_name = holder->label != NULL && holder->label[0] != '\0';
  if (holder->count > 1) {
    snprintf(times, sizeof(times), "%lld x ", (long long)holder->count);
  }
  berth_str_printf(str, "  %12s  %s%s", berth_size_text(holder->bytes, bytes),
                   times, has_name ? holder->label : "unknown");
  if (holder->line != NULL && holder->line[0] != '\0') {
    berth_str_printf(str, " (%s)", holder->line);
  }
  berth_str_putc(str, '\n');
}

static void print_holders(const berth_memory_report_t *report,
                          berth_str_t *str) {
  if (report->holder_count == 0) return;
  berth_str_puts(str, "Most of it is held by:\n");
  for (int i = 0; i < report->holder_count; ++i) {
    print_holder(&report->holders[i], str);
  }
}

static uint64_t neighbour_bytes(const berth_memory_report_t *report) {
  uint64_t bytes = 0;
  for (int i = 0; i < report->neighbour_count; ++i) {
    bytes += report->neighbours[i].bytes;
  }
  return bytes;
}

static void print_neighbours(const berth_memory_report_t *report,
                             berth_str_t *str) {
  if (report->neighbour_count == 0) return;
  berth_str_puts(str, "Others on this card:\n");
  int shown = report->neighbour_count;
  if (shown > NEIGHBOURS_SHOWN) shown = NEIGHBOURS_SHOWN;
  for (int i = 0; i < shown; ++i) {
    const berth_neighbour_t *other = &report->neighbours[i];
    char text[BERTH_SIZE_TEXT];
    berth_str_printf(str, "  %12s  process %lld%s%s\n",
                     berth_size_text(other->bytes, text), (long long)other->pid,
                     other->name != NULL ? " " : "",
                     other->name != NULL ? other->name : "");
  }
  if (shown < report->neighbour_count) {
    berth_str_printf(str, "  and %d more\n", report->neighbour_count - shown);
  }
}

// True when the limit would have allowed the request, so that the card itself
// must have been short.
static bool is_within_limit(const berth_memory_report_t *report) {
  const berth_memory_stats_t *stats = &report->stats;
  uint64_t held =
      (uint64_t)(stats->pool_bytes + report->figures.bytes_reserved);
  return stats->bytes_limit == 0 ||
         (held <= (uint64_t)stats->bytes_limit &&
          report->asked_bytes <= (uint64_t)stats->bytes_limit - held);
}

const char *berth_report_advice(const berth_memory_report_t *report) {
  const berth_memory_stats_t *stats = &report->stats;
  if (berth_report_is_fragmented(report)) {
    return "Enough is free, but in pieces. Release what is not needed between "
           "runs, or keep shapes the same from run to run.";
  }
  if (stats->bytes_limit > 0 &&
      report->asked_bytes > (uint64_t)stats->bytes_limit) {
    return "This one request is larger than the limit: raise the limit, or "
           "use a smaller batch.";
  }
  if (neighbour_bytes(report) > 0 && is_within_limit(report)) {
    return "The limit allows it, but others hold the card's memory: stop them, "
           "use another card, or use a smaller batch.";
  }
  if (stats->bytes_limit > 0) {
    return "Raise the limit, use a smaller batch, or release results that are "
           "no longer needed.";
  }
  return "The system has no more to give: use a smaller batch, or stop other "
         "programs.";
}

// What only some pools have: memory taken outside, and memory moved about.
static void print_outside(const berth_memory_report_t *report,
                          berth_str_t *str) {
  const berth_pool_figures_t *figures = &report->figures;
  char remark[64];
  if (figures->bytes_reserved > 0) {
    print_row("outside the pool", figures->bytes_reserved,
              "code, libraries and their workspaces", str);
  }
  if (figures->move_count > 0) {
    snprintf(remark, sizeof(remark), "in %lld moves; %lld ms in the driver",
             (long long)figures->move_count,
             (long long)(figures->source_ns / 1000000));
    print_row("moved so far", figures->moved_bytes, remark, str);
  }
}

void berth_report_print(const berth_memory_report_t *report, berth_str_t *str) {
  const berth_memory_stats_t *stats = &report->stats;
  char remark[64];
  berth_report_print_line(report, str);
  berth_str_puts(str, "\n");
  snprintf(remark, sizeof(remark), "in %lld allocations; peak %lld bytes",
           (long long)stats->live_allocs, (long long)stats->peak_bytes_in_use);
  print_row("in use", stats->bytes_in_use, remark, str);
  snprintf(remark, sizeof(remark), "%.0f%% out of one request's reach",
           100 * berth_stats_fragmentation(stats));
  print_row("free", (int64_t)free_bytes(stats), remark, str);
  print_row("largest free span", stats->largest_free_block_bytes, "", str);
  snprintf(remark, sizeof(remark), "in %lld regions",
           (long long)stats->region_count);
  print_row("held in all", stats->pool_bytes, remark, str);
  print_outside(report, str);
  print_holders(report, str);
  print_neighbours(report, str);
  berth_str_printf(str, "%s\n", berth_report_advice(report));
}
