// precision.c - How exactly the devices of this process compute.
#include "cuda/card/precision.h"
#include "berth/config.h"

void berth_process_set_tf32(bool is_allowed) {
  berth_cuda_set_tf32(is_allowed);
}

bool berth_process_has_tf32(void) { return berth_cuda_tf32(); }
