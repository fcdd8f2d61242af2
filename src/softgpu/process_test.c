// process_test.c - Tests of several processes on one simulated card.
#include <pthread.h>
#include <signal.h>

#include "softgpu/softgpu_testing.h"

enum { MIB = 1 << 20 };

// A process that opens the card, takes memory, says so, and waits to be killed
// or told to go.
typedef struct neighbour {
  pid_t pid;
  int from, to;  // Pipes.
} neighbour_t;

static void live(int from, int to, size_t size) {
  CUcontext context = NULL;
  CUdeviceptr memory = 0;
  bool has_memory = cuInit(0) == CUDA_SUCCESS &&
                    cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
                    cuCtxSetCurrent(context) == CUDA_SUCCESS &&
                    cuMemAlloc_v2(&memory, size) == CUDA_SUCCESS;
  char answer = has_memory ? 'y' : 'n';
  bool is_told = write(to, &answer, 1) == 1;
  while (is_told && read(from, &answer, 1) < 0) continue;
  _exit(0);
}

static bool move_in(neighbour_t *neighbour, size_t size) {
  int there[2], back[2];
  char answer = '?';
  if (pipe(there) != 0 || pipe(back) != 0) return false;
  neighbour->pid = fork();
  if (neighbour->pid == 0) {
    close(there[1]);
    live(there[0], back[1], size);
  }
  close(there[0]);
  close(back[1]);
  neighbour->from = back[0];
  neighbour->to = there[1];
  return read(back[0], &answer, 1) == 1 && answer == 'y';
}

static void move_out(neighbour_t *neighbour) {
  kill(neighbour->pid, SIGKILL);
  waitpid(neighbour->pid, NULL, 0);
  close(neighbour->from);
  close(neighbour->to);
}

static uint64_t left(void) {
  size_t bytes = 0, total = 0;
  CU(cuMemGetInfo_v2(&bytes, &total));
  return bytes;
}

static const char *const SMALL = "Small memory=512MiB cc=8.0";

TEST(process, competes_with_others_for_memory) {
  neighbour_t other;
  CUcontext context = NULL;
  CUdeviceptr memory = 0;
  simulate_cards(SMALL);
  ASSERT_TRUE(move_in(&other, 256 * MIB));
  CU(cuInit(0));
  ASSERT_CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  EXPECT_EQ(left(), (512 - 64 - 256 - 64) * MIB);
  EXPECT_CU(cuMemAlloc_v2(&memory, 192 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
  // However it dies, what it held is free again.
  move_out(&other);
  EXPECT_EQ(left(), (512 - 64) * MIB);
  CU(cuMemAlloc_v2(&memory, 192 * MIB));
  simulate_forget();
}

TEST(process, finds_no_room_for_a_context) {
  neighbour_t other;
  CUcontext context = NULL;
  simulate_cards(SMALL);
  ASSERT_TRUE(move_in(&other, 400 * MIB));
  CU(cuInit(0));
  EXPECT_CU(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_OUT_OF_MEMORY);
  move_out(&other);
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  simulate_forget();
}

TEST(process, is_seen_in_nvml) {
  neighbour_t other;
  nvmlDevice_t device = NULL;
  nvmlMemory_t memory;
  nvmlProcessInfo_t infos[4];
  unsigned count = 4;
  CUcontext context = NULL;
  simulate_cards(SMALL);
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos), 0);
  EXPECT_EQ(count, 0);
  ASSERT_TRUE(move_in(&other, 100 * MIB));
  CU(cuInit(0));
  count = 4;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos), 0);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(infos[0].pid, other.pid);
  EXPECT_EQ(infos[0].usedGpuMemory, 164 * MIB);
  ASSERT_CU(cuDevicePrimaryCtxRetain(&context, 0));
  count = 1;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos),
            NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v2(device, &count, infos), 0);
  EXPECT_EQ(infos[1].pid, getpid());
  EXPECT_EQ(infos[1].usedGpuMemory, 64 * MIB);
  EXPECT_EQ(nvmlDeviceGetMemoryInfo(device, &memory), NVML_SUCCESS);
  EXPECT_EQ(memory.total, 512 * MIB);
  EXPECT_EQ(memory.used, 228 * MIB);
  EXPECT_EQ(memory.free, 284 * MIB);
  EXPECT_EQ(nvmlDeviceGetGraphicsRunningProcesses_v3(device, &count, infos), 0);
  EXPECT_EQ(count, 0);
  // Giving the card back takes the process off the table.
  CU(cuDevicePrimaryCtxRelease_v2(0));
  count = 4;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses_v3(device, &count, infos), 0);
  EXPECT_EQ(count, 1);
  move_out(&other);
  simulate_forget();
}

