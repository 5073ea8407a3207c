# SPDX-License-Identifier: Apache-2.0
"""What needs a network, a disk or a memory: folders and hosts, the steps of a client, and what it remembers."""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import secrets
import stat
import threading
import time
import urllib.request
import zlib
from dataclasses import asdict, dataclass, field, replace
from typing import Callable

from . import (
    COSIGNATURE_AGE_MS, LIMITS, NO_CLOCK, Chain, Checkpoint, Clock, Form, Forms, IssuerList, Json, Logged, Named, PublicKey, Refused,
    Statement, TrustAnchor, accepts, check, check_members, faults_are, fits_checkpoint, follow_rotation,
    integer, is_count, is_hash, is_issuer_id, is_list_time, is_string, is_strings, longest_chain, one_of, or_null,
    pinned_chain, prove_issuer, read_steps, read_thumbprint, refuse, sha256, source_key, strict_json, verify_checkpoint,
    verify_list, verify_log_grows, verify_log_proof, verify_statement,
)

# --- Where files come from --------------------------------------------------------------------------------------------


class Source:
    """A folder or a host."""

    is_host = False

    def get(self, path: str, limit: int, query: str = "") -> bytes | None:
        """The bytes of a file (#limits), or None if there is none."""
        raise NotImplementedError

    def restart_deadline(self) -> None:
        """Begins a new refresh."""


class Folder(Source):
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def get(self, path: str, limit: int, query: str = "") -> bytes | None:
        name = os.path.join(self.folder, *path.split("/"))
        try:
            if not stat.S_ISREG(os.stat(name).st_mode):
                refuse("ERR_SOURCE_UNREACHABLE", f"{path} is not a regular file")
            with open(name, "rb") as file:
                body = file.read(limit + 1)
        except (FileNotFoundError, NotADirectoryError):
            if not os.path.isdir(self.folder):
                refuse("ERR_SOURCE_UNREACHABLE", f"{self.folder} is not a folder")
            return None
        except OSError as error:
            raise Refused("ERR_SOURCE_UNREACHABLE", f"{path}: {error.strerror}") from error
        if len(body) > limit:
            refuse("ERR_SOURCE_TOO_LARGE", f"{path} is larger than {limit} bytes")
        return body


class Host(Source):
    """A source of http or https. Neither redirects, nor credentials, nor cookies, nor proxies (#no-redirects)."""

    is_host = True

    def __init__(self, url: str, deadline_seconds: float = 15) -> None:
        with faults_are("ERR_OPTIONS_INVALID"):
            source_key(url)
        self.base = url.rstrip("/")
        self.seconds = deadline_seconds
        self.opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.HTTPHandler(), urllib.request.HTTPSHandler()):
            self.opener.add_handler(handler)
        self.restart_deadline()

    def restart_deadline(self) -> None:
        self.deadline = time.monotonic() + self.seconds  # (#deadlines)

    def get(self, path: str, limit: int, query: str = "") -> bytes | None:
        # The request runs in a thread, so that a host that sends one byte at a time cannot outlast the deadline.
        answer: queue.Queue[bytes | None | Refused] = queue.Queue(1)
        left = self.deadline - time.monotonic()
        if left <= 0:
            refuse("ERR_SOURCE_TIMEOUT", f"the deadline has passed before {path}")
        url = f"{self.base}/{path}" + (f"?{query}" if query else "")
        threading.Thread(target=lambda: answer.put(self.answer(url, path, limit, left)), daemon=True).start()
        try:
            result = answer.get(timeout=left)
        except queue.Empty:
            raise Refused("ERR_SOURCE_TIMEOUT", f"the deadline has passed during {path}") from None
        if isinstance(result, Refused):
            raise result
        return result

    def answer(self, url: str, path: str, limit: int, left: float) -> bytes | None | Refused:
        try:
            request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
            with self.opener.open(request, timeout=left) as response:
                return self.body(response, path, limit)
        except Refused as refused:
            return refused
        except Exception as error:  # whatever goes wrong, the file was not read
            if isinstance(error, TimeoutError) or isinstance(getattr(error, "reason", None), TimeoutError):
                return Refused("ERR_SOURCE_TIMEOUT", f"the deadline has passed during {path}")
            return Refused("ERR_SOURCE_UNREACHABLE", f"{path}: {error}")

    @staticmethod
    def body(response: http.client.HTTPResponse, path: str, limit: int) -> bytes | None:
        status = response.status  # (#host-responses)
        if status in (404, 410):
            return None
        if 300 <= status <= 399 and status != 304:
            refuse("ERR_SOURCE_REDIRECTED", f"{path} redirects")
        if status != 200:
            refuse("ERR_SOURCE_STATUS", f"{path} has status {status}")
        if response.headers.get_content_type() == "text/html":  # (#content-types)
            refuse("ERR_SOURCE_CONTENT", f"{path} is a page")
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip"):
            refuse("ERR_SOURCE_CONTENT", f"{path} has the encoding {encoding}, which was not requested")
        unzip = zlib.decompressobj(31) if encoding == "gzip" else None
        body = bytearray()
        try:
            while chunk := response.read1(65536):
                body += unzip.decompress(chunk, limit + 1 - len(body)) if unzip else chunk
                if len(body) > limit:  # while the bytes arrive (#limits)
                    refuse("ERR_SOURCE_TOO_LARGE", f"{path} is larger than {limit} bytes")
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise Refused("ERR_SOURCE_TRUNCATED", f"{path}: {error}") from error
        if response.length or (unzip and (not unzip.eof or unzip.unused_data)):
            refuse("ERR_SOURCE_TRUNCATED", f"{path} ends early")
        return bytes(body)


