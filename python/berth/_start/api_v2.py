"""api_v2 - Public names that only TF2 has, or has with other arguments."""

NAMES = {
    'data': '''
        _data.dataset: Dataset=DatasetV2
        _data.files: FixedLengthRecordDataset=FixedLengthRecordDatasetV2
            TFRecordDataset=TFRecordDatasetV2 TextLineDataset=TextLineDatasetV2
        _data.iterators: Iterator=OwnedIterator NumpyIterator
    ''',
    'saved_model.experimental': '''
        framework.trackable: TrackableResource
    ''',
    'saved_model': '''
        _train.object_loader: load
    ''',
    'feature_column': '''
        _features.categorical: categorical_column_with_vocabulary_file
    ''',
    'data.experimental': '''
        _data.csv_files: CsvDataset=CsvDatasetV2
    ''',
    '': '''
        eager.function: inside_function
        framework.convert: constant=constant_v2
        framework.device_spec: DeviceSpec=DeviceSpecV2
        framework.scopes: get_current_name_scope name_scope=name_scope_v2
        variables.graph_variable: Variable
        variables.replicas: VariableAggregation=VariableAggregationV2
        ops.array_ops: where=where_v2
        ops.check_ops: assert_equal=assert_equal_v2 assert_greater=assert_greater_v2
            assert_less=assert_less_v2
        ops.check_shapes: assert_rank=assert_rank_v2
        ops.count_ops: batch_to_space=batch_to_space_v2 space_to_batch=space_to_batch_v2
        ops.gradients_ops: gradients=gradients_v2 hessians=hessians_v2
        ops.logging_ops: print=print_v2
        ops.v2_ops: cond=cond_v2 while_loop=while_loop_v2 gather_nd=gather_nd_v2
            constant_initializer=constant_initializer_v2 norm=norm_v2
            ones_initializer=ones_initializer_v2
            random_normal_initializer=random_normal_initializer_v2
            random_uniform_initializer=random_uniform_initializer_v2
            reverse_sequence=reverse_sequence_v2 zeros_initializer=zeros_initializer_v2
            argmax=argmax_v2 argmin=argmin_v2 boolean_mask=boolean_mask_v2
            convert_to_tensor=convert_to_tensor_v2 device=device_v2
            expand_dims=expand_dims_v2 gather=gather_v2 ones_like=ones_like_v2 pad=pad_v2
            reduce_all=reduce_all_v2 reduce_any=reduce_any_v2
            reduce_logsumexp=reduce_logsumexp_v2 reduce_max=reduce_max_v2
            reduce_mean=reduce_mean_v2 reduce_min=reduce_min_v2 reduce_prod=reduce_prod_v2
            reduce_sum=reduce_sum_v2 shape=shape_v2 size=size_v2 squeeze=squeeze_v2
            transpose=transpose_v2 tuple=tuple_v2 zeros_like=zeros_like_v2
        ops.factor_ops: eig eigvals
    ''',
    '__internal__': '''
        eager.func_graph: FuncGraph
        eager.tensor: EagerTensor
        framework.composite: CompositeTensor=Composite
        framework.node: SymbolicTensor
    ''',
    '__internal__.decorator': '''
        modules.python_util: make_decorator unwrap
    ''',
    '__internal__.distribute': '''
        _distribute.merging: strategy_supports_no_merge_call
    ''',
    '__internal__.distribute.interim': '''
        _distribute.merging: maybe_merge_call
    ''',
    '__internal__.eager_context': '''
        modules.modes: eager_mode
    ''',
    '__internal__.ops': '''
        modules.modes: is_resource_variable
    ''',
    '__internal__.smart_cond': '''
        modules.modes: smart_cond
    ''',
    '__internal__.tf2': '''
        modules.modes: enabled
    ''',
    '__internal__.tracking': '''
        framework.trackable: AutoTrackable Trackable TrackableReference no_automatic_dependency_tracking
            wrap=wrap_or_unwrap
    ''',
    '__internal__.types': '''
        framework.node: Tensor=Native
    ''',
    '__internal__.types.data': '''
        _data.dataset: Dataset=DatasetV2
    ''',
    'compiler.tf2xla.python.xla': '''
        ops.xla_ops: dynamic_slice dynamic_update_slice
    ''',
    'experimental.dtensor': '''
        modules.dtensor: MATCH UNSHARDED
    ''',
    'autograph': '''
        modules.autograph: to_code=to_code_v2 to_graph=to_graph_v2
    ''',
    'debugging': '''
        ops.check_ops: assert_equal=assert_equal_v2 assert_greater=assert_greater_v2
            assert_greater_equal=assert_greater_equal_v2 assert_less=assert_less_v2
            assert_less_equal=assert_less_equal_v2 assert_negative=assert_negative_v2
            assert_non_negative=assert_non_negative_v2
            assert_non_positive=assert_non_positive_v2
            assert_none_equal=assert_none_equal_v2 assert_positive=assert_positive_v2
            assert_all_finite=assert_all_finite_v2 assert_near=assert_near_v2
        ops.check_shapes: assert_integer=assert_integer_v2 assert_rank=assert_rank_v2
            assert_rank_at_least=assert_rank_at_least_v2 assert_rank_in=assert_rank_in_v2
            assert_scalar=assert_scalar_v2 assert_type=assert_type_v2
    ''',
    'image': '''
        ops.image_boxes: crop_and_resize=crop_and_resize_v2
            draw_bounding_boxes=draw_bounding_boxes_v2 extract_glimpse=extract_glimpse_v2
            sample_distorted_bounding_box=sample_distorted_bounding_box_v2
            stateless_sample_distorted_bounding_box
        ops.image_files: stateless_random_jpeg_quality
        ops.image_random: stateless_random_brightness stateless_random_contrast
            stateless_random_crop stateless_random_flip_left_right
            stateless_random_flip_up_down stateless_random_hue
            stateless_random_saturation
        ops.image_resize: ResizeMethod resize resize_with_pad
    ''',
    'initializers': '''
        ops.init_v2_ops: Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity
            IdentityInitializer=Identity Initializer LecunNormal LecunUniform Ones
            RandomNormal RandomUniform TruncatedNormal VarianceScaling Zeros
            constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform
            he_normal=HeNormal he_uniform=HeUniform identity=Identity
            lecun_normal=LecunNormal lecun_uniform=LecunUniform ones=Ones
            random_normal=RandomNormal random_uniform=RandomUniform
            truncated_normal=TruncatedNormal variance_scaling=VarianceScaling zeros=Zeros
    ''',
    'io': '''
        ops.io_ops: decode_csv decode_raw
        ops.parsing_ops: parse_example parse_single_example
        ops.sparse_store: serialize_many_sparse=serialize_many_sparse_v2
            serialize_sparse=serialize_sparse_v2
    ''',
    'linalg': '''
        ops.factor_ops: banded_triangular_solve eig eigvals
        ops.v2_ops: norm=norm_v2
    ''',
    'math': '''
        ops.count_ops: bincount confusion_matrix
        ops.v2_ops: argmax=argmax_v2 argmin=argmin_v2 count_nonzero=count_nonzero_v2
            in_top_k=in_top_k_v2 log_softmax=log_softmax_v2 reduce_all=reduce_all_v2
            reduce_any=reduce_any_v2 reduce_logsumexp=reduce_logsumexp_v2
            reduce_max=reduce_max_v2 reduce_mean=reduce_mean_v2 reduce_min=reduce_min_v2
            reduce_prod=reduce_prod_v2 reduce_sum=reduce_sum_v2 softmax=softmax_v2
    ''',
    'nn': '''
        ops.embedding_ops: embedding_lookup=embedding_lookup_v2
            embedding_lookup_sparse=embedding_lookup_sparse_v2
            safe_embedding_lookup_sparse=safe_embedding_lookup_sparse_v2
        ops.sample_ops: nce_loss=nce_loss_v2 sampled_softmax_loss=sampled_softmax_loss_v2
        ops.ctc_ops: ctc_beam_search_decoder=ctc_beam_search_decoder_v2 ctc_loss=ctc_loss_v2
        ops.pool_ops: fractional_avg_pool=fractional_avg_pool_v2
            fractional_max_pool=fractional_max_pool_v2
        ops.count_ops: space_to_batch=space_to_batch_v2
        ops.conv_ops: conv1d=conv1d_v2 conv2d=conv2d_v2 conv2d_transpose=conv2d_transpose_v2
            conv3d=conv3d_v2 conv3d_transpose=conv3d_transpose_v2 convolution=convolution_v2
            depthwise_conv2d=depthwise_conv2d_v2 separable_conv2d=separable_conv2d_v2
        ops.pool_ops: avg_pool=avg_pool_v2 avg_pool2d max_pool=max_pool_v2
            max_pool_with_argmax=max_pool_with_argmax_v2 pool=pool_v2
        ops.special_ops: crelu=crelu_v2 gelu
            weighted_cross_entropy_with_logits=weighted_cross_entropy_with_logits_v2
        ops.nn_more: dilation2d=dilation2d_v2 erosion2d=erosion2d_v2 isotonic_regression
            sufficient_statistics=sufficient_statistics_v2
            batch_norm_with_global_normalization=batch_norm_with_global_normalization_v2
            weighted_moments=weighted_moments_v2
        ops.v2_ops: depth_to_space=depth_to_space_v2 space_to_depth=space_to_depth_v2
            softmax_cross_entropy_with_logits=softmax_cross_entropy_with_logits_v2
            dropout=dropout_v2
            in_top_k=in_top_k_v2
            log_softmax=log_softmax_v2 moments=moments_v2
            sigmoid_cross_entropy_with_logits=sigmoid_cross_entropy_with_logits_v2
            softmax=softmax_v2
            sparse_softmax_cross_entropy_with_logits=sparse_softmax_cross_entropy_with_logits_v2
    ''',
    'sparse': '''
        ops.sparse_ops: add concat map_values reduce_max reduce_sum split
        ops.sparse_segments: segment_mean=sparse_segment_mean_v2
            segment_sqrt_n=sparse_segment_sqrt_n_v2 segment_sum=sparse_segment_sum_v2
    ''',
    'summary': '''
        _summary.file_writer: SummaryWriter create_file_writer create_noop_writer flush
        _summary.plugins: audio histogram image scalar text
        _summary.recording: record_if should_record_summaries
        _summary.tracing: trace_export trace_off trace_on
        _summary.writing: graph write
    ''',
    'summary.experimental': '''
        _summary.recording: get_step set_step
        _summary.writing: summary_scope write_raw_pb
    ''',
    'strings': '''
        ops.string_ops: length=length_v2 reduce_join substr=substr_v2 to_hash_bucket
            to_number
        ops.string_pieces: split
    ''',
    'autodiff': '''
        eager.tape: GradientTape
        eager.forward: ForwardAccumulator
    ''',
    'train': '''
        _train.objects: TrackableView
    ''',
    'test': '''
        modules.gradient_checker: compute_gradient
    ''',
    'profiler.experimental': '''
        modules.profiler: Profile ProfilerOptions Trace start stop
    ''',
    'random': '''
        framework.seeds: set_seed
        ops.random_ops: poisson=random_poisson_v2
    ''',
}
OPS = ''
