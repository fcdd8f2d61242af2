// layout_test.c - Numbers and layouts that compiled programs rely on.
//
// Codes, types and styles are stored in files and passed between languages;
// structs are filled by callers that were compiled earlier. Fields may be added
// at the end of berth_config_t, which says its size; nothing else may move.
#include "harness.h"
// The harness defines main() and comes first.
#include <berth/berth.h>
#include <stddef.h>

TEST(layout, codes_are_those_of_tensorflow) {
  EXPECT_EQ(BERTH_OK, 0);
  EXPECT_EQ(BERTH_CANCELLED, 1);
  EXPECT_EQ(BERTH_UNKNOWN, 2);
  EXPECT_EQ(BERTH_INVALID_ARGUMENT, 3);
  EXPECT_EQ(BERTH_DEADLINE_EXCEEDED, 4);
  EXPECT_EQ(BERTH_NOT_FOUND, 5);
  EXPECT_EQ(BERTH_ALREADY_EXISTS, 6);
  EXPECT_EQ(BERTH_PERMISSION_DENIED, 7);
  EXPECT_EQ(BERTH_RESOURCE_EXHAUSTED, 8);
  EXPECT_EQ(BERTH_FAILED_PRECONDITION, 9);
  EXPECT_EQ(BERTH_ABORTED, 10);
  EXPECT_EQ(BERTH_OUT_OF_RANGE, 11);
  EXPECT_EQ(BERTH_UNIMPLEMENTED, 12);
  EXPECT_EQ(BERTH_INTERNAL, 13);
  EXPECT_EQ(BERTH_UNAVAILABLE, 14);
  EXPECT_EQ(BERTH_DATA_LOSS, 15);
  EXPECT_EQ(BERTH_UNAUTHENTICATED, 16);
}

TEST(layout, types_are_those_of_tensorflow) {
  static const struct {
    berth_dtype_t dtype;
    int number;
    const char *name;
    int size;
  } types[] = {
      {BERTH_FLOAT, 1, "float", 4},
      {BERTH_DOUBLE, 2, "double", 8},
      {BERTH_INT32, 3, "int32", 4},
      {BERTH_UINT8, 4, "uint8", 1},
      {BERTH_INT16, 5, "int16", 2},
      {BERTH_INT8, 6, "int8", 1},
      {BERTH_STRING, 7, "string", 24},
      {BERTH_COMPLEX64, 8, "complex64", 8},
      {BERTH_INT64, 9, "int64", 8},
      {BERTH_BOOL, 10, "bool", 1},
      {BERTH_QINT8, 11, "qint8", 1},
      {BERTH_QUINT8, 12, "quint8", 1},
      {BERTH_QINT32, 13, "qint32", 4},
      {BERTH_BFLOAT16, 14, "bfloat16", 2},
      {BERTH_QINT16, 15, "qint16", 2},
      {BERTH_QUINT16, 16, "quint16", 2},
      {BERTH_UINT16, 17, "uint16", 2},
      {BERTH_COMPLEX128, 18, "complex128", 16},
      {BERTH_HALF, 19, "half", 2},
      {BERTH_UINT32, 22, "uint32", 4},
      {BERTH_UINT64, 23, "uint64", 8},
      {BERTH_FLOAT8_E5M2, 24, "float8_e5m2", 1},
      {BERTH_FLOAT8_E4M3FN, 25, "float8_e4m3fn", 1},
      {BERTH_INT4, 29, "int4", 1},
      {BERTH_UINT4, 30, "uint4", 1},
  };
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); ++i) {
    EXPECT_EQ(types[i].dtype, types[i].number);
    EXPECT_STR(berth_dtype_name(types[i].dtype), types[i].name);
    EXPECT_EQ(berth_dtype_size(types[i].dtype), types[i].size);
    EXPECT_EQ(berth_dtype_find(types[i].name), types[i].dtype);
  }
  EXPECT_EQ(BERTH_RESOURCE, 20);
  EXPECT_EQ(BERTH_VARIANT, 21);
  EXPECT_EQ(BERTH_FLOAT4_E2M1FN, 33);
  EXPECT_EQ(BERTH_REF, 100);
}

