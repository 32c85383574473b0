#!/bin/sh
# A fleet as a Slurm array: eight tasks, each with its part of the stores.
#
#   sbatch --export=ALL,LIST=/shared/list.jsonl,STATE=/shared/ferry,PROFILE=/shared/profile.yaml,TO=production slurm.sh
#
# LIST, STATE, PROFILE and the stores lie where every node sees them. SHARDS is the size of the whole
# array, also when only some of its tasks are submitted again: sbatch --array=3,7 … slurm.sh
#SBATCH --job-name=ferry-fleet
#SBATCH --array=0-7
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@60
SHARDS=8
attempt=0
while :; do
  status=0
  srun --ntasks=1 "${FERRY:-ferry}" fleet "$LIST" --shard "auto/$SHARDS" --jobs "${JOBS:-2}" \
    --profile "$PROFILE" --to "$TO" --state-dir "$STATE" || status=$?
  attempt=$((attempt + 1))
  # What passes is tried again, and so is a worker that was killed (137); the rest is in the report.
  case $status in
    5 | 11 | 137 | 143) [ "$attempt" -lt 5 ] || exit "$status" ;;
    *) exit "$status" ;;
  esac
done
