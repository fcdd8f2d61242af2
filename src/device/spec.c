// spec.c - The public functions on device names.
#include <string.h>

#include "base/str.h"
#include "berth/device.h"
#include "device/name.h"

// Hands the text of |str| to the caller and empties it.
static berth_code_t take_text(berth_str_t *str, char **out_text,
                              berth_error_t *err) {
  char *text = berth_str_take(str);
  if (text == NULL) return berth_error_no_memory(err, "a device name");
  *out_text = text;
  return BERTH_OK;
}

bool berth_device_name_check(const char *name) {
  if (name == NULL) return false;
  berth_device_name_t parsed;
  return berth_device_name_parse(name, &parsed);
}

berth_code_t berth_device_name_complete(const char *name, const char *base,
                                        char **out_text, berth_error_t *err) {
  BERTH_GIVEN(name, err);
  BERTH_GIVEN(base, err);
  BERTH_GIVEN(out_text, err);
  berth_str_t str = {0};
  berth_code_t code = berth_device_name_canonicalise(name, base, &str, err);
  if (code != BERTH_OK) {
    berth_str_clear(&str);
    return code;
  }
  return take_text(&str, out_text, err);
}

static berth_device_name_t to_name(const berth_device_spec_t *spec) {
  return (berth_device_name_t){
      .job = {spec->job, (int32_t)spec->job_size},
      .type = {spec->type, (int32_t)spec->type_size},
      .replica = spec->replica,
      .task = spec->task,
      .id = spec->index,
      .has_job = spec->job != NULL,
      .has_replica = spec->has_replica,
      .has_task = spec->has_task,
      .has_type = spec->type != NULL,
      .has_id = spec->has_index,
  };
}

static berth_device_spec_t to_spec(const berth_device_name_t *name) {
  berth_device_spec_t spec = {.replica = name->replica,
                              .task = name->task,
                              .index = name->id,
                              .has_replica = name->has_replica,
                              .has_task = name->has_task,
                              .has_index = name->has_id};
  if (name->has_job) {
    spec.job = name->job.text;
    spec.job_size = (size_t)name->job.size;
  }
  if (name->has_type) {
    spec.type = name->type.text;
    spec.type_size = (size_t)name->type.size;
  }
  return spec;
}

berth_code_t berth_device_spec_parse(const char *text,
                                     berth_device_spec_t *out_spec,
                                     berth_error_t *err) {
  BERTH_GIVEN(text, err);
  BERTH_GIVEN(out_spec, err);
  berth_device_name_t name;
  BERTH_TRY(berth_device_name_parse_spec(text, &name, err));
  *out_spec = to_spec(&name);
  return BERTH_OK;
}

berth_code_t berth_device_spec_print(const berth_device_spec_t *spec,
                                     char **out_text, berth_error_t *err) {
  BERTH_GIVEN(spec, err);
  BERTH_GIVEN(out_text, err);
  berth_str_t str = {0};
  berth_device_name_t name = to_name(spec);
  berth_device_name_print(&name, &str);
  return take_text(&str, out_text, err);
}

void berth_device_spec_merge(berth_device_spec_t *target,
                             const berth_device_spec_t *over) {
  if (target == NULL || over == NULL) return;
  berth_device_name_t name = to_name(target), from = to_name(over);
  berth_device_name_override(&name, &from);
  *target = to_spec(&name);
}
