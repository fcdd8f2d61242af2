// stats.c - Counting what a pool does.
#include "memory/stats.h"

#include <stdio.h>

void berth_stats_reset(berth_memory_stats_t *stats) {
  stats->num_allocs = 0;
  stats->peak_bytes_in_use = stats->bytes_in_use;
  stats->largest_alloc_size = 0;
}

double berth_stats_fragmentation(const berth_memory_stats_t *stats) {
  int64_t free_bytes = stats->pool_bytes - stats->bytes_in_use;
  int64_t scattered = free_bytes - stats->largest_free_block_bytes;
  // A page-mapped pool can give more than it holds free: what the limit leaves.
  return scattered > 0 ? (double)scattered / (double)free_bytes : 0;
}

const char *berth_size_text(uint64_t bytes, char text[BERTH_SIZE_TEXT]) {
  static const char units[] = "KMGTPE";
  if (bytes < 1024) {
    snprintf(text, BERTH_SIZE_TEXT, "%dB", (int)bytes);
    return text;
  }
  // Whole division down to below 1024 * 1024 of the unit before, then one of
  // floating point: what TensorFlow prints, digit for digit.
  int unit = 0;
  while (bytes >= 1024 * 1024) {
    bytes /= 1024;
    ++unit;
  }
  snprintf(text, BERTH_SIZE_TEXT, unit == 0 ? "%.1f%ciB" : "%.2f%ciB",
           (double)bytes / 1024, units[unit]);
  return text;
}
