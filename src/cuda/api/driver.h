// driver.h - What Berth uses of the CUDA driver's interface, declared anew.
//
// No header of the vendor's is needed to build. Names, numbers and layouts are
// the driver's binary interface and never change for one symbol; a function
// that changed gets a new suffix (_v2), and driver_symbols.inc names the suffix
// that goes with the types here. Only what Berth uses is declared.
//
// Constants only; nothing here is called before the library has been opened.
#ifndef BERTH_CUDA_API_DRIVER_H_
#define BERTH_CUDA_API_DRIVER_H_

#include <stddef.h>
#include <stdint.h>

// ---- Handles ----

typedef int CUdevice;          // An ordinal among the visible cards.
typedef uint64_t CUdeviceptr;  // An address on a card.
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUgraphNode_st *CUgraphNode;
typedef uint64_t CUmemGenericAllocationHandle;

typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;

// The stream every context has without creating it, also called NULL: it waits
// for all blocking streams and makes them wait for it.
#define CU_STREAM_LEGACY ((CUstream)0x1)

// ---- Results ----

// BERTH_CU_RESULTS(X): X(name, number, text), every result of the driver that
// Berth may meet, with what cuGetErrorString() says of it.
#define BERTH_CU_RESULTS(X)                                                    \
  X(CUDA_SUCCESS, 0, "no error")                                               \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                           \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                              \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                     \
  X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                       \
  X(CUDA_ERROR_STUB_LIBRARY, 34, "CUDA driver is a stub library")              \
  X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46,                                         \
    "CUDA-capable device(s) is/are busy or unavailable")                       \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")           \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                  \
  X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")           \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                 \
  X(CUDA_ERROR_MAP_FAILED, 205, "mapping of buffer object failed")             \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209,                                         \
    "no kernel image is available for execution on the device")                \
  X(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")  \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217,                                   \
    "peer access is not supported between these two devices")                  \
  X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")               \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222,                                   \
    "the provided PTX was compiled with an unsupported toolchain.")            \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304,                                          \
    "OS call failed or operation not "                                         \
    "supported on this OS")                                                    \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                 \
  X(CUDA_ERROR_ILLEGAL_STATE, 401,                                             \
    "the operation cannot be performed in the present state")                  \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                       \
  X(CUDA_ERROR_NOT_READY, 600, "device not ready")                             \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700,                                           \
    "an illegal memory access was encountered")                                \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,                                   \
    "too many resources requested for launch")                                 \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated") \
  X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704,                               \
    "peer access is already enabled")                                          \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705,                                   \
    "peer access has not been enabled")                                        \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708,                                    \
    "cannot set while device is active in this process")                       \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")              \
  X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                    \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                            \
    "part or all of the requested memory range is already mapped")             \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                \
    "pointer does not correspond to a registered memory region")               \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715,                                       \
    "an illegal instruction was encountered")                                  \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                  \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")               \
  X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                  \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                  \
  X(CUDA_ERROR_SYSTEM_NOT_READY, 802, "system not yet initialized")            \
  X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803,                                    \
    "system has unsupported display driver / cuda driver combination")         \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                                \
    "operation not permitted when stream is capturing")                        \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901,                                \
    "operation failed due to a previous error during capture")                 \
  X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902,                                      \
    "operation would result in a merge of separate capture sequences")         \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903,                                  \
    "capture was not ended in the same stream as it began")                    \
  X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904,                                   \
    "capturing stream has unjoined work")                                      \
  X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905,                                  \
    "dependency created on uncaptured work in another stream")                 \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,                                   \
    "operation would make the legacy stream depend on a capturing blocking "   \
    "stream")                                                                  \
  X(CUDA_ERROR_CAPTURED_EVENT, 907,                                            \
    "operation not permitted on an event last recorded in a capturing stream") \
  X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                               \
    "attempt to terminate a thread-local capture sequence from another "       \
    "thread")                                                                  \
  X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,                                 \
    "the graph update was not performed because it included changes which "    \
    "violated constraints specific to instantiated graph update")              \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

typedef enum cudaError_enum {
#define X(name, number, text) name = number,
  BERTH_CU_RESULTS(X)
#undef X
} CUresult;

// ---- Devices ----

typedef enum CUdevice_attribute_enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,  // kHz.
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,        // kHz.
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,  // Bits.
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
} CUdevice_attribute;

// ---- Contexts ----

