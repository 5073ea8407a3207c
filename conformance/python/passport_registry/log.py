# SPDX-License-Identifier: Apache-2.0
"""Sections 30 and 31 of docs/protocol.md: the proof that a list is in the log, and the proof of the past."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple

from . import (
    HEX64, LIMITS, MAX_INTEGER, Clock, Json, Link, Refused, Statement, TrustAnchor, VerifierKey, canonical, check,
    faults_are, follow_rotation, from_base64, from_base64url, is_count, is_hash, is_issuer_id, is_list_time,
    prove_issuer, read_rotation, refuse, sha256, sha256_hex, strict_json, verify_statement,
)

# --- 30. The log: entries, hashes, heads ------------------------------------------------------------------------------


def is_thumbprint(value: Json) -> bool:
    try:
        return len(from_base64url(value)) == 32
    except ValueError:
        return False


ENTRIES: Dict[str, Dict[str, Callable[[Json], bool]]] = {  # (rule log-entries)
    "publication": {"list": is_hash, "sequence": is_count, "sha256": is_hash, "updated_at": is_list_time},
    "delegation": {"iat": is_count, "sha256": is_hash},
    "rotation": {"next": is_thumbprint, "sha256": is_hash, "step": lambda value: is_count(value) and 1 <= value <= 64},
}


def read_entry(text: str) -> Dict[str, Json]:
    """An entry of a type of this version, in canonical form."""
    body = text.encode("utf-8")
    check(len(body) <= LIMITS["logEntry"], "an entry is larger than 4,096 bytes")
    entry = strict_json(body)
    check(isinstance(entry, dict) and isinstance(entry.get("type"), str), "an entry is an object with a type")
    members = ENTRIES.get(entry["type"])
    check(members is not None, "an entry of an unknown type")
    assert members is not None
    check(set(entry) == set(members) | {"type"}, "an entry has other members")
    check(all(test(entry[name]) for name, test in members.items()), "a member of an entry breaks its form")
    check(canonical(entry) == text, "an entry is not in canonical form")
    return dict(entry)


def entry_of(statement: Statement) -> bytes:
    """The verifier makes the entry from the statement that it has verified."""
    return canonical({
        "list": statement.sha256, "sequence": statement.sequence, "sha256": statement.jwt_sha256,
        "type": "publication", "updated_at": statement.updated_at,
    }).encode()


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry)  # (rule log-bytes)


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right)


@dataclass(frozen=True)
class Head:
    origin: str
    size: int
    root: bytes
    text: bytes  # what log and witnesses sign
    lines: Tuple[Tuple[str, bytes], ...]  # name, and the id of the key with the signature


NUMBER = re.compile(r"0|[1-9][0-9]{0,15}")


def read_number_line(text: str) -> int:
    check(bool(NUMBER.fullmatch(text)) and int(text) <= MAX_INTEGER, "no integer from 0 to 2^53 - 1")
    return int(text)


def read_hash_line(text: str) -> bytes:
    data = from_base64(text)
    check(len(data) == 32, "a hash has 32 bytes")
    return data


def read_head(note: str) -> Head:
    """A head with its signature lines (rule log-files, log-bytes)."""
    check(not re.search(r"[\x00-\x09\x0b-\x1f]", note), "a head has control characters")
    text, gap, signatures = note.partition("\n\n")
    check(gap != "" and signatures.endswith("\n"), "a head is text, an empty line, and lines that end")
    head, lines = text.split("\n"), signatures.split("\n")[:-1]
    check(len(head) >= 3 and all(head), "a head has three lines or more, and none is empty")
    check(1 <= len(lines) <= 100, "a head has 1 to 100 signature lines")
    read: List[Tuple[str, bytes]] = []
    for line in lines:
        match = re.fullmatch(r"\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})", line)
        check(match is not None, "a signature line breaks its form")
        assert match
        data = from_base64(match[2])
        check(len(data) > 4, "a signature line has no signature")
        read.append((match[1], data))
    return Head(head[0], read_number_line(head[1]), read_hash_line(head[2]), (text + "\n").encode(), tuple(read))


@dataclass(frozen=True)
class LogProof:
    index: int
    path: Tuple[bytes, ...]
    head: Head


def read_log_proof(raw: bytes) -> LogProof:
    """tlog-proof@v1 of C2SP (rule log-bytes)."""
    check(len(raw) <= LIMITS["logProof"], "a proof is larger than 65,536 bytes")
    first, _, rest = raw.decode("utf-8").partition("\n")
    check(first == "c2sp.org/tlog-proof@v1", "no tlog-proof")
    if rest.startswith("extra "):
        extra, _, rest = rest.partition("\n")
        from_base64(extra[len("extra "):])
    proof, gap, note = rest.partition("\n\n")
    lines = proof.split("\n")
    check(gap != "" and lines[0].startswith("index "), "a proof has an index, hashes, an empty line and a head")
    path = tuple(read_hash_line(line) for line in lines[1:])
    check(len(path) <= 63, "a proof has more than 63 hashes")
    return LogProof(read_number_line(lines[0][len("index "):]), path, read_head(note))


def follow_inclusion(proof: LogProof, leaf: bytes) -> Tuple[bytes, List[bytes]]:
    """The root to which the proof leads, and the hashes on its left, the smallest subtree first (RFC 9162, 2.1.3.2)."""
    place, last, current = proof.index, proof.head.size - 1, leaf
    check(place <= last, "the index is not in the tree")
    left: List[bytes] = []
    for sibling in proof.path:
        check(last > 0, "the proof has too many hashes")
        if place & 1 or place == last:
            current = node_hash(sibling, current)
            left.append(sibling)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            current = node_hash(current, sibling)
        place, last = place >> 1, last >> 1
    check(last == 0, "the proof has too few hashes")
    return current, left


def check_log_signature(head: Head, key: VerifierKey) -> None:
    """At least one line by the key of the log, and each of these is valid (rule log-proof, step 3)."""
    own = [data[4:] for name, data in head.lines if name == key.name and data[:4] == key.id]
    check(bool(own), "the log has not signed the head")
    check(all(key.key.verifies(signature, head.text) for signature in own), "a signature of the log is wrong")


def newest_cosignatures(head: Head, witnesses: Sequence[VerifierKey], clock: Clock) -> Dict[bytes, int]:
    """The newest valid cosignature of each witness that counts, in seconds (rule log-quorum)."""
    newest: Dict[bytes, int] = {}
    for name, data in head.lines:
        for witness in witnesses:
            if name != witness.name or data[:4] != witness.id or len(data) != 4 + 8 + 64:
                continue
            seconds = int.from_bytes(data[4:12], "big")
            signed = f"cosignature/v1\ntime {seconds}\n".encode() + head.text
            if clock.counts_cosignature(seconds * 1000) and seconds > newest.get(witness.key.x, -1):
                if witness.key.verifies(data[12:], signed):
                    newest[witness.key.x] = seconds
    return newest


@dataclass(frozen=True)
class Logged:
    proof: LogProof
    left: List[bytes]
    cosigned: Dict[bytes, int]  # by the public key of the witness, in seconds

    def quorum_time_ms(self, quorum: Optional[int]) -> Optional[int]:
        """C: the oldest of the newest cosignatures that make up the quorum."""
        return sorted(self.cosigned.values(), reverse=True)[quorum - 1] * 1000 if quorum else None


def verify_log_proof(raw: Optional[bytes], statement: Statement, anchor: TrustAnchor, clock: Clock) -> Logged:
    """Steps 1 to 5 (rule log-proof)."""
    with faults_are("ERR_NOT_LOGGED"):
        check(statement.log is not None and statement.log.name == anchor.log, "the statement does not name this log")
        assert statement.log
        check(raw is not None, "there is no proof")
        assert raw is not None
        proof = read_log_proof(raw)
        check(proof.head.origin == anchor.log, "the head has another origin")
        check_log_signature(proof.head, statement.log)
        root, left = follow_inclusion(proof, leaf_hash(entry_of(statement)))
        check(root == proof.head.root, "the proof does not lead to the root of the head")
    cosigned = newest_cosignatures(proof.head, anchor.witnesses, clock)
    if anchor.quorum is not None and len(cosigned) < anchor.quorum:
        refuse("ERR_TOO_FEW_COSIGNATURES", f"{len(cosigned)} witnesses have cosigned, {anchor.quorum} are required")
    return Logged(proof, left, cosigned)


# --- 30. The log: it only grows ---------------------------------------------------------------------------------------


def tile_path(level: int, index: int, width: int) -> str:
    """(rule log-bytes)"""
    groups = [f"{index % 1000:03d}"]
    while index := index // 1000:
        groups.insert(0, f"x{index % 1000:03d}")
    return f"log/tile/{level}/{'/'.join(groups)}" + (f".p/{width}" if width < 256 else "")


def verify_log_grows(
    old_size: int, old_root: bytes, head: Head, vouched: bool, get: Callable[[str, int], Optional[bytes]]
) -> None:
    """Step 6 (rule log-rollback). `vouched` says that a witness has counted for both heads."""
    with faults_are("ERR_LOG_INCONSISTENT"):
        check(head.size >= old_size, "the head is smaller than the accepted one")
        check(head.size > old_size or head.root == old_root, "the accepted head of this size has another root")
        if head.size == old_size or vouched or old_size == 0:
            return
        tiles: Dict[Tuple[int, int], bytes] = {}

        def tile(level: int, index: int) -> bytes:
            if (level, index) not in tiles:
                width = min(256, (head.size >> (8 * level)) - 256 * index)
                body = get(tile_path(level, index, width), LIMITS["tile"])
                if body is None and width < 256:
                    body = get(tile_path(level, index, 256), LIMITS["tile"])
                    check(body is None or len(body) == 8192, "a full tile has another length")
                check(body is not None and len(body) in (32 * width, 8192), "a tile is missing, or has another length")
                assert body is not None
                tiles[level, index] = body
            return tiles[level, index]

        def subtree(start: int, size: int) -> bytes:
            """The root of the entries from `start` on."""
            if size & (size - 1):
                half = 1 << (size.bit_length() - 1)
                return node_hash(subtree(start, half), subtree(start + half, size - half))
            level, rest = divmod(size.bit_length() - 1, 8)
            first, count = start >> (8 * level), 1 << rest
            body = tile(level, first // 256)[32 * (first % 256):][: 32 * count]
            nodes = [body[n:n + 32] for n in range(0, len(body), 32)]
            while len(nodes) > 1:
                nodes = [node_hash(nodes[n], nodes[n + 1]) for n in range(0, len(nodes), 2)]
            return nodes[0]

        def roots(start: int, old: int, new: int) -> Tuple[bytes, bytes]:
            """The roots of the first `old` and of the first `new` entries from `start` on, from the same hashes."""
            if old == new:
                same = subtree(start, new)
                return same, same
            half = 1 << ((new - 1).bit_length() - 1)
            if old <= half:
                older, newer = roots(start, old, half)
                return older, node_hash(newer, subtree(start + half, new - half))
            common = subtree(start, half)
            older, newer = roots(start + half, old - half, new - half)
            return node_hash(common, older), node_hash(common, newer)

        check(roots(0, old_size, head.size) == (old_root, head.root), "the head does not contain the accepted one")


# --- 31. A proof of the past ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Past:
    """What a registry said of an issuer between two times, both of them included, in seconds since 1970."""

    issuer_id: str
    begins: int
    ends: int
    record: Optional[Dict[str, Json]]
    statement: Statement


HISTORY_STRINGS = ("issuer_id", "publication", "first_proof", "last_proof")
HISTORY_ARRAYS = ("rotation", "sums", "later_entries")


def roots_of_growth(left: Sequence[bytes], index: int, leaves: Sequence[bytes]) -> List[bytes]:
    """The roots after each of `leaves`, from the complete subtrees before `index`, the largest first."""
    sizes = [1 << bit for bit in range(index.bit_length() - 1, -1, -1) if index >> bit & 1]
    stack = list(zip(sizes, left))
    roots = []
    for leaf in leaves:
        stack.append((1, leaf))
        while len(stack) > 1 and stack[-1][0] == stack[-2][0]:
            (size, a), (_, b) = stack[-2:]
            stack[-2:] = [(2 * size, node_hash(a, b))]
        root = stack[-1][1]
        for _, subtree in reversed(stack[:-1]):
            root = node_hash(subtree, root)
        roots.append(root)
    return roots


def read_history_proof(raw: bytes) -> Dict[str, Any]:
    """Step 1: the form (rule history-proof)."""
    with faults_are("ERR_BUNDLE_INVALID"):
        check(len(raw) <= LIMITS["history"], "a history proof is larger than 1,048,576 bytes")
        proof = strict_json(raw)
        check(isinstance(proof, dict), "a history proof is not an object")
        names = {"format", *HISTORY_STRINGS, *HISTORY_ARRAYS}
        check(set(proof) - {"record"} == names, "a history proof has other members")
        check(proof["format"] == "registry-history-proof@v1", "format is another one")
        check(all(isinstance(proof[name], str) for name in HISTORY_STRINGS), "a member is not a string")
        check(isinstance(proof.get("record", ""), str), "record is not a string")
        for name in HISTORY_ARRAYS:
            check(isinstance(proof[name], list), f"{name} is not an array")
            check(all(isinstance(item, str) for item in proof[name]), f"an item of {name} is not a string")
        check(is_issuer_id(proof["issuer_id"]), "issuer_id breaks its form")
    return dict(proof)


def verify_history(raw: bytes, anchor: TrustAnchor) -> Past:
    """(rule history-proof) Neither a network nor a clock."""
    quorum = anchor.quorum
    if quorum is None or not anchor.witnesses:
        refuse("ERR_OPTIONS_INVALID", "the past is proven by witnesses: the trust anchor has none")
    file = read_history_proof(raw)
    clock = Clock(None)
    chain = follow_rotation(read_rotation(file["rotation"]), [Link(anchor.root, anchor.next_roots)], clock)
    statement = verify_statement(utf8(file["publication"]), chain[-1].key, clock)
    first = verify_log_proof(utf8(file["first_proof"]), statement, anchor, clock)
    last = verify_log_proof(utf8(file["last_proof"]), statement, anchor, clock)
    index, heads = last.proof.index, (first.proof.head, last.proof.head)
    with faults_are("ERR_LOG_INCONSISTENT"):  # step 3
        check(first.proof.index == index, "the proofs have another index")
        check(heads[0].size <= heads[1].size, "the first head is larger than the last one")
        check(first.left == last.left, "the heads differ before the publication")
    with faults_are("ERR_NOT_LOGGED"):  # step 4
        later = file["later_entries"]
        check(len(later) == heads[1].size - index - 1, "there are more or fewer later entries than in the head")
        check(all(read_entry(text)["type"] != "publication" for text in later), "a later entry is a publication")
        leaves = [leaf_hash(entry_of(statement))] + [leaf_hash(text.encode()) for text in later]
        roots = roots_of_growth(last.left[::-1], index, leaves)
        check(all(roots[head.size - index - 1] == head.root for head in heads), "the later entries lead to other roots")
    begins = sorted(first.cosigned.values())[quorum - 1]  # step 5 (rule history-period)
    ends = sorted(last.cosigned.values(), reverse=True)[quorum - 1]
    ends = ends if statement.exp is None else min(ends, statement.exp)
    if begins > ends:
        refuse("ERR_TOO_FEW_COSIGNATURES", "the proven time would end before it begins")
    given = list(file["sums"])  # step 6

    def fetch(path: str, limit: int, expected: str) -> bytes:
        text = file.get("record") if path.startswith("issuers/") else given.pop(0) if given else None
        if text is None:
            refuse("ERR_BUNDLE_INVALID", f"{path} is missing")
        body = utf8(text)
        if len(body) > limit:
            refuse("ERR_BUNDLE_INVALID", f"{path} is larger than {limit} bytes")
        return body

    record, _ = prove_issuer(statement, file["issuer_id"], fetch)
    if given or (record is None and "record" in file):
        refuse("ERR_BUNDLE_INVALID", "a file is surplus")
    return Past(file["issuer_id"], begins, ends, record, statement)


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
