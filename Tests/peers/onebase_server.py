"""An independent small onebase server, to try clients and judges against code that shares nothing with obload.

Written from the protocol document alone, on the PyPI package `websockets` (which answers pings by itself).
It prints the port it listens on as its first line, and stops by itself after --seconds.
"""

import argparse
import asyncio
import json
import signal

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

LISTED = 20  # how many notes notes:list shows
PAGE = 200  # how many notes notes:scan shows at once
MOST_NOTES = 20_000  # notes kept per room


class ConvexError(Exception):
    """An error meant for the user, with data."""

    def __init__(self, message, data=None):
        super().__init__(message)
        self.data = data


class Store:
    """The data. Every function notes the keys it reads or writes."""

    def __init__(self):
        self.rooms = {}
        self.counters = {}
        self.next_note = 1
        self.reads = set()
        self.writes = set()

    def room(self, args, write=False):
        name = str(args.get("room", ""))
        (self.writes if write else self.reads).add(("notes", name))
        return self.rooms.setdefault(name, []) if write else self.rooms.get(name, [])


def notes_list(store, args, user):
    return {"room": args.get("room"), "notes": store.room(args)[-LISTED:]}


def notes_scan(store, args, user):
    notes = store.room(args)
    after = args.get("cursor") or 0
    rest = [note for note in notes if int(note["id"][1:]) > after]
    page = rest[: max(1, min(int(args.get("limit") or PAGE), 1000))]
    cursor = int(page[-1]["id"][1:]) if len(page) < len(rest) else None
    return {"room": args.get("room"), "notes": page, "cursor": cursor}


def notes_add(store, args, user):
    if not isinstance(args.get("text"), str):
        raise TypeError("a string `text` is missing")
    notes = store.room(args, write=True)
    note = {"id": f"m{store.next_note}", "text": args["text"], "author": user and user["subject"]}
    store.next_note += 1
    notes.append(note)
    del notes[:-MOST_NOTES]
    return note["id"]


def counter_get(store, args, user):
    name = str(args.get("name", ""))
    store.reads.add(("counter", name))
    return {"name": args.get("name"), "value": store.counters.get(name, 0)}


def counter_increment(store, args, user):
    name = str(args.get("name", ""))
    store.writes.add(("counter", name))
    store.counters[name] = store.counters.get(name, 0) + int(args.get("by", 1))
    return {"name": args.get("name"), "value": store.counters[name]}


def me_get(store, args, user):
    return user


def errors_convex(store, args, user):
    raise ConvexError("Refused on purpose", {"code": "refused"})


QUERIES = {"notes:list": notes_list, "notes:scan": notes_scan, "counter:get": counter_get, "me:get": me_get,
           "errors:convex": errors_convex}
MUTATIONS = {"notes:add": notes_add, "counter:increment": counter_increment, "errors:convex": errors_convex}
ACTIONS = {"notes:post": notes_add, "errors:convex": errors_convex}
KINDS = {"query": QUERIES, "mutation": MUTATIONS, "action": ACTIONS}


class Connection:
    """One client: its user, its subscriptions, and what waits to be sent to it."""

    def __init__(self):
        self.user = None
        self.subscriptions = {}  # id -> key
        self.outbox = asyncio.Queue(maxsize=10_000)
        self.overrun = False

    def send(self, message):
        try:
            self.outbox.put_nowait(json.dumps(message, separators=(",", ":"), ensure_ascii=False))
        except asyncio.QueueFull:
            self.overrun = True


class Query:
    """A query that runs once for everyone who subscribes to it with the same arguments as the same user."""

    def __init__(self, path, args, user):
        self.path, self.args, self.user = path, args, user
        self.subscribers = set()  # (connection, id)
        self.reads = set()
        self.outcome = None


