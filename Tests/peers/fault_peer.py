"""Both ends of a proxied connection, on plain sockets or the package websockets: what a fault does on the wire.

    fault_peer.py CHECK PORT

PORT is where the test that drives this listens; it starts the proxy and lets its fault begin. One line each way per step:
"upstream PORT" is answered by "proxy PORT", "begin" by "begun", "lift" by "lifted"; the last line is "ok" or "fail REASON".
CHECK is the name of a function below: a fault, with a variant behind an underscore.
"""

import errno
import os
import socket
import struct
import sys
import threading
import time

QUIET = 0.25  # how long silence is listened to
PATIENCE = 10  # how long something that must come is waited for


class Failed(Exception):
    pass


def check(condition, reason):
    if not condition:
        raise Failed(reason)


class Control:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.lines = self.socket.makefile("r")

    def say(self, line):
        self.socket.sendall((line + "\n").encode())

    def ask(self, line):
        self.say(line)
        return self.lines.readline().split()

    def begin(self):
        check(self.ask("begin") == ["begun"], "the fault did not begin")

    def lift(self):
        check(self.ask("lift") == ["lifted"], "the fault did not end")


control = None
listener = None
proxy = None


def setup():
    global listener, proxy
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    listener.settimeout(PATIENCE)
    proxy = int(control.ask("upstream %d" % listener.getsockname()[1])[1])


def dial():
    client = socket.create_connection(("127.0.0.1", proxy), timeout=PATIENCE)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def accept():
    server = listener.accept()[0]
    server.settimeout(PATIENCE)
    server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return server


def pair():
    """A client and the server's end of its connection, known to be whole."""
    client = dial()
    client.sendall(b"hello")
    server = accept()
    check(exactly(server, 5) == b"hello", "the first bytes did not arrive")
    return client, server


REQUEST = (
    b"GET /api HTTP/1.1\r\nHost: server\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
RESPONSE = (
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
)


def head(end):
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        data += exactly(end, 1)
    return data


def web_socket():
    client = dial()
    client.sendall(REQUEST)
    server = accept()
    head(server)
    server.sendall(RESPONSE)
    head(client)
    return client, server


def exactly(end, count):
    data = b""
    while len(data) < count:
        more = end.recv(count - len(data))
        check(more, "the connection ended after %d of %d bytes" % (len(data), count))
        data += more
    return data


def is_silent(end, seconds=QUIET):
    """Nothing comes, no end and no error either."""
    end.settimeout(seconds)
    try:
        end.recv(1)
        return False
    except TimeoutError:
        return True
    finally:
        end.settimeout(PATIENCE)


def expect_reset(end, who):
    try:
        while end.recv(65536):
            pass
        raise Failed("%s got a FIN, not an RST" % who)
    except ConnectionResetError as error:
        check(error.errno == errno.ECONNRESET, "another error: %s" % error)


def expect_turned_away():
    """The RST may come before the connect has returned."""
    try:
        client = dial()
    except ConnectionResetError:
        return
    expect_reset(client, "the client")


def until_end(end):
    data = b""
    while more := end.recv(65536):
        data += more
    return data


TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def frame(opcode, payload, masked):
    if isinstance(payload, str):
        payload = payload.encode()
    first = bytes([0x80 | opcode])
    bit = 0x80 if masked else 0
    if len(payload) < 126:
        first += bytes([bit | len(payload)])
    elif len(payload) < 65536:
        first += bytes([bit | 126]) + struct.pack(">H", len(payload))
    else:
        first += bytes([bit | 127]) + struct.pack(">Q", len(payload))
    if not masked:
        return first + payload
    key = os.urandom(4)
    return first + key + bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))


def read_frame(end):
    """Opcode, payload and whether it was masked."""
    opcode, length = exactly(end, 2)
    masked = bool(length & 0x80)
    length &= 0x7F
    if length == 126:
        length = struct.unpack(">H", exactly(end, 2))[0]
    elif length == 127:
        length = struct.unpack(">Q", exactly(end, 8))[0]
    key = exactly(end, 4) if masked else bytes(4)
    payload = exactly(end, length)
    return opcode & 15, bytes(byte ^ key[index % 4] for index, byte in enumerate(payload)), masked


