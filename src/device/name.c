// name.c - Reading and writing device names as the runtime does.
//
// The grammar (docs/design/devices-and-names.md has it whole):
//
//   name      := "" | "/" | part+
//   part      := "/job:" (WORD | "*")
//              | "/replica:" (NUM | "*")
//              | "/task:" (NUM | "*")
//              | "/device:" (WORD | "*") [":" (NUM | "*")]
//              | ("/cpu:" | "/CPU:" | "/gpu:" | "/GPU:") (NUM | "*")
//
// Parts come in any order; a later one overrides an earlier one, and "*" makes
// it absent. Relations and merging are in name_merge.c, Python's lenient reader
// in name_spec.c.
#include "device/name.h"

#include <string.h>

// Takes |prefix| off the front of |*text|; false when it is not there.
static bool take(const char **text, const char *prefix) {
  size_t size = strlen(prefix);
  if (strncmp(*text, prefix, size) != 0) return false;
  *text += size;
  return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Reads [A-Za-z][A-Za-z0-9_]*. What comes after it is the caller's matter: text
// that starts no part makes the whole name malformed.
static bool take_word(const char **text, berth_word_t *out_word) {
  const char *end = *text;
  if (!is_alpha(*end)) return false;
  while (is_alpha(*end) || is_digit(*end) || *end == '_') ++end;
  if (end - *text > INT32_MAX) return false;
  *out_word = (berth_word_t){*text, (int32_t)(end - *text)};
  *text = end;
  return true;
}

// Reads digits as 64 bits and keeps the low 32, as TensorFlow does: /cpu:2^32
// is /cpu:0. More than 64 bits is malformed.
static bool take_number(const char **text, int32_t *out_number) {
  const char *at = *text;
  uint64_t value = 0;
  if (!is_digit(*at)) return false;
  for (; is_digit(*at); ++at) {
    uint64_t digit = (uint64_t)(*at - '0');
    if (__builtin_mul_overflow(value, 10u, &value) ||
        __builtin_add_overflow(value, digit, &value)) {
      return false;
    }
  }
  *out_number = (int32_t)(uint32_t)value;
  *text = at;
  return true;
}

static bool take_number_or_star(const char **text, int32_t *out_number,
                                bool *out_has) {
  *out_has = !take(text, "*");
  return !*out_has || take_number(text, out_number);
}

static bool take_word_or_star(const char **text, berth_word_t *out_word,
                              bool *out_has) {
  *out_has = !take(text, "*");
  return !*out_has || take_word(text, out_word);
}

// Reads what follows "/device:".
static bool take_device(const char **text, berth_device_name_t *name) {
  if (!take_word_or_star(text, &name->type, &name->has_type)) return false;
  name->has_id = false;
  return !take(text, ":") ||
         take_number_or_star(text, &name->id, &name->has_id);
}

// Reads what follows "/cpu:" or "/gpu:".
static bool take_short(const char **text, const char *type,
                       berth_device_name_t *name) {
  name->type = (berth_word_t){type, 3};
  name->has_type = true;
  return take_number_or_star(text, &name->id, &name->has_id);
}

static bool take_part(const char **text, berth_device_name_t *name) {
  if (take(text, "/job:")) {
    return take_word_or_star(text, &name->job, &name->has_job);
  }
  if (take(text, "/replica:")) {
    return take_number_or_star(text, &name->replica, &name->has_replica);
  }
  if (take(text, "/task:")) {
    return take_number_or_star(text, &name->task, &name->has_task);
  }
  if (take(text, "/device:")) return take_device(text, name);
  // Only all-lower and all-upper case: "/Gpu:0" is malformed.
  if (take(text, "/cpu:") || take(text, "/CPU:")) {
    return take_short(text, "CPU", name);
  }
  if (take(text, "/gpu:") || take(text, "/GPU:")) {
    return take_short(text, "GPU", name);
  }
  return false;
}

bool berth_device_name_parse(const char *text, berth_device_name_t *out_name) {
  berth_device_name_t name = {0};
  if (strcmp(text, "/") != 0) {
    while (*text != '\0') {
      if (!take_part(&text, &name)) return false;
    }
  }
  *out_name = name;
  return true;
}

bool berth_device_name_parse_local(const char *text,
                                   berth_device_name_t *out_name) {
  berth_device_name_t name = {.has_type = true, .has_id = true};
  if (!take_word(&text, &name.type) || !take(&text, ":") ||
      !take_number(&text, &name.id) || *text != '\0') {
    return false;
  }
  *out_name = name;
  return true;
}

bool berth_device_name_parse_any(const char *text,
                                 berth_device_name_t *out_name) {
  return berth_device_name_parse(text, out_name) ||
         berth_device_name_parse_local(text, out_name);
}

static void print_address_space(const berth_device_name_t *name,
                                berth_str_t *str) {
  if (name->has_job) {
    berth_str_puts(str, "/job:");
    berth_str_put(str, name->job.text, (size_t)name->job.size);
  }
  if (name->has_replica) berth_str_printf(str, "/replica:%d", name->replica);
  if (name->has_task) berth_str_printf(str, "/task:%d", name->task);
}

static void print_id(const berth_device_name_t *name, berth_str_t *str) {
  if (name->has_id) {
    berth_str_printf(str, ":%d", name->id);
  } else {
    berth_str_puts(str, ":*");
  }
}

void berth_device_name_print(const berth_device_name_t *name,
                             berth_str_t *str) {
  print_address_space(name, str);
  if (!name->has_type) return;  // An id without a type is not printed.
  berth_str_puts(str, "/device:");
  berth_str_put(str, name->type.text, (size_t)name->type.size);
  print_id(name, str);
}

void berth_device_name_print_legacy(const berth_device_name_t *name,
                                    berth_str_t *str) {
  print_address_space(name, str);
  if (!name->has_type) return;
  berth_str_putc(str, '/');
  for (int32_t i = 0; i < name->type.size; ++i) {
    char c = name->type.text[i];
    berth_str_putc(str, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
  }
  print_id(name, str);
}

berth_code_t berth_device_name_canonicalise(const char *name, const char *base,
                                            berth_str_t *out,
                                            berth_error_t *err) {
  berth_device_name_t full, parsed;
  if (!berth_device_name_parse(base, &full)) {
    return berth_error_set(
        err, BERTH_INVALID_ARGUMENT,
        "Could not parse basename: %s into a device specification.", base);
  }
  if (!berth_device_name_is_full(&full)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Basename: %s should be fully specified.", base);
  }
  if (!berth_device_name_parse_local(name, &parsed) &&
      !berth_device_name_parse(name, &parsed)) {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "Could not parse %s into a device specification.",
                           name);
  }
  berth_device_name_merge_unset(&parsed, &full);
  berth_device_name_print(&parsed, out);
  return berth_str_ok(out) ? BERTH_OK
                           : berth_error_no_memory(err, "a device name");
}
