# SPDX-License-Identifier: Apache-2.0
"""The verifier as a program for the runner of the conformance kit: conformance/README.md, "The runner".

    conformance run --role list -- python3 conformance/python/conformance.py
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any, Callable

from passport_registry import (
    LIMITS, Clock, Json, Refused, TrustAnchor, is_issuer_id, read_trust_anchor, refuse, verify_history, verify_list,
)
from passport_registry.client import Folder, Host, Memory, Proven, Source, prove, read_memory, verify_registry

COPY_MAX_AGE_MS = 30 * 86_400_000
Message = dict[str, Any]


def read(folder: str, name: str) -> bytes:
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


def active(records: list[dict[str, Json]], ask: list[str], hold: tuple[str, ...] = ()) -> list[str]:
    return [record["issuer_id"] for record in records
            if record["issuer_id"] in ask and record["issuer_id"] not in hold and record["status"] == "active"]


def judge_list(message: Message, anchor: TrustAnchor) -> list[str]:
    folder = Folder(message["folder"])
    body, signature = folder.get("issuers.json", LIMITS["list"]), folder.get("issuers.sig", LIMITS["signature"])
    if body is None or signature is None:
        refuse("ERR_SOURCE_STATUS", "the list or its signature is absent")
    verified = verify_list(body, signature, anchor.root)
    return active(verified.records, message.get("ask", []))


def judge_log(message: Message, anchor: TrustAnchor) -> list[str]:
    if "proof" in message:
        verify_history(read("", message["proof"]), anchor)
    else:
        verify_registry(Folder(message["folder"]), anchor, Clock(message["now"], copy_max_age_ms=COPY_MAX_AGE_MS))
    return []


class Client:
    """What is remembered from step to step. Of several sources, the first one that is accepted counts."""

    def __init__(self, is_look_up: bool) -> None:
        self.is_look_up = is_look_up
        self.memory = Memory()
        self.kept: dict[str, bytes] = {}

    def save(self, memory: Memory) -> None:
        self.memory = memory

    def judge(self, message: Message, anchor: TrustAnchor) -> list[str]:
        if message["step"] == 0:
            self.memory, self.kept = Memory(), {}
        if message.get("restart"):
            self.memory, self.kept = read_memory(json.dumps(self.memory.to_json()).encode()), {}
        first: Refused | None = None
        for url in message["sources"]:
            try:
                return self.judge_source(Host(url, message["deadline"]), message, anchor)
            except Refused as refused:
                first = first or refused
        assert first
        raise first

    def judge_source(self, source: Source, message: Message, anchor: TrustAnchor) -> list[str]:
        clock = Clock(message["now"])
        proven = verify_registry(source, anchor, clock, self.memory, self.is_look_up, self.save)
        ask: list[str] = message.get("ask", [])
        if not self.is_look_up:
            return active(proven.issuers.records, ask, proven.hold) if proven.issuers else []
        return [issuer_id for issuer_id in ask if self.is_active(source, clock, anchor, issuer_id, proven)]

    def is_active(self, source: Source, clock: Clock, anchor: TrustAnchor, issuer_id: str, proven: Proven) -> bool:
        if not is_issuer_id(issuer_id):
            return False  # in no list, without a proof
        return prove(source, anchor, clock, issuer_id, proven, self.save, self.kept).verdict == "active"


JUDGES: dict[str, Callable[[Message, TrustAnchor], list[str]]] = {
    "list": judge_list,
    "log": judge_log,
    "client": Client(False).judge,
    "lookup": Client(True).judge,
}


def answer(message: Message, role: str) -> dict[str, Json]:
    try:
        anchor = read_trust_anchor(message["anchor"].encode("utf-8", "surrogatepass"))
        if "policy" in message:
            refuse("ERR_POLICY_INVALID", "trust policies are not implemented")
        return {"verdict": "accept", "trusted": JUDGES[role](message, anchor)}
    except Refused as refused:
        return {"verdict": "refuse", "code": refused.code}


def main() -> None:
    role = ""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "protocol" in message:
            role = message["role"]
            name = "passport_registry in Python"
            said: dict[str, Json] = {"protocol": 1, "name": name, "roles": list(JUDGES), "algorithms": ["Ed25519", "ES256"]}
        else:
            said = answer(message, role)
        print(json.dumps({"id": message["id"], **said}), flush=True)


if __name__ == "__main__":
    main()