def read_texts(end, count):
    texts = []
    while len(texts) < count:
        opcode, payload, _ = read_frame(end)
        if opcode == TEXT:
            texts.append(payload.decode())
    return texts


def send_texts(end, texts, masked):
    end.sendall(b"".join(frame(TEXT, text, masked) for text in texts))


# Bytes


def latency():
    client, server = pair()
    control.begin()
    start = time.monotonic()
    client.sendall(b"ping")
    exactly(server, 4)
    check(time.monotonic() - start >= 0.1, "early by %s" % (0.1 - (time.monotonic() - start)))


def bandwidth():
    client, server = pair()
    control.begin()
    start = time.monotonic()
    client.sendall(bytes(20_000))
    exactly(server, 20_000)
    check(time.monotonic() - start >= 0.2, "20,000 bytes at 100,000/s took less than 0.2 s")


def bandwidth_shared():
    pairs = [pair() for _ in range(4)]
    control.begin()
    start = time.monotonic()
    for client, _ in pairs:
        client.sendall(bytes(5_000))
    for _, server in pairs:
        exactly(server, 5_000)
    check(time.monotonic() - start >= 0.2, "four times 5,000 bytes on a line of 100,000/s took less than 0.2 s")


def slice():
    client, server = pair()
    control.begin()
    client.sendall(b"0123456789" * 2)
    pieces = []
    while sum(map(len, pieces)) < 20:
        pieces.append(server.recv(100))
    check(b"".join(pieces) == b"0123456789" * 2, "other bytes")
    check(len(pieces) > 2 and len(pieces[0]) == 4, "came in pieces of %s" % [len(piece) for piece in pieces])


def limit():
    client, server = pair()
    control.begin()
    client.sendall(b"x" * 5000)
    check(until_end(server) == b"x" * 1000, "other than 1,000 bytes and a FIN")
    check(client.recv(1) == b"", "the client got no FIN")


def blackhole():
    client, server = pair()
    control.begin()
    data = bytes(index % 251 for index in range(200_000))
    client.sendall(data)
    check(is_silent(server), "something came through")
    control.lift()
    check(exactly(server, len(data)) == data, "other bytes, or in another order")
    check(is_silent(server, 0.1), "more than was sent")


def blackhole_discarded():
    client, server = pair()
    idle, _idle_server = pair()
    control.begin()
    # More than any buffer on the way holds.
    client.sendall(bytes(8_000_000))
    check(is_silent(server), "something came through")
    control.lift()
    expect_reset(client, "the client")
    expect_reset(server, "the server")
    check(is_silent(idle, 0.1), "a connection that lost nothing ended")


def stall():
    client, server = pair()
    control.begin()
    data = os.urandom(16_000_000)
    client.settimeout(QUIET)
    sent = 0
    try:
        while sent < len(data):
            sent += client.send(data[sent : sent + 65536])
    except TimeoutError:
        pass
    check(sent < len(data), "16 MB were taken: there is no backpressure")
    check(is_silent(server, 0.05), "something came through")
    control.lift()
    client.settimeout(PATIENCE)
    rest = threading.Thread(target=client.sendall, args=(data[sent:],))
    rest.start()
    check(exactly(server, len(data)) == data, "other bytes")
    rest.join()


def corrupt_with(masked):
    client, server = web_socket()
    control.begin()
    text = '{"type":"update","value":"%s"}' % ("x" * 60)
    (client if masked else server).sendall(frame(TEXT, text, masked))
    return text, (server if masked else client)


def corrupt():
    text, end = corrupt_with(False)
    opcode, payload, masked = read_frame(end)
    check(opcode == TEXT and not masked and len(payload) == len(text), "another frame")
    bits = sum(bin(a ^ b).count("1") for a, b in zip(payload, text.encode()))
    check(bits == 3, "%d flipped bits" % bits)


def corrupt_header():
    text, end = corrupt_with(False)
    clean = frame(TEXT, text, False)
    data = exactly(end, len(clean))
    bits = sum(bin(a ^ b).count("1") for a, b in zip(data, clean))
    check(bits == 1 and data[2:] == clean[2:], "%d flipped bits" % bits)


def corrupt_mask():
    text, end = corrupt_with(True)
    check(read_frame(end) == (TEXT, text.encode(), False), "a masked frame")


