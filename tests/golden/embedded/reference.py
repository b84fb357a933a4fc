"""What PyTorch and transformers compute: the reference of the embedded policy's forward pass.

``python reference.py golden`` writes two tiny random Qwen3 models and what they answer beside this file; run it again only
when the set of cases changes. ``python reference.py live FOLDER PROMPTS STEPS`` prints the answers of a folder as JSON; where
there is none it makes one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from transformers import (
    AutoModelForCausalLM,
    PreTrainedModel,
    Qwen3Config,
    Qwen3ForCausalLM,
)
from transformers.utils import logging

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "learner" / "service" / "tests"))
from tiny_model import TEMPLATE, make_tiny_model, tokenizer

#: By folder: where they differ from one another lies what a forward pass may get wrong.
CASES = {
    "tied-f16": (
        torch.float16,
        {
            "vocab_size": 600,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "intermediate_size": 48,
            "tie_word_embeddings": True,
            "max_position_embeddings": 1024,
        },
    ),
    "untied-bf16": (
        torch.bfloat16,
        {
            "vocab_size": 83,
            "hidden_size": 48,
            "num_hidden_layers": 1,
            "num_attention_heads": 3,
            "num_key_value_heads": 1,
            "head_dim": 32,
            "intermediate_size": 80,
            "tie_word_embeddings": False,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1e6},
            "rms_norm_eps": 1e-5,
            "max_position_embeddings": 256,
        },
    ),
}


def make(folder: Path, dtype: torch.dtype, shape: dict[str, object]) -> None:
    """Weights wide enough that a mistake shows, norms that are not all one."""
    torch.manual_seed(7)
    model = Qwen3ForCausalLM(Qwen3Config(**shape, eos_token_id=2, bos_token_id=None, pad_token_id=0))
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.4 if "embed" in name or "lm_head" in name else 0.18)
        else:
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
    model.to(dtype).save_pretrained(folder)


@torch.no_grad()
def answers(model: PreTrainedModel, lengths: list[int], steps: int, seed: int) -> list[dict[str, object]]:
    """A random prompt of each length: logits behind it, the greedy completion and its log-probabilities."""
    source = torch.Generator().manual_seed(seed)
    vocabulary = model.config.vocab_size
    prompts = [torch.randint(0, vocabulary, (length,), generator=source) for length in lengths]
    found: list[dict[str, object]] = [{} for _ in lengths]
    for length in sorted(set(lengths)):
        rows = [row for row, other in enumerate(lengths) if other == length]
        ids = torch.stack([prompts[row] for row in rows])
        logprobs = []
        for step in range(steps):
            logits = model(input_ids=ids, use_cache=False).logits[:, -1].float()
            if step == 0:
                first = logits
            chosen = logits.argmax(-1, keepdim=True)
            logprobs.append(logits.double().log_softmax(-1).gather(1, chosen))
            ids = torch.cat([ids, chosen], dim=1)
        scores = torch.cat(logprobs, dim=1)
        for place, row in enumerate(rows):
            found[row] = {
                "prompt": prompts[row].tolist(),
                "logits": [round(value, 6) for value in first[place].tolist()],
                "completion": ids[place, length:].tolist(),
                "logprobs": [round(value, 6) for value in scores[place].tolist()],
            }
    return found


def load(folder: Path) -> PreTrainedModel:
    """In float32, whatever it is stored in."""
    return AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()


def golden() -> None:
    for name, (dtype, shape) in CASES.items():
        folder = HERE / name
        make(folder, dtype, shape)
        (folder / "generation_config.json").unlink(missing_ok=True)
        found = answers(load(folder), [1, 2, 15, 16, 17, 40], 24, seed=3)
        (folder / "answers.json").write_text(json.dumps(found) + "\n")
    folder = HERE / "tied-f16"
    tokenizer().save(str(folder / "tokenizer.json"))
    settings = {"eos_token": "<|im_end|>", "chat_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings, indent=1) + "\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    if sys.argv[1] == "golden":
        golden()
    else:
        asked = Path(sys.argv[2])
        if not asked.exists():
            make_tiny_model(asked, layers=3, seed=5)
        lengths = [1 + 3 * (row % 20) for row in range(int(sys.argv[3]))]
        print(json.dumps(answers(load(asked), lengths, int(sys.argv[4]), seed=11)))
