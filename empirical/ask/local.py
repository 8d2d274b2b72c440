"""A language model on the disk, asked one prompt at a time by greedy decoding."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from empirical.capture.loading import check_model, digest, load_model, load_tokenizer
from empirical.language.packaged import PACKAGED, packaged_file
from theory.errors import InputError


class Local:
    """Answers to prompts from a folder with config.json and safetensors, a GGUF file, or `smollm2`.

    Args:
        model: where it is.
        chat: ask in the form of its chat template.
        tokens: the most of one answer.

    Raises InputError as `load_model`, and for a prompt beyond the model's context.
    """

    def __init__(self, model: str, *, chat: bool = False, tokens: int = 16) -> None:
        from transformers import GenerationConfig

        path = packaged_file(PACKAGED[model]) if model == "smollm2" else Path(model)
        config = check_model(path)
        loaded = load_model(path, config)
        self._model: Any = loaded.model
        self._context = loaded.context
        self._tokenizer = load_tokenizer(path)
        if chat and not self._tokenizer.chat_template:
            raise InputError(f"{path} has no chat template; leave out --chat")
        ends = self._model.generation_config.eos_token_id
        # All else that comes with the model would sample, or punish repetition.
        self._greedy = GenerationConfig(max_new_tokens=tokens, do_sample=False, eos_token_id=ends, pad_token_id=0)
        self.chat, self.tokens = chat, tokens
        self._name, self._digest = path.name, digest(path)

    @property
    def about(self) -> dict[str, Any]:
        """What is asked."""
        return {"model": self._name, "sha256": self._digest, "chat": self.chat, "most_tokens": self.tokens}

    @torch.inference_mode()
    def __call__(self, prompt: str) -> str:
        """The answer to one prompt."""
        tokens = torch.tensor([self._encoded(prompt)], device=self._model.device)
        if tokens.shape[1] + self.tokens > self._context:
            raise InputError(
                f"a prompt of {tokens.shape[1]} tokens does not fit into the model's {self._context}; "
                "ask for shorter sequences, or with fewer --shots"
            )
        found = self._model.generate(tokens, attention_mask=torch.ones_like(tokens), generation_config=self._greedy)
        return str(self._tokenizer.decode(found[0, tokens.shape[1] :], skip_special_tokens=True))

    def _encoded(self, prompt: str) -> list[int]:
        tokenizer: Any = self._tokenizer
        if not self.chat:
            return list(tokenizer.encode(prompt))
        text = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], add_generation_prompt=True, tokenize=False
        )
        return list(tokenizer.encode(text, add_special_tokens=False))
