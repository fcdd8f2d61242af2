// json.c - Writing texts as JSON has them.
#include "base/json.h"

#include <string.h>

#include "base/unicode.h"

void berth_json_open(berth_str_t *str) { berth_str_putc(str, '"'); }

void berth_json_close(berth_str_t *str) { berth_str_putc(str, '"'); }

void berth_json_add(berth_str_t *str, const char *text) {
  size_t size = strlen(text);
  for (size_t i = 0; i < size;) {
    unsigned char c = (unsigned char)text[i];
    int32_t wide = 0;
    int width = 1;
    if (c >= 0x80) {
      width = berth_utf8_read(text + i, size - i, &wide);
      if (wide >= 0) berth_str_put(str, text + i, (size_t)width);
      if (wide < 0) berth_str_puts(str, "\\ufffd");
    } else if (c == '"' || c == '\\') {
      berth_str_printf(str, "\\%c", c);
    } else if (c < 0x20) {
      berth_str_printf(str, "\\u%04x", c);
    } else {
      berth_str_putc(str, (char)c);
    }
    i += (size_t)width;
  }
}

void berth_json_text(berth_str_t *str, const char *text) {
  berth_json_open(str);
  berth_json_add(str, text);
  berth_json_close(str);
}
