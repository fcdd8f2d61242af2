// record.h - Records in a file, each with its length, and checksums of both.
//
//   length (8 bytes), checksum of it (4), the record, checksum of that (4)
//
// The public half is berth/record.h. Threads: caller serialises.
#ifndef BERTH_IO_RECORD_H_
#define BERTH_IO_RECORD_H_

#include "io/input.h"

// Bytes around a record.
enum { BERTH_RECORD_HEAD = 12, BERTH_RECORD_TAIL = 4 };

// Stores the next record of |input| and passes it; NULL at the end, where a
// length that is cut off counts as none. Borrowed until the next call. Fails
// with BERTH_DATA_LOSS for one that is cut off or changed, which is met again
// by the next call, and as berth_input_peek() does.
BERTH_NODISCARD berth_code_t berth_record_next(berth_input_t *input,
                                               const char **out_record,
                                               size_t *out_size,
                                               berth_error_t *err);

// Writes what stands before and behind a record.
void berth_record_frame(const void *record, size_t size,
                        unsigned char head[BERTH_RECORD_HEAD],
                        unsigned char tail[BERTH_RECORD_TAIL]);

#endif  // BERTH_IO_RECORD_H_
