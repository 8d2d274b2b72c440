"""A model behind an OpenAI-compatible endpoint, asked over HTTP.

A request is repeated, with growing pauses, after a lost connection and after the answers 429, 500, 502, 503 and 504.
"""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import urlsplit

from theory.errors import InputError

RETRIED = (429, 500, 502, 503, 504)
MOST_BYTES = 1 << 20  # of one answer; a sentence is asked for
SECONDS = (10.0, 300.0)  # to connect, and between two pieces of an answer


class Endpoint:
    """Answers to prompts, at temperature 0, from URL/chat/completions, or from URL/completions without `chat`.

    Args:
        url: up to and with its version, such as http://localhost:8000/v1.
        model: its name there.
        key_variable: the environment variable that holds the key, if there is one. The key is never shown or stored.
        tokens: the most of one answer.
        retries: of a request that fails.
        pause: seconds before the first of them, doubled each time.

    Raises InputError for what is no http(s) address, a variable that is not set, and, when it is asked, for an endpoint
    that keeps failing, refuses, or does not answer as such an endpoint does.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key_variable: str | None = None,
        *,
        chat: bool = True,
        tokens: int = 16,
        retries: int = 5,
        pause: float = 1.0,
    ) -> None:
        try:
            import requests
            from requests.adapters import HTTPAdapter
            from urllib3.util import Retry
        except ImportError as error:
            raise InputError(f"an endpoint needs the library {error.name}; install headproof[endpoint]") from None
        try:
            parts = urlsplit(url)
            named = bool(parts.hostname) and parts.port != 0
        except ValueError:
            named = False
        if not named or parts.scheme not in ("http", "https") or parts.username or parts.query or parts.fragment:
            raise InputError(f"--url {url!r} is no address of an endpoint; write it as http://localhost:8000/v1")
        self.url = f"{url.rstrip('/')}/{'chat/completions' if chat else 'completions'}"
        self.model, self.chat, self.tokens = model, chat, tokens
        self._session = requests.Session()
        self._session.auth = _Bearer(key_variable)
        retry = Retry(
            retries, status_forcelist=RETRIED, allowed_methods=None, backoff_factor=pause, raise_on_status=False
        )
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    @property
    def about(self) -> dict[str, Any]:
        """What is asked, without the key."""
        return {"url": self.url, "model": self.model, "most_tokens": self.tokens}

    def __call__(self, prompt: str) -> str:
        """The answer to one prompt."""
        from requests import RequestException

        asked: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}]} if self.chat else {"prompt": prompt}
        body: dict[str, Any] = {"model": self.model, "temperature": 0, "max_tokens": self.tokens, **asked}
        try:
            # A redirection would carry the key elsewhere.
            with self._session.post(
                self.url, json=body, timeout=SECONDS, allow_redirects=False, stream=True
            ) as response:
                data = b""
                for piece in response.iter_content(1 << 14):
                    data += piece
                    if len(data) > MOST_BYTES:
                        raise InputError(f"{self.url} answers with more than {MOST_BYTES} bytes; check the address")
                status = response.status_code
        except RequestException as error:
            raise InputError(
                f"{self.url} cannot be asked ({_cause(error)}); check the address, or go on later with the same --out"
            ) from None
        if status != 200:
            raise InputError(
                f"{self.url} answers {status}{_said(data)}; check address, model and key, "
                "or go on later with the same --out"
            )
        return self._text(data)

    def _text(self, data: bytes) -> str:
        try:
            choice = json.loads(data)["choices"][0]
            text = choice["message"]["content"] if self.chat else choice["text"]
            if isinstance(text, str):
                text.encode()  # a lone surrogate cannot be written down
                return text
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
        raise InputError(
            f"{self.url} answers {_shown(data)!r}, not as an OpenAI-compatible endpoint does; check the address"
        )


class _Bearer:
    """Sets the key of a request; there also without one, or a .netrc would send what it has for the host."""

    def __init__(self, variable: str | None) -> None:
        self._key = None if variable is None else os.environ.get(variable, "").strip()
        if self._key is not None and not (self._key and self._key.isascii() and self._key.isprintable()):
            raise InputError(f"the environment variable {variable} holds no key; set it, or leave it out")

    def __call__(self, request: Any) -> Any:
        if self._key is not None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        return request


def _cause(error: BaseException) -> str:
    """The innermost reason, which libraries wrap in objects and addresses."""
    found: Any = error
    while isinstance(getattr(found, "reason", None), BaseException) or (
        found.args and isinstance(found.args[0], BaseException)
    ):
        found = found.reason if isinstance(getattr(found, "reason", None), BaseException) else found.args[0]
    message = " ".join(str(found).split()).rpartition(">: ")[2]
    return message[:120] or type(found).__name__


def _said(data: bytes) -> str:
    """What an error says for itself, in the form that such endpoints use."""
    try:
        message = json.loads(data)["error"]["message"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
    return f" ({_shown(str(message).encode(errors='replace'))})"


def _shown(data: bytes) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in data[:400].decode(errors="replace"))
    return " ".join(text.split())[:80]