def open_source(place: str) -> Source:
    return Host(place) if re.match("https?://", place, re.I) else Folder(place)


# --- What a client remembers ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Memory:
    """What was accepted last (#client-memory). It survives a rotation of the root key (#rotation-brings)."""

    format: str = "passport-registry-memory@v1"
    rotation: list[str] = field(default_factory=list)  # the steps that lead from the pinned key to the root key
    named: dict[str, Json] | None = None
    held: dict[str, str] | None = None  # the list with its signature, and the root key
    checkpoint: dict[str, Json] | None = None
    statement: dict[str, Json] | None = None
    log: dict[str, Json] | None = None  # the head of the proof, and whose cosignatures counted

    def to_json(self) -> dict[str, Json]:
        """What is kept for the next run. A rotation is kept only for what was accepted."""
        return asdict(self if self.named else Memory())


def form_of(members: Forms) -> Form:
    return or_null(accepts(lambda value: check_members(value, members, {})))


LISTED: Forms = {"updated_at": is_list_time, "sha256": is_hash}
MEMORY: Forms = {
    "format": one_of(Memory.format),
    "rotation": is_strings,
    "named": form_of(LISTED),
    "held": form_of({"root": is_string, "list": is_string, "signature": is_string}),
    "checkpoint": form_of({**LISTED, "iat": is_count, "hold": is_strings}),
    "statement": form_of({
        "root": accepts(read_thumbprint), "sequence": is_count, "payload": is_string,
        "log": or_null(is_string),
    }),
    "log": form_of({
        "size": is_count, "root": is_hash, "witnesses": is_strings, "cosigned_ms": or_null(integer(0)),
    }),
}


def read_memory(body: bytes) -> Memory:
    """A memory of another form is refused, and never begun anew: it protects against rollbacks."""
    with faults_are("ERR_BUNDLE_INVALID"):
        value = strict_json(body)
        check_members(value, MEMORY, {})
    return Memory(**value)


# --- The steps of a client, with one source ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Proven:
    """What one source has proven. `issuers` is None, if only single issuers are looked up."""

    root: PublicKey
    checkpoint: Checkpoint
    statement: Statement
    issuers: IssuerList | None
    logged: Logged | None
    named: Named
    fresh_until_ms: int
    memory: Memory

    @property
    def hold(self) -> tuple[str, ...]:
        """(#hold)"""
        return self.checkpoint.hold


Save = Callable[[Memory], None]

RETRIED = {  # (#retries)
    "ERR_SIGNATURE_INVALID", "ERR_SIGNATURE_MALFORMED", "ERR_CHECKPOINT_MISMATCH", "ERR_CHECKPOINT_INVALID",
    "ERR_PUBLICATION_INVALID", "ERR_PUBLICATION_MISMATCH", "ERR_NOT_LOGGED", "ERR_LOG_INCONSISTENT",
}


