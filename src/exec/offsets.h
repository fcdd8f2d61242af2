// offsets.h - Where in the arena each value of a layout lies.
#ifndef BERTH_EXEC_OFFSETS_H_
#define BERTH_EXEC_OFFSETS_H_

#include "exec/layout.h"

// Gives every ARENA slot an offset and sets the sizes of the arenas, with
// scratch space behind the values. Values share bytes when the last use of one
// comes before the other is made, in one segment; what crosses segments or
// streams shares with nobody. |may_overwrite|, by step, names inputs whose
// bytes output 0 may take over.
BERTH_NODISCARD berth_code_t berth_offsets_assign(berth_layout_t *layout,
                                                  const uint32_t *may_overwrite,
                                                  berth_error_t *err);

#endif  // BERTH_EXEC_OFFSETS_H_