TEST(layout, other_numbers) {
  EXPECT_EQ(BERTH_LOG_INFO, 0);
  EXPECT_EQ(BERTH_LOG_WARNING, 1);
  EXPECT_EQ(BERTH_LOG_ERROR, 2);
  EXPECT_EQ(BERTH_STYLE_DEFAULT, 0);
  EXPECT_EQ(BERTH_STYLE_TF2, 1);
  EXPECT_EQ(BERTH_STYLE_CLASSIC, 2);
  EXPECT_EQ(BERTH_REASON_NONE, 0);
  EXPECT_EQ(BERTH_REASON_ASKED, 1);
  EXPECT_EQ(BERTH_REASON_ASKED_PARTLY, 2);
  EXPECT_EQ(BERTH_REASON_DEFAULT, 3);
  EXPECT_EQ(BERTH_REASON_ONLY_DEVICE_TYPE, 4);
  EXPECT_EQ(BERTH_REASON_NO_GPU_KERNEL, 5);
  EXPECT_EQ(BERTH_REASON_NO_GPU_KERNEL_FOR_TYPE, 6);
  EXPECT_EQ(BERTH_REASON_SOFT_NO_DEVICE, 7);
  EXPECT_EQ(BERTH_REASON_SOFT_NO_KERNEL, 8);
  EXPECT_EQ(BERTH_REASON_SOFT_COLOCATED, 9);
  EXPECT_EQ(BERTH_REASON_GROUP, 10);
  EXPECT_EQ(BERTH_REASON_RESOURCE, 11);
  EXPECT_EQ(BERTH_REASON_GENERATOR, 12);
  EXPECT_EQ(BERTH_REASON_METADATA, 13);
  EXPECT_EQ(BERTH_REASON_KEPT, 14);
  EXPECT_EQ(BERTH_REASON_FUNCTION_CALL, 15);
  EXPECT_EQ(BERTH_REASON_IDENTITY, 16);
  EXPECT_EQ(BERTH_NO_NODE, -1);
  EXPECT_EQ(BERTH_MAX_RANK, 254);
}

// The layouts are those of 64-bit machines; others have their own.
#define SKIP_UNLESS_64_BIT()                               \
  do {                                                     \
    if (sizeof(void *) != 8) SKIP("not a 64-bit machine"); \
  } while (0)
#define EXPECT_AT(type, field, offset) EXPECT_EQ(offsetof(type, field), offset)

TEST(layout, values) {
  SKIP_UNLESS_64_BIT();
  EXPECT_AT(berth_error_t, code, 0);
  EXPECT_AT(berth_error_t, text, 4);
  EXPECT_AT(berth_error_t, long_text, 520);
  EXPECT_EQ(sizeof(berth_error_t), 528);
  EXPECT_AT(berth_shape_t, rank, 0);
  EXPECT_AT(berth_shape_t, dims, 8);
  EXPECT_EQ(sizeof(berth_shape_t), 2040);
  EXPECT_AT(berth_dims_t, rank, 0);
  EXPECT_AT(berth_dims_t, dims, 8);
  EXPECT_EQ(sizeof(berth_dims_t), 16);
  EXPECT_AT(berth_out_t, node, 0);
  EXPECT_AT(berth_out_t, index, 4);
  EXPECT_EQ(sizeof(berth_out_t), 8);
  EXPECT_AT(berth_feed_t, out, 0);
  EXPECT_AT(berth_feed_t, tensor, 8);
  EXPECT_EQ(sizeof(berth_feed_t), 16);
}

