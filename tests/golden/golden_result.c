// golden_result.c - What a golden file expects, compared with what came.
#include <stdlib.h>
#include <string.h>

#include "golden_replay.h"

// ---- Tensors ----

bool golden_tensors_add(golden_file_t *file, char *text,
                        golden_tensors_t *tensors) {
  if (tensors->count == GOLDEN_MAX_TENSORS)
    return golden_complain(file, "too many");
  if (!golden_tensor(file, text, &tensors->items[tensors->count])) return false;
  ++tensors->count;
  return true;
}

void golden_tensors_clear(golden_tensors_t *tensors) {
  for (int i = 0; i < tensors->count; ++i) {
    berth_tensor_release(tensors->items[i]);
  }
  tensors->count = 0;
}

// ---- Results ----

bool golden_result_line(golden_file_t *file, const char *word, char *rest,
                        golden_result_t *result) {
  if (strcmp(word, "out") == 0) {
    (void)golden_tensors_add(file, rest, &result->outputs);
  } else if (strcmp(word, "error") == 0) {
    result->code = (int)strtol(golden_word(&rest), NULL, 10);
    golden_unescape(rest);
    result->message = rest;
  } else if (strcmp(word, "said") == 0) {
    golden_unescape(rest);
    result->said = rest;
  } else {
    return false;
  }
  return true;
}

// Returns the message of |err| without the function that an eager call is
// wrapped in.
static const char *message_of(const berth_error_t *err) {
  const char *text = berth_error_message(err);
  const char *end = strstr(text, "}} ");
  bool is_wrapped = strncmp(text, "{{function_node ", 16) == 0 && end != NULL;
  return is_wrapped ? end + 3 : text;
}

// True when |text| is |expected| with |suffix| behind it.
static bool is_text(const char *text, const char *expected,
                    const char *suffix) {
  size_t size = strlen(expected);
  return strncmp(text, expected, size) == 0 && strcmp(text + size, suffix) == 0;
}

static void check_error(golden_file_t *file, const golden_result_t *expected,
                        const char *suffix, berth_code_t code,
                        const berth_error_t *err) {
  if (code != BERTH_OK && expected->code == BERTH_OK) {
    golden_complain(file, "failed with %s: %s", berth_code_name(code),
                    berth_error_message(err));
  } else if ((int)code != expected->code) {
    golden_complain(file, "gave %s (%s), expected %s: %s",
                    berth_code_name(code), berth_error_message(err),
                    berth_code_name((berth_code_t)expected->code),
                    expected->message);
  } else if (code != BERTH_OK &&
             !is_text(message_of(err), expected->message, suffix)) {
    golden_complain(file, "said\n  %s\nexpected\n  %s%s", message_of(err),
                    expected->message, suffix);
  }
}

static void check_outputs(golden_replay_t *replay,
                          const golden_result_t *expected,
                          const golden_tensors_t *got) {
  golden_file_t *file = &replay->file;
  if (got->count != expected->outputs.count) {
    golden_complain(file, "gave %d outputs, expected %d", got->count,
                    expected->outputs.count);
    return;
  }
  for (int i = 0; i < got->count; ++i) {
    char what[32];
    snprintf(what, sizeof(what), "output %d", i);
    (void)golden_compare(file, what, replay->tolerances, got->items[i],
                         expected->outputs.items[i]);
  }
}

void golden_check(golden_replay_t *replay, const golden_result_t *expected,
                  const char *suffix, berth_code_t code,
                  const berth_error_t *err, const golden_tensors_t *got) {
  check_error(&replay->file, expected, suffix, code, err);
  if (code == BERTH_OK && expected->code == BERTH_OK) {
    check_outputs(replay, expected, got);
  }
}

bool golden_begins_case(const char *line) {
  return strncmp(line, "case ", 5) == 0 || strncmp(line, "graph ", 6) == 0;
}
