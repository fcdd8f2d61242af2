import tensorflow as tf


class Bank(tf.Module):
    def __init__(self):
        self.balance = tf.Variable(100.0)
        self.log = tf.Variable(tf.zeros([3]))

    @tf.function(autograph=False)
    def withdraw(self, amount):
        def enough():
            self.balance.assign_sub(amount)
            return True

        def short():
            return False

        return tf.cond(self.balance >= amount, enough, short)

    @tf.function(autograph=False)
    def note(self, i, value):
        self.log[i].assign(value)
        return tf.reduce_sum(self.log)


bank = Bank()
print(bank.withdraw(tf.constant(30.0)), bank.balance.numpy())
print(bank.withdraw(tf.constant(90.0)), bank.balance.numpy())
print(bank.note(tf.constant(1), tf.constant(5.0)), bank.log)
print(bank.note(tf.constant(2), tf.constant(7.0)), bank.log.numpy())


@tf.function(autograph=False)
def drain(v, step):
    return tf.while_loop(lambda n: v > 0.0, lambda n: [(v.assign_sub(step), n + 1)[1]], [tf.constant(0)])


print(drain(bank.balance, 20.0), bank.balance.numpy())
counter = tf.Variable(0)


@tf.function
def outer():
    counter.assign_add(1)
    return inner() + counter


@tf.function
def inner():
    counter.assign(counter * 10)
    return counter.read_value()


print(outer(), outer(), counter)
