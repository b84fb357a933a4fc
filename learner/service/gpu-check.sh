#!/usr/bin/env bash
# The learner on a CUDA machine that has torch and transformers: is it right, how fast, how much memory. At most 8 minutes.
#
#     learner/service/gpu-check.sh [--seconds 480] [--json FILE] [--dry-run] [--shapes 0.6B,1.7B,4B]
#
# Nothing is downloaded and nothing installed. UMAGRAPH_PYTHON names the Python. Exit code: 0 fine, 1 something is wrong,
# 2 no CUDA device. --dry-run does all of it with tiny shapes on the CPU.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 2
PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}" exec "${UMAGRAPH_PYTHON:-python3}" -m umagraph_learner.gpu_check "$@"