def verify_registry(
    source: Source, anchor: TrustAnchor, clock: Clock, memory: Memory = Memory(), look_up: bool = False,
    save: Save = lambda memory: None,
) -> Proven:
    """Steps 2 to 8 (#client-steps). With `look_up`, the list is not fetched.

    `save` gets what is to be remembered: a longer chain of root keys at once, and everything after step 8.
    """
    source.restart_deadline()
    previous: Refused | None = None
    for attempt in range(3 if source.is_host else 1):
        try:
            return Refresh(source, anchor, clock, memory, look_up, save, is_retry=attempt > 0).run()
        except Refused as refused:
            if refused.code == "ERR_SOURCE_TIMEOUT" and previous:
                raise previous from refused
            previous = refused
            if refused.code not in RETRIED:
                break
    assert previous
    raise previous


@dataclass(frozen=True)
class Refresh:
    source: Source
    anchor: TrustAnchor
    clock: Clock
    memory: Memory
    look_up: bool
    save: Save
    is_retry: bool  # a retry asks past the caches

    def run(self) -> Proven:
        chain = self.root_chain()
        root = chain[-1].key
        memory = replace(self.memory, rotation=[link.step for link in chain[1:]])
        if memory.rotation != self.memory.rotation:  # it replaces the root key, whatever follows (#client-memory)
            self.save(memory)
        statement = self.statement(root)
        checkpoint = self.checkpoint(root, statement)
        self.compare(root, checkpoint, statement)
        logged = self.logged(statement) if self.anchor.log else None
        issuers = None if self.look_up else self.named_list(root, statement)
        named = statement.named
        cosigned_ms = self.cosigned_ms(logged)
        self.clock.check_age(named.updated_at, checkpoint, cosigned_ms)
        fresh_until_ms = self.fresh_until_ms(checkpoint, statement, cosigned_ms)
        memory = self.remember(memory, root, checkpoint, statement, issuers, logged, cosigned_ms)
        self.save(memory)
        return Proven(root, checkpoint, statement, issuers, logged, named, fresh_until_ms, memory)

    def get_fresh(self, path: str, limit: int) -> bytes | None:
        """A retry has a new query; without a file for it, none (#retries)."""
        body = self.source.get(path, limit, secrets.token_hex(16)) if self.is_retry else None
        return self.source.get(path, limit) if body is None else body

    def root_chain(self) -> Chain:
        """Steps 2 and 3 (#rotation-chain). What was stored is verified without times (#store-times)."""
        known = pinned_chain(self.anchor)
        try:
            known = follow_rotation(read_steps(self.memory.rotation, None), known, NO_CLOCK)
        except Refused as refused:
            raise Refused("ERR_BUNDLE_INVALID", f"the stored rotation: {refused}") from refused
        raw = self.source.get("keys/rotation.json", LIMITS["rotation"])
        if raw is None:
            return known
        with faults_are("ERR_ROTATION_INVALID"):
            steps = strict_json(raw)
        return longest_chain(follow_rotation(read_steps(steps), known, self.clock), known)

    def checkpoint(self, root: PublicKey, statement: Statement) -> Checkpoint:
        """Step 5, its beginning (#checkpoint-steps)."""
        raw = self.source.get("checkpoint.jwt", LIMITS["jwt"])
        if raw is None:
            refuse("ERR_CHECKPOINT_MISSING", "there is no checkpoint")
        return verify_checkpoint(raw, root, statement.online, self.clock)

    def statement(self, root: PublicKey) -> Statement:
        """Step 4."""
        raw = self.get_fresh("publication.jwt", LIMITS["jwt"])
        if raw is None:
            refuse("ERR_PUBLICATION_MISSING", "there is no publication statement")
        return verify_statement(raw, root, self.clock)

    def compare(self, root: PublicKey, checkpoint: Checkpoint, statement: Statement) -> None:
        """Step 5, in its order (#statement-checks)."""
        memory = self.memory
        check_checkpoint_stays(checkpoint, memory)
        if memory.statement and memory.statement["root"] == root.thumbprint:
            check_statement_stays(statement, memory.statement)
        if not fits_checkpoint(statement, checkpoint):
            refuse("ERR_CHECKPOINT_MISMATCH", "the publication statement does not fit the checkpoint")
        check_not_older(statement.named, memory.named)

    def logged(self, statement: Statement) -> Logged:
        """The last part of step 5 (#log-proof, #log-rollback)."""
        raw = self.get_fresh("log/publication.tlog-proof", LIMITS["logProof"])
        logged = verify_log_proof(raw, statement, self.anchor, self.clock)
        last = self.memory.log
        if last:
            is_vouched_for = any(key.hex() in last["witnesses"] for key in logged.cosigned)
            verify_log_grows(last["size"], bytes.fromhex(last["root"]), logged.head, is_vouched_for, self.source.get)
        return logged

    def cosigned_ms(self, logged: Logged | None) -> int | None:
        """When the quorum has cosigned. Of the same head, the newer cosignatures that count stay (#log-proof)."""
        cosigned_ms = logged.quorum_ms(self.anchor.quorum) if logged else None
        last = self.memory.log
        if logged and last and last["size"] == logged.head.size and cosigned_ms is not None:
            last_ms = last["cosigned_ms"] or 0
            return max(cosigned_ms, last_ms) if self.clock.counts(last_ms) else cosigned_ms
        return cosigned_ms

    def named_list(self, root: PublicKey, statement: Statement) -> IssuerList:
        """Steps 6 and 7: the named list, from one of two places (#named-list, #two-places, #failed-requests)."""
        named, code = statement.named, "ERR_PUBLICATION_MISMATCH"
        held = self.held_list(root, named)
        verdict = Refused("ERR_SOURCE_STATUS", "the list or its signature is absent")
        for place in ("", f"snapshots/{named.sha256}/"):
            try:
                issuers = held or self.list_at(place, root, named.size, code)
                if issuers.named != named:  # (#list-match)
                    refuse(code, "the list is not the one that is named")
                if len(issuers.records) != statement.issuers:  # (#statement-list)
                    refuse(code, "the list has another number of records")
                return issuers
            except Refused as refused:
                if refused.code == "ERR_SOURCE_TIMEOUT":
                    raise
                if not isinstance(refused, Absent):  # a place that lacks a file has no code
                    verdict = refused
        raise verdict

    def held_list(self, root: PublicKey, named: Named) -> IssuerList | None:
        """The list that the client holds, if that is the newest one, under the same root key."""
        held = self.memory.held
        if held is None or held["root"] != root.thumbprint:
            return None
        issuers = verify_list(held["list"].encode(), held["signature"].encode(), root)
        return issuers if issuers.named == named else None

    def list_at(self, place: str, root: PublicKey, size: int, code: str) -> IssuerList:
        limit = min(LIMITS["list"], size)
        try:
            body = self.source.get(f"{place}issuers.json", limit)
        except Refused as refused:
            if refused.code == "ERR_SOURCE_TOO_LARGE" and limit < LIMITS["list"]:
                raise Refused(code, "the list is larger than the signed size") from refused
            raise
        signature = self.source.get(f"{place}issuers.sig", LIMITS["signature"])
        if body is None or signature is None:
            raise Absent("ERR_SOURCE_STATUS", f"{place}issuers.json or its signature is absent")
        return verify_list(body, signature, root)

    def fresh_until_ms(self, checkpoint: Checkpoint, statement: Statement, cosigned_ms: int | None) -> int:
        """F of the row "age of a list in use", without the grace (#other-clocks)."""
        ends = [checkpoint.exp * 1000]
        if statement.exp is not None:
            ends.append(statement.exp * 1000)
        if cosigned_ms is not None:
            ends.append(cosigned_ms + COSIGNATURE_AGE_MS)
        return min(ends)

    def remember(
        self, memory: Memory, root: PublicKey, checkpoint: Checkpoint, statement: Statement,
        issuers: IssuerList | None, logged: Logged | None, cosigned_ms: int | None,
    ) -> Memory:
        """Everything at once, after all checks (#save-last)."""
        memory = replace(memory, named=listed(statement.named))
        if issuers:
            text, signature = issuers.body.decode(), issuers.signature.decode()
            memory = replace(memory, held={"root": root.thumbprint, "list": text, "signature": signature})
        held = {**listed(checkpoint.named), "iat": checkpoint.iat, "hold": list(checkpoint.hold)}
        memory = replace(memory, checkpoint=held, statement={
            "root": root.thumbprint, "sequence": statement.sequence, "payload": statement.payload,
            "log": statement.log.name if statement.log else None,
        })
        if logged:
            witnesses = {key.hex() for key in logged.cosigned}
            if memory.log and memory.log["size"] == logged.head.size:
                witnesses.update(memory.log["witnesses"])
            memory = replace(memory, log={
                "size": logged.head.size, "root": logged.head.root.hex(), "witnesses": sorted(witnesses),
                "cosigned_ms": cosigned_ms,
            })
        return memory


