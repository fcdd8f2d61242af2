"""_api_v2 - Public names that only TF2 has, or has with other arguments."""

NAMES = {
    '': '''
        framework.convert: constant=constant_v2
        framework.device_spec: DeviceSpec=DeviceSpecV2
        framework.scopes: name_scope=name_scope_v2
        ops.array_ops: where=where_v2
        ops.logging_ops: print=print_v2
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
