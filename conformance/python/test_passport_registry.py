# SPDX-License-Identifier: Apache-2.0
"""Tests of the verifier. The worked vectors are read from docs/protocol.md, so that the tests hold the document."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import os
import pathlib
import re
import tempfile
import threading
import unittest
from typing import Any, Callable, Dict, List, Optional

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import passport_registry as core
from passport_registry import client
from passport_registry.__main__ import main

PROTOCOL = pathlib.Path(__file__).parents[2] / "docs" / "protocol"
NOW = "2026-11-22T08:00:00Z"
NOW_MS = core.date_time_ms(NOW)
NOW_S = NOW_MS // 1000
ORIGIN = "registry.example/log"
STRIDE = 5  # of the bytes that are changed: 1 changes each byte, and takes half a minute


def section(part: str, title: str) -> str:
    return (PROTOCOL / part).read_text("utf-8").split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def blocks(text: str) -> List[str]:
    return [block[:-1] for block in re.findall(r"^```[a-z]*\n(.*?)^```$", text, re.S | re.M)]


def sha256_hex(data: bytes) -> str:
    return core.sha256(data).hex()


# --- A publisher for tests --------------------------------------------------------------------------------------------


def canonical(value: Any) -> bytes:
    return core.canonical(value)


class Signer:
    def __init__(self, name: str, algorithm: str = "Ed25519") -> None:
        seed = hashlib.sha256(name.encode()).digest()
        self.algorithm = algorithm
        if algorithm == "Ed25519":
            self.ed = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
            raw = self.ed.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
            self.jwk: Dict[str, Any] = {"kty": "OKP", "crv": "Ed25519", "x": core.base64url(raw)}
        else:
            self.ec = ec.derive_private_key(int.from_bytes(seed, "big") % core.P256_N, ec.SECP256R1())
            numbers = self.ec.public_key().public_numbers()
            x, y = (core.base64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
            self.jwk = {"kty": "EC", "crv": "P-256", "x": x, "y": y}
        self.public = core.read_public_key(self.jwk)
        self.kid = self.public.thumbprint

    def sign(self, data: bytes) -> bytes:
        if self.algorithm == "Ed25519":
            return self.ed.sign(data)
        r, s = decode_dss_signature(self.ec.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def jwt(self, typ: str, claims: Any, **header: Any) -> str:
        head = {"alg": "EdDSA" if self.algorithm == "Ed25519" else "ES256", "kid": self.kid, "typ": typ, **header}
        signed = f"{core.base64url(canonical(head))}.{core.base64url(canonical(claims))}"
        return f"{signed}.{core.base64url(self.sign(signed.encode()))}"

    def verifier_key(self, name: str, kind: int) -> str:
        data = bytes([kind]) + self.public.x
        key_id = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4]
        return f"{name}+{key_id.hex()}+{base64.b64encode(data).decode()}"

    def line(self, name: str, kind: int, text: bytes, seconds: Optional[int] = None) -> str:
        key_id = bytes.fromhex(self.verifier_key(name, kind).split("+")[1])
        if seconds is not None:
            time = seconds.to_bytes(8, "big")
            body = time + self.sign(f"cosignature/v1\ntime {seconds}\n".encode() + text)
        else:
            body = self.sign(text)
        return f"\u2014 {name} {base64.b64encode(key_id + body).decode()}\n"


ROOT, NEXT, THIRD, ONLINE, LOG = (Signer(name) for name in ("root", "next", "third", "online", "log"))
W1, W2 = Signer("w1"), Signer("w2")


def record(issuer_id: str, **more: Any) -> Dict[str, Any]:
    return {
        "issuer_id": issuer_id, "tier": "certified", "jwks_uri": f"https://{issuer_id}.example/jwks.json",
        "discovery_uri": f"https://{issuer_id}.example/meta", "status": "active",
        "certified_since": "2026-01-15T09:00:00Z", **more,
    }


def sums_tree(records: List[Dict[str, Any]], levels: int) -> Dict[str, bytes]:
    files = {f"issuers/{each['issuer_id']}": canonical(each) for each in records}
    tree = dict(files)
    for depth in range(levels, -1, -1):
        parts: Dict[str, List[str]] = {"": []}
        for path in sorted(files):
            place = core.place_of(path[8:]) if path.startswith("issuers/") else path[5:]
            parts.setdefault(place[:depth], []).append(f"{sha256_hex(files[path])}  {path}\n")
        files = {f"sums/{prefix or 'root'}": "".join(lines).encode() for prefix, lines in parts.items()
                 if lines or (depth == 0 and not prefix)}
        tree.update(files)
    return tree


def merkle(leaves: List[bytes]) -> bytes:
    if len(leaves) == 1:
        return leaves[0]
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return core.node_hash(merkle(leaves[:half]), merkle(leaves[half:]))


def inclusion(leaves: List[bytes], index: int) -> List[bytes]:
    if len(leaves) == 1:
        return []
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    if index < half:
        return inclusion(leaves[:half], index) + [merkle(leaves[half:])]
    return inclusion(leaves[half:], index - half) + [merkle(leaves[:half])]


def head(leaves: List[bytes], cosigners: Dict[str, Signer], seconds: int) -> str:
    text = f"{ORIGIN}\n{len(leaves)}\n{base64.b64encode(merkle(leaves)).decode()}\n"
    lines = LOG.line(ORIGIN, 1, text.encode())
    return text + "\n" + lines + "".join(key.line(name, 4, text.encode(), seconds) for name, key in cosigners.items())


def tlog_proof(leaves: List[bytes], index: int, cosigners: Dict[str, Signer], seconds: int) -> str:
    path = "".join(base64.b64encode(each).decode() + "\n" for each in inclusion(leaves, index))
    return f"c2sp.org/tlog-proof@v1\nindex {index}\n{path}\n{head(leaves, cosigners, seconds)}"


def publish(root: Signer = ROOT, updated_at: str = "2026-11-21T08:00:00Z", records: Any = None, sequence: int = 1,
            levels: int = 1, claims: Any = None, checkpoint: Any = None, online: Any = None, rotation: Any = None,
            before: int = 3, after: int = 0, signer: Signer = ONLINE, cosigned: int = NOW_S - 60) -> Dict[str, bytes]:
    """The files of a tree. A claim that is None is left out. There are `after` entries in the log after the publication."""
    records = [record("alpha"), record("beta", status="suspended")] if records is None else records
    body = canonical({"issuers": records, "updated_at": updated_at})
    files = {"issuers.json": body, "issuers.sig": core.base64url(root.sign(body)).encode() + b"\n",
             f"lists/{sha256_hex(body)}.json": body}
    files.update(sums_tree(records, levels))

    def made(defaults: Dict[str, Any], changes: Any) -> Dict[str, Any]:
        merged = {**defaults, **(changes or {})}
        return {name: value for name, value in merged.items() if value is not None}

    listed = {"sha256": sha256_hex(body), "size": len(body), "updated_at": updated_at}
    iat = core.date_time_ms(updated_at) // 1000
    publication = root.jwt("registry-publication+jwt", made({
        **listed, "iat": iat, "sequence": sequence, "issuers": len(records), "levels": levels,
        "sums_sha256": sha256_hex(files["sums/root"]),
        "log": {"origin": ORIGIN, "vkey": LOG.verifier_key(ORIGIN, 1)},
        "online": made({"keys": [ONLINE.jwk], "exp": iat + 90 * 86400, "hold": True}, online),
    }, claims))
    hashed = sha256_hex(publication.rpartition(".")[0].encode())
    signed = signer.jwt("registry-checkpoint+jwt", made({
        "iat": iat + 60, "exp": iat + 2 * 86400, "publication": hashed, "tree_sha256": "0" * 64,
    }, checkpoint))
    entry = canonical({"list": listed["sha256"], "sequence": sequence, "type": "publication", "updated_at": updated_at,
                       "sha256": hashed})
    leaves = [core.leaf_hash(b"entry %d" % n) for n in range(before)] + [core.leaf_hash(entry)]
    leaves += [core.leaf_hash(b"entry %d" % n) for n in range(before + 1, before + 1 + after)]
    proof = tlog_proof(leaves, before, {"w1.example": W1, "w2.example": W2}, cosigned)
    members = {"publication": publication, "checkpoint": signed, "log_proof": proof}
    files["statements.json"] = json.dumps(members if rotation is None else {**members, "rotation": rotation}).encode()
    files["log/tile/0/000.p/%d" % len(leaves)] = b"".join(leaves)
    return files


def member(files: Dict[str, bytes], name: str) -> Any:
    return json.loads(files["statements.json"])[name]


def with_member(files: Dict[str, bytes], name: str, value: Any) -> Dict[str, bytes]:
    return {**files, "statements.json": json.dumps({**json.loads(files["statements.json"]), name: value}).encode()}


def without(files: Dict[str, bytes], *names: str) -> Dict[str, bytes]:
    """Files, or members of statements.json, are left out."""
    members = {name: value for name, value in json.loads(files["statements.json"]).items() if name not in names}
    others = {path: body for path, body in files.items() if path not in names}
    return {**others, **({"statements.json": json.dumps(members).encode()} if "statements.json" in others else {})}


def step(signer: Signer, to: Signer, iat: int = NOW_S - 86400, **claims: Any) -> str:
    return signer.jwt("registry-root-rotation+jwt", {"iat": iat, "next_root": to.jwk, **claims})


def check_record(value: Any) -> None:
    core.check_members(value, core.RECORD, core.RECORD_OPTIONAL)


class Files(client.Source):
    """A source in memory."""

    def __init__(self, files: Dict[str, bytes]) -> None:
        self.files = files

    def get(self, path: str, limit: int, query: str = "") -> Optional[bytes]:
        body = self.files.get(path)
        if body is not None and len(body) > limit:
            core.refuse("ERR_SOURCE_TOO_LARGE", path)
        return body


def anchor_bytes(**more: Any) -> bytes:
    return json.dumps({"root": ROOT.jwk, **more}).encode()


ANCHOR = core.read_trust_anchor(anchor_bytes())
WITNESSED = {"log": ORIGIN, "witnesses": [W1.verifier_key("w1.example", 4), W2.verifier_key("w2.example", 4)], "quorum": 2}
LOGGED_ANCHOR = core.read_trust_anchor(anchor_bytes(**WITNESSED))


class Case(unittest.TestCase):
    def refused(self, code: str, run: Callable[[], Any]) -> None:
        with self.assertRaises(core.Refused) as caught:
            run()
        self.assertEqual(caught.exception.code, code, caught.exception.message)

    def code(self, files: Dict[str, bytes], anchor: core.TrustAnchor = ANCHOR, now: int = NOW_MS,
             memory: client.Memory = client.Memory(), copy: Optional[int] = None) -> Optional[str]:
        try:
            client.verify_registry(Files(files), anchor, core.Clock(now, copy_max_age_ms=copy), memory)
        except core.Refused as refused:
            return refused.code
        return None

    def memory(self, files: Dict[str, bytes], anchor: core.TrustAnchor = ANCHOR) -> client.Memory:
        memory = client.verify_registry(Files(files), anchor, core.Clock(NOW_MS)).memory
        return client.read_memory(json.dumps(memory.to_json()).encode(), anchor)


# --- The worked vectors of the protocol -------------------------------------------------------------------------------


class WorkedVectors(Case):
    common = blocks(section("vectors.md", "Lists").split("### Ed25519")[0])
    keys = {name: blocks(section("vectors.md", "Lists").split(f"### {name}\n")[1].split("\n### ")[0])
            for name in ("Ed25519", "P-256")}

    def test_list(self) -> None:
        body, digest, aurora, sums, about, claims, *_ = self.common
        self.assertEqual((len(body), sha256_hex(body.encode())), (577, digest))
        value = core.plain_json(body.encode())
        self.assertEqual(core.canonical(value), body.encode())
        self.assertEqual(core.canonical(value["issuers"][0]), aurora.encode())
        self.assertEqual(len(sums) + 1, 173)
        self.assertEqual(json.loads(claims)["sums_sha256"], sha256_hex(sums.encode() + b"\n"))
        self.assertEqual(json.loads(claims)["about_sha256"], sha256_hex(about.encode()))
        self.assertEqual(core.canonical(core.plain_json(about.encode())), about.encode())

    def test_both_keys(self) -> None:
        body, digest, aurora, sums, about, claims, *_ = self.common
        for name, (jwk, signature, publication, digest_of_statement, checkpoint, *_) in self.keys.items():
            with self.subTest(name):
                root = core.read_public_key(json.loads(jwk))
                issuers = core.verify_list(body.encode(), signature.encode(), root)
                self.assertEqual(issuers.sha256, digest)
                self.assertEqual(sha256_hex(publication.rpartition(".")[0].encode()), digest_of_statement)
                statements = {"publication": publication, "checkpoint": checkpoint}
                files = {f"lists/{digest}.json": body.encode(), "statements.json": json.dumps(statements).encode(),
                         "sums/root": sums.encode() + b"\n",
                         "issuers/aurora-bank": aurora.encode()}
                anchor = core.TrustAnchor(root)
                self.assertIsNone(self.code(files, anchor))
                clock = core.Clock(NOW_MS)
                found = client.resolve_issuer(Files(files), anchor, clock, "aurora-bank")
                self.assertEqual((found.verdict, found.record), ("active", json.loads(aurora)))
                self.assertEqual(client.resolve_issuer(Files(files), anchor, clock, "nobody").verdict, "absent")

    def test_log(self) -> None:
        text = section("log.md", "The log")
        a, b = core.leaf_hash(b"a"), core.leaf_hash(b"b")
        for digest in (a, b, core.node_hash(a, b)):
            self.assertIn(f"`{digest.hex()}`", text)
        entry = next(block for block in blocks(text) if block.startswith('{"list"')).replace("\n", "")
        self.assertEqual(core.canonical(json.loads(entry)).decode(), entry)
        proof = core.read_log_proof(next(block for block in blocks(text) if "tlog-proof@v1" in block) + "\n")
        self.assertEqual((proof.index, len(proof.path), proof.head.size), (2, 1, 3))
        self.assertEqual(core.tile_path(0, 1234067, 256), "log/tile/0/x001/x234/067")
        self.assertEqual(core.tile_path(0, 1234067, 7), "log/tile/0/x001/x234/067.p/7")


# --- Sections 2 to 5 --------------------------------------------------------------------------------------------------


class Forms(Case):
    def test_issuer_ids(self) -> None:
        for good in ("a", "a" * 128, "com10", "console", "a.b", "a-_b", "index.a", "gz", "a.gzip"):
            self.assertTrue(core.is_issuer_id(good), good)
        for bad in ("", "a" * 129, "A", "-a", "a-", ".a", "a..b", "index", "con", "com0", "lpt9.x", "nul.a", "a.gz",
                    "a.br", "a.html", "a.htm", "a\n", "\u0661", 1, None, "a/b"):
            self.assertFalse(core.is_issuer_id(bad), bad)

    def test_date_times(self) -> None:
        for good in ("2026-11-21T08:00:00Z", "2026-11-21t08:00:00.123456z", "2024-02-29T00:00:00+23:59",
                     "2026-06-30T23:59:60Z", "2026-07-01T00:59:60+01:00", "0000-02-29T00:00:00Z"):
            self.assertTrue(core.is_date_time(good), good)
        for bad in ("2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-21T24:00:00Z",
                    "2026-11-21T08:00:60Z", "2026-11-21T23:59:60+01:00", "2026-11-21T08:00:00", "2026-11-21 08:00:00Z",
                    "2026-11-21T08:00:00Z\n", "2026-00-10T00:00:00Z", "2026-11-21T08:00:00." + "1" * 45 + "Z", 5):
            self.assertFalse(core.is_date_time(bad), bad)
        self.assertEqual(core.date_time_ms("1970-01-01T00:00:00.5Z"), 500)
        self.assertEqual(core.date_time_ms("2000-03-01T00:00:00Z"), 951868800000)

    def test_records(self) -> None:
        for more in ({}, {"policy_uri": None}, {"policy_uri": "http://a.example/#x"}, {"domain_scope": []},
                     {"last_audit": None}, {"geographical_scope": ["global", "US-CA"]}, {"contact": "a@b.example"}):
            check_record(record("a", **more))
        for bad in ({"x": 1}, {"tier": "gold"}, {"jwks_uri": "http://a.example/"}, {"jwks_uri": "https://u@a.example/"},
                    {"jwks_uri": "https://a.example/#x"}, {"policy_uri": "javascript:1"}, {"domain_scope": None},
                    {"domain_scope": ["a", "a"]}, {"contact": "a@b"}, {"status": None}, {"tier": []},
                    {"jwks_uri": "https://a.example/" + "a" * 2031}, {"discovery_uri": "https://a.example/\n"}):
            with self.assertRaises(ValueError, msg=str(bad)):
                check_record(record("a", **bad))
        check_record(record("a", jwks_uri="https://a.example/" + "a" * 2030))

    def test_canonical(self) -> None:
        self.assertEqual(core.canonical({"b": "\x1f\x7f\u2028\"\\/\b", "a": [1, True, None, 2**53 - 1]}),
                         '{"a":[1,true,null,9007199254740991],"b":"\\u001f\x7f\u2028\\"\\\\/\\b"}'.encode())
        with self.assertRaises(ValueError):
            core.canonical("\ud800")

    def test_points_of_small_order(self) -> None:
        p, d = core.ED25519_P, core.ED25519_D
        y = core.Y_OF_ORDER_8
        self.assertEqual((d * y**4 + 2 * y * y - 1) % p, 0)  # twice such a point has y = 0, and twice that y = -1
        self.assertEqual(len(set(core.SMALL_ORDER_YS)), 5)

    def test_keys(self) -> None:
        p = core.ED25519_P
        order8 = core.Y_OF_ORDER_8
        for number in (0, 1, p - 1, p, p + 1, order8, 1 << 255, (1 << 255) + 1, 2, 2**255 - 1, p - order8):
            jwk = {"kty": "OKP", "crv": "Ed25519", "x": core.base64url(number.to_bytes(32, "little"))}
            with self.assertRaises(ValueError, msg=str(number)):
                core.read_public_key(jwk)
        ec_key = Signer("p", "P-256").jwk
        for bad in ({**ROOT.jwk, "d": ""}, {**ROOT.jwk, "kid": "x"}, {**ROOT.jwk, "y": "a"}, {**ec_key, "y": ec_key["x"]},
                    {**ec_key, "x": core.base64url((core.P256_P + 5).to_bytes(32, "big"))}, {**ec_key, "crv": "Ed25519"},
                    {**ROOT.jwk, "x": ROOT.jwk["x"] + "="}, [], None, {**ROOT.jwk, "x": 3}, {**ROOT.jwk, "kty": []}):
            with self.assertRaises(ValueError, msg=str(bad)):
                core.read_public_key(bad)
        core.read_public_key({**ROOT.jwk, "kid": ROOT.kid, "y": None, "use": 7})

    def test_signatures(self) -> None:
        data = b"list"
        signature = ROOT.sign(data)
        self.assertTrue(ROOT.public.verifies(signature, data))
        s = int.from_bytes(signature[32:], "little") + core.ED25519_L
        self.assertFalse(ROOT.public.verifies(signature[:32] + s.to_bytes(32, "little"), data))
        p256 = Signer("p", "P-256")
        raw = p256.sign(data)
        r, s = raw[:32], int.from_bytes(raw[32:], "big")
        self.assertTrue(p256.public.verifies(r + (core.P256_N - s).to_bytes(32, "big"), data))  # high or low s
        for bad in (bytes(64), r + bytes(32), bytes(32) + raw[32:], r + core.P256_N.to_bytes(32, "big"), raw + b"\0"):
            self.assertFalse(p256.public.verifies(bad, data))
        text = core.base64url(signature).encode()
        self.assertEqual(core.read_signature(b"\t\n\f\r " + text + b" \r\n"), signature)
        other = text[:-1] + (b"B" if text[-1:] == b"A" else bytes([text[-1] + 1]))
        for bad_text in (b"\xef\xbb\xbf" + text, b"\x0b" + text, b"\xc2\xa0" + text, text + b"\0", text + b"==", text[:-1],
                         b"+" + text[1:], text[:40] + b"\n" + text[40:], b"\xff" + text, other):
            with self.assertRaises(ValueError):
                core.read_signature(bad_text)

    def test_trust_anchors(self) -> None:
        thumb = [NEXT.kid]
        for good in ({}, {"next_roots": thumb}, {"sources": ["https://a.example", "https://a.example/x"]}, WITNESSED,
                     {"sources": ["https://a.example/x/", "https://a.example/x//"]},
                     {**WITNESSED, "quorum": 1}):
            core.read_trust_anchor(anchor_bytes(**good))
        keys = WITNESSED["witnesses"]
        for bad in ({"x": 1}, {"next_roots": []}, {"next_roots": [ROOT.kid]}, {"next_roots": thumb * 2}, {"sources": []},
                    {"sources": ["https://a.example", "HTTPS://A.example:443/".lower()]}, {"checkpoint": None},
                    {"sources": ["http://127.0.0.1", "http://127.1:80/"]}, {"sources": ["https://a.example:65536"]},
                    {"publication": True}, {"log": "registry.example"}, {"quorum": 1}, {**WITNESSED, "quorum": 3},
                    {**WITNESSED, "quorum": 0}, {"log": ORIGIN, "witnesses": keys}, {**WITNESSED, "quorum": True},
                    {"witnesses": keys, "quorum": 1}, {**WITNESSED, "witnesses": [keys[0], W1.verifier_key("w3", 4)]},
                    {**WITNESSED, "witnesses": [W1.verifier_key("w1", 1)]}, {"sources": ["https://u@a.example"]},
                    {"next_roots": None}, {"log": None}, {"witnesses": None, "quorum": None, "log": ORIGIN}):
            self.refused("ERR_TRUST_ANCHOR_INVALID", lambda: core.read_trust_anchor(anchor_bytes(**bad)))
        self.refused("ERR_ROOT_KEY_INVALID", lambda: core.read_trust_anchor(json.dumps({"root": {"kty": "RSA"}}).encode()))
        closed = json.dumps({"root": {**ROOT.jwk, "use": "sig"}}).encode()
        self.refused("ERR_TRUST_ANCHOR_INVALID", lambda: core.read_trust_anchor(closed))


class StrictJson(Case):
    def test_accepted(self) -> None:
        self.assertEqual(core.strict_json(b' {"a":1.0,"b":1e3,"c":-0,"d":9007199254740991,"e":0.5} '),
                         {"a": 1, "b": 1000, "c": 0, "d": 2**53 - 1, "e": 0.5})
        self.assertEqual(core.strict_json(b"[" * 500 + b"]" * 500)[0] is not None, True)
        self.assertEqual(core.strict_json(rb'"\ud800"'), "\ud800")
        self.assertEqual(core.strict_json(b'"[[[[{{{"'), "[[[[{{{")

    def test_refused(self) -> None:
        for bad in (b"", b"\xef\xbb\xbf{}", b'"\xff"', b'"\xed\xa0\x80"', b'{"a":1,"a":1}', rb'{"a":1,"\u0061":1}',
                    b"9007199254740992", b"-9007199254740992", b"[1e400]", b"[" * 501 + b"]" * 501, b"NaN", b"Infinity",
                    b"-Infinity", b"01", b"1.", b".5", b"+1", b"{,}", b"[1,]", b'"\t"', b"'a'", b"{} {}", b"nul", b"\x00",
                    rb'"\x41"', b"\xa0{}", b'"' + rb"\"" * 99999, b"1" * 5000, b"[" * 100000, b'{"a":' * 100000, b"/**/1", "\u0661".encode()):
            with self.assertRaises((ValueError, RecursionError), msg=repr(bad[:40])):
                core.strict_json(bad)

    def test_in_a_list(self) -> None:
        """A list is parsed after its signature: the last of duplicates counts, until the canonical form."""
        def code(body: bytes) -> Optional[str]:
            try:
                core.verify_list(body, core.base64url(ROOT.sign(body)).encode(), ROOT.public)
            except core.Refused as refused:
                return refused.code
            return None
        good = canonical({"issuers": [record("a"), record("b")], "updated_at": "2026-11-21T08:00:00Z"})
        self.assertIsNone(code(good))
        self.assertIsNone(code(b'{"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}'))
        for bad, expected in (
            (good + b"\n", "ERR_LIST_NOT_CANONICAL"), (b"\xef\xbb\xbf" + good, "ERR_LIST_MALFORMED"),
            (good[:-1], "ERR_LIST_MALFORMED"), (good.replace(b'"tier"', b'"tier":"certified","tier"', 1), "ERR_LIST_NOT_CANONICAL"),
            (good.replace(b'"certified"', b'"gold"', 1), "ERR_LIST_NONCONFORMING"), (b"[]", "ERR_LIST_NONCONFORMING"),
            (good.replace(b'"issuer_id":"b"', b'"issuer_id":"a"'), "ERR_LIST_UNSORTED"),
            (good.replace(b"08:00:00Z", b"23:59:60Z"), "ERR_LIST_NONCONFORMING"),
            (good.replace(b"08:00:00Z", b"08:00:00z"), "ERR_LIST_NONCONFORMING"),
            (good.replace(b"/meta", rb"\/meta", 1), "ERR_LIST_NOT_CANONICAL"), (b'{"issuers":NaN}', "ERR_LIST_MALFORMED"),
            (b"[" * 5000 + b"]" * 5000, "ERR_LIST_NONCONFORMING"),
        ):
            self.assertEqual(code(bad), expected, bad[-60:])


# --- Sections 6 to 9, 21 to 26 ----------------------------------------------------------------------------------------


class Statements(Case):
    def test_accepted(self) -> None:
        for anchor in (ANCHOR, LOGGED_ANCHOR):
            self.assertIsNone(self.code(publish(), anchor))
        self.assertIsNone(self.code(publish(levels=0, records=[])))

    def test_jwt_profile(self) -> None:
        claims = {"iat": 1, "exp": 2}

        def code(raw: str, key: Signer = ROOT) -> Optional[str]:
            try:
                core.read_jwt(raw, "t", "X", ("iat", "exp")).verify(key.public, "Y")
            except core.Refused as refused:
                return refused.code
            return None
        self.assertIsNone(code(ROOT.jwt("t", claims)))
        self.assertIsNone(code(ROOT.jwt("t", claims, alg="Ed25519", more={})))
        self.assertIsNone(code(ROOT.jwt("t", {"iat": 1.0, "exp": 2**53 - 1, "nbf": 0})))
        full = ROOT.jwt("t", {**claims, "pad": ""})
        size = core.LIMITS["jwt"] - len(full)
        fits = next(ROOT.jwt("t", {**claims, "pad": "a" * n}) for n in range(size * 3 // 4 + 4, 0, -1)
                    if len(ROOT.jwt("t", {**claims, "pad": "a" * n})) <= 16384)
        self.assertGreater(len(fits), 16380)
        self.assertIsNone(code(fits))
        self.assertEqual(code(fits + "A" * (16385 - len(fits))), "X")
        good = ROOT.jwt("t", claims)
        for bad in (good + "\n", " " + good, good + ".", good.replace(".", "..", 1), good + "=", "", "..", "\xff", "\ud800",
                    ROOT.jwt("T", claims), ROOT.jwt("application/t", claims), ROOT.jwt("t", claims, alg="none"),
                    ROOT.jwt("t", claims, jwk=ROOT.jwk), ROOT.jwt("t", claims, crit=[]), ROOT.jwt("t", claims, b64=None),
                    ROOT.jwt("t", {"iat": 1}), ROOT.jwt("t", {"exp": 1}), ROOT.jwt("t", {**claims, "nbf": None}),
                    ROOT.jwt("t", {**claims, "iat": "1"}), ROOT.jwt("t", {**claims, "iat": -1}), ROOT.jwt("t", []),
                    ROOT.jwt("t", {**claims, "iat": 1.5}), ROOT.jwt("t", {**claims, "iat": True}), ROOT.jwt("t", claims, alg=[])):
            self.assertEqual(code(bad), "X", bad[-60:])
        self.assertEqual(code(ROOT.jwt("t", claims, alg="ES256")), "Y")
        self.assertEqual(code(good, NEXT), "Y")
        self.assertEqual(code(good.rsplit(".", 1)[0] + ".AAAA"), "Y")

    def test_clocks(self) -> None:
        tolerance, made = 300_000, core.date_time_ms("2026-11-21T08:00:00Z")
        files = publish(checkpoint={"iat": NOW_S, "exp": NOW_S + 60})
        self.assertIsNone(self.code(files, now=NOW_MS - tolerance))
        self.assertEqual(self.code(files, now=NOW_MS - tolerance - 1), "ERR_NOT_YET_VALID")
        self.assertIsNone(self.code(files, now=NOW_MS + 60_000 + tolerance - 1))
        self.assertEqual(self.code(files, now=NOW_MS + 60_000 + tolerance), "ERR_CHECKPOINT_EXPIRED")
        self.assertIsNone(self.code(files, now=NOW_MS + 10**9, copy=10**9))
        self.assertEqual(self.code(files, now=NOW_MS + 10**9 + tolerance + 1, copy=10**9), "ERR_LIST_EXPIRED")
        files = publish(claims={"exp": NOW_S})
        self.assertIsNone(self.code(files, now=NOW_MS + tolerance))
        files = publish(checkpoint={"iat": 0, "exp": 31 * 86400})
        self.assertIsNone(self.code(files, now=made - tolerance, copy=made))
        self.assertEqual(self.code(files, now=made - tolerance - 1, copy=made), "ERR_NOT_YET_VALID")

    def test_checkpoints(self) -> None:
        iat = core.date_time_ms("2026-11-21T08:00:00Z") // 1000
        many = [f"a{n:03d}" for n in range(65)]
        for checkpoint, online in ((None, None), ({"hold": ["alpha"]}, None), ({"hold": many[:64]}, None),
                                   ({"exp": iat + 60 + 31 * 86400}, None), ({"iat": iat}, {"exp": iat}), (None, {"hold": False}),
                                   (None, {"keys": [ONLINE.jwk] * 16}), (None, {"more": 1})):
            self.assertIsNone(self.code(publish(checkpoint=checkpoint, online=online)), (checkpoint, online))
        for checkpoint, online in (({"iat": iat}, {"exp": iat - 1}), ({"hold": []}, None), ({"hold": ["b", "a"]}, None),
                                       ({"hold": ["a", "a"]}, None), ({"hold": many}, None), ({"hold": "a"}, None),
                                       ({"exp": iat + 61 + 31 * 86400}, None), ({"publication": None}, None),
                                       ({"hold": ["A"]}, None), ({"hold": ["a"]}, {"hold": False}),
                                       ({"publication": "A" * 64}, None), ({"tree_sha256": "x"}, None)):
            self.assertEqual(self.code(publish(checkpoint=checkpoint, online=online)), "ERR_CHECKPOINT_INVALID",
                             (checkpoint, online))
        for online in ({"keys": []}, {"keys": [ONLINE.jwk] * 17}, {"keys": [ONLINE.jwk, {}]}, {"hold": None}, {"hold": 1},
                       {"exp": None}, {"exp": "1"}, {"keys": 1}):
            self.assertEqual(self.code(publish(online=online)), "ERR_PUBLICATION_INVALID", online)
        no_online = {"online": None}
        self.assertIsNone(self.code(publish(signer=ROOT, claims=no_online, checkpoint={"hold": ["alpha"]})))
        self.assertEqual(self.code(publish(claims=no_online)), "ERR_CHECKPOINT_INVALID")
        self.assertEqual(self.code(publish(signer=THIRD)), "ERR_CHECKPOINT_INVALID")

    def test_file(self) -> None:
        files = publish()
        self.assertEqual(self.code(without(files, "statements.json")), "ERR_SOURCE_STATUS")
        for name in ("publication", "checkpoint"):
            self.assertEqual(self.code(without(files, name)), "ERR_STATEMENTS_INVALID")
        for name, values in (("publication", (None, 1, [], {})), ("checkpoint", (None, 1, [], {})),
                             ("rotation", (None, "x", {}, 1)), ("log_proof", (None, 1, [], {}))):
            for value in values:
                self.assertEqual(self.code(with_member(files, name, value)), "ERR_STATEMENTS_INVALID", (name, value))
        for name, value in (("rotation", []), ("later", None), ("log_proof", "x")):
            self.assertIsNone(self.code(with_member(files, name, value)), name)
        body = files["statements.json"]
        for bad in (b"", b"[]", body[:-1], body + b"}", b"\xef\xbb\xbf" + body, body.replace(b"{", b'{"publication":"x",', 1)):
            self.assertEqual(self.code({**files, "statements.json": bad}), "ERR_STATEMENTS_INVALID")
        other = member(publish(sequence=2), "checkpoint")
        self.assertEqual(self.code(with_member(files, "checkpoint", other)), "ERR_CHECKPOINT_MISMATCH")

    def test_publications(self) -> None:
        for previous in (["0" * 64], ["0" * 64] * 16):
            self.assertIsNone(self.code(publish(claims={"previous": previous})))
        for claims, code in (({"issuers": 3}, "ERR_PUBLICATION_MISMATCH"), ({"levels": 9}, "ERR_PUBLICATION_INVALID"),
                             ({"previous": "0" * 64}, "ERR_PUBLICATION_INVALID"), ({"previous": []}, "ERR_PUBLICATION_INVALID"),
                             ({"previous": ["x"]}, "ERR_PUBLICATION_INVALID"),
                             ({"previous": ["0" * 64] * 17}, "ERR_PUBLICATION_INVALID"),
                             ({"log": {"origin": ORIGIN, "vkey": "x"}}, "ERR_PUBLICATION_INVALID"),
                             ({"log": {"origin": "b/log", "vkey": LOG.verifier_key(ORIGIN, 1)}}, "ERR_PUBLICATION_INVALID"),
                             ({"sequence": 1.5}, "ERR_PUBLICATION_INVALID")):
            self.assertEqual(self.code(publish(claims=claims)), code, claims)

    def test_named_list(self) -> None:
        old, new = publish(), publish(updated_at="2026-11-21T09:00:00Z", sequence=2)
        named, mismatch = f"lists/{sha256_hex(new['issuers.json'])}.json", "ERR_PUBLICATION_MISMATCH"
        self.assertIsNone(self.code(without(new, "issuers.json", "issuers.sig")))
        self.assertIsNone(self.code({**new, "issuers.json": old["issuers.json"]}))
        self.assertEqual(self.code(without(new, "issuers.json", named)), mismatch)
        for other in (old["issuers.json"], new["issuers.json"] + b" ", new["issuers.json"][:-1], b""):
            self.assertEqual(self.code({**new, "issuers.json": other, named: other}), mismatch)

    def test_memory(self) -> None:
        memory = self.memory(publish(sequence=5, checkpoint={"hold": ["alpha"]}))
        iat = core.date_time_ms("2026-11-21T08:00:00Z") // 1000
        older = publish(updated_at="2026-11-21T07:59:59Z", sequence=6, checkpoint={"iat": iat + 61})
        later: Any = {"updated_at": "2026-11-21T08:00:01Z", "sequence": 6}
        for files, code in (
            (publish(sequence=5, checkpoint={"hold": ["alpha", "beta"]}), None),
            (publish(sequence=5), "ERR_CHECKPOINT_ROLLED_BACK"),
            (publish(sequence=5, checkpoint={"iat": iat + 61}), None),
            (publish(sequence=5, checkpoint={"iat": iat + 59, "hold": ["alpha"]}), "ERR_CHECKPOINT_ROLLED_BACK"),
            (publish(**later, checkpoint={"iat": iat + 10, "hold": ["alpha"]}), None),
            (publish(**later, checkpoint={"iat": iat + 10}), "ERR_CHECKPOINT_ROLLED_BACK"),
            (publish(**later, checkpoint={"iat": iat + 60, "hold": ["beta"]}), "ERR_CHECKPOINT_ROLLED_BACK"),
            (publish(**later, checkpoint={"iat": iat + 61}), None),
            (publish(sequence=4, checkpoint={"iat": iat + 61}), "ERR_PUBLICATION_ROLLED_BACK"),
            (publish(sequence=5, claims={"extra": 1}, checkpoint={"iat": iat + 61}), "ERR_PUBLICATION_ROLLED_BACK"),
            (publish(sequence=6, claims={"log": None}, checkpoint={"iat": iat + 61}), "ERR_PUBLICATION_ROLLED_BACK"),
            (older, "ERR_LIST_ROLLED_BACK"),
            (publish(sequence=6, records=[record("gamma")], checkpoint={"iat": iat + 61}), "ERR_LIST_ROLLED_BACK"),
            (publish(sequence=6, online={"keys": [THIRD.jwk]}, checkpoint={"iat": iat + 61}), "ERR_CHECKPOINT_INVALID"),
        ):
            self.assertEqual(self.code(files, memory=memory), code)

    def test_store(self) -> None:
        files = publish(root=NEXT, rotation=[step(ROOT, NEXT)])
        kept = self.memory(files).to_json()
        body = json.dumps(kept).encode()
        for length in range(0, len(body), 97):
            self.refused("ERR_BUNDLE_INVALID", lambda: client.read_memory(body[:length], ANCHOR))
        for bad in ({}, None, {**kept, "format": "x"}, {**kept, "statements": "{}"}, {**kept, "statements": 1}):
            self.refused("ERR_BUNDLE_INVALID", lambda: client.read_memory(json.dumps(bad).encode(), ANCHOR))
        stranger = core.TrustAnchor(THIRD.public)
        self.refused("ERR_BUNDLE_INVALID", lambda: client.read_memory(body, stranger))
        for issuers in (None, "", kept["list"][:-1], kept["list"] + " "):
            memory = client.read_memory(json.dumps({**kept, "list": issuers}).encode(), ANCHOR)
            assert memory.accepted
            self.assertIsNone(memory.accepted.issuers)
            self.assertEqual(self.code(publish(root=NEXT, sequence=0), memory=memory), "ERR_PUBLICATION_ROLLED_BACK")

    def test_rotation_is_bound(self) -> None:
        saved: List[client.Memory] = []
        refused = publish(rotation=[step(ROOT, NEXT)])
        with self.assertRaises(core.Refused):
            client.verify_registry(Files(refused), ANCHOR, core.Clock(NOW_MS), self.memory(publish()), save=saved.append)
        memory = client.read_memory(json.dumps(saved[-1].to_json()).encode(), ANCHOR)
        assert memory.accepted
        self.assertIsNone(memory.accepted.issuers)  # it is not used under the replaced key
        self.assertEqual(self.code(publish(), memory=memory), "ERR_PUBLICATION_INVALID")
        self.assertIsNone(self.code(publish(root=NEXT), memory=memory))


class Rotation(Case):
    def anchored(self, root: Signer, *next_roots: str) -> core.TrustAnchor:
        return core.TrustAnchor(root.public, frozenset(next_roots) or None)

    def test_chain(self) -> None:
        steps = [step(ROOT, NEXT, step=1), step(NEXT, THIRD, step=2)]
        for anchor in (ROOT, NEXT, THIRD):
            self.assertIsNone(self.code(publish(root=THIRD, rotation=steps), self.anchored(anchor)))
        self.assertEqual(self.code(publish(root=NEXT, rotation=steps), self.anchored(ROOT)), "ERR_PUBLICATION_INVALID")
        self.assertIsNone(self.code(publish(rotation=[])))
        future = [step(ROOT, NEXT, iat=NOW_S + 301)]
        for bad, code in (
            ([step(ROOT, NEXT), step(ROOT, THIRD)], "ERR_ROTATION_GAP"), ([step(NEXT, THIRD)], "ERR_ROTATION_GAP"),
            ([step(ROOT, NEXT), step(NEXT, ROOT)], "ERR_ROTATION_LOOP"), (future, "ERR_NOT_YET_VALID"),
            ([step(ROOT, NEXT, step=2)], "ERR_ROTATION_INVALID"), ([step(ROOT, NEXT, step=None)], "ERR_ROTATION_INVALID"),
            ([step(ROOT, NEXT, next_roots=[])], "ERR_ROTATION_INVALID"), (["x"], "ERR_ROTATION_INVALID"),
            ([step(ROOT, NEXT, next_roots=[NEXT.kid])], "ERR_ROTATION_INVALID"),
            ([step(ROOT, NEXT, next_roots=[ROOT.kid])], "ERR_ROTATION_INVALID"),
            ([step(ROOT, NEXT, next_roots=None)], "ERR_ROTATION_INVALID"),
            ([step(ROOT, NEXT, next_root={})], "ERR_ROTATION_INVALID"),
            ([ROOT.jwt("registry-root-rotation+jwt", {"iat": 1, "next_root": NEXT.jwk}, kid=None)], "ERR_ROTATION_INVALID"),
            ([THIRD.jwt("registry-root-rotation+jwt", {"iat": 1, "next_root": NEXT.jwk}, kid=ROOT.kid)], "ERR_ROTATION_SIGNATURE"),
        ):
            self.assertEqual(self.code(publish(root=NEXT, rotation=bad), self.anchored(ROOT)), code)

    def test_length(self) -> None:
        keys = [ROOT] + [Signer(f"key {n}") for n in range(65)]
        steps = [step(a, b) for a, b in zip(keys, keys[1:])]
        self.assertIsNone(self.code(publish(root=keys[64], rotation=steps[:64]), self.anchored(ROOT)))
        self.assertEqual(self.code(publish(root=keys[65], rotation=steps), self.anchored(ROOT)), "ERR_ROTATION_INVALID")

    def test_commitments(self) -> None:
        steps = [step(ROOT, NEXT, next_roots=[THIRD.kid]), step(NEXT, THIRD)]
        self.assertIsNone(self.code(publish(root=THIRD, rotation=steps), self.anchored(ROOT, NEXT.kid)))
        files = publish(root=THIRD, rotation=steps)
        self.assertEqual(self.code(files, self.anchored(ROOT, THIRD.kid)), "ERR_ROTATION_NOT_COMMITTED")
        other = [step(ROOT, NEXT, next_roots=[THIRD.kid]), step(NEXT, W1)]
        files = publish(root=W1, rotation=other)
        self.assertEqual(self.code(files, self.anchored(ROOT)), "ERR_ROTATION_NOT_COMMITTED")

    def test_memory(self) -> None:
        first = [step(ROOT, NEXT, next_roots=[THIRD.kid])]
        memory = self.memory(publish(root=NEXT, rotation=first))
        self.assertEqual(self.code(publish(), memory=memory), "ERR_PUBLICATION_INVALID")  # a replaced key
        self.assertIsNone(self.code(publish(root=NEXT), memory=memory))  # the known chain stays
        self.assertIsNone(self.code(publish(root=THIRD, rotation=first + [step(NEXT, THIRD)]), memory=memory))
        for fork in ([step(ROOT, THIRD)], [step(ROOT, NEXT)], [step(ROOT, NEXT, next_roots=[W1.kid])]):
            self.assertEqual(self.code(publish(root=NEXT, rotation=fork), memory=memory), "ERR_ROTATION_FORK")


# --- Sections 29 to 31 ------------------------------------------------------------------------------------------------


class LookUp(Case):
    records = [record(f"issuer-{n:03d}") for n in range(40)]

    def answer(self, files: Dict[str, bytes], issuer_id: str) -> str:
        try:
            return client.resolve_issuer(Files(files), ANCHOR, core.Clock(NOW_MS), issuer_id).verdict
        except core.Refused as refused:
            return refused.code

    def test_levels(self) -> None:
        for levels in (0, 1, 2, 3):
            files = publish(records=self.records, levels=levels)
            self.assertEqual(self.answer(files, "issuer-007"), "active")
            self.assertEqual(self.answer(files, "issuer-100"), "absent")
        held = publish(checkpoint={"hold": ["alpha"]})
        self.assertEqual([self.answer(held, name) for name in ("alpha", "beta")], ["on hold", "suspended"])
        self.assertEqual(self.answer({}, "Not An Id"), "absent")

    def test_refused(self) -> None:
        files = publish(records=self.records, levels=2)
        for path in list(files):
            if path.startswith(("sums/", "issuers/")):
                missing = {name: body for name, body in files.items() if name != path}
                changed = {**files, path: files[path] + b"\n"}
                for issuer_id in ("issuer-007", "issuer-008"):
                    place = core.place_of(issuer_id)
                    used = path in ("sums/root", f"sums/{place[0]}", f"sums/{place[:2]}", f"issuers/{issuer_id}")
                    self.assertEqual(self.answer(missing, issuer_id), "ERR_SOURCE_STATUS" if used else "active")
                    self.assertEqual(self.answer(changed, issuer_id), "ERR_SUMS_MISMATCH" if used else "active")

    def test_form(self) -> None:
        digest = "0" * 64
        line = f"{digest}  issuers/a\n".encode()
        self.assertEqual(core.read_sums(line, "", True), {"issuers/a": digest})
        self.assertEqual(core.read_sums(b"", "", False), {})
        for bad in (line[:-1], line + line, line.replace(b"  ", b" "), line.replace(b"  ", b" *"), line.upper(), line + b"\n",
                    line.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + line, line.replace(b"/a", b"/A"), line.replace(b"issuers/a", b"sums/a"),
                    f"{digest}  issuers/b\n".encode() + line, b"#\n", line.replace(b"/a", b"/a..b")):
            with self.assertRaises(ValueError, msg=repr(bad)):
                core.read_sums(bad, "", True)
        for body, prefix, leaf in ((b"", "a", True), (line, "c" if core.place_of("a")[0] == "a" else "a", True),
                                   (f"{digest}  sums/ab\n".encode(), "b", False), (f"{digest}  sums/g\n".encode(), "", False)):
            with self.assertRaises(ValueError):
                core.read_sums(body, prefix, leaf)


class Log(Case):
    def test_proofs(self) -> None:
        for before in (0, 1, 2, 3, 6, 7, 255, 256):
            self.assertIsNone(self.code(publish(before=before), LOGGED_ANCHOR))
        for before, after in ((0, 1), (3, 4), (7, 9), (255, 2)):  # an old publication under a newer head
            self.assertEqual(self.code(publish(before=before, after=after), LOGGED_ANCHOR), "ERR_NOT_LOGGED")
        good = publish()
        proof = member(good, "log_proof").encode()

        def code(changed: bytes) -> Optional[str]:
            return self.code(with_member(good, "log_proof", changed.decode("latin-1" if changed[:1] == b"\xff" else "utf-8")), LOGGED_ANCHOR)
        self.assertIsNone(code(proof.replace(b"index", b"extra QQ==\nindex", 1)))
        lines = proof.split(b"\n")
        for bad in (proof[:-1], proof + b"\n", proof.replace(b"index 3", b"index 03"), proof.replace(b"index 3", b"index 2"),
                    proof.replace(b"index", b"extra Q\nindex"), proof.replace(b"v1", b"v2", 1), b"", b"\xff" + proof,
                    proof.replace(b"\n4\n", b"\n5\n"), proof.replace(b"registry.example/log\n4", b"other.example/log\n4"),
                    b"\n".join(lines[:2] + lines[3:]), b"\n".join(lines[:2] + lines[2:3] + lines[2:]),
                    proof + b"\xe2\x80\x94 x AAAA" * 100 + b"\n"):
            self.assertEqual(code(bad), "ERR_NOT_LOGGED", bad[:60])
        wrong_log_line = LOG.line(ORIGIN, 1, b"another head\n").encode()
        self.assertEqual(code(proof + wrong_log_line), "ERR_NOT_LOGGED")
        self.assertIsNone(code(proof + W1.line("w1.example", 4, b"another head\n", NOW_S).encode()))
        stranger = b"".join(THIRD.line(f"s{n}", 4, b"x\n", NOW_S).encode() for n in range(97))
        self.assertIsNone(code(proof + stranger))
        self.assertEqual(code(proof + stranger + THIRD.line("s", 1, b"x\n").encode()), "ERR_NOT_LOGGED")
        without_w1 = b"\n".join(line for line in lines if b"w1.example" not in line)
        self.assertEqual(code(without_w1), "ERR_TOO_FEW_COSIGNATURES")
        self.assertEqual(code(proof.replace(b"w1.example", b"w3.example")), "ERR_TOO_FEW_COSIGNATURES")
        self.assertEqual(self.code(without(good, "log_proof"), LOGGED_ANCHOR), "ERR_NOT_LOGGED")
        self.assertIsNone(self.code(without(good, "log_proof")))

    def test_times_of_cosignatures(self) -> None:
        month, few = 30 * 86400, "ERR_TOO_FEW_COSIGNATURES"
        for seconds, code in ((NOW_S + 300, None), (NOW_S + 301, few), (NOW_S - month - 300, None), (NOW_S - month - 301, few),
                              (2**64 - 1, few)):
            self.assertEqual(self.code(publish(cosigned=seconds), LOGGED_ANCHOR), code, seconds)

    def test_growth(self) -> None:
        anchor = core.read_trust_anchor(anchor_bytes(log=ORIGIN))
        leaves = [core.leaf_hash(b"%d" % n) for n in range(700)]
        for old, new in ((1, 2), (3, 7), (255, 256), (256, 257), (256, 512), (300, 700), (511, 513), (1, 700)):
            tiles = {core.tile_path(0, n, min(256, new - 256 * n)): b"".join(leaves[256 * n: min(new, 256 * n + 256)])
                     for n in range((new + 255) // 256)}
            if new >= 256:
                tops = [merkle(leaves[256 * n: 256 * n + 256]) for n in range(new // 256)]
                tiles[core.tile_path(1, 0, new // 256)] = b"".join(tops)
            top = core.Head(ORIGIN, new, merkle(leaves[:new]), b"", ())
            grow = lambda root, files: core.verify_log_grows(old, root, top, False, Files(files).get)
            grow(merkle(leaves[:old]), tiles)
            self.refused("ERR_LOG_INCONSISTENT", lambda: grow(bytes(32), tiles))
            self.refused("ERR_LOG_INCONSISTENT", lambda: grow(merkle(leaves[:old]), {}))
        self.refused("ERR_LOG_INCONSISTENT", lambda: core.verify_log_grows(701, bytes(32), top, True, Files({}).get))
        memory = self.memory(publish(), anchor)
        newer: Dict[str, Any] = {"updated_at": "2026-11-21T09:00:00Z", "sequence": 2}
        self.assertEqual(self.code(publish(**newer, before=13), anchor, memory=memory), "ERR_LOG_INCONSISTENT")
        memory = self.memory(publish(), LOGGED_ANCHOR)
        self.assertIsNone(self.code(publish(**newer, before=13), LOGGED_ANCHOR, memory=memory))
        self.assertEqual(self.code(publish(**newer, before=1), LOGGED_ANCHOR, memory=memory), "ERR_LOG_INCONSISTENT")


# --- Every byte counts, hosts, and the command line -------------------------------------------------------------------


class Bytes(Case):
    def test_single_bytes(self) -> None:
        """One changed byte of a file that decides is refused, unless the protocol ignores it."""
        files = publish(rotation=[step(NEXT, ROOT)])
        files = {path: body for path, body in files.items() if not path.startswith(("log/", "lists/"))}
        truth = client.verify_registry(Files(files), LOGGED_ANCHOR, core.Clock(NOW_MS))
        first = files["statements.json"].index(b'"rotation"')
        for path in ("issuers.json", "statements.json"):
            body = files[path]
            for place in range(0, len(body), STRIDE):
                changed = {**files, path: body[:place] + bytes([body[place] ^ 1]) + body[place + 1:]}
                try:
                    proven = client.verify_registry(Files(changed), LOGGED_ANCHOR, core.Clock(NOW_MS))
                except core.Refused:
                    continue
                # A step before the pinned key is not verified, and the name of the last member can be another one.
                self.assertTrue(path == "statements.json" and place >= first, (path, place))
                self.assertEqual((proven.publication, proven.hold), (truth.publication, truth.hold))

    def test_missing_and_cut_files(self) -> None:
        files = publish()
        for name in ("publication", "checkpoint", "log_proof", "statements.json"):
            self.assertIsNotNone(self.code(without(files, name), LOGGED_ANCHOR))
        for length in range(0, len(files["statements.json"]), 61):
            cut = {**files, "statements.json": files["statements.json"][:length]}
            self.assertEqual(self.code(cut, LOGGED_ANCHOR), "ERR_STATEMENTS_INVALID")


class Hosts(Case):
    def serve(self, answer: Callable[[http.server.BaseHTTPRequestHandler], None]) -> str:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                answer(self)

            def log_message(self, *_: Any) -> None:
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    @staticmethod
    def reply(request: http.server.BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
        request.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    def test_a_tree(self) -> None:
        files = publish()

        def answer(request: http.server.BaseHTTPRequestHandler) -> None:
            body = files.get(request.path.split("?")[0][1:])
            self.reply(request, 404 if body is None else 200, body or b"", Content_Type="application/json")
        proven = client.verify_registry(client.Host(self.serve(answer)), LOGGED_ANCHOR, core.Clock(NOW_MS))
        self.assertEqual(proven.publication.updated_at, "2026-11-21T08:00:00Z")

    def test_answers(self) -> None:
        for status, headers, code in ((302, {"Location": "/x"}, "ERR_SOURCE_REDIRECTED"), (304, {}, "ERR_SOURCE_STATUS"),
                                      (500, {}, "ERR_SOURCE_STATUS"), (206, {}, "ERR_SOURCE_STATUS"),
                                      (200, {"Content_Type": "Text/HTML; charset=x"}, "ERR_SOURCE_CONTENT"),
                                      (200, {"Content_Length": "99"}, "ERR_SOURCE_TRUNCATED"),
                                      (200, {"Content_Encoding": "br"}, "ERR_SOURCE_CONTENT")):
            url = self.serve(lambda request: self.reply(request, status, b"body", **headers))
            self.refused(code, lambda: client.Host(url, 2).get("issuers.json", 100))
        for status in (404, 410):
            url = self.serve(lambda request: self.reply(request, status, b""))
            self.assertIsNone(client.Host(url).get("issuers.json", 100))
        url = self.serve(lambda request: self.reply(request, 200, b"a" * 100))
        self.assertEqual(len(client.Host(url).get("x", 100) or b""), 100)
        self.refused("ERR_SOURCE_TOO_LARGE", lambda: client.Host(url).get("x", 99))
        self.refused("ERR_SOURCE_UNREACHABLE", lambda: client.Host("http://127.0.0.1:1").get("x", 99))

    def test_deadline(self) -> None:
        stop = threading.Event()
        self.addCleanup(stop.set)

        def drip(request: http.server.BaseHTTPRequestHandler) -> None:
            try:
                while not stop.wait(0.05):
                    request.wfile.write(b"H")
            except OSError:
                pass
        url = self.serve(drip)
        self.refused("ERR_SOURCE_TIMEOUT", lambda: client.Host(url, 0.4).get("x", 99))


class CommandLine(Case):
    def test_exit_codes(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder, "tree")
            for path, body in publish().items():
                (tree / path).parent.mkdir(parents=True, exist_ok=True)
                (tree / path).write_bytes(body)
            anchor = pathlib.Path(folder, "anchor.json")
            anchor.write_bytes(anchor_bytes(**WITNESSED))
            state = os.path.join(folder, "state.json")
            common = ["--anchor", str(anchor), "--now", NOW, "--json", "--state", state]
            run = lambda *arguments: self.quiet(lambda: main([*arguments, *common]))
            self.assertEqual(run("verify", str(tree)), 0)
            self.assertEqual(run("resolve", "alpha", "--from", str(tree)), 0)
            self.assertEqual(run("resolve", "beta", "--from", str(tree)), 1)
            self.assertEqual(run("resolve", "nobody", "--from", str(tree)), 1)
            self.assertEqual(run("resolve", "Not An Id", "--from", folder + "/none"), 1)
            self.assertEqual(run("verify", folder + "/none"), 1)
            os.remove(state)
            (tree / "sums" / "root").unlink()
            self.assertEqual(run("resolve", "alpha", "--from", str(tree)), 1)
            self.assertTrue(os.path.exists(state))  # what was accepted before the proof is remembered
            pathlib.Path(state).write_bytes(b"{")
            self.assertEqual(run("verify", str(tree)), 0)  # a store that was cut short is told, and begun anew
            (tree / "statements.json").unlink()
            self.assertEqual(run("verify", str(tree)), 1)
            anchor.write_bytes(b"{}")
            self.assertEqual(run("verify", str(tree)), 2)

    @staticmethod
    def quiet(run: Callable[[], int]) -> int:
        import contextlib
        import io
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return run()


if __name__ == "__main__":
    unittest.main()
