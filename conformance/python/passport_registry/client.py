# SPDX-License-Identifier: Apache-2.0
"""Sections 1, 25 and 26 of docs/protocol.md: sources, what a client remembers, its steps, and the command line."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import queue
import re
import secrets
import stat
import sys
import threading
import time
import urllib.request
import zlib
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import (
    DAY_MS, LIMITS, Checkpoint, Clock, IssuerList, Json, Link, PublicKey, Refused, Statement, TrustAnchor, check,
    date_time_ms, faults_are, fits_checkpoint, follow_rotation, is_count, is_hash, is_issuer_id, is_list_time,
    longest_chain, prove_issuer, read_rotation, read_trust_anchor, refuse, sha256_hex, source_url_key, strict_json,
    verify_checkpoint, verify_list, verify_statement,
)
from .log import Logged, verify_history, verify_log_grows, verify_log_proof

# --- 1. The tree: where files come from -------------------------------------------------------------------------------


class Source:
    """A folder or a host. `get` returns the bytes of a file, or None if there is no such file."""

    is_host = False

    def get(self, path: str, limit: int, query: str = "") -> Optional[bytes]:
        raise NotImplementedError

    def restart_deadline(self) -> None:
        """Begins a new refresh."""


class Folder(Source):
    def __init__(self, folder: str) -> None:
        self.folder = folder

    def get(self, path: str, limit: int, query: str = "") -> Optional[bytes]:
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
    """An http(s) source. Neither redirects, nor credentials, nor cookies, nor proxies (rule no-redirects)."""

    is_host = True

    def __init__(self, url: str, deadline_seconds: float = 15) -> None:
        with faults_are("ERR_OPTIONS_INVALID"):
            source_url_key(url)
        self.base = url.rstrip("/")
        self.seconds = deadline_seconds
        self.opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.HTTPHandler(), urllib.request.HTTPSHandler()):
            self.opener.add_handler(handler)
        self.restart_deadline()

    def restart_deadline(self) -> None:
        self.deadline = time.monotonic() + self.seconds  # (rule deadlines)

    def get(self, path: str, limit: int, query: str = "") -> Optional[bytes]:
        # The request runs in a thread, so that a host that sends one byte at a time cannot outlast the deadline.
        answer: "queue.Queue[Union[Optional[bytes], Refused]]" = queue.Queue(1)
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

    def answer(self, url: str, path: str, limit: int, left: float) -> Union[Optional[bytes], Refused]:
        try:
            request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
            with self.opener.open(request, timeout=left) as response:
                return self.body(response, path, limit)
        except Refused as refused:
            return refused
        except TimeoutError:
            return Refused("ERR_SOURCE_TIMEOUT", f"the deadline has passed during {path}")
        except Exception as error:  # whatever goes wrong, the file was not read
            if isinstance(getattr(error, "reason", None), TimeoutError):
                return Refused("ERR_SOURCE_TIMEOUT", f"the deadline has passed during {path}")
            return Refused("ERR_SOURCE_UNREACHABLE", f"{path}: {error}")

    @staticmethod
    def body(response: http.client.HTTPResponse, path: str, limit: int) -> Optional[bytes]:
        status = response.status  # (rule host-responses)
        if status in (404, 410):
            return None
        if 300 <= status <= 399 and status != 304:
            refuse("ERR_SOURCE_REDIRECTED", f"{path} redirects")
        if status != 200:
            refuse("ERR_SOURCE_STATUS", f"{path} has status {status}")
        if response.headers.get_content_type() == "text/html":  # (rule content-types)
            refuse("ERR_SOURCE_CONTENT", f"{path} is a page")
        encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
        if encoding not in ("identity", "", "gzip"):
            refuse("ERR_SOURCE_CONTENT", f"{path} has the encoding {encoding}, which was not requested")
        unzip = zlib.decompressobj(31) if encoding == "gzip" else None
        body = bytearray()
        try:
            while chunk := response.read1(65536):
                body += unzip.decompress(chunk, limit + 1 - len(body)) if unzip else chunk
                if len(body) > limit:  # (rule limits)
                    refuse("ERR_SOURCE_TOO_LARGE", f"{path} is larger than {limit} bytes")
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException, zlib.error) as error:
            raise Refused("ERR_SOURCE_TRUNCATED", f"{path}: {error}") from error
        if response.length or (unzip and (not unzip.eof or unzip.unused_data)):
            refuse("ERR_SOURCE_TRUNCATED", f"{path} ends early")
        return bytes(body)


def open_source(place: str, deadline_seconds: float = 15) -> Source:
    return Host(place, deadline_seconds) if re.match(r"https?://", place, re.I) else Folder(place)


# --- 25. Roles: what a client remembers between runs ------------------------------------------------------------------

MEMORY_FORMAT = "passport-registry-memory@v1"


@dataclass(frozen=True)
class Memory:
    """What a client has accepted (rule client-memory). It survives a rotation of the root key."""

    rotation: Tuple[str, ...] = ()  # the steps that lead from the pinned key to the root key
    delegations: Tuple[Tuple[str, int], ...] = ()  # the root key, and the iat of its newest delegation
    checkpoint: Optional[Dict[str, Json]] = None  # iat, updated_at, sha256, hold
    statement: Optional[Dict[str, Json]] = None  # root, sequence, payload, checkpoint, log
    list: Optional[Dict[str, Json]] = None  # updated_at, sha256
    log: Optional[Dict[str, Json]] = None  # size, root, witnesses, cosigned_ms

    def to_json(self) -> Dict[str, Json]:
        return {
            "format": MEMORY_FORMAT, "rotation": list(self.rotation), "delegations": dict(self.delegations),
            "checkpoint": self.checkpoint, "statement": self.statement, "list": self.list, "log": self.log,
        }


def read_memory(value: Json) -> Memory:
    """A memory of another form is refused, and never begun anew: it protects against rollbacks."""
    with faults_are("ERR_BUNDLE_INVALID"):
        members = {"format", "rotation", "delegations", "checkpoint", "statement", "list", "log"}
        check(isinstance(value, dict) and set(value) == members, "a memory has other members")
        check(value["format"] == MEMORY_FORMAT, "a memory of another format")
        check(isinstance(value["delegations"], dict), "delegations is not an object")
        check(all(map(is_count, value["delegations"].values())), "an iat of delegations breaks its form")
        forms: Dict[str, Dict[str, Callable[[Json], bool]]] = {
            "checkpoint": {"iat": is_count, "updated_at": is_list_time, "sha256": is_hash, "hold": is_texts},
            "statement": {"root": is_string, "sequence": is_count, "payload": is_string,
                          "checkpoint": lambda item: isinstance(item, bool),
                          "log": lambda item: item is None or is_string(item)},
            "list": {"updated_at": is_list_time, "sha256": is_hash},
            "log": {"size": is_count, "root": is_hash, "witnesses": is_texts,
                    "cosigned_ms": lambda item: item is None or is_count(item)},
        }
        for name, form in forms.items():
            part = value[name]
            check(part is None or (isinstance(part, dict) and set(part) == set(form)), f"{name} has other members")
            check(part is None or all(test(part[member]) for member, test in form.items()), f"{name} breaks its form")
        check(is_texts(value["rotation"]), "rotation is no array of strings")
        return Memory(
            tuple(value["rotation"]), tuple(value["delegations"].items()), value["checkpoint"], value["statement"],
            value["list"], value["log"],
        )


def is_string(value: Json) -> bool:
    return isinstance(value, str)


def is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(map(is_string, value))


# --- 26. What a client does with one source ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Proven:
    """What one source has proven. `list` is None if only single issuers are looked up."""

    root: PublicKey
    checkpoint: Optional[Checkpoint]
    statement: Optional[Statement]
    list: Optional[IssuerList]
    logged: Optional[Logged]
    updated_at: str
    sha256: str
    fresh_until_ms: int
    memory: Memory

    @property
    def hold(self) -> Tuple[str, ...]:
        return self.checkpoint.hold if self.checkpoint else ()


RETRIED = {  # (rule retries)
    "ERR_SIGNATURE_INVALID", "ERR_SIGNATURE_MALFORMED", "ERR_CHECKPOINT_MISMATCH", "ERR_DELEGATION_INVALID",
    "ERR_CHECKPOINT_INVALID", "ERR_PUBLICATION_INVALID", "ERR_PUBLICATION_MISMATCH", "ERR_NOT_LOGGED",
    "ERR_LOG_INCONSISTENT",
}


def verify_registry(
    source: Source, anchor: TrustAnchor, clock: Clock, memory: Memory = Memory(), look_up: bool = False
) -> Proven:
    """Steps 2 to 8 (rule client-steps). With `look_up`, a statement is required, and the list is not fetched."""
    source.restart_deadline()
    previous: Optional[Refused] = None
    for attempt in range(3 if source.is_host else 1):
        try:
            return Refresh(source, anchor, clock, memory, look_up, fresh=attempt > 0).run()
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
    fresh: bool  # a retry asks past the caches

    def run(self) -> Proven:
        chain = self.root_chain()
        root = chain[-1].key
        checkpoint = self.checkpoint(root)
        statement = self.statement(root)
        self.compare(root, checkpoint, statement)
        logged = self.logged(statement) if self.anchor.log else None
        issuers = None if self.look_up else self.named_list(root, checkpoint, statement)
        named = issuers or statement
        assert named
        self.check_rollback(named.updated_at, named.sha256)  # step 8
        cosigned_ms = self.cosigned_ms(logged)
        self.clock.check_list_age(named.updated_at, checkpoint, cosigned_ms)
        return Proven(
            root, checkpoint, statement, issuers, logged, named.updated_at, named.sha256,
            self.clock.fresh_until_ms(named.updated_at, checkpoint, statement, cosigned_ms),
            self.remember(chain, checkpoint, statement, logged, named.updated_at, named.sha256, cosigned_ms),
        )

    def get_fresh(self, path: str, limit: int) -> Optional[bytes]:
        if self.fresh:
            body = self.source.get(path, limit, secrets.token_hex(16))
            if body is not None:
                return body
        return self.source.get(path, limit)

    def root_chain(self) -> List[Link]:
        """Steps 2 and 3 (rule rotation-chain). The store is verified without times (rule store-times)."""
        known = [Link(self.anchor.root, self.anchor.next_roots)]
        if self.memory.rotation:
            try:
                known = follow_rotation(read_stored_steps(self.memory.rotation), known, Clock(None))
            except Refused as refused:
                raise Refused("ERR_BUNDLE_INVALID", f"the stored rotation: {refused}") from refused
        raw = self.source.get("keys/rotation.json", LIMITS["rotation"])
        if raw is None:
            return known
        with faults_are("ERR_ROTATION_INVALID"):
            steps = strict_json(raw)
        return longest_chain(follow_rotation(read_rotation(steps), known, self.clock), known)

    def checkpoint(self, root: PublicKey) -> Optional[Checkpoint]:
        """Step 4 (rule checkpoint-steps)."""
        raw = self.source.get("checkpoint.jwt", LIMITS["jwt"])
        if raw is None:
            return None
        checkpoint = verify_checkpoint(
            raw, lambda: self.source.get("keys/delegation.jwt", LIMITS["jwt"]), root, self.clock
        )
        accepted = dict(self.memory.delegations).get(root.thumbprint, 0)
        if checkpoint.delegation and checkpoint.delegation.iat < accepted:  # (rule delegation-rollback)
            refuse("ERR_DELEGATION_ROLLED_BACK", "the delegation is older than the accepted one")
        return checkpoint

    def statement(self, root: PublicKey) -> Optional[Statement]:
        raw = self.get_fresh("publication.jwt", LIMITS["jwt"])
        return None if raw is None else verify_statement(raw, root, self.clock)

    def compare(self, root: PublicKey, checkpoint: Optional[Checkpoint], statement: Optional[Statement]) -> None:
        """Step 5, in its order (rule statement-checks)."""
        anchor, memory = self.anchor, self.memory
        if checkpoint is None:  # (rule checkpoint-required, checkpoint-kept)
            if anchor.checkpoint or memory.checkpoint or (statement and statement.checkpoint):
                refuse("ERR_CHECKPOINT_MISSING", "there is no checkpoint, and one is required")
        if statement is None:  # (rule statement-required)
            sequence = checkpoint.sequence if checkpoint else None
            if anchor.publication or anchor.log or memory.statement or sequence is not None:
                refuse("ERR_PUBLICATION_MISSING", "there is no publication statement, and one is required")
            if self.look_up:
                refuse("ERR_PUBLICATION_MISSING", "a look-up needs a publication statement")
        if checkpoint:  # (rule checkpoint-rollback)
            accepted = memory.checkpoint
            check_not_older(checkpoint.updated_at, checkpoint.sha256, accepted if statement else memory.list)
            if accepted and checkpoint.iat < accepted["iat"]:
                refuse("ERR_CHECKPOINT_ROLLED_BACK", "the checkpoint is older than the accepted one")
            if accepted and checkpoint.iat == accepted["iat"] and not set(accepted["hold"]) <= set(checkpoint.hold):
                refuse("ERR_CHECKPOINT_ROLLED_BACK", "a checkpoint of the same second releases an issuer")
        if statement:
            last = memory.statement
            if last and last["root"] == root.thumbprint:  # (rule statement-rollback)
                code = "ERR_PUBLICATION_ROLLED_BACK"
                if statement.sequence < last["sequence"]:
                    refuse(code, "sequence is lower than that of the accepted statement")
                if statement.sequence == last["sequence"] and statement.payload != last["payload"]:
                    refuse(code, "sequence is that of the accepted statement, and the payload is not")
                if last["checkpoint"] and not statement.checkpoint:
                    refuse(code, "the statement withdraws the checkpoint")
                if last["log"] is not None and (statement.log is None or statement.log.name != last["log"]):
                    refuse(code, "the statement withdraws the log")
            if checkpoint and not fits_checkpoint(statement, checkpoint):
                refuse("ERR_CHECKPOINT_MISMATCH", "the publication statement does not fit the checkpoint")
            self.check_rollback(statement.updated_at, statement.sha256)

    def check_rollback(self, updated_at: str, sha256: str) -> None:
        check_not_older(updated_at, sha256, self.memory.list)

    def logged(self, statement: Optional[Statement]) -> Logged:
        """The last part of step 5 (rule log-proof)."""
        assert statement
        raw = self.get_fresh("log/publication.tlog-proof", LIMITS["logProof"])
        logged = verify_log_proof(raw, statement, self.anchor, self.clock)
        last = self.memory.log
        if last:
            vouched = bool(set(last["witnesses"]) & {key.hex() for key in logged.cosigned})
            verify_log_grows(last["size"], bytes.fromhex(last["root"]), logged.proof.head, vouched, self.source.get)
        return logged

    def cosigned_ms(self, logged: Optional[Logged]) -> Optional[int]:
        """C of the clocks. Of the same head, the newer cosignatures stay (rule log-rollback)."""
        cosigned_ms = logged.quorum_time_ms(self.anchor.quorum) if logged else None
        last = self.memory.log
        if logged and last and cosigned_ms is not None and last["cosigned_ms"] is not None:
            if last["size"] == logged.proof.head.size:
                return max(cosigned_ms, int(last["cosigned_ms"]))
        return cosigned_ms

    def named_list(
        self, root: PublicKey, checkpoint: Optional[Checkpoint], statement: Optional[Statement]
    ) -> IssuerList:
        """Steps 6 and 7: the named list from one of two places (rule named-list, two-places)."""
        named = statement or checkpoint
        if named is None:
            return self.list_at("", root, None, "")
        code = "ERR_PUBLICATION_MISMATCH" if statement else "ERR_CHECKPOINT_MISMATCH"
        verdict = Refused("ERR_SOURCE_STATUS", "the list or its signature is absent")
        for place in ("", f"snapshots/{named.sha256}/"):
            try:
                return self.list_at(place, root, named, code)
            except Absent:
                continue
            except Refused as refused:
                if refused.code == "ERR_SOURCE_TIMEOUT":
                    raise
                verdict = refused
        raise verdict

    def list_at(
        self, place: str, root: PublicKey, named: Union[Statement, Checkpoint, None], code: str
    ) -> IssuerList:
        limit = min(LIMITS["list"], named.size) if named else LIMITS["list"]
        try:
            body = self.source.get(f"{place}issuers.json", limit)
        except Refused as refused:
            if named and refused.code == "ERR_SOURCE_TOO_LARGE" and limit < LIMITS["list"]:
                raise Refused(code, "the list is larger than the signed size") from refused
            raise
        signature = self.source.get(f"{place}issuers.sig", LIMITS["signature"])
        if body is None or signature is None:
            raise Absent("ERR_SOURCE_STATUS", f"{place}issuers.json or its signature is absent")
        issuers = verify_list(body, signature, root)
        if named:  # (rule list-match, statement-list)
            if (issuers.sha256, issuers.size, issuers.updated_at) != (named.sha256, named.size, named.updated_at):
                refuse(code, "the list is not the one that is named")
            if isinstance(named, Statement) and len(issuers.records) != named.issuers:
                refuse(code, "the list has another number of records")
        return issuers

    def remember(
        self, chain: Sequence[Link], checkpoint: Optional[Checkpoint], statement: Optional[Statement],
        logged: Optional[Logged], updated_at: str, sha256: str, cosigned_ms: Optional[int],
    ) -> Memory:
        """(rule save-last)"""
        root = chain[-1].key
        delegations = dict(self.memory.delegations)
        memory = replace(
            self.memory,
            rotation=tuple(link.step for link in chain if link.step),
            list={"updated_at": updated_at, "sha256": sha256},
        )
        if checkpoint:
            if checkpoint.delegation:
                delegations[root.thumbprint] = checkpoint.delegation.iat
            memory = replace(memory, delegations=tuple(delegations.items()), checkpoint={
                "iat": checkpoint.iat, "updated_at": checkpoint.updated_at, "sha256": checkpoint.sha256,
                "hold": list(checkpoint.hold),
            })
        if statement:
            memory = replace(memory, statement={
                "root": root.thumbprint, "sequence": statement.sequence, "payload": statement.payload,
                "checkpoint": statement.checkpoint, "log": statement.log.name if statement.log else None,
            })
        if logged:
            head = logged.proof.head
            witnesses = {key.hex() for key in logged.cosigned}
            if self.memory.log and self.memory.log["size"] == head.size:
                witnesses |= set(self.memory.log["witnesses"])
            memory = replace(memory, log={
                "size": head.size, "root": head.root.hex(), "witnesses": sorted(witnesses), "cosigned_ms": cosigned_ms,
            })
        return memory


class Absent(Refused):
    """A place lacks a file: it has no code of its own if there is another place."""


def read_stored_steps(steps: Sequence[str]) -> List[Any]:
    # A stored chain begins at the pinned key, so its first step can have any position in the file of the source.
    return [jwt for step in steps for jwt in read_rotation([step], positions=False)]


def check_not_older(updated_at: str, sha256: str, accepted: Optional[Dict[str, Json]]) -> None:
    """(rule list-rollback)"""
    if accepted is None:
        return
    if updated_at < accepted["updated_at"] or (updated_at == accepted["updated_at"] and sha256 != accepted["sha256"]):
        refuse("ERR_LIST_ROLLED_BACK", "the list is older than the accepted one, or another one of the same time")


@dataclass(frozen=True)
class Answer:
    """What is proven of one issuer. Only `active` and not on hold is a reason to go on with a trust policy."""

    issuer_id: str
    record: Optional[Dict[str, Json]]
    on_hold: bool
    proven: Optional[Proven]

    @property
    def verdict(self) -> str:
        if self.record is None:
            return "absent"
        return "on hold" if self.on_hold else str(self.record["status"])  # (rule hold, status-rejected)


def resolve_issuer(
    source: Source, anchor: TrustAnchor, clock: Clock, issuer_id: str, memory: Memory = Memory(),
    save: Callable[[Memory], None] = lambda memory: None,
) -> Answer:
    """Step 9 (rule sums-proof); from the list, if the registry has no publication statement and need not have one.

    `save` gets the new memory after step 8, before any proof (rule client-memory).
    """
    if not is_issuer_id(issuer_id):
        return Answer(issuer_id, None, False, None)  # in no list, without a proof
    try:
        proven = verify_registry(source, anchor, clock, memory, look_up=True)
    except Refused as refused:
        if refused.code != "ERR_PUBLICATION_MISSING":
            raise
        proven = verify_registry(source, anchor, clock, memory)  # refused in the same way if one is required
        assert proven.list
        save(proven.memory)
        record = next((each for each in proven.list.records if each["issuer_id"] == issuer_id), None)
        return Answer(issuer_id, record, issuer_id in proven.hold, proven)
    assert proven.statement
    save(proven.memory)
    try:
        record, _ = prove_issuer(proven.statement, issuer_id, lambda *file: fetch_proof_file(source, *file))
    except Refused as refused:
        if refused.code not in ("ERR_SUMS_MISMATCH", "ERR_SOURCE_STATUS") or not source.is_host:
            raise
        # A newer publication may have replaced the files: read the statements again, once (rule sums-caches).
        newer = Refresh(source, anchor, clock, proven.memory, True, fresh=True).run()
        assert newer.statement
        if newer.statement.payload == proven.statement.payload:
            raise
        proven = newer
        save(proven.memory)
        record, _ = prove_issuer(newer.statement, issuer_id, lambda *file: fetch_proof_file(source, *file))
    return Answer(issuer_id, record, issuer_id in proven.hold, proven)


def fetch_proof_file(source: Source, path: str, limit: int, expected: str) -> bytes:
    """If a cache has another file, it is requested again, at most twice, with its hash as query (rule sums-caches)."""
    first = body = source.get(path, limit)
    for _ in range(2 if source.is_host else 0):
        if body is not None and sha256_hex(body) == expected:
            break
        body = source.get(path, limit, expected)
    if body is not None and sha256_hex(body) == expected:
        return body
    if first is None:  # a missing file never means that the issuer is absent
        refuse("ERR_SOURCE_STATUS", f"{path} is absent, although the file above it names it")
    return first


# --- The command line -------------------------------------------------------------------------------------------------


def read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refused("ERR_OPTIONS_INVALID", f"{path}: {error.strerror}") from error


def time_text(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    if not 0 <= seconds < 253402300800:
        return f"{seconds} seconds since 1970"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def describe(proven: Proven) -> Dict[str, Json]:
    """What is proven, for people and programs."""
    facts: Dict[str, Json] = {
        "root_key": proven.root.thumbprint, "updated_at": proven.updated_at, "sha256": proven.sha256,
        "issuers": len(proven.list.records) if proven.list else None,
        "sequence": proven.statement.sequence if proven.statement else None,
        "checkpoint_until": time_text(proven.checkpoint.exp * 1000) if proven.checkpoint else None,
        "tree_sha256": proven.checkpoint.tree_sha256 if proven.checkpoint else None,
        "hold": list(proven.hold), "fresh_until": time_text(proven.fresh_until_ms),
    }
    if proven.logged:
        head = proven.logged.proof.head
        facts["log"] = {"origin": head.origin, "size": head.size, "cosigned_by": len(proven.logged.cosigned)}
    return facts


def show(facts: Dict[str, Json], as_json: bool) -> None:
    if as_json:
        print(json.dumps(facts))
        return
    for name, value in facts.items():
        if value is not None:
            text = value if isinstance(value, str) else json.dumps(value)
            print(f"{name.replace('_', ' ')}: {text}")


def save_memory(path: Optional[str], memory: Memory) -> None:
    if path is None:
        return
    try:
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(memory.to_json(), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".new", path)
    except OSError as error:
        raise Refused("ERR_OPTIONS_INVALID", f"{path}: {error.strerror}") from error


def load_memory(path: Optional[str]) -> Memory:
    if path is None or not os.path.exists(path):
        return Memory()
    body = read_file(path)
    with faults_are("ERR_BUNDLE_INVALID"):
        value = strict_json(body)
    return read_memory(value)


def parse_arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="passport_registry", description="Verify a signed registry of issuers.")
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="verify the list of a registry")
    verify.add_argument("source", help="a URL or a folder")
    resolve = commands.add_parser("resolve", help="prove what a registry says of one issuer")
    resolve.add_argument("id")
    resolve.add_argument("--from", dest="source", required=True, metavar="URL_OR_FOLDER")
    history = commands.add_parser("history", help="verify a proof of the past")
    history.add_argument("file")
    for command in (verify, resolve, history):
        command.add_argument("--anchor", required=True, metavar="FILE", help="the trust anchor")
        command.add_argument("--json", action="store_true", help="print JSON")
    for command in (verify, resolve):
        command.add_argument("--now", metavar="TIME", help="an RFC 3339 date-time instead of the clock")
        command.add_argument("--copy-max-age", metavar="SECONDS", type=int,
                             help="read an offline copy: its statements may have expired, but it is no older than this")
        command.add_argument("--state", metavar="FILE", help="remember what was accepted, and refuse what goes back")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    anchor = read_trust_anchor(read_file(options.anchor))
    if options.command == "history":
        past = verify_history(read_file(options.file), anchor)
        show({
            "ok": True, "issuer_id": past.issuer_id, "verdict": past.record["status"] if past.record else "absent",
            "from": time_text(past.begins * 1000), "until": time_text(past.ends * 1000), "record": past.record,
            "updated_at": past.statement.updated_at, "sha256": past.statement.sha256,
            "sequence": past.statement.sequence,
        }, options.json)
        return 0
    with faults_are("ERR_OPTIONS_INVALID"):
        now_ms = date_time_ms(options.now) if options.now else time.time_ns() // 1_000_000
        check(options.copy_max_age is None or options.copy_max_age >= 0, "--copy-max-age is negative")
    clock = Clock(now_ms, copy_max_age_ms=None if options.copy_max_age is None else options.copy_max_age * 1000)
    memory = load_memory(options.state)
    source = open_source(options.source)
    if options.command == "verify":
        proven = verify_registry(source, anchor, clock, memory)
        save_memory(options.state, proven.memory)
        show({"ok": True, **describe(proven)}, options.json)
        return 0
    answer = resolve_issuer(
        source, anchor, clock, options.id, memory, lambda accepted: save_memory(options.state, accepted)
    )
    facts = describe(answer.proven) if answer.proven else {}
    show({"ok": True, "issuer_id": answer.issuer_id, "verdict": answer.verdict, "record": answer.record, **facts},
         options.json)
    return 0 if answer.verdict == "active" else 1


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """0: proven, and for `resolve` active and not on hold. 1: refused, or not trusted. 2: a wrong option or file."""
    options = parse_arguments(arguments)
    try:
        return run(options)
    except Refused as refused:
        if options.json:
            print(json.dumps({"ok": False, "code": refused.code, "message": refused.message}))
        else:
            print(refused, file=sys.stderr)
        usage = ("ERR_OPTIONS_INVALID", "ERR_ROOT_KEY_INVALID", "ERR_TRUST_ANCHOR_INVALID")
        return 2 if refused.code in usage else 1
