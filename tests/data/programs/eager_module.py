import tensorflow as tf


class SimpleModule(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.a_variable = tf.Variable(5.0, name="train_me")
        self.non_trainable_variable = tf.Variable(5.0, trainable=False, name="do_not_train_me")

    def __call__(self, x):
        return self.a_variable * x + self.non_trainable_variable


simple_module = SimpleModule(name="simple")
print(simple_module(tf.constant(5.0)))
print("trainable variables:", simple_module.trainable_variables)
print("all variables:", simple_module.variables)
print(simple_module.non_trainable_variables, simple_module.name, simple_module.name_scope)


class Dense(tf.Module):
    def __init__(self, size, name=None):
        super().__init__(name=name)
        with self.name_scope:
            self.b = tf.Variable(tf.zeros([size]), name="b")

    @tf.Module.with_name_scope
    def __call__(self, x):
        if not hasattr(self, "w"):
            self.w = tf.Variable(tf.ones([x.shape[-1], 2]), name="w")
        return tf.matmul(x, self.w) + self.b


class Sequential(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.layers = [Dense(2), Dense(2, name="second")]
        self.extra = {"k": tf.Variable(1), "m": (Dense(1),)}

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


model = Sequential(name="the_model")
print("Model results:", model(tf.constant([[2.0, 2.0, 2.0]])))
print("Submodules:", [m.name for m in model.submodules])
for var in model.variables:
    print(var, "\n")
try:
    tf.Module(name="bad name")
except ValueError as e:
    print(e)
print(tf.Module().name, SimpleModule().name, len(tf.Module().variables))
