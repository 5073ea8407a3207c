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
from dataclasses import dataclass, replace
from typing import Callable

from . import (
    COSIGNATURE_AGE_MS, LIMITS, NO_CLOCK, Chain, Checkpoint, Clock, Forms, IssuerList, Json, Logged, Publication, PublicKey,
    Refused, Statements, TrustAnchor, check_members, faults_are, follow_rotation, is_issuer_id, is_string,
    longest_chain, one_of, or_null, pinned_chain, prove_issuer, read_list, read_statements, read_steps, refuse,
    sha256, source_key, strict_json, verify_checkpoint, verify_log_grows, verify_log_proof, verify_publication,
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
class Accepted:
    """The statements that were accepted last, under which root key, and the list. Look-ups have no list."""

    root: PublicKey
    publication: Publication
    checkpoint: Checkpoint
    statements: Statements
    logged: Logged | None
    issuers: IssuerList | None


@dataclass(frozen=True)
class Memory:
    """What survives a refresh: what was accepted, and the rotation with the longest chain (#client-memory)."""

    rotation: tuple[Json, ...] = ()
    accepted: Accepted | None = None

    def to_json(self) -> dict[str, Json]:
        """What is kept for the next run. A rotation is kept only for what was accepted."""
        last = self.accepted
        if last is None:
            return {"format": MEMORY_FORMAT, "statements": None, "list": None}
        members: dict[str, Json] = {
            "publication": last.statements.publication, "checkpoint": last.statements.checkpoint,
            "rotation": list(self.rotation),
        }
        if last.logged:
            members["log_proof"] = last.logged.text
        issuers = last.issuers.body.decode() if last.issuers else None
        return {"format": MEMORY_FORMAT, "statements": json.dumps(members), "list": issuers}


MEMORY_FORMAT = "passport-registry-memory@v2"
MEMORY: Forms = {"format": one_of(MEMORY_FORMAT), "statements": or_null(is_string), "list": or_null(is_string)}


def read_memory(body: bytes, anchor: TrustAnchor) -> Memory:
    """What was stored is verified again, but without times (#store-times).

    If nothing can be verified, that is a Refused: whoever asked tells it, and goes on as at a first run.
    """
    with faults_are("ERR_BUNDLE_INVALID"):
        value = strict_json(body)
        check_members(value, MEMORY, {})
    if value["statements"] is None:
        return Memory()
    try:
        statements = read_statements(value["statements"].encode("utf-8", "surrogatepass"))
        chain = follow_rotation(read_steps(statements.rotation), pinned_chain(anchor), NO_CLOCK)
        root, publication = stored_publication(statements.publication, chain)
        checkpoint = verify_checkpoint(statements.checkpoint, root, publication, NO_CLOCK)
    except Refused as refused:
        raise Refused("ERR_BUNDLE_INVALID", f"the stored statements: {refused}") from refused
    logged = stored_proof(statements.log_proof, publication, anchor)
    issuers = stored_list(value["list"], publication) if root == chain[-1].key else None
    return Memory(statements.rotation, Accepted(root, publication, checkpoint, statements, logged, issuers))


def stored_publication(text: str, chain: Chain) -> tuple[PublicKey, Publication]:
    """Under each key of the chain, the last one first."""
    *earlier, last = (link.key for link in chain)
    for root in earlier:
        try:
            return root, verify_publication(text, root, NO_CLOCK)
        except Refused:
            continue
    return last, verify_publication(text, last, NO_CLOCK)


def stored_proof(text: str | None, publication: Publication, anchor: TrustAnchor) -> Logged | None:
    """Without a good proof, the statements still count (#store-times)."""
    try:
        return verify_log_proof(text, publication, anchor, NO_CLOCK) if anchor.log else None
    except Refused:
        return None


def stored_list(text: str | None, publication: Publication) -> IssuerList | None:
    """Without a good list, the statements still count (#store-times)."""
    if text is None:
        return None
    try:
        return match_list(text.encode("utf-8", "surrogatepass"), publication)
    except Refused:
        return None


# --- The steps of a client, with one source ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Proven:
    """What one source has proven."""

    accepted: Accepted
    fresh_until_ms: int
    memory: Memory

    @property
    def root(self) -> PublicKey:
        return self.accepted.root

    @property
    def publication(self) -> Publication:
        return self.accepted.publication

    @property
    def checkpoint(self) -> Checkpoint:
        return self.accepted.checkpoint

    @property
    def logged(self) -> Logged | None:
        return self.accepted.logged

    @property
    def issuers(self) -> IssuerList | None:
        return self.accepted.issuers

    @property
    def hold(self) -> tuple[str, ...]:
        """(#hold)"""
        return self.checkpoint.hold


Save = Callable[[Memory], None]

RETRIED = {"ERR_PUBLICATION_MISMATCH", "ERR_LOG_INCONSISTENT"}  # (#retries)


def verify_registry(
    source: Source, anchor: TrustAnchor, clock: Clock, memory: Memory = Memory(), look_up: bool = False,
    save: Save = lambda memory: None,
) -> Proven:
    """Steps 2 to 9 (#client-steps). With `look_up`, the list is not fetched.

    `save` gets what is to be remembered: a longer chain of root keys at once, and everything after step 9.
    """
    source.restart_deadline()
    previous: Refused | None = None
    for attempt in range(3 if source.is_host else 1):
        refresh = Refresh(source, anchor, clock, memory, look_up, save, is_retry=attempt > 0)
        try:
            return refresh.run()
        except Refused as refused:
            if refused.code == "ERR_SOURCE_TIMEOUT" and previous:
                raise previous from refused
            previous = refused
            if refused.code not in RETRIED:
                break
    assert previous
    raise previous


class Refresh:
    def __init__(
        self, source: Source, anchor: TrustAnchor, clock: Clock, memory: Memory, look_up: bool, save: Save, is_retry: bool,
    ) -> None:
        self.source, self.anchor, self.clock = source, anchor, clock
        self.memory, self.look_up, self.save = memory, look_up, save
        self.is_retry = is_retry  # a retry asks past the caches

    def run(self) -> Proven:
        statements = self.statements()
        root, rotation = self.root_key(statements)
        if rotation != self.memory.rotation:  # it counts from now on, whatever follows (#client-memory)
            self.save(replace(self.memory, rotation=rotation))
        publication = verify_publication(statements.publication, root, self.clock)
        checkpoint = verify_checkpoint(statements.checkpoint, root, publication, self.clock)
        logged = verify_log_proof(statements.log_proof, publication, self.anchor, self.clock) if self.anchor.log else None
        self.compare(root, publication, checkpoint, logged)
        logged = self.newer_proof(logged)
        issuers = None if self.look_up else self.named_list(publication)
        cosigned_ms = logged.quorum_ms if logged else None
        self.clock.check_age(publication.updated_at, checkpoint, cosigned_ms)
        memory = Memory(rotation, Accepted(root, publication, checkpoint, statements, logged, issuers))
        self.save(memory)  # everything at once, after all checks (#save-last)
        assert memory.accepted
        return Proven(memory.accepted, fresh_until_ms(checkpoint, cosigned_ms), memory)

    def statements(self) -> Statements:
        """Step 2. A retry has a new query; without a file for it, none (#retries)."""
        path, limit = "statements.json", LIMITS["statements"]
        body = self.source.get(path, limit, secrets.token_hex(16)) if self.is_retry else None
        body = self.source.get(path, limit) if body is None else body
        if body is None:
            refuse("ERR_SOURCE_STATUS", "there is no statements.json")
        return read_statements(body)

    def root_key(self, statements: Statements) -> tuple[PublicKey, tuple[Json, ...]]:
        """Step 3: the last key of the longest chain, and the rotation that leads to it (#rotation-chain)."""
        known = follow_rotation(read_steps(self.memory.rotation), pinned_chain(self.anchor), NO_CLOCK)  # verified before
        chain = longest_chain(follow_rotation(read_steps(statements.rotation), known, self.clock), known)
        return chain[-1].key, self.memory.rotation if len(chain) == len(known) else statements.rotation

    def compare(
        self, root: PublicKey, publication: Publication, checkpoint: Checkpoint, logged: Logged | None,
    ) -> None:
        """Step 7, in its order (#statement-checks)."""
        last = self.memory.accepted
        if last is None:
            return
        if last.root == root:
            check_publication_stays(publication, last.publication)
        check_log_stays(publication, last.publication)
        check_checkpoint_stays(checkpoint, last.checkpoint, publication.hash == last.publication.hash)
        check_list_stays(publication, last.publication)
        if logged and last.logged:
            is_vouched_for = bool(set(logged.cosigned) & set(last.logged.cosigned))
            before = last.logged.head
            verify_log_grows(before.size, before.root, logged.head, is_vouched_for, self.source.get)

    def newer_proof(self, logged: Logged | None) -> Logged | None:
        """Of one head, the proof with the newer cosignatures stays, unless they are from the future (#log-proof)."""
        last = self.memory.accepted.logged if self.memory.accepted else None
        if logged is None or last is None or last.head.size != logged.head.size:
            return logged
        if last.quorum_ms is None or logged.quorum_ms is None or last.quorum_ms <= logged.quorum_ms:
            return logged
        return last if all(self.clock.counts(seconds * 1000) for seconds in last.cosigned.values()) else logged

    def named_list(self, publication: Publication) -> IssuerList:
        """Step 8 (#named-list): the list that is held, or one of two files."""
        last = self.memory.accepted
        if last and last.issuers:
            if last.issuers.sha256 == publication.sha256:
                return match_list(last.issuers.body, publication)
        else:
            body = self.first_list(publication)
            if body is not None:
                return match_list(body, publication)
        path = f"lists/{publication.sha256}.json"
        for query in ("", publication.sha256, publication.sha256)[: 3 if self.source.is_host else 1]:
            body = self.list_at(path, publication, query)
            if body is not None and sha256(body).hex() == publication.sha256:
                return match_list(body, publication)
        refuse("ERR_PUBLICATION_MISMATCH", f"{path} is absent, or has another hash")

    def first_list(self, publication: Publication) -> bytes | None:
        """Nothing that is wrong with this response counts (#named-list), but for the end of the deadline."""
        try:
            body = self.list_at("issuers.json", publication)
        except Refused as refused:
            if refused.code == "ERR_SOURCE_TIMEOUT":
                raise
            return None
        return body if body is not None and sha256(body).hex() == publication.sha256 else None

    def list_at(self, path: str, publication: Publication, query: str = "") -> bytes | None:
        """None, if it is absent, or larger than the signed size."""
        limit = min(LIMITS["list"], publication.size)
        try:
            return self.source.get(path, limit, query)
        except Refused as refused:
            if refused.code == "ERR_SOURCE_TOO_LARGE" and limit < LIMITS["list"]:
                return None
            raise


def match_list(body: bytes, publication: Publication) -> IssuerList:
    """The bytes have the hash that the publication names (#list-match, #statement-list)."""
    code = "ERR_PUBLICATION_MISMATCH"
    if sha256(body).hex() != publication.sha256:
        refuse(code, "the list has another hash")
    issuers = read_list(body)
    named = (publication.size, publication.updated_at, publication.issuers)
    if (len(body), issuers.updated_at, len(issuers.records)) != named:
        refuse(code, "the list has another size, time or number of records than the publication says")
    return issuers


def fresh_until_ms(checkpoint: Checkpoint, cosigned_ms: int | None) -> int:
    """F of the row "age of the list in use", without the grace (#clocks)."""
    end = checkpoint.exp * 1000
    return end if cosigned_ms is None else min(end, cosigned_ms + COSIGNATURE_AGE_MS)


def check_publication_stays(publication: Publication, last: Publication) -> None:
    """Of two publications under one root key (#statement-rollback)."""
    if publication.sequence < last.sequence:
        refuse("ERR_PUBLICATION_ROLLED_BACK", "sequence is lower than that of the accepted publication")
    if publication.sequence == last.sequence and publication.hash != last.hash:
        refuse("ERR_PUBLICATION_ROLLED_BACK", "another publication with the sequence of the accepted one")


def check_log_stays(publication: Publication, last: Publication) -> None:
    """(#log-stays)"""
    if last.log is not None and (publication.log is None or publication.log.name != last.log.name):
        refuse("ERR_PUBLICATION_ROLLED_BACK", "the publication withdraws the log")


def check_checkpoint_stays(checkpoint: Checkpoint, last: Checkpoint, is_same_publication: bool) -> None:
    """(#checkpoint-rollback)"""
    if checkpoint.iat > last.iat:
        return
    if not set(last.hold) <= set(checkpoint.hold):
        refuse("ERR_CHECKPOINT_ROLLED_BACK", "a checkpoint that is not later releases an issuer")
    if is_same_publication and checkpoint.iat < last.iat:
        refuse("ERR_CHECKPOINT_ROLLED_BACK", "the checkpoint is older than the accepted one")


def check_list_stays(publication: Publication, last: Publication) -> None:
    """(#list-rollback)"""
    if publication.updated_at > last.updated_at:
        return
    if publication.updated_at < last.updated_at or publication.sha256 != last.sha256:
        refuse("ERR_LIST_ROLLED_BACK", "the list is older than the accepted one, or another one of the same time")


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
    """Step 10 (#sums-proof)."""
    if not is_issuer_id(issuer_id):
        return Answer(issuer_id, None, None)  # in no list, without a proof
    proven = verify_registry(source, anchor, clock, memory, True, save)
    return prove(source, anchor, clock, issuer_id, proven, save, {})


def prove(
    source: Source, anchor: TrustAnchor, clock: Clock, issuer_id: str, proven: Proven, save: Save,
    kept: dict[str, bytes],
) -> Answer:
    """Step 10. A newer publication may have replaced the files: then the statements are read again, once (#sums-caches).

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
        return Answer(issuer_id, prove_issuer(proven.publication, issuer_id, fetch), proven)
    except Refused as refused:
        if refused.code not in ("ERR_SUMS_MISMATCH", "ERR_SOURCE_STATUS") or not source.is_host:
            raise
        try:
            newer = Refresh(source, anchor, clock, proven.memory, True, save, is_retry=True).run()
        except Refused:
            raise refused from None  # the first result counts
        if newer.publication.hash == proven.publication.hash:
            raise
    return Answer(issuer_id, prove_issuer(newer.publication, issuer_id, fetch), newer)


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
