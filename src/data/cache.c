// cache.c - Elements that are kept for later iterators, in memory or in a file.
//
// An iterator that has met all elements leaves them to those that come later.
// With a file they are written to it then, and read by whoever finds it:
//
//   name.index                  "berth cache 1", how many elements, how wide
//   name.data-00000-of-00001    for each tensor its length and a TensorProto
//
// The index comes last: a cache without one is not whole.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "data/kernels.h"
#include "data/stock.h"
#include "io/file.h"
#include "io/input.h"

#define INDEX_LINE "berth cache 1 %" PRId64 " %d\n"

typedef struct cache {
  berth_dataset_t base;
  berth_mutex_t lock;  // Guards what follows.
  berth_stock_t stock;
  bool is_whole;  // |stock| has all elements, and never changes again.
  char *path;     // Of the file; NULL: there is none.
} cache_t;

typedef struct cache_cursor {
  berth_cursor_t base;
  bool reads;  // From the stock.
  int64_t at;
  berth_stock_t found;  // What it has met itself.
} cache_cursor_t;

// ---- Files ----

// Returns |path| with |ending|, to be freed; NULL when memory is short.
static char *path_with(const char *path, const char *ending) {
  size_t size = strlen(path) + strlen(ending) + 1;
  char *text = berth_alloc(size);
  if (text != NULL) snprintf(text, size, "%s%s", path, ending);
  return text;
}

static berth_code_t fill_text(berth_file_t *file, const void *contents,
                              berth_error_t *err) {
  const berth_str_t *text = contents;
  return berth_file_put(file, berth_str_get(text), text->size, err);
}

static berth_code_t save_text(const char *path, const char *ending,
                              const berth_str_t *text, berth_error_t *err) {
  char *full = path_with(path, ending);
  if (full == NULL || !berth_str_ok(text)) {
    berth_free(full);
    return berth_error_no_memory(err, "a cache");
  }
  berth_code_t code =
      berth_file_save(full, text->size, fill_text, text, false, err);
  berth_free(full);
  return code;
}

// Appends |tensor|, its length first.
static berth_code_t put_tensor(const berth_tensor_t *tensor, berth_str_t *text,
                               berth_error_t *err) {
  void *bytes = NULL;
  size_t size = 0;
  BERTH_TRY(berth_tensor_to_proto(tensor, &bytes, &size, err));
  uint64_t length = size;
  berth_str_put(text, (const char *)&length, sizeof(length));
  berth_str_put(text, bytes, size);
  berth_text_free(bytes);
  return BERTH_OK;
}

static berth_code_t cache_save(const cache_t *cache, berth_error_t *err) {
  const berth_stock_t *stock = &cache->stock;
  berth_str_t data = {0}, index = {0};
  berth_code_t code = BERTH_OK;
  for (int64_t i = 0; code == BERTH_OK && i < stock->count * stock->width;
       ++i) {
    code = put_tensor(stock->tensors[i], &data, err);
  }
  if (code == BERTH_OK) {
    code = save_text(cache->path, ".data-00000-of-00001", &data, err);
  }
  berth_str_printf(&index, INDEX_LINE, stock->count, stock->width);
  if (code == BERTH_OK) code = save_text(cache->path, ".index", &index, err);
  berth_str_clear(&data);
  berth_str_clear(&index);
  return code;
}

// Reads the next tensor of |input|.
static berth_code_t take_tensor(berth_input_t *input, berth_tensor_t **out,
                                berth_error_t *err) {
  const char *bytes = NULL;
  size_t found = 0;
  uint64_t length = 0;
  BERTH_TRY(berth_input_peek(input, sizeof(length), &bytes, &found, err));
  if (found < sizeof(length)) {
    return berth_error_set(err, BERTH_DATA_LOSS, "a cache is cut off");
  }
  memcpy(&length, bytes, sizeof(length));
  berth_input_pass(input, sizeof(length));
  BERTH_TRY(berth_input_peek(input, (size_t)length, &bytes, &found, err));
  if (found < length) {
    return berth_error_set(err, BERTH_DATA_LOSS, "a cache is cut off");
  }
  BERTH_TRY(berth_tensor_from_proto(bytes, (size_t)length, out, err));
  berth_input_pass(input, (size_t)length);
  return BERTH_OK;
}

// Reads |count| elements into the stock.
static berth_code_t load_elements(cache_t *cache, int64_t count,
                                  berth_error_t *err) {
  char *path = path_with(cache->path, ".data-00000-of-00001");
  berth_input_t *input = NULL;
  if (path == NULL) return berth_error_no_memory(err, "a cache");
  berth_code_t code = berth_input_open(path, BERTH_PACKING_NONE, &input, err);
  while (code == BERTH_OK && cache->stock.count < count) {
    berth_tensor_t **room = berth_stock_room(&cache->stock);
    if (room == NULL) code = berth_error_no_memory(err, "a cache");
    int width = cache->stock.width, i = 0;
    for (; code == BERTH_OK && i < width; ++i) {
      code = take_tensor(input, &room[i], err);
    }
    if (code == BERTH_OK) {
      cache->stock.count++;
    } else if (room != NULL && i > 0) {
      berth_element_drop(room, i - 1);
    }
  }
  berth_input_close(input);
  berth_free(path);
  return code;
}

