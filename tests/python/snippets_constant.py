"""snippets_constant.py - Which values become constants, of which types; what operators do with them.

The same expressions are tried in TF1 and TF2, which follow different rules. Many
share a process.
"""

EXPRESSIONS = {
    "operators": [
        "C(1)+1.5", "1.5+C(1)", "C(1)*1.5", "C(1)-'a'", "C(1.0)+1", "C(1)<1.5",
        "1.5<C(1)", "C(1)==1.5", "C(1)=='a'", "C([1,2])==[1,2,3]", "C([1,2])==None",
        "C([1,2])!='a'", "C(1)//0.5", "C(1)/2.5", "C(1)**0.5", "C(1)+True", "C(1)&1.5",
        "C(1)@C(1)", "C(1)+np.float64(1.5)", "C(1)+np.array([1.5])",
        "np.array([1.5])+C(1)", "np.float32(2)*C(1)", "C(1.0)+np.float64(1.5)",
        "C(1.0)*np.array([1.,2.])", "np.array([1.,2.])*C(1.0)", "C(1.0)+np.int64(1)",
        "C(1)+C(1,tf.int64)", "C(1)+C(1,tf.int8)", "tf.add(C(1),1.5)",
        "tf.multiply(C(1),1.5)", "tf.maximum(C(1),1.5)", "tf.maximum(C(1),C(1.0))",
        "tf.multiply(1,2.5)", "tf.multiply(1.5,2)", "tf.add_n([])",
        "tf.add_n([C(1),C(1.0)])", "tf.add_n(C(1))", "\")[0])", "",
    ],
    "conversions": [
        "tf.convert_to_tensor(None)", "tf.convert_to_tensor(C(1),tf.float32)",
        "tf.convert_to_tensor(C(1),dtype_hint=tf.float32)",
        "tf.convert_to_tensor(1,dtype_hint=tf.float32)",
        "tf.convert_to_tensor(1.5,dtype_hint=tf.int32)",
        "tf.convert_to_tensor([C(1),2.5])", "tf.convert_to_tensor([C(1.0),2])",
        "tf.convert_to_tensor('a',tf.int32)", "tf.convert_to_tensor(tf.Variable(1))",
        "tf.convert_to_tensor(tf.Variable(1),tf.float32)",
        "tf.convert_to_tensor(tf.TensorShape([1,2]))",
        "tf.convert_to_tensor(tf.TensorShape([None]))",
        "tf.convert_to_tensor(np.array([1.,2.]),tf.float32)",
        "tf.convert_to_tensor([np.array([1.,2.])])", "tf.convert_to_tensor({1,2})",
    ],
    "functions": [
        "tf.zeros([2],'int32')", "tf.zeros(2)", "tf.zeros([-1])", "tf.zeros('a')",
        "tf.zeros([C(2),3])", "tf.fill([2],'a')", "tf.ones([2],tf.string)",
        "tf.zeros([2],tf.string)", "tf.cast([1,2],'nope')", "tf.cast([1.7],tf.int32)",
        "tf.cast(None,tf.int32)", "tf.reshape([1,2],[-1,-1])", "tf.range('a')",
        "tf.stack([])", "tf.stack([1,'a'])", "tf.concat([[1],[2.5]],0)",
        "tf.concat([[1],['a']],0)", "tf.concat([C([1]),C([1.0])],0)",
    ],
    "arrays": [
        "C(np.array(['a','b']))", "C(np.array([1,'a'],dtype=object))",
        "C(np.datetime64('2020-01-01'))", "C(np.float16(1))",
        "C(np.array([1.0]),tf.int32)", "C(np.array([1.5]),tf.int32)",
        "C(np.array([300]),tf.uint8)", "C(np.int64(5))", "C(np.array(5))",
        "C(np.longdouble(1))", "C(np.bool_(True))", "C([np.float64(1.5)])",
        "C([np.float32(1.5),2])", "C([np.int64(1)])",
        "C([np.array([1,2]),np.array([3,4])])",
    ],
    "shapes": [
        "C([1,2],shape=[2,1])", "C([1,2],shape=[3])", "C(1,shape=[2])",
        "C([1,2,3],shape=[2])", "C([1,2],shape=[2,2])",
    ],
    "types": [
        "C([1,'a'])", "C(1,tf.float32)", "C(1.5,tf.int32)", "C([1.5],tf.int32)",
        "C(True,tf.int32)", "C(1,tf.bool)", "C('a',tf.int32)", "C(1,tf.string)",
        "C(1.5,tf.complex64)", "C(300,tf.uint8)", "C(-1,tf.uint8)", "C([300],tf.uint8)",
        "C(C(1),tf.float32)", "C(1,'float32')", "C(1,float)", "C(1,'nope')", "C(1,int)",
    ],
    "lists": [
        "C([[1],[1,2]])", "C([1,[2]])", "C([None])", "C([1,None])", "C(['a',1])",
        "C([1,2.5])", "C([1.5,2])", "C([True,1])", "C([1,True])", "C([1,1j])",
        "C([2**31])", "C([])", "C([[]])", "C(())",
    ],
    "scalars": [
        "C(None)", "C(1j)", "C(2**31)", "C(2**40)", "C(2**63)", "C(2**64)", "C(-2**63)",
        "C(1e40)", "C(1e-50)", "C({})", "C({'a':1})", "C(set())", "C(b'a')",
        "C(range(3))", "C('ü')",
    ],
}

_TRY_ALL = """
import numpy as np
def tried(text):
  if hasattr(tf, 'reset_default_graph'): tf.reset_default_graph()
  try: return repr(eval(text, {'tf': tf, 'np': np, 'C': tf.constant}))
  except Exception as error: return f'{type(error).__name__}: {error}'
[(text, tried(text)) for text in %r]
"""
CASES = {about: _TRY_ALL % (texts,) for about, texts in EXPRESSIONS.items()}
