// copy.c - Copies between hosts and cards.
#include <string.h>

#include "cuda/stream/device_internal.h"
#include "cuda/stream/staging.h"

static CUdeviceptr address_of(const void *pointer) {
  return (CUdeviceptr)(uintptr_t)pointer;
}

// Returns |device| as one of ours, or NULL when its memory is the host's.
static berth_cuda_device_t *on_card(berth_device_t *device) {
  if (device == NULL || !berth_device_has_streams(device)) return NULL;
  return (berth_cuda_device_t *)device;
}

// Copies between two cards. Without access among peers the driver goes through
// pinned host memory of its own.
static berth_code_t copy_to_peer(berth_cuda_stream_t *stream,
                                 berth_cuda_card_t *to_card, void *to,
                                 berth_cuda_card_t *from_card, const void *from,
                                 size_t size, berth_error_t *err) {
  berth_cuda_enable_peer(to_card, from_card);
  berth_cuda_enable_peer(from_card, to_card);
  BERTH_TRY(berth_cuda_bind(stream->card, err));
  return BERTH_CARD_CALL(stream->card, err, cuMemcpyPeerAsync, address_of(to),
                         to_card->context, address_of(from), from_card->context,
                         size, stream->native);
}

// A device other than the stream's does not see in its own lanes that its
// memory is in use; the lane for peers tells it.
static berth_code_t tell_device(berth_cuda_stream_t *stream,
                                berth_cuda_device_t *gpu, berth_error_t *err) {
  if (&gpu->device == stream->base.device || stream->is_recording) {
    return BERTH_OK;
  }
  return berth_cuda_stream_hand_over(
      stream, &gpu->backing->lanes[BERTH_LANE_PEER], err);
}

static berth_code_t copy_between(berth_cuda_stream_t *stream,
                                 berth_cuda_device_t *to_gpu, void *to,
                                 berth_cuda_device_t *from_gpu,
                                 const void *from, size_t size,
                                 berth_error_t *err) {
  BERTH_TRY(berth_device_start(&to_gpu->device, err));
  BERTH_TRY(berth_device_start(&from_gpu->device, err));
  BERTH_TRY(berth_cuda_bind(stream->card, err));
  if (to_gpu->card == from_gpu->card) {
    BERTH_TRY(BERTH_CARD_CALL(stream->card, err, cuMemcpyDtoDAsync_v2,
                              address_of(to), address_of(from), size,
                              stream->native));
  } else {
    BERTH_TRY(copy_to_peer(stream, to_gpu->card, to, from_gpu->card, from, size,
                           err));
  }
  BERTH_TRY(tell_device(stream, to_gpu, err));
  return tell_device(stream, from_gpu, err);
}

// True when the driver would copy |memory| itself, in one thread, waiting in
// between.
static bool is_pageable(const berth_cuda_stream_t *stream, const void *memory,
                        size_t size) {
  return !stream->is_recording && !berth_cuda_thread_records() &&
         !berth_cuda_is_pinned(stream->card, memory, size);
}

static berth_code_t copy_in(berth_cuda_stream_t *stream, void *to,
                            const void *from, size_t size, berth_error_t *err) {
  // The driver takes little at once, without waiting.
  if (size >= BERTH_STAGING_LEAST && is_pageable(stream, from, size)) {
    berth_code_t code = berth_staging_copy_in(stream, to, from, size, err);
    if (code != BERTH_RESOURCE_EXHAUSTED) return code;
    berth_error_clear(err);
  }
  return BERTH_CARD_CALL(stream->card, err, cuMemcpyHtoDAsync_v2,
                         address_of(to), from, size, stream->native);
}

// Waits for a copy to |pinned|. Without memory for a mark nothing ends that.
static berth_code_t small_await(berth_cuda_stream_t *stream,
                                berth_buffer_t *pinned, berth_error_t *err) {
  berth_code_t code =
      berth_cuda_stream_await(stream, pinned, berth_cuda_is_ended, NULL, err);
  if (code == BERTH_OK || code == BERTH_CANCELLED) return code;
  berth_error_clear(err);
  return BERTH_CARD_CALL(stream->card, err, cuStreamSynchronize,
                         stream->native);
}

// Copies a little to pageable memory, which the driver would do with a wait
// that nothing ends. As berth_staging_copy_out().
static berth_code_t small_copy_out(berth_cuda_stream_t *stream, void *to,
                                   const void *from, size_t size,
                                   berth_error_t *err) {
  berth_buffer_t *pinned = NULL;
  if (berth_cuda_pinned_alloc(stream->card, size, &pinned, NULL) != BERTH_OK) {
    return BERTH_RESOURCE_EXHAUSTED;
  }
  berth_code_t code =
      BERTH_CARD_CALL(stream->card, err, cuMemcpyDtoHAsync_v2, pinned->data,
                      address_of(from), size, stream->native);
  if (code == BERTH_OK) {
    berth_cuda_stream_queued(stream);
    code = small_await(stream, pinned, err);
  }
  if (code == BERTH_OK) memcpy(to, pinned->data, size);
  berth_buffer_release(pinned);
  return code;
}

static berth_code_t copy_out(berth_cuda_stream_t *stream, void *to,
                             const void *from, size_t size,
                             berth_error_t *err) {
  if (is_pageable(stream, to, size)) {
    berth_code_t code =
        size >= BERTH_STAGING_LEAST
            ? berth_staging_copy_out(stream, to, from, size, err)
            : small_copy_out(stream, to, from, size, err);
    if (code != BERTH_RESOURCE_EXHAUSTED) return code;
    berth_error_clear(err);
  }
  return BERTH_CARD_CALL(stream->card, err, cuMemcpyDtoHAsync_v2, to,
                         address_of(from), size, stream->native);
}

berth_code_t berth_cuda_stream_copy(berth_stream_t *base,
                                    berth_device_t *to_device, void *to,
                                    berth_device_t *from_device,
                                    const void *from, size_t size,
                                    berth_error_t *err) {
  berth_cuda_stream_t *stream = (berth_cuda_stream_t *)base;
  berth_cuda_device_t *to_gpu = on_card(to_device);
  berth_cuda_device_t *from_gpu = on_card(from_device);
  if (size == 0) return BERTH_OK;
  BERTH_TRY(berth_cuda_stream_enter(stream, err));
  berth_code_t code = BERTH_OK;
  if (to_gpu != NULL && from_gpu != NULL) {
    code = copy_between(stream, to_gpu, to, from_gpu, from, size, err);
  } else if (to_gpu != NULL) {
    code = copy_in(stream, to, from, size, err);
  } else if (from_gpu != NULL) {
    code = copy_out(stream, to, from, size, err);
  } else {
    return berth_error_set(err, BERTH_INVALID_ARGUMENT,
                           "a stream of GPU %d cannot copy from host to host",
                           stream->card->index);
  }
  if (code == BERTH_OK) berth_cuda_stream_queued(stream);
  return code;
}
