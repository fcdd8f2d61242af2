// memory.c - Memory of the command line.
#include "memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void *cli_grow(void *items, size_t count, size_t item_size) {
  // The room is always a power of two, so it is full exactly at those counts.
  bool is_full = (count & (count - 1)) == 0;
  if (!is_full) return items;
  size_t room = count > 0 ? 2 * count : 1;
  if (room > (size_t)-1 / item_size) return NULL;
  return realloc(items, room * item_size);
}

void *cli_calloc(size_t count, size_t item_size) {
  return calloc(count > 0 ? count : 1, item_size);
}

void cli_free(void *memory) { free(memory); }

FILE *cli_memory_open(char **out_data, size_t *out_size) {
  return open_memstream(out_data, out_size);
}

// ---- Texts ----

// Makes room for |size| more bytes and the NUL.
static bool reserve(cli_text_t *text, size_t size) {
  if (text->is_broken) return false;
  size_t needed = text->size + size + 1;
  if (needed <= text->capacity) return true;
  size_t capacity = needed < 2 * text->capacity ? 2 * text->capacity : needed;
  char *data = realloc(text->data, capacity);
  if (data == NULL) {
    text->is_broken = true;
    return false;
  }
  text->data = data;
  text->capacity = capacity;
  return true;
}

void cli_text_put(cli_text_t *text, const char *data, size_t size) {
  if (!reserve(text, size)) return;
  if (size > 0) memcpy(text->data + text->size, data, size);
  text->size += size;
  text->data[text->size] = '\0';
}

void cli_text_puts(cli_text_t *text, const char *data) {
  cli_text_put(text, data, strlen(data));
}

void cli_text_printf(cli_text_t *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, args);
  if (size >= 0 && reserve(text, (size_t)size)) {
    vsnprintf(text->data + text->size, (size_t)size + 1, format, again);
    text->size += (size_t)size;
  }
  va_end(again);
  va_end(args);
}

const char *cli_text_get(const cli_text_t *text) {
  return text->data != NULL ? text->data : "";
}

void cli_text_clear(cli_text_t *text) {
  free(text->data);
  *text = (cli_text_t){0};
}

bool cli_text_read(cli_text_t *text, const char *path) {
  enum { CHUNK = 1 << 16 };
  bool is_stdin = strcmp(path, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "rb");
  if (file == NULL) return false;
  size_t size = 0;
  while (reserve(text, CHUNK) &&
         (size = fread(text->data + text->size, 1, CHUNK, file)) > 0) {
    text->size += size;
  }
  bool is_read = !ferror(file) && !text->is_broken;
  int reason = text->is_broken ? ENOMEM : errno;
  if (text->data != NULL) text->data[text->size] = '\0';
  if (!is_stdin) fclose(file);
  errno = reason;
  return is_read;
}

// ---- Lists ----

bool cli_list_add(cli_list_t *list, const char *item) {
  const char **items =
      cli_grow(list->items, (size_t)list->count, sizeof(*items));
  if (items == NULL) return false;
  list->items = items;
  items[list->count++] = item;
  return true;
}

void cli_list_clear(cli_list_t *list) {
  free(list->items);
  *list = (cli_list_t){0};
}
