"""test_train.py - Random sequences of optimisers' updates, against the same in numpy's doubles."""

from __future__ import annotations

import pathlib

import pytest

from script import run

# What each does to the variable |v| and its slots, by the op's arguments.
PROGRAM = """
import numpy as np
import berth as tf

def momentum(v, s, g, k, flag):
    s["accum"] = s["accum"] * k["momentum"] + g
    step = g * k["lr"] + s["accum"] * k["momentum"] * k["lr"] if flag else s["accum"] * k["lr"]
    return v - step

def keras_momentum(v, s, g, k, flag):
    s["accum"] = s["accum"] * k["momentum"] - g * k["lr"]
    return v + (s["accum"] * k["momentum"] - g * k["lr"] if flag else s["accum"])

def adagrad(v, s, g, k, flag):
    s["accum"] = s["accum"] + (0 if flag is False else g * g)
    return v - k["lr"] * g / (np.sqrt(s["accum"]) + k.get("epsilon", 0))

def adadelta(v, s, g, k, flag):
    s["accum"] = s["accum"] * k["rho"] + g * g * (1 - k["rho"])
    step = np.sqrt(s["accum_update"] + k["epsilon"]) / np.sqrt(s["accum"] + k["epsilon"]) * g
    s["accum_update"] = s["accum_update"] * k["rho"] + step * step * (1 - k["rho"])
    return v - step * k["lr"]

def rms_prop(v, s, g, k, flag):
    s["ms"] = s["ms"] + (g * g - s["ms"]) * (1 - k["rho"])
    spread = s["ms"] + k["epsilon"]
    if "mg" in s:
        s["mg"] = s["mg"] + (g - s["mg"]) * (1 - k["rho"])
        spread = spread - s["mg"] ** 2
    s["mom"] = s["mom"] * k["momentum"] + k["lr"] * g / np.sqrt(spread)
    return v - s["mom"]

def adam(v, s, g, k, flag):
    rate = k["lr"] * np.sqrt(1 - k["beta2_power"]) / (1 - k["beta1_power"])
    s["m"] = s["m"] + (g - s["m"]) * (1 - k["beta1"])
    s["v"] = s["v"] + (g * g - s["v"]) * (1 - k["beta2"])
    if "vhat" in s:
        s["vhat"] = np.maximum(s["vhat"], s["v"])
    m = g * (1 - k["beta1"]) + k["beta1"] * s["m"] if flag else s["m"]
    return v - rate * m / (np.sqrt(s.get("vhat", s["v"])) + k["epsilon"])

def ada_max(v, s, g, k, flag):
    s["m"] = s["m"] + (g - s["m"]) * (1 - k["beta1"])
    s["v"] = np.maximum(k["beta2"] * s["v"], abs(g))
    return v - k["lr"] / (1 - k["beta1_power"]) * s["m"] / (s["v"] + k["epsilon"])

def signs(v, s, g, k, flag):
    s["m"] = s["m"] * k["beta"] + g * (1 - k["beta"])
    both = np.sign(g) * np.sign(s["m"])
    if "logbase" in k:
        return v - k["lr"] * np.exp(k["logbase"] * k["sign_decay"] * both) * g
    return v - k["lr"] * (k["alpha"] + k["sign_decay"] * both) * g

def ftrl(v, s, g, k, flag):
    shrunk = g + 2 * k.get("l2_shrinkage", 0) * v
    total, power = s["accum"] + g * g, -k["lr_power"]
    rise = (total ** power - s["accum"] ** power) / k["lr"]
    linear = s["linear"] / k["lr"] if flag else s["linear"]
    linear = linear + shrunk - rise * v
    s["accum"], s["linear"] = total, linear * k["lr"] if flag else linear
    best = (k["l1"] * np.sign(linear) - linear) / (total ** power / k["lr"] + 2 * k["l2"])
    return np.where(abs(linear) > k["l1"], best, 0)

def shrink(x, k, rate):
    return np.sign(x) * np.maximum(abs(x) - rate * k["l1"], 0) / (1 + rate * k["l2"])

def proximal(v, s, g, k, flag):
    rate = k.get("lr", k.get("alpha"))
    if "accum" in s:
        s["accum"] = s["accum"] + g * g
        rate = rate / np.sqrt(s["accum"])
    return shrink(v - rate * g, k, rate)

OPTIMISERS = {
    "GradientDescent": (lambda v, s, g, k, flag: v - k["alpha"] * g, "", "alpha", ""),
    "ProximalGradientDescent": (proximal, "", "alpha l1 l2", ""),
    "Momentum": (momentum, "accum", "lr momentum", "use_nesterov"),
    "KerasMomentum": (keras_momentum, "accum", "lr momentum", "use_nesterov"),
    "Adagrad": (adagrad, "accum", "lr", "update_slots"),
    "AdagradV2": (adagrad, "accum", "lr epsilon", "update_slots"),
    "ProximalAdagrad": (proximal, "accum", "lr l1 l2", ""),
    "Adadelta": (adadelta, "accum accum_update", "lr rho epsilon", ""),
    "RMSProp": (rms_prop, "ms mom", "lr rho momentum epsilon", ""),
    "CenteredRMSProp": (rms_prop, "mg ms mom", "lr rho momentum epsilon", ""),
    "Adam": (adam, "m v", "beta1_power beta2_power lr beta1 beta2 epsilon", "use_nesterov"),
    "AdamWithAmsgrad": (adam, "m v vhat", "beta1_power beta2_power lr beta1 beta2 epsilon", ""),
    "AdaMax": (ada_max, "m v", "beta1_power lr beta1 beta2 epsilon", ""),
    "AddSign": (signs, "m", "lr alpha sign_decay beta", ""),
    "PowerSign": (signs, "m", "lr logbase sign_decay beta", ""),
    "Ftrl": (ftrl, "accum linear", "lr l1 l2 lr_power", "multiply_linear_by_lr"),
    "FtrlV2": (ftrl, "accum linear", "lr l1 l2 l2_shrinkage lr_power", "multiply_linear_by_lr"),
}
WHOLE = {"GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax", "AddSign", "PowerSign"}
ON_HOST = {"ProximalGradientDescent"}
ROWS_ON_HOST = {"Momentum", "RMSProp", "CenteredRMSProp"}

def scalars_of(dice, names):
    values = {n: dice.uniform(0.05, 0.9) for n in names}
    if "lr_power" in values:
        values["lr_power"] = dice.choice([-0.5, -0.5, -dice.uniform(0.3, 0.7)])
    return values

def check(dice, name, dtype):
    step, slots, scalars, flag = OPTIMISERS[name]
    is_sparse = name not in WHOLE and dice.random() < 0.5
    if DEVICE != "/cpu:0" and (name in ON_HOST or (is_sparse and name in ROWS_ON_HOST)):
        return
    shape = tuple(dice.integers(1, 40, dice.integers(1, 4)))
    now = {"var": dice.standard_normal(shape)}
    for slot in slots.split():
        now[slot] = abs(dice.standard_normal(shape)) + (2 if slot == "ms" else 0.5)
    if "mg" in now:
        now["mg"] = now["mg"] * 0.1
    variables = {n: tf.Variable(x, dtype=dtype) for n, x in now.items()}
    now = {n: v.numpy().astype("d") for n, v in variables.items()}
    held = []
    for _ in range(dice.integers(1, 6)):
        rows = dice.integers(0, shape[0], dice.integers(1, 6)) if is_sparse else None
        grad = dice.standard_normal((len(rows), *shape[1:]) if is_sparse else shape)
        grad = tf.constant(grad, dtype)
        k = {n: tf.constant(x, dtype) for n, x in scalars_of(dice, scalars.split()).items()}
        what = bool(dice.integers(2)) if flag else None
        form = "ResourceSparseApply" if is_sparse else "ResourceApply"
        arguments = {n: v.handle for n, v in variables.items()} | k
        arguments["delta" if "GradientDescent" in name and not is_sparse else "grad"] = grad
        if is_sparse:
            arguments["indices"] = tf.constant(rows, dice.choice(["int32", "int64"]))
        if flag:
            arguments[flag] = what
        # A value that is held is not changed in place.
        held += [(v, v.read_value(), v.numpy()) for v in variables.values() if dice.random() < 0.3]
        getattr(tf.raw_ops, form + name)(**arguments)
        k = {n: float(x.numpy()) for n, x in k.items()}
        whole = grad.numpy().astype("d")
        for i, at in enumerate(rows if is_sparse else [slice(None)]):
            part = {n: x[at] for n, x in now.items()}
            v = step(part["var"], part, whole[i] if is_sparse else whole, k, what)
            part["var"] = v
            for n in now:
                now[n][at] = part[n]
    scale = 1e-10 if dtype == "float64" else 2e-4
    for n, v in variables.items():
        found = v.numpy()
        error = abs(found - now[n]).max() / (abs(now[n]).max() + 1)
        assert error < scale, (name, dtype, n, is_sparse, shape, error)
    for v, value, before in held:
        assert (value.numpy() == before).all(), name

dice = np.random.default_rng(SEED)
with tf.device(DEVICE):
    for _ in range(ROUNDS):
        for name in OPTIMISERS:
            check(dice, name, str(dice.choice(["float32", "float64"])))
print("done")
"""


@pytest.mark.parametrize("seed", range(4))
def test_updates_are_those_of_numpy(seed: int) -> None:
    """Whole and by rows, with rows that are named twice, while others hold the values."""
    settings = f'DEVICE, SEED, ROUNDS = "/cpu:0", {seed}, 8\n'
    assert run(settings + PROGRAM, "2") == "done\n"


def test_updates_on_a_card(tmp_path: pathlib.Path) -> None:
    """The same on a simulated card."""
    settings = 'DEVICE, SEED, ROUNDS = "/gpu:0", 7, 6\n'
    assert run(settings + PROGRAM, "2", CUDA_VISIBLE_DEVICES="0", BERTH_SIMULATE_GPUS="Tesla K20m",
               BERTH_SIMULATE_LEDGER=str(tmp_path / "ledger")) == "done\n"
