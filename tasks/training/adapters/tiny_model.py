"""A tiny random model with a tokenizer of its own: nothing is fetched from anywhere."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

ENDS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"]


def tokenizer_of(texts: Iterable[str], template: str, size: int = 4000) -> PreTrainedTokenizerFast:
    """Return a byte-level tokenizer that is trained on some texts; `template` is its chat template.

    Its tokens reach over words, so that what stands in every prompt is a few of them and a tiny model has little to read. None
    reaches over the end of a line: there prompts end, and what is said begins.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split("\n", "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=ENDS,
        min_frequency=4,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=ENDS[2], pad_token=ENDS[0], padding_side="left"
    )
    fast.add_tokens([AddedToken(mark, special=False, normalized=False) for mark in MARKS])
    fast.chat_template = template
    return fast


def model_of(tokenizer: PreTrainedTokenizerFast, seed: int, hidden: int = 128, layers: int = 3) -> Qwen3ForCausalLM:
    """Return a random model for a tokenizer, of some hundred thousand parameters."""
    torch.manual_seed(seed)
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=hidden,
            intermediate_size=2 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=32,
            max_position_embeddings=40_960,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
            tie_word_embeddings=True,
        )
    )
