"""hints - What a person meant by a name that is not there.

First what TensorFlow itself has renamed, then where else the name is, then its spelling.
"""

from __future__ import annotations

from berth import _mode
from berth._start import namespaces

TYPE_CHECKING = False  # The module typing would take half the time of importing this.
if TYPE_CHECKING:
    from typing import Optional

# What names of TensorFlow became: in TF1, and where TF2 has another one, in TF2.
_RENAMED = dict(word.split('=') for word in '''
    mul=multiply sub=subtract neg=negative pack=stack unpack=unstack select=where batch_matmul=matmul
    concat_v2=concat inv=math.reciprocal listdiff=setdiff1d complex_abs=abs batch_matrix_inverse=linalg.inv
    scalar_summary=summary.scalar histogram_summary=summary.histogram image_summary=summary.image
    audio_summary=summary.audio merge_summary=summary.merge merge_all_summaries=summary.merge_all
    train.SummaryWriter=summary.FileWriter image.per_image_whitening=image.per_image_standardization
    initialize_all_variables=global_variables_initializer initialize_local_variables=local_variables_initializer
    all_variables=global_variables arg_max=argmax arg_min=argmin batch_cholesky=linalg.cholesky
    batch_matrix_diag=linalg.diag batch_matrix_transpose=linalg.matrix_transpose nn.seq2seq=contrib.legacy_seq2seq
    nn.rnn=nn.static_rnn nn.conv2d_transpose_v2=nn.conv2d_transpose
    to_int=to_int32 Graph.as_graph=Graph tensor=constant array=constant Tensors=Tensor
    power=pow mean=reduce_mean sum=reduce_sum max=reduce_max min=reduce_min prod=reduce_prod all=reduce_all
    any=reduce_any dot=tensordot mm=matmul arange=range cat=concat permute=transpose view=reshape
    softmax=nn.softmax relu=nn.relu sigmoid_cross_entropy_with_logits=nn.sigmoid_cross_entropy_with_logits
'''.split())
_IN_TF1 = dict(word.split('=') for word in 'print=Print'.split())
_IN_TF2 = dict(word.split('=') for word in '''
    Print=print Session=compat.v1.Session InteractiveSession=compat.v1.InteractiveSession
    ConfigProto=compat.v1.ConfigProto GPUOptions=compat.v1.GPUOptions log=math.log log1p=math.log1p ceil=math.ceil
    rsqrt=math.rsqrt mod=math.mod floordiv=math.floordiv floormod=math.floormod div=math.divide real=math.real
    imag=math.imag conj=math.conj angle=math.angle is_nan=math.is_nan is_inf=math.is_inf is_finite=math.is_finite
    erf=math.erf lgamma=math.lgamma digamma=math.digamma squared_difference=math.squared_difference
    reciprocal=math.reciprocal rint=math.rint logical_xor=math.logical_xor cumprod=math.cumprod
    count_nonzero=math.count_nonzero set_random_seed=random.set_seed random_normal=random.normal
    random_uniform=random.uniform truncated_normal=random.truncated_normal random_shuffle=random.shuffle
    multinomial=random.categorical to_float=cast to_double=cast to_int32=cast to_int64=cast to_bfloat16=cast
    py_func=numpy_function matrix_inverse=linalg.inv matrix_determinant=linalg.det cholesky=linalg.cholesky
    matrix_solve=linalg.solve matrix_transpose=linalg.matrix_transpose matrix_band_part=linalg.band_part
    diag=linalg.tensor_diag diag_part=linalg.tensor_diag_part qr=linalg.qr check_numerics=debugging.check_numerics
    string_join=strings.join FIFOQueue=queue.FIFOQueue QueueBase=queue.QueueBase gfile=io.gfile
    logging=compat.v1.logging app=compat.v1.app flags=compat.v1.flags
'''.split())
_GONE = 'tf.contrib left TensorFlow with version 2.0, and Berth has only parts of it'
_RATHER = 'tf.compat.v1.train has optimisers, tf.compat.v1.layers, losses and metrics what their names say'
# Names of tf.estimator, which TensorFlow itself has no longer, that Berth does not have.
_CANNED = frozenset('''
    BaselineClassifier BaselineEstimator BaselineRegressor BinaryClassHead BoostedTreesClassifier
    BoostedTreesEstimator BoostedTreesRegressor DNNClassifier DNNEstimator DNNLinearCombinedClassifier
    DNNLinearCombinedEstimator DNNLinearCombinedRegressor DNNRegressor Head
    LinearClassifier LinearEstimator LinearRegressor LogisticRegressionHead MultiClassHead MultiHead MultiLabelHead
    PoissonRegressionHead RegressionHead add_metrics classifier_parse_example_spec
    experimental regressor_parse_example_spec tpu
'''.split())
# Those of them that it has for TF1, whose optimizers they take.
_WITH_TF1 = frozenset('''
    BaselineClassifier BaselineRegressor DNNClassifier DNNEstimator DNNLinearCombinedClassifier
    DNNLinearCombinedRegressor DNNRegressor LinearClassifier LinearEstimator LinearRegressor
'''.split())
_CLOSE = 0.75  # Spellings that differ more than this are other words.


