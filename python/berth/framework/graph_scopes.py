"""graph_scopes.py - What is in force while a graph is built, and control dependencies."""

from __future__ import annotations

import threading
from typing import Any

from berth.framework.device_scope import DeviceScope
from berth.framework.node import Operation


class GraphScopes:
    """The scopes in force, for all threads that build the graph."""

    def __init__(self) -> None:
        self.names = ''
        self.devices: tuple[DeviceScope, ...] = ()
        self.colocation: tuple[Operation, ...] = ()
        self.controls: tuple[ControlScope, ...] = ()
        self.flow: Any = None  # The branch or loop being built; see flow_context.py.
        self.body: Any = None  # The function whose ops are made in a session's graph; see eager/in_place.py.


class ThreadScopes(threading.local, GraphScopes):
    """The same, for each thread of its own."""

    def __init__(self) -> None:
        GraphScopes.__init__(self)


class ControlScope:
    """Operations that those made inside wait for."""

    def __init__(self, graph: Any, ops: list[Operation] | None) -> None:
        self.graph = graph
        self.clears = ops is None
        self.ops = ops or []
        self.inside: set = set()
        self._outer: tuple[ControlScope, ...] = ()
        self._flow: Any = None

    def __enter__(self) -> None:
        scopes = self.graph._scopes
        self._outer, self._flow = scopes.controls, scopes.flow
        scopes.controls = (self,) if self.clears else scopes.controls + (self,)
        if self.clears:
            scopes.flow = None

    def __exit__(self, *exc: Any) -> None:
        scopes = self.graph._scopes
        scopes.controls = self._outer
        if self.clears:
            scopes.flow = self._flow