TEST(layout, config) {
  SKIP_UNLESS_64_BIT();
  EXPECT_AT(berth_gpu_config_t, memory_fraction, 0);
  EXPECT_AT(berth_gpu_config_t, allow_growth, 8);
  EXPECT_AT(berth_gpu_config_t, force_gpu_compatible, 9);
  EXPECT_AT(berth_gpu_config_t, allocator_type, 16);
  EXPECT_AT(berth_gpu_config_t, visible_devices, 24);
  EXPECT_EQ(sizeof(berth_gpu_config_t), 32);
  EXPECT_AT(berth_config_t, struct_size, 0);
  EXPECT_AT(berth_config_t, cpu_count, 8);
  EXPECT_AT(berth_config_t, gpu_count, 12);
  EXPECT_AT(berth_config_t, intra_op_threads, 16);
  EXPECT_AT(berth_config_t, inter_op_threads, 20);
  EXPECT_AT(berth_config_t, inter_op_pools, 24);
  EXPECT_AT(berth_config_t, allow_soft_placement, 28);
  EXPECT_AT(berth_config_t, log_device_placement, 29);
  EXPECT_AT(berth_config_t, log_style, 32);
  EXPECT_AT(berth_config_t, strict_placement, 36);
  EXPECT_AT(berth_config_t, place_pruned_graph, 37);
  EXPECT_AT(berth_config_t, use_per_session_threads, 38);
  EXPECT_AT(berth_config_t, isolate_session_state, 39);
  EXPECT_AT(berth_config_t, timeout_ms, 40);
  EXPECT_AT(berth_config_t, keep_constants, 48);
  EXPECT_AT(berth_config_t, gpu, 56);
  EXPECT_AT(berth_config_t, poll, 88);
  EXPECT_AT(berth_config_t, poll_arg, 96);
  EXPECT_AT(berth_config_t, owned, 104);
  EXPECT_AT(berth_config_t, gpu_experimental, 112);
  EXPECT_AT(berth_config_t, max_programs, 144);
  EXPECT_AT(berth_config_t, gpu_budget, 152);
  EXPECT_AT(berth_gpu_experimental_t, virtual_devices, 0);
  EXPECT_AT(berth_gpu_experimental_t, virtual_device_count, 8);
  EXPECT_AT(berth_gpu_experimental_t, devices_per_card, 12);
  EXPECT_AT(berth_gpu_experimental_t, fragmentation_fraction, 16);
  EXPECT_AT(berth_gpu_experimental_t, system_memory_mb, 24);
  EXPECT_AT(berth_gpu_experimental_t, use_unified_memory, 28);
  EXPECT_AT(berth_gpu_experimental_t, use_cuda_malloc_async, 29);
  EXPECT_AT(berth_gpu_experimental_t, no_retry, 30);
  EXPECT_AT(berth_virtual_devices_t, memory_limit_mb, 0);
  EXPECT_AT(berth_virtual_devices_t, priority, 8);
  EXPECT_AT(berth_virtual_devices_t, device_ordinal, 16);
  EXPECT_AT(berth_virtual_devices_t, memory_limit_count, 24);
  EXPECT_EQ(sizeof(berth_virtual_devices_t), 40);
}

TEST(layout, runs) {
  SKIP_UNLESS_64_BIT();
  EXPECT_AT(berth_run_t, feeds, 0);
  EXPECT_AT(berth_run_t, feed_count, 8);
  EXPECT_AT(berth_run_t, fetches, 16);
  EXPECT_AT(berth_run_t, fetch_count, 24);
  EXPECT_AT(berth_run_t, results, 32);
  EXPECT_AT(berth_run_t, targets, 40);
  EXPECT_AT(berth_run_t, target_count, 48);
  EXPECT_AT(berth_run_t, timeout_ms, 56);
  EXPECT_AT(berth_run_t, cancel, 64);
  EXPECT_AT(berth_run_t, poll, 72);
  EXPECT_AT(berth_run_t, poll_arg, 80);
  EXPECT_AT(berth_run_t, inter_op_pool, 88);
  EXPECT_AT(berth_run_t, trace, 92);
  EXPECT_AT(berth_run_t, output_partition_graphs, 93);
  EXPECT_AT(berth_run_t, out_metadata, 96);
  EXPECT_AT(berth_run_t, out_metadata_size, 104);
  EXPECT_EQ(sizeof(berth_run_t), 112);
}

