// copy.h - Bringing a value to another memory, as a step.
//
// Every device that works beside the host has a memory of its own, and the host
// has one. A memory is a number, a *space*: 0 is the host's, d + 1 that of
// device d. Where an edge leads from one space to another a copy stands
// between; it is a step like any other, so that it is settled, planned, traced
// and waited for like any other. A value is copied to a space once per run.
//
// Threads: pure functions, and steps as step.h says.
#ifndef BERTH_EXEC_COPY_H_
#define BERTH_EXEC_COPY_H_

#include "exec/step.h"

#define BERTH_HOST_SPACE 0

// Returns the device whose memory |space| is; NULL: the host's.
static inline berth_device_t *berth_space_device(const berth_exec_host_t *host,
                                                 int space) {
  return space == BERTH_HOST_SPACE ? NULL : host->devices[space - 1].device;
}

// Returns the space that |step| works in. Single arguments may be in the host's
// (berth_step_t.host_outputs).
static inline int berth_step_space(const berth_step_t *step) {
  return step->on_host ? BERTH_HOST_SPACE : step->device + 1;
}

// Returns what allocates in |space|; for the host's what the first device, a
// CPU, has.
static inline berth_allocator_t *berth_space_allocator(
    const berth_exec_host_t *host, int space) {
  return host->devices[space == BERTH_HOST_SPACE ? 0 : space - 1].allocator;
}

// True when a value can go from one of the spaces to the other in one copy:
// they belong to one backend, or one is the host's.
static inline bool berth_spaces_are_near(const berth_exec_host_t *host, int a,
                                         int b) {
  return a == BERTH_HOST_SPACE || b == BERTH_HOST_SPACE ||
         host->devices[a - 1].backend == host->devices[b - 1].backend;
}

// Up to this size a value that goes between host and device lies in pinned
// memory, where both see it, instead of being copied: reading it over the bus
// costs less than a copy does.
#define BERTH_PINNED_BYTES 4096

// Fills |step| with a copy of a value of |dtype|, plain bytes, between two
// spaces that are near; its node, named after |label|, is made in |arena|.
// False when memory is short.
bool berth_copy_step(const berth_exec_host_t *host, const char *label,
                     berth_dtype_t dtype, int from, int to,
                     berth_arena_t *arena, berth_step_t *step);

// True when |step| is one.
bool berth_is_copy(const berth_step_t *step);

// The run function of a planned copy to pinned memory: the host copies, at
// once.
berth_code_t berth_copy_on_host(const void *plan, void *const *args,
                                berth_call_t *call);

#endif  // BERTH_EXEC_COPY_H_