def about(mode: int, path: str, name: str) -> tuple[bool, str]:
    """Returns what to say of a missing name, and whether TensorFlow has it and Berth does not."""
    from berth._start import api, python_modules, tf1_names

    here = f'{path}.{name}' if path else name
    if here == 'contrib' or here.startswith('contrib.') and not here.startswith('contrib.keras'):
        return False, _GONE
    if path == 'estimator' and name in _CANNED:
        more = f', and tf.compat.v1.estimator.{name}' if name in _WITH_TF1 else ''
        return True, f'Berth has tf.estimator.Estimator{more}, and does not have tf.estimator.{name}'
    if namespaces.is_of_keras(mode, here) or here.startswith('contrib.keras'):
        return _about_keras(here)
    if mode == 2 and name in tf1_names.NAMES.get(path, ()):
        return False, _tf1_advice(here)
    root = here[len('python.'):] if here.startswith('python.') else here
    is_known = python_modules.tensorflow_has(mode, here) or _is_module_of_tensorflow(here)
    # What the table of names leaves out is Keras; of what is not in it nothing is to be expected.
    is_known = is_known or root.partition('.')[0] == 'keras'
    if is_known and (api.is_later(root) or _is_training(here)):
        return True, f'{_label(here)} belongs to training, which Berth does not have yet'
    other = _renamed(mode, here)
    if is_known:
        return True, f'Berth does not have {_label(here)} yet' + (f'; the nearest that it has is tf.{other}' if other else '')
    other = other or _elsewhere(mode, path, name) or _spelling(mode, path, name)
    return False, f'Did you mean tf.{other}?' if other else ''


def _about_keras(here: str) -> tuple[bool, str]:
    """Returns why a name of the package keras is not there: the package is not, or has none of that name."""
    from berth._start import keras_package

    problem = keras_package.problem()
    return (True, f'tf.{here} {problem}; {_RATHER}') if problem else (False, '')


def _label(here: str) -> str:
    """Returns what people call a name: programs write the modules below tensorflow.python out."""
    return ('tensorflow.' if here.startswith(('python', 'core')) else 'tf.') + here


def _is_training(here: str) -> bool:
    """True for modules below tensorflow.python that belong to training."""
    return here.startswith(('python.training', 'python.keras', 'python.data', 'python.ops.gradients',
                            'python.summary', 'python.saved_model', 'python.estimator', 'python.distribute'))


def _is_module_of_tensorflow(here: str) -> bool:
    from berth._start.api_modules import MODULES

    path = here[len('python.'):] if here.startswith('python.') else None
    return path is not None and any(key == path or key.startswith(path + '.') for key in MODULES)


def _tf1_advice(here: str) -> str:
    advice = (f'tf.{here} is of TF1, and this program runs as TF2 ({_mode.reason()}): use '
              f'tf.compat.v1.{here}, or run it with `berth run --tf1` or BERTH_TF=1')
    other = _IN_TF2.get(here)
    if other is None or other.startswith('compat') or not _has(2, other):
        return advice
    return f'{advice}; in TF2 it is tf.{other}'


def _renamed(mode: int, here: str) -> Optional[str]:
    """Returns what TensorFlow calls |here| today, if Berth has it."""
    for names in (_IN_TF1 if mode == 1 else _IN_TF2, _RENAMED):
        other = names.get(here)
        if other is not None and _has(mode, other):
            return other
    return None


def _has(mode: int, public: str) -> bool:
    space, _, name = public.rpartition('.')
    return name in namespaces.table(mode).get(space, {})


def _elsewhere(mode: int, path: str, name: str) -> Optional[str]:
    """Returns where else the very name is."""
    for other, names in sorted(namespaces.table(mode).items()):
        if other != path and not other.startswith('core') and name in names:
            return f'{other}.{name}' if other else name
    return None


def _spelling(mode: int, path: str, name: str) -> Optional[str]:
    """Returns the name that is spelled most like |name|, if it is close enough to be meant."""
    import difflib

    near = difflib.get_close_matches(name, namespaces.names(mode, path), 1, _CLOSE)
    if not near:
        return None
    return f'{path}.{near[0]}' if path else near[0]
