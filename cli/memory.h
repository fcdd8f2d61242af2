// memory.h - Memory of the command line: arrays, texts, files.
//
// The program stands on the public headers alone, so it has its own small
// helpers. Only memory.c asks the system for memory. When there is none, an
// array does not grow and a text keeps |is_broken|, to be told at the end.
//
// Threads: the program has one.
#ifndef BERTH_CLI_MEMORY_H_
#define BERTH_CLI_MEMORY_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Returns |items| with room for one more than |count| of |item_size| bytes,
// NULL when memory is short (|items| is then as it was). Grows by doubling.
void *cli_grow(void *items, size_t count, size_t item_size);

// Returns zeroed room for |count| items, at least one; NULL when memory is
// short.
void *cli_calloc(size_t count, size_t item_size);

// Frees what the functions here returned. NULL is fine.
void cli_free(void *memory);

// Opens a file that lies in memory. Once it is closed |*out_data| has all that
// was written, |*out_size| bytes, to be freed; NULL when memory is short.
FILE *cli_memory_open(char **out_data, size_t *out_size);

// A text that grows. Zeroed is empty; cli_text_clear() frees it.
typedef struct cli_text {
  char *data;
  size_t size, capacity;
  bool is_broken;  // Memory ran out: |data| is not all of it.
} cli_text_t;

// Appends |size| bytes, or a whole text, or a formatted one.
void cli_text_put(cli_text_t *text, const char *data, size_t size);
void cli_text_puts(cli_text_t *text, const char *data);
__attribute__((format(printf, 2, 3))) void cli_text_printf(cli_text_t *text,
                                                           const char *format,
                                                           ...);

// Returns the text so far, NUL-terminated. Borrowed until it changes.
const char *cli_text_get(const cli_text_t *text);

void cli_text_clear(cli_text_t *text);

// Appends the contents of the file at |path|; "-" is standard input. False,
// with errno set, when it cannot be read.
bool cli_text_read(cli_text_t *text, const char *path);

// A list of borrowed texts. Zeroed is empty; cli_list_clear() frees it.
typedef struct cli_list {
  const char **items;
  int count;
} cli_list_t;

// Appends |item|; false when memory is short.
bool cli_list_add(cli_list_t *list, const char *item);

void cli_list_clear(cli_list_t *list);

#endif  // BERTH_CLI_MEMORY_H_
