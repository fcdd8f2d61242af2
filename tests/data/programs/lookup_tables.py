import tensorflow as tf, numpy as np
K=tf.lookup
t=K.StaticHashTable(K.KeyValueTensorInitializer(['a','b'],[1,2]),-1)
print(t.lookup(tf.constant(['a','z'])), t.size().numpy(), t[tf.constant(['b'])].numpy(), t.name)
print(sorted(t.export()[0].numpy()), t.key_dtype, t.value_dtype)
@tf.function
def f(x): return t.lookup(x)
print(f(tf.constant([['a'],['q']])))
try: t.lookup(tf.constant([1]))
except Exception as e: print(type(e).__name__,e)
try: K.StaticHashTable(K.KeyValueTensorInitializer(['a','a'],[1,2]),-1)
except Exception as e: print(type(e).__name__,str(e)[:200])
v=K.StaticVocabularyTable(K.KeyValueTensorInitializer(['x','y'],tf.constant([0,1],tf.int64)),3)
print(v.lookup(tf.constant(['x','y','zz','w'])).numpy(), v.size().numpy())
m=K.experimental.MutableHashTable(tf.int64,tf.float32,0.)
m.insert([1,2],[.5,.7]); print(m.lookup([1,3]).numpy(), m.size().numpy())
m.remove(tf.constant([1],tf.int64)); print(m.export()[0].numpy(), m.lookup([1,3],dynamic_default_values=[8.,9.]).numpy())
w=K.experimental.MutableHashTable(tf.string,tf.int32,[0,0]); w.insert('k',[3,4]); print(w.lookup(['k','j']).numpy(), w.lookup('k').shape)
try: w.insert(['k'],[3])
except Exception as e: print(type(e).__name__,str(e)[:200])
d=K.experimental.DenseHashTable(tf.int64,tf.int64,-1,empty_key=0,deleted_key=-1)
d.insert([5,6],[7,8]); print(d.lookup([5,9]).numpy()); d.erase(tf.constant([5],tf.int64)); print(d.size().numpy())
try: d.insert([0],[1])
except Exception as e: print(type(e).__name__,str(e)[:160])
sp=tf.SparseTensor([[0,0],[1,2]],['a','q'],[2,3]); r=t.lookup(sp); print(r.values.numpy(), r.dense_shape.numpy())
@tf.function
def g(k,x):
    m.insert(k,x)
    return m.lookup(k)
print(g(tf.constant([9],tf.int64),tf.constant([3.])).numpy(), m.size().numpy())
import os, tempfile
path=os.path.join(tempfile.mkdtemp(),'words.txt')
open(path,'w').write('red\ngreen\nblue\n')
x=K.StaticHashTable(K.TextFileInitializer(path,tf.string,K.TextFileIndex.WHOLE_LINE,tf.int64,K.TextFileIndex.LINE_NUMBER),-1)
print(x.lookup(tf.constant(['blue','pink'])).numpy())
with tf.Graph().as_default():
    v1=tf.compat.v1
    h=v1.lookup.StaticHashTable(K.KeyValueTensorInitializer(['a','b'],[10,20]),-1)
    p=v1.placeholder(tf.string,[None]); y=h.lookup(p); print(y.shape,y.name,h.name, h.size().name)
    mm=K.experimental.MutableHashTable(tf.string,tf.int64,-1); ins=mm.insert(p,tf.constant([4,5],tf.int64)); q=mm.lookup(p); print(q.shape,q.name,ins.name)
    with v1.Session() as s:
        try: s.run(y,{p:['a']})
        except Exception as e: print(type(e).__name__, str(e).splitlines()[1:3])
        s.run(v1.tables_initializer()); print(s.run(y,{p:['a','c']}))
        s.run(ins,{p:['u','v']}); print(s.run(q,{p:['v','x']}), s.run(mm.size()))
try: K.StaticHashTable(K.KeyValueTensorInitializer(tf.constant([],tf.string),tf.constant([],tf.int64)),-1)
except Exception as e: print(type(e).__name__,str(e)[-120:])
