"""Drives a running `obload proxy --control` with a Toxiproxy client that shares no code with obload.

The PyPI package `chaostoolkit-toxiproxy` makes the requests, unchanged; plain sockets prove what each toxic does on the
wire. Prints one line per thing proven, and ends with 0 if all were.
"""

import argparse
import socket
import socketserver
import threading
import time

from chaostoxi.proxy import actions as proxies
from chaostoxi.proxy import probes
from chaostoxi.toxic import actions as toxics

LIMIT = 10  # seconds that anything may take


class Echo(socketserver.BaseRequestHandler):
    """Sends back what it gets, and ends when the client does."""

    def handle(self):
        try:
            while data := self.request.recv(65536):
                self.request.sendall(data)
        except ConnectionError:
            pass


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def connect(configuration):
    client = socket.create_connection(("127.0.0.1", int(configuration["peer_PORT"])), timeout=LIMIT)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def receive(client, count):
    data = b""
    while len(data) < count:
        piece = client.recv(count - len(data))
        if not piece:
            raise AssertionError(f"ended after {len(data)} of {count} bytes")
        data += piece
    return data


def round_trip(client, data=b"ping"):
    """Seconds until all of it is back."""
    began = time.monotonic()
    threading.Thread(target=client.sendall, args=(data,)).start()
    assert receive(client, len(data)) == data, "other bytes came back"
    return time.monotonic() - began


def ends(client):
    """How a connection ends: "fin" or "reset"."""
    try:
        while client.recv(65536):
            pass
        return "fin"
    except ConnectionResetError:
        return "reset"


def remove(name, configuration):
    assert toxics.delete_toxic("peer", name, configuration=configuration)


def latency(configuration):
    with connect(configuration) as client:
        round_trip(client)
        assert toxics.create_latency_toxic("peer", "slow", latency=200, jitter=0, configuration=configuration)
        took = round_trip(client)
        assert 0.2 <= took < 1, took
        remove("slow", configuration)
        assert round_trip(client) < 0.15


def bandwidth(configuration):
    with connect(configuration) as client:
        assert toxics.create_bandwith_degradation_toxic("peer", "line", rate=100, configuration=configuration)
        took = round_trip(client, b"x" * 50_000)
        assert 0.45 <= took < 2, took
        remove("line", configuration)


def slow_close(configuration):
    with connect(configuration) as client:
        assert toxics.create_slow_connection_close_toxic("peer", "lazy", delay=400, configuration=configuration)
        round_trip(client)
        began = time.monotonic()
        client.shutdown(socket.SHUT_WR)
        assert ends(client) == "fin"
        assert 0.4 <= time.monotonic() - began < 2
        remove("lazy", configuration)


def timeout(configuration):
    with connect(configuration) as client:
        round_trip(client)
        assert toxics.create_timeout_toxic("peer", "dead", timeout=300, configuration=configuration)
        began = time.monotonic()
        client.sendall(b"lost")
        assert client.recv(1) == b""
        assert 0.25 <= time.monotonic() - began < 2
        remove("dead", configuration)


def slicer(configuration):
    with connect(configuration) as client:
        assert toxics.create_slicer_toxic(
            "peer", "knife", average_size=100, size_variation=20, delay=1000, configuration=configuration
        )
        data = bytes(range(256)) * 8
        assert round_trip(client, data) >= 0.015
        remove("knife", configuration)


def limit_data(configuration):
    with connect(configuration) as client:
        assert toxics.create_limiter_toxic("peer", "cap", bytes_limit=10, configuration=configuration)
        client.sendall(b"0123456789abcdef")
        assert receive(client, 10) == b"0123456789"
        assert ends(client) in ("fin", "reset")
        remove("cap", configuration)


def reset_peer(configuration):
    with connect(configuration) as client:
        round_trip(client)
        assert toxics.create_toxic(
            "peer", "cut", "reset_peer", stream="upstream", attributes={"timeout": 50}, configuration=configuration
        )
        client.sendall(b"x")
        assert ends(client) == "reset"
        remove("cut", configuration)


def toxicity(configuration):
    assert toxics.create_toxic(
        "peer", "some", "latency", toxicity=0.5, attributes={"latency": 80}, configuration=configuration
    )
    slow = 0
    for _ in range(40):
        with connect(configuration) as client:
            slow += round_trip(client) >= 0.08
    assert 8 <= slow <= 32, slow
    remove("some", configuration)


def disabling(configuration):
    client = connect(configuration)
    round_trip(client)
    assert proxies.disable_proxy("peer", configuration=configuration)
    assert ends(client) in ("fin", "reset")
    try:
        connect(configuration)
        raise AssertionError("a disabled proxy accepts")
    except ConnectionRefusedError:
        pass
    assert probes.get_proxy_attribute("peer", "enabled", configuration=configuration) is False
    assert proxies.enable_proxy("peer", configuration=configuration)
    with connect(configuration) as client:
        round_trip(client)


def resetting(configuration):
    assert toxics.create_latency_toxic("peer", "slow", latency=5000, configuration=configuration)
    assert proxies.disable_proxy("peer", configuration=configuration)
    assert proxies.reset(configuration=configuration)
    assert probes.get_proxy_attribute("peer", "toxics", configuration=configuration) == []
    with connect(configuration) as client:
        assert round_trip(client) < 1


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("control", help="where the control API is, as http://127.0.0.1:8474")
    configuration = {"toxiproxy_url": options.parse_args().control}
    server = Server(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    assert proxies.create_proxy(
        "peer", "127.0.0.1", server.server_address[1], listen_host="127.0.0.1", configuration=configuration
    )
    assert probes.proxy_exist("peer", configuration=configuration)
    for prove in (
        latency, bandwidth, slow_close, timeout, slicer, limit_data, reset_peer, toxicity, disabling, resetting
    ):
        prove(configuration)
        print("proven:", prove.__name__, flush=True)
    proxies.delete_proxy("peer", configuration=configuration)
    assert not probes.proxy_exist("peer", configuration=configuration)
    print("proven: all", flush=True)


if __name__ == "__main__":
    main()
