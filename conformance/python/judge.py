# SPDX-License-Identifier: Apache-2.0
"""Judges cases: one JSON object per line on stdin, and one line on stdout for each case. For the tests of this project.

    {"base": NAME, "files": {PATH: BASE64}}                   a tree, which cases change. It has no answer
    {"role": "client" | "lookup" | "copy", "anchor": TEXT, "ask": [ID], "steps": [STEP]}
    {"role": "history", "anchor": TEXT, "file": TEXT}

A STEP has `now` in milliseconds, `base`, `files` in place of those of the base (null removes one), and perhaps
`answers` of the host and `restarts`: see conformance/cases/case.ts. An answer has one verdict per step.
"""

from __future__ import annotations

import base64
import email.message
import io
import json
import sys
import urllib.request
from typing import Any

from passport_registry import Clock, Json, Refused, TrustAnchor, read_trust_anchor, refuse, verify_history
from passport_registry.client import Host, Memory, Proven, Source, prove, read_memory, verify_registry

COPY_MAX_AGE_MS = 30 * 86_400_000


class Copy(Source):
    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    def get(self, path: str, limit: int, query: str = "") -> bytes | None:
        body = self.files.get(path)
        if body is not None and len(body) > limit:
            refuse("ERR_SOURCE_TOO_LARGE", f"{path} is larger than {limit} bytes")
        return body


class Response(io.BytesIO):
    """What a host answers."""

    def __init__(self, status: int, body: bytes = b"", content_type: str = "text/plain", is_cut: bool = False) -> None:
        super().__init__(body[: len(body) // 2] if is_cut else body)
        self.status = status
        self.length = max(1, len(body) - len(body) // 2) if is_cut else 0  # the bytes that are still to come
        self.headers = email.message.Message()
        self.headers["Content-Type"] = content_type


class Opener:
    def __init__(self, files: dict[str, bytes], answers: dict[str, Json]) -> None:
        self.files, self.answers = files, answers

    def open(self, request: urllib.request.Request, timeout: float) -> Response:
        path = request.full_url.partition("?")[0].removeprefix("https://source-0.example/")
        body, answer = self.files.get(path), self.answers.get(path)
        if answer is None:
            return Response(404) if body is None else Response(200, body)
        if "never" in answer or answer.get("ends") == "early":
            raise TimeoutError() if "never" in answer else ConnectionError("the connection has ended")
        return Response(answer.get("status", 200), body or b"", answer.get("type", "text/plain"), "ends" in answer)


class ShownHost(Host):
    def __init__(self, files: dict[str, bytes], answers: dict[str, Json]) -> None:
        super().__init__("https://source-0.example")
        self.opener = Opener(files, answers)  # type: ignore[assignment]

    def get(self, path: str, limit: int, query: str = "") -> bytes | None:
        result = self.answer(f"{self.base}/{path}?{query}", path, limit, 1)  # without a thread
        if isinstance(result, Refused):
            raise result
        return result


def facts(proven: Proven) -> dict[str, Json]:
    issuers = len(proven.issuers.records) if proven.issuers else None
    return {"list": proven.named.sha256[:8], "hold": list(proven.hold), "issuers": issuers}


def files_of(step: dict[str, Json], bases: dict[str, dict[str, bytes]]) -> dict[str, bytes]:
    changes = {path: None if body is None else base64.b64decode(body) for path, body in step["files"].items()}
    return {path: body for path, body in {**bases[step["base"]], **changes}.items() if body is not None}


def judged(run: Any) -> dict[str, Json]:
    try:
        return {"verdict": "accept", "code": "", "more": run()}
    except Refused as refused:
        return {"verdict": "refuse", "code": refused.code, "more": refused.message}
    except Exception as fault:
        return {"verdict": "crash", "code": type(fault).__name__, "more": str(fault)}


class Client:
    """What is remembered from step to step."""

    def __init__(self, case: dict[str, Json], anchor: TrustAnchor) -> None:
        self.case, self.anchor, self.memory = case, anchor, Memory()
        self.kept: dict[str, bytes] = {}
        self.proven: Proven | None = None

    def save(self, memory: Memory) -> None:
        self.memory = memory

    def see(self, step: dict[str, Json], files: dict[str, bytes]) -> dict[str, Json]:
        if step.get("restarts"):
            self.memory, self.kept = read_memory(json.dumps(self.memory.to_json()).encode()), {}
        is_copy, is_look_up = self.case["role"] == "copy", self.case["role"] == "lookup"
        source = Copy(files) if is_copy else ShownHost(files, step.get("answers", {}))
        clock = Clock(step["now"], copy_max_age_ms=COPY_MAX_AGE_MS if is_copy else None)
        memory = Memory() if is_copy else self.memory
        try:
            proven = verify_registry(source, self.anchor, clock, memory, is_look_up, self.save)
        except Refused:
            # A look-up goes on with the statement that it has accepted, and keeps what it then verifies.
            if is_look_up and self.proven:
                self.ask(source, clock, self.proven)
            raise
        self.proven = proven
        if not is_look_up:
            return facts(proven)
        answers = self.ask(source, clock, proven)
        refused = next((answer for answer in answers.values() if isinstance(answer, Refused)), None)
        if refused:
            raise refused
        return {**facts(proven), "answers": answers}

    def ask(self, source: Source, clock: Clock, proven: Proven) -> dict[str, Json]:
        answers: dict[str, Json] = {}
        for issuer_id in self.case["ask"]:
            try:
                record = prove(source, self.anchor, clock, issuer_id, proven, self.save, self.kept).record
                answers[issuer_id] = record["status"] if record else "absent"
            except Refused as refused:
                answers[issuer_id] = refused
        return answers



def judge(case: dict[str, Json], bases: dict[str, dict[str, bytes]]) -> list[dict[str, Json]]:
    try:
        anchor = read_trust_anchor(case["anchor"].encode("utf-8", "surrogatepass"))
    except Refused as refused:
        return [{"verdict": "refuse", "code": refused.code, "more": refused.message}] * len(case.get("steps", [None]))
    if case["role"] == "history":
        return [judged(lambda: past(case, anchor))]
    client = Client(case, anchor)
    return [judged(lambda: client.see(step, files_of(step, bases))) for step in case["steps"]]


def past(case: dict[str, Json], anchor: TrustAnchor) -> dict[str, Json]:
    proven = verify_history(case["file"].encode("utf-8", "surrogatepass"), anchor)
    return {"from": proven.begins, "until": proven.ends, "record": proven.record}


def main() -> None:
    bases: dict[str, dict[str, bytes]] = {}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "base" in message:
            bases[message["base"]] = {path: base64.b64decode(body) for path, body in message["files"].items()}
        else:
            print(json.dumps(judge(message, bases)), flush=True)


if __name__ == "__main__":
    main()