TEST(process, cannot_use_the_driver_of_its_parent) {
  ASSERT_TRUE(testing_open("T4") != NULL);
  pid_t child = fork();
  if (child == 0) {
    int count = 0;
    CUcontext context = NULL;
    _exit(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                  cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED &&
                  cuCtxGetCurrent(&context) == CUDA_ERROR_NOT_INITIALIZED
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_TRUE(waitpid(child, &status, 0) == child);
  EXPECT_EQ(status, 0);
  CU(cuCtxSynchronize());
}

TEST(process, counts_alone_without_a_file) {
  CUdeviceptr memory = 0;
  CUcontext context = NULL;
  simulate_cards(SMALL);
  setenv("BERTH_SIMULATE_LEDGER", "/nowhere/ledger", 1);
  CU(cuInit(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  CU(cuCtxSetCurrent(context));
  EXPECT_CU(cuMemAlloc_v2(&memory, 449 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
  CU(cuMemAlloc_v2(&memory, 448 * MIB));
}

// ---- Ending ----

static pthread_t waiting;
static atomic_int is_queued = 0;

// Waits for a stream that waits for ever.
static void *wait_in_vain(void *arg) {
  CUcontext context = arg;
  CUstream stream = NULL;
  CUdeviceptr word = 0;
  if (cuCtxSetCurrent(context) != CUDA_SUCCESS ||
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS ||
      cuMemAlloc_v2(&word, 4) != CUDA_SUCCESS ||
      cuMemsetD32Async(word, 0, 1, stream) != CUDA_SUCCESS ||
      cuStreamWaitValue32_v2(stream, word, 1, CU_STREAM_WAIT_VALUE_EQ) !=
          CUDA_SUCCESS ||
      cuMemsetD32Async(word, 7, 1, stream) != CUDA_SUCCESS) {
    _Exit(3);
  }
  atomic_store(&is_queued, 1);
  // Whether it begins before or after the end, it must come back.
  if (cuStreamSynchronize(stream) == CUDA_SUCCESS) _Exit(4);
  if (*(uint32_t *)(uintptr_t)word == 7) _Exit(5);
  return NULL;
}

// Called after the driver has ended, which was started later.
static void check_ended(void) {
  int count = 0;
  size_t bytes = 0;
  if (cuInit(0) != CUDA_ERROR_DEINITIALIZED ||
      cuDeviceGetCount(&count) != CUDA_ERROR_DEINITIALIZED ||
      cuMemGetInfo_v2(&bytes, &bytes) != CUDA_ERROR_DEINITIALIZED ||
      cuCtxSynchronize() != CUDA_ERROR_DEINITIALIZED) {
    _Exit(6);
  }
  pthread_join(waiting, NULL);
}

// Called before: everything works.
static void check_alive(void) {
  CUdeviceptr memory = 0;
  int word = 0;
  if (cuMemAlloc_v2(&memory, 4) != CUDA_SUCCESS ||
      cuMemsetD8_v2(memory, 1, 4) != CUDA_SUCCESS ||
      cuMemcpyDtoH_v2(&word, memory, 4) != CUDA_SUCCESS || word != 0x01010101) {
    _Exit(7);
  }
}

TEST(process, ends_the_driver_with_it) {
  pid_t child = fork();
  if (child == 0) {
    atexit(check_ended);
    CUcontext context = testing_open("T4");
    if (context == NULL ||
        pthread_create(&waiting, NULL, wait_in_vain, context) != 0) {
      _Exit(2);
    }
    while (!atomic_load(&is_queued)) usleep(100);
    atexit(check_alive);
    exit(0);
  }
  int status = -1;
  ASSERT_TRUE(waitpid(child, &status, 0) == child);
  EXPECT_EQ(status, 0);
}
