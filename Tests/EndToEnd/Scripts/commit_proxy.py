#!/usr/bin/env python3
"""Sits in front of PostgreSQL and keeps back every Nth answer to a COMMIT that may change something.

    commit_proxy.py PORT DATABASE-PORT N

The server has committed; the client hears nothing, and its connection is closed. How many commits there were, and how
many answers were kept back, is reported at http://127.0.0.1:PORT/__lost; /__lost?N sets another number.
"""

import contextlib
import json
import select
import socket
import sys
import threading

port, database, every = (int(word) for word in sys.argv[1:4])
COMMIT = b"Q" + (11).to_bytes(4, "big") + b"COMMIT\0"
lock = threading.Lock()
counts = {"writes": 0, "lost": 0}


def report(client):
    text = json.dumps(counts).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n"
    client.sendall(head.encode() + text)


def is_lost():
    """Whether the answer to this commit is kept back."""
    with lock:
        counts["writes"] += 1
        lost = counts["writes"] % every == 0
        counts["lost"] += lost
        return lost


def serve(client):
    global every
    with client, socket.create_connection(("127.0.0.1", database)) as server:
        is_writing = False
        while True:
            for ready in select.select([client, server], [], [])[0]:
                chunk = ready.recv(1 << 16)
                if not chunk:
                    return
                if ready is server:
                    client.sendall(chunk)
                    continue
                if chunk.startswith(b"GET /__lost"):
                    every = int(chunk.split()[1].partition(b"?")[2] or every)
                    return report(client)
                if b"BEGIN ISOLATION LEVEL" in chunk:
                    is_writing = b"READ ONLY" not in chunk
                server.sendall(chunk)
                if chunk.endswith(COMMIT) and is_writing and is_lost():
                    # The answer comes once the transaction is committed.
                    server.recv(1)
                    return


def attend(client):
    # A client that is killed resets its connection.
    with contextlib.suppress(ConnectionError):
        serve(client)


listener = socket.create_server(("127.0.0.1", port))
while True:
    connection, _ = listener.accept()
    threading.Thread(target=attend, args=(connection,), daemon=True).start()
