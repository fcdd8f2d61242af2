import numpy as np
import tensorflow as tf


def tried(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


x = tf.constant(np.sin(np.arange(400) ** 1.2 * 0.1).astype(np.float32).reshape(2, 200))
s = tf.signal.stft(x, 64, 32)
print(s.shape, s.dtype, np.round(s.numpy()[1, 2, :6], 3))
print(tf.signal.stft(x, 50, 20, fft_length=80, pad_end=True).shape, tf.signal.stft(x, 50, 20, window_fn=None).shape)
print(np.round(tf.signal.stft(x, 40, 20, window_fn=tf.signal.hamming_window).numpy()[0, 0, :4], 3))
m = tf.signal.linear_to_mel_weight_matrix(10, 33, 8000, 80.0, 3800.0)
print(m.shape, np.round(m.numpy()[5:9], 3))
print(tf.signal.linear_to_mel_weight_matrix().shape)
logs = tf.math.log(tf.matmul(tf.reshape(tf.abs(s), [-1, 33]), m) + 1e-6)
print(np.round(tf.signal.mfccs_from_log_mel_spectrograms(logs).numpy()[3], 2))
row = tf.constant([[1.0, 2.0, -3.0, 4.0], [0.5, 0.25, 1.0, -1.0]])
for kind in (1, 2, 3, 4):
    for norm in (None, 'ortho'):
        if kind == 1 and norm:
            continue
        print(kind, norm, np.round(tf.signal.dct(row, type=kind, norm=norm).numpy(), 3) + 0.0,
              np.round(tf.signal.idct(row, type=kind, norm=norm).numpy(), 3) + 0.0)
print(np.round(tf.signal.dct(row, n=3), 3) + 0.0, np.round(tf.signal.dct(row, n=6), 3) + 0.0)
print(tf.signal.dct(tf.cast(row, tf.float64)).dtype)
tried(lambda: tf.signal.dct(row, type=5))
tried(lambda: tf.signal.dct(row, type=1, norm='ortho'))
tried(lambda: tf.signal.dct(row, n=0))
tried(lambda: tf.signal.dct(row, axis=0))
tried(lambda: tf.signal.dct(row, norm='other'))
tried(lambda: tf.signal.dct(tf.constant([[1.0]]), type=1))
tried(lambda: tf.signal.linear_to_mel_weight_matrix(0))
tried(lambda: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=-1.0))
tried(lambda: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=4000.0))
tried(lambda: tf.signal.linear_to_mel_weight_matrix(sample_rate=-1))
tried(lambda: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=5000.0))


@tf.function(input_signature=[tf.TensorSpec([None, None])])
def spectra(signal):
    return tf.signal.stft(signal, 64, 32)


print(spectra(x).shape)
with tf.GradientTape() as tape:
    tape.watch(row)
    y = tf.reduce_sum(tf.signal.dct(row) ** 2)
print(np.round(tape.gradient(y, row).numpy(), 2))
