// recording.c - Recordings: work that is queued again as a whole.
//
// A recording is a CUDA graph, captured in a stream made for it. The capture is
// local to the thread, so that others go on as before; what this thread may not
// do meanwhile is ask the driver how far anything has come, or wait.
//
// What was captured is kept where it has copies whose addresses are told to its
// nodes (copies.c): those are named by the nodes they were made of.
#include "base/alloc.h"
#include "cuda/card/admit.h"
#include "cuda/stream/device_internal.h"

struct berth_recording {
  berth_cuda_card_t *card;  // Borrowed.
  CUgraphExec native;
  uint64_t generation;     // Of the card when it was made.
  berth_cuda_rows_t rows;  // Copies that are told where they go.
  CUgraph captured;        // NULL where there are none.
};

static BERTH_THREAD_LOCAL int under_way = 0;

bool berth_cuda_thread_records(void) { return under_way > 0; }

static bool can_record(void) {
  return BERTH_CU_HAS(cuStreamBeginCapture_v2) &&
         BERTH_CU_HAS(cuStreamEndCapture) &&
         BERTH_CU_HAS(cuGraphInstantiateWithFlags) &&
         BERTH_CU_HAS(cuGraphLaunch) && BERTH_CU_HAS(cuGraphDestroy) &&
         BERTH_CU_HAS(cuGraphExecDestroy);
}

static void stream_free(berth_cuda_stream_t *stream) {
  berth_free(stream->rows.row);
  berth_cuda_stream_close(stream);
  berth_cuda_stream_deinit(stream);
  berth_free(stream);
}

berth_code_t berth_cuda_record_begin(berth_device_t *device,
                                     berth_stream_t **out, berth_error_t *err) {
  BERTH_TRY(berth_device_start(device, err));
  if (!can_record()) {
    return berth_error_set(err, BERTH_UNIMPLEMENTED,
                           "the driver is too old to record work");
  }
  berth_cuda_card_t *card = ((berth_cuda_device_t *)device)->card;
  BERTH_TRY(berth_cuda_bind(card, err));
  berth_cuda_stream_t *stream = berth_calloc(1, sizeof(*stream));
  if (stream == NULL) return berth_error_no_memory(err, "a recording");
  berth_cuda_stream_init(stream, card);
  stream->base.device = device;
  stream->is_recording = true;
  berth_code_t code = berth_cuda_stream_open(stream, 0, err);
  if (code == BERTH_OK) {
    code = BERTH_CARD_CALL(card, err, cuStreamBeginCapture_v2, stream->native,
                           CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  }
  if (code != BERTH_OK) {
    stream_free(stream);
    return code;
  }
  ++under_way;
  atomic_fetch_add(&card->recordings, 1);
  *out = &stream->base;
  return BERTH_OK;
}

// Makes a recording of |*graph|, and takes that where it is needed.
static berth_code_t instantiate(berth_cuda_stream_t *stream, CUgraph *graph,
                                berth_recording_t **out_recording,
                                berth_error_t *err) {
  berth_recording_t *recording = berth_calloc(1, sizeof(*recording));
  if (recording == NULL) return berth_error_no_memory(err, "a recording");
  recording->card = stream->card;
  recording->generation = atomic_load(&stream->generation);
  berth_cuda_act_t act;
  berth_code_t code =
      berth_cuda_admit(stream->card, BERTH_COST_RECORDING, &act, err);
  if (code == BERTH_OK) {
    code = BERTH_CARD_CALL(stream->card, err, cuGraphInstantiateWithFlags,
                           &recording->native, *graph, 0);
    berth_cuda_admitted(&act);
  }
  if (code != BERTH_OK) {
    berth_free(recording);
    return code;
  }
  if (stream->rows.count > 0) {
    recording->rows = stream->rows;
    stream->rows = (berth_cuda_rows_t){0};
    recording->captured = *graph;
    *graph = NULL;
  }
  *out_recording = recording;
  return BERTH_OK;
}

berth_code_t berth_cuda_record_end(berth_stream_t *base,
                                   berth_recording_t **out_recording,
                                   berth_error_t *err) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  CUgraph graph = NULL;
  --under_way;
  atomic_fetch_sub(&stream->card->recordings, 1);
  berth_code_t code = berth_cuda_bind(stream->card, err);
  if (code == BERTH_OK) {
    code = BERTH_CARD_CALL(stream->card, err, cuStreamEndCapture,
                           stream->native, &graph);
  }
  if (code == BERTH_OK && out_recording != NULL) {
    code = instantiate(stream, &graph, out_recording, err);
  }
  if (graph != NULL) (void)BERTH_CU(cuGraphDestroy, graph);
  stream_free(stream);
  return code;
}

berth_code_t berth_cuda_replay(berth_stream_t *base,
                               berth_recording_t *recording,
                               const berth_near_copy_t *copies, int count,
                               berth_error_t *err) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  if (recording->generation != atomic_load(&recording->card->live)) {
    return berth_error_set(err, BERTH_ABORTED,
                           "GPU %d was reset after this was recorded",
                           recording->card->index);
  }
  BERTH_TRY(berth_cuda_rows_move(stream, recording->native, &recording->rows,
                                 copies, count, err));
  BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuGraphLaunch, recording->native,
                            stream->native));
  berth_cuda_stream_queued(stream);
  return BERTH_OK;
}

void berth_cuda_recording_destroy(berth_recording_t *recording) {
  if (recording == NULL) return;
  if (berth_cuda_enter_old(recording->card, recording->generation)) {
    (void)BERTH_CU(cuGraphExecDestroy, recording->native);
    berth_cuda_leave_old(recording->card);
  }
  // What was captured belongs to no context, but to the process.
  if (recording->captured != NULL && !atomic_load(&berth_cuda_is_forked)) {
    (void)BERTH_CU(cuGraphDestroy, recording->captured);
  }
  berth_free(recording->rows.row);
  berth_free(recording);
}
