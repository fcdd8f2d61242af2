"""api_v1 - Public names that only TF1 has, or has with other arguments."""

_CONTRIB_MORE_LAYERS = '''
        _contrib.more_layers: avg_pool3d bow_encoder conv2d_in_plane conv3d_transpose convolution2d_in_plane
            convolution3d_transpose dense_to_sparse group_norm images_to_sequence instance_norm max_pool3d maxout pool
            separable_conv2d separable_convolution2d sequence_to_images softmax spatial_softmax
        _contrib.layer_summaries: summarize_activation summarize_activations summarize_biases summarize_collection
            summarize_tensor summarize_tensors summarize_variables summarize_weights
'''
_CONTRIB_LOSSES = '''
    _contrib.losses: absolute_difference compute_weighted_loss cosine_distance hinge_loss log_loss
        mean_squared_error sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy
    _layers.losses: add_loss get_losses get_regularization_losses get_total_loss
'''
_CONTRIB_METRICS = '''
        _contrib.metrics: accuracy aggregate_metric_map aggregate_metrics streaming_accuracy streaming_auc
            streaming_mean streaming_mean_absolute_error streaming_mean_cosine_distance streaming_mean_iou
            streaming_mean_relative_error streaming_mean_squared_error streaming_mean_tensor
            streaming_percentage_less streaming_precision streaming_precision_at_thresholds
            streaming_recall streaming_recall_at_thresholds streaming_root_mean_squared_error
            streaming_sensitivity_at_specificity streaming_specificity_at_sensitivity
            count streaming_concat streaming_covariance streaming_false_negative_rate streaming_false_negatives
            streaming_false_negatives_at_thresholds streaming_false_positive_rate streaming_false_positives
            streaming_false_positives_at_thresholds streaming_pearson_correlation streaming_recall_at_k
            streaming_sparse_average_precision_at_k streaming_sparse_precision_at_k
            streaming_sparse_precision_at_top_k streaming_sparse_recall_at_k streaming_true_negatives
            streaming_true_negatives_at_thresholds streaming_true_positives streaming_true_positives_at_thresholds
        ops.count_ops: confusion_matrix=confusion_matrix_v1
        ops.sets_ops: set_difference=difference set_intersection=intersection set_size=size set_union=union
'''
_DISTRIBUTIONS = '''
    _distributions.discrete: Bernoulli Categorical Multinomial
    _distributions.distribution: Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType
    _distributions.divergence: RegisterKL kl_divergence
    _distributions.gammas: Beta Dirichlet Exponential Gamma
    _distributions.real: Laplace Normal StudentT Uniform
'''
NAMES = {
    'data': '''
        _data.dataset: Dataset=DatasetV1 get_output_classes=get_legacy_output_classes
            get_output_shapes=get_legacy_output_shapes get_output_types=get_legacy_output_types
            make_initializable_iterator make_one_shot_iterator
        _data.files: FixedLengthRecordDataset=FixedLengthRecordDatasetV1
            TFRecordDataset=TFRecordDatasetV1 TextLineDataset=TextLineDatasetV1
        _data.iterators: Iterator
    ''',
    'data.experimental': '''
        _data.csv_files: CsvDataset=CsvDatasetV1
        _data.experimental: map_and_batch_with_legacy_function
    ''',
    '': '''
        base.protos: Event HistogramProto SessionLog Summary SummaryMetadata
        client.session: InteractiveSession Session
        eager.context: disable_eager_execution disable_v2_behavior enable_eager_execution
            enable_v2_behavior
        eager.switches: control_flow_v2_enabled disable_control_flow_v2
            disable_tensor_equality disable_v2_tensorshape enable_control_flow_v2
            enable_tensor_equality enable_v2_tensorshape
        framework.collections: GraphKeys
        framework.convert: constant convert_to_tensor
        framework.device_spec: DeviceSpec=DeviceSpecV1
        framework.dtypes: QUANTIZED_DTYPES
        framework.errors: OpError
        framework.indexed_slices: convert_to_tensor_or_indexed_slices
        framework.scopes: add_to_collection add_to_collections colocate_with container
            device op_scope executing_eagerly_outside_functions get_collection
            get_collection_ref get_default_graph get_default_session name_scope
            reset_default_graph set_random_seed
        framework.tensor_shape: Dimension dimension_at_index dimension_value
        variables.partitioned: create_partitioned_variables fixed_size_partitioner
            min_max_variable_partitioner variable_axis_size_partitioner
        variables.scope: AUTO_REUSE VariableScope get_local_variable get_variable
            get_variable_scope no_regularizer variable_op_scope variable_scope
        variables.sets: all_variables assert_variables_initialized global_variables
            global_variables_initializer initialize_all_variables initialize_local_variables
            initialize_variables is_variable_initialized local_variables
            local_variables_initializer model_variables moving_average_variables
            report_uninitialized_variables trainable_variables variables_initializer
        variables.graph_variable: Variable=VariableV1 disable_resource_variables
            enable_resource_variables resource_variables_enabled
        framework.version: COMPILER_VERSION CXX11_ABI_FLAG CXX_VERSION GIT_VERSION
            GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER GRAPH_DEF_VERSION_MIN_PRODUCER
            MONOLITHIC_BUILD VERSION
        variables.replicas: VariableAggregation
        variables.template: make_template
        ops.array_ops: boolean_mask check_numerics depth_to_space diag diag_part expand_dims
            gather invert_permutation matrix_band_part matrix_transpose ones_like pad
            placeholder placeholder_with_default shape size space_to_depth squeeze transpose
            where where_v2 zeros_like
        ops.check_ops: assert_equal assert_greater assert_greater_equal assert_less
            assert_less_equal assert_negative assert_non_negative assert_non_positive
            assert_none_equal assert_positive is_numeric_tensor
            verify_tensor_all_finite=assert_all_finite assert_near
        ops.check_shapes: assert_integer assert_proper_iterable assert_rank
            assert_rank_at_least assert_rank_in assert_same_float_dtype assert_scalar
            assert_type
        ops.gradients_ops: gradients hessians
        eager.custom_gradient: NoGradient=no_gradient NotDifferentiable=no_gradient
        ops.order_ops: tuple
        ops.count_ops: batch_to_space bincount=bincount_v1
            confusion_matrix=confusion_matrix_v1 is_non_decreasing is_strictly_increasing
            setdiff1d space_to_batch unsorted_segment_mean unsorted_segment_sqrt_n
        client.handles: delete_session_tensor get_session_handle get_session_tensor
        ops.accumulator_ops: ConditionalAccumulator ConditionalAccumulatorBase
            SparseConditionalAccumulator
        ops.data_flow_ops: FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
        ops.linalg_ops: cholesky_solve matrix_diag matrix_diag_part matrix_set_diag
            matrix_solve_ls=lstsq
            matrix_triangular_solve=triangular_solve trace
        ops.scatter_ops: batch_gather batch_scatter_update scatter_add scatter_div scatter_max scatter_min
            scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub
            scatter_update tensor_scatter_update=tensor_scatter_nd_update
        ops.space_ops: required_space_to_batch_paddings
        ops.special_ops: lbeta log_sigmoid
        ops.image_ops: random_crop
        ops.init_ops: glorot_normal_initializer glorot_uniform_initializer orthogonal_initializer
            truncated_normal_initializer uniform_unit_scaling_initializer
            variance_scaling_initializer
        ops.logging_ops: Print print=print_v2
        ops.clip_ops: clip_by_average_norm global_norm
        ops.io_ops: decode_csv=decode_csv_v1 decode_raw=decode_raw_v1 read_file
            serialize_tensor
        modules.readers: FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader
            TextLineReader WholeFileReader
        ops.parsing_config: FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature
        ops.sparse_merge: sparse_merge
        ops.parsing_ops: parse_single_sequence_example parse_example=parse_example_v1
            parse_single_example=parse_single_example_v1
        ops.lookup_ops: initialize_all_tables=tables_initializer tables_initializer
        ops.math_ops: to_complex128 to_complex64 accumulate_n angle argmax argmin ceil conj
            cumprod digamma div div_no_nan erf erfc expm1 floor_div floordiv floormod imag
            is_finite is_inf is_nan lgamma lin_space=linspace log log1p logical_xor mod real reciprocal rint
            rsqrt squared_difference to_bfloat16 to_double to_float to_int32 to_int64
            unsorted_segment_sum
        ops.factor_ops: self_adjoint_eig self_adjoint_eigvals svd
        ops.random_ops: get_seed multinomial random_gamma random_normal random_poisson random_shuffle random_uniform
            truncated_normal
        ops.reduce_ops: count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max
            reduce_mean reduce_min reduce_prod reduce_sum
        ops.script_ops: py_func
        ops.quantize_ops: dequantize quantize
        ops.sparse_ops: sparse_add=add_v1 sparse_concat=concat_v1
            sparse_fill_empty_rows=fill_empty_rows sparse_mask=mask
            sparse_maximum=maximum sparse_minimum=minimum sparse_softmax=softmax
            sparse_placeholder=placeholder sparse_reduce_max=reduce_max_v1
            sparse_reduce_max_sparse=reduce_max_sparse sparse_reduce_sum=reduce_sum_v1
            sparse_reduce_sum_sparse=reduce_sum_sparse sparse_reorder=reorder
            sparse_reset_shape=reset_shape sparse_reshape=reshape sparse_retain=retain
            sparse_slice=slice sparse_split=split_v1 sparse_tensor_dense_matmul=sparse_dense_matmul
            sparse_tensor_to_dense=to_dense sparse_to_dense sparse_to_indicator=to_indicator
            sparse_transpose=transpose
        ops.sparse_segments: sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum
        ops.image_boxes: extract_image_patches
        ops.sparse_store: deserialize_many_sparse serialize_many_sparse serialize_sparse
        ops.sparse_tensor: SparseTensorValue convert_to_tensor_or_sparse_tensor
        ops.string_ops: reduce_join=reduce_join_v1 regex_replace string_join=join
            string_to_hash_bucket=to_hash_bucket_v1 string_to_number=to_number_v1 substr
        ops.string_pieces: string_split
        ops.state_ops: assign assign_add assign_sub count_up_to
        base.protos: AttrValue ConfigProto GPUOptions GraphDef GraphOptions
            MetaGraphDef NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions TensorInfo
        modules.app: app=
        modules.flags: flags=
        modules.gfile: gfile=
        base.logging: logging=
        modules.resource_loader: resource_loader=
    ''',
    'contrib.autograph': '''
        modules.autograph: do_not_convert set_loop_options set_verbosity to_code to_graph trace
    ''',
    'contrib.crf': '''
        _contrib.crf: CrfDecodeBackwardRnnCell CrfDecodeForwardRnnCell CrfForwardRnnCell crf_binary_score crf_decode
            crf_forward crf_log_likelihood crf_log_norm crf_multitag_sequence_score crf_sequence_score
            crf_unary_score viterbi_decode
    ''',
    'contrib.data': '''
        _data.csv_files: CsvDataset=CsvDatasetV1
        _data.dataset: Dataset=DatasetV1
        _data.experimental: Counter RandomDataset bucket_by_sequence_length choose_from_datasets
            enumerate_dataset get_single_element group_by_window ignore_errors map_and_batch
            parallel_interleave prefetch_to_device rejection_resample sample_from_datasets scan
            shuffle_and_repeat unbatch unique
        _data.files: FixedLengthRecordDataset=FixedLengthRecordDatasetV1
            TFRecordDataset=TFRecordDatasetV1 TextLineDataset=TextLineDatasetV1
        _data.iterators: Iterator
        _contrib.data: batch_and_drop_remainder padded_batch_and_drop_remainder
    ''',
    'contrib.cudnn_rnn': '''
        _contrib.cudnn_rnn: CudnnCompatibleGRUCell CudnnCompatibleLSTMCell CudnnGRU CudnnLSTM CudnnRNNRelu
            CudnnRNNTanh
    ''',
    'contrib.deprecated': '''
        _contrib.early: audio_summary histogram_summary image_summary scalar_summary
        _summary.summary_ops: merge_all_summaries=merge_all merge_summary=merge
    ''',
    'contrib.distributions': _DISTRIBUTIONS,
    'contrib.distribute': '''
        _contrib.thin: MirroredStrategy OneDeviceStrategy
        _distribute.strategy: get_replica_context get_strategy has_strategy in_cross_replica_context
    ''',
    'contrib.eager': '''
        _contrib.eager: Iterator Network gradients_function implicit_gradients implicit_value_and_gradients
            value_and_gradients_function
        eager.context: enable_eager_execution
        eager.tape: GradientTape
        framework.scopes: executing_eagerly in_eager_mode=executing_eagerly
        ops.script_ops: py_func=py_function
        variables.graph_variable: Variable
    ''',
    'contrib.estimator': '''
        _contrib.estimator: TransformGradients add_metrics binary_classification_head clip_gradients_by_norm
            forward_features multi_class_head regression_head
        _estimator.canned: DNNEstimator LinearEstimator
        _estimator.early_stopping: InMemoryEvaluatorHook make_early_stopping_hook
            stop_if_higher_hook stop_if_lower_hook stop_if_no_decrease_hook stop_if_no_increase_hook
            read_eval_metrics
    ''',
    'contrib.framework': '''
        _contrib.arguments: add_arg_scope arg_scope arg_scoped_arguments current_arg_scope
            has_arg_scope
        _contrib.variables: add_model_variable assert_global_step assign_from_checkpoint
            assign_from_checkpoint_fn assign_from_values
            assign_from_values_fn create_global_step filter_variables get_global_step
            get_local_variables get_model_variables get_or_create_global_step
            get_trainable_variables get_unique_variable get_variables get_variables_by_name
            get_variables_by_suffix get_variables_to_restore model_variable variable
        _contrib.thin: VariableDeviceChooser assert_scalar_int get_name_scope get_variable_full_name
            global_variable local_variable reduce_sum_n with_same_shape with_shape zero_initializer
        _train.checkpoint_reader: list_variables load_checkpoint load_variable
        _train.warm_start: init_from_checkpoint
        framework.convert: is_tensor
        framework.nest: nest=
        ops.check_ops: is_numeric_tensor
        ops.check_shapes: assert_same_float_dtype assert_scalar
        ops.count_ops: is_non_decreasing is_strictly_increasing
        ops.sort_ops: argsort sort
        ops.sparse_tensor: convert_to_tensor_or_sparse_tensor
    ''',
    'contrib.learn': '''
        _contrib.learn: BaseEstimator DNNClassifier DNNLinearCombinedClassifier DNNRegressor Estimator
            LinearClassifier LinearRegressor MetricSpec ModeKeys ModelFnOps PredictionKey SKCompat
            infer_real_valued_columns_from_input
        _estimator.run_config: RunConfig
    ''',
    'contrib.learn.estimators': '''
        _estimator.run_config: RunConfig
    ''',
    'contrib.learn.estimators.estimator': '''
        _contrib.learn: BaseEstimator Estimator SKCompat
    ''',
    'contrib.learn.estimators.model_fn': '''
        _contrib.learn: ModeKeys ModelFnOps
    ''',
    'contrib.learn.metric_spec': '''
        _contrib.learn: MetricSpec
    ''',
    'contrib.learn.prediction_key': '''
        _contrib.learn: PredictionKey
    ''',
    'contrib.learn.datasets': '''
        _contrib.datasets: DATASETS load_boston load_dataset load_dbpedia load_iris
    ''',
    'contrib.learn.datasets.base': '''
        _contrib.datasets: Dataset Datasets load_boston load_csv_with_header load_csv_without_header load_iris
            maybe_download
    ''',
    'contrib.learn.datasets.mnist': '''
        _contrib.datasets: load_mnist
        _contrib.mnist_data: DataSet Datasets dense_to_one_hot extract_images extract_labels read_data_sets
    ''',
    'contrib.learn.preprocessing': '''
        _contrib.vocabulary: ByteProcessor CategoricalVocabulary VocabularyProcessor tokenizer
    ''',
    'contrib.tfprof.model_analyzer': '''
        _contrib.tfprof: FLOAT_OPS_OPTIONS PRINT_ALL_TIMING_MEMORY TRAINABLE_VARS_PARAMS_STAT_OPTIONS
            print_model_analysis
        modules.model_analyzer: Profiler advise
    ''',
    'contrib.tfprof.tfprof_logger': '''
        modules.model_analyzer: write_op_log
    ''',
    'contrib.training': '''
        _contrib.evaluation: StopAfterNEvalsHook SummaryAtEndHook add_gradients_summaries checkpoints_iterator
            clip_gradient_norms_fn create_train_op evaluate_once evaluate_repeatedly get_or_create_eval_step train
            wait_for_new_checkpoint
        _contrib.buckets: bucket bucket_by_sequence_length
        _contrib.hparams: HParams
        _contrib.learning: clip_gradient_norms multiply_gradients
    ''',
    'contrib.layers': '''
        _contrib.layers: avg_pool2d batch_norm bias_add conv1d conv2d conv2d_transpose conv3d convolution
            convolution1d convolution2d convolution2d_transpose convolution3d dropout elu
            embed_sequence flatten fully_connected layer_norm linear max_pool2d one_hot_encoding
            relu relu6 repeat stack unit_norm variance_scaling_initializer xavier_initializer
            xavier_initializer_conv2d
        ops.embedding_ops: safe_embedding_lookup_sparse
        _contrib.learn: real_valued_column
        _contrib.optimizers: OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES optimize_loss
        _contrib.regularizers: apply_regularization l1_l2_regularizer l1_regularizer
            l2_regularizer sum_regularizer
    ''' + _CONTRIB_MORE_LAYERS,
    'contrib.gan': '''
        _contrib.gan: GANLoss GANModel GANTrainOps GANTrainSteps RunTrainOpsHook gan_loss gan_model gan_train
            gan_train_ops get_joint_train_hooks get_sequential_train_hooks get_sequential_train_steps
    ''',
    'contrib.gan.losses': '''
        _contrib.gan_model_losses: least_squares_discriminator_loss least_squares_generator_loss
            minimax_discriminator_loss minimax_generator_loss modified_discriminator_loss modified_generator_loss
            wasserstein_discriminator_loss wasserstein_generator_loss wasserstein_gradient_penalty
    ''',
    'contrib.gan.losses.wargs': '''
        _contrib.gan_losses: least_squares_discriminator_loss least_squares_generator_loss
            minimax_discriminator_loss minimax_generator_loss modified_discriminator_loss modified_generator_loss
            wasserstein_discriminator_loss wasserstein_generator_loss wasserstein_gradient_penalty
    ''',
    'contrib.image': '''
        _contrib.image: angles_to_projective_transforms compose_transforms flat_transforms_to_matrices
            matrices_to_flat_transforms rotate transform translate translations_to_projective_transforms
    ''',
    'contrib.layers.utils': '''
        _contrib.layer_utils: append_tensor_alias channel_dimension collect_named_outputs constant_value
            convert_collection_to_dict first_dimension gather_tensors_aliases get_tensor_aliases
            get_variable_collections last_dimension n_positive_integers smart_cond two_element_tuple
    ''',
    'contrib.legacy_seq2seq': '''
        _contrib.legacy_sequences: attention_decoder basic_rnn_seq2seq embedding_attention_decoder
            embedding_attention_seq2seq embedding_rnn_decoder embedding_rnn_seq2seq embedding_tied_rnn_seq2seq
            model_with_buckets one2many_rnn_seq2seq tied_rnn_seq2seq
        _contrib.sequences: rnn_decoder sequence_loss=legacy_sequence_loss sequence_loss_by_example
    ''',
    'contrib.losses': _CONTRIB_LOSSES,
    'contrib.memory_stats': '''
        _contrib.thin: BytesInUse BytesLimit MaxBytesInUse
    ''',
    'contrib.metrics': _CONTRIB_METRICS,
    'contrib.lookup': '''
        ops.lookup_index: FastHashSpec HashTable HasherSpec IdTableWithHashBuckets MutableDenseHashTable
            StrongHashSpec TextFileIdTableInitializer TextFileStringTableInitializer
            index_table_from_file index_table_from_tensor index_to_string_table_from_file
            index_to_string_table_from_tensor
        ops.lookup_ops: KeyValueTensorInitializer MutableHashTable TextFileIndex TextFileInitializer
    ''',
    'contrib.nccl': '''
        _distribute.nccl: all_max all_min all_prod all_sum broadcast reduce_sum
    ''',
    'contrib.nn': '''
        _contrib.thin: alpha_dropout scaled_softplus
    ''',
    'contrib.opt': '''
        _contrib.opt: AdaMaxOptimizer AdamWOptimizer AddSignOptimizer DecoupledWeightDecayExtension
            LazyAdamOptimizer MomentumWOptimizer MovingAverageOptimizer MultitaskOptimizerWrapper NadamOptimizer
            PowerSignOptimizer clip_gradients_by_global_norm extend_with_decoupled_weight_decay
        _contrib.external_opt: ExternalOptimizerInterface ScipyOptimizerInterface
    ''',
    'contrib.predictor': '''
        _contrib.predictor: from_estimator from_saved_model
    ''',
    'contrib.rnn': '''
        variables.rnn_cell: BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell
            LSTMStateTuple MultiRNNCell RNNCell ResidualWrapper
        variables.rnn: static_bidirectional_rnn static_rnn static_state_saving_rnn
        _contrib.fused_rnn: FusedRNNCell FusedRNNCellAdaptor GRUBlockCell GRUBlockCellV2 LSTMBlockCell
            LSTMBlockFusedCell TimeReversedFusedRNN
        _contrib.grid_cells: BidirectionalGridLSTMCell GridLSTMCell
        _contrib.helpers: transpose_batch_time=time_first
        _contrib.rnn: stack_bidirectional_dynamic_rnn stack_bidirectional_rnn
        _contrib.rnn_cells: Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell ConvLSTMCell
            CoupledInputForgetGateLSTMCell GLSTMCell IndRNNCell IndyGRUCell IndyLSTMCell IntersectionRNNCell
            LayerNormBasicLSTMCell NASCell PhasedLSTMCell SRUCell UGRNNCell
        _contrib.rnn_wrappers: AttentionCellWrapper CompiledWrapper EmbeddingWrapper HighwayWrapper
            InputProjectionWrapper OutputProjectionWrapper
    ''',
    'contrib.rnn.python.ops.core_rnn_cell': '''
        _contrib.rnn_wrappers: _Linear=Linear
    ''',
    'contrib.saved_model': '''
        _contrib.thin: get_saved_model_tag_sets get_signature_def_by_key read_saved_model
        _train.model_builder: simple_save
        _train.model_loader: load
    ''',
    'contrib.seq2seq': '''
        _contrib.attention: AttentionMechanism BahdanauAttention BahdanauMonotonicAttention LuongAttention
            LuongMonotonicAttention hardmax monotonic_attention safe_cumprod
        _contrib.attention_wrapper: AttentionWrapper AttentionWrapperState
        _contrib.beam_search: BeamSearchDecoder BeamSearchDecoderOutput BeamSearchDecoderState
            FinalBeamSearchDecoderOutput gather_tree tile_batch
        _contrib.decoders: BasicDecoder BasicDecoderOutput Decoder dynamic_decode
        _contrib.helpers: CustomHelper GreedyEmbeddingHelper Helper InferenceHelper SampleEmbeddingHelper
            ScheduledEmbeddingTrainingHelper ScheduledOutputTrainingHelper TrainingHelper
        _contrib.sequences: sequence_loss
    ''',
    'contrib.seq2seq.python.ops.attention_wrapper': '''
        _contrib.attention: _BaseAttentionMechanism=Mechanism
            _BaseMonotonicAttentionMechanism=MonotonicMechanism
        _contrib.attention_wrapper: _compute_attention=compute_attention
    ''',
    'contrib.signal': '''
        ops.signal_ops: frame hamming_window hann_window
        ops.spectral_ops: linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms stft
    ''',
    'contrib.slim': '''
        _contrib.arguments: add_arg_scope arg_scope arg_scoped_arguments current_arg_scope
            has_arg_scope
        _contrib.variables: add_model_variable assert_global_step assign_from_checkpoint
            assign_from_checkpoint_fn assign_from_values
            assign_from_values_fn create_global_step filter_variables get_global_step
            get_local_variables get_model_variables get_or_create_global_step
            get_trainable_variables get_unique_variable get_variables get_variables_by_name
            get_variables_by_suffix get_variables_to_restore model_variable variable
        _contrib.layers: avg_pool2d batch_norm bias_add conv1d conv2d conv2d_transpose conv3d convolution
            convolution1d convolution2d convolution2d_transpose convolution3d dropout elu
            embed_sequence flatten fully_connected layer_norm linear max_pool2d one_hot_encoding
            relu relu6 repeat stack unit_norm variance_scaling_initializer xavier_initializer
            xavier_initializer_conv2d
        _contrib.regularizers: apply_regularization l1_l2_regularizer l1_regularizer
            l2_regularizer sum_regularizer
        ops.embedding_ops: safe_embedding_lookup_sparse
    ''' + _CONTRIB_MORE_LAYERS,
    'contrib.slim.learning': '''
        _contrib.evaluation: add_gradients_summaries
        _contrib.learning: clip_gradient_norms create_train_op multiply_gradients
        _contrib.slim_training: train train_step
    ''',
    'contrib.slim.evaluation': '''
        _contrib.evaluation: checkpoints_iterator wait_for_new_checkpoint
        _contrib.slim_training: evaluate_once evaluation_loop
    ''',
    'contrib.slim.losses': _CONTRIB_LOSSES,
    'contrib.slim.metrics': _CONTRIB_METRICS,
    'contrib.slim.prefetch_queue': '''
        _contrib.prefetch_queue: prefetch_queue
    ''',
    'contrib.slim.utils': '''
        _contrib.layer_utils: append_tensor_alias channel_dimension collect_named_outputs constant_value
            convert_collection_to_dict first_dimension gather_tensors_aliases get_tensor_aliases
            get_variable_collections last_dimension n_positive_integers smart_cond two_element_tuple
    ''',
    'contrib.slim.model_analyzer': '''
        _contrib.layer_utils: analyze_ops analyze_vars tensor_description
    ''',
    'contrib.staging': '''
        ops.staging: StagingArea
    ''',
    'contrib.tensorboard.plugins': '''
        _contrib.projector: projector=
    ''',
    'contrib.slim.variables': '''
        _contrib.arguments: add_arg_scope arg_scope arg_scoped_arguments current_arg_scope
            has_arg_scope
        _contrib.variables: add_model_variable assert_global_step assign_from_checkpoint
            assign_from_checkpoint_fn assign_from_values
            assign_from_values_fn create_global_step filter_variables get_global_step
            get_local_variables get_model_variables get_or_create_global_step
            get_trainable_variables get_unique_variable get_variables get_variables_by_name
            get_variables_by_suffix get_variables_to_restore model_variable variable
    ''',
    'contrib.util': '''
        _contrib.thin: ops_used_by_graph_def stripped_op_list_for_graph
        framework.static_value: constant_value=get_static_value
        framework.tensor_util: make_ndarray make_tensor_proto
    ''',
    'debugging': '''
        ops.check_ops: assert_equal assert_greater assert_greater_equal assert_less
            assert_less_equal assert_negative assert_non_negative assert_non_positive
            assert_all_finite assert_near assert_none_equal assert_positive
        ops.check_shapes: assert_rank assert_rank_at_least assert_rank_in
        ops.count_ops: is_non_decreasing is_strictly_increasing
        ops.math_ops: is_finite is_inf is_nan
    ''',
    'distributions': _DISTRIBUTIONS,
    'autograph': '''
        modules.autograph: to_code to_graph
    ''',
    'graph_util': '''
        framework.graph_util: convert_variables_to_constants extract_sub_graph
            must_run_on_cpu remove_training_nodes tensor_shape_from_node_def_name
    ''',
    'image': '''
        ops.image_ops: resize_image_with_crop_or_pad transpose_image=transpose
        ops.image_boxes: crop_and_resize draw_bounding_boxes extract_glimpse extract_image_patches
            sample_distorted_bounding_box
        ops.image_resize: ResizeMethod=ResizeMethodV1 resize=resize_images resize_area
            resize_bicubic resize_bilinear resize_image_with_pad resize_images
            resize_nearest_neighbor
    ''',
    'initializers': '''
        ops.init_ops: constant=constant_initializer glorot_normal=glorot_normal_initializer
            glorot_uniform=glorot_uniform_initializer he_normal he_uniform
            identity=identity_initializer lecun_normal orthogonal=orthogonal_initializer
            uniform_unit_scaling=uniform_unit_scaling_initializer lecun_uniform
            ones=ones_initializer random_normal=random_normal_initializer
            random_uniform=random_uniform_initializer
            truncated_normal=truncated_normal_initializer
            variance_scaling=variance_scaling_initializer zeros=zeros_initializer
        variables.sets: global_variables=global_variables_initializer
            local_variables=local_variables_initializer variables=variables_initializer
        ops.lookup_ops: tables_initializer
    ''',
    'io': '''
        ops.data_flow_ops: PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
        modules.tf_record: TFRecordCompressionType tf_record_iterator
        ops.io_ops: decode_csv=decode_csv_v1 decode_raw=decode_raw_v1
        ops.parsing_ops: parse_example=parse_example_v1
            parse_single_example=parse_single_example_v1
        ops.sparse_store: serialize_many_sparse serialize_sparse
    ''',
    'linalg': '''
        ops.array_ops: transpose=matrix_transpose
    ''',
    'layers': '''
        _layers.base: InputSpec Layer
        _layers.core: Dense Dropout Flatten Input dense dropout flatten
        _layers.convolutional: Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose
            SeparableConv1D SeparableConv2D conv1d conv2d conv2d_transpose conv3d
            conv3d_transpose separable_conv1d separable_conv2d
        _layers.normalization: BatchNormalization batch_normalization
        _layers.pooling: AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D
            MaxPooling2D MaxPooling3D average_pooling1d average_pooling2d average_pooling3d
            max_pooling1d max_pooling2d max_pooling3d
    ''',
    'losses': '''
        _layers.losses: Reduction absolute_difference add_loss compute_weighted_loss cosine_distance
            get_losses get_regularization_loss get_regularization_losses get_total_loss
            hinge_loss huber_loss log_loss mean_pairwise_squared_error mean_squared_error
            sigmoid_cross_entropy softmax_cross_entropy sparse_softmax_cross_entropy
    ''',
    'manip': '''
        ops.array_ops: gather_nd reshape reverse roll scatter_nd tile
    ''',
    'math': '''
        ops.count_ops: bincount=bincount_v1 confusion_matrix=confusion_matrix_v1
        ops.math_ops: argmax argmin
        ops.nn_ops: in_top_k log_softmax softmax
        ops.reduce_ops: count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max
            reduce_mean reduce_min reduce_prod reduce_sum
    ''',
    'saved_model': '''
        _train.model_names: LEGACY_INIT_OP_KEY MAIN_OP_KEY
        _train.model_signatures: build_signature_def build_tensor_info
            classification_signature_def get_tensor_from_tensor_info is_valid_signature
            predict_signature_def regression_signature_def
        _train.model_builder: Builder=SavedModelBuilder main_op_with_restore simple_save
        _train.model_loader: load maybe_saved_model_directory
        _train.object_loader: load_v2=load
    ''',
    'saved_model.experimental': '''
        _train.object_saver: save
    ''',
    'saved_model.builder': '''
        _train.model_builder: SavedModelBuilder
    ''',
    'saved_model.constants': '''
        _train.model_names: ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB
            LEGACY_INIT_OP_KEY MAIN_OP_KEY SAVED_MODEL_FILENAME_PB SAVED_MODEL_FILENAME_PBTXT
            SAVED_MODEL_SCHEMA_VERSION VARIABLES_DIRECTORY VARIABLES_FILENAME
    ''',
    'saved_model.loader': '''
        _train.model_loader: load maybe_saved_model_directory
    ''',
    'saved_model.main_op': '''
        _train.model_builder: main_op main_op_with_restore
    ''',
    'saved_model.signature_constants': '''
        _train.model_names: CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES
            CLASSIFY_OUTPUT_SCORES DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS
            PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS REGRESS_METHOD_NAME REGRESS_OUTPUTS
    ''',
    'saved_model.signature_def_utils': '''
        _train.model_signatures: build_signature_def classification_signature_def
            is_valid_signature predict_signature_def regression_signature_def
    ''',
    'saved_model.tag_constants': '''
        _train.model_names: GPU SERVING TPU TRAINING
    ''',
    'saved_model.utils': '''
        _train.model_signatures: build_tensor_info get_tensor_from_tensor_info
    ''',
    'metrics': '''
        _layers.metrics: accuracy false_negatives false_positives mean mean_absolute_error
            mean_cosine_distance mean_iou mean_per_class_accuracy mean_relative_error
            mean_squared_error mean_tensor percentage_below precision recall
            root_mean_squared_error true_negatives true_positives
        _layers.metric_thresholds: auc false_negatives_at_thresholds
            false_positives_at_thresholds precision_at_thresholds recall_at_thresholds
            sensitivity_at_specificity specificity_at_sensitivity
            true_negatives_at_thresholds true_positives_at_thresholds
        _layers.metric_ranks: average_precision_at_k precision_at_k precision_at_top_k
            recall_at_k recall_at_top_k sparse_average_precision_at_k sparse_precision_at_k
    ''',
    'nn': '''
        ops.embedding_ops: embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse
        ops.sample_ops: log_uniform_candidate_sampler nce_loss sampled_softmax_loss
            uniform_candidate_sampler
        ops.ctc_ops: ctc_beam_search_decoder ctc_beam_search_decoder_v2 ctc_loss ctc_loss_v2
        ops.conv_ops: conv2d_backprop_filter conv2d_backprop_input
            depthwise_conv2d_native_backprop_filter depthwise_conv2d_native_backprop_input
        ops.pool_ops: fractional_avg_pool fractional_max_pool
        variables.rnn: bidirectional_dynamic_rnn dynamic_rnn raw_rnn static_bidirectional_rnn static_rnn
            static_state_saving_rnn
        ops.count_ops: space_to_batch
        ops.space_ops: with_space_to_batch
        ops.special_ops: crelu weighted_cross_entropy_with_logits
        ops.nn_more: batch_norm_with_global_normalization dilation2d erosion2d
            sufficient_statistics weighted_moments
        ops.conv_ops: conv1d conv2d conv2d_transpose conv3d conv3d_transpose convolution
            depthwise_conv2d depthwise_conv2d_native separable_conv2d
        ops.nn_ops: dropout in_top_k log_softmax moments relu_layer
            softmax xw_plus_b
        ops.entropy_ops: sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits
            softmax_cross_entropy_with_logits_v2 sparse_softmax_cross_entropy_with_logits
        ops.pool_ops: avg_pool avg_pool2d=avg_pool avg_pool_v2 fused_batch_norm max_pool
            max_pool_v2 max_pool_with_argmax pool
    ''',
    'profiler': '''
        modules.model_analyzer: Profiler advise profile write_op_log
        modules.profile_messages: AdviceProto GraphNodeProto MultiGraphNodeProto OpLogProto
        modules.profile_options: ProfileOptionBuilder
    ''',
    'python_io': '''
        modules.tf_record: TFRecordCompressionType TFRecordOptions TFRecordWriter
            tf_record_iterator
    ''',
    'nn.rnn_cell': '''
        variables.rnn_cell: BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell
            LSTMStateTuple MultiRNNCell ResidualWrapper RNNCell
    ''',
    'random': '''
        framework.scopes: set_random_seed
        ops.random_ops: get_seed multinomial poisson=random_poisson
        ops.stateless_ops: stateless_multinomial
    ''',
    'ragged': '''
        ops.ragged_ops: RaggedTensorValue
        ops.ragged_shapes: placeholder
    ''',
    'spectral': '''
        ops.signal_ops: irfft irfft2d irfft3d rfft rfft2d rfft3d
        ops.spectral_ops: dct idct
    ''',
    'sets': '''
        ops.sets_ops: set_difference=difference set_intersection=intersection set_size=size
            set_union=union
    ''',
    'sparse': '''
        ops.sparse_ops: add=add_v1 concat=concat_v1 matmul=sparse_dense_matmul placeholder
            reduce_max=reduce_max_v1 reduce_max_sparse reduce_sum=reduce_sum_v1
            reduce_sum_sparse split=split_v1
        ops.sparse_segments: segment_mean=sparse_segment_mean
            segment_sqrt_n=sparse_segment_sqrt_n segment_sum=sparse_segment_sum
        ops.accumulator_ops: SparseConditionalAccumulator
    ''',
    'strings': '''
        ops.string_ops: length reduce_join=reduce_join_v1 substr
            to_hash_bucket=to_hash_bucket_v1 to_number=to_number_v1
        ops.string_pieces: split=split_v1
    ''',
    'examples.tutorials.mnist': '''
        _contrib.mnist_data: input_data=
        _contrib.mnist_model: mnist=
    ''',
    'g3doc.tutorials.mnist': '''
        _contrib.mnist_data: input_data=
        _contrib.mnist_model: mnist=
    ''',
    'test': '''
        modules.test: assert_equal_graph_def=assert_equal_graph_def_v1 mock
        modules.gradient_checker: compute_gradient=compute_gradient_v1 compute_gradient_error
    ''',
    'summary': '''
        base.protos: Event SessionLog Summary SummaryDescription TaggedRunMetadata
        _summary.file_writer: initialize
        _summary.summary_ops: audio get_summary_description histogram image merge merge_all
            scalar tensor_summary text
        _summary.writing: all_v2_summary_ops
        _summary.writer: FileWriter
        _summary.writer_cache: FileWriterCache
    ''',
    'train': '''
        _summary.summary_ops: summary_iterator
        modules.coordinator: LooperThread
        _train.global_step: assert_global_step create_global_step get_global_step
            get_or_create_global_step global_step write_graph
        modules.input_batches: batch batch_join maybe_batch maybe_batch_join
            maybe_shuffle_batch maybe_shuffle_batch_join shuffle_batch shuffle_batch_join
        modules.input_producers: input_producer limit_epochs match_filenames_once
            range_input_producer slice_input_producer string_input_producer
        _train.replica_devices: replica_device_setter
        _train.warm_start: VocabInfo init_from_checkpoint warm_start
        modules.queue_runner: QueueRunner add_queue_runner start_queue_runners
        _train.cluster: Server
        _train.hooks: FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook
            NanLossDuringTrainingError NanTensorHook SecondOrStepTimer StopAtStepHook
        _train.monitored_session: ChiefSessionCreator MonitoredSession MonitoredTrainingSession
            SessionCreator SingularMonitoredSession WorkerSessionCreator
        _train.checkpoint: Checkpoint=CheckpointV1
        _train.saver: Saver import_meta_graph
        _train.meta_graph: export_meta_graph
        base.protos: SaverDef
        _train.checkpoint_reader: NewCheckpointReader
        _train.checkpoint_state: checkpoint_exists generate_checkpoint_state_proto
            get_checkpoint_mtimes remove_checkpoint update_checkpoint_state
        _train.optimizer: Optimizer
        _train.optimizers: AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer AdamOptimizer
            FtrlOptimizer GradientDescentOptimizer MomentumOptimizer ProximalAdagradOptimizer
            ProximalGradientDescentOptimizer RMSPropOptimizer
        _train.run_hooks: SessionRunArgs SessionRunContext SessionRunHook SessionRunValues
        _train.saving_hooks: CheckpointSaverHook CheckpointSaverListener ProfilerHook
            StepCounterHook SummarySaverHook
        _train.scaffold: Scaffold
        _train.schedules: cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay
            linear_cosine_decay natural_exp_decay noisy_linear_cosine_decay piecewise_constant
            piecewise_constant_decay=piecewise_constant polynomial_decay
        _train.session_manager: SessionManager
        _train.supervisor: Supervisor basic_train_loop
        _train.sync_replicas: SyncReplicasOptimizer
    ''',
    'feature_column': '''
        _features.categorical:
            categorical_column_with_vocabulary_file=categorical_column_with_vocabulary_file_v1
        _features.dense: shared_embedding_columns
        _features.layers: input_layer linear_model
    ''',
    'estimator': '''
        _contrib.estimator: add_metrics
        _estimator.canned: BaselineClassifier BaselineRegressor DNNClassifier DNNEstimator
            DNNLinearCombinedClassifier DNNLinearCombinedRegressor DNNRegressor LinearClassifier
            LinearEstimator LinearRegressor
    ''',
    'estimator.experimental': '''
        _estimator.early_stopping: InMemoryEvaluatorHook make_early_stopping_hook
            stop_if_higher_hook stop_if_lower_hook stop_if_no_decrease_hook stop_if_no_increase_hook
    ''',
    'estimator.inputs': '''
        _estimator.inputs: numpy_input_fn pandas_input_fn
    ''',
    'train.experimental': '''
        _train.loss_scale: DynamicLossScale FixedLossScale LossScale MixedPrecisionLossScaleOptimizer
            disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite
    ''',
    'mixed_precision': '''
        _train.loss_scale: DynamicLossScale FixedLossScale LossScale MixedPrecisionLossScaleOptimizer
            disable_mixed_precision_graph_rewrite enable_mixed_precision_graph_rewrite
    ''',
    'mixed_precision.experimental': '''
        _train.loss_scale: DynamicLossScale FixedLossScale LossScale
    ''',
    'train.queue_runner': '''
        modules.queue_runner: QueueRunner add_queue_runner start_queue_runners
    ''',
}
# Functions that make one op and nothing else: the op, and its names.
OPS = '''
    AudioSpectrogram: contrib.framework.audio_ops.audio_spectrogram
    DecodeWav: contrib.framework.audio_ops.decode_wav
    EncodeWav: contrib.framework.audio_ops.encode_wav
    Mfcc: contrib.framework.audio_ops.mfcc
    ArgMax: arg_max
    ArgMin: arg_min
    AsString: dtypes.as_string
    BatchToSpaceND: batch_to_space_nd manip.batch_to_space_nd
    Betainc: betainc
    Cholesky: cholesky
    Conv3DBackpropFilterV2: nn.conv3d_backprop_filter nn.conv3d_backprop_filter_v2
    Cross: cross
    DecodeBase64: decode_base64
    DecodeCompressed: decode_compressed
    EncodeBase64: encode_base64
    FFT: fft spectral.fft
    FFT2D: fft2d spectral.fft2d
    FFT3D: fft3d spectral.fft3d
    FakeQuantWithMinMaxArgs: fake_quant_with_min_max_args
    FakeQuantWithMinMaxArgsGradient: fake_quant_with_min_max_args_gradient
    FakeQuantWithMinMaxVars: fake_quant_with_min_max_vars
    FakeQuantWithMinMaxVarsGradient: fake_quant_with_min_max_vars_gradient
    FakeQuantWithMinMaxVarsPerChannel: fake_quant_with_min_max_vars_per_channel
    FakeQuantWithMinMaxVarsPerChannelGradient: fake_quant_with_min_max_vars_per_channel_gradient
    IFFT: ifft spectral.ifft
    IFFT2D: ifft2d spectral.ifft2d
    IFFT3D: ifft3d spectral.ifft3d
    Igamma: igamma
    Igammac: igammac
    MatchingFiles: matching_files
    MatrixDeterminant: matrix_determinant
    MatrixInverse: matrix_inverse
    MatrixSolve: matrix_solve
    ParseTensor: parse_tensor
    Polygamma: polygamma
    Qr: qr
    QuantizedAvgPool: nn.quantized_avg_pool
    QuantizedConcat: quantized_concat
    QuantizedConv2D: nn.quantized_conv2d
    QuantizedMaxPool: nn.quantized_max_pool
    QuantizedReluX: nn.quantized_relu_x
    ResizeArea: image.resize_area
    ReverseV2: reverse_v2
    SdcaFprint: train.sdca_fprint
    SdcaOptimizer: train.sdca_optimizer
    SdcaShrinkL1: train.sdca_shrink_l1
    SegmentMax: segment_max
    SegmentMean: segment_mean
    SegmentMin: segment_min
    SegmentProd: segment_prod
    SegmentSum: segment_sum
    SpaceToBatchND: manip.space_to_batch_nd
    SparseMatMul: sparse_matmul
    StringStrip: string_strip
    StringToHashBucketFast: string_to_hash_bucket_fast
    StringToHashBucketStrong: string_to_hash_bucket_strong
    TensorScatterAdd: tensor_scatter_add
    TensorScatterSub: tensor_scatter_sub
    UnsortedSegmentMax: unsorted_segment_max
    UnsortedSegmentMin: unsorted_segment_min
    UnsortedSegmentProd: unsorted_segment_prod
    WriteFile: write_file
    Zeta: zeta
'''
