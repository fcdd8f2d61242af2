// str.h - A string under construction.
//
// Appending never fails in between: lack of memory is remembered and reported
// once, by berth_str_ok() or berth_str_take(). Zeroed is empty and valid.
//
// Threads: caller serialises.
#ifndef BERTH_BASE_STR_H_
#define BERTH_BASE_STR_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

typedef struct berth_str {
  char *text;  // NUL-terminated when not NULL.
  size_t size;
  size_t capacity;
  bool failed;
} berth_str_t;

// Append bytes, a text, a character or what a format makes; nothing happens once
// memory was short.
void berth_str_put(berth_str_t *str, const char *text, size_t size);
void berth_str_puts(berth_str_t *str, const char *text);
void berth_str_putc(berth_str_t *str, char c);
void berth_str_printf(berth_str_t *str, const char *format, ...)
    BERTH_PRINTF(2, 3);
void berth_str_vprintf(berth_str_t *str, const char *format, va_list args)
    BERTH_PRINTF(2, 0);

// True when nothing was lost for lack of memory.
bool berth_str_ok(const berth_str_t *str);

// Returns the text so far, "" when empty. Borrowed.
const char *berth_str_get(const berth_str_t *str);

// Returns the text, to be freed with berth_free(), and empties |str|; NULL
// when memory was short.
char *berth_str_take(berth_str_t *str);

// Frees the text.
void berth_str_clear(berth_str_t *str);

// True when |text| begins with |prefix|.
bool berth_has_prefix(const char *text, const char *prefix);

// Counts the letters in which two texts differ, upper and lower case being the
// same: changed, left out, put in, or two that have changed places. Texts of
// more than 64 bytes differ in all.
int berth_str_distance(const char *a, const char *b);

// Reads a whole decimal number; false for anything else, an overflow included.
bool berth_parse_int64(const char *text, int64_t *out_value);

#endif  // BERTH_BASE_STR_H_
