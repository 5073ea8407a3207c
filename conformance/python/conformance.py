# SPDX-License-Identifier: Apache-2.0
"""The verifier as a program for the runner of the conformance kit: conformance/runner/README.md.

    conformance run --role list -- python3 conformance/python/conformance.py
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable

from passport_registry import (
    LIMITS, Clock, Json, Refused, TrustAnchor, is_issuer_id, is_trusted, read_trust_anchor, refuse, verify_list,
)
from passport_registry.client import Folder, Host, Memory, Proven, Source, prove, read_memory, verify_registry

COPY_MAX_AGE_MS = 30 * 86_400_000
Message = dict[str, Any]
Answer = dict[str, Json]


def trusted(message: Message, records: list[dict[str, Json]], hold: tuple[str, ...] = ()) -> list[str]:
    by_id = {record["issuer_id"]: record for record in records}
    return [issuer_id for issuer_id in message.get("ask", [])
            if is_trusted(by_id.get(issuer_id), hold, message.get("policy"), message["now"])]


def facts(proven: Proven) -> dict[str, Json]:
    """What is held, for comparisons with other programs."""
    return {"list": proven.publication.sha256, "hold": list(proven.hold),
            **({"issuers": len(proven.issuers.records)} if proven.issuers else {})}


def accepted(message: Message, proven: Proven, records: list[dict[str, Json]]) -> Answer:
    more = {**facts(proven), "fresh": proven.fresh_until_ms}
    return {"trusted": trusted(message, records, proven.hold), "more": more}


def judge_list(message: Message, anchor: TrustAnchor) -> Answer:
    folder = Folder(message["folder"])
    body, signature = folder.get("issuers.json", LIMITS["list"]), folder.get("issuers.sig", LIMITS["signature"])
    if body is None or signature is None:
        refuse("ERR_SOURCE_STATUS", "the list or its signature is absent")
    verified = verify_list(body, signature, anchor.root)
    return {"trusted": trusted(message, verified.records)}


def judge_log(message: Message, anchor: TrustAnchor) -> Answer:
    clock = Clock(message["now"], copy_max_age_ms=COPY_MAX_AGE_MS)
    return {"more": facts(verify_registry(Folder(message["folder"]), anchor, clock))}


class Client:
    """What is remembered from step to step. Of several sources, the first one that is accepted counts."""

    def __init__(self, is_look_up: bool) -> None:
        self.is_look_up = is_look_up
        self.memory = Memory()
        self.held: Proven | None = None
        self.kept: dict[str, bytes] = {}

    def save(self, memory: Memory) -> None:
        self.memory = memory
        self.held = None  # until the list is accepted under the present root key

    def judge(self, message: Message, anchor: TrustAnchor) -> Answer:
        if message["step"] == 0:
            self.memory, self.held, self.kept = Memory(), None, {}
        if message.get("restart"):
            self.memory, self.held, self.kept = self.stored(message["restart"] == "cut", anchor), None, {}
        if not message["sources"]:
            return self.judge_held(message)
        first: Refused | None = None
        for url in message["sources"]:
            try:
                return self.judge_source(Host(url, message["deadline"]), message, anchor)
            except Refused as refused:
                first = first or refused
        assert first
        raise first

    def stored(self, is_cut: bool, anchor: TrustAnchor) -> Memory:
        """What is read from the disk. If it cannot be verified, it is begun anew (#store-times)."""
        body = json.dumps(self.memory.to_json()).encode()
        try:
            return read_memory(body[: len(body) // 2] if is_cut else body, anchor)
        except Refused:
            return Memory()

    def judge_held(self, message: Message) -> Answer:
        """Without a source, the list that is held must still be good (#other-clocks)."""
        if self.held is None or self.held.issuers is None:
            refuse("ERR_REGISTRY_NOT_READY", "no list has been accepted")
        Clock(message["now"]).check_use(self.held.fresh_until_ms)
        return accepted(message, self.held, self.held.issuers.records)

    def judge_source(self, source: Source, message: Message, anchor: TrustAnchor) -> Answer:
        clock = Clock(message["now"])
        proven = verify_registry(source, anchor, clock, self.memory, self.is_look_up, self.save)
        self.held = proven
        if proven.issuers:
            return accepted(message, proven, proven.issuers.records)
        found = [prove(source, anchor, clock, issuer_id, proven, self.save, self.kept).record
                 for issuer_id in message["ask"] if is_issuer_id(issuer_id)]
        return accepted(message, proven, [record for record in found if record])


JUDGES: dict[str, Callable[[Message, TrustAnchor], Answer]] = {
    "list": judge_list,
    "log": judge_log,
    "client": Client(False).judge,
    "lookup": Client(True).judge,
}


def answer(message: Message, role: str) -> Answer:
    try:
        anchor = read_trust_anchor(message["anchor"].encode("utf-8", "surrogatepass"))
        return {"verdict": "accept", **JUDGES[role](message, anchor)}
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