class Absent(Refused):
    """A place lacks a file: it has no code, if there is another place."""


def listed(named: Named) -> dict[str, Json]:
    return {"updated_at": named.updated_at, "sha256": named.sha256}


def check_not_older(named: Named, last: dict[str, Json] | None) -> None:
    """(#list-rollback)"""
    if last is None or named.updated_at > last["updated_at"] or listed(named) == {name: last[name] for name in LISTED}:
        return
    refuse("ERR_LIST_ROLLED_BACK", "the list is older than the accepted one, or another one of the same time")


def check_checkpoint_stays(checkpoint: Checkpoint, memory: Memory) -> None:
    """(#checkpoint-rollback)"""
    last = memory.checkpoint
    check_not_older(checkpoint.named, last)
    if last and checkpoint.iat < last["iat"]:
        refuse("ERR_CHECKPOINT_ROLLED_BACK", "the checkpoint is older than the accepted one")
    if last and checkpoint.iat == last["iat"] and not set(last["hold"]) <= set(checkpoint.hold):
        refuse("ERR_CHECKPOINT_ROLLED_BACK", "a checkpoint of the same second releases an issuer")


def check_statement_stays(statement: Statement, last: dict[str, Json]) -> None:
    """Against the last one under the same root key (#statement-rollback)."""
    code = "ERR_PUBLICATION_ROLLED_BACK"
    if statement.sequence < last["sequence"]:
        refuse(code, "sequence is lower than that of the accepted statement")
    if statement.sequence == last["sequence"] and statement.payload != last["payload"]:
        refuse(code, "sequence is that of the accepted statement, and the payload is not")
    if last["log"] is not None and (statement.log is None or statement.log.name != last["log"]):
        refuse(code, "the statement withdraws the log")