typedef enum CUctx_flags_enum {
  CU_CTX_SCHED_AUTO = 0x00,
  CU_CTX_SCHED_SPIN = 0x01,
  CU_CTX_SCHED_YIELD = 0x02,
  CU_CTX_SCHED_BLOCKING_SYNC = 0x04,
  CU_CTX_MAP_HOST = 0x08,
} CUctx_flags;

// ---- Memory ----

typedef enum CUmemAttach_flags_enum {
  CU_MEM_ATTACH_GLOBAL = 0x1,
} CUmemAttach_flags;

enum {
  CU_MEMHOSTALLOC_PORTABLE = 0x01,
  CU_MEMHOSTALLOC_DEVICEMAP = 0x02,
  CU_MEMHOSTALLOC_WRITECOMBINED = 0x04,
  CU_MEMHOSTREGISTER_PORTABLE = 0x01,
  CU_MEMHOSTREGISTER_DEVICEMAP = 0x02,
};

typedef enum CUmemAllocationType_enum {
  CU_MEM_ALLOCATION_TYPE_PINNED = 0x1,
} CUmemAllocationType;

typedef enum CUmemLocationType_enum {
  CU_MEM_LOCATION_TYPE_INVALID = 0x0,
  CU_MEM_LOCATION_TYPE_DEVICE = 0x1,
} CUmemLocationType;

typedef enum CUmemAllocationHandleType_enum {
  CU_MEM_HANDLE_TYPE_NONE = 0x0,
} CUmemAllocationHandleType;

typedef enum CUmemAccess_flags_enum {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0x0,
  CU_MEM_ACCESS_FLAGS_PROT_READ = 0x1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 0x3,
} CUmemAccess_flags;

typedef enum CUmemAllocationGranularity_flags_enum {
  CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0x0,
  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 0x1,
} CUmemAllocationGranularity_flags;

typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;  // The CUdevice.
} CUmemLocation;

typedef struct CUmemAllocationProp_st {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;

// ---- Streams and events ----

enum {
  CU_STREAM_DEFAULT = 0x0,
  CU_STREAM_NON_BLOCKING = 0x1,  // Apart from the legacy stream.
  CU_EVENT_DEFAULT = 0x0,
  CU_EVENT_BLOCKING_SYNC = 0x1,
  CU_EVENT_DISABLE_TIMING = 0x2,
  CU_EVENT_WAIT_DEFAULT = 0x0,
};

typedef void (*CUhostFn)(void *userData);

enum {
  CU_STREAM_WRITE_VALUE_DEFAULT = 0x0,
  CU_STREAM_WAIT_VALUE_GEQ = 0x0,  // As a signed difference.
  CU_STREAM_WAIT_VALUE_EQ = 0x1,
  CU_STREAM_WAIT_VALUE_AND = 0x2,
  CU_STREAM_WAIT_VALUE_NOR = 0x3,
};

// ---- Modules and launches ----

typedef enum CUfunction_attribute_enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
} CUfunction_attribute;

typedef enum CUjit_option_enum {
  CU_JIT_MAX_REGISTERS = 0,
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
} CUjit_option;

typedef size_t (*CUoccupancyB2DSize)(int blockSize);

// Arguments of a launch as one buffer, in cuLaunchKernel's |extra|.
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

// ---- Graphs ----

typedef enum CUstreamCaptureMode_enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
} CUstreamCaptureMode;

typedef enum CUstreamCaptureStatus_enum {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
} CUstreamCaptureStatus;

// What a launch in a graph is told: as the arguments of cuLaunchKernel.
typedef struct CUDA_KERNEL_NODE_PARAMS_st {
  CUfunction func;
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  void **kernelParams;
  void **extra;
} CUDA_KERNEL_NODE_PARAMS_v1;

typedef enum CUgraphExecUpdateResult_enum {
  CU_GRAPH_EXEC_UPDATE_SUCCESS = 0x0,
  CU_GRAPH_EXEC_UPDATE_ERROR = 0x1,
  CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 0x2,
  CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 0x3,
  CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED = 0x4,
  CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 0x5,
  CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 0x6,
} CUgraphExecUpdateResult;

typedef struct CUgraphExecUpdateResultInfo_st {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode;
  CUgraphNode errorFromNode;
} CUgraphExecUpdateResultInfo;

#endif  // BERTH_CUDA_API_DRIVER_H_
