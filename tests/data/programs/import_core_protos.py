from tensorflow.core.framework import graph_pb2, node_def_pb2, attr_value_pb2, types_pb2
from tensorflow.core.framework import tensor_pb2, tensor_shape_pb2, step_stats_pb2, versions_pb2
from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2, cluster_pb2
from tensorflow.core.framework.graph_pb2 import GraphDef
from tensorflow.core.framework.node_def_pb2 import NodeDef
import tensorflow as tf

graph = GraphDef()
node = graph.node.add(name='a', op='NoOp')
node.attr['T'].type = types_pb2.DT_FLOAT
print(graph)
config = config_pb2.ConfigProto(log_device_placement=True)
config.graph_options.rewrite_options.disable_meta_optimizer = True
print(config)
print(config.graph_options.rewrite_options.OFF == rewriter_config_pb2.RewriterConfig.OFF)
shape = tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=2)])
print(shape, types_pb2.DataType.Name(1), isinstance(node, NodeDef))
print(type(config), type(node), type(shape.dim[0]).__name__, versions_pb2.VersionDef(producer=3))
print(config_pb2.RunOptions.FULL_TRACE, step_stats_pb2.StepStats(), tensor_pb2.TensorProto(dtype=1))
