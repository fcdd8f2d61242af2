// digits.h - Numbers as decimal digits and back, the quick way.
//
// Exact integers of 128 bits do for numbers of common size what the C library
// does for all; what they cannot hold is left to it. The texts and the numbers
// are the same to the last bit.
//
// Pure functions.
#ifndef BERTH_CPU_LOOPS_DIGITS_H_
#define BERTH_CPU_LOOPS_DIGITS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// No text is longer.
enum { BERTH_DIGITS_ROOM = 64 };

// Writes |value| as printf's "%.*f", "%.*e" or "%.*g" (|notation|) does with
// |precision|, without a NUL. Returns the number of characters; 0: not the
// quick way.
size_t berth_digits_write(double value, char notation, int precision,
                          char *out);

// Writes a whole number. Returns the number of characters.
size_t berth_digits_write_int(int64_t value, char *out);

// Reads |size| characters, all of them, as a number: the nearest double, or the
// nearest float. False: not the quick way.
bool berth_digits_read(const char *text, size_t size, double *out);
bool berth_digits_read_float(const char *text, size_t size, float *out);

// The same for a whole number of at most 18 digits.
bool berth_digits_read_int(const char *text, size_t size, int64_t *out);

#endif  // BERTH_CPU_LOOPS_DIGITS_H_
