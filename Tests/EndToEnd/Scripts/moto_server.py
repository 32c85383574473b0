"""moto as DynamoDB, with the tables `folders` and `notes`; `moto_server.py FOLDER PORT`.

Each request has to be signed as botocore, the library of AWS itself, signs it: moto checks no signature. What
`/__seen` answers counts the requests of each kind. It ends with its standard input.
"""

import collections
import io
import json
import os
import sys
import threading

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

ACCESS, SECRET, REGION = "AKIAFERRY", "secret+key/of=ferry", "eu-central-1"
PREFIX = "DynamoDB_20120810."
moto = DomainDispatcherApplication(create_backend_app)
# Its tables are dictionaries, which no two requests may change at once.
lock = threading.Lock()
seen = collections.Counter()


def answer(start, status, value):
    body = json.dumps(value).encode()
    start(status, [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(body)))])
    return [body]


def is_signed(environ, body):
    """Whether the signature is the one that botocore makes of the same request."""
    given = environ.get("HTTP_AUTHORIZATION", "")
    if not given.startswith("AWS4-HMAC-SHA256 Credential="):
        return False
    parts = dict(part.strip().split("=", 1) for part in given.split(" ", 1)[1].split(","))
    names = parts["SignedHeaders"].split(";")
    if not {"host", "x-amz-date", "x-amz-target", "content-type"} <= set(names):
        return False
    special = {"content-type": "CONTENT_TYPE"}
    headers = {n: environ[special.get(n, "HTTP_" + n.upper().replace("-", "_"))] for n in names}
    request = AWSRequest("POST", f"http://{environ['HTTP_HOST']}/", headers=headers, data=body)
    request.context["timestamp"] = headers["x-amz-date"]
    auth = SigV4Auth(Credentials(ACCESS, SECRET), "dynamodb", REGION)
    text = auth.string_to_sign(request, auth.canonical_request(request))
    scope = f"{ACCESS}/{headers['x-amz-date'][:8]}/{REGION}/dynamodb/aws4_request"
    return parts["Credential"] == scope and parts["Signature"] == auth.signature(text, request)


def application(environ, start):
    if environ["PATH_INFO"] == "/__seen":
        counted = dict(seen)
        if environ.get("QUERY_STRING") == "reset":
            seen.clear()
        return answer(start, "200 OK", counted)
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length)
    environ["wsgi.input"] = io.BytesIO(body)
    if environ.pop("HTTP_X_TEST", None) is None:
        if not is_signed(environ, body):
            type_ = "com.amazon.coral.service#InvalidSignatureException"
            return answer(start, "400 Bad Request", {"__type": type_, "message": "The signature does not match"})
        seen[environ.get("HTTP_X_AMZ_TARGET", "").removeprefix(PREFIX)] += 1
    else:
        environ["CONTENT_TYPE"] = "application/x-amz-json-1.0"
        environ["HTTP_AUTHORIZATION"] = f"AWS4-HMAC-SHA256 Credential=a/20260101/{REGION}/dynamodb/aws4_request"
    with lock:
        return list(moto(environ, start))


def call(server, target, value):
    """Asks moto without a signature, as the tests do."""
    import urllib.request

    request = urllib.request.Request(
        f"http://127.0.0.1:{server.server_port}/",
        json.dumps(value).encode(),
        {"X-Amz-Target": PREFIX + target, "X-Test": "1", "Content-Type": "application/x-amz-json-1.0"},
    )
    urllib.request.urlopen(request).read()


def make_tables(server):
    for name in ("folders", "notes"):
        call(server, "CreateTable", {
            "TableName": name,
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        })
    seen["ready"] = 1


def end_with_input():
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_input, daemon=True).start()
    http = make_server("127.0.0.1", int(sys.argv[2]), application, threaded=True)
    threading.Thread(target=make_tables, args=(http,), daemon=True).start()
    http.serve_forever()
