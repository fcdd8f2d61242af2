import tensorflow as tf

log = []


@tf.function
def f(x):
    print("Traced with", x)
    log.append("trace")
    tf.print("Executed with", x)
    return x


f(1)
f(1)
f(2)
f(tf.constant(3))
f(tf.constant(4))
print(log)

external = tf.Variable(0)
counter = 0


@tf.function
def g():
    global counter
    counter += 1
    external.assign_add(1)
    return external.value()


for _ in range(3):
    print(g().numpy())
print(counter, external.numpy())

factor = 2


@tf.function
def h(x):
    return x * factor


print(h(tf.constant(1)))
factor = 5
print(h(tf.constant(1)), h(tf.constant(1.0)))


@tf.function
def nested_outer(x):
    return h(x) + f(x)


print(nested_outer(tf.constant(10)))
