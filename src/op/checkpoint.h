// checkpoint.h - Ops that save and restore checkpoints.
//
// All fail with BERTH_INVALID_ARGUMENT in TensorFlow's words. What the names and
// slices say is read when they run.
#ifndef BERTH_OP_CHECKPOINT_H_
#define BERTH_OP_CHECKPOINT_H_

#include "op/case.h"

// Check the shapes of SaveV2, RestoreV2; Save, SaveSlices; Restore,
// RestoreSlice; and MergeV2Checkpoints. Shapes that are restored are known when
// they have run.
BERTH_NODISCARD berth_code_t berth_op_save(berth_case_t *op,
                                           berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_restore(berth_case_t *op,
                                              berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_save_old(berth_case_t *op,
                                               berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_restore_old(berth_case_t *op,
                                                  berth_error_t *err);
BERTH_NODISCARD berth_code_t berth_op_merge_checkpoints(berth_case_t *op,
                                                        berth_error_t *err);

// Checks the shapes of LoadAndRemapMatrix and sets its output.
BERTH_NODISCARD berth_code_t berth_op_remap(berth_case_t *op,
                                            berth_error_t *err);

// Checks the shapes of ShardedFilename and ShardedFilespec.
BERTH_NODISCARD berth_code_t berth_op_sharded_name(berth_case_t *op,
                                                   berth_error_t *err);

#endif  // BERTH_OP_CHECKPOINT_H_
