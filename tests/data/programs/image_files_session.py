# TF1
import numpy as np
import tensorflow as tf

image = (np.arange(9 * 8 * 3) * 11 % 256).astype(np.uint8).reshape(9, 8, 3)
data = tf.placeholder(tf.string, name='data')
png = tf.image.decode_png(data, channels=3)
gray = tf.image.decode_png(data, channels=1)
any_kind = tf.image.decode_image(data)
print(png.shape, any_kind.shape, png.op.name, any_kind.op.name)
encoded = tf.image.encode_png(tf.constant(image))
as_jpeg = tf.image.encode_jpeg(tf.constant(image), quality=80, format='rgb')
with tf.Session() as session:
    file = session.run(encoded)
    print(np.array_equal(session.run(png, {data: file}), image))
    print(session.run(gray, {data: file})[0, :, 0])
    print(session.run(any_kind, {data: file}).shape)
    jpeg = session.run(as_jpeg)
    print(len(jpeg), session.run(any_kind, {data: jpeg})[0, 0])
    print(session.run(tf.image.extract_jpeg_shape(jpeg)))
    print(session.run(tf.image.decode_and_crop_jpeg(jpeg, [1, 2, 3, 2]))[0])
    try:
        session.run(png, {data: b'nothing'})
    except tf.errors.InvalidArgumentError as error:
        print(error.message.splitlines()[0])
