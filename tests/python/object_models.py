"""object_models.py - Models that TF2 writes with their objects, and what programs find in them.

    object_models.py make FOLDER     writes the models, on TensorFlow
    object_models.py read FOLDER     prints what is in them, on TensorFlow or on Berth
"""

from __future__ import annotations

import os
import sys

import tensorflow as tf
from model_functions import Functions


class Layer(tf.Module):
    def __init__(self, count: int) -> None:
        super().__init__()
        self.w = tf.Variable(tf.ones([2, count]), name="w")
        self.b = tf.Variable(tf.zeros([count]), trainable=False)

    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


class Network(Functions):
    def __init__(self, words: str) -> None:
        super().__init__()
        self.layers = [Layer(2), Layer(2)]
        self.named = {"a": Layer(3), "b": tf.Variable(7)}
        self.pair = (tf.Variable(1), tf.Variable([2.0], name="second"))
        self.calls = tf.Variable(0, name="calls")
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["x", "y"], [10, 20]), -1)
        self.words = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
            words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
        self.asset = tf.saved_model.Asset(words)
        self.large = tf.constant(list(range(300)), tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def look(self, words):
        return self.table.lookup(words), self.words.lookup(words)


def make(folder: str) -> None:
    words = os.path.join(folder, "words.txt")
    with open(words, "w") as file:
        file.write("one\ntwo\n")
    network = Network("words.txt")
    network.layers[1].w.assign([[1.0, -2.0], [0.5, 3.0]])
    network.layers[0](tf.ones([3, 2]))
    network.named["a"](tf.ones([1, 2]))
    network.nested({"a": tf.constant(1.0), "b": [tf.constant(2.0)]}, tf.constant(3.0), scale=2.0, k=tf.constant(4.0))
    network.chosen(tf.constant(1.0), 2)
    network.chosen(tf.constant([1.0, 2.0]), 3, training=True)
    tf.saved_model.save(network, os.path.join(folder, "network"), signatures={
        "serving_default": network.two.get_concrete_function(), "look": network.look})
    os.remove(words)


def attempt(function) -> None:
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__, error)


def read(folder: str) -> None:
    path = os.path.join(folder, "network")
    model = tf.saved_model.load(path)
    x = tf.constant([[1.0, 2.0]])
    print("-- functions")
    attempt(lambda: model(x))
    attempt(lambda: model([[1.0, 1.0], [0.0, 1.0]])[0])
    attempt(lambda: model.look(tf.constant(["x", "two", "none"])))
    attempt(lambda: [int(model.loop(tf.constant(n))) for n in (0, 1, 5)] + [model.calls.numpy()])
    numbers = {"a": tf.constant(1.0), "b": [tf.constant(2.0)]}
    attempt(lambda: model.nested(numbers, tf.constant(3.0), scale=2.0, k=tf.constant(4.0)))
    attempt(lambda: model.nested({"a": 1.0, "b": [2.0]}, 3.0, scale=2.0, k=5.0))
    try:
        model.nested(numbers, scale=2.0)
    except ValueError as error:
        print(str(error).splitlines()[:2])
    attempt(lambda: model.chosen(tf.constant(1.0), 2))
    attempt(lambda: model.chosen(1.0, 2))
    attempt(lambda: model.chosen(tf.constant([1.0, 2.0]), 3, training=True))
    attempt(lambda: model.chosen(tf.constant(1.0), 3))
    attempt(lambda: model.total())
    attempt(lambda: model.total(3))
    attempt(lambda: model.two([1.0, 2.0], 3))
    attempt(lambda: model.two(n=tf.constant(3), a=tf.constant([1.0, 2.0])))
    attempt(lambda: model.two(tf.constant([1.0, 2.0])))
    attempt(lambda: model.layers[1](tf.ones([3, 2])))
    attempt(lambda: model.named["a"](tf.ones([1, 2])))
    attempt(lambda: tf.function(lambda value: model(value)[0])(tf.ones([2, 2])))
    print("-- objects")
    attempt(lambda: (len(model.layers), model.layers[1].w, model.layers[1].b.trainable, model.pair))
    attempt(lambda: (sorted(model.named), model.named["b"], model.asset.asset_path.numpy()[-9:]))
    attempt(lambda: model.large)
    attempt(lambda: model.layers[1].w.assign_add(tf.ones([2, 2])))
    attempt(lambda: model(x))
    print("-- slopes")
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(model(x)[0])
    for slope in tape.gradient(loss, [x, model.layers[0].w, model.layers[1].w]):
        print(slope)
    print("-- signatures")
    default = model.signatures["serving_default"]
    attempt(lambda: (sorted(model.signatures), sorted(default.structured_input_signature[1].items()),
                     default.structured_outputs))
    attempt(lambda: default(first=tf.constant([1.0, 2.0]), n=tf.constant(3)))
    attempt(lambda: default(first=[1.0, 2.0], n=3))
    attempt(lambda: sorted(model.signatures["look"](tf.constant(["y"])).items()))
    attempt(lambda: model.signatures["none"])
    for wrong in ((tf.constant([1.0, 2.0]), tf.constant(3)), {"first": tf.constant([1.0, 2.0])},
                  {"first": tf.constant([1, 2]), "n": tf.constant(3)}):
        try:
            default(**wrong) if isinstance(wrong, dict) else default(*wrong)
        except Exception as error:
            print(type(error).__name__)
    print("-- mistakes")
    attempt(lambda: model.missing)
    attempt(lambda: tf.saved_model.load(path, tags=["other"]))
    attempt(lambda: tf.saved_model.load(path, tags=["serve"]).pair[0])
    attempt(lambda: tf.saved_model.load("nowhere"))


if __name__ == "__main__":
    os.chdir(sys.argv[2])
    make(".") if sys.argv[1] == "make" else read(".")
