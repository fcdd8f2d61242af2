// one.h - The device of one op that is called at once.
//
// Eager calls have no graph around them: no groups, no consumers. The device
// that was asked for decides, then the order of types, then the name.
//
// Threads: pure, but for the log.
#ifndef BERTH_PLACE_ONE_H_
#define BERTH_PLACE_ONE_H_

#include "place/place.h"

// Stores the device, an index into |devices|, for |node|. |asked| is "" or what
// the caller wants, full or short ("GPU:0"); with |soft| another device will
// do. There is at least one device; parts that |asked| leaves out are those of
// the first one's task.
//
// Fails with TensorFlow's texts: BERTH_INVALID_ARGUMENT when |asked| is no
// name, or no device that has a kernel matches it; BERTH_NOT_FOUND when none of
// the devices has one for the node.
BERTH_NODISCARD berth_code_t berth_place_one(
    const berth_graph_t *graph, const berth_node_t *node, const char *asked,
    const berth_place_device_t *devices, int device_count, bool soft,
    int *out_device, berth_error_t *err);

// Logs |text|, lines that end in newlines, as TensorFlow 2 logs placements:
// each on stdout, and as a record on stderr.
void berth_place_log_text(const char *text);

#endif  // BERTH_PLACE_ONE_H_
