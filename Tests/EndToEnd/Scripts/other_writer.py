#!/usr/bin/env python3
"""Another client of a Kinto server: gives two of three records another title, once.

    other_writer.py ORIGIN USER PASSWORD COLLECTION SECONDS

The moments are spread over so many seconds. Each record is read and written back on condition that
no other device changed it between; where a person did, it is read again. The identities that the server
answered with 200 for are printed, one a line.
"""

import base64
import http.client
import json
import random
import sys
import threading
import time
import urllib.parse

origin, user, password, collection, seconds = sys.argv[1:]
place = urllib.parse.urlsplit(origin).netloc
path = f"/v1/buckets/default/collections/{collection}/records"
signed = {
    "Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode(),
    "Content-Type": "application/json",
}
begin = time.monotonic()
written = []


def ask(connection, method, address, body=None, headers={}):
    connection.request(method, address, body and json.dumps(body), {**signed, **headers})
    answer = connection.getresponse()
    return answer.status, answer.getheader("ETag"), json.loads(answer.read() or "null")


def write(turns):
    connection = http.client.HTTPConnection(place, timeout=30)
    for moment, name in turns:
        time.sleep(max(0, begin + moment - time.monotonic()))
        for _ in range(20):
            _, tag, _ = ask(connection, "GET", f"{path}/{name}")
            status, _, _ = ask(
                connection, "PATCH", f"{path}/{name}", {"data": {"title": "theirs"}}, {"If-Match": tag}
            )
            if status == 200:
                written.append(name)
                break


first = http.client.HTTPConnection(place, timeout=30)
_, _, listed = ask(first, "GET", f"{path}?_limit=10000&_fields=id")
source = random.Random(4711)
chosen = [record["id"] for number, record in enumerate(listed["data"]) if number % 3]
turns = sorted((source.uniform(0, float(seconds)), name) for name in chosen)
writers = [threading.Thread(target=write, args=(turns[number::3],)) for number in range(3)]
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
print("\n".join(written))
