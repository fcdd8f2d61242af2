// bfc_dump.c - TensorFlow's own out-of-memory report, line for line.
//
// A snapshot of all spans is taken under the pool's lock; everything else works
// on that.
#include "memory/bfc_dump.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "memory/pool_internal.h"

enum {
  BINS = 21,
  PICTURE = 100,
  // Lines of bfc_allocator.cc in TensorFlow 2.21.
  LINE_FAILED = 502,
  LINE_PICTURE = 513,
  LINE_NAME = 1049,
  LINE_BIN = 1056,
  LINE_BIN_FOR = 1072,
  LINE_CHUNK_STATE = 1078,
  LINE_REGION = 1085,
  LINE_CHUNK = 1105,
  LINE_SUMMARY = 1110,
  LINE_SIZE = 1113,
  LINE_SUM = 1117,
  LINE_TOTAL = 1119,
  LINE_STATS = 1128,
};

typedef struct chunk {
  uint64_t address, size, requested;
  size_t region;  // By age.
  size_t number;
  bool in_use;
} chunk_t;

typedef struct dump {
  berth_dump_fn fn;
  void *arg;
  chunk_t *chunks;  // Regions by address, chunks by address.
  size_t count;
  berth_memory_stats_t stats;
  uint64_t next_region_bytes;
} dump_t;

// ---- The snapshot ----

static int compare_chunks(const void *a, const void *b) {
  uint64_t left = ((const chunk_t *)a)->address;
  uint64_t right = ((const chunk_t *)b)->address;
  return left < right ? -1 : left > right;
}

static int compare_sizes(const void *a, const void *b) {
  uint64_t left = ((const chunk_t *)a)->size;
  uint64_t right = ((const chunk_t *)b)->size;
  return left < right ? -1 : left > right;
}

static size_t count_spans(const berth_pool_t *pool) {
  size_t count = 0;
  for (size_t i = 0; i < pool->region_count; ++i) {
    const berth_span_t *span = pool->regions[i]->fit.first;
    for (; span != NULL; span = span->next) ++count;
  }
  return count;
}

// Copies the spans in the order in which TensorFlow numbers chunks.
static void copy_spans(const berth_pool_t *pool, chunk_t *chunks) {
  size_t number = 0;
  for (size_t i = 0; i < pool->region_count; ++i) {
    const berth_span_t *span = pool->regions[i]->fit.first;
    for (; span != NULL; span = span->next, ++number) {
      chunks[number] = (chunk_t){
          .address = (uint64_t)(uintptr_t)pool->regions[i]->base + span->offset,
          .size = span->size,
          .requested = span->requested,
          .region = i,
          .number = number,
          .in_use = span->in_use};
    }
  }
}

// False when there is no memory for it.
static bool snapshot(berth_pool_t *pool, dump_t *dump) {
  berth_mutex_lock(&pool->lock);
  dump->count = count_spans(pool);
  dump->chunks = berth_alloc((dump->count + 1) * sizeof(chunk_t));
  if (dump->chunks != NULL) copy_spans(pool, dump->chunks);
  dump->stats = pool->stats;
  dump->next_region_bytes = pool->next_region_bytes;
  berth_mutex_unlock(&pool->lock);
  if (dump->chunks == NULL) return false;
  qsort(dump->chunks, dump->count, sizeof(chunk_t), compare_chunks);
  return true;
}

// ---- Printing ----

// Sends what |str| holds as one record, and empties it.
static void send(const dump_t *dump, berth_log_level_t level, int line,
                 berth_str_t *str) {
  dump->fn(level, line, berth_str_get(str), dump->arg);
  berth_str_clear(str);
}