// Reads what an earlier iterator has left in the file; does nothing where there
// is none. The lock is held.
static berth_code_t cache_load(cache_t *cache, berth_error_t *err) {
  char *path = path_with(cache->path, ".index");
  if (path == NULL) return berth_error_no_memory(err, "a cache");
  FILE *file = fopen(path, "r");
  berth_free(path);
  if (file == NULL) return BERTH_OK;
  int64_t count = -1;
  int width = 0;
  bool is_own =
      fscanf(file, "berth cache 1 %" SCNd64 " %d", &count, &width) == 2;
  (void)fclose(file);
  if (!is_own || count < 0 || width != cache->stock.width) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "%s.index is no cache of Berth's with elements of %d "
        "tensors; remove it, or choose another name",
        cache->path, cache->stock.width);
  }
  berth_code_t code = load_elements(cache, count, err);
  if (code == BERTH_OK) {
    cache->is_whole = true;
  } else {
    berth_stock_deinit(&cache->stock);
  }
  return code;
}

// ---- Cursors ----

static berth_code_t cache_open(berth_cursor_t *base, berth_error_t *err) {
  cache_cursor_t *cursor = (cache_cursor_t *)base;
  cache_t *cache = (cache_t *)(uintptr_t)base->dataset;
  cursor->found.width = base->dataset->width;
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&cache->lock);
  if (!cache->is_whole && cache->path != NULL) code = cache_load(cache, err);
  cursor->reads = cache->is_whole;
  berth_mutex_unlock(&cache->lock);
  if (code != BERTH_OK || cursor->reads) return code;
  return berth_cursor_open_input(base, err);
}

static void cache_close(berth_cursor_t *base) {
  berth_stock_deinit(&((cache_cursor_t *)base)->found);
}

// Makes what |cursor| has met the stock, unless another was faster.
static berth_code_t cache_finish(cache_cursor_t *cursor, berth_error_t *err) {
  cache_t *cache = (cache_t *)(uintptr_t)cursor->base.dataset;
  berth_code_t code = BERTH_OK;
  berth_mutex_lock(&cache->lock);
  if (!cache->is_whole) {
    cache->stock = cursor->found;
    cache->is_whole = true;
    cursor->found = (berth_stock_t){.width = cache->stock.width};
    if (cache->path != NULL) code = cache_save(cache, err);
  }
  berth_mutex_unlock(&cache->lock);
  cursor->reads = true;
  cursor->at = INT64_MAX;
  return code;
}

static berth_code_t cache_next(berth_cursor_t *base, berth_tensor_t **out,
                               bool *out_end, berth_error_t *err) {
  cache_cursor_t *cursor = (cache_cursor_t *)base;
  const cache_t *cache = (const cache_t *)base->dataset;
  int width = base->dataset->width;
  if (cursor->reads) {
    *out_end = cursor->at >= cache->stock.count;
    if (*out_end) return BERTH_OK;
    berth_tensor_t **element = cache->stock.tensors + cursor->at++ * width;
    for (int i = 0; i < width; ++i) out[i] = berth_tensor_retain(element[i]);
    return BERTH_OK;
  }
  BERTH_TRY(berth_cursor_next(base->input, out, out_end, err));
  if (*out_end) return cache_finish(cursor, err);
  berth_code_t code = berth_stock_add(&cursor->found, out, err);
  if (code != BERTH_OK) berth_element_drop(out, width);
  return code;
}

static void cache_drop(berth_dataset_t *dataset) {
  cache_t *cache = (cache_t *)dataset;
  berth_stock_deinit(&cache->stock);
  berth_mutex_deinit(&cache->lock);
  berth_free(cache->path);
}

static int64_t cache_count(const berth_dataset_t *dataset) {
  return berth_dataset_count(dataset->inputs[0]);
}

static const berth_dataset_kind_t cache_kind = {
    .name = "CacheDataset",
    .size = sizeof(cache_t),
    .cursor_size = sizeof(cache_cursor_t),
    .open = cache_open,
    .next = cache_next,
    .close = cache_close,
    .drop = cache_drop,
    .count = cache_count,
};

static berth_code_t make_cache(berth_call_t *call,
                               berth_dataset_t **out_dataset) {
  size_t size = 0;
  const char *name = berth_tensor_get_string(call->inputs[1], 0, &size);
  BERTH_TRY(berth_dataset_make(&cache_kind, call, 1, out_dataset, call->err));
  cache_t *cache = (cache_t *)*out_dataset;
  berth_mutex_init(&cache->lock);
  cache->stock.width = (*out_dataset)->width;
  if (size == 0) return BERTH_OK;
  cache->path = berth_strndup(name, size);
  if (cache->path != NULL) return BERTH_OK;
  berth_dataset_release(*out_dataset);
  return berth_error_no_memory(call->err, "a cache");
}

BERTH_DATASET(cache)

const berth_kernel_t berth_data_cache_kernels[] = {
    BERTH_DATA_OP("CacheDataset", cache),
    BERTH_DATA_OP("CacheDatasetV2", cache),
    {.op = NULL},
};
