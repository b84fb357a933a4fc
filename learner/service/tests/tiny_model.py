"""A Hugging Face folder with a tiny random model and its own tokenizer, made in a second: about 0.15 M parameters, fp32."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>")
VOCABULARY = 600

#: ChatML with tools as JSON lines; enough for a policy that renders turns itself.
TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\n' }}{%- endif -%}"
)

#: What the byte pairs are learnt from.
TEXT = (
    "A reader goes through a stream once and writes down what it will be asked for later.",
    "On 3 March the rent of 840 was paid from the joint account; 12 remained in the jar.",
    "The memory has a core text and a bank of entries, each with a title and a body.",
    'add_entry {"title": "rent", "content": "840, due on the third"}',
    "She moved the meeting from Tuesday to Thursday, and nobody told the caretaker.",
    "How much was spent on books in May? Look up the ledger, add the lines, answer with a number.",
)


def make_tiny_model(folder: Path, *, family: str = "qwen3", tied: bool = True, seed: int = 0, layers: int = 2) -> Path:
    """Writes ``config.json``, ``model.safetensors`` and the tokenizer's files; the same seed gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    shape = {
        "vocab_size": VOCABULARY,
        "hidden_size": 64,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "intermediate_size": 128,
        "tie_word_embeddings": tied,
        "max_position_embeddings": 2048,
        "bos_token_id": None,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if family == "qwen3":
            model: Qwen3ForCausalLM | LlamaForCausalLM = Qwen3ForCausalLM(Qwen3Config(**shape))
        else:
            model = LlamaForCausalLM(LlamaConfig(**shape))
        # The default start is so flat that every token is as good as any other; wider weights make tests see mistakes.
        for name, parameter in model.named_parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.25 if "embed" in name or "lm_head" in name else 0.12)
    model.to(torch.float32).save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "eos_token": "<|im_end|>",
                "pad_token": "<|endoftext|>",
                "chat_template": TEMPLATE,
                "clean_up_tokenization_spaces": False,
            },
            indent=1,
        )
    )
    return folder


def tokenizer() -> Tokenizer:
    """Byte-level BPE with the special tokens of a ChatML model, ids 0 to 4."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.train_from_iterator(
        TEXT,
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=list(SPECIAL),
            initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        ),
    )
    return made
