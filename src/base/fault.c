// fault.c - Fault points.
#include "base/fault.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"

atomic_bool berth_fault_armed = false;

static _Atomic(const char *) armed_name = NULL;  // NULL: every point.
static atomic_int_least64_t armed_nth = 0;
static atomic_int_least64_t passes = 0;

bool berth_fault_pass(const char *name) {
  const char *wanted = atomic_load(&armed_name);
  if (wanted != NULL && strcmp(wanted, name) != 0) return false;
  return atomic_fetch_add(&passes, 1) + 1 == atomic_load(&armed_nth);
}

void berth_fault_arm(const char *name, int64_t nth) {
  atomic_store(&armed_name, name);
  atomic_store(&armed_nth, nth);
  atomic_store(&passes, 0);
  atomic_store(&berth_fault_armed, true);
}

int64_t berth_fault_disarm(void) {
  atomic_store(&berth_fault_armed, false);
  return atomic_exchange(&passes, 0);
}

// Arms what BERTH_FAULT=name:nth asks for, before main.
__attribute__((constructor)) static void arm_from_environment(void) {
  static char name[64];
  const char *spec = berth_env_get("BERTH_FAULT");
  const char *colon = spec != NULL ? strchr(spec, ':') : NULL;
  if (colon == NULL || (size_t)(colon - spec) >= sizeof(name)) return;
  memcpy(name, spec, (size_t)(colon - spec));
  berth_fault_arm(name, strtoll(colon + 1, NULL, 10));
}
