"""test_protos.py - The messages of TensorFlow: real ones of protobuf, loaded cheaply."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from berth.base import protos
from google.protobuf import json_format, message, message_factory, text_format
from script import run


def config() -> message.Message:
    made = protos.ConfigProto(log_device_placement=True, gpu_options=protos.GPUOptions(allow_growth=True),
                              device_count={'GPU': 0})
    made.gpu_options.experimental.virtual_devices.add().memory_limit_mb.append(512)
    return made


def graph() -> message.Message:
    made = protos.GraphDef()
    node = made.node.add(name='a', op='Const')
    node.attr['shape'].list.shape.add().dim.add().size = 3
    node.attr['f'].func.attr['q'].i = -1
    return made


@pytest.mark.parametrize('make', (config, graph))
def test_messages_survive_every_form(make: object) -> None:
    first = make()  # type: ignore[operator]
    kind = type(first)
    assert kind.FromString(first.SerializeToString()) == first
    assert text_format.Parse(text_format.MessageToString(first), kind()) == first
    assert json_format.Parse(json_format.MessageToJson(first), kind()) == first


def test_classes_are_protobufs() -> None:
    assert isinstance(config(), message.Message)
    assert type(config().gpu_options) is protos.GPUOptions
    assert message_factory.GetMessageClass(graph().DESCRIPTOR) is protos.GraphDef


def test_every_name_can_be_had() -> None:
    made = {name: getattr(protos, name) for name in dir(protos)}
    assert made['DT_FLOAT'] == 1 and made['DataType'].Name(3) == 'DT_INT32'
    for kind in made.values():
        assert not isinstance(kind, type) or isinstance(kind(), message.Message)


@pytest.mark.parametrize('implementation', ('python', 'upb'))
def test_either_implementation_works(implementation: str) -> None:
    env = {**os.environ, 'PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION': implementation}
    code = 'from berth.base import protos; print(protos.ConfigProto(device_count={"CPU": 2}).SerializeToString())'
    done = subprocess.run([sys.executable, '-c', code], env=env, text=True, capture_output=True)
    assert done.stdout.strip() == r"b'\n\x07\n\x03CPU\x10\x02'", done.stderr


def test_settings_load_little_of_protobuf() -> None:
    code = ('import sys; from berth.base import protos; protos.ConfigProto(allow_soft_placement=True); '
            'print([m for m in ("text_format", "descriptor_pb2") if "google.protobuf." + m in sys.modules])')
    done = subprocess.run([sys.executable, '-c', code], text=True, capture_output=True)
    assert done.stdout.strip() == '[]', done.stderr


def test_threads_meet_messages_at_once() -> None:
    """All of them get the same classes, whole, and nothing of them goes away."""
    assert run("""
        import sys, threading
        from berth.base import protos
        sys.setswitchinterval(1e-6)
        names = ['NodeDef', 'GraphDef', 'ConfigProto', 'RunMetadata']
        found, start = [], threading.Barrier(8)
        def meet():
            start.wait()
            found.append([id(getattr(protos, name)) for name in names for _ in range(20)])
            protos.NodeDef.FromString(protos.NodeDef(name='a').SerializeToString())
        threads = [threading.Thread(target=meet) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(len(found), len({tuple(each) for each in found}))
    """) == "8 1\n"
