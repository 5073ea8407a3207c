# SPDX-License-Identifier: Apache-2.0
"""A verifier of a signed registry of issuers, written from docs/protocol.md alone.

The sections stand in the order of the protocol. A comment such as (rule list-order) names the anchor of the rule in
docs/protocol.md. Functions raise ValueError for a fault of form; whoever calls them gives the fault its error code
(section 26) with `faults_are`. A Refused carries that code, and ends the source: nothing of the source is used.
"""

from __future__ import annotations

import base64
import calendar
import hashlib
import ipaddress
import json
import re
import socket
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Dict, FrozenSet, Iterator, List, NoReturn, Optional, Sequence, Tuple, Union

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

Json = Any
MAX_INTEGER = 2**53 - 1


class Refused(Exception):
    """The verdict on a source or a document. `code` is an error code of section 26."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def refuse(code: str, message: str) -> NoReturn:
    raise Refused(code, message)


def check(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


@contextmanager
def faults_are(code: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, RecursionError) as fault:
        raise Refused(code, str(fault) or type(fault).__name__) from fault


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# --- 2. A record ------------------------------------------------------------------------------------------------------

ISSUER_ID = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?")
NOT_ISSUER_ID = re.compile(r"index|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?|.*\.\..*|.*\.(?:gz|br|html?)")
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
HOST_PATH_QUERY = (
    rf"{LABEL}(?:\.{LABEL})*(?::[0-9]{{1,5}})?(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{{2}})*)?"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)
HTTPS_URI = re.compile("https://" + HOST_PATH_QUERY)
WEB_URI = re.compile(f"https?://{HOST_PATH_QUERY}(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{{2}})*)?")
DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
GEOGRAPHICAL_CODE = re.compile(r"global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?")
SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
EMAIL = re.compile(
    r"(?=.{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@"
    rf"(?:{LABEL}\.)+{LABEL}"
)


def is_issuer_id(value: Json) -> bool:
    """(rule issuer-id)"""
    return isinstance(value, str) and bool(ISSUER_ID.fullmatch(value)) and not NOT_ISSUER_ID.fullmatch(value)


def is_text(value: Json, pattern: "re.Pattern[str]", most: int) -> bool:
    return isinstance(value, str) and len(value) <= most and bool(pattern.fullmatch(value))


DAYS_OF_MONTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def date_time_ms(text: Json) -> int:
    """Milliseconds since 1970 of a date-time of RFC 3339 (rule date-time)."""
    match = DATE_TIME.fullmatch(text) if isinstance(text, str) and len(text) <= 64 else None
    check(match is not None, "no date-time of RFC 3339")
    assert match
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    sign = -1 if match[8] == "-" else 1
    offset_hour, offset_minute = int(match[9] or 0), int(match[10] or 0)
    check(1 <= month <= 12 and hour <= 23 and minute <= 59 and second <= 60, "no such time")
    check(offset_hour <= 23 and offset_minute <= 59, "no such offset")
    check(1 <= day <= DAYS_OF_MONTHS[month - 1] + (month == 2 and calendar.isleap(year)), "no such day")
    minutes = hour * 60 + minute - sign * (offset_hour * 60 + offset_minute)
    check(second < 60 or minutes % 1440 == 1439, "a leap second is at 23:59:60 UTC only")
    shifted = year - (month < 3)  # years from March on, so that the leap day is the last day of a year
    days = shifted * 365 + shifted // 4 - shifted // 100 + shifted // 400
    days += (153 * ((month + 9) % 12) + 2) // 5 + day - 1 - 719468
    return ((days * 1440 + minutes) * 60 + second) * 1000 + int((match[7] or "0")[:3].ljust(3, "0"))


def is_date_time(value: Json) -> bool:
    try:
        date_time_ms(value)
    except ValueError:
        return False
    return True


def is_scope(value: Json, pattern: "re.Pattern[str]", most: int) -> bool:
    if not isinstance(value, list) or not all(is_text(item, pattern, most) for item in value):
        return False
    return len(set(value)) == len(value)


RECORD_MEMBERS: Dict[str, Callable[[Json], bool]] = {
    "issuer_id": is_issuer_id,
    "tier": lambda value: value in ("founding", "certified", "registered", "sandbox"),
    "jwks_uri": lambda value: is_text(value, HTTPS_URI, 2048),  # (rule record-uris)
    "discovery_uri": lambda value: is_text(value, HTTPS_URI, 2048),
    "policy_uri": lambda value: value is None or is_text(value, WEB_URI, 2048),
    "status": lambda value: value in ("active", "suspended", "revoked"),
    "certified_since": is_date_time,
    "last_audit": lambda value: value is None or is_date_time(value),
    "geographical_scope": lambda value: is_scope(value, GEOGRAPHICAL_CODE, 6),  # (rule scope-absent)
    "domain_scope": lambda value: is_scope(value, SLUG, 64),
    "passport_types": lambda value: is_scope(value, SLUG, 64),
    "contact": lambda value: value is None or is_text(value, EMAIL, 254),
}
RECORD_REQUIRED = ("issuer_id", "tier", "jwks_uri", "discovery_uri", "status", "certified_since")


def check_record(record: Json) -> None:
    """The schema of a record, which is closed (rule record-form)."""
    check(isinstance(record, dict), "a record is not an object")
    for member in RECORD_REQUIRED:
        check(member in record, f"a record lacks {member}")
    for member, value in record.items():
        check(member in RECORD_MEMBERS, f"a record has the unknown member {member!r}")
        check(RECORD_MEMBERS[member](value), f"{member} of a record breaks the schema")


# --- 3. The bytes of the list -----------------------------------------------------------------------------------------


def canonical(value: Json, depth: int = 1) -> str:
    """The canonical form of RFC 8785, within the limits of (rule canonical-values)."""
    if value is None or isinstance(value, (bool, str)):
        text = json.dumps(value, ensure_ascii=False)
        text.encode()  # a lone surrogate raises ValueError
        return text
    if isinstance(value, (int, float)):
        return canonical_number(value)
    check(depth <= MAX_DEPTH and isinstance(value, (list, dict)), "not JSON, or nested too deep")
    if isinstance(value, list):
        return "[" + ",".join(canonical(item, depth + 1) for item in value) + "]"
    names = sorted(value, key=lambda name: str(name).encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{canonical(name)}:{canonical(value[name], depth + 1)}" for name in names) + "}"


def canonical_number(number: Union[int, float]) -> str:
    """A number as ECMAScript writes it."""
    check(abs(number) <= MAX_INTEGER, "a number is above 2^53 - 1")
    if number == int(number):
        return str(int(number))
    match = re.fullmatch(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?", repr(number))
    assert match
    sign, whole, fraction, exponent = match[1], match[2], match[3] or "", int(match[4] or 0)
    point = len(whole) + exponent  # the value is 0.<digits> * 10^point
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if 0 < point:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point:
        return f"{sign}0.{'0' * -point}{digits}"
    return sign + digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1}"


LIST_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]Z")


def is_list_time(value: Json) -> bool:
    """(rule list-time)"""
    return isinstance(value, str) and bool(LIST_TIME.fullmatch(value)) and is_date_time(value)


# --- 4. The signature -------------------------------------------------------------------------------------------------

ED25519_P = 2**255 - 19
ED25519_D = -121665 * pow(121666, -1, ED25519_P) % ED25519_P
ED25519_L = 2**252 + 27742317777372353535851937790883648493
P256_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
P256_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text: Json) -> bytes:
    """The one accepted spelling: no padding, no white space, unused bits zero."""
    check(isinstance(text, str) and bool(re.fullmatch(r"[A-Za-z0-9_-]*", text)), "not base64url")
    check(len(text) % 4 != 1, "not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    check(base64url(data) == text, "base64url with unused bits that are not zero")
    return data


def from_base64(text: str) -> bytes:
    """Base64 with padding (RFC 4648, section 4), in its one spelling."""
    data = base64.b64decode(text.encode("ascii"), validate=True)
    check(base64.b64encode(data).decode() == text, "not the unique base64")
    return data


def read_signature(text: bytes) -> bytes:
    """The 64 bytes of issuers.sig (rule signature-form)."""
    trimmed = text.strip(b"\t\n\f\r ").decode("utf-8")
    check(len(trimmed) == 86, "a signature has 86 characters")
    return from_base64url(trimmed)


@dataclass(frozen=True)
class PublicKey:
    algorithm: str  # "Ed25519" or "ES256"
    x: bytes
    y: bytes
    thumbprint: str

    def verifies(self, signature: bytes, data: bytes) -> bool:
        """(rule signature-algorithm, rule signature-strict)"""
        if len(signature) != 64:
            return False
        try:
            if self.algorithm == "Ed25519":
                if int.from_bytes(signature[32:], "little") >= ED25519_L:
                    return False
                # OpenSSL compares the 32 bytes of R with those of S*B - k*A: the equation without the cofactor.
                ed25519.Ed25519PublicKey.from_public_bytes(self.x).verify(signature, data)
            else:
                r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
                if not (0 < r < P256_N and 0 < s < P256_N):
                    return False
                numbers = ec.EllipticCurvePublicNumbers(
                    int.from_bytes(self.x, "big"), int.from_bytes(self.y, "big"), ec.SECP256R1()
                )
                numbers.public_key().verify(encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, ValueError):
            return False
        return True


# --- 5. The root key --------------------------------------------------------------------------------------------------

PRIVATE_MEMBERS = ("d", "p", "q", "dp", "dq", "qi", "oth", "k")


def check_ed25519_point(encoded: bytes) -> None:
    """The Ed25519 rows of (rule public-key-values)."""
    sign, y = encoded[31] >> 7, int.from_bytes(encoded, "little") & (2**255 - 1)
    check(y < ED25519_P, "an Ed25519 key is not canonical")
    square = (y * y - 1) * pow(ED25519_D * y * y + 1, -1, ED25519_P) % ED25519_P
    x = pow(square, (ED25519_P + 3) // 8, ED25519_P)
    if x * x % ED25519_P != square:
        x = x * pow(2, (ED25519_P - 1) // 4, ED25519_P) % ED25519_P
    check(x * x % ED25519_P == square and not (x == 0 and sign), "an Ed25519 key is no point of the curve")
    for _ in range(3):  # eight times the point; the sign of x makes no difference here
        product = ED25519_D * x * x * y * y
        x, y = (
            2 * x * y * pow(1 + product, -1, ED25519_P) % ED25519_P,
            (y * y + x * x) * pow(1 - product, -1, ED25519_P) % ED25519_P,
        )
    check((x, y) != (0, 1), "an Ed25519 key is a point of small order")


def read_public_key(jwk: Json) -> PublicKey:
    """A root key, a delegated key or a next_root (rule public-key)."""
    check(isinstance(jwk, dict), "a key is not an object")
    for member in PRIVATE_MEMBERS:
        check(member not in jwk, f"a key has the private member {member}")
    kind = (jwk.get("kty"), jwk.get("crv"))
    check(kind in (("OKP", "Ed25519"), ("EC", "P-256")), "a key is neither Ed25519 nor P-256")
    x = from_base64url(jwk.get("x"))
    check(len(x) == 32, "x of a key has not 32 bytes")
    if kind[0] == "OKP":
        check(jwk.get("y") is None, "an Ed25519 key has y")
        check_ed25519_point(x)
        names = {"crv": "Ed25519", "kty": "OKP", "x": jwk["x"]}
        key = PublicKey("Ed25519", x, b"", base64url(sha256(canonical(names).encode())))
    else:
        y = from_base64url(jwk.get("y"))
        check(len(y) == 32, "y of a key has not 32 bytes")
        a, b = int.from_bytes(x, "big"), int.from_bytes(y, "big")
        check(a < P256_P and b < P256_P, "a coordinate of a key is not below the prime")
        ec.EllipticCurvePublicNumbers(a, b, ec.SECP256R1()).public_key()  # ValueError if not on the curve
        names = {"crv": "P-256", "kty": "EC", "x": jwk["x"], "y": jwk["y"]}
        key = PublicKey("ES256", x, y, base64url(sha256(canonical(names).encode())))
    check(jwk.get("kid") in (None, key.thumbprint), "kid of a key is not its thumbprint")
    return key


def verify_root_key_file(body: bytes, root: PublicKey) -> None:
    """/keys/root.json is canonical, and the given key (rule root-key-file). Only auditors read this file."""
    with faults_are("ERR_ROOT_KEY_INVALID"):
        jwk = strict_json(body)
        check(read_public_key(jwk) == root, "keys/root.json is another key")
        check(set(jwk) == {"kty", "crv", "x", "kid"} | ({"y"} if root.y else set()), "keys/root.json has other members")
        check(jwk["kid"] == root.thumbprint and canonical(jwk).encode() == body, "keys/root.json is not canonical")


@dataclass(frozen=True)
class VerifierKey:
    """A key of a log or of a witness, in the form of C2SP signed-note (rule log-name, log-witnesses)."""

    name: str
    id: bytes
    key: PublicKey


def read_verifier_key(line: Json, kind: int) -> VerifierKey:
    """`kind` is 1 for a log, and 4 for a witness."""
    match = re.fullmatch(r"([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", line) if isinstance(line, str) else None
    check(match is not None and len(line) <= 512, "no verifier key")
    assert match
    data = from_base64(match[3])
    check(data[0] == kind, f"a verifier key is not of type {kind}")
    key_id = sha256(match[1].encode() + b"\n" + data)[:4]
    check(key_id.hex() == match[2], "a verifier key has another id")
    check_ed25519_point(data[1:])
    return VerifierKey(match[1], key_id, PublicKey("Ed25519", data[1:], b"", ""))


SOURCE_URL = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*)?")
LOG_ORIGIN = re.compile(r"[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~-]+)*/log")
ANCHOR_MEMBERS = {"root", "next_roots", "sources", "checkpoint", "publication", "log", "witnesses", "quorum"}
Commitment = Optional[FrozenSet[str]]


def source_url_key(url: Json) -> str:
    """A source as a URL parser writes it, without a slash at the end."""
    check(is_text(url, SOURCE_URL, 2048), "a source is no http(s) URL in ASCII without credentials, query and fragment")
    parts = urllib.parse.urlsplit(url)
    port = parts.port  # ValueError above 65535
    host = parts.hostname or ""
    check(bool(host), "a source has no host")
    if ":" in host:
        host = f"[{ipaddress.IPv6Address(host)}]"
    elif re.fullmatch(r"[0-9]+|0x[0-9a-f]*", host.rstrip(".").rpartition(".")[2]):  # IPv4 in any of its forms
        host = str(ipaddress.IPv4Address(socket.inet_aton(host.rstrip("."))))
    default = {"http": 80, "https": 443}[parts.scheme]
    path: List[str] = []
    for part in parts.path.split("/")[1:]:
        plain = re.sub("%2e", ".", part, flags=re.I)
        path = path[:-1] if plain == ".." else path if plain == "." else path + [part]
    written = f"{parts.scheme}://{host}{'' if port in (None, default) else f':{port}'}/{'/'.join(path)}"
    return written[:-1] if written.endswith("/") else written


def read_commitment(value: Json) -> FrozenSet[str]:
    """next_roots: 1 to 3 different thumbprints (rule rotation-commitment)."""
    check(isinstance(value, list) and 1 <= len(value) <= 3, "next_roots is no array of 1 to 3")
    for item in value:
        check(len(from_base64url(item)) == 32, "next_roots has an item that is no thumbprint")
    check(len(set(value)) == len(value), "next_roots repeats a thumbprint")
    return frozenset(value)


@dataclass(frozen=True)
class TrustAnchor:
    root: PublicKey
    next_roots: Commitment = None
    sources: Tuple[str, ...] = ()
    checkpoint: bool = False
    publication: bool = False
    log: Optional[str] = None
    witnesses: Tuple["VerifierKey", ...] = ()
    quorum: Optional[int] = None


def read_trust_anchor(body: bytes) -> TrustAnchor:
    """(rule trust-anchor, rule trust-anchor-closed)"""
    with faults_are("ERR_TRUST_ANCHOR_INVALID"):
        anchor = plain_json(body)
        check(isinstance(anchor, dict) and "root" in anchor, "a trust anchor is an object with root")
        check(set(anchor) <= ANCHOR_MEMBERS, f"unknown members: {sorted(set(anchor) - ANCHOR_MEMBERS)}")
        with faults_are("ERR_ROOT_KEY_INVALID"):
            root = read_public_key(anchor["root"])
        check(set(anchor["root"]) <= {"kty", "crv", "x", "y", "kid"}, "root has a member that the schema does not name")
        next_roots = read_commitment(anchor["next_roots"]) if "next_roots" in anchor else None
        check(root.thumbprint not in (next_roots or ()), "next_roots names root itself")
        sources = anchor.get("sources", [""])
        check(isinstance(sources, list) and len(sources) > 0, "sources is no array of at least one")
        if "sources" in anchor:
            check(len({source_url_key(url) for url in sources}) == len(sources), "sources repeats a URL")
        for member in ("checkpoint", "publication"):
            check(anchor.get(member, "required") == "required", f"{member} is not \"required\"")
        log = anchor.get("log")
        check("log" not in anchor or is_text(log, LOG_ORIGIN, 255), "log is no name of a log")
        lines = anchor.get("witnesses", [])
        check(isinstance(lines, list), "witnesses is no array")
        witnesses = tuple(read_verifier_key(line, 4) for line in lines)
        check(len({witness.key.x for witness in witnesses}) == len(witnesses), "witnesses repeats a key")
        quorum = anchor.get("quorum")
        check(("witnesses" in anchor) == ("quorum" in anchor), "witnesses and quorum need each other")
        if "witnesses" in anchor:
            check("log" in anchor and 1 <= len(witnesses) <= 32, "witnesses needs log, and 1 to 32 keys")
            check(type(quorum) is int and 1 <= quorum <= len(witnesses), "quorum is not 1 to the number of witnesses")
        return TrustAnchor(
            root, next_roots, tuple(anchor.get("sources", ())), "checkpoint" in anchor, "publication" in anchor,
            log, witnesses, quorum,
        )


# --- 6. Verifying a list ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IssuerList:
    updated_at: str
    sha256: str
    size: int
    records: List[Dict[str, Json]]


def verify_list(body: bytes, signature_text: bytes, root: PublicKey) -> IssuerList:
    """Steps 2 to 4 (rule verify-before-parse): nothing is parsed before the signature has been verified."""
    with faults_are("ERR_SIGNATURE_MALFORMED"):
        signature = read_signature(signature_text)
    if not root.verifies(signature, body):
        refuse("ERR_SIGNATURE_INVALID", "the root key has not signed this list")
    with faults_are("ERR_LIST_MALFORMED"):
        try:
            value = plain_json(body)
        except RecursionError:
            refuse("ERR_LIST_NONCONFORMING", "the list is nested too deep")
    with faults_are("ERR_LIST_NONCONFORMING"):  # (rule list-checks, list-form)
        check(isinstance(value, dict) and set(value) == {"issuers", "updated_at"}, "a list has issuers and updated_at")
        check(is_list_time(value["updated_at"]), "updated_at breaks its form")
        check(isinstance(value["issuers"], list), "issuers is no array")
        for record in value["issuers"]:
            check_record(record)
    with faults_are("ERR_LIST_UNSORTED"):  # (rule list-order)
        ids = [record["issuer_id"] for record in value["issuers"]]
        check(all(a < b for a, b in zip(ids, ids[1:])), "ids are out of order or repeated")
    with faults_are("ERR_LIST_NOT_CANONICAL"):
        check(canonical(value).encode() == body, "the list is not in canonical form")
    return IssuerList(value["updated_at"], sha256_hex(body), len(body), value["issuers"])


# --- 8. Freshness: delegation, checkpoint, hold -----------------------------------------------------------------------

HEX64 = re.compile(r"[0-9a-f]{64}")


def is_hash(value: Json) -> bool:
    return isinstance(value, str) and bool(HEX64.fullmatch(value))


def is_count(value: Json, most: int = MAX_INTEGER) -> bool:
    return type(value) is int and 0 <= value <= most


@dataclass(frozen=True)
class Delegation:
    iat: int
    exp: int
    may_hold: bool
    keys: Tuple[PublicKey, ...]


@dataclass(frozen=True)
class Checkpoint:
    iat: int
    exp: int
    updated_at: str
    sha256: str
    size: int
    tree_sha256: str
    sequence: Optional[int]
    hold: Tuple[str, ...]
    delegation: Optional[Delegation]


def verify_delegation(raw: bytes, root: PublicKey, clock: "Clock") -> Delegation:
    """(rule delegation-form)"""
    code = "ERR_DELEGATION_INVALID"
    jwt = read_jwt(raw, "registry-delegation+jwt", code, expires=True)
    verify_jwt(jwt, root, code)
    clock.check_times(jwt.claims, "ERR_DELEGATION_EXPIRED")
    with faults_are(code):
        check(jwt.claims.get("hold", True) is True, "hold of a delegation is not true")
        keys: Json = jwt.claims.get("keys")
        check(isinstance(keys, list) and 1 <= len(keys) <= 16, "a delegation has 1 to 16 keys")
        public = tuple(map(read_public_key, keys))
    return Delegation(jwt.claims["iat"], jwt.claims["exp"], "hold" in jwt.claims, public)


def verify_checkpoint(
    raw: bytes, get_delegation: Callable[[], Optional[bytes]], root: PublicKey, clock: "Clock"
) -> Checkpoint:
    """(rule checkpoint-signer, checkpoint-form)"""
    code = "ERR_CHECKPOINT_INVALID"
    jwt = read_jwt(raw, "registry-checkpoint+jwt", code, expires=True)
    kid = jwt.header.get("kid")
    if not isinstance(kid, str):
        refuse(code, "kid is not a string")
    signer, delegation = root, None
    if kid != root.thumbprint:  # (rule delegation-unneeded)
        delegation_raw = get_delegation()
        if delegation_raw is None:
            refuse(code, "there is no delegation for the key of the checkpoint")
        delegation = verify_delegation(delegation_raw, root, clock)
        signers = [key for key in delegation.keys if key.thumbprint == kid]
        if not signers:
            refuse(code, "the key of the checkpoint is not delegated")
        signer = signers[0]
    verify_jwt(jwt, signer, code)
    clock.check_times(jwt.claims, "ERR_CHECKPOINT_EXPIRED")
    claims = jwt.claims
    with faults_are(code):
        if delegation:  # (rule checkpoint-within-delegation)
            check(delegation.iat <= claims["iat"] <= delegation.exp, "iat is outside the delegation")
        check(is_list_time(claims.get("updated_at")), "updated_at breaks its form")
        check(is_hash(claims.get("sha256")) and is_hash(claims.get("tree_sha256")), "a hash breaks its form")
        check(is_count(claims.get("size")) and is_count(claims.get("sequence", 0)), "size or sequence is no integer")
        hold = claims.get("hold", ["none"])
        check(isinstance(hold, list) and 1 <= len(hold) <= 64 and all(map(is_issuer_id, hold)), "hold breaks its form")
        check(all(a < b for a, b in zip(hold, hold[1:])), "hold is not in ascending order")
        if "hold" in claims and delegation:  # (rule hold-permission)
            check(delegation.may_hold, "the delegation does not permit hold")
    return Checkpoint(
        claims["iat"], claims["exp"], claims["updated_at"], claims["sha256"], claims["size"], claims["tree_sha256"],
        claims.get("sequence"), tuple(claims.get("hold", ())), delegation,
    )


# --- 9. Rotation of the root key --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """A root key of a chain, and the thumbprints to which it is committed."""

    key: PublicKey
    next_roots: Commitment
    step: Optional[str] = None  # the JWT that leads to the key; None for the pinned key

    def same(self, other: "Link") -> bool:
        return self.key == other.key and self.next_roots == other.next_roots  # (rule commitment-bound)


def read_rotation(steps: Json, positions: bool = True) -> List["Jwt"]:
    """The form of all steps (rule rotation-form, rotation-read). `positions` says whether the first step is step 1."""
    code = "ERR_ROTATION_INVALID"
    with faults_are(code):
        check(isinstance(steps, list) and len(steps) <= 64, "a rotation is an array of at most 64")
        check(all(isinstance(step, str) for step in steps), "a step is not a string")
        jwts = []
        for position, text in enumerate(steps, 1):
            jwt = read_jwt(text.encode("utf-8"), "registry-root-rotation+jwt", code)
            check(isinstance(jwt.header.get("kid"), str), f"step {position} has no kid")
            given = jwt.claims.get("step", position)
            check(is_count(given) and (given == position or not positions), f"step {position} has another step")
            jwts.append(jwt)
    return jwts


def follow_rotation(jwts: Sequence["Jwt"], known: Sequence[Link], clock: "Clock") -> List[Link]:
    """The chain from the pinned key, which is the first of `known` (rule rotation-chain)."""
    places = {link.key.thumbprint: place for place, link in reversed(list(enumerate(known)))}
    first = next((n for n, jwt in enumerate(jwts) if jwt.header["kid"] in places), None)
    if first is None:
        if jwts:
            with faults_are("ERR_ROTATION_INVALID"):
                last = read_public_key(jwts[-1].claims.get("next_root"))
            if last != known[0].key:
                refuse("ERR_ROTATION_GAP", "the rotation neither begins nor ends at the pinned key")
        return [known[0]]
    chain = list(known[: places[jwts[first].header["kid"]] + 1])
    for jwt in jwts[first:]:
        before = chain[-1]
        if jwt.header["kid"] != before.key.thumbprint:
            refuse("ERR_ROTATION_GAP", "a step is not by the key before it")
        verify_jwt(jwt, before.key, "ERR_ROTATION_SIGNATURE")
        clock.check_times(jwt.claims, None)
        with faults_are("ERR_ROTATION_INVALID"):
            key = read_public_key(jwt.claims.get("next_root"))
        if any(key == link.key for link in chain):
            refuse("ERR_ROTATION_LOOP", "a step leads to a key that already occurred")
        if before.next_roots is not None and key.thumbprint not in before.next_roots:  # (rule commitment-followed)
            refuse("ERR_ROTATION_NOT_COMMITTED", "a step leads to a key to which the key before is not committed")
        next_roots = None
        if "next_roots" in jwt.claims:  # (rule commitment-form)
            with faults_are("ERR_ROTATION_INVALID"):
                next_roots = read_commitment(jwt.claims["next_roots"])
                earlier = {link.key.thumbprint for link in chain} | {key.thumbprint}
                check(not next_roots & earlier, "next_roots names this key or an earlier one")
        chain.append(Link(key, next_roots, jwt.text))
    return chain


def longest_chain(chain: List[Link], known: List[Link]) -> List[Link]:
    """All of `known` is bound: it is pinned, or in the store (rule rotation-fork)."""
    if not all(a.same(b) for a, b in zip(chain, known)):
        refuse("ERR_ROTATION_FORK", "the rotation departs from the chain that was accepted before")
    return chain if len(chain) > len(known) else known


# --- 21. The publication statement ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement:
    sequence: int
    updated_at: str
    sha256: str
    size: int
    issuers: int
    sums_sha256: str
    levels: int
    checkpoint: bool
    log: Optional["VerifierKey"]
    exp: Optional[int]
    payload: str  # in base64url
    jwt_sha256: str


def verify_statement(raw: bytes, root: PublicKey, clock: "Clock") -> Statement:
    """(rule statement-form, statement-claims)"""
    code = "ERR_PUBLICATION_INVALID"
    jwt = read_jwt(raw, "registry-publication+jwt", code)
    verify_jwt(jwt, root, code)
    clock.check_times(jwt.claims, "ERR_PUBLICATION_EXPIRED")
    claims = jwt.claims
    with faults_are(code):
        for member in ("sequence", "size", "issuers"):
            check(is_count(claims.get(member)), f"{member} is no integer from 0 to 2^53 - 1")
        check(is_list_time(claims.get("updated_at")), "updated_at breaks its form")
        check(is_hash(claims.get("sha256")) and is_hash(claims.get("sums_sha256")), "a hash breaks its form")
        check("previous" not in claims or is_hash(claims["previous"]), "previous breaks its form")
        check(is_count(claims.get("levels"), 8), "levels is no integer from 0 to 8")
        check(claims.get("checkpoint", True) is True, "checkpoint is not true")
        log = None
        if "log" in claims:  # (rule log-name)
            check(isinstance(claims["log"], dict), "log is not an object")
            origin = claims["log"].get("origin")
            check(is_text(origin, LOG_ORIGIN, 255), "log.origin is no name of a log")
            log = read_verifier_key(claims["log"].get("vkey"), 1)
            check(log.name == origin, "log.vkey has another name than log.origin")
    return Statement(
        claims["sequence"], claims["updated_at"], claims["sha256"], claims["size"], claims["issuers"],
        claims["sums_sha256"], claims["levels"], "checkpoint" in claims, log, claims.get("exp"),
        jwt.payload, sha256_hex(raw),
    )


def fits_checkpoint(statement: Statement, checkpoint: Checkpoint) -> bool:
    """(rule statement-checkpoint)"""
    if statement.sequence < (checkpoint.sequence or 0):
        return False
    listed = (statement.sha256, statement.size, statement.updated_at)
    if listed == (checkpoint.sha256, checkpoint.size, checkpoint.updated_at):
        return True
    return statement.updated_at > checkpoint.updated_at and statement.sequence != checkpoint.sequence


# --- 22. JSON and JWT -------------------------------------------------------------------------------------------------


def members_once(pairs: List[Tuple[str, Json]]) -> Dict[str, Json]:
    check(len({name for name, _ in pairs}) == len(pairs), "a member occurs twice")
    return dict(pairs)


def not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def read_number(text: str) -> Union[int, float]:
    number = float(text)  # as a double; above the limits it is infinite
    return int(number) if number.is_integer() else number


def read_strict_number(text: str) -> Union[int, float]:
    number = read_number(text)
    check(abs(number) <= MAX_INTEGER, "a number is above 2^53 - 1")
    return number


def plain_json(body: bytes) -> Json:
    """What is parsed after it was authenticated: the last of duplicate members counts."""
    return json.loads(body.decode("utf-8"), parse_int=read_number, parse_float=read_number, parse_constant=not_json)


def strict_json(body: bytes) -> Json:
    """(rule strict-json)"""
    text = body.decode("utf-8")
    depth = 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', text, re.S):  # linear, also without an end
        depth += (token[0] in "[{") - (token[0] in "]}")
        check(depth <= MAX_DEPTH, "nested deeper than 500")
    return json.loads(
        text, parse_int=read_strict_number, parse_float=read_strict_number, parse_constant=not_json,
        object_pairs_hook=members_once,
    )


@dataclass(frozen=True)
class Jwt:
    text: str
    header: Dict[str, Json]
    claims: Dict[str, Json]
    payload: str
    signed: bytes
    signature: bytes


def read_jwt(raw: bytes, typ: str, code: str, expires: bool = False) -> Jwt:
    """The JWT profile, as far as it needs no key, in its order (rule jwt-profile)."""
    with faults_are(code):
        check(len(raw) <= LIMITS["jwt"], "a JWT is larger than 16,384 bytes")
        text = raw.decode("ascii")
        parts = text.split(".")
        check(len(parts) == 3, "a JWT has three parts")
        header_bytes, payload_bytes, signature = (from_base64url(part) for part in parts)
        header = strict_json(header_bytes)
        check(isinstance(header, dict), "the header is not an object")
        check(header.get("typ") == typ, f"typ is not {typ}")
        check(header.get("alg") in ("Ed25519", "EdDSA", "ES256"), "alg is not known")
        for member in ("jku", "jwk", "x5u", "x5c", "crit", "b64"):
            check(member not in header, f"the header has {member}")
        claims = strict_json(payload_bytes)
        check(isinstance(claims, dict), "the payload is not an object")
        for member in ("iat", "exp", "nbf"):
            check(member not in claims or is_count(claims[member]), f"{member} is no integer from 0 to 2^53 - 1")
        check("iat" in claims and ("exp" in claims or not expires), "iat or exp is missing")
    return Jwt(text, header, claims, parts[1], f"{parts[0]}.{parts[1]}".encode(), signature)


def verify_jwt(jwt: Jwt, key: PublicKey, code: str) -> None:
    """The algorithm follows from the key (rule jwt-profile)."""
    if jwt.header["alg"] not in (("Ed25519", "EdDSA") if key.algorithm == "Ed25519" else ("ES256",)):
        refuse(code, "alg is not that of the key")
    if not key.verifies(jwt.signature, jwt.signed):
        refuse(code, "the signature is not by the key")


# --- 23. Limits -------------------------------------------------------------------------------------------------------

MAX_DEPTH = 500
LIMITS = {  # (rule limits)
    "jwt": 16384, "rotation": 262144, "signature": 256, "record": 65536, "list": 268435456, "sums": 262144,
    "logProof": 65536, "tile": 8192, "logEntry": 4096, "history": 1048576,
}


# --- 24. Clocks -------------------------------------------------------------------------------------------------------

TOLERANCE_MS = 300_000
DAY_MS = 86_400_000


@dataclass(frozen=True)
class Clock:
    """(rule clocks) `now_ms` None compares no times: for the past, and for the store (rule store-times).

    With `copy_max_age_ms` a source is read as an offline copy, whose statements may have expired.
    """

    now_ms: Optional[int]
    max_age_ms: int = 30 * DAY_MS
    copy_max_age_ms: Optional[int] = None

    def check_times(self, claims: Dict[str, Json], expired: Optional[str]) -> None:
        """iat and nbf, then exp. A rotation step has no code for exp: it does not expire."""
        if self.now_ms is None:
            return
        if max(claims["iat"], claims.get("nbf", 0)) * 1000 > self.now_ms + TOLERANCE_MS:
            refuse("ERR_NOT_YET_VALID", "a statement is from the future")
        if expired and "exp" in claims and self.copy_max_age_ms is None:
            if self.now_ms >= claims["exp"] * 1000 + TOLERANCE_MS:
                refuse(expired, "a statement has expired")

    def check_list_age(self, updated_at: str, checkpoint: Optional[Checkpoint], cosigned_ms: Optional[int]) -> None:
        """Step 8: in the future; without a checkpoint the maximum age (rule max-age); the age of a copy."""
        assert self.now_ms is not None
        made = date_time_ms(updated_at)
        if made > self.now_ms + TOLERANCE_MS:
            refuse("ERR_NOT_YET_VALID", "the list is from the future")
        if self.copy_max_age_ms is not None:
            since = checkpoint.iat * 1000 if checkpoint else made
            since = since if cosigned_ms is None else min(since, cosigned_ms)
            if self.now_ms > since + self.copy_max_age_ms + TOLERANCE_MS:
                refuse("ERR_LIST_EXPIRED", "the copy is older than its maximum age")
        elif checkpoint is None and self.now_ms > made + self.max_age_ms + TOLERANCE_MS:
            refuse("ERR_LIST_EXPIRED", "the list is older than the maximum age")

    def counts_cosignature(self, cosigned_ms: int) -> bool:
        if self.now_ms is None:
            return cosigned_ms <= 8_640_000_000_000_000
        if cosigned_ms > min(self.now_ms + TOLERANCE_MS, MAX_INTEGER):
            return False
        return self.copy_max_age_ms is not None or self.now_ms <= cosigned_ms + self.max_age_ms + TOLERANCE_MS

    def fresh_until_ms(self, updated_at: str, checkpoint: Optional[Checkpoint], statement: Optional[Statement],
                       cosigned_ms: Optional[int]) -> int:
        """F of the row "age of a list in use", without the grace."""
        ends = [date_time_ms(updated_at) + self.max_age_ms]
        if checkpoint:
            ends = [checkpoint.exp * 1000] + ([checkpoint.delegation.exp * 1000] if checkpoint.delegation else [])
        if statement and statement.exp is not None:
            ends.append(statement.exp * 1000)
        if cosigned_ms is not None:
            ends.append(cosigned_ms + self.max_age_ms)
        return min(ends)


# --- 29. The tree of sums ---------------------------------------------------------------------------------------------


def read_sums(body: bytes, prefix: str, leaf: bool) -> Dict[str, str]:
    """The hash of each path that a sums file lists (rule sums-form)."""
    text = body.decode("utf-8")
    check(text != "" or prefix == "", "a sums file below the root is empty")
    check(text == "" or text.endswith("\n"), "the last line has no line feed")
    listed: Dict[str, str] = {}
    last = ""
    for line in text.split("\n")[:-1]:
        match = re.fullmatch(r"([0-9a-f]{64})  ((issuers|sums)/([a-z0-9._-]+))", line)
        check(match is not None, "a line of a sums file breaks its form")
        assert match
        if leaf:
            belongs = match[3] == "issuers" and is_issuer_id(match[4]) and place_of(match[4]).startswith(prefix)
        else:
            belongs = match[3] == "sums" and bool(re.fullmatch(prefix + "[0-9a-f]", match[4]))
        check(belongs, "a line does not belong to its sums file")
        check(match[2] > last, "the lines of a sums file are not in ascending order")
        last = match[2]
        listed[last] = match[1]
    return listed


def place_of(issuer_id: str) -> str:
    """(rule sums-place)"""
    return sha256_hex(issuer_id.encode())


def prove_issuer(
    statement: Statement, issuer_id: str, fetch: Callable[[str, int, str], bytes]
) -> Tuple[Optional[Dict[str, Json]], List[str]]:
    """The record, or None if the issuer is proven to be absent, and the files that prove it (rule sums-proof).

    `fetch` returns the bytes of a path with the given limit and hash. Its bytes are not trusted.
    """
    files: List[str] = []

    def verified(path: str, limit: int, expected: str) -> bytes:
        body = fetch(path, limit, expected)
        if sha256_hex(body) != expected:
            refuse("ERR_SUMS_MISMATCH", f"{path} has another hash than the file above it names")
        files.append(path)
        return body

    expected, place = statement.sums_sha256, place_of(issuer_id)
    for depth in range(statement.levels + 1):
        prefix, leaf = place[:depth], depth == statement.levels
        body = verified(f"sums/{prefix or 'root'}", LIMITS["sums"], expected)
        with faults_are("ERR_SUMS_INVALID"):
            listed = read_sums(body, prefix, leaf)
        below = f"issuers/{issuer_id}" if leaf else f"sums/{place[: depth + 1]}"
        if below not in listed:
            return None, files
        expected = listed[below]
    body = verified(f"issuers/{issuer_id}", LIMITS["record"], expected)
    with faults_are("ERR_RECORD_INVALID"):
        record: Dict[str, Json] = plain_json(body)
        check_record(record)
        check(record["issuer_id"] == issuer_id, "the record has another id")
        check(canonical(record).encode() == body, "the record is not in canonical form")
    return record, files
