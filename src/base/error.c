// error.c - Making errors, and passing them on.
#include "base/error.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

const char *berth_code_name(berth_code_t code) {
  static const char *const names[] = {"OK",
                                      "CANCELLED",
                                      "UNKNOWN",
                                      "INVALID_ARGUMENT",
                                      "DEADLINE_EXCEEDED",
                                      "NOT_FOUND",
                                      "ALREADY_EXISTS",
                                      "PERMISSION_DENIED",
                                      "RESOURCE_EXHAUSTED",
                                      "FAILED_PRECONDITION",
                                      "ABORTED",
                                      "OUT_OF_RANGE",
                                      "UNIMPLEMENTED",
                                      "INTERNAL",
                                      "UNAVAILABLE",
                                      "DATA_LOSS",
                                      "UNAUTHENTICATED"};
  int index = (int)code;
  return index >= 0 && index < BERTH_COUNT_OF(names) ? names[index] : "UNKNOWN";
}

const char *berth_error_message(const berth_error_t *err) {
  if (err == NULL) return "";
  return err->long_text != NULL ? err->long_text : err->text;
}

void berth_error_clear(berth_error_t *err) {
  if (err == NULL) return;
  berth_free(err->long_text);
  err->long_text = NULL;
  err->code = BERTH_OK;
  err->text[0] = '\0';
}

berth_code_t berth_error_set_text(berth_error_t *err, berth_code_t code,
                                  const char *text) {
  if (err == NULL) return code;
  // |text| may lie in |err| itself, so the old text goes last.
  size_t size = strlen(text);
  char *old = err->long_text;
  char *copy = size >= sizeof(err->text) ? berth_strndup(text, size) : NULL;
  size_t kept = size < sizeof(err->text) ? size : sizeof(err->text) - 1;
  memmove(err->text, text, kept);
  err->text[kept] = '\0';
  err->long_text = copy;
  err->code = code;
  berth_free(old);
  return code;
}

berth_code_t berth_error_setv(berth_error_t *err, berth_code_t code,
                              const char *format, va_list args) {
  if (err == NULL) return code;
  char text[BERTH_ERROR_TEXT_SIZE];
  va_list again;
  va_copy(again, args);
  int size = vsnprintf(text, sizeof(text), format, args);
  if (size < 0 || (size_t)size < sizeof(text)) {
    berth_error_set_text(err, code, size < 0 ? format : text);
  } else {
    char *full = berth_alloc((size_t)size + 1);
    if (full != NULL) vsnprintf(full, (size_t)size + 1, format, again);
    berth_error_set_text(err, code, full != NULL ? full : text);
    berth_free(full);
  }
  va_end(again);
  return code;
}

berth_code_t berth_error_set(berth_error_t *err, berth_code_t code,
                             const char *format, ...) {
  va_list args;
  va_start(args, format);
  berth_error_setv(err, code, format, args);
  va_end(args);
  return code;
}

// Puts a text before or behind that of |err|; when memory is short the old text
// stands.
static BERTH_PRINTF(3, 0) berth_code_t
    add_text(berth_error_t *err, bool is_before, const char *format,
             va_list args) {
  berth_str_t str = {0};
  if (!is_before) berth_str_puts(&str, berth_error_message(err));
  berth_str_vprintf(&str, format, args);
  if (is_before) berth_str_puts(&str, berth_error_message(err));
  if (berth_str_ok(&str)) {
    berth_error_set_text(err, err->code, berth_str_get(&str));
  }
  berth_str_clear(&str);
  return err->code;
}

berth_code_t berth_error_append(berth_error_t *err, const char *format, ...) {
  if (err == NULL) return BERTH_UNKNOWN;
  va_list args;
  va_start(args, format);
  berth_code_t code = add_text(err, false, format, args);
  va_end(args);
  return code;
}

berth_code_t berth_error_prepend(berth_error_t *err, const char *format, ...) {
  if (err == NULL) return BERTH_UNKNOWN;
  va_list args;
  va_start(args, format);
  berth_code_t code = add_text(err, true, format, args);
  va_end(args);
  return code;
}

berth_code_t berth_error_move(berth_error_t *to, berth_error_t *from) {
  berth_code_t code = from->code;
  if (to != NULL) {
    berth_free(to->long_text);
    *to = *from;
  } else {
    berth_free(from->long_text);
  }
  *from = (berth_error_t)BERTH_ERROR_INIT;
  return code;
}

berth_code_t berth_error_missing(berth_error_t *err, const char *what) {
  return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                         "The argument '%s' is NULL or has a negative count",
                         what);
}

berth_code_t berth_error_no_memory(berth_error_t *err, const char *what) {
  return berth_error_set(err, BERTH_RESOURCE_EXHAUSTED,
                         "out of host memory for %s", what);
}
