// json.h - Writing texts as JSON has them.
#ifndef BERTH_BASE_JSON_H_
#define BERTH_BASE_JSON_H_

#include "base/str.h"

// Appends |text| in quotes, with what JSON wants escaped. Bytes that are no
// UTF-8 become U+FFFD.
void berth_json_text(berth_str_t *str, const char *text);

// The same in parts: the first quote, some text, the last quote.
void berth_json_open(berth_str_t *str);
void berth_json_add(berth_str_t *str, const char *text);
void berth_json_close(berth_str_t *str);

#endif  // BERTH_BASE_JSON_H_
