// op_kernel.c - Which ops can be run, asked from outside.
#include "kernel/kernel.h"
#include "runtime/process.h"

bool berth_op_has_kernel(const char *op, const char *device_type) {
  if (op == NULL || device_type == NULL) return false;
  // Backends add their kernels when the process object is made.
  if (berth_process_init(NULL) != BERTH_OK) return false;
  return berth_kernel_exists(device_type, op);
}