static void print_failed(const dump_t *dump, const char *name, uint64_t asked,
                         const char *op) {
  char size[BERTH_SIZE_TEXT];
  uint64_t rounded = (asked + BERTH_BESTFIT_GRAIN - 1) / BERTH_BESTFIT_GRAIN *
                     BERTH_BESTFIT_GRAIN;
  berth_str_t str = {0};
  berth_str_printf(
      &str,
      "Allocator (%s) ran out of memory trying to allocate %s (rounded to "
      "%llu)requested by op %s\n"
      "If the cause is memory fragmentation maybe the environment variable "
      "'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \n"
      "Current allocation summary follows.\n"
      "Current allocation summary follows.",
      name, berth_size_text(asked, size), (unsigned long long)rounded,
      op != NULL ? op : "");
  send(dump, BERTH_LOG_WARNING, LINE_FAILED, &str);
}

static int bin_of(uint64_t size) {
  uint64_t grains = size / BERTH_BESTFIT_GRAIN;
  int bin = 63 - __builtin_clzll(grains > 0 ? grains : 1);
  return bin < BINS ? bin : BINS - 1;
}

static uint64_t bin_size(int bin) {
  return (uint64_t)BERTH_BESTFIT_GRAIN << bin;
}

typedef struct bin {
  uint64_t count, used_count, bytes, used_bytes, requested_bytes;
} bin_t;

static void print_bins(const dump_t *dump) {
  bin_t bins[BINS] = {0};
  for (size_t i = 0; i < dump->count; ++i) {
    const chunk_t *chunk = &dump->chunks[i];
    bin_t *bin = &bins[bin_of(chunk->size)];
    ++bin->count;
    bin->bytes += chunk->size;
    if (!chunk->in_use) continue;
    ++bin->used_count;
    bin->used_bytes += chunk->size;
    bin->requested_bytes += chunk->requested;
  }
  for (int i = 0; i < BINS; ++i) {
    char all[BERTH_SIZE_TEXT], used[BERTH_SIZE_TEXT], asked[BERTH_SIZE_TEXT];
    berth_str_t str = {0};
    berth_str_printf(&str,
                     "Bin (%llu): \tTotal Chunks: %llu, Chunks in use: %llu. "
                     "%s allocated for chunks. %s in use in bin. %s "
                     "client-requested in use in bin.",
                     (unsigned long long)bin_size(i),
                     (unsigned long long)bins[i].count,
                     (unsigned long long)bins[i].used_count,
                     berth_size_text(bins[i].bytes, all),
                     berth_size_text(bins[i].used_bytes, used),
                     berth_size_text(bins[i].requested_bytes, asked));
    send(dump, BERTH_LOG_INFO, LINE_BIN, &str);
  }
}

static void print_state(const chunk_t *chunk, berth_str_t *str) {
  char size[BERTH_SIZE_TEXT], asked[BERTH_SIZE_TEXT];
  berth_str_printf(str,
                   "  Size: %s | Requested Size: %s | in_use: %d | bin_num: %d",
                   berth_size_text(chunk->size, size),
                   berth_size_text(chunk->requested, asked), chunk->in_use,
                   chunk->in_use ? -1 : bin_of(chunk->size));
}

// True when chunks |i| and |j| exist and lie in one region.
static bool are_neighbours(const dump_t *dump, size_t i, size_t j) {
  return i < dump->count && j < dump->count &&
         dump->chunks[i].region == dump->chunks[j].region;
}

// The free chunks that a request of |asked| bytes would be looked for among.
static void print_bin_for(const dump_t *dump, uint64_t asked) {
  char size[BERTH_SIZE_TEXT], of[BERTH_SIZE_TEXT];
  int bin = bin_of(asked);
  berth_str_t str = {0};
  berth_str_printf(
      &str, "Bin for %s was %s, Chunk State: ", berth_size_text(asked, size),
      berth_size_text(bin_size(bin), of));
  send(dump, BERTH_LOG_INFO, LINE_BIN_FOR, &str);
  for (size_t i = 0; i < dump->count; ++i) {
    const chunk_t *chunk = &dump->chunks[i];
    if (chunk->in_use || bin_of(chunk->size) != bin) continue;
    print_state(chunk, &str);
    if (i > 0 && are_neighbours(dump, i - 1, i)) {
      berth_str_puts(&str, ", prev: ");
      print_state(chunk - 1, &str);
    }
    if (are_neighbours(dump, i, i + 1)) {
      berth_str_puts(&str, ", next: ");
      print_state(chunk + 1, &str);
    }
    send(dump, BERTH_LOG_INFO, LINE_CHUNK_STATE, &str);
  }
}

