// nvml.h - What Berth uses of NVML's interface, declared anew.
//
// NVML lists the machine's cards, in the order of their PCI ids and whatever
// CUDA_VISIBLE_DEVICES says, without taking anything on them. As in driver.h,
// names, numbers and layouts are the library's binary interface.
#ifndef BERTH_CUDA_API_NVML_H_
#define BERTH_CUDA_API_NVML_H_

// BERTH_NVML_RESULTS(X): X(name, number, text of nvmlErrorString()).
#define BERTH_NVML_RESULTS(X)                                                  \
  X(NVML_SUCCESS, 0, "Success")                                                \
  X(NVML_ERROR_UNINITIALIZED, 1, "Uninitialized")                              \
  X(NVML_ERROR_INVALID_ARGUMENT, 2, "Invalid Argument")                        \
  X(NVML_ERROR_NOT_SUPPORTED, 3, "Not Supported")                              \
  X(NVML_ERROR_NO_PERMISSION, 4, "Insufficient Permissions")                   \
  X(NVML_ERROR_NOT_FOUND, 6, "Not Found")                                      \
  X(NVML_ERROR_INSUFFICIENT_SIZE, 7, "Insufficient Size")                      \
  X(NVML_ERROR_DRIVER_NOT_LOADED, 9, "Driver Not Loaded")                      \
  X(NVML_ERROR_TIMEOUT, 10, "Timeout")                                         \
  X(NVML_ERROR_LIBRARY_NOT_FOUND, 12, "NVML Shared Library Not Found")         \
  X(NVML_ERROR_FUNCTION_NOT_FOUND, 13, "Function Not Found")                   \
  X(NVML_ERROR_GPU_IS_LOST, 15, "GPU is lost")                                 \
  X(NVML_ERROR_LIB_RM_VERSION_MISMATCH, 18, "Driver/library version mismatch") \
  X(NVML_ERROR_MEMORY, 20, "Insufficient Memory")                              \
  X(NVML_ERROR_UNKNOWN, 999, "Unknown Error")

typedef enum nvmlReturn_enum {
#define X(name, number, text) name = number,
  BERTH_NVML_RESULTS(X)
#undef X
} nvmlReturn_t;

// A card, or a slice of one. Valid until nvmlShutdown().
typedef struct nvmlDevice_st *nvmlDevice_t;

enum {
  NVML_DEVICE_NAME_V2_BUFFER_SIZE = 96,
  NVML_DEVICE_UUID_V2_BUFFER_SIZE = 96,
  NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE = 32,
  NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE = 16,
  NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE = 80,
  NVML_DEVICE_MIG_DISABLE = 0,
  NVML_DEVICE_MIG_ENABLE = 1,
};

typedef struct nvmlPciInfo_st {
  char busIdLegacy[NVML_DEVICE_PCI_BUS_ID_BUFFER_V2_SIZE];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned pciDeviceId;
  unsigned pciSubSystemId;
  char busId[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];  // "00000000:05:00.0".
} nvmlPciInfo_t;

typedef struct nvmlMemory_st {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_t;

// The same with what the driver keeps for itself apart.
typedef struct nvmlMemory_v2_st {
  unsigned version;  // NVML_MEMORY_V2.
  unsigned long long total;
  unsigned long long reserved;
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_v2_t;

#define NVML_MEMORY_V2 ((unsigned)(sizeof(nvmlMemory_v2_t) | 2u << 24))

// What versions 2 and 3 of the process queries fill.
typedef struct nvmlProcessInfo_st {
  unsigned pid;
  unsigned long long usedGpuMemory;  // NVML_VALUE_NOT_AVAILABLE: hidden.
  unsigned gpuInstanceId;            // 0xFFFFFFFF: no slice.
  unsigned computeInstanceId;
} nvmlProcessInfo_t;

#define NVML_VALUE_NOT_AVAILABLE 0xFFFFFFFFFFFFFFFFULL

#endif  // BERTH_CUDA_API_NVML_H_