TEST(layout, graphs) {
  SKIP_UNLESS_64_BIT();
  EXPECT_AT(berth_import_t, prefix, 0);
  EXPECT_AT(berth_import_t, uniquify_names, 8);
  EXPECT_AT(berth_import_t, uniquify_prefix, 9);
  EXPECT_AT(berth_import_t, input_names, 16);
  EXPECT_AT(berth_import_t, input_outs, 24);
  EXPECT_AT(berth_import_t, input_count, 32);
  EXPECT_AT(berth_import_t, controls, 40);
  EXPECT_AT(berth_import_t, control_count, 48);
  EXPECT_AT(berth_import_t, return_names, 56);
  EXPECT_AT(berth_import_t, return_outs, 64);
  EXPECT_AT(berth_import_t, return_count, 72);
  EXPECT_AT(berth_import_t, return_node_names, 80);
  EXPECT_AT(berth_import_t, return_nodes, 88);
  EXPECT_AT(berth_import_t, return_node_count, 96);
  EXPECT_AT(berth_import_t, default_device, 104);
  EXPECT_AT(berth_node_placement_t, device, 0);
  EXPECT_AT(berth_node_placement_t, reason, 8);
  EXPECT_AT(berth_node_placement_t, because, 12);
  EXPECT_EQ(sizeof(berth_node_placement_t), 16);
  EXPECT_AT(berth_plan_options_t, devices, 0);
  EXPECT_AT(berth_plan_options_t, descriptions, 8);
  EXPECT_AT(berth_plan_options_t, device_count, 16);
  EXPECT_AT(berth_plan_options_t, allow_soft_placement, 20);
  EXPECT_AT(berth_plan_options_t, strict, 21);
  EXPECT_AT(berth_plan_options_t, log, 22);
  EXPECT_AT(berth_plan_options_t, style, 24);
}

TEST(layout, devices) {
  SKIP_UNLESS_64_BIT();
  EXPECT_AT(berth_device_info_t, name, 0);
  EXPECT_AT(berth_device_info_t, type, 8);
  EXPECT_AT(berth_device_info_t, description, 16);
  EXPECT_AT(berth_device_info_t, memory_limit, 24);
  EXPECT_AT(berth_device_info_t, incarnation, 32);
  EXPECT_EQ(sizeof(berth_device_info_t), 40);
  EXPECT_AT(berth_card_t, name, 0);
  EXPECT_AT(berth_card_t, uuid, 8);
  EXPECT_AT(berth_card_t, pci_bus_id, 16);
  EXPECT_AT(berth_card_t, bus_index, 24);
  EXPECT_AT(berth_card_t, fast_index, 28);
  EXPECT_AT(berth_card_t, cc_major, 32);
  EXPECT_AT(berth_card_t, total_bytes, 40);
  EXPECT_AT(berth_card_t, free_bytes, 48);
  EXPECT_AT(berth_card_t, is_slice, 56);
  EXPECT_AT(berth_card_t, is_simulated, 57);
  EXPECT_EQ(sizeof(berth_card_t), 64);
  EXPECT_AT(berth_card_user_t, bytes, 8);
  EXPECT_AT(berth_device_spec_t, job, 0);
  EXPECT_AT(berth_device_spec_t, type, 16);
  EXPECT_AT(berth_device_spec_t, replica, 32);
  EXPECT_AT(berth_device_spec_t, index, 40);
  EXPECT_AT(berth_device_spec_t, has_index, 46);
  EXPECT_EQ(sizeof(berth_device_spec_t), 48);
  EXPECT_AT(berth_memory_stats_t, num_allocs, 0);
  EXPECT_AT(berth_memory_stats_t, bytes_limit, 40);
  EXPECT_AT(berth_memory_stats_t, region_count, 80);
  EXPECT_EQ(sizeof(berth_memory_stats_t), 88);
}
