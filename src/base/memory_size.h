// memory_size.h - How much memory there is.
//
// Read once; a limit that changes while the process runs is not noticed.
//
// Thread-safe.
#ifndef BERTH_BASE_MEMORY_SIZE_H_
#define BERTH_BASE_MEMORY_SIZE_H_

#include <stdint.h>

// Returns how many bytes of memory this process may use: the machine's, or what
// its control group leaves of them. 0: not known.
uint64_t berth_memory_size(void);

// The same with swap: what is more can be mapped, but the kernel ends a process
// that really uses it, where an error is wanted. UINT64_MAX: not known.
uint64_t berth_memory_most(void);

#endif  // BERTH_BASE_MEMORY_SIZE_H_
