// offsets.h - Where in the arena each value of a layout lies.
#ifndef BERTH_EXEC_OFFSETS_H_
#define BERTH_EXEC_OFFSETS_H_

#include "exec/layout.h"

// Gives every ARENA slot an offset and sets the arena's size, with
// |scratch_size| bytes behind the values. Values share bytes when the last use
// of one comes before the other is made, in one segment; what crosses segments
// shares with nobody. |may_overwrite|, by step, names inputs whose bytes output
// 0 may take over.
BERTH_NODISCARD berth_code_t berth_offsets_assign(berth_layout_t *layout,
                                                  const uint32_t *may_overwrite,
                                                  size_t scratch_size,
                                                  berth_error_t *err);

#endif  // BERTH_EXEC_OFFSETS_H_
