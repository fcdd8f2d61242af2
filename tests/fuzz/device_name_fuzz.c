// device_name_fuzz.c - Device names from anywhere.
//
// The first byte is the length of the first text; the rest is the second. Both
// go through every reader, and what the readers accept must hold together:
// printing and reading again gives the same name, and merging keeps its
// promises.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "berth/device.h"
#include "device/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool condition) {
  if (!condition) abort();
}

// Printing and reading again gives the same name. Not so for an id without a
// type, which is not printed, nor for numbers that were cut to below zero.
static void check_round_trip(const berth_device_name_t *name) {
  if (!name->has_type && name->has_id) return;
  if (name->replica < 0 || name->task < 0 || name->id < 0) return;
  berth_str_t str = {0};
  berth_device_name_t again;
  berth_device_name_print(name, &str);
  need(berth_device_name_parse(berth_str_get(&str), &again));
  need(berth_device_name_equal(name, &again));
  berth_str_clear(&str);
}

// What Python's reader accepts, it accepts again in canonical form.
static void check_spec(const char *text) {
  berth_device_spec_t spec, again;
  char *printed = NULL, *reprinted = NULL;
  if (berth_device_spec_parse(text, &spec, NULL) != BERTH_OK) return;
  need(berth_device_spec_print(&spec, &printed, NULL) == BERTH_OK);
  need(berth_device_spec_parse(printed, &again, NULL) == BERTH_OK);
  need(berth_device_spec_print(&again, &reprinted, NULL) == BERTH_OK);
  need(strcmp(printed, reprinted) == 0);
  berth_free(printed);
  berth_free(reprinted);
}

static void check_merge(const berth_device_name_t *a,
                        const berth_device_name_t *b) {
  berth_device_name_t merged = *a;
  bool fits = berth_device_name_is_compatible(a, b);
  berth_code_t code =
      berth_device_name_merge(&merged, b, BERTH_MERGE_STRICT, NULL);
  need((code == BERTH_OK) == fits);
  if (fits) {
    need(berth_device_name_is_specification(a, &merged));
    need(berth_device_name_is_specification(b, &merged));
  }
  merged = *a;
  berth_device_name_override(&merged, b);
  need(berth_device_name_is_specification(b, &merged));
  merged = *a;
  berth_device_name_merge_unset(&merged, b);
  need(berth_device_name_is_specification(a, &merged));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  size_t first = data[0] < size - 1 ? data[0] : size - 1;
  char *a = berth_strndup((const char *)data + 1, first);
  char *b = berth_strndup((const char *)data + 1 + first, size - 1 - first);
  berth_device_name_t name, other;
  berth_str_t full = {0};
  if (a == NULL || b == NULL) goto done;
  check_spec(a);
  (void)!berth_device_name_canonicalise(a, b, &full, NULL);
  if (berth_device_name_parse_any(a, &name)) {
    check_round_trip(&name);
    if (berth_device_name_parse(b, &other)) check_merge(&name, &other);
  }

done:
  berth_str_clear(&full);
  berth_free(a);
  berth_free(b);
  return 0;
}
