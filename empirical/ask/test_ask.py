"""One-hop tasks in words: the questions, the counting, going on after an interruption, and endpoints good and bad."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from empirical.__main__ import run
from empirical.ask.endpoint import MOST_BYTES, Endpoint
from empirical.ask.questions import Question, Quiz
from empirical.ask.run import ask, by_length
from theory.errors import InputError

SMALL = Quiz(lengths=(4, 7), questions=6, shots=2, seed=3)


def solved(prompt: str) -> str:
    """The answer, read off the words of the prompt alone."""
    *words, last = re.findall(r"Sequence: (.*)\nAnswer:$", prompt)[0].split()
    return words[-int(last)] if last.isdigit() else next(word for word in words if word[0] == last[1])


@given(task=st.sampled_from(["index", "retrieval"]), length=st.integers(3, 40), seed=st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_every_question_has_its_answer_in_its_words(task: str, length: int, seed: int) -> None:
    for question in Quiz((task,), (length,), questions=3, shots=2, seed=seed):
        assert solved(question.prompt) == question.answer == question.tokens[-1 - question.offset]
        assert len(question.tokens) == length and question.prompt.count("Answer:") == 3
        assert 0 < question.guess <= 1
        for shot in re.findall(r"(Sequence: .*\nAnswer:) (\S+)\n", question.prompt):
            assert solved(shot[0]) == shot[1]


def test_places_are_balanced_and_questions_belong_to_their_seed() -> None:
    offsets = Counter(question.offset for question in Quiz(("index",), (6,), questions=20, seed=1))
    assert offsets == dict.fromkeys(range(1, 6), 4)
    more, other = Quiz(("index",), (6,), questions=20, seed=1), Quiz(("index",), (6,), questions=20, seed=2)
    assert [question.key for question in more] == [question.key for question in more]
    assert not {question.key for question in more} & {question.key for question in other}
    assert len(more) == 20 and len(SMALL) == 24 == len(list(SMALL))


@pytest.mark.parametrize(
    ("said", "right"),
    [
        *((said, True) for said in ("ab", " ab.\nSequence", '"ab"', "**ab**", "\n\nab")),
        *((said, False) for said in ("AB", "a b", "abc", "the answer is ab", "", "\n")),
    ],
)
def test_exact_match(said: str, right: bool) -> None:
    assert Question("retrieval", 3, 0, "?", "ab", 1, ("ab", "c1", "da")).right(said) is right


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"lengths": ()}, "asks nothing"),
        ({"tasks": ()}, "asks nothing"),
        ({"lengths": (5, 5)}, "length 5 is asked for twice"),
        ({"lengths": (2,)}, "length of retrieval=2 is below 3"),
        ({"questions": 0}, "questions=0 is below 1"),
        ({"shots": -1}, "shots=-1 is below 0"),
    ],
)
def test_no_quiz(change: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Quiz(**change)


def test_shares_and_a_model_that_knows_one_task(tmp_path: Path) -> None:
    def model(prompt: str) -> str:
        return solved(prompt) if "letter v places" in prompt else "?"

    answers = ask(model, {"model": "half"}, SMALL, tmp_path, None)
    shares = {(share.task, share.length): share for share in by_length(answers)}
    assert {key: share.right for key, share in shares.items()} == {
        ("index", 4): 6,
        ("index", 7): 6,
        ("retrieval", 4): 0,
        ("retrieval", 7): 0,
    }
    for share in shares.values():
        assert share.low <= share.accuracy <= share.high
    assert shares["index", 4].low == pytest.approx(6 / (6 + 1.959963984540054**2))  # Wilson, all of 6 right
    data = json.loads((tmp_path / "result.json").read_text())
    assert [share["right"] for share in data["shares"]] == [6, 6, 0, 0]


class Interrupted(Exception):
    pass


def test_an_interrupted_quiz_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    for name in ("whole", "cut"):
        (tmp_path / name).mkdir()
    whole = [answer.as_json() for answer in ask(solved, {"model": "m"}, SMALL, tmp_path / "whole", None)]
    asked: list[str] = []

    def model(prompt: str) -> str:
        if len(asked) in (5, 11):
            asked.append("")
            raise Interrupted
        asked.append(prompt)
        return solved(prompt)

    for _ in range(2):
        with pytest.raises(Interrupted):
            ask(model, {"model": "m"}, SMALL, tmp_path / "cut", None)
        with (tmp_path / "cut" / "answers.jsonl").open("a") as file:
            file.write('{"key": "half a li')
    assert [answer.as_json() for answer in ask(model, {"model": "m"}, SMALL, tmp_path / "cut", None)] == whole
    assert [prompt for prompt in asked if prompt] == [question.prompt for question in SMALL]
    for name in ("answers.jsonl", "result.json", "request.json"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_request_without_an_answer_gives_way(tmp_path: Path) -> None:
    def refused(prompt: str) -> str:
        raise InputError("nobody answers")

    with pytest.raises(InputError, match="nobody"):
        ask(refused, {"model": "n"}, SMALL, tmp_path, None)
    ask(solved, {"model": "m"}, SMALL, tmp_path, None)
    assert json.loads((tmp_path / "request.json").read_text())["asked"] == {"model": "m"}


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    ask(solved, {"model": "m"}, SMALL, tmp_path, None)
    for about, quiz in (({"model": "n"}, SMALL), ({"model": "m"}, Quiz(lengths=(4, 7), questions=6, shots=2))):
        with pytest.raises(InputError, match="asks something else"):
            ask(solved, about, quiz, tmp_path, None)
    lines = (tmp_path / "answers.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "answers.jsonl").write_text("".join(lines[::-1]))
    with pytest.raises(InputError, match="answers to other questions"):
        ask(solved, {"model": "m"}, SMALL, tmp_path, None)
    (tmp_path / "answers.jsonl").write_text('{"key": 3}\n')
    with pytest.raises(InputError, match="line 1 is no answer"):
        ask(solved, {"model": "m"}, SMALL, tmp_path, None)


Reply = Callable[[dict[str, Any]], tuple[int, bytes]]


class Server:
    """A local endpoint; `reply` gets what was posted, `seen` keeps paths and keys."""

    def __init__(self) -> None:
        self.reply: Reply = lambda _: (404, b"")
        self.seen: list[tuple[str, str | None]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.seen.append((self.path, self.headers["Authorization"]))
                status, data = outer.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@pytest.fixture
def server() -> Iterator[Server]:
    pytest.importorskip("requests")
    found = Server()
    thread = Thread(target=found.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.http.shutdown()
    thread.join()
    found.http.server_close()


def chat(text: Any) -> tuple[int, bytes]:
    return 200, json.dumps({"choices": [{"message": {"content": text}}]}).encode()


def test_an_endpoint_in_a_chat_and_by_completions(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "a-secret\n")
    server.reply = lambda body: chat(f"{body['messages'][0]['content']} {body['model']} {body['temperature']}")
    asked = Endpoint(server.url, "m", "SOME_KEY")
    assert asked("hello") == "hello m 0"
    server.reply = lambda body: (200, json.dumps({"choices": [{"text": body["prompt"]}]}).encode())
    assert Endpoint(server.url + "/", "m", chat=False)("hi") == "hi"
    assert server.seen == [("/v1/chat/completions", "Bearer a-secret"), ("/v1/completions", None)]
    assert "secret" not in str(asked.about)


def test_requests_are_repeated_while_the_endpoint_fails(server: Server) -> None:
    for status in (429, 500, 502, 503, 504):
        failures = iter([(status, b"busy")] * 2)
        server.reply = lambda _, failures=failures: next(failures, chat("late"))  # type: ignore[misc]
        assert Endpoint(server.url, "m", retries=2, pause=0)("?") == "late"
    assert len(server.seen) == 15


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((500, b"oops"), "answers 500; check address"),
        ((404, b'{"error": {"message": "no model\\nm"}}'), r"answers 404 \(no model m\); check"),
        ((401, b'{"error": "bad key"}'), "answers 401; check"),
        ((302, b""), "answers 302; check"),
        ((200, b"<html>rubbish\n</html>"), "answers '<html>rubbish </html>', not as"),
        ((200, b""), "answers '', not as"),
        ((200, b"\xff\xfe\x00"), "not as an OpenAI-compatible"),
        ((200, b"[" * 100_000), "not as an OpenAI-compatible"),
        ((200, b'{"choices": []}'), "not as an OpenAI-compatible"),
        ((200, b'{"choices": [{"message": {"content": null}}]}'), "not as an OpenAI-compatible"),
        ((200, b'{"choices": [{"message": {"content": "\\ud800"}}]}'), "not as an OpenAI-compatible"),
        ((200, b" " * (MOST_BYTES + 1)), f"more than {MOST_BYTES} bytes"),
    ],
)
def test_a_bad_endpoint_is_one_line_and_leaves_what_was_answered(
    server: Server, reply: tuple[int, bytes], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped(server, reply, tmp_path)
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and re.search(words, said), said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl", "request.json"]
    assert len((tmp_path / "answers.jsonl").read_text().splitlines()) == 3


def stopped(server: Server, reply: tuple[int, bytes], out: Path) -> list[str]:
    """A command that gets three answers and then this reply."""
    answered = iter([chat("x")] * 3)
    server.reply = lambda _: next(answered, reply)
    arguments = ["ask", "m", "--url", server.url, "--lengths", "4", "--questions", "3", "--retries", "0"]
    assert run([*arguments, "--out", str(out)]) == 2
    return [*arguments, "--out", str(out)]


def test_a_command_goes_on_where_the_endpoint_failed(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = stopped(server, (500, b""), tmp_path)
    capsys.readouterr()
    server.reply = lambda body: chat(solved(body["messages"][0]["content"]))
    assert run(arguments) == 0
    assert {path.name for path in tmp_path.iterdir()} >= {"result.json", "accuracy.png", "accuracy.svg"}
    rows = [line.split()[:5] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [["index", "4", "0", "of", "3"], ["retrieval", "4", "3", "of", "3"]]
    assert len(server.seen) == 3 + 1 + 3


def test_an_endpoint_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("requests")
    arguments = ["ask", "m", "--url", "http://127.0.0.1:9/v1", "--retries", "0", "--out", str(tmp_path / "new")]
    assert run(arguments) == 2
    assert re.fullmatch(r"error: .*cannot be asked \(.*refused.*\).*\n", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--url", "localhost:8000"], "no address of an endpoint"),
        (["--url", "ftp://host/v1"], "no address of an endpoint"),
        (["--url", "http://[::1"], "no address of an endpoint"),
        (["--url", "http://user:secret@host/v1"], "no address of an endpoint"),
        (["--url", "http://host:99999/v1"], "no address of an endpoint"),
        (["--url", "http://host/v1", "--key-variable", "NO_SUCH_KEY"], "NO_SUCH_KEY holds no key"),
        (["--url", "http://host/v1", "--chat"], "--chat is for a model on the disk"),
        (["--key-variable", "K"], "are for an endpoint"),
        (["--lengths", "5,x"], "'x', which is no number"),
        (["--lengths", ""], "no number"),
        (["--lengths", "2"], "below 3"),
        ([], "nowhere does not exist"),
    ],
)
def test_bad_requests(options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("requests")
    assert run(["ask", "nowhere", *options, "--out", str(tmp_path / "new")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and words in said, said
    assert not (tmp_path / "new").exists()
