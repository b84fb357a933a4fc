#!/usr/bin/env bash
# Does training work on this machine: a few updates of a tiny recipe through `umagraph train`, killed once and gone on with.
# At most 12 minutes, on one CUDA device.
#
#     trainers/recipes/gpu-smoke.sh [--model FOLDER | --random] [--out FOLDER] [--seconds 720] [--cpu] [--dry-run]
#
# --model    a Qwen3-class model folder on this machine (with tokenizer and chat template); without it and without --random
#            the embedded policy of this repository, which is small and already knows its task
# --random   a model of 6 M random parameters, trained on the scripted expert for a few minutes first: with random weights
#            every reward is the same, and nothing could be learnt from them
# --cpu      no CUDA device needed; how this script itself is tested
# --dry-run  only prints the recipe and the commands
#
# Nothing is downloaded. UMAGRAPH_PYTHON names a Python that has the learner's packages. Exit code: 0 it works, 1 something
# is wrong, 2 it cannot be tried here.
set -u -o pipefail
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
# as they were meant where this was called
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }

model=assets/cold-start random=no out= limit=720 device=cuda dry=no
while [ $# -gt 0 ]; do
  case $1 in
    --model) model=$(absolute "${2:?--model needs a folder}"); shift ;;
    --random) random=yes ;;
    --out) out=$(absolute "${2:?--out needs a folder}"); shift ;;
    --seconds) limit=${2:?--seconds needs a number}; shift ;;
    --cpu) device=cpu ;;
    --dry-run) dry=yes ;;
    -h | --help) awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; exit 0 ;;
    *) echo "gpu-smoke: there is no option $1; see --help" >&2; exit 2 ;;
  esac
  shift
done
cd "$root" || exit 2
out=${out:-runs/gpu-smoke-$(date +%Y%m%d-%H%M%S)}
case $limit in '' | *[!0-9]*) echo "gpu-smoke: --seconds: expected a whole number, got $limit" >&2; exit 2 ;; esac

say() { printf 'gpu-smoke: %s\n' "$*" >&2; }
over() { [ $SECONDS -ge "$limit" ] && say "the $limit seconds are over (--seconds)"; }
left() { echo $((limit - SECONDS > 1 ? limit - SECONDS : 1)); }
umagraph() {
  if [ $dry = yes ]; then echo "umagraph $*"; else timeout -k 5 "$(left)" node cli/umagraph.mjs "$@"; fi
}

if [ $dry = no ]; then
  [ -e "$out" ] && { say "$out is there already: choose another folder with --out"; exit 2; }
  if [ $device = cuda ] && ! nvidia-smi >&2 2> /dev/null; then
    say "no CUDA device here; --cpu tries the chain without one"
    exit 2
  fi
  if [ $random = no ] && [ ! -e "$model/config.json" ]; then
    say "$model holds no config.json: give a model folder in Hugging Face layout"
    exit 2
  fi
  mkdir -p "$out" || exit 2
fi

# write FILE: what is on stdin, or shows it
write() {
  if [ $dry = yes ]; then echo "--- $1"; cat; else cat > "$1"; fi
}

if [ $random = yes ]; then
  write "$out/start.yaml" << 'RECIPE'
extends: sft-first
summary: a small model that knows a little, for the smoke test
shape: { width: 256, layers: 6, heads: 8, headWidth: 32, feedForward: 768, context: 4096, rope: 10000 }
sets:
  - { profile: micro, horizons: [2, 3], file: train.jsonl, split: train, questions: 6, seed: 1, count: 20000 }
vocabulary: { sessions: 4000, least: [2] }
steps: 2500
batchTokens: 1600
learningRate: { peak: 0.002, warmUp: 50, anneal: 800 }
reportEvery: 250
checkpointEvery: 2500
scoring: null
RECIPE
  say "supervised start of a random model"
  umagraph train "$out/start.yaml" --out "$out/start" --device $device || { over; say "the supervised start failed"; exit 1; }
  model=$out/start/policy
fi

# our own small models know one toolset and one prompt; a real one is given the definitions, room for them, and an adapter
if [ $random = yes ] || [ -e "$model/session.json" ]; then
  sessions='{ G: 8, M: 4, toolset: ledger, prompts: micro, limits: { interactionTokens: 600, maxTurns: 8 } }'
  rank=null rate=0.0006
else
  sessions='{ G: 4, M: 3, toolset: ledger, prompts: ledger, limits: { promptTokens: 4096, interactionTokens: 1536, maxTurns: 6 } }'
  rank=16 rate=0.0001
fi
write "$out/smoke.yaml" << RECIPE
extends: uma-specialist
summary: a few updates, to see that training works on this machine
model: "$model"
loraRank: $rank
sampler: learner
data:
  - { benchmark: ledger-qa, config: { profile: micro, split: train, horizon: 3, changes: 0.5 }, contexts: 2, generated: true }
evaluation:
  data: [{ benchmark: ledger-qa, config: { profile: micro, split: test, horizon: 3, seed: 4242 }, contexts: 4, M: 4 }]
  every: 100
rollout: $sessions
adam: { learningRate: $rate, warmUp: 0 }
updates: 4
saveEvery: 1
guards: { minValidity: null }
RECIPE

train=(train "$out/smoke.yaml" --scale dev --seed 1 --out "$out/run" --device $device)
if [ $dry = yes ]; then
  umagraph "${train[@]}"
  echo "kill -9 as soon as two updates are done"
  umagraph train --resume "$out/run" --device $device
  echo "node --import tsx trainers/recipes/smoke/check-smoke.ts $out/run"
  exit 0
fi

say "training, until two updates are done"
node cli/umagraph.mjs "${train[@]}" > "$out/train.log" 2>&1 &
pid=$!
# an interrupt of this script must not leave it running
trap 'kill -9 $pid 2> /dev/null' EXIT
lines() { if [ -e "$out/run/metrics.jsonl" ]; then wc -l < "$out/run/metrics.jsonl"; else echo 0; fi; }
while kill -0 $pid 2> /dev/null && [ "$(lines)" -lt 2 ] && [ $SECONDS -lt "$limit" ]; do sleep 0.2; done
if ! kill -0 $pid 2> /dev/null || [ "$(lines)" -lt 2 ]; then
  over
  say "training did not come to two updates:"
  tail -n 20 "$out/train.log" >&2
  exit 1
fi
say "kill -9 after $(lines) updates"
kill -9 $pid
wait $pid 2> /dev/null
# what was being written when it died is not part of it
head -n "$(lines)" "$out/run/metrics.jsonl" > "$out/metrics-when-killed.jsonl"

say "going on"
umagraph train --resume "$out/run" --device $device >> "$out/train.log" 2>&1 || {
  over
  say "the run did not go on to its end:"
  tail -n 20 "$out/train.log" >&2
  exit 1
}
trap - EXIT
node --import tsx trainers/recipes/smoke/check-smoke.ts "$out/run" "$out/metrics-when-killed.jsonl"
status=$?
say "$SECONDS s; run folder $out/run"
exit $status
