// copy.c - Copies and fills.
//
// Copies between the card and pinned host memory are work of their stream.
// Pageable host memory is another matter, as with the driver: a small copy to
// the card is taken at once, so that the caller may reuse its memory, and any
// other is waited for. The documentation promises less (an asynchronous copy of
// it "might be synchronous", and the bytes of a synchronous one are taken when
// it returns but need not have arrived), and stress.h holds programs to that.
#include <string.h>

#include "base/alloc.h"
#include "softgpu/capture.h"
#include "softgpu/exports.h"
#include "softgpu/space.h"
#include "softgpu/stream.h"
#include "softgpu/stress.h"

// Up to here pageable memory is taken along with the work.
enum { MAX_TAKEN = 64 << 10 };

typedef struct copy_payload {
  void *to;
  const void *from;  // NULL: the bytes that follow.
  size_t size;
} copy_payload_t;

static void run_copy(CUstream stream, const void *payload) {
  const copy_payload_t *copy = payload;
  (void)stream;
  memmove(copy->to, copy->from != NULL ? copy->from : copy + 1, copy->size);
}

static const berth_soft_work_kind_t copy_kind = {"copy", run_copy, NULL, false};

static void *pointer(CUdeviceptr address) { return (void *)(uintptr_t)address; }

static bool is_on_card(CUdeviceptr address, size_t size) {
  return berth_soft_space_covers(address, size, BERTH_SOFT_ANY);
}

static bool is_pinned(const void *memory, size_t size) {
  return berth_soft_space_covers((uintptr_t)memory, size, BERTH_SOFT_ANY);
}

static CUresult submit_copy(CUstream stream, void *to, const void *from,
                            size_t size) {
  copy_payload_t payload = {to, from, size};
  return berth_soft_submit(stream, &copy_kind, &payload, sizeof(payload));
}

// Submits a copy of bytes that are taken now.
static CUresult submit_taken(CUstream stream, void *to, const void *from,
                             size_t size) {
  copy_payload_t *payload = berth_alloc(sizeof(*payload) + size);
  if (payload == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  *payload = (copy_payload_t){to, NULL, size};
  memcpy(payload + 1, from, size);
  CUresult result =
      berth_soft_submit(stream, &copy_kind, payload, sizeof(*payload) + size);
  berth_free(payload);
  return result;
}

static bool is_recorded(CUstream stream) {
  return berth_soft_capture_status(stream) != CU_STREAM_CAPTURE_STATUS_NONE;
}

// True when a copy between the card and |host| is the stream's business alone.
static bool is_late(CUstream stream, const void *host, size_t size) {
  return is_recorded(stream) || is_pinned(host, size) ||
         berth_soft_stress_is_on();
}

// ---- In a stream ----

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t size,
                              CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (size == 0) return CUDA_SUCCESS;
  if (from == NULL || !is_on_card(to, size)) return CUDA_ERROR_INVALID_VALUE;
  if (is_late(found, from, size)) {
    return submit_copy(found, pointer(to), from, size);
  }
  if (size <= MAX_TAKEN) return submit_taken(found, pointer(to), from, size);
  BERTH_SOFT_TRY(submit_copy(found, pointer(to), from, size));
  return berth_soft_stream_wait(found);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t size,
                              CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (size == 0) return CUDA_SUCCESS;
  if (to == NULL || !is_on_card(from, size)) return CUDA_ERROR_INVALID_VALUE;
  bool is_left = is_late(found, to, size);
  BERTH_SOFT_TRY(submit_copy(found, to, pointer(from), size));
  return is_left ? CUDA_SUCCESS : berth_soft_stream_wait(found);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size,
                              CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (size == 0) return CUDA_SUCCESS;
  if (!is_on_card(to, size) || !is_on_card(from, size)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return submit_copy(found, pointer(to), pointer(from), size);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context,
                           CUdeviceptr from, CUcontext from_context,
                           size_t size, CUstream stream) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (to_context == NULL || from_context == NULL) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  BERTH_SOFT_TRY(berth_soft_context_check(to_context));
  BERTH_SOFT_TRY(berth_soft_context_check(from_context));
  return cuMemcpyDtoDAsync_v2(to, from, size, stream);
}

// ---- In the legacy stream ----

// Waits until a copy in the legacy stream is done.
static CUresult finish(CUresult submitted) {
  CUstream legacy = NULL;
  BERTH_SOFT_TRY(submitted);
  BERTH_SOFT_TRY(berth_soft_stream_find(NULL, &legacy));
  return berth_soft_stream_wait(legacy);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t size) {
  CUstream legacy = NULL;
  if (berth_soft_stress_is_on() && from != NULL && size > 0 &&
      size <= MAX_TAKEN && is_on_card(to, size) && !is_pinned(from, size)) {
    BERTH_SOFT_TRY(berth_soft_stream_find(NULL, &legacy));
    return submit_taken(legacy, pointer(to), from, size);
  }
  return finish(cuMemcpyHtoDAsync_v2(to, from, size, NULL));
}

CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size) {
  return finish(cuMemcpyDtoHAsync_v2(to, from, size, NULL));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size) {
  return cuMemcpyDtoDAsync_v2(to, from, size, NULL);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t size) {
  return finish(
      cuMemcpyPeerAsync(to, to_context, from, from_context, size, NULL));
}

// ---- Fills ----

typedef struct fill_payload {
  void *to;
  size_t count;
  uint32_t value;
} fill_payload_t;

static void run_fill8(CUstream stream, const void *payload) {
  const fill_payload_t *fill = payload;
  (void)stream;
  memset(fill->to, (int)fill->value, fill->count);
}

static void run_fill32(CUstream stream, const void *payload) {
  const fill_payload_t *fill = payload;
  uint32_t *to = fill->to;
  (void)stream;
  for (size_t i = 0; i < fill->count; ++i) to[i] = fill->value;
}

static const berth_soft_work_kind_t fill8_kind = {"fill", run_fill8, NULL,
                                                  false};
static const berth_soft_work_kind_t fill32_kind = {"fill", run_fill32, NULL,
                                                   false};

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (count == 0) return CUDA_SUCCESS;
  if (!is_on_card(to, count)) return CUDA_ERROR_INVALID_VALUE;
  fill_payload_t payload = {pointer(to), count, value};
  return berth_soft_submit(found, &fill8_kind, &payload, sizeof(payload));
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return cuMemsetD8Async(to, value, count, NULL);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  CUstream found = NULL;
  BERTH_SOFT_TRY(berth_soft_stream_find(stream, &found));
  if (count == 0) return CUDA_SUCCESS;
  if (to % sizeof(uint32_t) != 0 || count > SIZE_MAX / sizeof(uint32_t) ||
      !is_on_card(to, count * sizeof(uint32_t))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  fill_payload_t payload = {pointer(to), count, value};
  return berth_soft_submit(found, &fill32_kind, &payload, sizeof(payload));
}
