// memory_test.c - Tests of memory: limits, mapping, memory of the host.
#include "softgpu/softgpu_testing.h"

enum { MIB = 1 << 20, PAGE = 2 << 20 };

static uint64_t used(void) {
  size_t left = 0, total = 0;
  CU(cuMemGetInfo_v2(&left, &total));
  return total - left;
}

static const CUmemAllocationProp on_card = {
    .type = CU_MEM_ALLOCATION_TYPE_PINNED,
    .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static const CUmemAccessDesc open_to_card = {
    {CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

static CUmemGenericAllocationHandle create(size_t size) {
  CUmemGenericAllocationHandle handle = 0;
  CU(cuMemCreate(&handle, size, &on_card, 0));
  return handle;
}

static CUdeviceptr reserve(size_t size) {
  CUdeviceptr address = 0;
  CU(cuMemAddressReserve(&address, size, 0, 0, 0));
  return address;
}

// ---- Plain allocations ----

TEST(memory, counts_pages) {
  CUdeviceptr small[4], large = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  EXPECT_EQ(used(), 64 * MIB);
  CU(cuMemAlloc_v2(&small[0], 1));
  EXPECT_EQ(used(), 66 * MIB);
  CU(cuMemAlloc_v2(&small[1], 1));
  CU(cuMemAlloc_v2(&small[2], MIB));
  EXPECT_EQ(used(), 66 * MIB);
  CU(cuMemAlloc_v2(&small[3], MIB));
  EXPECT_EQ(used(), 68 * MIB);
  CU(cuMemAlloc_v2(&large, 3 * MIB));
  EXPECT_EQ(used(), 72 * MIB);
  CU(cuMemFree_v2(large));
  CU(cuMemFree_v2(small[3]));
  EXPECT_EQ(used(), 66 * MIB);
  for (int i = 0; i < 3; ++i) CU(cuMemFree_v2(small[i]));
  EXPECT_EQ(used(), 64 * MIB);
}

TEST(memory, is_really_limited) {
  CUdeviceptr first = 0, second = 0;
  ASSERT_TRUE(testing_open("Small memory=256MiB cc=8.0") != NULL);
  EXPECT_CU(cuMemAlloc_v2(&first, 193 * MIB), CUDA_ERROR_OUT_OF_MEMORY);
  CU(cuMemAlloc_v2(&first, 192 * MIB));
  EXPECT_CU(cuMemAlloc_v2(&second, 1), CUDA_ERROR_OUT_OF_MEMORY);
  CU(cuMemFree_v2(first));
  CU(cuMemAlloc_v2(&second, 190 * MIB));
  EXPECT_CU(cuMemAlloc_v2(&first, (size_t)1 << 40), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST(memory, is_committed_when_it_is_touched) {
  CUdeviceptr most = 0;
  unsigned word = 9;
  ASSERT_TRUE(testing_open("NVIDIA H200") != NULL);
  CU(cuMemAlloc_v2(&most, (size_t)130 << 30));
  CU(cuMemsetD32Async(most + ((uint64_t)129 << 30), 7, 4, NULL));
  CU(cuMemcpyDtoH_v2(&word, most + ((uint64_t)129 << 30) + 12, 4));
  EXPECT_EQ(word, 7);
}

TEST(memory, refuses_what_the_driver_refuses) {
  CUdeviceptr memory = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  EXPECT_CU(cuMemAlloc_v2(&memory, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemAlloc_v2(&memory, 64));
  CU(cuMemFree_v2(0));
  EXPECT_CU(cuMemFree_v2(memory + 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemFree_v2(12345), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFree_v2(memory));
  EXPECT_CU(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory, exceeds_the_card_only_when_managed) {
  CUdeviceptr memory = 0;
  ASSERT_TRUE(testing_open("Small memory=256MiB cc=8.0") != NULL);
  CU(cuMemAllocManaged(&memory, (size_t)1 << 30, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(used(), 64 * MIB);
  CU(cuMemsetD8_v2(memory + ((uint64_t)1 << 30) - 4, 1, 4));
  CU(cuMemFree_v2(memory));
}

TEST(memory, goes_with_its_context) {
  CUcontext context = testing_open("T4");
  CUdeviceptr memory = 0;
  void *host = NULL;
  ASSERT_TRUE(context != NULL);
  CU(cuMemAlloc_v2(&memory, 100 * MIB));
  CU(cuMemHostAlloc(&host, 64, 0));
  CU(cuDevicePrimaryCtxReset_v2(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT_EQ(used(), 64 * MIB);
  EXPECT_CU(cuMemsetD8_v2(memory, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST(memory, counts_instantiated_graphs) {
  CUstream stream = NULL;
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  CUdeviceptr memory = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuMemAlloc_v2(&memory, 64));
  uint64_t before = used();
  CU(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  for (int i = 0; i < 1000; ++i) CU(cuMemsetD8Async(memory, 0, 1, stream));
  CU(cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(used(), before);
  CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_EQ(used(), before + 2304000);
  CU(cuGraphExecDestroy(exec));
  EXPECT_EQ(used(), before);
  CU(cuGraphDestroy(graph));
}

// ---- Mapping ----

TEST(mapping, keeps_contents_across_addresses) {
  char text[16] = "";
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUdeviceptr address = reserve(8 * PAGE);
  CUmemGenericAllocationHandle handle = create(2 * PAGE);
  EXPECT_EQ(used(), 64 * MIB + 2 * PAGE);
  CU(cuMemMap(address, 2 * PAGE, 0, handle, 0));
  CU(cuMemSetAccess(address, 2 * PAGE, &open_to_card, 1));
  CU(cuMemcpyHtoD_v2(address + PAGE, "berth", 6));
  CU(cuMemUnmap(address, 2 * PAGE));
  EXPECT_CU(cuMemcpyDtoH_v2(text, address + PAGE, 6), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemMap(address + 4 * PAGE, 2 * PAGE, 0, handle, 0));
  CU(cuMemSetAccess(address + 4 * PAGE, 2 * PAGE, &open_to_card, 1));
  CU(cuMemcpyDtoH_v2(text, address + 5 * PAGE, 6));
  EXPECT_STR(text, "berth");
  // In two places at once it is the same memory.
  CU(cuMemMap(address, 2 * PAGE, 0, handle, 0));
  CU(cuMemSetAccess(address, 2 * PAGE, &open_to_card, 1));
  CU(cuMemcpyHtoD_v2(address + PAGE, "again", 6));
  CU(cuMemcpyDtoH_v2(text, address + 5 * PAGE, 6));
  EXPECT_STR(text, "again");
  CU(cuMemUnmap(address, 8 * PAGE));
  CU(cuMemRelease(handle));
  CU(cuMemAddressFree(address, 8 * PAGE));
  EXPECT_EQ(used(), 64 * MIB);
}

TEST(mapping, has_the_drivers_rules_for_handles) {
  CUmemGenericAllocationHandle handle = 0;
  CUmemAllocationProp prop = on_card;
  size_t granularity = 0;
  ASSERT_TRUE(testing_open("Small memory=256MiB cc=8.0") != NULL);
  CU(cuMemGetAllocationGranularity(&granularity, &on_card,
                                   CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_EQ(granularity, PAGE);
  EXPECT_CU(cuMemCreate(&handle, PAGE + 1, &prop, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemCreate(&handle, 0, &prop, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemCreate(&handle, PAGE, &prop, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemCreate(&handle, 194 * MIB, &prop, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  prop.location.id = 7;
  EXPECT_CU(cuMemCreate(&handle, PAGE, &prop, 0), CUDA_ERROR_INVALID_DEVICE);
  handle = create(192 * MIB);
  CU(cuMemRelease(handle));
  EXPECT_CU(cuMemRelease(handle), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemRelease(create(192 * MIB)));
}

TEST(mapping, has_the_drivers_rules_for_addresses) {
  CUdeviceptr address = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  EXPECT_CU(cuMemAddressReserve(&address, PAGE + 1, 0, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemAddressReserve(&address, PAGE, 3, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  CU(cuMemAddressReserve(&address, PAGE, (size_t)1 << 30, 0, 0));
  EXPECT_EQ(address % ((uint64_t)1 << 30), 0);
  CU(cuMemAddressFree(address, PAGE));
  // Far more than the card has. Not a tebibyte, though: the thread sanitizer
  // leaves a process hardly more than that in all.
  address = reserve((size_t)1 << 38);
  EXPECT_EQ(used(), 64 * MIB);
  EXPECT_CU(cuMemAddressFree(address, PAGE), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemAddressFree(address, (size_t)1 << 38));
  EXPECT_CU(cuMemAddressFree(address, (size_t)1 << 38),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(mapping, has_the_drivers_rules_for_maps) {
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUdeviceptr r = reserve(8 * PAGE);
  CUmemGenericAllocationHandle two = create(2 * PAGE), one = create(PAGE);
  // A handle is mapped whole.
  EXPECT_CU(cuMemMap(r, PAGE, 0, two, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_CU(cuMemMap(r, PAGE, PAGE, two, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_CU(cuMemMap(r, 4 * PAGE, 0, two, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_CU(cuMemMap(r + 1, 2 * PAGE, 0, two, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemMap(r + 4096, 2 * PAGE, 0, two, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemMap(PAGE, 2 * PAGE, 0, two, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemMap(r, 2 * PAGE, 0, 12345, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemMap(r, 2 * PAGE, 0, two, 0));
  EXPECT_CU(cuMemMap(r, 2 * PAGE, 0, two, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemMap(r + PAGE, PAGE, 0, one, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemMap(r + 2 * PAGE, PAGE, 0, one, 0));
  // Nobody may touch it before access is given, to whole mappings.
  EXPECT_CU(cuMemsetD8_v2(r, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemSetAccess(r, 4 * PAGE, &open_to_card, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemSetAccess(r, PAGE, &open_to_card, 1),
            CUDA_ERROR_INVALID_VALUE);
  CU(cuMemSetAccess(r, 3 * PAGE, &open_to_card, 1));
  // Mappings that adjoin are one for a copy.
  CU(cuMemsetD8_v2(r + 2 * PAGE - 8, 1, 16));
  EXPECT_CU(cuMemsetD8_v2(r + 3 * PAGE - 8, 1, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemUnmap(r, PAGE), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemUnmap(r + 4 * PAGE, PAGE));
  EXPECT_CU(cuMemAddressFree(r, 8 * PAGE), CUDA_ERROR_INVALID_VALUE);
  CU(cuCtxSynchronize());
  CU(cuMemUnmap(r, 4 * PAGE));
  CU(cuMemRelease(two));
  CU(cuMemRelease(one));
  CU(cuMemAddressFree(r, 8 * PAGE));
}

TEST(mapping, keeps_a_released_handle_while_it_is_mapped) {
  unsigned word = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUdeviceptr r = reserve(4 * PAGE);
  CUmemGenericAllocationHandle handle = create(PAGE);
  CU(cuMemMap(r, PAGE, 0, handle, 0));
  CU(cuMemSetAccess(r, PAGE, &open_to_card, 1));
  CU(cuMemRelease(handle));
  EXPECT_EQ(used(), 64 * MIB + PAGE);
  CU(cuMemsetD32Async(r, 9, 1, NULL));
  CU(cuMemcpyDtoH_v2(&word, r, 4));
  EXPECT_EQ(word, 9);
  EXPECT_CU(cuMemMap(r + PAGE, PAGE, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemUnmap(r, PAGE));
  EXPECT_EQ(used(), 64 * MIB);
}

TEST(mapping, outlives_a_reset) {
  CUcontext context = testing_open("T4");
  unsigned word = 0;
  ASSERT_TRUE(context != NULL);
  CUdeviceptr r = reserve(PAGE);
  CUmemGenericAllocationHandle handle = create(PAGE);
  CU(cuMemMap(r, PAGE, 0, handle, 0));
  CU(cuMemSetAccess(r, PAGE, &open_to_card, 1));
  CU(cuMemsetD32Async(r, 11, 1, NULL));
  CU(cuDevicePrimaryCtxReset_v2(0));
  CU(cuDevicePrimaryCtxRetain(&context, 0));
  EXPECT_EQ(used(), 64 * MIB + PAGE);
  CU(cuMemcpyDtoH_v2(&word, r, 4));
  EXPECT_EQ(word, 11);
  CU(cuMemUnmap(r, PAGE));
  CU(cuMemRelease(handle));
  EXPECT_EQ(used(), 64 * MIB);
}

// A graph means addresses, not pages.
TEST(mapping, changes_under_a_graph) {
  CUstream stream = NULL;
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  unsigned word = 0;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CUdeviceptr r = reserve(PAGE);
  CUmemGenericAllocationHandle handles[] = {create(PAGE), create(PAGE)};
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 2; ++i) {
    CU(cuMemMap(r, PAGE, 0, handles[i], 0));
    CU(cuMemSetAccess(r, PAGE, &open_to_card, 1));
    if (i == 0) {
      CU(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
      CU(cuMemsetD32Async(r, 5, 1, stream));
      CU(cuStreamEndCapture(stream, &graph));
      CU(cuGraphInstantiateWithFlags(&exec, graph, 0));
    }
    CU(cuGraphLaunch(exec, stream));
    CU(cuStreamSynchronize(stream));
    CU(cuMemcpyDtoH_v2(&word, r, 4));
    EXPECT_EQ(word, 5);
    CU(cuMemUnmap(r, PAGE));
    CU(cuMemRelease(handles[i]));
  }
  CU(cuGraphDestroy(graph));
}

// ---- Memory of the host ----

TEST(host_memory, has_the_drivers_rules) {
  void *memory = &memory;
  CUdeviceptr address = 0;
  static char pages[8192];
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuMemHostAlloc(&memory, 0, 0));
  CU(cuMemHostAlloc(&memory, 100, CU_MEMHOSTALLOC_DEVICEMAP));
  CU(cuMemHostGetDevicePointer_v2(&address, memory, 0));
  EXPECT_EQ(address, (uintptr_t)memory);
  CU(cuMemHostGetDevicePointer_v2(&address, (char *)memory + 8, 0));
  EXPECT_CU(cuMemHostGetDevicePointer_v2(&address, pages, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuMemFreeHost((char *)memory + 8), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFreeHost(memory));
  EXPECT_CU(cuMemFreeHost(memory), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemHostRegister_v2(pages, 8192, CU_MEMHOSTREGISTER_DEVICEMAP));
  EXPECT_CU(cuMemHostRegister_v2(pages, 8192, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  EXPECT_CU(cuMemHostRegister_v2(pages + 4096, 8192, 0),
            CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CU(cuMemHostGetDevicePointer_v2(&address, pages, 0));
  EXPECT_CU(cuMemHostUnregister(pages + 8), CUDA_ERROR_INVALID_VALUE);
  CU(cuMemHostUnregister(pages));
  EXPECT_CU(cuMemHostUnregister(pages), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  EXPECT_CU(cuMemHostRegister_v2(NULL, 8, 0), CUDA_ERROR_INVALID_VALUE);
}
