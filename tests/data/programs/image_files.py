import tensorflow as tf, numpy as np
im=(np.arange(6*5*3)*7%256).astype(np.uint8).reshape(6,5,3)
p=tf.io.encode_png(im); print(np.array_equal(tf.io.decode_png(p),im))
print(tf.io.decode_image(p,dtype=tf.float32).dtype, tf.image.decode_image(p, expand_animations=False).shape)
j=tf.io.encode_jpeg(im); print(tf.io.decode_jpeg(j).numpy()[0,0], tf.image.extract_jpeg_shape(j).numpy(), tf.io.is_jpeg(j).numpy())
print(tf.io.decode_and_crop_jpeg(j,[1,1,2,2]).numpy().tolist())
@tf.function
def f(b): return tf.io.decode_image(b, channels=3, expand_animations=False)
print(f(p).shape, f.get_concrete_function(p).output_shapes)
try: print(tf.io.decode_image(p, dtype=tf.float64).numpy()[0,0])
except Exception as e: print(type(e).__name__, e)
try: tf.io.decode_png(b'abc')
except Exception as e: print(type(e).__name__, e)
with tf.Graph().as_default():
    x=tf.compat.v1.placeholder(tf.string); y=tf.image.decode_jpeg(x,channels=3); print(y.shape, y.name)
    z=tf.image.resize(tf.expand_dims(tf.cast(y,tf.float32),0),[4,4]); print(z.shape)
    with tf.compat.v1.Session() as s: print(s.run(z,{x:j.numpy()}).sum())
f=np.random.default_rng(0).uniform(0,1,(5,4,3)).astype(np.float32)
I=tf.image
for n,g in (('c',lambda:I.adjust_contrast(f,1.7)),('c8',lambda:I.adjust_contrast(im,.3)),('h',lambda:I.adjust_hue(f,.3)),('h8',lambda:I.adjust_hue(im,-.2)),('s',lambda:I.adjust_saturation(f,1.7)),('s8',lambda:I.adjust_saturation(im,.2)),('hsv',lambda:I.rgb_to_hsv(f)),('rgb',lambda:I.hsv_to_rgb(f)),('q',lambda:I.adjust_jpeg_quality(f,40)),('sq',lambda:I.stateless_random_jpeg_quality(im,20,90,(1,2))),('sb',lambda:I.stateless_random_brightness(f,.2,(1,2))),('sc',lambda:I.stateless_random_contrast(f,.2,.9,(1,2))),('sh',lambda:I.stateless_random_hue(f,.2,(1,2))),('ss',lambda:I.stateless_random_saturation(f,.2,.9,(1,2))),('sf',lambda:I.stateless_random_flip_left_right(f,(3,2))),('sf4',lambda:I.stateless_random_flip_up_down(np.stack([f]*4),(3,2))),('cr',lambda:I.stateless_random_crop(f,(2,2,3),(3,2))),('cre',lambda:I.stateless_random_crop(f,(9,2,3),(3,2))),('qe',lambda:I.random_jpeg_quality(f,9,2)),('ce',lambda:I.adjust_contrast(f[0],1.)),('he',lambda:I.adjust_hue(f[...,:2],.1))):
    try: r=g().numpy(); print(n,r.dtype,r.shape,repr(float(r.astype(np.float64).sum())), r.ravel()[:4])
    except Exception as e: print(n,type(e).__name__,str(e)[:150])