def corrupt_json():
    text, end = corrupt_with(False)
    _, payload, _ = read_frame(end)
    check(len(payload) < len(text) and text.encode().startswith(payload), "not cut off")


def library_close_code(text):
    """What websockets thinks of the server's message: the code that it closes with."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    codes = []

    def serve():
        server = accept()
        request = head(server)
        key = [line for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:")][0]
        import base64
        import hashlib

        digest = hashlib.sha1(key.split(b":")[1].strip() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        server.sendall(RESPONSE.replace(b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", base64.b64encode(digest)))
        control.begin()
        server.sendall(frame(TEXT, text, False))
        while True:
            opcode, payload, _ = read_frame(server)
            if opcode == CLOSE:
                codes.append(struct.unpack(">H", payload[:2])[0])
                server.close()
                return

    thread = threading.Thread(target=serve)
    thread.start()
    with connect("ws://127.0.0.1:%d/" % proxy, compression=None, proxy=None) as client:
        try:
            client.recv(timeout=PATIENCE)
            raise Failed("the message was taken")
        except ConnectionClosed:
            pass
    thread.join()
    return codes[0]


def corrupt_utf8():
    check(library_close_code("a text") == 1007, "another close code")


def corrupt_mask_down():
    check(library_close_code("a text") == 1002, "another close code")


# Connections


def reset():
    client, server = pair()
    control.begin()
    expect_reset(client, "the client")
    expect_reset(server, "the server")


def close():
    client, server = pair()
    control.begin()
    check(client.recv(1) == b"" and server.recv(1) == b"", "no FIN")


def closeFrame():
    client, server = web_socket()
    control.begin()
    opcode, payload, masked = read_frame(client)
    check((opcode, payload, masked) == (CLOSE, struct.pack(">H", 1012) + b"restart", False), "another frame")
    check(client.recv(1) == b"", "no FIN")
    client.sendall(frame(CLOSE, payload[:2], True))
    check(read_frame(server)[0] == CLOSE, "the answer did not reach the server")


def halfOpen():
    client, server = pair()
    control.begin()
    expect_reset(server, "the server")
    client.sendall(b"anyone?")
    check(is_silent(client), "something came, or an end")
    client.sendall(b"still open")
    again, served = pair()
    served.sendall(b"works")
    check(exactly(again, 5) == b"works", "new connections do not work")
    control.lift()
    expect_reset(client, "the client")


def refuse():
    control.begin()
    expect_turned_away()
    control.lift()
    pair()


def refuse_hang():
    control.begin()
    client = dial()
    client.sendall(b"hello")
    check(is_silent(client), "something came, or an end")
    control.lift()
    check(exactly(accept(), 5) == b"hello", "not served afterwards")


def refuse_closed():
    control.begin()
    try:
        dial()
        raise Failed("somebody listens")
    except ConnectionRefusedError:
        pass
    control.lift()
    pair()


def refuse_upgrade():
    control.begin()
    client = dial()
    client.sendall(REQUEST)
    answer = until_end(client)
    check(answer.startswith(b"HTTP/1.1 503 ") and b"\r\nRetry-After: 2\r\n" in answer, "another answer")


def slowHandshake():
    control.begin()
    client = dial()
    client.sendall(REQUEST)
    server = accept()
    head(server)
    start = time.monotonic()
    server.sendall(RESPONSE + frame(TEXT, "right behind", False))
    pieces = []
    while sum(map(len, pieces)) < len(RESPONSE):
        pieces.append(client.recv(1000))
    check(b"".join(pieces).startswith(RESPONSE), "another head")
    check(time.monotonic() - start >= 0.002 * (len(RESPONSE) - 1), "too early")
    check(len(pieces) > 20, "came in %d pieces" % len(pieces))


def failFirst():
    control.begin()
    for _ in range(2):
        expect_turned_away()
    pair()
    pair()


def lifetime():
    control.begin()
    start = time.monotonic()
    first, _first_server = pair()
    time.sleep(0.1)
    second, _second_server = pair()
    check(first.recv(1) == b"", "no FIN")
    age = time.monotonic() - start
    check(age >= 0.3, "ended at %s s" % age)
    check(is_silent(second, 0.02), "a younger one ended with it")
    check(second.recv(1) == b"", "no FIN for the younger one")


def serverRestart():
    client, server = pair()
    control.begin()
    expect_reset(client, "the client")
    expect_reset(server, "the server")
    try:
        dial()
        raise Failed("somebody listens")
    except ConnectionRefusedError:
        pass
    control.lift()
    pair()


def partition():
    client, server = pair()
    control.begin()
    client.sendall(b"from the island")
    server.sendall(b"to the island")
    late = dial()
    late.sendall(b"hello")
    check(is_silent(server) and is_silent(client, 0.02) and is_silent(late, 0.02), "something came through")
    control.lift()
    check(exactly(server, 15) == b"from the island" and exactly(client, 13) == b"to the island", "other bytes")
    check(exactly(accept(), 5) == b"hello", "not served afterwards")


# Frames and messages


def deadHeartbeat():
    """Both ends are websockets, which answers pings by itself."""
    from websockets.sync.client import connect
    from websockets.sync.server import serve

    port = listener.getsockname()[1]
    listener.close()
    options = dict(compression=None, ping_interval=None)
    with serve(lambda end: [end.send(text) for text in end], "127.0.0.1", port, **options) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with connect("ws://127.0.0.1:%d/" % proxy, proxy=None, **options) as client:
            check(client.ping().wait(PATIENCE), "no pong before the fault")
            control.begin()
            lost = client.ping()
            for number in range(20):
                client.send("text %d" % number)
                check(client.recv(timeout=PATIENCE) == "text %d" % number, "data does not flow")
            check(not lost.wait(QUIET), "a pong came")
            control.lift()
            check(client.ping().wait(PATIENCE), "no pong afterwards")
        server.shutdown()
        thread.join()


def typed(kind, number):
    return '{"type":"%s","id":%d}' % (kind, number)


def dropMessage():
    client, server = web_socket()
    control.begin()
    send_texts(server, [typed("a", 1), typed("b", 2), typed("a", 3)], False)
    check(read_texts(client, 2) == [typed("a", 1), typed("a", 3)], "another choice")
    server.sendall(frame(PING, b"", False))
    check(read_frame(client)[0] == PING, "pings do not flow")


def delayMessage():
    client, server = web_socket()
    control.begin()
    start = time.monotonic()
    send_texts(client, [typed("slow", 1), typed("fast", 2)], True)
    check(read_texts(server, 1) == [typed("fast", 2)], "not overtaken")
    check(read_texts(server, 1) == [typed("slow", 1)], "another message")
    check(time.monotonic() - start >= 0.15, "too early")


def duplicateMessage():
    client, server = web_socket()
    control.begin()
    send_texts(client, [typed("a", 1), typed("b", 2)], True)
    check(read_texts(server, 4) == [typed("a", 1)] + [typed("b", 2)] * 3, "another number of copies")


def reorderMessages():
    client, server = web_socket()
    control.begin()
    sent = [typed("a", number) for number in range(4)]
    send_texts(server, sent, False)
    received = read_texts(client, 4)
    check(sorted(received) == sorted(sent) and received != sent, "received %s" % received)


def editMessage():
    client, server = web_socket()
    control.begin()
    send_texts(client, ['{ "type": "call", "n": 1.50, "drop": 2, "in": {"x": [1,2]} }'], True)
    check(
        read_texts(server, 1) == ['{ "type": "call", "n": 1.50, "in": {"x": [1,"y"]} ,"new":null}'], "another text"
    )


def onMessage():
    """A reset behind the second call."""
    client, server = web_socket()
    control.begin()
    send_texts(client, [typed("call", 1), typed("sub", 2), typed("call", 3), typed("call", 4)], True)
    check(read_texts(server, 3) == [typed("call", 1), typed("sub", 2), typed("call", 3)], "other messages")
    expect_reset(server, "the server")
    expect_reset(client, "the client")


def main():
    global control
    name, port = sys.argv[1], int(sys.argv[2])
    control = Control(port)
    try:
        setup()
        globals()[name]()
    except Exception as error:  # whatever it is, the test wants to know
        control.say("fail %s: %s" % (type(error).__name__, error))
        return 1
    control.say("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