static void print_region(const dump_t *dump, size_t first) {
  uint64_t size = 0;
  for (size_t i = first; are_neighbours(dump, first, i); ++i) {
    size += dump->chunks[i].size;
  }
  berth_str_t str = {0};
  berth_str_printf(&str, "Next region of size %llu", (unsigned long long)size);
  send(dump, BERTH_LOG_INFO, LINE_REGION, &str);
}

static void print_chunks(const dump_t *dump) {
  for (size_t i = 0; i < dump->count; ++i) {
    const chunk_t *chunk = &dump->chunks[i];
    if (i == 0 || !are_neighbours(dump, i - 1, i)) print_region(dump, i);
    uint64_t next =
        are_neighbours(dump, i, i + 1) ? chunk[1].number : UINT64_MAX;
    berth_str_t str = {0};
    berth_str_printf(&str, "%s at %llx of size %llu next %llu",
                     chunk->in_use ? "InUse" : "Free ",
                     (unsigned long long)chunk->address,
                     (unsigned long long)chunk->size, (unsigned long long)next);
    send(dump, BERTH_LOG_INFO, LINE_CHUNK, &str);
  }
}

// Counts the chunks in use by size. Reorders the snapshot.
static void print_summary(dump_t *dump) {
  char text[BERTH_SIZE_TEXT];
  uint64_t total = 0;
  berth_str_t str = {0};
  berth_str_puts(&str, "     Summary of in-use Chunks by size: ");
  send(dump, BERTH_LOG_INFO, LINE_SUMMARY, &str);
  qsort(dump->chunks, dump->count, sizeof(chunk_t), compare_sizes);
  for (size_t i = 0; i < dump->count;) {
    uint64_t size = dump->chunks[i].size, count = 0;
    for (; i < dump->count && dump->chunks[i].size == size; ++i) {
      count += dump->chunks[i].in_use;
    }
    if (count == 0) continue;
    total += size * count;
    berth_str_printf(&str, "%llu Chunks of size %llu totalling %s",
                     (unsigned long long)count, (unsigned long long)size,
                     berth_size_text(size * count, text));
    send(dump, BERTH_LOG_INFO, LINE_SIZE, &str);
  }
  berth_str_printf(&str, "Sum Total of in-use chunks: %s",
                   berth_size_text(total, text));
  send(dump, BERTH_LOG_INFO, LINE_SUM, &str);
}

static void print_total(const dump_t *dump) {
  char held[BERTH_SIZE_TEXT], limit[BERTH_SIZE_TEXT], room[BERTH_SIZE_TEXT],
      next[BERTH_SIZE_TEXT];
  const berth_memory_stats_t *stats = &dump->stats;
  berth_str_t str = {0};
  berth_str_printf(
      &str,
      "Total size in pool: %s memory_limit_: %s available size: %s "
      "curr_region_allocation_bytes_: %s",
      berth_size_text((uint64_t)stats->pool_bytes, held),
      berth_size_text((uint64_t)stats->bytes_limit, limit),
      berth_size_text((uint64_t)(stats->bytes_limit - stats->pool_bytes), room),
      berth_size_text(dump->next_region_bytes, next));
  send(dump, BERTH_LOG_INFO, LINE_TOTAL, &str);
}

