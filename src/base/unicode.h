// unicode.h - Texts of code points: reading, writing, upper and lower case,
// scripts.
//
// Pure functions; the program's locale plays no part.
#ifndef BERTH_BASE_UNICODE_H_
#define BERTH_BASE_UNICODE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

// Reads one code point at |text|, of |size| bytes, at least one, and returns
// how many bytes it takes. What is no UTF-8 is -1, and takes as many bytes as
// could have begun a character, at least one.
int berth_utf8_read(const char *text, size_t size, int32_t *out_char);

// Appends a code point in UTF-8.
void berth_utf8_put(berth_str_t *str, int32_t c);

// Returns the number of characters: bytes that do not continue one.
size_t berth_utf8_count(const char *text, size_t size);

// Returns the letter in the other case, or |c| where there is none of one
// character.
int32_t berth_char_lower(int32_t c);
int32_t berth_char_upper(int32_t c);

// Returns the number that ICU has for the script of |c|; -1: |c| is no character.
int32_t berth_char_script(int32_t c);

// Appends |text| in lower or upper case; bytes that are no UTF-8 become U+FFFD.
// False for a letter whose other case depends on a language: |*out_char| is it.
bool berth_text_lower(const char *text, size_t size, berth_str_t *str,
                      int32_t *out_char);
bool berth_text_upper(const char *text, size_t size, berth_str_t *str,
                      int32_t *out_char);

#endif  // BERTH_BASE_UNICODE_H_
