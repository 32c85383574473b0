#!/usr/bin/env python3
"""Runs OpenStack Swift with its S3 face, on one disk folder, until it is killed.

    PYTHON object_store.py FOLDER PORT [attended]

PYTHON is that of an environment in which OpenStack Swift is installed; memcached has to be there
too. The service answers on 127.0.0.1:PORT; access key `demo:tester`, secret key `s3cret-word`,
region us-east-1. All its processes end with this one, however it ends. With “attended” that is when
its standard input ends, and FOLDER is removed then.
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys

from swift.common.ring import RingBuilder

folder, port = os.path.abspath(sys.argv[1]), int(sys.argv[2])
programs = os.path.dirname(sys.executable)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write(name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
    return os.path.join(folder, name)


def end_with_parent():
    death = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(death, signal.SIGKILL)


def start(*arguments):
    children.append(subprocess.Popen(arguments, preexec_fn=end_with_parent))


children = []
os.makedirs(os.path.join(folder, "disk", "d1"), exist_ok=True)
memory = free_port()
write("swift.conf", """
[swift-hash]
swift_hash_path_suffix = for-tests
[storage-policy:0]
name = only
default = yes
""")
start("memcached", "-u", "root", "-l", "127.0.0.1", "-p", str(memory))
for kind in ("account", "container", "object"):
    place = free_port()
    builder = RingBuilder(4, 1, 0)
    builder.add_dev({
        "id": 0, "region": 1, "zone": 1, "weight": 1.0, "ip": "127.0.0.1", "port": place,
        "device": "d1", "replication_ip": "127.0.0.1", "replication_port": place,
    })
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f"{kind}.ring.gz"))
    settings = write(f"{kind}.conf", f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {place}
devices = {folder}/disk
mount_check = false
swift_dir = {folder}
user = root
workers = 0
log_level = ERROR
log_address = {folder}/no-log
fallocate_reserve = 0
[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
""")
    start(os.path.join(programs, f"swift-{kind}-server"), settings)
settings = write("proxy.conf", f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
swift_dir = {folder}
user = root
workers = 0
log_level = ERROR
log_address = {folder}/no-log
[pipeline:main]
pipeline = catch_errors cache listing_formats bulk s3api tempauth slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
# There is one of each server: one that is slow is waited for, and not left out for a minute.
conn_timeout = 30
node_timeout = 60
recoverable_node_timeout = 60
error_suppression_limit = 1000000
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{memory}
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:bulk]
use = egg:swift#bulk
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
min_segment_size = 5242880
[filter:tempauth]
use = egg:swift#tempauth
user_demo_tester = s3cret-word .admin
[filter:slo]
use = egg:swift#slo
# Parts go with their file at once, and not when some other process gets round to it.
allow_async_delete = false
[filter:dlo]
use = egg:swift#dlo
""")
start(os.path.join(programs, "swift-proxy-server"), settings)
if sys.argv[3:] == ["attended"]:
    sys.stdin.buffer.read()
    for child in children:
        child.kill()
        child.wait()
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit()
sys.exit(max(child.wait() for child in children))
