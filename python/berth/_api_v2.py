"""_api_v2 - Public names that only TF2 has, or has with other arguments."""

NAMES = {
    '': '''
        framework.convert: constant=constant_v2
        framework.device_spec: DeviceSpec=DeviceSpecV2
        framework.scopes: name_scope=name_scope_v2
        ops.array_ops: where=where_v2
        ops.check_ops: assert_equal=assert_equal_v2 assert_greater=assert_greater_v2
            assert_less=assert_less_v2 assert_rank=assert_rank_v2
        ops.logging_ops: print=print_v2
    ''',
    'debugging': '''
        ops.check_ops: assert_equal=assert_equal_v2 assert_greater=assert_greater_v2
            assert_greater_equal=assert_greater_equal_v2 assert_less=assert_less_v2
            assert_less_equal=assert_less_equal_v2 assert_negative=assert_negative_v2
            assert_non_negative=assert_non_negative_v2
            assert_non_positive=assert_non_positive_v2
            assert_none_equal=assert_none_equal_v2 assert_positive=assert_positive_v2
            assert_rank=assert_rank_v2 assert_rank_at_least=assert_rank_at_least_v2
    ''',
    'initializers': '''
        framework.convert: constant=constant_v2
        ops.init_ops: Initializer
    ''',
    'nn': '''
        ops.nn_ops: softmax_cross_entropy_with_logits=softmax_cross_entropy_with_logits_v2
    ''',
    'random': '''
        eager.context: set_seed
    ''',
}
