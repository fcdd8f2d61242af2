from tensorflow.core.framework import summary_pb2, variable_pb2
from tensorflow.core.protobuf import meta_graph_pb2, saver_pb2
from tensorflow.core.example import example_pb2, feature_pb2

example = example_pb2.Example()
example.features.feature['n'].int64_list.value.append(3)
print(example)
print(summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag='loss', simple_value=0.5)]))
print(variable_pb2.VariableDef(variable_name='v'), saver_pb2.SaverDef().max_to_keep)
