// report.h - What the memory of a GPU looks like, in words or as JSON.
//
//   char *text = NULL;
//   code = berth_device_report_memory("GPU:0", asked, BERTH_REPORT_TEXT, &text,
//                                     &err);
//   if (code == BERTH_OK) fputs(text, stderr);
//   berth_text_free(text);
//
// One screen: what was asked for, limit and budget, what is in use and who
// holds most of it, the neighbours on the card, and what to do. Meant for when
// an allocation has failed, and as cheap as walking all allocations.
//
// Threads: thread-safe.
#ifndef BERTH_REPORT_H_
#define BERTH_REPORT_H_

#include <stdint.h>

#include "berth/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum berth_report_form {
  BERTH_REPORT_TEXT = 0,  // Lines for people.
  BERTH_REPORT_JSON = 1,  // One object: device, asked, limit, budget, pool,
                          // outside, in_use, peak, idle, largest_free,
                          // fragmentation, holders, neighbours, advice.
} berth_report_form_t;

// Stores what the memory of the GPU called |name| looks like for a request of
// |asked| bytes (0: none), to be freed with berth_text_free().
// BERTH_INVALID_ARGUMENT for a CPU, and for a GPU that nothing has used.
BERTH_API BERTH_NODISCARD berth_code_t berth_device_report_memory(
    const char *name, uint64_t asked, berth_report_form_t form, char **out_text,
    berth_error_t *err);

#ifdef __cplusplus
}
#endif
#endif  // BERTH_REPORT_H_
