#!/bin/sh
# Moves many small stores under a real scheduler on this machine, kills workers on the way, and counts what
# is there in the end.
#
#   sh .ci/fleet-trial.sh slurm|spark COUNT KILLS
#
# slurm needs Debian's slurm-wlm and munge, and root (a cluster of one node is made in a temporary
# folder, and gone afterwards); spark needs Java, and pyspark where PYSPARK_PYTHON has it. FERRY names the
# program (.build/debug/ferry), beside which ferry-backend lies.
set -eu
cd "$(dirname "$0")/.."
engine=$1
count=$2
kills=$3
FERRY=${FERRY:-$PWD/.build/debug/ferry}
home=$(mktemp -d /tmp/fleet-trial.XXXXXX)
export FERRY STATE="$home/state" LIST="$home/fleet/list.jsonl" JOBS=2
export PROFILE="$PWD/Samples/fleet/profile.yaml"
records=10

stop() {
  for file in slurmd slurmctld munged; do
    [ -s "$home/$file.pid" ] || continue
    daemon=$(cat "$home/$file.pid")
    kill "$daemon" 2>/dev/null || continue
    # It writes its state down before it ends.
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      kill -0 "$daemon" 2>/dev/null || break
      sleep 1
    done
  done
  kill "$backend" 2>/dev/null || true
}

"$FERRY-backend" --database "$home/backend.sqlite" --port-file "$home/port" --quiet &
backend=$!
trap stop EXIT INT TERM
while [ ! -s "$home/port" ]; do sleep 0.1; done
TO=http://127.0.0.1:$(cat "$home/port")
export TO
python3 Samples/fleet/make-stores.py "$count" "$home/fleet" --records "$records" --backend "$TO"

start_slurm() {
  node=$(hostname -s)
  mkdir -p "$home/spool" "$home/control"
  dd if=/dev/urandom of="$home/munge.key" bs=1024 count=1 2>/dev/null
  chmod 600 "$home/munge.key"
  # munge wants a socket that everybody may reach.
  chmod 755 "$home"
  munged --force --key-file="$home/munge.key" --socket="$home/munge.socket" \
    --pid-file="$home/munged.pid" --log-file="$home/munged.log" --seed-file="$home/munge.seed"
  cat >"$home/slurm.conf" <<CONF
ClusterName=trial
SlurmctldHost=$node(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge.socket
StateSaveLocation=$home/control
SlurmdSpoolDir=$home/spool
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF="$home/slurm.conf"
  slurmctld
  sleep 2
  slurmd -N "$node"
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    sinfo --noheader -o %t | grep -q idle && return
    sleep 1
  done
  echo "the node did not come up; see $home" >&2
  exit 1
}

# Kills the workers of this trial, one after the other, spread over the time that the stores take.
harass() {
  killed=0
  while [ "$killed" -lt "$kills" ]; do
    sleep "$((count / 100 + 2))"
    worker=$(pgrep -f "^[^ ]*/ferry fleet .*$STATE" | shuf -n 1) || true
    [ -n "$worker" ] || continue
    kill -9 "$worker" 2>/dev/null || continue
    killed=$((killed + 1))
    echo "$killed" >"$home/killed"
  done
}

echo 0 >"$home/killed"
began=$(date +%s)
case $engine in
  slurm)
    start_slurm
    export NODE_LOG="$home/array"
    sbatch --export=ALL --output="$home/array-%a.log" Samples/fleet/slurm.sh
    harass &
    harasser=$!
    while [ -n "$(squeue --noheader)" ]; do sleep 1; done
    ;;
  spark)
    harass &
    harasser=$!
    export SPARK_LOCAL_IP=127.0.0.1
    # Two tasks at once, each tried as often as workers are killed and once more.
    export PYSPARK_SUBMIT_ARGS="--master local[2,$((kills + 2))] pyspark-shell"
    "${PYSPARK_PYTHON:-python3}" Samples/fleet/spark.py "$LIST" 16 2>"$home/spark.log" ||
      { tail -n 30 "$home/spark.log" >&2; exit 1; }
    ;;
  *) echo "slurm or spark" >&2; exit 64 ;;
esac
ended=$(date +%s)
kill "$harasser" 2>/dev/null || true

"$FERRY" fleet "$LIST" --collect --state-dir "$STATE" --report "$home/fleet.json" >/dev/null 2>&1 || true
python3 - "$home" "$TO" "$count" "$records" "$((ended - began))" <<'COUNT'
import collections, json, sys, urllib.request

home, address, count, records, seconds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
with urllib.request.urlopen(address + "/__dev/dump") as answer:
    rows = collections.Counter(row["id"] for row in json.load(answer)["records"])
report = json.load(open(f"{home}/fleet.json"))
figures = {
    "stores": report["storeCount"],
    "byStatus": report["byStatus"],
    "workersKilled": int(open(f"{home}/killed").read()),
    "seconds": seconds,
    "recordsExpected": count * records,
    "recordsThere": len(rows),
    "duplicates": sum(rows.values()) - len(rows),
    "missing": count * records - len(rows),
}
print(json.dumps(figures, indent=2))
sound = report["byStatus"] == {"done": count}
sys.exit(0 if sound and figures["duplicates"] == figures["missing"] == 0 else 1)
COUNT
stop
trap - EXIT
rm -rf "$home"
