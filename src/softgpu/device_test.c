// device_test.c - Tests of devices as the driver and NVML show them.
#include "softgpu/softgpu_testing.h"

static const char *const K20M =
    "Tesla K20m*4@0000:02:00.0,0000:03:00.0,0000:83:00.0,0000:84:00.0";

TEST(device, names_results_as_the_driver_does) {
  const char *text = NULL;
  CU(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STR(text, "CUDA_ERROR_OUT_OF_MEMORY");
  CU(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STR(text, "out of memory");
  CU(cuGetErrorString(CUDA_ERROR_NO_DEVICE, &text));
  EXPECT_STR(text, "no CUDA-capable device is detected");
  CU(cuGetErrorString(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STR(text, "an illegal memory access was encountered");
  const char *untouched = "as it was";
  EXPECT_CU(cuGetErrorName((CUresult)12345, &untouched),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_STR(untouched, "as it was");
  EXPECT_STR(nvmlErrorString(NVML_ERROR_DRIVER_NOT_LOADED),
             "Driver Not Loaded");
  EXPECT_STR(cublasLtGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED),
             "the requested functionality is not supported");
  EXPECT_STR(cublasLtGetStatusName((cublasStatus_t)2), "unrecognized status");
}

TEST(device, wants_to_be_started) {
  int value = 0;
  simulate_cards("T4");
  EXPECT_CU(cuDeviceGetCount(&value), CUDA_ERROR_NOT_INITIALIZED);
  CU(cuDriverGetVersion(&value));
  EXPECT_EQ(value, 13000);
  EXPECT_CU(cuInit(1), CUDA_ERROR_INVALID_VALUE);
  CU(cuInit(0));
  CU(cuInit(0));
  CU(cuDeviceGetCount(&value));
  EXPECT_EQ(value, 1);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&(unsigned){0}), NVML_ERROR_UNINITIALIZED);
  simulate_forget();
}

TEST(device, has_none_without_a_spec) {
  unsetenv("BERTH_SIMULATE_GPUS");
  EXPECT_CU(cuInit(0), CUDA_ERROR_NO_DEVICE);
  EXPECT_EQ(nvmlInit_v2(), NVML_ERROR_DRIVER_NOT_LOADED);
  simulate_cards("T4");
  CU(cuInit(0));
  simulate_forget();
}

TEST(device, refuses_a_bad_spec) {
  simulate_cards("T4*x");
  EXPECT_CU(cuInit(0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(nvmlInit_v2(), NVML_ERROR_INVALID_ARGUMENT);
}

TEST(device, tells_what_a_card_is) {
  char text[64];
  int major = 0, minor = 0, value = 0;
  size_t bytes = 0;
  ASSERT_TRUE(testing_open("Tesla K40c@0000:05:00.0") != NULL);
  CU(cuDeviceGetName(text, sizeof(text), 0));
  EXPECT_STR(text, "Tesla K40c");
  CU(cuDeviceGetName(text, 4, 0));
  EXPECT_STR(text, "Tes");
  CU(cuDeviceGetPCIBusId(text, sizeof(text), 0));
  EXPECT_STR(text, "0000:05:00.0");
  EXPECT_CU(cuDeviceGetPCIBusId(text, 5, 0), CUDA_ERROR_INVALID_VALUE);
  CU(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                          0));
  CU(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                          0));
  EXPECT_EQ(major * 10 + minor, 35);
  CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  EXPECT_EQ(value, 15);
  EXPECT_CU(cuDeviceGetAttribute(&value, (CUdevice_attribute)1000, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 3),
            CUDA_ERROR_INVALID_DEVICE);
  CU(cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_EQ(bytes, 11439ll << 20);
  EXPECT_CU(cuDeviceGet(&value, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_CU(cuDeviceGet(&value, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_CU(cuDeviceGetByPCIBusId(&value, "0000:ff:00.0"),
            CUDA_ERROR_INVALID_DEVICE);
  EXPECT_CU(cuDeviceGetByPCIBusId(&value, "zz"), CUDA_ERROR_INVALID_VALUE);
  CU(cuDeviceGetByPCIBusId(&value, "0000:05:00.0"));
  EXPECT_EQ(value, 0);
}

TEST(device, shows_what_the_environment_says) {
  char text[64];
  int count = 0;
  simulate_cards(K20M);
  setenv("CUDA_VISIBLE_DEVICES", "3,0", 1);
  CU(cuInit(0));
  CU(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 2);
  CU(cuDeviceGetPCIBusId(text, sizeof(text), 0));
  EXPECT_STR(text, "0000:84:00.0");
  // NVML does not care.
  unsigned all = 0;
  nvmlDevice_t device = NULL;
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&all), NVML_SUCCESS);
  EXPECT_EQ(all, 4);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  nvmlPciInfo_t pci;
  EXPECT_EQ(nvmlDeviceGetPciInfo_v3(device, &pci), NVML_SUCCESS);
  EXPECT_STR(pci.busId, "00000000:02:00.0");
  EXPECT_STR(pci.busIdLegacy, "0000:02:00.0");
  simulate_forget();
}

TEST(device, can_be_hidden_and_shown_again) {
  simulate_cards("T4");
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  EXPECT_CU(cuInit(0), CUDA_ERROR_NO_DEVICE);
  setenv("CUDA_VISIBLE_DEVICES", "0,0", 1);
  EXPECT_CU(cuInit(0), CUDA_ERROR_INVALID_DEVICE);
  unsetenv("CUDA_VISIBLE_DEVICES");
  CU(cuInit(0));
  simulate_forget();
}

TEST(device, lists_itself_in_nvml) {
  char text[96], uuid[96];
  nvmlDevice_t device = NULL, same = NULL;
  simulate_cards("A100*2");
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(5, &device),
            NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(1, &device), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetName(device, text, sizeof(text)), NVML_SUCCESS);
  EXPECT_STR(text, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(nvmlDeviceGetName(device, text, 3), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvmlDeviceGetUUID(device, uuid, sizeof(uuid)), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &same), NVML_SUCCESS);
  EXPECT_TRUE(same == device);
  uuid[20] = '\0';
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid, &same), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("00000000:02:00.0", &same),
            NVML_SUCCESS);
  EXPECT_TRUE(same == device);
  unsigned mode = 9, pending = 9;
  EXPECT_EQ(nvmlDeviceGetMigMode(device, &mode, &pending), NVML_SUCCESS);
  EXPECT_EQ(mode, NVML_DEVICE_MIG_DISABLE);
  EXPECT_EQ(nvmlDeviceGetMigDeviceHandleByIndex(device, 0, &same),
            NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
  EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
  simulate_forget();
}

TEST(device, agrees_with_nvml_on_uuids) {
  CUuuid first;
  char text[96], hex[33] = "";
  nvmlDevice_t device = NULL;
  ASSERT_TRUE(testing_open("T4") != NULL);
  CU(cuDeviceGetUuid_v2(&first, 0));
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetUUID(device, text, sizeof(text)), NVML_SUCCESS);
  for (int i = 0; i < 16; ++i) {
    snprintf(hex + 2 * i, 3, "%02x", (unsigned char)first.bytes[i]);
  }
  EXPECT_EQ(strncmp(text + 4, hex, 8), 0);
  EXPECT_EQ(strcmp(text + 28, hex + 20), 0);
}

TEST(device, has_peers_at_the_same_processor) {
  int can = -1;
  CUcontext contexts[4];
  ASSERT_TRUE(testing_open(K20M) != NULL);
  for (int i = 0; i < 4; ++i) {
    ASSERT_CU(cuDevicePrimaryCtxRetain(&contexts[i], i));
  }
  CU(cuDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  CU(cuDeviceCanAccessPeer(&can, 1, 2));
  EXPECT_EQ(can, 0);
  CU(cuDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  CU(cuCtxEnablePeerAccess(contexts[1], 0));
  EXPECT_CU(cuCtxEnablePeerAccess(contexts[1], 0),
            CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  EXPECT_CU(cuCtxEnablePeerAccess(contexts[2], 0),
            CUDA_ERROR_PEER_ACCESS_UNSUPPORTED);
  EXPECT_CU(cuCtxDisablePeerAccess(contexts[3]),
            CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
  CU(cuCtxDisablePeerAccess(contexts[1]));
}

TEST(device, keeps_a_stack_of_contexts) {
  CUcontext first = testing_open("T4*2"), second = NULL, found = NULL;
  CUdevice device = -1;
  ASSERT_TRUE(first != NULL);
  CU(cuDevicePrimaryCtxRetain(&second, 1));
  CU(cuCtxPushCurrent_v2(second));
  CU(cuCtxGetDevice(&device));
  EXPECT_EQ(device, 1);
  CU(cuCtxPopCurrent_v2(&found));
  EXPECT_TRUE(found == second);
  CU(cuCtxGetCurrent(&found));
  EXPECT_TRUE(found == first);
  CU(cuCtxSetCurrent(NULL));
  EXPECT_CU(cuCtxPopCurrent_v2(&found), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuCtxGetDevice(&device), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_CU(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
}

TEST(device, resets_its_context) {
  CUcontext context = testing_open("T4"), again = NULL;
  CUstream stream = NULL;
  CUevent event = NULL;
  unsigned flags = 9;
  int active = 9;
  size_t left = 0, total = 0;
  ASSERT_TRUE(context != NULL);
  CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU(cuEventCreate(&event, 0));
  CU(cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_BLOCKING_SYNC));
  CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(flags, CU_CTX_SCHED_BLOCKING_SYNC);
  EXPECT_EQ(active, 1);
  CU(cuDevicePrimaryCtxReset_v2(0));
  CU(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(flags, 0);
  EXPECT_EQ(active, 0);
  EXPECT_CU(cuMemGetInfo_v2(&left, &total), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_CU(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_CU(cuEventQuery(event), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  CU(cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_TRUE(again == context);
  CU(cuMemGetInfo_v2(&left, &total));
  EXPECT_CU(cuStreamSynchronize(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  // A reset takes no reference away.
  CU(cuDevicePrimaryCtxRelease_v2(0));
  CU(cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_CU(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
}
