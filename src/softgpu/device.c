// device.c - The driver's functions on devices, and words for results.
#include <stdio.h>
#include <string.h>

#include "softgpu/context.h"
#include "softgpu/exports.h"

// The driver that is played: CUDA 13.0.
enum { DRIVER_VERSION = 13000 };

// ---- Words ----

CUresult cuGetErrorName(CUresult error, const char **text) {
  if (text == NULL) return CUDA_ERROR_INVALID_VALUE;
  switch (error) {
#define X(name, number, string) \
  case name:                    \
    *text = #name;              \
    return CUDA_SUCCESS;
    BERTH_CU_RESULTS(X)
#undef X
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  if (text == NULL) return CUDA_ERROR_INVALID_VALUE;
  switch (error) {
#define X(name, number, string) \
  case name:                    \
    *text = string;             \
    return CUDA_SUCCESS;
    BERTH_CU_RESULTS(X)
#undef X
  }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version) {
  if (version == NULL) return CUDA_ERROR_INVALID_VALUE;
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

// ---- Which there are ----

CUresult cuDeviceGetCount(int *count) {
  BERTH_SOFT_TRY(berth_soft_enter());
  if (count == NULL) return CUDA_ERROR_INVALID_VALUE;
  *count = berth_soft_visible_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_enter());
  if (device == NULL) return CUDA_ERROR_INVALID_VALUE;
  BERTH_SOFT_TRY(berth_soft_context_of(ordinal, &context));
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id) {
  BERTH_SOFT_TRY(berth_soft_enter());
  berth_soft_pci_t pci = {0};
  if (device == NULL || id == NULL ||
      sscanf(id, "%x:%x:%x", &pci.domain, &pci.bus, &pci.device) != 3) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (int i = 0; i < berth_soft_visible_count(); ++i) {
    CUcontext context = NULL;
    BERTH_SOFT_TRY(berth_soft_context_of(i, &context));
    const berth_soft_pci_t *other = &context->card->pci;
    if (other->domain == pci.domain && other->bus == pci.bus &&
        other->device == pci.device) {
      *device = i;
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

// ---- What they are ----

CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  if (name == NULL || size <= 0) return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, (size_t)size, "%s", context->card->name);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  if (uuid == NULL) return CUDA_ERROR_INVALID_VALUE;
  memcpy(uuid->bytes, context->card->uuid, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  if (bytes == NULL) return CUDA_ERROR_INVALID_VALUE;
  *bytes = context->card->memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  if (id == NULL || size < (int)sizeof("0000:00:00.0")) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  snprintf(id, (size_t)size, "%s", context->card->pci_text);
  return CUDA_SUCCESS;
}

// Returns a figure of |card|, or -1 for an attribute that is not known.
static int attribute_of(const berth_soft_card_t *card,
                        CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return INT32_MAX;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return 48 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return card->major >= 9 ? 227 << 10 : 48 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return card->major >= 9 ? 228 << 10 : 96 << 10;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      return 65536;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return card->clock_mhz * 1000;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return card->multiprocessors;
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      return 0;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      return 1;
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return (int)card->pci.bus;
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
      return (int)card->pci.device;
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
      return (int)card->pci.domain;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 3000000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 384;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 4 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 2048;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      return 2;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return card->major;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return card->minor;
  }
  return -1;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  int found = attribute_of(context->card, attribute);
  if (value == NULL || found < 0) return CUDA_ERROR_INVALID_VALUE;
  *value = found;
  return CUDA_SUCCESS;
}

// ---- Among themselves ----

// Cards reach each other under one root: the buses of a second processor
// begin at 0x80.
static bool is_near(const berth_soft_card_t *a, const berth_soft_card_t *b) {
  return a != b && a->pci.domain == b->pci.domain &&
         (a->pci.bus < 0x80) == (b->pci.bus < 0x80);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  CUcontext context = NULL, other = NULL;
  BERTH_SOFT_TRY(berth_soft_context_of(device, &context));
  BERTH_SOFT_TRY(berth_soft_context_of(peer, &other));
  if (can == NULL) return CUDA_ERROR_INVALID_VALUE;
  *can = is_near(context->card, other->card);
  return CUDA_SUCCESS;
}

// Sets or clears the bit of |peer| in |context|; false when it was so already.
static bool change_peer(CUcontext context, CUcontext peer, bool is_set) {
  uint64_t bit = (uint64_t)1 << peer->ordinal;
  berth_mutex_lock(&context->lock);
  bool is_new = ((context->peers & bit) != 0) != is_set;
  if (is_new) context->peers ^= bit;
  berth_mutex_unlock(&context->lock);
  return is_new;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (peer == NULL || peer == context) return CUDA_ERROR_INVALID_CONTEXT;
  BERTH_SOFT_TRY(berth_soft_context_check(peer));
  if (!is_near(context->card, peer->card)) {
    return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
  }
  return change_peer(context, peer, true)
             ? CUDA_SUCCESS
             : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  CUcontext context = NULL;
  BERTH_SOFT_TRY(berth_soft_context_current(&context));
  if (peer == NULL) return CUDA_ERROR_INVALID_CONTEXT;
  return change_peer(context, peer, false) ? CUDA_SUCCESS
                                           : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
