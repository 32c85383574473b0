#!/usr/bin/env python3
"""A fleet as a Spark job: the lines of the list are parted, and piped through `ferry fleet -`.

    FERRY=ferry PROFILE=profile.yaml TO=production STATE=/shared/ferry \\
      spark-submit spark.py list.jsonl 32

The second word is the number of partitions. Paths in the list are absolute, and seen by every worker. A
worker that is killed fails its task, and Spark runs that again, spark.task.maxFailures times (4); with a
local master say how often yourself: --master 'local[2,8]'.
"""

import json
import os
import sys

from pyspark.sql import SparkSession

NAMES = ["FERRY", "PROFILE", "TO", "STATE", "JOBS", "PATH", "HOME"]


def main():
    listing, parts = sys.argv[1], int(sys.argv[2])
    worker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spark-worker.sh")
    given = {name: os.environ[name] for name in NAMES if name in os.environ}
    spark = SparkSession.builder.appName("ferry-fleet").getOrCreate()
    lines = spark.sparkContext.textFile(listing).repartition(parts)
    said = lines.pipe(f"sh {worker}", env=given, checkCode=True)
    counts = {}
    for value in (json.loads(line) for line in said.collect()):
        if value["type"] != "fleet-store":
            continue
        counts[value["statusName"]] = counts.get(value["statusName"], 0) + 1
        if value["status"] != 0:
            print(value["name"], value["statusName"], value.get("reason", ""), file=sys.stderr)
    print(json.dumps(counts))
    spark.stop()
    sys.exit(0 if set(counts) <= {"done"} else 1)


main()
