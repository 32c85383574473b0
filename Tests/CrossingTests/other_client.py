#!/usr/bin/env python3
"""Another client of the same account: gives every story a title of its own, again and again.

    other_client.py ORIGIN STOP

Each change is made under If-Match with the version just read, as a careful client does it. It ends
when the file STOP is there, and prints how many of its changes the server took.
"""

import base64
import http.client
import json
import os
import sys
import urllib.parse

origin, stop = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2]
headers = {
    "Authorization": "Basic " + base64.b64encode(b"demo:s3cret-word").decode(),
    "Content-Type": "application/json",
}
path = "/v1/buckets/default/collections/stories/records"
connection = http.client.HTTPConnection(origin.hostname, origin.port, timeout=60)


def ask(method, address, body=None, **more):
    connection.request(method, address, body and json.dumps(body), {**headers, **more})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read() or b"null")


taken = 0
while not os.path.exists(stop):
    for story in ask("GET", path + "?_limit=10000")[1].get("data", []):
        if os.path.exists(stop):
            break
        mark = f'"{story.pop("last_modified")}"'
        story["title"] = f"theirs {taken}"
        status, _ = ask("PUT", f"{path}/{story['id']}", {"data": story}, **{"If-Match": mark})
        taken += status == 200
print(taken)