static void print_stats(const dump_t *dump) {
  const berth_memory_stats_t *stats = &dump->stats;
  const struct {
    const char *label;
    int64_t bytes;
  } rows[] = {{"Limit:            ", stats->bytes_limit},
              {"InUse:            ", stats->bytes_in_use},
              {"MaxInUse:         ", stats->peak_bytes_in_use},
              {"NumAllocs:        ", -1},
              {"MaxAllocSize:     ", stats->largest_alloc_size},
              // TensorFlow's best fit keeps none of these.
              {"Reserved:         ", 0},
              {"PeakReserved:     ", 0},
              {"LargestFreeBlock: ", 0}};
  berth_str_t str = {0};
  berth_str_puts(&str, "Stats: \n");
  for (int i = 0; i < BERTH_COUNT_OF(rows); ++i) {
    char text[BERTH_SIZE_TEXT];
    if (rows[i].bytes < 0) {
      berth_str_printf(&str, "%s%20lld\n", rows[i].label,
                       (long long)stats->num_allocs);
    } else {
      berth_str_printf(&str, "%s%20s\n", rows[i].label,
                       berth_size_text((uint64_t)rows[i].bytes, text));
    }
  }
  send(dump, BERTH_LOG_INFO, LINE_STATS, &str);
}

// Draws |size| bytes at |offset| of |total| with |mark|, both ends included.
static void draw(char picture[PICTURE], char mark, uint64_t offset,
                 uint64_t size, uint64_t total) {
  if (size == 0) return;
  double scale = (double)PICTURE / (double)total;
  size_t first = (size_t)((double)offset * scale);
  size_t last = (size_t)((double)(offset + size - 1) * scale);
  for (size_t i = first; i <= last && i < PICTURE; ++i) picture[i] = mark;
}

// Over all regions end to end: what is asked for, what is wasted, what is free.
// Before the summary, which reorders the snapshot; shown after it.
static void make_picture(const dump_t *dump, berth_str_t *str) {
  uint64_t total = (uint64_t)dump->stats.pool_bytes, offset = 0;
  if (total == 0) {
    berth_str_puts(str, "<allocator contains no memory>");
    return;
  }
  char picture[PICTURE];
  memset(picture, '_', sizeof(picture));
  for (size_t i = 0; i < dump->count; ++i) {
    const chunk_t *chunk = &dump->chunks[i];
    if (chunk->in_use) {
      uint64_t wasted = chunk->size - chunk->requested;
      draw(picture, 'x', offset + chunk->requested, wasted, total);
      draw(picture, '*', offset, chunk->requested, total);
    }
    offset += chunk->size;
  }
  berth_str_put(str, picture, sizeof(picture));
}

void berth_bfc_dump(berth_pool_t *pool, const char *name, uint64_t asked,
                    const char *op, berth_dump_fn fn, void *arg) {
  if (pool->space != NULL) return;
  dump_t dump = {.fn = fn, .arg = arg};
  berth_str_t str = {0}, picture = {0};
  print_failed(&dump, name, asked, op);
  if (!snapshot(pool, &dump)) return;
  berth_str_printf(&str, "BFCAllocator dump for %s", name);
  send(&dump, BERTH_LOG_INFO, LINE_NAME, &str);
  make_picture(&dump, &picture);
  print_bins(&dump);
  print_bin_for(&dump, asked);
  print_chunks(&dump);
  print_summary(&dump);
  print_total(&dump);
  print_stats(&dump);
  send(&dump, BERTH_LOG_WARNING, LINE_PICTURE, &picture);
  berth_free(dump.chunks);
}

void berth_bfc_print_optional(const char *name, uint64_t asked,
                              int64_t freed_count, berth_str_t *str) {
  char size[BERTH_SIZE_TEXT];
  berth_str_printf(
      str,
      "Allocator (%s) ran out of memory trying to allocate %s with "
      "freed_by_count=%lld. The caller indicates that this is not a failure, "
      "but this may mean that there could be performance gains if more memory "
      "were available.",
      name, berth_size_text(asked, size), (long long)freed_count);
}