# --- One issuer -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What is proven of one issuer. Only `active` is a reason to go on with a trust policy."""

    issuer_id: str
    record: dict[str, Json] | None
    proven: Proven | None

    @property
    def verdict(self) -> str:
        """(#status-rejected, #hold)"""
        if self.record is None:
            return "absent"
        is_held = self.proven is not None and self.issuer_id in self.proven.hold
        return "on hold" if is_held else str(self.record["status"])


def resolve_issuer(
    source: Source, anchor: TrustAnchor, clock: Clock, issuer_id: str, memory: Memory = Memory(),
    save: Save = lambda memory: None,
) -> Answer:
    """Step 9 (#sums-proof)."""
    if not is_issuer_id(issuer_id):
        return Answer(issuer_id, None, None)  # in no list, without a proof
    proven = verify_registry(source, anchor, clock, memory, True, save)
    return prove(source, anchor, clock, issuer_id, proven, save, {})


def prove(
    source: Source, anchor: TrustAnchor, clock: Clock, issuer_id: str, proven: Proven, save: Save,
    kept: dict[str, bytes],
) -> Answer:
    """Step 9. A newer publication may have replaced the files: then the statements are read again, once (#sums-caches).

    `kept` has the files that were verified before, by their hash (#sums-proof).
    """

    def fetch(path: str, limit: int, digest: str) -> bytes:
        if digest not in kept:
            body = fetch_proof_file(source, path, limit, digest)
            if sha256(body).hex() != digest:
                return body
            kept[digest] = body
        return kept[digest]

    try:
        return Answer(issuer_id, prove_issuer(proven.statement, issuer_id, fetch), proven)
    except Refused as refused:
        if refused.code not in ("ERR_SUMS_MISMATCH", "ERR_SOURCE_STATUS") or not source.is_host:
            raise
        newer = Refresh(source, anchor, clock, proven.memory, True, save, is_retry=True).run()
        if newer.statement.payload == proven.statement.payload:
            raise
    return Answer(issuer_id, prove_issuer(newer.statement, issuer_id, fetch), newer)


def fetch_proof_file(source: Source, path: str, limit: int, digest: str) -> bytes:
    """If a cache has another file, it is requested again, at most twice, with its hash as query (#sums-caches)."""
    first = body = source.get(path, limit)
    for _ in range(2 if source.is_host else 0):
        if body is not None and sha256(body).hex() == digest:
            break
        body = source.get(path, limit, digest)
    if body is not None and sha256(body).hex() == digest:
        return body
    if first is None:  # a missing file never means that the issuer is absent
        refuse("ERR_SOURCE_STATUS", f"{path} is absent, although the file above it names it")
    return first
