// metadata.c - What a run tells about itself: RunMetadata.
#include "runtime/metadata.h"

#include "runtime/partition.h"
#include "runtime/step_stats.h"
#include "wire/message.h"

berth_code_t berth_metadata_write(berth_session_t *session,
                                  const berth_program_t *program,
                                  const berth_run_t *run,
                                  const berth_trace_t *trace,
                                  berth_error_t *err) {
  berth_arena_t arena = {0};
  Berth__Wire__RunMetadata *metadata =
      berth_message_new(&berth__wire__run_metadata__descriptor, &arena);
  berth_code_t code =
      metadata != NULL ? BERTH_OK : berth_error_no_memory(err, "run metadata");
  if (code == BERTH_OK && run->trace) {
    code = berth_step_stats_make(session, program, trace, &arena,
                                 &metadata->step_stats, err);
  }
  if (code == BERTH_OK && run->output_partition_graphs) {
    code = berth_partitions_make(session, program, &arena, metadata, err);
  }
  if (code == BERTH_OK) {
    code = berth_message_pack(&metadata->base, run->out_metadata,
                              run->out_metadata_size, err);
  }
  berth_arena_clear(&arena);
  return code;
}
