"""api_both - Public names that TF1 and TF2 share, by namespace."""

NAMES = {
    '': '''
        eager.function: function
        eager.tape: GradientTape
        _data.optional: OptionalSpec
        eager.spec: TensorSpec type_spec_from_value
        framework.convert: is_tensor
        framework.dtypes: DType as_dtype bfloat16 bool complex128 complex64 double float16
            float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8
            resource string uint16 uint32 uint64 uint8 variant
        framework.errors: errors=
        framework.graph: Graph
        framework.importer: import_graph_def
        framework.node: Operation Tensor
        variables.module: Module
        framework.scopes: control_dependencies executing_eagerly init_scope
        framework.static_value: broadcast_dynamic_shape broadcast_static_shape
            get_static_value is_symbolic_tensor
        framework.indexed_slices: IndexedSlices IndexedSlicesSpec
        framework.tensor_shape: TensorShape
        framework.tensor_util: make_ndarray make_tensor_proto
            register_tensor_conversion_function
        framework.trace_type: TypeSpec
        variables.creators: variable_creator_scope
        variables.replicas: VariableSynchronization
        framework.version: __version__ version=
        ops.array_ops: bitcast broadcast_to concat dynamic_partition dynamic_stitch
            ensure_shape eye fill gather_nd guarantee_const identity identity_n meshgrid newaxis
            one_hot ones parallel_stack rank repeat reshape reverse reverse_sequence roll scatter_nd sequence_mask
            shape_n slice split stack stop_gradient strided_slice tile unique unstack zeros
        ops.count_ops: histogram_fixed_width histogram_fixed_width_bins searchsorted
            unique_with_counts
        ops.order_ops: group no_op
        ops.einsum_ops: einsum
        ops.gradients_ops: AggregationMethod UnconnectedGradients
        eager.custom_gradient: RegisterGradient custom_gradient grad_pass_through no_gradient
            recompute_grad
        ops.flow_ops: Assert case cond while_loop
        ops.functional_ops: foldl foldr map_fn scan switch_case vectorized_map
        ops.init_ops: constant_initializer ones_initializer random_normal_initializer
            random_uniform_initializer zeros_initializer
        ops.math_ops: abs acos acosh add add_n asin asinh atan atan2 atanh cast clip_by_norm
            clip_by_value complex=complex_ cos cosh cumsum divide equal exp floor greater
            greater_equal less less_equal linspace logical_and logical_not logical_or matmul
            maximum minimum multiply negative not_equal pow range realdiv round
            saturate_cast scalar_mul sigmoid sign sin sinh sqrt square subtract tan tanh
            tensordot truediv truncatediv truncatemod
        ops.clip_ops: clip_by_global_norm
        ops.critical_section: CriticalSection
        ops.ragged_ops: RaggedTensorSpec
        ops.ragged_tensor: RaggedTensor
        ops.raw_ops: raw_ops=
        ops.reduce_ops: norm
        ops.scatter_ops: tensor_scatter_nd_update
        ops.script_ops: numpy_function py_function
        ops.sort_ops: argsort sort
        ops.sparse_tensor: SparseTensor SparseTensorSpec
        ops.string_ops: as_string
        ops.string_pieces: edit_distance fingerprint
        ops.tensor_array_ops: TensorArray
        base.logging: get_logger
    ''',
    'distribute': '''
        _distribute.inputs: DistributedDataset DistributedIterator InputContext InputOptions InputReplicationMode
        _distribute.reduction: CrossDeviceOps HierarchicalCopyAllReduce NcclAllReduce ReduceOp ReductionToOneDevice
        _distribute.replica: ReplicaContext
        _distribute.strategy: MirroredStrategy OneDeviceStrategy Strategy StrategyExtended
            experimental_set_strategy get_replica_context get_strategy has_strategy in_cross_replica_context
            MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy
        _distribute.values: DistributedValues
    ''',
    'distribute.experimental': '''
        _distribute.inputs: ValueContext
        _distribute.strategy: CentralStorageStrategy MultiWorkerMirroredStrategy ParameterServerStrategy TPUStrategy
    ''',
    'autograph': '''
        modules.autograph: set_verbosity trace
    ''',
    'autograph.experimental': '''
        modules.autograph: Feature do_not_convert set_loop_options
    ''',
    'bitwise': '''
        ops.math_ops: bitwise_and
    ''',
    'compat': '''
        framework.compat_text: as_bytes as_str as_str_any as_text bytes_or_text_types
            complex_types forward_compatibility_horizon forward_compatible integral_types
            path_to_str real_types
        framework.tensor_shape: dimension_at_index dimension_value
    ''',
    'config': '''
        modules.config: LogicalDevice LogicalDeviceConfiguration PhysicalDevice
            experimental_connect_to_cluster experimental_connect_to_host
            experimental_functions_run_eagerly experimental_run_functions_eagerly
            functions_run_eagerly get_logical_device_configuration get_soft_device_placement
            get_visible_devices list_logical_devices list_physical_devices
            run_functions_eagerly set_logical_device_configuration set_soft_device_placement
            set_visible_devices
    ''',
    'config.experimental': '''
        modules.config: ClusterDeviceFilters
            VirtualDeviceConfiguration=LogicalDeviceConfiguration disable_mlir_bridge
            enable_mlir_bridge enable_op_determinism enable_tensor_float_32_execution
            get_device_details get_device_policy get_memory_growth get_memory_info
            get_memory_usage get_synchronous_execution
            get_virtual_device_configuration=get_logical_device_configuration
            get_visible_devices list_logical_devices list_physical_devices
            reset_memory_stats set_device_policy set_memory_growth set_synchronous_execution
            set_virtual_device_configuration=set_logical_device_configuration
            set_visible_devices tensor_float_32_execution_enabled
    ''',
    'config.optimizer': '''
        modules.config: get_experimental_options=get_optimizer_experimental_options
            get_jit=get_optimizer_jit
            set_experimental_options=set_optimizer_experimental_options
            set_jit=set_optimizer_jit
    ''',
    'config.threading': '''
        modules.config: get_inter_op_parallelism_threads get_intra_op_parallelism_threads
            set_inter_op_parallelism_threads set_intra_op_parallelism_threads
    ''',
    'memory': '''
        modules.memory: Budget ask budget growth history limit live neighbours plan
            release snapshot spill stats trim
    ''',
    'core.example.example_pb2': '''
        base.protos: Example SequenceExample
    ''',
    'core.example.feature_pb2': '''
        base.protos: BytesList Feature FeatureList FeatureLists Features FloatList Int64List
    ''',
    'core.framework.attr_value_pb2': '''
        base.protos: AttrValue NameAttrList
    ''',
    'core.framework.cost_graph_pb2': '''
        base.protos: CostGraphDef
    ''',
    'core.framework.device_attributes_pb2': '''
        base.protos: DeviceAttributes
    ''',
    'core.framework.function_pb2': '''
        base.protos: FunctionDef FunctionDefLibrary
    ''',
    'core.framework.graph_pb2': '''
        base.protos: GraphDef
    ''',
    'core.framework.node_def_pb2': '''
        base.protos: NodeDef
    ''',
    'core.framework.op_def_pb2': '''
        base.protos: OpDef OpList
    ''',
    'core.framework.step_stats_pb2': '''
        base.protos: DeviceStepStats NodeExecStats StepStats
    ''',
    'core.framework.tensor_pb2': '''
        base.protos: TensorProto
    ''',
    'core.framework.tensor_shape_pb2': '''
        base.protos: TensorShapeProto
    ''',
    'core.framework.types_pb2': '''
        base.protos: DT_BFLOAT16 DT_BOOL DT_DOUBLE DT_FLOAT DT_HALF DT_INT16 DT_INT32
            DT_INT64 DT_INT8 DT_STRING DT_UINT8 DataType
    ''',
    'core.framework.variable_pb2': '''
        base.protos: SaveSliceInfoDef VariableAggregation VariableDef VariableSynchronization
    ''',
    'core.framework.versions_pb2': '''
        base.protos: VersionDef
    ''',
    'core.protobuf.cluster_pb2': '''
        base.protos: ClusterDef JobDef
    ''',
    'core.framework.summary_pb2': '''
        base.protos: HistogramProto Summary SummaryDescription SummaryMetadata
    ''',
    'core.protobuf.control_flow_pb2': '''
        base.protos: CondContextDef ControlFlowContextDef ValuesDef WhileContextDef
    ''',
    'core.protobuf.meta_graph_pb2': '''
        base.protos: AssetFileDef CollectionDef MetaGraphDef SignatureDef TensorInfo
    ''',
    'core.protobuf.queue_runner_pb2': '''
        base.protos: QueueRunnerDef
    ''',
    'core.protobuf.saved_model_pb2': '''
        base.protos: SavedModel
    ''',
    'core.protobuf.saver_pb2': '''
        base.protos: SaverDef
    ''',
    'core.util.event_pb2': '''
        base.protos: Event SessionLog SourceMetadata TaggedRunMetadata
    ''',
    'core.protobuf.tensorflow_server_pb2': '''
        base.protos: ServerDef
    ''',
    'core.protobuf.config_pb2': '''
        base.protos: CallableOptions ConfigProto GPUOptions GraphOptions OptimizerOptions
            RunMetadata RunOptions ThreadPoolOptionProto
    ''',
    'core.protobuf.rewriter_config_pb2': '''
        base.protos: RewriterConfig
    ''',
    'data': '''
        _data.dataset: AUTOTUNE INFINITE_CARDINALITY UNKNOWN_CARDINALITY DatasetSpec
        _data.options: Options ThreadingOptions
        _data.iterators: IteratorSpec
    ''',
    'data.experimental': '''
        _data.experimental: AUTOTUNE Counter INFINITE_CARDINALITY Optional RandomDataset Reducer SHARD_HINT
            UNKNOWN_CARDINALITY assert_cardinality bucket_by_sequence_length cardinality
            choose_from_datasets copy_to_device enumerate_dataset from_variant
            get_next_as_optional get_single_element get_structure group_by_reducer group_by_window ignore_errors
            load map_and_batch parallel_interleave parse_example_dataset prefetch_to_device save
            rejection_resample sample_from_datasets scan shuffle_and_repeat TFRecordWriter
            dense_to_ragged_batch dense_to_sparse_batch
            snapshot take_while to_variant unbatch unique
        _data.csv_files: SqlDataset make_csv_dataset
        _data.tables: DatasetInitializer index_table_from_dataset table_from_dataset
        _data.files: make_batched_features_dataset
        _train.iterator_state: make_saveable_from_iterator
        _data.dataset: DatasetStructure=DatasetSpec
        _data.optional: OptionalStructure=OptionalSpec
        _data.options: AutoShardPolicy AutotuneAlgorithm AutotuneOptions DistributeOptions
            ExternalStatePolicy OptimizationOptions ThreadingOptions
    ''',
    'debugging': '''
        modules.config: get_log_device_placement set_log_device_placement
        ops.array_ops: check_numerics
        ops.check_ops: is_numeric_tensor
        modules.debugging: disable_check_numerics disable_traceback_filtering
            enable_check_numerics enable_traceback_filtering is_traceback_filtering_enabled
        ops.check_shapes: assert_integer assert_proper_iterable assert_same_float_dtype
            assert_scalar assert_shapes assert_type
        ops.flow_ops: Assert
    ''',
    'dtypes': '''
        framework.dtypes: DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64
            double float16 float32 float64 half int16 int32 int64 int8 qint16 qint32 qint8
            quint16 quint8 resource string uint16 uint32 uint64 uint8 variant
        ops.math_ops: cast complex=complex_ saturate_cast
    ''',
    'dtypes.experimental': '''
        framework.dtypes: float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz
            float8_e5m2 float8_e5m2fnuz int2 int4 uint2 uint4
    ''',
    'experimental': '''
        _data.optional: Optional
        framework.dtypes: float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz
            float8_e5m2 float8_e5m2fnuz int2 int4 uint2 uint4
    ''',
    'experimental.dlpack': '''
        eager.dlpack: from_dlpack to_dlpack
    ''',
    'graph_util': '''
        framework.importer: import_graph_def
    ''',
    'nest': '''
        framework.nest: assert_same_structure flatten is_nested map_structure
            pack_sequence_as
    ''',
    'io.gfile': '''
        modules.file_io: GFile copy exists glob isdir join listdir makedirs mkdir remove
            rename rmtree stat walk get_registered_schemes
    ''',
    'image': '''
        ops.io_ops: is_jpeg
        ops.image_files: adjust_jpeg_quality decode_image random_jpeg_quality
        ops.image_boxes: combined_non_max_suppression extract_patches non_max_suppression
            non_max_suppression_overlaps non_max_suppression_with_scores
        ops.image_color: adjust_brightness adjust_contrast adjust_gamma adjust_hue
            adjust_saturation convert_image_dtype grayscale_to_rgb hsv_to_rgb psnr
            random_brightness random_contrast random_hue random_saturation rgb_to_grayscale
            rgb_to_hsv rgb_to_yiq rgb_to_yuv total_variation yiq_to_rgb yuv_to_rgb
        ops.image_quality: image_gradients sobel_edges ssim ssim_multiscale
        ops.image_ops: central_crop crop_to_bounding_box flip_left_right flip_up_down
            pad_to_bounding_box per_image_standardization random_crop random_flip_left_right
            random_flip_up_down resize_with_crop_or_pad rot90 transpose
    ''',
    'io': '''
        modules.input_producers: match_filenames_once
        modules.tf_record: TFRecordOptions TFRecordWriter
        ops.image_files: decode_image
        ops.io_ops: decode_base64 encode_base64 is_jpeg matching_files
            parse_tensor read_file serialize_tensor write_file write_graph
        ops.parsing_config: FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature
            VarLenFeature
        ops.parsing_ops: parse_sequence_example parse_single_sequence_example
        ops.sparse_store: deserialize_many_sparse
    ''',
    'linalg': '''
        ops.linalg_ops: adjoint cholesky_solve diag=matrix_diag diag_part=matrix_diag_part
            logdet lstsq matvec set_diag=matrix_set_diag trace triangular_solve global_norm
            normalize
        ops.factor_ops: eigh=self_adjoint_eig eigvalsh=self_adjoint_eigvals expm=matrix_exponential
            lu_matrix_inverse lu_reconstruct lu_solve matrix_rank pinv svd tridiagonal_matmul
            tridiagonal_solve
        ops.array_ops: band_part=matrix_band_part eye matrix_transpose
            tensor_diag_part=diag_part
        ops.einsum_ops: einsum
        ops.math_ops: matmul tensordot
        ops.nn_ops: l2_normalize
        ops.reduce_ops: norm
    ''',
    'lookup': '''
        ops.lookup_ops: KeyValueTensorInitializer StaticHashTable StaticVocabularyTable
            TextFileIndex TextFileInitializer
    ''',
    'lookup.experimental': '''
        ops.lookup_ops: DenseHashTable MutableHashTable
    ''',
    'math': '''
        ops.array_ops: invert_permutation
        ops.math_ops: abs accumulate_n acos acosh add add_n angle asin asinh atan atan2
            atanh ceil conj cos cosh cumprod cumsum digamma divide equal erf erfc exp expm1
            floor floordiv floormod greater greater_equal imag is_finite is_inf is_nan less
            less_equal lgamma log log1p logical_and logical_not logical_or logical_xor
            maximum minimum mod multiply multiply_no_nan negative not_equal pow real
            reciprocal rint round rsqrt scalar_mul sigmoid sign sin sinh sqrt square
            squared_difference subtract tan tanh truediv unsorted_segment_sum xdivy xlogy
        ops.count_ops: is_non_decreasing is_strictly_increasing unsorted_segment_mean
            unsorted_segment_sqrt_n
        ops.nn_ops: l2_normalize softplus softsign top_k zero_fraction
        ops.sort_ops: approx_max_k approx_min_k
        ops.special_ops: bessel_i0 bessel_i0e bessel_i1 bessel_i1e cumulative_logsumexp
            divide_no_nan erfcinv erfinv lbeta log_sigmoid ndtri polyval reciprocal_no_nan
            sobol_sample xlog1py
        ops.reduce_ops: reduce_euclidean_norm reduce_std reduce_variance
    ''',
    'math.special': '''
        ops.special_ops: bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1
            bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint
            fresnel_cos fresnel_sin spence
    ''',
    'nn.experimental': '''
        ops.nn_ops: general_dropout stateless_dropout
    ''',
    'nn': '''
        ops.sample_ops: all_candidate_sampler compute_accidental_hits
            fixed_unigram_candidate_sampler learned_unigram_candidate_sampler
        ops.ctc_ops: collapse_repeated ctc_greedy_decoder ctc_unique_labels
        ops.conv_ops: depthwise_conv2d_backprop_filter=depthwise_conv2d_native_backprop_filter
            depthwise_conv2d_backprop_input=depthwise_conv2d_native_backprop_input
        ops.array_ops: depth_to_space space_to_depth
        ops.special_ops: log_poisson_loss silu swish=silu
        ops.conv_ops: atrous_conv2d atrous_conv2d_transpose conv1d_transpose conv_transpose
        ops.nn_more: compute_average_loss normalize_moments scale_regularization_loss
        ops.pool_ops: avg_pool1d avg_pool3d max_pool1d max_pool2d max_pool3d
        ops.nn_ops: batch_normalization bias_add elu l2_loss l2_normalize leaky_relu
            local_response_normalization lrn relu relu6 selu sigmoid softplus softsign tanh
            top_k zero_fraction
        ops.sort_ops: approx_max_k approx_min_k
    ''',
    'signal': '''
        ops.signal_ops: fft fft2d fft3d fftshift ifft ifft2d ifft3d ifftshift irfft irfft2d
            irfft3d rfft rfft2d rfft3d frame hamming_window hann_window
        ops.spectral_ops: dct idct linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms stft
        ops.lapped_ops: inverse_mdct inverse_stft inverse_stft_window_fn kaiser_bessel_derived_window
            kaiser_window mdct overlap_and_add vorbis_window
    ''',
    'queue': '''
        ops.data_flow_ops: FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
    ''',
    'ragged': '''
        ops.cross_ops: cross=ragged_cross cross_hashed=ragged_cross_hashed
        ops.ragged_ops: boolean_mask constant map_flat_values range=ranges
            row_splits_to_segment_ids segment_ids_to_row_splits
        ops.ragged_shapes: stack stack_dynamic_partitions
    ''',
    'random': '''
        ops.sample_ops: all_candidate_sampler fixed_unigram_candidate_sampler
            learned_unigram_candidate_sampler log_uniform_candidate_sampler
            uniform_candidate_sampler
        ops.random_ops: categorical gamma=random_gamma normal=random_normal
            shuffle=random_shuffle truncated_normal uniform=random_uniform
        ops.stateless_ops: Algorithm fold_in split stateless_binomial stateless_categorical
            stateless_gamma stateless_normal stateless_parameterized_truncated_normal stateless_poisson
            stateless_truncated_normal stateless_uniform
        variables.rng: Generator create_rng_state get_global_generator set_global_generator
    ''',
    'random.experimental': '''
        ops.stateless_ops: Algorithm index_shuffle stateless_fold_in=fold_in stateless_shuffle
            stateless_split=split
        variables.rng: Generator create_rng_state get_global_generator set_global_generator
    ''',
    'quantization': '''
        ops.quantize_ops: dequantize quantize quantize_and_dequantize
            quantize_and_dequantize_v2
    ''',
    'sets': '''
        ops.sets_ops: difference intersection size union
    ''',
    'sparse': '''
        ops.cross_ops: bincount=sparse_bincount cross=sparse_cross
            cross_hashed=sparse_cross_hashed
        ops.sparse_ops: expand_dims eye fill_empty_rows from_dense mask maximum minimum
            reorder reset_shape reshape retain slice softmax sparse_dense_matmul to_dense
            to_indicator transpose
        ops.sparse_tensor: SparseTensor
    ''',
    'strings': '''
        ops.string_ops: as_string format join regex_full_match regex_replace
            unsorted_segment_join
        ops.string_pieces: bytes_split ngrams unicode_decode unicode_decode_with_offsets
            unicode_encode unicode_split unicode_split_with_offsets
    ''',
    'sysconfig': '''
        framework.version: CXX11_ABI_FLAG CXX_VERSION MONOLITHIC_BUILD get_build_info
        modules.sysconfig: get_compile_flags get_include get_lib get_link_flags
    ''',
    'test': '''
        modules.test.case: TestCase
        modules.test: assert_equal_graph_def get_temp_dir gpu_device_name is_built_with_cuda
            is_built_with_gpu_support is_built_with_rocm is_built_with_xla is_gpu_available
            main test_src_dir_path benchmark_config disable_with_predicate
            is_cpu_target_available with_eager_op_as_function
    ''',
    'feature_column': '''
        _features.categorical: categorical_column_with_hash_bucket categorical_column_with_identity
            categorical_column_with_vocabulary_list crossed_column weighted_categorical_column
        _features.dense: bucketized_column embedding_column indicator_column numeric_column
        _features.layers: make_parse_example_spec
    ''',
    'estimator': '''
        _estimator.estimator: Estimator
        _estimator.exporter: BestExporter Exporter FinalExporter LatestExporter
        _estimator.run_config: RunConfig
        _estimator.spec: EstimatorSpec ModeKeys
        _estimator.training: EvalSpec TrainSpec train_and_evaluate
        _estimator.warm_start: WarmStartSettings
        _train.warm_start: VocabInfo
        _train.hooks: FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook
            NanLossDuringTrainingError NanTensorHook SecondOrStepTimer StopAtStepHook
        _train.run_hooks: SessionRunArgs SessionRunContext SessionRunHook SessionRunValues
        _train.saving_hooks: CheckpointSaverHook CheckpointSaverListener ProfilerHook
            StepCounterHook SummarySaverHook
    ''',
    'estimator.export': '''
        _estimator.export: ClassificationOutput ExportOutput PredictOutput RegressionOutput
            ServingInputReceiver TensorServingInputReceiver build_parsing_serving_input_receiver_fn
            build_raw_serving_input_receiver_fn
    ''',
    'train': '''
        base.protos: BytesList ClusterDef Example Feature FeatureList FeatureLists Features FloatList
            Int64List JobDef SequenceExample ServerDef
        modules.coordinator: Coordinator
        _train.cluster: ClusterSpec
        _train.moving_averages: ExponentialMovingAverage
        _train.checkpoint: Checkpoint CheckpointManager CheckpointOptions
        _train.checkpoint_state: get_checkpoint_state latest_checkpoint
        _train.checkpoint_reader: checkpoints_iterator list_variables load_checkpoint load_variable
    ''',
    'saved_model': '''
        _train.model_names: ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB
            SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION
            VARIABLES_DIRECTORY VARIABLES_FILENAME CLASSIFY_INPUTS CLASSIFY_METHOD_NAME
            CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES DEFAULT_SERVING_SIGNATURE_DEF_KEY
            PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME
            REGRESS_OUTPUTS GPU SERVING TPU TRAINING
        _train.model_loader: contains_saved_model
        _train.object_saver: SaveOptions save
    ''',
    'types.experimental': '''
        modules.types: Callable ConcreteFunction GenericFunction PolymorphicFunction
            TensorLike TraceType
    ''',
    'version': '''
        framework.version: COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION
            GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER VERSION
    ''',
}
# Functions that make one op and nothing else: the op, and its names.
OPS = '''
    ApproxTopK: approx_top_k
    AsString: as_string strings.as_string
    Betainc: math.betainc
    BitwiseOr: bitwise.bitwise_or
    BitwiseXor: bitwise.bitwise_xor
    CheckPinned: check_pinned
    Cholesky: linalg.cholesky
    Conv: conv
    Conv2DBackpropFilterV2: conv2d_backprop_filter_v2
    Conv2DBackpropInputV2: conv2d_backprop_input_v2
    Cross: linalg.cross
    DecodeAndCropJpeg: image.decode_and_crop_jpeg io.decode_and_crop_jpeg
    DecodeBmp: image.decode_bmp io.decode_bmp
    DecodeGif: image.decode_gif io.decode_gif
    DecodeWav: audio.decode_wav
    EncodeWav: audio.encode_wav
    DecodeJpeg: image.decode_jpeg io.decode_jpeg
    DecodeJxl: image.decode_jxl
    DecodePng: image.decode_png io.decode_png
    DecodeWebP: image.decode_webp
    Diag: linalg.tensor_diag
    EncodeJpeg: image.encode_jpeg io.encode_jpeg
    EncodePng: image.encode_png io.encode_png
    ExtractJpegShape: image.extract_jpeg_shape io.extract_jpeg_shape
    ExtractVolumePatches: extract_volume_patches
    FFTND: fftnd
    FakeQuantWithMinMaxArgs: quantization.fake_quant_with_min_max_args
    FakeQuantWithMinMaxArgsGradient: quantization.fake_quant_with_min_max_args_gradient
    FakeQuantWithMinMaxVars: quantization.fake_quant_with_min_max_vars
    FakeQuantWithMinMaxVarsGradient: quantization.fake_quant_with_min_max_vars_gradient
    FakeQuantWithMinMaxVarsPerChannel: quantization.fake_quant_with_min_max_vars_per_channel
    FakeQuantWithMinMaxVarsPerChannelGradient:
        quantization.fake_quant_with_min_max_vars_per_channel_gradient
    IFFTND: ifftnd
    IRFFTND: irfftnd
    Igamma: math.igamma
    Igammac: math.igammac
    Invert: bitwise.invert
    LeftShift: bitwise.left_shift
    LogMatrixDeterminant: linalg.slogdet
    Lu: linalg.lu
    MatrixDeterminant: linalg.det
    MatrixInverse: linalg.inv
    MatrixLogarithm: linalg.logm
    MatrixSolve: linalg.solve
    MatrixSquareRoot: linalg.sqrtm matrix_square_root
    NextAfter: math.nextafter
    Polygamma: math.polygamma
    Qr: linalg.qr
    RFFTND: rfftnd
    RaggedFillEmptyRows: ragged_fill_empty_rows
    RaggedFillEmptyRowsGrad: ragged_fill_empty_rows_grad
    RandomIndexShuffle: random_index_shuffle
    RightShift: bitwise.right_shift
    SegmentMax: math.segment_max
    SegmentMean: math.segment_mean
    SegmentMin: math.segment_min
    SegmentProd: math.segment_prod
    SegmentSum: math.segment_sum
    SpaceToBatchND: space_to_batch_nd
    StringLower: strings.lower
    StringStrip: strings.strip
    StringToHashBucketFast: strings.to_hash_bucket_fast
    StringToHashBucketStrong: strings.to_hash_bucket_strong
    StringUpper: strings.upper
    TensorScatterAdd: tensor_scatter_nd_add
    TensorScatterMax: tensor_scatter_nd_max
    TensorScatterMin: tensor_scatter_nd_min
    TensorScatterSub: tensor_scatter_nd_sub
    Timestamp: timestamp
    UnicodeScript: strings.unicode_script
    UnicodeTranscode: strings.unicode_transcode
    UnravelIndex: unravel_index
    UnsortedSegmentMax: math.unsorted_segment_max
    UnsortedSegmentMin: math.unsorted_segment_min
    UnsortedSegmentProd: math.unsorted_segment_prod
    Zeta: math.zeta
'''
