// strings.h - What elementwise ops do with strings.
#ifndef BERTH_CPU_OPS_STRINGS_H_
#define BERTH_CPU_OPS_STRINGS_H_

#include "cpu/loops/binary.h"

// Returns the loops of |op| for strings: Equal and NotEqual; NULL for others.
const berth_loops_t *berth_string_loops(berth_binary_op_t op);

#endif  // BERTH_CPU_OPS_STRINGS_H_
