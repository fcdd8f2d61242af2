import tensorflow as tf

log = []
v = tf.Variable(0)

@tf.function
def step(n):
    log.append(n)
    v.assign_add(n)
    return v.read_value()

print(step(tf.constant(1)), step(tf.constant(2)))
print(len(log), type(log[0]).__name__)
external = 5
@tf.function
def captured(x):
    return x + external
print(captured(tf.constant(1)))
external = 100
print(captured(tf.constant(1)), captured(tf.constant(1.)))

@tf.function
def makes():
    u = tf.Variable(1)
    return u
try:
    makes()
except ValueError as e:
    print(str(e)[:120])

leak = []
@tf.function
def leaking(x):
    leak.append(x * 2)
    return x
leaking(tf.constant(2))
print(leak[0].shape, leak[0].dtype)
try:
    print(leak[0] + 1)
except Exception as e:
    print(type(e).__name__, str(e)[:110])
try:
    leak[0].numpy()
except Exception as e:
    print(type(e).__name__, e)