class Server:
    def __init__(self):
        self.store = Store()
        self.queries = {}
        self.flaky = {}
        self.connections = set()

    def run(self, kind, path, args, user):
        """The outcome as the members of an update or result, the keys read and the keys written."""
        self.store.reads, self.store.writes = set(), set()
        try:
            function = KINDS[kind].get(path)
            if function is None:
                raise LookupError(path)
            outcome = {"ok": True, "value": function(self.store, args, user)}
        except ConvexError as error:
            outcome = {"ok": False, "error": str(error), "data": error.data}
        except Exception:  # anything else is not for users
            outcome = {"ok": False, "error": "Server Error"}
        return outcome, self.store.reads, self.store.writes if outcome["ok"] else set()

    def refresh(self, query):
        """Runs it again; whether its outcome changed."""
        outcome, query.reads, _ = self.run("query", query.path, query.args, query.user)
        text = json.dumps(outcome, sort_keys=True)
        changed = text != query.outcome
        query.outcome = text
        return changed

    def propagate(self, writes, caller=None):
        """Updates everyone whose queries read what was written. Answers the caller's own updates unsent."""
        own, others = [], {}
        for query in list(self.queries.values()):
            if query.reads & writes and self.refresh(query):
                outcome = json.loads(query.outcome)
                for connection, number in query.subscribers:
                    update = {"type": "update", "id": number, **outcome}
                    if connection is caller:
                        own.append(update)
                    else:
                        others.setdefault(connection, []).append(update)
        for connection, updates in others.items():
            if len(updates) == 1:
                connection.send(updates[0])
            else:
                connection.send({"type": "transition", "updates": updates, "results": []})
        return own

    def verdict(self, token):
        """(user, None) or (None, failure) for a token."""
        if token is None:
            return None, None
        kind, _, rest = token.partition("-")
        if kind == "ok" and rest:
            return {"subject": rest, "email": f"{rest}@example.com"}, None
        if kind == "flaky" and "-" in rest:
            failures, _, subject = rest.partition("-")
            tried = self.flaky.get(token, 0)
            if failures.isdigit() and tried < int(failures):
                self.flaky[token] = tried + 1
                return None, {"error": "Try again later"}
            return {"subject": subject}, None
        return None, {"error": "The session has ended", "ended": True}

    def handle(self, connection, message):
        kind = message.get("type")
        if kind == "auth":
            connection.user, failure = self.verdict(message["token"])
            if failure:
                connection.send({"type": "auth", "ok": False, **failure})
            else:
                connection.send({"type": "auth", "ok": True, "identity": connection.user})
        elif kind == "sub":
            self.subscribe(connection, message["id"], message["path"], message.get("args", {}))
        elif kind == "unsub":
            self.unsubscribe(connection, message["id"])
        elif kind == "call":
            self.call(connection, message)

    def subscribe(self, connection, number, path, args):
        self.unsubscribe(connection, number)
        subject = connection.user and connection.user["subject"]
        key = (path, json.dumps(args, sort_keys=True), subject)
        query = self.queries.get(key)
        if query is None:
            query = self.queries[key] = Query(path, args, connection.user)
            self.refresh(query)
        query.subscribers.add((connection, number))
        connection.subscriptions[number] = key
        connection.send({"type": "update", "id": number, **json.loads(query.outcome)})

    def unsubscribe(self, connection, number):
        key = connection.subscriptions.pop(number, None)
        if key is not None:
            query = self.queries[key]
            query.subscribers.discard((connection, number))
            if not query.subscribers:
                del self.queries[key]

    def call(self, connection, message):
        kind, request = message["kind"], message["requestId"]
        outcome, _, writes = self.run(kind, message["path"], message.get("args", {}), connection.user)
        result = {"type": "result", "requestId": request, **outcome}
        own = self.propagate(writes, connection) if writes else []
        if kind == "mutation" and own:
            connection.send({"type": "transition", "updates": own, "results": [result]})
        else:
            for update in own:
                connection.send(update)
            connection.send(result)

    async def serve(self, socket):
        connection = Connection()
        self.connections.add(connection)
        sender = asyncio.create_task(self.send_all(socket, connection))
        try:
            async for text in socket:
                if not isinstance(text, str):
                    await socket.close(1003, "onebase messages are text")
                    break
                try:
                    message = json.loads(text)
                    self.handle(connection, message)
                except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
                    await socket.close(1008, "not a onebase message")
                    break
                if connection.overrun:
                    await socket.close(1013, "reads too slowly")
                    break
        except ConnectionClosed:
            pass
        finally:
            sender.cancel()
            for number in list(connection.subscriptions):
                self.unsubscribe(connection, number)
            self.connections.discard(connection)

    async def send_all(self, socket, connection):
        try:
            while True:
                await socket.send(await connection.outbox.get())
        except ConnectionClosed:
            pass


async def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 for any free one")
    parser.add_argument("--path", default="/api/sync")
    parser.add_argument("--seconds", type=float, default=120, help="stops by itself after so long")
    options = parser.parse_args()

    def check_path(connection, request):
        if request.path.partition("?")[0] != options.path:
            return connection.respond(404, "nothing is at this path\n")
        return None

    server = Server()
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with serve(
        server.serve, options.host, options.port, process_request=check_path, compression=None,
        ping_interval=None, max_size=1 << 20,
    ) as listening:
        print(listening.sockets[0].getsockname()[1], flush=True)
        try:
            await asyncio.wait_for(stop.wait(), options.seconds)
        except asyncio.TimeoutError:
            pass


if __name__ == "__main__":
    asyncio.run(main())
