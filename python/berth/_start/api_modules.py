"""api_modules - Public names of TensorFlow 2.21, by the module below tensorflow.python that has them.

Each module has three lists with semicolons between them: names of TF1 and TF2, of TF2, and of
TF1. `math.add` is called `add` in the module; `old=math.add` is called `old` there. Made by
tools/registry/record_modules.py.
"""

MODULES = {
    '': '''
        acosh asin asinh atan atanh audio.decode_wav audio.encode_wav check_pinned cos cosh data.AUTOTUNE
        data.INFINITE_CARDINALITY data.UNKNOWN_CARDINALITY data.experimental.AUTOTUNE
        data.experimental.INFINITE_CARDINALITY data.experimental.SHARD_HINT
        data.experimental.UNKNOWN_CARDINALITY distribute.experimental.CommunicationOptions errors.ABORTED
        errors.ALREADY_EXISTS errors.CANCELLED errors.DATA_LOSS errors.DEADLINE_EXCEEDED
        errors.FAILED_PRECONDITION errors.INTERNAL errors.INVALID_ARGUMENT errors.NOT_FOUND errors.OK
        errors.OUT_OF_RANGE errors.PERMISSION_DENIED errors.RESOURCE_EXHAUSTED errors.UNAUTHENTICATED
        errors.UNAVAILABLE errors.UNIMPLEMENTED errors.UNKNOWN fftnd ifftnd irfftnd lite.Interpreter
        lite.OpsSet lite.Optimize lite.RepresentativeDataset lite.TargetSpec lite.experimental.Analyzer
        lite.experimental.OpResolverType lite.experimental.QuantizationDebugOptions
        lite.experimental.QuantizationDebugger lite.experimental.authoring.compatible
        lite.experimental.load_delegate maximum minimum negative newaxis
        quantization.experimental.QuantizationComponentSpec quantization.experimental.QuantizationMethod
        quantization.experimental.QuantizationOptions
        quantization.experimental.TfRecordRepresentativeDatasetSaver
        quantization.experimental.UnitWiseQuantizationSpec quantization.experimental.quantize_saved_model
        ragged_fill_empty_rows ragged_fill_empty_rows_grad random_index_shuffle rfftnd
        saved_model.ASSETS_DIRECTORY saved_model.ASSETS_KEY saved_model.CLASSIFY_INPUTS
        saved_model.CLASSIFY_METHOD_NAME saved_model.CLASSIFY_OUTPUT_CLASSES
        saved_model.CLASSIFY_OUTPUT_SCORES saved_model.DEBUG_DIRECTORY saved_model.DEBUG_INFO_FILENAME_PB
        saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY saved_model.GPU saved_model.PREDICT_INPUTS
        saved_model.PREDICT_METHOD_NAME saved_model.PREDICT_OUTPUTS saved_model.REGRESS_INPUTS
        saved_model.REGRESS_METHOD_NAME saved_model.REGRESS_OUTPUTS saved_model.SAVED_MODEL_FILENAME_PB
        saved_model.SAVED_MODEL_FILENAME_PBTXT saved_model.SAVED_MODEL_SCHEMA_VERSION saved_model.SERVING
        saved_model.TPU saved_model.TRAINING saved_model.VARIABLES_DIRECTORY saved_model.VARIABLES_FILENAME
        sin sinh square sysconfig.CXX11_ABI_FLAG sysconfig.CXX_VERSION sysconfig.MONOLITHIC_BUILD tan tanh
        train.BytesList train.ClusterDef train.Example train.Feature train.FeatureList train.FeatureLists
        train.Features train.FloatList train.Int64List train.JobDef train.SequenceExample train.ServerDef
        types.experimental.TensorLike version.COMPILER_VERSION version.GIT_VERSION version.GRAPH_DEF_VERSION
        version.GRAPH_DEF_VERSION_MIN_CONSUMER version.GRAPH_DEF_VERSION_MIN_PRODUCER version.VERSION ;
        debugging.check_numerics distribute.experimental.MultiWorkerMirroredStrategy lite.TFLiteConverter
        math.acosh math.asin math.asinh math.atan math.atanh math.cos math.cosh math.digamma math.erf
        math.erfc math.expm1 math.lgamma math.log math.log1p math.maximum math.minimum math.negative
        math.reciprocal math.rint math.sin math.sinh math.square math.tan math.tanh nn.tanh ; AttrValue
        COMPILER_VERSION CXX11_ABI_FLAG CXX_VERSION ConfigProto Event GIT_VERSION GPUOptions
        GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER GraphDef
        GraphOptions HistogramProto LogMessage MONOLITHIC_BUILD MetaGraphDef NameAttrList NodeDef
        OptimizerOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata TensorInfo VERSION
        check_numerics colocate_with data.experimental.RaggedTensorStructure
        data.experimental.SparseTensorStructure data.experimental.TensorArrayStructure
        data.experimental.TensorStructure digamma erf erfc expm1 image.extract_image_patches
        image.extract_patches lgamma linalg.diag linalg.diag_part linalg.matmul linalg.matrix_transpose
        linalg.tensor_diag_part linalg.trace linalg.transpose lite.OpHint lite.TFLiteConverter
        lite.TocoConverter lite.constants.GRAPHVIZ_DOT lite.constants.TFLITE
        lite.experimental.convert_op_hints_to_stubs lite.toco_convert log log1p logging.DEBUG logging.ERROR
        logging.FATAL logging.INFO logging.WARN manip.reshape math.abs math.acos math.add math.angle
        math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e math.ceil math.conj math.divide
        math.divide_no_nan math.erfcinv math.erfinv math.exp math.floor math.imag math.log_sigmoid
        math.log_softmax math.multiply math.multiply_no_nan math.ndtri math.real math.reciprocal_no_nan
        math.reduce_euclidean_norm math.reduce_max math.reduce_mean math.reduce_min math.reduce_prod
        math.reduce_std math.reduce_sum math.reduce_variance math.round math.rsqrt math.scalar_mul
        math.sigmoid math.sign math.softplus math.special.bessel_i0 math.special.bessel_i0e
        math.special.bessel_i1 math.special.bessel_i1e math.special.bessel_j0 math.special.bessel_j1
        math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 math.special.bessel_k1e
        math.special.bessel_y0 math.special.bessel_y1 math.special.dawsn math.special.expint
        math.special.fresnel_cos math.special.fresnel_sin math.special.spence math.sqrt nn.depth_to_space
        nn.leaky_relu nn.log_softmax nn.relu6 nn.sigmoid nn.softplus nn.space_to_depth profiler.AdviceProto
        profiler.GraphNodeProto profiler.MultiGraphNodeProto profiler.OpLogProto reciprocal rint
        saved_model.LEGACY_INIT_OP_KEY saved_model.MAIN_OP_KEY saved_model.constants.ASSETS_DIRECTORY
        saved_model.constants.ASSETS_KEY saved_model.constants.DEBUG_DIRECTORY
        saved_model.constants.DEBUG_INFO_FILENAME_PB saved_model.constants.LEGACY_INIT_OP_KEY
        saved_model.constants.MAIN_OP_KEY saved_model.constants.SAVED_MODEL_FILENAME_PB
        saved_model.constants.SAVED_MODEL_FILENAME_PBTXT saved_model.constants.SAVED_MODEL_SCHEMA_VERSION
        saved_model.constants.VARIABLES_DIRECTORY saved_model.constants.VARIABLES_FILENAME
        saved_model.signature_constants.CLASSIFY_INPUTS saved_model.signature_constants.CLASSIFY_METHOD_NAME
        saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES
        saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES
        saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        saved_model.signature_constants.PREDICT_INPUTS saved_model.signature_constants.PREDICT_METHOD_NAME
        saved_model.signature_constants.PREDICT_OUTPUTS saved_model.signature_constants.REGRESS_INPUTS
        saved_model.signature_constants.REGRESS_METHOD_NAME saved_model.signature_constants.REGRESS_OUTPUTS
        saved_model.tag_constants.GPU saved_model.tag_constants.SERVING saved_model.tag_constants.TPU
        saved_model.tag_constants.TRAINING summary.Event summary.SessionLog summary.Summary
        summary.SummaryDescription summary.TaggedRunMetadata train.SaverDef
    ''',
    'autograph.core.converter': 'autograph.experimental.Feature ;  ;',
    'autograph.impl.api': '''
        autograph.experimental.do_not_convert ; autograph.to_code autograph.to_graph ;
        to_code_v1=autograph.to_code to_graph_v1=autograph.to_graph
    ''',
    'autograph.lang.directives': 'autograph.experimental.set_loop_options ;  ;',
    'autograph.utils.ag_logging': 'autograph.set_verbosity autograph.trace ;  ;',
    'checkpoint.checkpoint': '; train.Checkpoint ; CheckpointV1=train.Checkpoint',
    'checkpoint.checkpoint_management': '''
        train.CheckpointManager train.get_checkpoint_state train.latest_checkpoint ;  ;
        train.checkpoint_exists train.generate_checkpoint_state_proto train.get_checkpoint_mtimes
        train.remove_checkpoint train.update_checkpoint_state
    ''',
    'checkpoint.checkpoint_options': 'train.CheckpointOptions ;  ;',
    'checkpoint.checkpoint_view': '; train.CheckpointView ;',
    'checkpoint.sharding.sharding_policies': '''
        train.experimental.MaxShardSizePolicy train.experimental.ShardByTaskPolicy ;  ;
    ''',
    'checkpoint.sharding.sharding_util': '''
        train.experimental.ShardableTensor train.experimental.ShardingCallback ;  ;
    ''',
    'checkpoint.trackable_view': '; train.TrackableView ;',
    'client.session': ';  ; InteractiveSession Session',
    'compat.v2_compat': ';  ; disable_v2_behavior enable_v2_behavior',
    'compiler.mlir.mlir': '''
        mlir.experimental.convert_function mlir.experimental.convert_graph_def
        mlir.experimental.convert_saved_model mlir.experimental.convert_saved_model_v1
        mlir.experimental.run_pass_pipeline mlir.experimental.tflite_to_tosa_bytecode
        experimental_write_bytecode=mlir.experimental.write_bytecode ;  ;
    ''',
    'compiler.xla.jit': 'experimental_jit_scope=xla.experimental.jit_scope ;  ;',
    'compiler.xla.xla': 'xla.experimental.compile ;  ;',
    'data.experimental.ops.batching': '''
        data.experimental.dense_to_ragged_batch data.experimental.dense_to_sparse_batch
        data.experimental.map_and_batch data.experimental.unbatch ;  ;
        data.experimental.map_and_batch_with_legacy_function
    ''',
    'data.experimental.ops.cardinality': '''
        data.experimental.assert_cardinality data.experimental.cardinality ;  ;
    ''',
    'data.experimental.ops.counter': '''
        ; CounterV2=data.experimental.Counter data.experimental.Counter ;
        CounterV1=data.experimental.Counter
    ''',
    'data.experimental.ops.data_service_ops': '''
        data.experimental.service.CrossTrainerCache data.experimental.service.ShardingPolicy
        data.experimental.service.distribute data.experimental.service.from_dataset_id
        data.experimental.service.register_dataset ;  ;
    ''',
    'data.experimental.ops.distributed_save_op': 'data.experimental.distributed_save ;  ;',
    'data.experimental.ops.enumerate_ops': 'data.experimental.enumerate_dataset ;  ;',
    'data.experimental.ops.error_ops': 'data.experimental.ignore_errors ;  ;',
    'data.experimental.ops.from_list': 'data.experimental.from_list ;  ;',
    'data.experimental.ops.get_single_element': 'data.experimental.get_single_element ;  ;',
    'data.experimental.ops.grouping': '''
        data.experimental.Reducer data.experimental.bucket_by_sequence_length
        data.experimental.group_by_reducer data.experimental.group_by_window ;  ;
    ''',
    'data.experimental.ops.interleave_ops': '''
        data.experimental.parallel_interleave ;
        choose_from_datasets_v2=data.experimental.choose_from_datasets
        data.experimental.choose_from_datasets
        sample_from_datasets_v2=data.experimental.sample_from_datasets
        data.experimental.sample_from_datasets ;
        choose_from_datasets_v1=data.experimental.choose_from_datasets
        sample_from_datasets_v1=data.experimental.sample_from_datasets
    ''',
    'data.experimental.ops.io': '; data.experimental.load data.experimental.save ;',
    'data.experimental.ops.iterator_model_ops': 'data.experimental.get_model_proto ;  ;',
    'data.experimental.ops.iterator_ops': 'data.experimental.make_saveable_from_iterator ;  ;',
    'data.experimental.ops.lookup_ops': '''
        data.experimental.DatasetInitializer data.experimental.index_table_from_dataset
        data.experimental.table_from_dataset ;  ;
    ''',
    'data.experimental.ops.pad_to_cardinality': 'data.experimental.pad_to_cardinality ;  ;',
    'data.experimental.ops.parsing_ops': 'data.experimental.parse_example_dataset ;  ;',
    'data.experimental.ops.prefetching_ops': '''
        data.experimental.copy_to_device data.experimental.prefetch_to_device ;  ;
    ''',
    'data.experimental.ops.random_access': '; data.experimental.at ;',
    'data.experimental.ops.random_ops': '''
        ; RandomDatasetV2=data.experimental.RandomDataset data.experimental.RandomDataset ;
        RandomDatasetV1=data.experimental.RandomDataset
    ''',
    'data.experimental.ops.readers': '''
        ; CsvDatasetV2=data.experimental.CsvDataset data.experimental.CsvDataset
        SqlDatasetV2=data.experimental.SqlDataset data.experimental.SqlDataset
        make_batched_features_dataset_v2=data.experimental.make_batched_features_dataset
        data.experimental.make_batched_features_dataset
        make_csv_dataset_v2=data.experimental.make_csv_dataset data.experimental.make_csv_dataset ;
        CsvDatasetV1=data.experimental.CsvDataset SqlDatasetV1=data.experimental.SqlDataset
        make_batched_features_dataset_v1=data.experimental.make_batched_features_dataset
        make_csv_dataset_v1=data.experimental.make_csv_dataset
    ''',
    'data.experimental.ops.resampling': 'data.experimental.rejection_resample ;  ;',
    'data.experimental.ops.scan_ops': 'data.experimental.scan ;  ;',
    'data.experimental.ops.shuffle_ops': 'data.experimental.shuffle_and_repeat ;  ;',
    'data.experimental.ops.snapshot': 'data.experimental.snapshot ;  ;',
    'data.experimental.ops.take_while_ops': 'data.experimental.take_while ;  ;',
    'data.experimental.ops.unique': 'data.experimental.unique ;  ;',
    'data.experimental.ops.writers': 'data.experimental.TFRecordWriter ;  ;',
    'data.experimental.service.server_lib': '''
        data.experimental.service.DispatcherConfig data.experimental.service.WorkerConfig ;
        data.experimental.service.DispatchServer data.experimental.service.WorkerServer ;
    ''',
    'data.ops.dataset_ops': '''
        data.DatasetSpec data.NumpyIterator data.experimental.from_variant data.experimental.get_structure
        data.experimental.to_variant ; DatasetV2=data.Dataset data.Dataset ; DatasetV1=data.Dataset
        DatasetSpec=data.experimental.DatasetStructure get_legacy_output_classes=data.get_output_classes
        get_legacy_output_shapes=data.get_output_shapes get_legacy_output_types=data.get_output_types
        data.make_initializable_iterator data.make_one_shot_iterator
    ''',
    'data.ops.debug_mode': 'data.experimental.enable_debug_mode ;  ;',
    'data.ops.iterator_ops': '''
        data.experimental.get_next_as_optional ; IteratorBase=data.Iterator data.IteratorSpec ;
        data.Iterator
    ''',
    'data.ops.optional_ops': '''
        OptionalSpec data.experimental.Optional ;  ; OptionalSpec=data.experimental.OptionalStructure
        experimental.Optional
    ''',
    'data.ops.options': '''
        data.Options data.ThreadingOptions data.experimental.AutoShardPolicy
        data.experimental.AutotuneAlgorithm data.experimental.AutotuneOptions
        data.experimental.DistributeOptions data.experimental.ExternalStatePolicy
        data.experimental.OptimizationOptions data.experimental.ServiceOptions
        data.experimental.ThreadingOptions ;  ;
    ''',
    'data.ops.readers': '''
        ; FixedLengthRecordDatasetV2=data.FixedLengthRecordDataset data.FixedLengthRecordDataset
        TFRecordDatasetV2=data.TFRecordDataset data.TFRecordDataset TextLineDatasetV2=data.TextLineDataset
        data.TextLineDataset ; FixedLengthRecordDatasetV1=data.FixedLengthRecordDataset
        TFRecordDatasetV1=data.TFRecordDataset TextLineDatasetV1=data.TextLineDataset
    ''',
    'debug.lib.check_numerics_callback': '''
        debugging.disable_check_numerics debugging.enable_check_numerics ;  ;
    ''',
    'debug.lib.dumping_callback': '''
        debugging.experimental.disable_dump_debug_info debugging.experimental.enable_dump_debug_info ;  ;
    ''',
    'distribute.central_storage_strategy': '''
        ; distribute.experimental.CentralStorageStrategy ;
        CentralStorageStrategyV1=distribute.experimental.CentralStorageStrategy
    ''',
    'distribute.cluster_resolver.cluster_resolver': '''
        distribute.cluster_resolver.ClusterResolver distribute.cluster_resolver.SimpleClusterResolver
        UnionClusterResolver=distribute.cluster_resolver.UnionResolver ;  ;
    ''',
    'distribute.cluster_resolver.gce_cluster_resolver': 'distribute.cluster_resolver.GCEClusterResolver ;  ;',
    'distribute.cluster_resolver.kubernetes_cluster_resolver': '''
        distribute.cluster_resolver.KubernetesClusterResolver
        ExecutableLocation=distribute.cluster_resolver.KubernetesExecutableLocation ;  ;
    ''',
    'distribute.cluster_resolver.slurm_cluster_resolver': '''
        distribute.cluster_resolver.SlurmClusterResolver ;  ;
    ''',
    'distribute.cluster_resolver.tfconfig_cluster_resolver': '''
        distribute.cluster_resolver.TFConfigClusterResolver ;  ;
    ''',
    'distribute.cluster_resolver.tpu.tpu_cluster_resolver': '''
        distribute.cluster_resolver.TPUClusterResolver tpu.experimental.initialize_tpu_system
        tpu.experimental.shutdown_tpu_system ;  ;
    ''',
    'distribute.collective_all_reduce_strategy': '''
        ; CollectiveAllReduceStrategy=distribute.MultiWorkerMirroredStrategy ;
        CollectiveAllReduceStrategyV1=distribute.experimental.MultiWorkerMirroredStrategy
    ''',
    'distribute.collective_util': '''
        CommunicationImplementation=distribute.experimental.CollectiveCommunication
        distribute.experimental.CollectiveCommunication Hints=distribute.experimental.CollectiveHints
        distribute.experimental.CommunicationImplementation
        CollectiveCommunication=distribute.experimental.CommunicationImplementation ;  ;
    ''',
    'distribute.coordinator.cluster_coordinator': '''
        ; distribute.coordinator.ClusterCoordinator distribute.experimental.coordinator.ClusterCoordinator ;
    ''',
    'distribute.coordinator.coordinator_context': '''
        ; get_current_worker_index=distribute.coordinator.experimental_get_current_worker_index ;
    ''',
    'distribute.coordinator.remote_value': '''
        ; distribute.coordinator.RemoteValue distribute.experimental.coordinator.RemoteValue ;
    ''',
    'distribute.coordinator.values': '''
        ; PerWorkerValues=distribute.coordinator.PerWorkerValue
        distribute.experimental.coordinator.PerWorkerValues ;
    ''',
    'distribute.cross_device_ops': '''
        distribute.CrossDeviceOps distribute.HierarchicalCopyAllReduce distribute.NcclAllReduce
        distribute.ReductionToOneDevice ;  ;
    ''',
    'distribute.distribute_lib': '''
        distribute.InputContext distribute.InputReplicationMode distribute.RunOptions
        distribute.experimental_set_strategy distribute.get_replica_context distribute.get_strategy
        get_distribution_strategy=distribute.get_strategy distribute.has_strategy
        has_distribution_strategy=distribute.has_strategy distribute.in_cross_replica_context ;
        distribute.InputOptions distribute.ReplicaContext distribute.Strategy
        StrategyExtendedV2=distribute.StrategyExtended distribute.experimental.ValueContext ;
        ReplicaContextV1=distribute.ReplicaContext StrategyV1=distribute.Strategy
        StrategyExtendedV1=distribute.StrategyExtended
    ''',
    'distribute.distribute_utils': ';  ; distribute.get_loss_reduction',
    'distribute.experimental.rpc.rpc_ops': '''
        ; distribute.experimental.rpc.Client distribute.experimental.rpc.Server ;
    ''',
    'distribute.failure_handling.failure_handling': '''
        ; distribute.experimental.PreemptionCheckpointHandler
        WorkerPreemptionHandler=distribute.experimental.PreemptionCheckpointHandler
        distribute.experimental.TerminationConfig ;
    ''',
    'distribute.failure_handling.preemption_watcher': '; distribute.experimental.PreemptionWatcher ;',
    'distribute.mirrored_strategy': '''
        ; distribute.MirroredStrategy ; MirroredStrategyV1=distribute.MirroredStrategy
    ''',
    'distribute.one_device_strategy': '''
        ; distribute.OneDeviceStrategy ; OneDeviceStrategyV1=distribute.OneDeviceStrategy
    ''',
    'distribute.parameter_server_strategy': '''
        ;  ; ParameterServerStrategyV1=distribute.experimental.ParameterServerStrategy
    ''',
    'distribute.parameter_server_strategy_v2': '''
        ; ParameterServerStrategyV2=distribute.ParameterServerStrategy
        ParameterServerStrategyV2=distribute.experimental.ParameterServerStrategy ;
    ''',
    'distribute.reduce_util': 'distribute.ReduceOp ;  ;',
    'distribute.sharded_variable': '''
        ; distribute.experimental.partitioners.FixedShardsPartitioner
        distribute.experimental.partitioners.MaxSizePartitioner
        distribute.experimental.partitioners.MinSizePartitioner
        distribute.experimental.partitioners.Partitioner ;
    ''',
    'distribute.tpu_strategy': '''
        ; TPUStrategyV2=distribute.TPUStrategy distribute.experimental.TPUStrategy ;
        TPUStrategyV1=distribute.experimental.TPUStrategy
    ''',
    'eager.backprop': 'GradientTape ; autodiff.GradientTape ;',
    'eager.context': '''
        config.LogicalDevice config.LogicalDeviceConfiguration config.PhysicalDevice
        LogicalDeviceConfiguration=config.experimental.VirtualDeviceConfiguration
        debugging.get_log_device_placement debugging.set_log_device_placement ; executing_eagerly ;
        executing_eagerly_v1=executing_eagerly experimental.async_clear_error experimental.async_scope
        experimental.function_executor_type
    ''',
    'eager.forwardprop': '; autodiff.ForwardAccumulator ;',
    'eager.polymorphic_function.eager_function_run': '''
        config.experimental_functions_run_eagerly config.experimental_run_functions_eagerly
        config.functions_run_eagerly config.run_functions_eagerly ;  ;
    ''',
    'eager.polymorphic_function.polymorphic_function': 'function ;  ;',
    'eager.remote': '''
        connect_to_cluster=config.experimental_connect_to_cluster
        connect_to_remote_host=config.experimental_connect_to_host ;  ;
    ''',
    'eager.wrap_function': ';  ; wrap_function',
    'feature_column.feature_column': '''
        ;  ; feature_column.input_layer feature_column.linear_model feature_column.make_parse_example_spec
    ''',
    'feature_column.feature_column_v2': '''
        feature_column.bucketized_column feature_column.categorical_column_with_hash_bucket
        feature_column.categorical_column_with_identity
        feature_column.categorical_column_with_vocabulary_list feature_column.crossed_column
        feature_column.embedding_column feature_column.indicator_column feature_column.numeric_column
        feature_column.weighted_categorical_column ;
        categorical_column_with_vocabulary_file_v2=feature_column.categorical_column_with_vocabulary_file
        make_parse_example_spec_v2=feature_column.make_parse_example_spec
        shared_embedding_columns_v2=feature_column.shared_embeddings ;
        feature_column.categorical_column_with_vocabulary_file feature_column.shared_embedding_columns
    ''',
    'feature_column.sequence_feature_column': '''
        feature_column.sequence_categorical_column_with_hash_bucket
        feature_column.sequence_categorical_column_with_identity
        feature_column.sequence_categorical_column_with_vocabulary_file
        feature_column.sequence_categorical_column_with_vocabulary_list
        feature_column.sequence_numeric_column ;  ;
    ''',
    'framework.config': '''
        config.experimental.disable_mlir_bridge config.experimental.enable_mlir_bridge
        config.experimental.enable_tensor_float_32_execution config.experimental.get_device_details
        config.experimental.get_device_policy config.experimental.get_memory_growth
        config.experimental.get_memory_info config.experimental.get_memory_usage
        config.experimental.get_synchronous_execution
        get_logical_device_configuration=config.experimental.get_virtual_device_configuration
        config.experimental.get_visible_devices config.experimental.list_logical_devices
        config.experimental.list_physical_devices config.experimental.reset_memory_stats
        config.experimental.set_device_policy config.experimental.set_memory_growth
        config.experimental.set_synchronous_execution
        set_logical_device_configuration=config.experimental.set_virtual_device_configuration
        config.experimental.set_visible_devices config.experimental.tensor_float_32_execution_enabled
        config.get_logical_device_configuration config.get_soft_device_placement config.get_visible_devices
        config.list_logical_devices config.list_physical_devices
        get_optimizer_experimental_options=config.optimizer.get_experimental_options
        get_optimizer_jit=config.optimizer.get_jit
        set_optimizer_experimental_options=config.optimizer.set_experimental_options
        set_optimizer_jit=config.optimizer.set_jit config.set_logical_device_configuration
        config.set_soft_device_placement config.set_visible_devices
        config.threading.get_inter_op_parallelism_threads config.threading.get_intra_op_parallelism_threads
        config.threading.set_inter_op_parallelism_threads config.threading.set_intra_op_parallelism_threads
        ; config.experimental.enable_op_determinism ;
    ''',
    'framework.constant_op': '; constant ; constant_v1=constant',
    'framework.convert_to_constants': ';  ; graph_util.convert_variables_to_constants',
    'framework.device_spec': '; DeviceSpecV2=DeviceSpec ; DeviceSpecV1=DeviceSpec',
    'framework.dtypes': '''
        DType as_dtype bfloat16 bool complex128 complex64 float64=double double dtypes.DType
        dtypes.QUANTIZED_DTYPES dtypes.as_dtype dtypes.bfloat16 dtypes.bool dtypes.complex128
        dtypes.complex64 float64=dtypes.double dtypes.double dtypes.experimental.float4_e2m1fn
        dtypes.experimental.float8_e4m3b11fnuz dtypes.experimental.float8_e4m3fn
        dtypes.experimental.float8_e4m3fnuz dtypes.experimental.float8_e5m2
        dtypes.experimental.float8_e5m2fnuz dtypes.experimental.int2 dtypes.experimental.int4
        dtypes.experimental.uint2 dtypes.experimental.uint4 dtypes.float16 half=dtypes.float16
        dtypes.float32 dtypes.float64 double=dtypes.float64 float16=dtypes.half dtypes.half dtypes.int16
        dtypes.int32 dtypes.int64 dtypes.int8 dtypes.qint16 dtypes.qint32 dtypes.qint8 dtypes.quint16
        dtypes.quint8 dtypes.resource dtypes.string dtypes.uint16 dtypes.uint32 dtypes.uint64 dtypes.uint8
        dtypes.variant float16 half=float16 float32 float64 double=float64 float16=half half int16 int32
        int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant ;
        ; QUANTIZED_DTYPES experimental.float4_e2m1fn experimental.float8_e4m3b11fnuz
        experimental.float8_e4m3fn experimental.float8_e4m3fnuz experimental.float8_e5m2
        experimental.float8_e5m2fnuz experimental.int2 experimental.int4 experimental.uint2
        experimental.uint4 float32=lite.constants.FLOAT float16=lite.constants.FLOAT16
        half=lite.constants.FLOAT16 int16=lite.constants.INT16 int32=lite.constants.INT32
        int64=lite.constants.INT64 int8=lite.constants.INT8 uint8=lite.constants.QUANTIZED_UINT8
        string=lite.constants.STRING
    ''',
    'framework.errors': '''
        errors.AbortedError errors.AlreadyExistsError errors.CancelledError errors.DataLossError
        errors.DeadlineExceededError errors.FailedPreconditionError errors.InternalError
        errors.InvalidArgumentError errors.NotFoundError errors.OpError errors.OutOfRangeError
        errors.PermissionDeniedError errors.ResourceExhaustedError errors.UnauthenticatedError
        errors.UnavailableError errors.UnimplementedError errors.UnknownError ;
        errors.OperatorNotAllowedInGraphError ; OpError errors.error_code_from_exception_type
        errors.exception_type_from_error_code errors.raise_exception_on_not_ok_status
    ''',
    'framework.errors_impl': '''
        errors.AbortedError errors.AlreadyExistsError errors.CancelledError errors.DataLossError
        errors.DeadlineExceededError errors.FailedPreconditionError errors.InternalError
        errors.InvalidArgumentError errors.NotFoundError errors.OpError errors.OutOfRangeError
        errors.PermissionDeniedError errors.ResourceExhaustedError errors.UnauthenticatedError
        errors.UnavailableError errors.UnimplementedError errors.UnknownError ;
        errors.OperatorNotAllowedInGraphError ; OpError errors.error_code_from_exception_type
        errors.exception_type_from_error_code errors.raise_exception_on_not_ok_status
    ''',
    'framework.extension_type': '''
        ;  ; experimental.BatchableExtensionType experimental.ExtensionType
        experimental.ExtensionTypeBatchEncoder experimental.ExtensionTypeSpec
        experimental.extension_type.as_dict
    ''',
    'framework.graph_io': 'io.write_graph ;  ; train.write_graph',
    'framework.graph_util': '''
        ;  ; graph_util.extract_sub_graph graph_util.must_run_on_cpu graph_util.remove_training_nodes
        graph_util.tensor_shape_from_node_def_name
    ''',
    'framework.graph_util_impl': '''
        ;  ; graph_util.extract_sub_graph graph_util.must_run_on_cpu graph_util.remove_training_nodes
        graph_util.tensor_shape_from_node_def_name
    ''',
    'framework.importer': 'graph_util.import_graph_def import_graph_def ;  ;',
    'framework.indexed_slices': 'IndexedSlices IndexedSlicesSpec ;  ; convert_to_tensor_or_indexed_slices',
    'framework.load_library': '''
        load_library load_op_library ;  ; experimental.register_filesystem_plugin load_file_system_library
    ''',
    'framework.none_tensor': 'NoneTensorSpec ;  ;',
    'framework.ops': '''
        Graph Operation RegisterGradient control_dependencies init_scope is_symbolic_tensor no_gradient
        NoGradient=no_gradient NotDifferentiable=no_gradient ; device_v2=device get_current_name_scope
        inside_function name_scope_v2=name_scope ; GraphKeys no_gradient=NoGradient NoGradient
        NotDifferentiable=NoGradient no_gradient=NotDifferentiable NoGradient=NotDifferentiable
        NotDifferentiable add_to_collection add_to_collections container device disable_eager_execution
        enable_eager_execution executing_eagerly_outside_functions get_collection get_collection_ref
        get_default_graph name_scope_v1=name_scope op_scope reset_default_graph
    ''',
    'framework.random_seed': '''
        ; random.set_seed ; get_seed random.get_seed random.set_random_seed set_random_seed
    ''',
    'framework.sparse_tensor': '''
        SparseTensor SparseTensorSpec sparse.SparseTensor ;  ; SparseTensorValue
        convert_to_tensor_or_sparse_tensor
    ''',
    'framework.stack': ';  ; get_default_session',
    'framework.strict_mode': ';  ; experimental.enable_strict_mode',
    'framework.tensor': 'Tensor TensorSpec ;  ; disable_tensor_equality enable_tensor_equality',
    'framework.tensor_conversion': '''
        ; convert_to_tensor_v2_with_dispatch=convert_to_tensor ;
        convert_to_tensor_v1_with_dispatch=convert_to_tensor
    ''',
    'framework.tensor_conversion_registry': 'register_tensor_conversion_function ;  ;',
    'framework.tensor_shape': '''
        TensorShape ;  ; Dimension dimension_at_index dimension_value disable_v2_tensorshape
        enable_v2_tensorshape
    ''',
    'framework.tensor_util': '''
        constant_value=get_static_value is_tf_type=is_tensor is_tensor MakeNdarray=make_ndarray
        make_tensor_proto ;  ;
    ''',
    'framework.test_util': '''
        TensorFlowTestCase=test.TestCase test.create_local_cluster test.experimental.sync_devices
        test.gpu_device_name test.is_gpu_available test.with_eager_op_as_function ;
        assert_equal_graph_def_v2=test.assert_equal_graph_def ;
        assert_equal_graph_def_v1=test.assert_equal_graph_def
    ''',
    'framework.type_spec': 'TypeSpec type_spec_from_value ;  ; TypeSpec=data.experimental.Structure',
    'keras.layers.rnn_cell_wrapper_v2': '''
        ; DeviceWrapper=nn.RNNCellDeviceWrapper DropoutWrapper=nn.RNNCellDropoutWrapper
        ResidualWrapper=nn.RNNCellResidualWrapper ;
    ''',
    'keras.optimizer_v2.legacy_learning_rate_decay': '''
        ;  ; train.cosine_decay train.cosine_decay_restarts train.exponential_decay train.inverse_time_decay
        train.linear_cosine_decay train.natural_exp_decay train.noisy_linear_cosine_decay
        train.piecewise_constant piecewise_constant=train.piecewise_constant_decay train.polynomial_decay
    ''',
    'lib.io.file_io': '''
        copy_v2=io.gfile.copy file_exists_v2=io.gfile.exists io.gfile.get_registered_schemes
        get_matching_files_v2=io.gfile.glob is_directory_v2=io.gfile.isdir io.gfile.join
        list_directory_v2=io.gfile.listdir recursive_create_dir_v2=io.gfile.makedirs
        create_dir_v2=io.gfile.mkdir delete_file_v2=io.gfile.remove rename_v2=io.gfile.rename
        delete_recursively_v2=io.gfile.rmtree stat_v2=io.gfile.stat walk_v2=io.gfile.walk ;  ;
        copy=gfile.Copy delete_recursively=gfile.DeleteRecursively file_exists=gfile.Exists
        get_matching_files=gfile.Glob is_directory=gfile.IsDirectory list_directory=gfile.ListDirectory
        recursive_create_dir=gfile.MakeDirs create_dir=gfile.MkDir delete_file=gfile.Remove
        rename=gfile.Rename stat=gfile.Stat walk=gfile.Walk
    ''',
    'lib.io.tf_record': '''
        io.TFRecordOptions io.TFRecordWriter ;  ; io.TFRecordCompressionType io.tf_record_iterator
        python_io.TFRecordCompressionType python_io.TFRecordOptions python_io.TFRecordWriter
        python_io.tf_record_iterator
    ''',
    'module.module': 'Module ;  ;',
    'ops.array_ops': '''
        bitcast broadcast_dynamic_shape broadcast_static_shape broadcast_to concat edit_distance
        extract_volume_patches fill fingerprint guarantee_const identity identity_n
        matrix_band_part=linalg.band_part matrix_set_diag=linalg.set_diag diag=linalg.tensor_diag
        math.invert_permutation meshgrid one_hot ones parallel_stack quantization.dequantize
        quantization.fake_quant_with_min_max_args quantization.fake_quant_with_min_max_args_gradient
        quantization.fake_quant_with_min_max_vars quantization.fake_quant_with_min_max_vars_gradient
        quantization.fake_quant_with_min_max_vars_per_channel
        quantization.fake_quant_with_min_max_vars_per_channel_gradient quantization.quantize
        quantization.quantize_and_dequantize quantization.quantize_and_dequantize_v2
        quantization.quantized_concat rank repeat required_space_to_batch_paddings reshape reverse
        reverse_v2=reverse scatter_nd searchsorted sequence_mask shape_n slice space_to_batch_nd
        sparse_mask=sparse.mask split stop_gradient strided_slice tensor_scatter_add=tensor_scatter_nd_add
        tensor_scatter_max=tensor_scatter_nd_max tensor_scatter_min=tensor_scatter_nd_min
        tensor_scatter_sub=tensor_scatter_nd_sub tensor_scatter_nd_update tile unique unique_with_counts
        unravel_index zeros ; batch_to_space_v2=batch_to_space boolean_mask_v2=boolean_mask
        expand_dims_v2=expand_dims gather_v2=gather gather_nd_v2=gather_nd
        extract_image_patches_v2=image.extract_patches matrix_diag=linalg.diag
        matrix_diag_part=linalg.diag_part linalg.matrix_transpose linalg.tensor_diag_part
        depth_to_space_v2=nn.depth_to_space space_to_batch_v2=nn.space_to_batch
        space_to_depth_v2=nn.space_to_depth ones_like_v2=ones_like pad_v2=pad
        reverse_sequence_v2=reverse_sequence shape_v2=shape size_v2=size space_to_batch_v2=space_to_batch
        squeeze_v2=squeeze transpose_v2=transpose where_v2=where zeros_like_v2=zeros_like ; batch_gather
        batch_to_space batch_to_space_nd boolean_mask debugging.check_numerics depth_to_space dequantize
        diag tensor_diag_part=diag_part expand_dims extract_image_patches fake_quant_with_min_max_args
        fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
        fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel
        fake_quant_with_min_max_vars_per_channel_gradient gather gather_nd invert_permutation
        manip.batch_to_space_nd manip.gather_nd manip.reverse reverse_v2=manip.reverse manip.scatter_nd
        manip.space_to_batch_nd manip.tile matrix_band_part matrix_diag matrix_diag_part matrix_set_diag
        matrix_transpose nn.space_to_batch ones_like pad placeholder placeholder_with_default quantize
        quantize_v2 quantized_concat reverse_sequence reverse=reverse_v2 reverse_v2 setdiff1d shape size
        space_to_batch space_to_depth sparse_placeholder=sparse.placeholder sparse_mask sparse_placeholder
        squeeze tensor_scatter_add tensor_scatter_sub tensor_scatter_nd_update=tensor_scatter_update
        transpose where where_v2 zeros_like
    ''',
    'ops.array_ops_stack': 'stack unstack ;  ;',
    'ops.batch_ops': 'batch_function=nondifferentiable_batch_function ;  ;',
    'ops.bincount_ops': '; math.bincount ; bincount_v1=bincount bincount_v1=math.bincount',
    'ops.bitwise_ops': '''
        bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.invert bitwise.left_shift
        bitwise.right_shift ;  ;
    ''',
    'ops.candidate_sampling_ops': '''
        nn.all_candidate_sampler nn.compute_accidental_hits nn.fixed_unigram_candidate_sampler
        nn.learned_unigram_candidate_sampler random.all_candidate_sampler
        random.fixed_unigram_candidate_sampler random.learned_unigram_candidate_sampler
        random.log_uniform_candidate_sampler random.uniform_candidate_sampler ;  ;
        nn.log_uniform_candidate_sampler nn.uniform_candidate_sampler
    ''',
    'ops.check_ops': '''
        debugging.assert_proper_iterable debugging.assert_same_float_dtype debugging.is_numeric_tensor
        ensure_shape math.is_non_decreasing math.is_strictly_increasing ; assert_equal_v2=assert_equal
        assert_greater_v2=assert_greater assert_less_v2=assert_less assert_rank_v2=assert_rank
        assert_equal_v2=debugging.assert_equal assert_greater_v2=debugging.assert_greater
        assert_greater_equal_v2=debugging.assert_greater_equal assert_integer_v2=debugging.assert_integer
        assert_less_v2=debugging.assert_less assert_less_equal_v2=debugging.assert_less_equal
        assert_near_v2=debugging.assert_near assert_negative_v2=debugging.assert_negative
        assert_non_negative_v2=debugging.assert_non_negative
        assert_non_positive_v2=debugging.assert_non_positive
        assert_none_equal_v2=debugging.assert_none_equal assert_positive_v2=debugging.assert_positive
        assert_rank_v2=debugging.assert_rank assert_rank_at_least_v2=debugging.assert_rank_at_least
        assert_rank_in_v2=debugging.assert_rank_in assert_scalar_v2=debugging.assert_scalar
        assert_shapes_v2=debugging.assert_shapes assert_type_v2=debugging.assert_type ; assert_equal
        assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near
        assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive
        assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype
        assert_scalar assert_type debugging.assert_equal debugging.assert_greater
        debugging.assert_greater_equal debugging.assert_integer debugging.assert_less
        debugging.assert_less_equal debugging.assert_near debugging.assert_negative
        debugging.assert_non_negative debugging.assert_non_positive debugging.assert_none_equal
        debugging.assert_positive debugging.assert_rank debugging.assert_rank_at_least
        debugging.assert_rank_in debugging.assert_scalar debugging.assert_shapes debugging.assert_type
        debugging.is_non_decreasing debugging.is_strictly_increasing is_non_decreasing is_numeric_tensor
        is_strictly_increasing
    ''',
    'ops.clip_ops': '''
        clip_by_global_norm clip_by_norm clip_by_value linalg.global_norm ;  ; clip_by_average_norm
        global_norm
    ''',
    'ops.cond': '; cond_for_tf_v2=cond ; cond',
    'ops.confusion_matrix': '''
        ; math.confusion_matrix ; confusion_matrix_v1=confusion_matrix
        confusion_matrix_v1=math.confusion_matrix
    ''',
    'ops.control_flow_assert': 'Assert debugging.Assert ;  ;',
    'ops.control_flow_case': '; case_v2=case ; case',
    'ops.control_flow_grad': 'no_op ;  ;',
    'ops.control_flow_ops': 'group no_op ; tuple_v2=tuple ; tuple',
    'ops.control_flow_switch_case': 'switch_case ;  ;',
    'ops.control_flow_util_v2': ';  ; set_output_all_intermediates=experimental.output_all_intermediates',
    'ops.control_flow_v2_toggles': '''
        ;  ; control_flow_v2_enabled disable_control_flow_v2 enable_control_flow_v2
    ''',
    'ops.critical_section_ops': 'CriticalSection ;  ;',
    'ops.ctc_ops': '''
        nn.collapse_repeated nn.ctc_greedy_decoder nn.ctc_unique_labels ;
        ctc_beam_search_decoder_v2=nn.ctc_beam_search_decoder ctc_loss_v3=nn.ctc_loss ;
        nn.ctc_beam_search_decoder nn.ctc_beam_search_decoder_v2 nn.ctc_loss nn.ctc_loss_v2
    ''',
    'ops.custom_gradient': 'custom_gradient grad_pass_through recompute_grad ;  ;',
    'ops.data_flow_ops': '''
        dynamic_partition dynamic_stitch queue.FIFOQueue queue.PaddingFIFOQueue queue.PriorityQueue
        queue.QueueBase queue.RandomShuffleQueue ;  ; ConditionalAccumulator ConditionalAccumulatorBase
        FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue SparseConditionalAccumulator
        io.PaddingFIFOQueue io.PriorityQueue io.QueueBase io.RandomShuffleQueue
        sparse.SparseConditionalAccumulator
    ''',
    'ops.distributions.bernoulli': ';  ; distributions.Bernoulli',
    'ops.distributions.beta': ';  ; distributions.Beta',
    'ops.distributions.categorical': ';  ; distributions.Categorical',
    'ops.distributions.dirichlet': ';  ; distributions.Dirichlet',
    'ops.distributions.dirichlet_multinomial': ';  ; distributions.DirichletMultinomial',
    'ops.distributions.distribution': '''
        ;  ; distributions.Distribution distributions.FULLY_REPARAMETERIZED
        distributions.NOT_REPARAMETERIZED distributions.ReparameterizationType
    ''',
    'ops.distributions.exponential': ';  ; distributions.Exponential',
    'ops.distributions.gamma': ';  ; distributions.Gamma',
    'ops.distributions.kullback_leibler': ';  ; distributions.RegisterKL distributions.kl_divergence',
    'ops.distributions.laplace': ';  ; distributions.Laplace',
    'ops.distributions.multinomial': ';  ; distributions.Multinomial',
    'ops.distributions.normal': ';  ; distributions.Normal',
    'ops.distributions.student_t': ';  ; distributions.StudentT',
    'ops.distributions.uniform': ';  ; distributions.Uniform',
    'ops.embedding_ops': '''
        ; embedding_lookup_v2=nn.embedding_lookup embedding_lookup_sparse_v2=nn.embedding_lookup_sparse
        safe_embedding_lookup_sparse_v2=nn.safe_embedding_lookup_sparse ; nn.embedding_lookup
        nn.embedding_lookup_sparse nn.safe_embedding_lookup_sparse
    ''',
    'ops.functional_ops': '; foldl_v2=foldl foldr_v2=foldr scan_v2=scan ; foldl foldr scan',
    'ops.gradient_checker': ';  ; test.compute_gradient test.compute_gradient_error',
    'ops.gradient_checker_v2': '; test.compute_gradient ;',
    'ops.gradients': ';  ; gradients hessians',
    'ops.gradients_impl': '; gradients_v2=gradients HessiansV2=hessians ; gradients hessians',
    'ops.gradients_util': 'AggregationMethod ;  ;',
    'ops.histogram_ops': 'histogram_fixed_width histogram_fixed_width_bins ;  ;',
    'ops.image_ops': '''
        image.adjust_contrast image.adjust_hue image.adjust_jpeg_quality image.adjust_saturation
        image.central_crop image.combined_non_max_suppression image.convert_image_dtype
        image.crop_to_bounding_box image.decode_and_crop_jpeg image.decode_bmp image.decode_gif
        image.decode_image image.decode_jpeg image.decode_jxl image.decode_png image.decode_webp
        image.encode_jpeg image.encode_png image.extract_jpeg_shape image.flip_left_right image.flip_up_down
        image.generate_bounding_box_proposals image.grayscale_to_rgb image.hsv_to_rgb image.image_gradients
        image.is_jpeg image.non_max_suppression
        non_max_suppression_with_overlaps=image.non_max_suppression_overlaps
        image.non_max_suppression_padded image.non_max_suppression_with_scores image.pad_to_bounding_box
        image.per_image_standardization image.psnr image.random_contrast image.random_flip_left_right
        image.random_flip_up_down image.random_hue image.random_jpeg_quality image.random_saturation
        resize_image_with_crop_or_pad=image.resize_with_crop_or_pad image.rgb_to_grayscale image.rgb_to_hsv
        image.rgb_to_yiq image.rgb_to_yuv image.rot90 image.sobel_edges image.ssim image.ssim_multiscale
        image.total_variation image.transpose image.yiq_to_rgb image.yuv_to_rgb io.decode_and_crop_jpeg
        io.decode_bmp io.decode_gif io.decode_image io.decode_jpeg io.decode_jxl io.decode_png
        io.decode_webp io.encode_jpeg io.encode_png io.extract_jpeg_shape io.is_jpeg ; image.ResizeMethod
        crop_and_resize_v2=image.crop_and_resize draw_bounding_boxes_v2=image.draw_bounding_boxes
        extract_glimpse_v2=image.extract_glimpse resize_images_v2=image.resize
        resize_image_with_pad_v2=image.resize_with_pad
        sample_distorted_bounding_box_v2=image.sample_distorted_bounding_box image.stateless_random_contrast
        image.stateless_random_flip_left_right image.stateless_random_flip_up_down
        image.stateless_random_hue image.stateless_random_jpeg_quality image.stateless_random_saturation
        image.stateless_sample_distorted_bounding_box ; ResizeMethodV1=image.ResizeMethod
        crop_and_resize_v1=image.crop_and_resize image.draw_bounding_boxes image.extract_glimpse
        resize_images=image.resize image.resize_area image.resize_bicubic image.resize_bilinear
        image.resize_image_with_crop_or_pad resize_image_with_pad_v1=image.resize_image_with_pad
        image.resize_images image.resize_nearest_neighbor image.sample_distorted_bounding_box
        transpose=image.transpose_image
    ''',
    'ops.image_ops_impl': '''
        image.adjust_brightness image.adjust_contrast image.adjust_gamma image.adjust_hue
        image.adjust_jpeg_quality image.adjust_saturation image.central_crop
        image.combined_non_max_suppression image.convert_image_dtype image.crop_to_bounding_box
        image.decode_and_crop_jpeg image.decode_bmp image.decode_gif image.decode_image image.decode_jpeg
        image.decode_jxl image.decode_png image.decode_webp image.encode_jpeg image.encode_png
        image.extract_jpeg_shape image.flip_left_right image.flip_up_down
        image.generate_bounding_box_proposals image.grayscale_to_rgb image.image_gradients image.is_jpeg
        image.non_max_suppression non_max_suppression_with_overlaps=image.non_max_suppression_overlaps
        image.non_max_suppression_padded image.non_max_suppression_with_scores image.pad_to_bounding_box
        image.per_image_standardization image.psnr image.random_brightness image.random_contrast
        image.random_flip_left_right image.random_flip_up_down image.random_hue image.random_jpeg_quality
        image.random_saturation resize_image_with_crop_or_pad=image.resize_with_crop_or_pad
        image.rgb_to_grayscale image.rgb_to_yiq image.rgb_to_yuv image.rot90 image.sobel_edges image.ssim
        image.ssim_multiscale image.total_variation image.transpose image.yiq_to_rgb image.yuv_to_rgb
        io.decode_and_crop_jpeg io.decode_bmp io.decode_gif io.decode_image io.decode_jpeg io.decode_jxl
        io.decode_png io.decode_webp io.encode_jpeg io.encode_png io.extract_jpeg_shape io.is_jpeg ;
        image.ResizeMethod crop_and_resize_v2=image.crop_and_resize
        draw_bounding_boxes_v2=image.draw_bounding_boxes extract_glimpse_v2=image.extract_glimpse
        resize_images_v2=image.resize resize_image_with_pad_v2=image.resize_with_pad
        sample_distorted_bounding_box_v2=image.sample_distorted_bounding_box
        image.stateless_random_brightness image.stateless_random_contrast
        image.stateless_random_flip_left_right image.stateless_random_flip_up_down
        image.stateless_random_hue image.stateless_random_jpeg_quality image.stateless_random_saturation
        image.stateless_sample_distorted_bounding_box ; ResizeMethodV1=image.ResizeMethod
        crop_and_resize_v1=image.crop_and_resize image.draw_bounding_boxes image.extract_glimpse
        resize_images=image.resize image.resize_area image.resize_bicubic image.resize_bilinear
        image.resize_image_with_crop_or_pad resize_image_with_pad_v1=image.resize_image_with_pad
        image.resize_images image.resize_nearest_neighbor image.sample_distorted_bounding_box
        transpose=image.transpose_image
    ''',
    'ops.init_ops': '''
        ;  ; Constant=constant_initializer constant_initializer GlorotNormal=glorot_normal_initializer
        glorot_normal_initializer GlorotUniform=glorot_uniform_initializer glorot_uniform_initializer
        Constant=initializers.constant constant_initializer=initializers.constant
        GlorotNormal=initializers.glorot_normal glorot_normal_initializer=initializers.glorot_normal
        GlorotUniform=initializers.glorot_uniform glorot_uniform_initializer=initializers.glorot_uniform
        initializers.he_normal initializers.he_uniform Identity=initializers.identity
        identity_initializer=initializers.identity initializers.lecun_normal initializers.lecun_uniform
        Ones=initializers.ones ones_initializer=initializers.ones Orthogonal=initializers.orthogonal
        orthogonal_initializer=initializers.orthogonal RandomNormal=initializers.random_normal
        random_normal_initializer=initializers.random_normal RandomUniform=initializers.random_uniform
        random_uniform_initializer=initializers.random_uniform TruncatedNormal=initializers.truncated_normal
        truncated_normal_initializer=initializers.truncated_normal
        UniformUnitScaling=initializers.uniform_unit_scaling
        uniform_unit_scaling_initializer=initializers.uniform_unit_scaling
        VarianceScaling=initializers.variance_scaling
        variance_scaling_initializer=initializers.variance_scaling Zeros=initializers.zeros
        zeros_initializer=initializers.zeros Ones=ones_initializer ones_initializer
        Orthogonal=orthogonal_initializer orthogonal_initializer RandomNormal=random_normal_initializer
        random_normal_initializer RandomUniform=random_uniform_initializer random_uniform_initializer
        TruncatedNormal=truncated_normal_initializer truncated_normal_initializer
        UniformUnitScaling=uniform_unit_scaling_initializer uniform_unit_scaling_initializer
        VarianceScaling=variance_scaling_initializer variance_scaling_initializer Zeros=zeros_initializer
        zeros_initializer
    ''',
    'ops.init_ops_v2': '''
        ; Constant=constant_initializer constant_initializer constant=constant_initializer
        Ones=ones_initializer ones_initializer one=ones_initializer ones=ones_initializer
        RandomNormal=random_normal_initializer random_normal_initializer normal=random_normal_initializer
        random_normal=random_normal_initializer RandomUniform=random_uniform_initializer
        random_uniform_initializer uniform=random_uniform_initializer
        random_uniform=random_uniform_initializer Zeros=zeros_initializer zeros_initializer
        zero=zeros_initializer zeros=zeros_initializer ;
    ''',
    'ops.io_ops': '''
        io.matching_files io.read_file io.serialize_tensor io.write_file ;  ; FixedLengthRecordReader
        IdentityReader LMDBReader ReaderBase TFRecordReader TextLineReader WholeFileReader matching_files
        read_file serialize_tensor write_file
    ''',
    'ops.linalg.linalg_impl': '''
        linalg.adjoint linalg.band_part linalg.cholesky linalg.det linalg.eigh_tridiagonal
        matrix_exponential=linalg.expm linalg.inv linalg.logdet linalg.logm linalg.lu
        linalg.lu_matrix_inverse linalg.lu_reconstruct linalg.lu_solve linalg.matrix_rank linalg.pinv
        linalg.qr linalg.slogdet linalg.solve linalg.sqrtm linalg.tridiagonal_matmul
        linalg.tridiagonal_solve sqrtm=matrix_square_root ; linalg.banded_triangular_solve ; cholesky
        band_part=matrix_band_part det=matrix_determinant inv=matrix_inverse solve=matrix_solve qr
    ''',
    'ops.linalg.linear_operator': 'linalg.LinearOperator ;  ;',
    'ops.linalg.linear_operator_adjoint': 'linalg.LinearOperatorAdjoint ;  ;',
    'ops.linalg.linear_operator_block_diag': 'linalg.LinearOperatorBlockDiag ;  ;',
    'ops.linalg.linear_operator_block_lower_triangular': 'linalg.LinearOperatorBlockLowerTriangular ;  ;',
    'ops.linalg.linear_operator_circulant': '''
        linalg.LinearOperatorCirculant linalg.LinearOperatorCirculant2D linalg.LinearOperatorCirculant3D ;
        ;
    ''',
    'ops.linalg.linear_operator_composition': 'linalg.LinearOperatorComposition ;  ;',
    'ops.linalg.linear_operator_diag': 'linalg.LinearOperatorDiag ;  ;',
    'ops.linalg.linear_operator_full_matrix': 'linalg.LinearOperatorFullMatrix ;  ;',
    'ops.linalg.linear_operator_householder': 'linalg.LinearOperatorHouseholder ;  ;',
    'ops.linalg.linear_operator_identity': '''
        linalg.LinearOperatorIdentity linalg.LinearOperatorScaledIdentity ;  ;
    ''',
    'ops.linalg.linear_operator_inversion': 'linalg.LinearOperatorInversion ;  ;',
    'ops.linalg.linear_operator_kronecker': 'linalg.LinearOperatorKronecker ;  ;',
    'ops.linalg.linear_operator_low_rank_update': 'linalg.LinearOperatorLowRankUpdate ;  ;',
    'ops.linalg.linear_operator_lower_triangular': 'linalg.LinearOperatorLowerTriangular ;  ;',
    'ops.linalg.linear_operator_permutation': 'linalg.LinearOperatorPermutation ;  ;',
    'ops.linalg.linear_operator_toeplitz': 'linalg.LinearOperatorToeplitz ;  ;',
    'ops.linalg.linear_operator_tridiag': 'linalg.LinearOperatorTridiag ;  ;',
    'ops.linalg.linear_operator_zeros': 'linalg.LinearOperatorZeros ;  ;',
    'ops.linalg.sparse.conjugate_gradient': 'linalg.experimental.conjugate_gradient ;  ;',
    'ops.linalg_ops': '''
        eye linalg.cholesky linalg.cholesky_solve matrix_determinant=linalg.det self_adjoint_eig=linalg.eigh
        self_adjoint_eigvals=linalg.eigvalsh linalg.eye matrix_inverse=linalg.inv
        matrix_logarithm=linalg.logm matrix_solve_ls=linalg.lstsq linalg.lu linalg.qr
        log_matrix_determinant=linalg.slogdet matrix_solve=linalg.solve matrix_square_root=linalg.sqrtm
        linalg.svd matrix_triangular_solve=linalg.triangular_solve matrix_square_root ; eig eigvals
        linalg.eig linalg.eigvals norm_v2=linalg.norm norm_v2=norm ; cholesky cholesky_solve linalg.norm
        matrix_determinant matrix_inverse matrix_solve matrix_solve_ls matrix_triangular_solve norm qr
        self_adjoint_eig self_adjoint_eigvals svd
    ''',
    'ops.logging_ops': 'print_v2=print timestamp ;  ; Print',
    'ops.lookup_ops': '''
        lookup.KeyValueTensorInitializer lookup.TextFileIndex lookup.TextFileInitializer
        lookup.experimental.DenseHashTable lookup.experimental.MutableHashTable ; lookup.StaticHashTable
        lookup.StaticVocabularyTable ; initialize_all_tables initializers.tables_initializer
        StaticHashTableV1=lookup.StaticHashTable StaticVocabularyTableV1=lookup.StaticVocabularyTable
        tables_initializer FastHashSpec=contrib.lookup.FastHashSpec HashTable=contrib.lookup.HashTable
        HasherSpec=contrib.lookup.HasherSpec
        IdTableWithHashBuckets=contrib.lookup.IdTableWithHashBuckets
        StrongHashSpec=contrib.lookup.StrongHashSpec
        TextFileIdTableInitializer=contrib.lookup.TextFileIdTableInitializer
        TextFileStringTableInitializer=contrib.lookup.TextFileStringTableInitializer
        index_table_from_file=contrib.lookup.index_table_from_file
        index_table_from_tensor=contrib.lookup.index_table_from_tensor
        index_to_string_table_from_file=contrib.lookup.index_to_string_table_from_file
        index_to_string_table_from_tensor=contrib.lookup.index_to_string_table_from_tensor
    ''',
    'ops.losses.losses': '''
        ;  ; losses.Reduction losses.absolute_difference losses.compute_weighted_loss losses.cosine_distance
        losses.hinge_loss losses.huber_loss losses.log_loss losses.mean_pairwise_squared_error
        losses.mean_squared_error losses.sigmoid_cross_entropy losses.softmax_cross_entropy
        losses.sparse_softmax_cross_entropy
    ''',
    'ops.losses.losses_impl': '''
        ;  ; losses.Reduction losses.absolute_difference losses.compute_weighted_loss losses.cosine_distance
        losses.hinge_loss losses.huber_loss losses.log_loss losses.mean_pairwise_squared_error
        losses.mean_squared_error losses.sigmoid_cross_entropy losses.softmax_cross_entropy
        losses.sparse_softmax_cross_entropy
    ''',
    'ops.losses.util': '''
        ;  ; losses.add_loss losses.get_losses losses.get_regularization_loss
        losses.get_regularization_losses losses.get_total_loss
    ''',
    'ops.manip_ops': 'roll ;  ; manip.roll',
    'ops.map_fn': '; map_fn_v2=map_fn ; map_fn',
    'ops.math_ops': '''
        abs acos add add_n atan2 cast complex cumsum divide dtypes.cast dtypes.complex dtypes.saturate_cast
        equal exp floor greater greater_equal less less_equal linalg.cross linalg.matvec linalg.tensordot
        linspace_nd=linspace linspace logical_and logical_not logical_or math.accumulate_n math.add_n
        math.atan2 math.betainc math.cumprod math.cumsum math.cumulative_logsumexp math.equal math.floordiv
        math.greater math.greater_equal math.igamma math.igammac math.is_finite math.is_inf math.is_nan
        math.less math.less_equal math.logical_and math.logical_not math.logical_or math.logical_xor
        next_after=math.nextafter math.nextafter math.not_equal math.polygamma math.polyval math.pow
        math.segment_max math.segment_mean math.segment_min math.segment_prod math.segment_sum
        math.sobol_sample math.squared_difference math.subtract math.truediv math.unsorted_segment_max
        math.unsorted_segment_mean math.unsorted_segment_min math.unsorted_segment_prod
        math.unsorted_segment_sqrt_n math.unsorted_segment_sum math.xdivy math.xlog1py math.xlogy math.zeta
        matmul multiply not_equal pow range realdiv round saturate_cast sigmoid sign sqrt subtract tensordot
        truediv truncatediv truncatemod ; argmax_v2=argmax argmin_v2=argmin linalg.matmul linalg.trace
        math.abs math.acos math.add math.angle argmax_v2=math.argmax argmin_v2=math.argmin math.ceil
        math.conj count_nonzero_v2=math.count_nonzero math.divide div_no_nan=math.divide_no_nan math.erfcinv
        math.erfinv math.exp math.floor math.floormod math.imag math.log_sigmoid floormod=math.mod
        math.multiply math.multiply_no_nan math.ndtri math.real math.reciprocal_no_nan math.reduce_all
        math.reduce_any math.reduce_euclidean_norm math.reduce_logsumexp math.reduce_max math.reduce_mean
        math.reduce_min math.reduce_prod math.reduce_std math.reduce_sum math.reduce_variance math.round
        math.rsqrt scalar_mul_v2=math.scalar_mul math.sigmoid math.sign math.softplus math.sqrt nn.sigmoid
        nn.softplus reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod
        reduce_sum scalar_mul_v2=scalar_mul sparse.sampled_addmm sparse_segment_mean_v2=sparse.segment_mean
        sparse_segment_sqrt_n_v2=sparse.segment_sqrt_n sparse_segment_sum_v2=sparse.segment_sum ;
        accumulate_n angle arg_max arg_min argmax argmin betainc ceil conj count_nonzero cross cumprod
        debugging.is_finite debugging.is_inf debugging.is_nan div div_no_nan floor_div floordiv floormod
        igamma igammac imag is_finite is_inf is_nan linspace_nd=lin_space linspace=lin_space log_sigmoid
        logical_xor math.acosh math.argmax math.argmin math.asin math.asinh math.atan math.atanh math.cos
        math.cosh math.count_nonzero math.digamma math.erf math.erfc math.expm1 floor_mod=math.floormod
        math.lgamma math.log math.log1p floor_mod=math.mod neg=math.negative math.negative math.reciprocal
        reduce_all_v1=math.reduce_all reduce_any_v1=math.reduce_any
        reduce_logsumexp_v1=math.reduce_logsumexp math.rint math.sin math.sinh math.square math.tan
        math.tanh floormod=mod nn.tanh polygamma real reduce_all_v1=reduce_all reduce_any_v1=reduce_any
        reduce_logsumexp_v1=reduce_logsumexp reduce_max_v1=reduce_max reduce_mean_v1=reduce_mean
        reduce_min_v1=reduce_min reduce_prod_v1=reduce_prod reduce_sum_v1=reduce_sum rsqrt scalar_mul
        segment_max segment_mean segment_min segment_prod segment_sum
        sparse_segment_mean=sparse.segment_mean sparse_segment_sqrt_n=sparse.segment_sqrt_n
        sparse_segment_sum=sparse.segment_sum sparse_matmul sparse_segment_mean sparse_segment_sqrt_n
        sparse_segment_sum squared_difference to_bfloat16 to_complex128 to_complex64 to_double to_float
        to_int32 to_int64 trace unsorted_segment_max unsorted_segment_mean unsorted_segment_min
        unsorted_segment_prod unsorted_segment_sqrt_n unsorted_segment_sum zeta
    ''',
    'ops.metrics_impl': '''
        ;  ; metrics.accuracy metrics.auc metrics.average_precision_at_k metrics.false_negatives
        metrics.false_negatives_at_thresholds metrics.false_positives metrics.false_positives_at_thresholds
        metrics.mean metrics.mean_absolute_error metrics.mean_cosine_distance metrics.mean_iou
        metrics.mean_per_class_accuracy metrics.mean_relative_error metrics.mean_squared_error
        metrics.mean_tensor metrics.percentage_below metrics.precision metrics.precision_at_k
        metrics.precision_at_thresholds metrics.precision_at_top_k metrics.recall metrics.recall_at_k
        metrics.recall_at_thresholds metrics.recall_at_top_k metrics.root_mean_squared_error
        metrics.sensitivity_at_specificity metrics.sparse_average_precision_at_k
        metrics.sparse_precision_at_k metrics.specificity_at_sensitivity metrics.true_negatives
        metrics.true_negatives_at_thresholds metrics.true_positives metrics.true_positives_at_thresholds
    ''',
    'ops.nn': '''
        approx_top_k conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2 linalg.l2_normalize
        linalg.normalize math.l2_normalize math.softsign math.zero_fraction nn.batch_normalization nn.elu
        nn.l2_loss nn.l2_normalize lrn=nn.local_response_normalization nn.local_response_normalization
        nn.log_poisson_loss nn.lrn local_response_normalization=nn.lrn nn.normalize_moments nn.relu nn.selu
        nn.softsign nn.zero_fraction ;
        batch_norm_with_global_normalization_v2=nn.batch_norm_with_global_normalization
        depthwise_conv2d_v2=nn.depthwise_conv2d moments_v2=nn.moments nce_loss_v2=nn.nce_loss
        sampled_softmax_loss_v2=nn.sampled_softmax_loss separable_conv2d_v2=nn.separable_conv2d
        sigmoid_cross_entropy_with_logits_v2=nn.sigmoid_cross_entropy_with_logits
        sufficient_statistics_v2=nn.sufficient_statistics
        weighted_cross_entropy_with_logits_v2=nn.weighted_cross_entropy_with_logits
        weighted_moments_v2=nn.weighted_moments ; math.tanh nn.batch_norm_with_global_normalization
        conv3d_backprop_filter_v2=nn.conv3d_backprop_filter nn.conv3d_backprop_filter_v2 nn.depthwise_conv2d
        nn.fused_batch_norm nn.moments nn.nce_loss nn.quantized_avg_pool nn.quantized_conv2d
        nn.quantized_max_pool nn.quantized_relu_x nn.relu_layer nn.sampled_softmax_loss nn.separable_conv2d
        nn.sigmoid_cross_entropy_with_logits swish=nn.silu nn.sufficient_statistics nn.swish nn.tanh
        nn.weighted_cross_entropy_with_logits nn.weighted_moments
    ''',
    'ops.nn_impl': '''
        linalg.l2_normalize linalg.normalize math.l2_normalize math.zero_fraction nn.batch_normalization
        nn.l2_normalize nn.log_poisson_loss nn.normalize_moments nn.zero_fraction ;
        batch_norm_with_global_normalization_v2=nn.batch_norm_with_global_normalization
        depthwise_conv2d_v2=nn.depthwise_conv2d moments_v2=nn.moments nce_loss_v2=nn.nce_loss
        sampled_softmax_loss_v2=nn.sampled_softmax_loss separable_conv2d_v2=nn.separable_conv2d
        sigmoid_cross_entropy_with_logits_v2=nn.sigmoid_cross_entropy_with_logits swish=nn.silu
        sufficient_statistics_v2=nn.sufficient_statistics nn.swish
        weighted_cross_entropy_with_logits_v2=nn.weighted_cross_entropy_with_logits
        weighted_moments_v2=nn.weighted_moments ; nn.batch_norm_with_global_normalization
        nn.depthwise_conv2d nn.fused_batch_norm nn.moments nn.nce_loss nn.relu_layer nn.sampled_softmax_loss
        nn.separable_conv2d nn.sigmoid_cross_entropy_with_logits nn.sufficient_statistics
        nn.weighted_cross_entropy_with_logits nn.weighted_moments
    ''',
    'ops.nn_impl_distribute': 'nn.compute_average_loss nn.scale_regularization_loss ;  ;',
    'ops.nn_ops': '''
        approx_top_k conv conv2d_backprop_filter_v2 conv2d_backprop_input_v2 math.approx_max_k
        math.approx_min_k math.top_k nn.approx_max_k nn.approx_min_k nn.atrous_conv2d
        nn.atrous_conv2d_transpose nn.avg_pool1d nn.avg_pool3d nn.bias_add nn.conv1d_transpose
        nn.conv_transpose depthwise_conv2d_native_backprop_filter=nn.depthwise_conv2d_backprop_filter
        depthwise_conv2d_native_backprop_input=nn.depthwise_conv2d_backprop_input
        nn.experimental.general_dropout nn.experimental.stateless_dropout nn.l2_loss
        lrn=nn.local_response_normalization nn.local_response_normalization nn.lrn
        local_response_normalization=nn.lrn nn.max_pool1d nn.max_pool2d nn.max_pool3d nn.top_k
        nn.with_space_to_batch ; in_top_k_v2=math.in_top_k log_softmax_v2=math.log_softmax
        softmax_v2=math.softmax avg_pool_v2=nn.avg_pool nn.avg_pool2d conv1d_v2=nn.conv1d
        conv2d_v2=nn.conv2d conv2d_transpose_v2=nn.conv2d_transpose conv3d_v2=nn.conv3d
        conv3d_transpose_v2=nn.conv3d_transpose convolution_v2=nn.convolution crelu_v2=nn.crelu
        dilation2d_v2=nn.dilation2d dropout_v2=nn.dropout erosion2d_v2=nn.erosion2d
        fractional_avg_pool_v2=nn.fractional_avg_pool fractional_max_pool_v2=nn.fractional_max_pool nn.gelu
        in_top_k_v2=nn.in_top_k nn.isotonic_regression nn.leaky_relu log_softmax_v2=nn.log_softmax
        max_pool_v2=nn.max_pool max_pool_with_argmax_v2=nn.max_pool_with_argmax pool_v2=nn.pool nn.relu6
        softmax_v2=nn.softmax softmax_cross_entropy_with_logits_v2=nn.softmax_cross_entropy_with_logits
        sparse_softmax_cross_entropy_with_logits_v2=nn.sparse_softmax_cross_entropy_with_logits ;
        math.in_top_k math.softmax nn.avg_pool avg_pool=nn.avg_pool2d nn.avg_pool_v2 nn.conv1d nn.conv2d
        nn.conv2d_backprop_filter nn.conv2d_backprop_input nn.conv2d_transpose conv3d_v1=nn.conv3d
        conv3d_backprop_filter_v2=nn.conv3d_backprop_filter nn.conv3d_backprop_filter_v2 nn.conv3d_transpose
        nn.convolution nn.crelu nn.depthwise_conv2d_native nn.depthwise_conv2d_native_backprop_filter
        nn.depthwise_conv2d_native_backprop_input dilation2d_v1=nn.dilation2d nn.dropout nn.erosion2d
        nn.fractional_avg_pool nn.fractional_max_pool nn.in_top_k nn.max_pool nn.max_pool_v2
        max_pool_with_argmax_v1=nn.max_pool_with_argmax nn.pool nn.quantized_avg_pool nn.quantized_conv2d
        nn.quantized_max_pool nn.quantized_relu_x nn.softmax nn.softmax_cross_entropy_with_logits
        softmax_cross_entropy_with_logits_v2_helper=nn.softmax_cross_entropy_with_logits_v2
        nn.sparse_softmax_cross_entropy_with_logits nn.xw_plus_b
    ''',
    'ops.numerics': '''
        ; verify_tensor_all_finite_v2=debugging.assert_all_finite ; add_check_numerics_ops
        verify_tensor_all_finite=debugging.assert_all_finite verify_tensor_all_finite
    ''',
    'ops.parallel_for.control_flow_ops': 'vectorized_map ;  ;',
    'ops.parsing_config': '''
        io.FixedLenFeature io.FixedLenSequenceFeature io.RaggedFeature io.SparseFeature io.VarLenFeature ;
        ; FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature
    ''',
    'ops.parsing_ops': '''
        io.decode_compressed io.decode_json_example io.parse_sequence_example
        io.parse_single_sequence_example io.parse_tensor ; decode_csv_v2=io.decode_csv io.decode_raw
        parse_example_v2=io.parse_example parse_single_example_v2=io.parse_single_example ;
        decode_compressed decode_csv decode_json_example decode_raw_v1=decode_raw io.decode_csv
        decode_raw_v1=io.decode_raw io.parse_example io.parse_single_example parse_example
        parse_single_example parse_single_sequence_example parse_tensor
    ''',
    'ops.partitioned_variables': '''
        ;  ; create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner
        variable_axis_size_partitioner
    ''',
    'ops.proto_ops': 'io.decode_proto io.encode_proto ;  ;',
    'ops.ragged.dynamic_ragged_shape': ';  ; experimental.DynamicRaggedShape',
    'ops.ragged.ragged_array_ops': '''
        ragged.boolean_mask ragged.cross ragged.cross_hashed ragged.stack_dynamic_partitions ;  ;
    ''',
    'ops.ragged.ragged_concat_ops': 'ragged.stack ;  ;',
    'ops.ragged.ragged_factory_ops': 'ragged.constant ;  ; ragged.constant_value ragged.placeholder',
    'ops.ragged.ragged_functional_ops': 'ragged.map_flat_values ;  ;',
    'ops.ragged.ragged_math_ops': 'ragged.range ;  ;',
    'ops.ragged.ragged_string_ops': '''
        string_bytes_split=strings.bytes_split strings.ngrams strings.unicode_decode
        strings.unicode_decode_with_offsets strings.unicode_encode strings.unicode_split
        strings.unicode_split_with_offsets ; string_split_v2=strings.split ; string_split
        strings_split_v1=strings.split
    ''',
    'ops.ragged.ragged_tensor': 'RaggedTensor RaggedTensorSpec ;  ;',
    'ops.ragged.ragged_tensor_value': ';  ; ragged.RaggedTensorValue',
    'ops.ragged.row_partition': ';  ; experimental.RowPartition',
    'ops.ragged.segment_id_ops': 'ragged.row_splits_to_segment_ids ragged.segment_ids_to_row_splits ;  ;',
    'ops.random_crop_ops': 'image.random_crop ; image.stateless_random_crop ; random_crop',
    'ops.random_ops': '''
        random.categorical random_gamma=random.gamma random_normal=random.normal
        random_shuffle=random.shuffle random.truncated_normal random_uniform=random.uniform ;
        random_poisson_v2=random.poisson ; multinomial random.multinomial random_poisson=random.poisson
        random_gamma random_normal random_poisson random_shuffle random_uniform truncated_normal
    ''',
    'ops.random_ops_util': 'random.Algorithm random.experimental.Algorithm ;  ;',
    'ops.resource_variables_toggle': '''
        ;  ; disable_resource_variables enable_resource_variables resource_variables_enabled
    ''',
    'ops.rnn': '''
        ;  ; nn.bidirectional_dynamic_rnn nn.dynamic_rnn nn.raw_rnn nn.static_bidirectional_rnn
        nn.static_rnn nn.static_state_saving_rnn
    ''',
    'ops.script_ops': 'numpy_function eager_py_func=py_function ;  ; py_func',
    'ops.sdca_ops': ';  ; train.sdca_fprint train.sdca_optimizer train.sdca_shrink_l1',
    'ops.session_ops': ';  ; delete_session_tensor get_session_handle get_session_tensor',
    'ops.sets': '''
        set_difference=sets.difference set_intersection=sets.intersection set_size=sets.size
        set_union=sets.union ;  ; sets.set_difference sets.set_intersection sets.set_size sets.set_union
    ''',
    'ops.sets_impl': '''
        set_difference=sets.difference set_intersection=sets.intersection set_size=sets.size
        set_union=sets.union ;  ; sets.set_difference sets.set_intersection sets.set_size sets.set_union
    ''',
    'ops.signal.dct_ops': 'signal.dct signal.idct ;  ; spectral.dct spectral.idct',
    'ops.signal.fft_ops': '''
        signal.fft signal.fft2d signal.fft3d signal.fftnd signal.fftshift signal.ifft signal.ifft2d
        signal.ifft3d signal.ifftnd signal.ifftshift signal.irfft signal.irfft2d signal.irfft3d
        signal.irfftnd signal.rfft signal.rfft2d signal.rfft3d signal.rfftnd ;  ; fft fft2d fft3d ifft
        ifft2d ifft3d spectral.fft spectral.fft2d spectral.fft3d spectral.ifft spectral.ifft2d
        spectral.ifft3d spectral.irfft spectral.irfft2d spectral.irfft3d spectral.rfft spectral.rfft2d
        spectral.rfft3d
    ''',
    'ops.signal.mel_ops': 'signal.linear_to_mel_weight_matrix ;  ;',
    'ops.signal.mfcc_ops': 'signal.mfccs_from_log_mel_spectrograms ;  ;',
    'ops.signal.reconstruction_ops': 'signal.overlap_and_add ;  ;',
    'ops.signal.shape_ops': 'signal.frame ;  ;',
    'ops.signal.spectral_ops': '''
        signal.inverse_mdct signal.inverse_stft signal.inverse_stft_window_fn signal.mdct signal.stft ;  ;
    ''',
    'ops.signal.window_ops': '''
        signal.hamming_window signal.hann_window signal.kaiser_bessel_derived_window signal.kaiser_window
        signal.vorbis_window ;  ;
    ''',
    'ops.sort_ops': 'argsort sort ;  ;',
    'ops.sparse_ops': '''
        io.deserialize_many_sparse sparse_bincount=sparse.bincount sparse_cross=sparse.cross
        sparse_cross_hashed=sparse.cross_hashed sparse_expand_dims=sparse.expand_dims sparse_eye=sparse.eye
        sparse_fill_empty_rows=sparse.fill_empty_rows sparse.from_dense sparse_maximum=sparse.maximum
        sparse_minimum=sparse.minimum sparse_reorder=sparse.reorder sparse_reset_shape=sparse.reset_shape
        sparse_reshape=sparse.reshape sparse_retain=sparse.retain sparse_slice=sparse.slice
        sparse_softmax=sparse.softmax sparse_tensor_dense_matmul=sparse.sparse_dense_matmul
        sparse_tensor_to_dense=sparse.to_dense sparse_to_indicator=sparse.to_indicator
        sparse_transpose=sparse.transpose ; serialize_many_sparse_v2=io.serialize_many_sparse
        serialize_sparse_v2=io.serialize_sparse sparse_add_v2=sparse.add sparse_concat_v2=sparse.concat
        sparse.map_values sparse_reduce_max_v2=sparse.reduce_max sparse_reduce_sum_v2=sparse.reduce_sum
        sparse_split_v2=sparse.split ; deserialize_many_sparse io.serialize_many_sparse io.serialize_sparse
        serialize_many_sparse serialize_sparse sparse_add=sparse.add sparse_concat=sparse.concat
        sparse_tensor_dense_matmul=sparse.matmul sparse_merge=sparse.merge
        sparse_reduce_max=sparse.reduce_max sparse_reduce_max_sparse=sparse.reduce_max_sparse
        sparse_reduce_sum=sparse.reduce_sum sparse_reduce_sum_sparse=sparse.reduce_sum_sparse
        sparse_split=sparse.split sparse_add sparse_concat sparse_fill_empty_rows sparse_maximum
        sparse_merge sparse_minimum sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum
        sparse_reduce_sum_sparse sparse_reorder sparse_reset_shape sparse_reshape sparse_retain sparse_slice
        sparse_softmax sparse_split sparse_tensor_dense_matmul sparse_tensor_to_dense sparse_to_dense
        sparse_to_indicator sparse_transpose
    ''',
    'ops.special_math_ops': '''
        einsum linalg.einsum math.lbeta ; math.bessel_i0 math.bessel_i0e math.bessel_i1 math.bessel_i1e
        math.special.bessel_i0 math.special.bessel_i0e math.special.bessel_i1 math.special.bessel_i1e
        math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e
        math.special.bessel_k1 math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1
        math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin
        math.special.spence ; lbeta
    ''',
    'ops.state_ops': '''
        ;  ; assign assign_add assign_sub batch_scatter_update count_up_to scatter_add scatter_div
        scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub
        scatter_update
    ''',
    'ops.stateful_random_ops': '''
        random.Generator random.create_rng_state random.experimental.Generator
        random.experimental.create_rng_state random.experimental.get_global_generator
        random.experimental.set_global_generator random.get_global_generator random.set_global_generator ;
        ;
    ''',
    'ops.stateless_random_ops': '''
        random.experimental.index_shuffle fold_in=random.experimental.stateless_fold_in
        random.experimental.stateless_shuffle split=random.experimental.stateless_split random.fold_in
        random.split stateless_random_binomial=random.stateless_binomial random.stateless_categorical
        stateless_random_gamma=random.stateless_gamma stateless_random_normal=random.stateless_normal
        random.stateless_parameterized_truncated_normal stateless_random_poisson=random.stateless_poisson
        random.stateless_truncated_normal stateless_random_uniform=random.stateless_uniform ;  ;
        random.stateless_multinomial
    ''',
    'ops.string_ops': '''
        as_string io.decode_base64 io.encode_base64 strings.as_string string_format=strings.format
        string_join=strings.join string_lower=strings.lower strings.regex_full_match strings.regex_replace
        string_strip=strings.strip string_to_hash_bucket_fast=strings.to_hash_bucket_fast
        string_to_hash_bucket_strong=strings.to_hash_bucket_strong strings.unicode_script
        strings.unicode_transcode strings.unsorted_segment_join string_upper=strings.upper ;
        string_length_v2=strings.length reduce_join_v2=strings.reduce_join substr_v2=strings.substr
        string_to_hash_bucket=strings.to_hash_bucket string_to_number=strings.to_number ; decode_base64
        dtypes.as_string encode_base64 reduce_join regex_replace string_join string_strip
        string_to_hash_bucket_v1=string_to_hash_bucket string_to_hash_bucket_fast
        string_to_hash_bucket_strong string_to_number_v1=string_to_number string_length=strings.length
        strings.reduce_join strings.substr string_to_hash_bucket_v1=strings.to_hash_bucket
        string_to_number_v1=strings.to_number substr_deprecated=substr
    ''',
    'ops.structured.structured_tensor': ';  ; experimental.StructuredTensor',
    'ops.summary_ops_v2': '''
        ; summary.SummaryWriter create_file_writer_v2=summary.create_file_writer summary.create_noop_writer
        summary.experimental.get_step summary.experimental.set_step summary.experimental.summary_scope
        summary.experimental.write_raw_pb summary.flush summary.graph summary.record_if
        summary.should_record_summaries summary.trace_export summary.trace_off summary.trace_on
        summary.write ; summary.all_v2_summary_ops summary.initialize
    ''',
    'ops.template': ';  ; make_template',
    'ops.tensor_array_ops': 'TensorArray TensorArraySpec ;  ;',
    'ops.unconnected_gradients': 'UnconnectedGradients ;  ;',
    'ops.variable_scope': '''
        ; variable_creator_scope ; AUTO_REUSE VariableScope get_local_variable get_variable
        get_variable_scope no_regularizer variable_creator_scope_v1=variable_creator_scope variable_op_scope
        variable_scope
    ''',
    'ops.variable_v1': ';  ; VariableV1=Variable is_variable_initialized',
    'ops.variables': '''
        VariableSynchronization ; Variable VariableAggregationV2=VariableAggregation ; VariableAggregation
        all_variables assert_variables_initialized global_variables global_variables_initializer
        initialize_all_variables initialize_local_variables initialize_variables
        global_variables_initializer=initializers.global_variables
        local_variables_initializer=initializers.local_variables
        variables_initializer=initializers.variables local_variables local_variables_initializer
        model_variables moving_average_variables report_uninitialized_variables trainable_variables
        variables_initializer
    ''',
    'ops.while_loop': '; while_loop_v2=while_loop ; while_loop',
    'platform.app': ';  ; app.run',
    'platform.benchmark': 'TensorFlowBenchmark=test.Benchmark test.benchmark_config ;  ;',
    'platform.gfile': '''
        io.gfile.GFile Open=io.gfile.GFile ;  ; gfile.FastGFile gfile.GFile Open=gfile.GFile
        GFile=gfile.Open gfile.Open
    ''',
    'platform.googletest': ';  ; test.StubOutForTesting',
    'platform.resource_loader': '''
        ;  ; resource_loader.get_data_files_path resource_loader.get_path_to_datafile
        resource_loader.get_root_dir_with_all_resources resource_loader.load_resource
        resource_loader.readahead_file_path
    ''',
    'platform.sysconfig': '''
        sysconfig.get_build_info sysconfig.get_compile_flags sysconfig.get_include sysconfig.get_lib
        sysconfig.get_link_flags ;  ;
    ''',
    'platform.test': '''
        test.disable_with_predicate test.is_built_with_cuda test.is_built_with_gpu_support
        test.is_built_with_rocm test.is_built_with_xla test.is_cpu_target_available test.main ;  ;
        test.get_temp_dir test.test_src_dir_path
    ''',
    'platform.tf_logging': '''
        get_logger ;  ; logging.TaskLevelStatusMessage logging.debug logging.error logging.fatal
        logging.flush logging.get_verbosity logging.info logging.log logging.log_every_n logging.log_first_n
        logging.log_if logging.set_verbosity logging.vlog logging.warn logging.warning
    ''',
    'profiler.model_analyzer': ';  ; profiler.Profiler profiler.advise profiler.profile',
    'profiler.option_builder': ';  ; profiler.ProfileOptionBuilder',
    'profiler.profiler_client': '; profiler.experimental.client.monitor profiler.experimental.client.trace ;',
    'profiler.profiler_v2': '''
        ; profiler.experimental.Profile profiler.experimental.ProfilerOptions
        start_server=profiler.experimental.server.start profiler.experimental.start
        profiler.experimental.stop ;
    ''',
    'profiler.tfprof_logger': ';  ; profiler.write_op_log',
    'profiler.trace': '; profiler.experimental.Trace ;',
    'saved_model.builder': ';  ; SavedModelBuilder=saved_model.Builder saved_model.builder.SavedModelBuilder',
    'saved_model.builder_impl': '''
        ;  ; SavedModelBuilder=saved_model.Builder saved_model.builder.SavedModelBuilder
    ''',
    'saved_model.fingerprinting': '''
        ; saved_model.experimental.Fingerprint saved_model.experimental.read_fingerprint ;
    ''',
    'saved_model.load': '; saved_model.load ; load=saved_model.load_v2',
    'saved_model.load_options': '; saved_model.LoadOptions ;',
    'saved_model.loader': '''
        ;  ; maybe_saved_model_directory=saved_model.contains_saved_model saved_model.load
        saved_model.loader.load saved_model.loader.maybe_saved_model_directory
        saved_model.maybe_saved_model_directory
    ''',
    'saved_model.loader_impl': '''
        ; saved_model.contains_saved_model ; maybe_saved_model_directory=saved_model.contains_saved_model
        saved_model.load saved_model.loader.load saved_model.loader.maybe_saved_model_directory
        saved_model.maybe_saved_model_directory
    ''',
    'saved_model.main_op_impl': '''
        ;  ; saved_model.main_op.main_op saved_model.main_op.main_op_with_restore
        saved_model.main_op_with_restore
    ''',
    'saved_model.method_name_updater': ';  ; saved_model.signature_def_utils.MethodNameUpdater',
    'saved_model.save': 'saved_model.save ;  ; saved_model.experimental.save',
    'saved_model.save_options': 'saved_model.SaveOptions saved_model.experimental.VariablePolicy ;  ;',
    'saved_model.signature_def_utils': '''
        ;  ; saved_model.build_signature_def saved_model.classification_signature_def
        saved_model.is_valid_signature saved_model.predict_signature_def
        saved_model.regression_signature_def saved_model.signature_def_utils.build_signature_def
        saved_model.signature_def_utils.classification_signature_def
        saved_model.signature_def_utils.is_valid_signature
        saved_model.signature_def_utils.predict_signature_def
        saved_model.signature_def_utils.regression_signature_def
    ''',
    'saved_model.signature_def_utils_impl': '''
        ;  ; saved_model.build_signature_def saved_model.classification_signature_def
        saved_model.is_valid_signature saved_model.predict_signature_def
        saved_model.regression_signature_def saved_model.signature_def_utils.build_signature_def
        saved_model.signature_def_utils.classification_signature_def
        saved_model.signature_def_utils.is_valid_signature
        saved_model.signature_def_utils.predict_signature_def
        saved_model.signature_def_utils.regression_signature_def
    ''',
    'saved_model.simple_save': ';  ; saved_model.simple_save',
    'saved_model.utils': '''
        ;  ; saved_model.build_tensor_info saved_model.get_tensor_from_tensor_info
        saved_model.utils.build_tensor_info saved_model.utils.get_tensor_from_tensor_info
    ''',
    'saved_model.utils_impl': '''
        ;  ; saved_model.build_tensor_info saved_model.get_tensor_from_tensor_info
        saved_model.utils.build_tensor_info saved_model.utils.get_tensor_from_tensor_info
    ''',
    'summary.summary': '''
        ;  ; summary.audio summary.get_summary_description summary.histogram summary.image summary.merge
        summary.merge_all summary.scalar summary.tensor_summary summary.text
    ''',
    'summary.summary_iterator': ';  ; train.summary_iterator',
    'summary.tb_summary': '; summary.audio summary.histogram summary.image summary.scalar summary.text ;',
    'summary.writer.writer': ';  ; summary.FileWriter',
    'summary.writer.writer_cache': ';  ; summary.FileWriterCache',
    'tpu.bfloat16': ';  ; tpu.bfloat16_scope',
    'tpu.device_assignment': 'tpu.experimental.DeviceAssignment tpu.experimental.DeviceOrderMode ;  ;',
    'tpu.feature_column_v2': '''
        ;  ; embedding_column_v2=tpu.experimental.embedding_column
        shared_embedding_columns_v2=tpu.experimental.shared_embedding_columns
    ''',
    'tpu.ops.tpu_ops': ';  ; tpu.cross_replica_sum',
    'tpu.topology': 'tpu.experimental.Topology ;  ;',
    'tpu.tpu': '''
        tpu.XLAOptions ;  ; tpu.PaddingSpec tpu.batch_parallel tpu.initialize_system tpu.replicate
        tpu.rewrite tpu.shard tpu.shutdown_system
    ''',
    'tpu.tpu_embedding_for_serving': '''
        tpu.experimental.embedding.TPUEmbeddingForServing
        cpu_embedding_lookup=tpu.experimental.embedding.serving_embedding_lookup ;  ;
    ''',
    'tpu.tpu_embedding_v1': 'tpu.experimental.embedding.TPUEmbeddingV0 ;  ;',
    'tpu.tpu_embedding_v2': 'tpu.experimental.embedding.TPUEmbedding ;  ;',
    'tpu.tpu_embedding_v2_utils': '''
        tpu.experimental.embedding.Adagrad tpu.experimental.embedding.AdagradMomentum
        tpu.experimental.embedding.Adam tpu.experimental.embedding.CustomCombiner
        tpu.experimental.embedding.CustomOptimizer tpu.experimental.embedding.FTRL
        tpu.experimental.embedding.FeatureConfig tpu.experimental.embedding.QuantizationConfig
        tpu.experimental.embedding.RowIdInitializer tpu.experimental.embedding.SGD
        tpu.experimental.embedding.TableConfig ;  ;
    ''',
    'tpu.tpu_embedding_v3': '''
        tpu.experimental.embedding.SparseCoreEmbeddingConfig tpu.experimental.embedding.TPUEmbeddingV2 ;  ;
    ''',
    'tpu.tpu_hardware_feature': 'tpu.experimental.HardwareFeature ;  ;',
    'tpu.tpu_name_util': ';  ; tpu.core',
    'tpu.tpu_optimizer': ';  ; tpu.CrossShardOptimizer',
    'tpu.tpu_replication': ';  ; tpu.outside_compilation',
    'tpu.tpu_system_metadata': 'tpu.experimental.TPUSystemMetadata ;  ;',
    'trackable.asset': 'saved_model.Asset ;  ;',
    'trackable.python_state': 'train.experimental.PythonState ;  ;',
    'trackable.resource': 'saved_model.experimental.TrackableResource ;  ;',
    'training.adadelta': ';  ; train.AdadeltaOptimizer',
    'training.adagrad': ';  ; train.AdagradOptimizer',
    'training.adagrad_da': ';  ; train.AdagradDAOptimizer',
    'training.adam': ';  ; train.AdamOptimizer',
    'training.basic_loops': ';  ; train.basic_train_loop',
    'training.basic_session_run_hooks': '''
        ;  ; train.CheckpointSaverHook train.CheckpointSaverListener train.FeedFnHook train.FinalOpsHook
        train.GlobalStepWaiterHook train.LoggingTensorHook train.NanLossDuringTrainingError
        train.NanTensorHook train.ProfilerHook train.SecondOrStepTimer train.StepCounterHook
        train.StopAtStepHook train.SummarySaverHook
    ''',
    'training.checkpoint_utils': '''
        train.checkpoints_iterator train.list_variables train.load_checkpoint train.load_variable ;  ;
        train.init_from_checkpoint
    ''',
    'training.coordinator': 'train.Coordinator ;  ; train.LooperThread',
    'training.device_setter': ';  ; train.replica_device_setter',
    'training.experimental.loss_scale': '''
        ;  ; mixed_precision.DynamicLossScale mixed_precision.FixedLossScale mixed_precision.LossScale
        mixed_precision.experimental.DynamicLossScale mixed_precision.experimental.FixedLossScale
        mixed_precision.experimental.LossScale train.experimental.DynamicLossScale
        train.experimental.FixedLossScale train.experimental.LossScale
    ''',
    'training.experimental.loss_scale_optimizer': '''
        ;  ; mixed_precision.MixedPrecisionLossScaleOptimizer
        train.experimental.MixedPrecisionLossScaleOptimizer
    ''',
    'training.experimental.mixed_precision': '''
        ;  ; disable_mixed_precision_graph_rewrite_v1=mixed_precision.disable_mixed_precision_graph_rewrite
        enable_mixed_precision_graph_rewrite_v1=mixed_precision.enable_mixed_precision_graph_rewrite
        disable_mixed_precision_graph_rewrite_v1=train.experimental.disable_mixed_precision_graph_rewrite
        enable_mixed_precision_graph_rewrite_v1=train.experimental.enable_mixed_precision_graph_rewrite
    ''',
    'training.ftrl': ';  ; train.FtrlOptimizer',
    'training.gradient_descent': ';  ; train.GradientDescentOptimizer',
    'training.input': '''
        io.match_filenames_once ;  ; train.batch train.batch_join train.input_producer train.limit_epochs
        train.match_filenames_once train.maybe_batch train.maybe_batch_join train.maybe_shuffle_batch
        train.maybe_shuffle_batch_join train.range_input_producer train.shuffle_batch
        train.shuffle_batch_join train.slice_input_producer train.string_input_producer
    ''',
    'training.momentum': ';  ; train.MomentumOptimizer',
    'training.monitored_session': '''
        ;  ; train.ChiefSessionCreator train.MonitoredSession train.MonitoredTrainingSession train.Scaffold
        train.SessionCreator train.SingularMonitoredSession train.WorkerSessionCreator
    ''',
    'training.moving_averages': 'train.ExponentialMovingAverage ;  ;',
    'training.optimizer': ';  ; train.Optimizer',
    'training.proximal_adagrad': ';  ; train.ProximalAdagradOptimizer',
    'training.proximal_gradient_descent': ';  ; train.ProximalGradientDescentOptimizer',
    'training.py_checkpoint_reader': ';  ; train.NewCheckpointReader',
    'training.quantize_training': ';  ; train.do_quantize_training_on_graphdef',
    'training.queue_runner': '''
        ;  ; train.QueueRunner train.add_queue_runner train.queue_runner.QueueRunner
        train.queue_runner.add_queue_runner train.queue_runner.start_queue_runners train.start_queue_runners
    ''',
    'training.queue_runner_impl': '''
        ;  ; train.QueueRunner train.add_queue_runner train.queue_runner.QueueRunner
        train.queue_runner.add_queue_runner train.queue_runner.start_queue_runners train.start_queue_runners
    ''',
    'training.rmsprop': ';  ; train.RMSPropOptimizer',
    'training.saver': ';  ; train.Saver train.export_meta_graph train.import_meta_graph',
    'training.server_lib': '''
        config.experimental.ClusterDeviceFilters distribute.Server train.ClusterSpec ;  ; train.Server
    ''',
    'training.session_manager': ';  ; train.SessionManager',
    'training.session_run_hook': '''
        ;  ; train.SessionRunArgs train.SessionRunContext train.SessionRunHook train.SessionRunValues
    ''',
    'training.supervisor': ';  ; train.Supervisor',
    'training.sync_replicas_optimizer': ';  ; train.SyncReplicasOptimizer',
    'training.training': ';  ; train.sdca_fprint train.sdca_optimizer train.sdca_shrink_l1',
    'training.training_util': '''
        ;  ; train.assert_global_step train.create_global_step train.get_global_step
        train.get_or_create_global_step train.global_step
    ''',
    'training.warm_starting_util': ';  ; train.VocabInfo train.warm_start',
    'types.core': '''
        types.experimental.FunctionType ; types.experimental.AtomicFunction types.experimental.Callable
        types.experimental.ConcreteFunction PolymorphicFunction=types.experimental.GenericFunction
        types.experimental.PolymorphicFunction ;
    ''',
    'types.distribute': '''
        ; DistributedDatasetInterface=distribute.DistributedDataset
        DistributedIteratorInterface=distribute.DistributedIterator distribute.DistributedValues
        types.experimental.distributed.Mirrored types.experimental.distributed.PerReplica ;
    ''',
    'types.trace': '; types.experimental.SupportsTracingProtocol types.experimental.TraceType ;',
    'user_ops.user_ops': ';  ; user_ops.my_fact',
    'util.dispatch': '''
        ;  ; experimental.dispatch_for_api experimental.dispatch_for_binary_elementwise_apis
        experimental.dispatch_for_binary_elementwise_assert_apis
        experimental.dispatch_for_unary_elementwise_apis experimental.unregister_dispatch_for
    ''',
    'util.nest': '''
        nest.assert_same_structure nest.flatten nest.is_nested nest.map_structure nest.pack_sequence_as ;  ;
    ''',
    'util.traceback_utils': '''
        debugging.disable_traceback_filtering debugging.enable_traceback_filtering
        debugging.is_traceback_filtering_enabled ;  ;
    ''',
}
