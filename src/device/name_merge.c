// name_merge.c - Comparing and merging device names.
#include <string.h>

#include "device/name.h"

static bool word_equal(berth_word_t a, berth_word_t b) {
  return a.size == b.size && memcmp(a.text, b.text, (size_t)a.size) == 0;
}

bool berth_device_name_is_full(const berth_device_name_t *name) {
  return name->has_job && name->has_replica && name->has_task &&
         name->has_type && name->has_id;
}

bool berth_device_name_is_empty(const berth_device_name_t *name) {
  return !name->has_job && !name->has_replica && !name->has_task &&
         !name->has_type && !name->has_id;
}

bool berth_device_name_equal(const berth_device_name_t *a,
                             const berth_device_name_t *b) {
  return a->has_job == b->has_job && a->has_replica == b->has_replica &&
         a->has_task == b->has_task && a->has_type == b->has_type &&
         a->has_id == b->has_id && berth_device_name_is_compatible(a, b);
}

bool berth_device_name_is_compatible(const berth_device_name_t *a,
                                     const berth_device_name_t *b) {
  if (a->has_job && b->has_job && !word_equal(a->job, b->job)) return false;
  if (a->has_replica && b->has_replica && a->replica != b->replica) {
    return false;
  }
  if (a->has_task && b->has_task && a->task != b->task) return false;
  if (a->has_type && b->has_type && !word_equal(a->type, b->type)) return false;
  return !(a->has_id && b->has_id && a->id != b->id);
}

bool berth_device_name_is_specification(const berth_device_name_t *less,
                                        const berth_device_name_t *more) {
  if ((less->has_job && !more->has_job) ||
      (less->has_replica && !more->has_replica) ||
      (less->has_task && !more->has_task) ||
      (less->has_type && !more->has_type) || (less->has_id && !more->has_id)) {
    return false;
  }
  return berth_device_name_is_compatible(less, more);
}

bool berth_device_name_matches(const berth_device_name_t *pattern,
                               const berth_device_name_t *device) {
  return berth_device_name_is_full(device) &&
         berth_device_name_is_compatible(pattern, device);
}

bool berth_device_name_same_address_space(const berth_device_name_t *a,
                                          const berth_device_name_t *b) {
  return a->has_job && b->has_job && word_equal(a->job, b->job) &&
         a->has_replica && b->has_replica && a->replica == b->replica &&
         a->has_task && b->has_task && a->task == b->task;
}

static berth_code_t conflict(const berth_device_name_t *target,
                             const berth_device_name_t *other, const char *what,
                             berth_error_t *err) {
  berth_str_t a = {0}, b = {0};
  berth_device_name_print(target, &a);
  berth_device_name_print(other, &b);
  berth_error_set(err, BERTH_INVALID_ARGUMENT,
                  "Cannot merge devices with incompatible %s: '%s' and '%s'",
                  what, berth_str_get(&a), berth_str_get(&b));
  berth_str_clear(&a);
  berth_str_clear(&b);
  return BERTH_INVALID_ARGUMENT;
}

// Merges job, replica and task, whose conflicts are errors in every mode.
static berth_code_t merge_address_space(berth_device_name_t *target,
                                        const berth_device_name_t *other,
                                        berth_error_t *err) {
  if (other->has_job) {
    if (target->has_job && !word_equal(target->job, other->job)) {
      return conflict(target, other, "jobs", err);
    }
    target->has_job = true;
    target->job = other->job;
  }
  if (other->has_replica) {
    if (target->has_replica && target->replica != other->replica) {
      return conflict(target, other, "replicas", err);
    }
    target->has_replica = true;
    target->replica = other->replica;
  }
  if (other->has_task) {
    if (target->has_task && target->task != other->task) {
      return conflict(target, other, "tasks", err);
    }
    target->has_task = true;
    target->task = other->task;
  }
  return BERTH_OK;
}

// Sets |*out_done| when a soft conflict ends the merge: the type goes with its
// id, and the other's id is not looked at.
static berth_code_t merge_type(berth_device_name_t *target,
                               const berth_device_name_t *other,
                               berth_merge_mode_t mode, bool *out_done,
                               berth_error_t *err) {
  if (!other->has_type) return BERTH_OK;
  bool differs = target->has_type && !word_equal(target->type, other->type);
  if (differs && mode == BERTH_MERGE_STRICT) {
    return conflict(target, other, "types", err);
  }
  if (differs && mode == BERTH_MERGE_SOFT) {
    target->has_type = target->has_id = false;
    *out_done = true;
    return BERTH_OK;
  }
  target->has_type = true;
  target->type = other->type;
  return BERTH_OK;
}

static berth_code_t merge_id(berth_device_name_t *target,
                             const berth_device_name_t *other,
                             berth_merge_mode_t mode, berth_error_t *err) {
  if (!other->has_id) return BERTH_OK;
  bool differs = target->has_id && target->id != other->id;
  if (differs && mode == BERTH_MERGE_STRICT) {
    return conflict(target, other, "ids", err);
  }
  target->has_id = !differs || mode == BERTH_MERGE_OVERRIDE;
  target->id = other->id;
  return BERTH_OK;
}

berth_code_t berth_device_name_merge(berth_device_name_t *target,
                                     const berth_device_name_t *other,
                                     berth_merge_mode_t mode,
                                     berth_error_t *err) {
  bool done = false;
  BERTH_TRY(merge_address_space(target, other, err));
  BERTH_TRY(merge_type(target, other, mode, &done, err));
  return done ? BERTH_OK : merge_id(target, other, mode, err);
}

void berth_device_name_override(berth_device_name_t *target,
                                const berth_device_name_t *from) {
  berth_device_name_t merged = *from;
  berth_device_name_merge_unset(&merged, target);
  *target = merged;
}

void berth_device_name_merge_unset(berth_device_name_t *target,
                                   const berth_device_name_t *from) {
  if (!target->has_job) {
    target->has_job = from->has_job;
    target->job = from->job;
  }
  if (!target->has_replica) {
    target->has_replica = from->has_replica;
    target->replica = from->replica;
  }
  if (!target->has_task) {
    target->has_task = from->has_task;
    target->task = from->task;
  }
  if (!target->has_type) {
    target->has_type = from->has_type;
    target->type = from->type;
  }
  if (!target->has_id) {
    target->has_id = from->has_id;
    target->id = from->id;
  }
}
