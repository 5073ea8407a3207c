# SPDX-License-Identifier: Apache-2.0
"""A verifier of a signed registry of issuers: the protocol, told a second time.

It was written from docs/protocol.md and its parts, and not from the other verifier of this project. A word such as
(#list-order) is the permanent id of a rule: docs/protocol.md#list-order says it in full.

Everything here goes from bytes to facts, without a disk, a network or a clock of its own: `client` has those. A fault
of form is a ValueError, to which whoever asked gives an error code (#error-codes) with `faults_are`. Then
it is a Refused, which is the verdict on a source or a document: no part of it is used.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import ipaddress
import json
import re
import socket
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, NoReturn, Sequence, Tuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

Json = Any

LIMITS = {  # in bytes (#limits, #other-limits)
    "statements": 1_048_576, "jwt": 16_384, "rotation": 262_144, "logProof": 65_536, "list": 268_435_456,
    "signature": 256, "sums": 262_144, "record": 65_536, "tile": 8_192,
}
MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 500
MAX_STEPS = 64
MAX_CHECKPOINT_SECONDS = 31 * 86_400  # (#checkpoint-lifetime)
DAY_MS = 86_400_000


class Refused(Exception):
    """The verdict on a source or a document, with an error code of the protocol."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


def refuse(code: str, message: str) -> NoReturn:
    raise Refused(code, message)


def check(condition: bool, fault: str) -> None:
    if not condition:
        raise ValueError(fault)


@contextmanager
def faults_are(code: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError, RecursionError) as fault:
        raise Refused(code, str(fault) or type(fault).__name__) from fault


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


# --- The forms of values ----------------------------------------------------------------------------------------------

Form = Callable[[Json], bool]
Forms = Dict[str, Form]


def check_members(value: Json, required: Forms, optional: Forms, closed: bool = True) -> None:
    """An object with the required members, each in its form. A closed one has no others but the optional ones."""
    check(isinstance(value, dict), "not an object")
    for name in required:
        check(name in value, f"{name} is missing")
    for name, item in value.items():
        form = required.get(name) or optional.get(name)
        check(form is not None or not closed, f"{name!r} is no member of this form")
        check(form is None or form(item), f"{name} breaks its form")


def text(pattern: str, most: int = 2048) -> Form:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and len(value) <= most and bool(compiled.fullmatch(value))


def one_of(*values: str) -> Form:
    return lambda value: isinstance(value, str) and value in values


def or_null(form: Form) -> Form:
    return lambda value: value is None or form(value)


def array(form: Form, least: int = 0, most: int = MAX_INTEGER) -> Form:
    """An array of different items."""
    return lambda value: (
        isinstance(value, list) and least <= len(value) <= most
        and all(map(form, value)) and len(set(value)) == len(value)
    )


def integer(least: int = 0, most: int = MAX_INTEGER) -> Form:
    """By value: the reader of JSON has made 1 of 1.0 (#jwt-profile)."""
    return lambda value: type(value) is int and least <= value <= most


def accepts(read: Callable[[Json], object]) -> Form:
    """The form of what a function can read."""

    def form(value: Json) -> bool:
        try:
            read(value)
        except ValueError:
            return False
        return True

    return form


def is_string(value: Json) -> bool:
    return isinstance(value, str)


def is_strings(value: Json) -> bool:
    return isinstance(value, list) and all(map(is_string, value))



DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)


def date_time_ms(value: Json) -> int:
    """Milliseconds since 1970 of a date-time of RFC 3339 (#date-time)."""
    match = DATE_TIME.fullmatch(value) if is_string(value) and len(value) <= 64 else None
    if match is None:
        raise ValueError("no date-time of RFC 3339")
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    offset_hour, offset_minute = int(match[9] or 0), int(match[10] or 0)
    check(hour <= 23 and minute <= 59 and second <= 60 and offset_hour <= 23 and offset_minute <= 59, "no such time")
    # The calendar repeats itself after 400 years, and `datetime` has no year 0.
    cycle, year = divmod(year, 400)
    days = datetime.date(2000 + year, month, day).toordinal() + (cycle - 5) * 146_097 - 719_163
    offset = offset_hour * 60 + offset_minute
    minutes = hour * 60 + minute + (offset if match[8] == "-" else -offset)
    check(second < 60 or minutes % 1440 == 1439, "a leap second is at 23:59:60 UTC only")
    return ((days * 1440 + minutes) * 60 + second) * 1000 + int((match[7] or "0")[:3].ljust(3, "0"))


is_count = integer()
is_hash = text("[0-9a-f]{64}")
is_date_time = accepts(date_time_ms)
has_list_time_form = text("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-5][0-9]Z")


def is_list_time(value: Json) -> bool:
    """(#list-time)"""
    return has_list_time_form(value) and is_date_time(value)


# --- JSON, base64 -----------------------------------------------------------------------------------------------------


def read_number(digits: str) -> int | float:
    number = float(digits)  # as a double; above its limits it is infinite
    return int(number) if number.is_integer() else number


def read_strict_number(digits: str) -> int | float:
    number = read_number(digits)
    check(abs(number) <= MAX_INTEGER, "a number is above 2^53 - 1")
    return number


def not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def members_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    check(len(dict(pairs)) == len(pairs), "a member occurs twice")
    return dict(pairs)


def plain_json(body: bytes) -> Json:
    """What is parsed after it was authenticated: the last of duplicate members counts (#strict-json)."""
    return json.loads(body.decode("utf-8"), parse_int=read_number, parse_float=read_number, parse_constant=not_json)


def strict_json(body: bytes) -> Json:
    """(#strict-json)"""
    decoded = body.decode("utf-8")
    depth = 0
    for token in re.finditer(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', decoded, re.S):  # a string, or a bracket
        depth += (token[0] in "[{") - (token[0] in "]}")
        check(depth <= MAX_DEPTH, "nested deeper than 500")
    return json.loads(
        decoded, parse_int=read_strict_number, parse_float=read_strict_number, parse_constant=not_json,
        object_pairs_hook=members_once,
    )


def canonical(value: Json) -> bytes:
    """The canonical form (#list-form) of what has passed a closed form of this file.

    The names of its members are ASCII, and its numbers are integers. For these, Python writes what RFC 8785 demands. A
    lone surrogate is a ValueError.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(value: Json) -> bytes:
    """Without padding, in its one spelling: the unused bits are zero (#signature-form, #jwt-profile)."""
    check(is_string(value) and bool(re.fullmatch("[A-Za-z0-9_-]*", value)) and len(value) % 4 != 1, "not base64url")
    data = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
    check(base64url(data) == value, "base64url with unused bits that are not zero")
    return data


def from_base64(value: str) -> bytes:
    """With padding (RFC 4648, section 4), in its one spelling (#log-bytes)."""
    data = base64.b64decode(value.encode("ascii"), validate=True)
    check(base64.b64encode(data).decode() == value, "not the unique base64")
    return data


def read_thumbprint(value: Json) -> str:
    check(len(from_base64url(value)) == 32, "a thumbprint has 32 bytes")
    return str(value)


# --- Records ----------------------------------------------------------------------------------------------------------

LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
PATH_CHARACTERS = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"
QUERY_CHARACTERS = r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*"
HOST_PATH_QUERY = rf"{LABEL}(?:\.{LABEL})*(?::[0-9]{{1,5}})?(?:/{PATH_CHARACTERS})?(?:\?{QUERY_CHARACTERS})?"
ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
EMAIL = rf"(?=.{{1,64}}@){ATOM}(?:\.{ATOM})*@(?:{LABEL}\.)+{LABEL}"

is_issuer_id = text(  # (#issuer-id)
    r"(?!index\Z)(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z))(?!.*\.\.)(?!.*\.(?:gz|br|html?)\Z)"
    "[a-z0-9](?:[a-z0-9._-]{0,126}[a-z0-9])?"
)
is_https_uri = text("https://" + HOST_PATH_QUERY)  # (#record-uris)
is_web_uri = text(f"https?://{HOST_PATH_QUERY}(?:#{QUERY_CHARACTERS})?")
is_slug = text(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*", 64)
is_place = text("global|[A-Z]{2}(?:-[A-Z0-9]{1,3})?")
is_tier = one_of("founding", "certified", "registered", "sandbox")

RECORD: Forms = {  # (#record-form)
    "issuer_id": is_issuer_id,
    "tier": is_tier,
    "jwks_uri": is_https_uri,
    "discovery_uri": is_https_uri,
    "status": one_of("active", "suspended", "revoked"),
    "certified_since": is_date_time,
}
RECORD_OPTIONAL: Forms = {  # a scope is absent or an array, but never null (#scope-absent)
    "policy_uri": or_null(is_web_uri),
    "last_audit": or_null(is_date_time),
    "geographical_scope": array(is_place),
    "domain_scope": array(is_slug),
    "passport_types": array(is_slug),
    "contact": or_null(text(EMAIL, 254)),
}


# --- Keys and signatures ----------------------------------------------------------------------------------------------

ED25519_P = 2**255 - 19
ED25519_D = -121665 * pow(121666, -1, ED25519_P) % ED25519_P
ED25519_L = 2**252 + 27742317777372353535851937790883648493
Y_OF_ORDER_8 = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
SMALL_ORDER_YS = (1, ED25519_P - 1, 0, Y_OF_ORDER_8, ED25519_P - Y_OF_ORDER_8)  # of the orders 1, 2, 4 and 8
P256_P = 2**256 - 2**224 + 2**192 + 2**96 - 1
P256_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@dataclass(frozen=True)
class PublicKey:
    algorithm: str  # "Ed25519" or "ES256"
    x: bytes
    y: bytes
    thumbprint: str

    def verifies(self, signature: bytes, data: bytes) -> bool:
        """The algorithm follows from the key (#signature-algorithm, #signature-strict)."""
        try:
            check(len(signature) == 64, "not 64 bytes")
            if self.algorithm == "Ed25519":
                check(int.from_bytes(signature[32:], "little") < ED25519_L, "S is not below L")
                # OpenSSL compares the 32 bytes of R with those of S*B - k*A: the equation without the cofactor.
                ed25519.Ed25519PublicKey.from_public_bytes(self.x).verify(signature, data)
            else:
                r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
                check(0 < r < P256_N and 0 < s < P256_N, "r or s is out of range")
                p256_key(self.x, self.y).verify(encode_dss_signature(r, s), data, ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, ValueError):
            return False
        return True


def p256_key(x: bytes, y: bytes) -> ec.EllipticCurvePublicKey:
    """ValueError, if the point is not on the curve."""
    numbers = ec.EllipticCurvePublicNumbers(int.from_bytes(x, "big"), int.from_bytes(y, "big"), ec.SECP256R1())
    return numbers.public_key()


def check_ed25519_point(encoded: bytes) -> None:
    """The rows of Ed25519 (#public-key-values)."""
    y = int.from_bytes(encoded, "little") % 2**255  # without the sign of x
    check(y < ED25519_P, "an Ed25519 key is not canonical")
    check(y not in SMALL_ORDER_YS, "an Ed25519 key is a point of small order")
    x_squared = (y * y - 1) * pow(ED25519_D * y * y + 1, -1, ED25519_P)
    check(pow(x_squared, (ED25519_P - 1) // 2, ED25519_P) == 1, "an Ed25519 key is no point of the curve")


def read_public_key(jwk: Json) -> PublicKey:
    """A root key, an online key, or a `next_root` (#public-key, #public-key-values)."""
    check(isinstance(jwk, dict), "a key is not an object")
    for member in ("d", "p", "q", "dp", "dq", "qi", "oth", "k"):
        check(jwk.get(member) is None, f"a key has the private member {member}")
    kind = (jwk.get("kty"), jwk.get("crv"))
    check(kind in (("OKP", "Ed25519"), ("EC", "P-256")), "a key is neither Ed25519 nor P-256")
    named = {"kty": jwk["kty"], "crv": jwk["crv"], "x": jwk.get("x")}
    x, y = from_base64url(jwk.get("x")), b""
    check(len(x) == 32, "x of a key has not 32 bytes")
    if kind[0] == "OKP":
        check(jwk.get("y") is None, "an Ed25519 key has y")
        check_ed25519_point(x)
    else:
        named["y"] = jwk.get("y")
        y = from_base64url(jwk.get("y"))
        check(len(y) == 32, "y of a key has not 32 bytes")
        check(max(int.from_bytes(x, "big"), int.from_bytes(y, "big")) < P256_P, "a coordinate is not below the prime")
        p256_key(x, y)
    thumbprint = base64url(sha256(canonical(named)))
    check(jwk.get("kid") in (None, thumbprint), "kid of a key is not its thumbprint")
    return PublicKey("Ed25519" if kind[0] == "OKP" else "ES256", x, y, thumbprint)


def read_signature(body: bytes) -> bytes:
    """The 64 bytes of issuers.sig (#signature-form)."""
    signature = from_base64url(body.decode("utf-8").strip("\t\n\f\r "))
    check(len(signature) == 64, "a signature has 86 characters")
    return signature


@dataclass(frozen=True)
class VerifierKey:
    """The key of a log or of a witness (#log-name, #log-witnesses)."""

    name: str
    id: bytes
    key: PublicKey


TYPE_LOG, TYPE_WITNESS = 1, 4


def read_verifier_key(line: Json, kind: int) -> VerifierKey:
    match = re.fullmatch(r"([!-*,-~]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})", line) if is_string(line) else None
    if match is None or len(line) > 512:
        raise ValueError("no verifier key")
    name, data = match[1], from_base64(match[3])
    check(data[0] == kind, f"a verifier key is not of type {kind}")
    key_id = sha256(name.encode() + b"\n" + data)[:4]
    check(key_id.hex() == match[2], "a verifier key has another id")
    check_ed25519_point(data[1:])
    return VerifierKey(name, key_id, PublicKey("Ed25519", data[1:], b"", ""))


# --- The trust anchor -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TrustAnchor:
    """What a verifier pins of a registry (#trust-anchor)."""

    root: PublicKey
    next_roots: frozenset[str] | None = None
    sources: tuple[str, ...] = ()
    log: str | None = None
    witnesses: tuple[VerifierKey, ...] = ()
    quorum: int | None = None


def read_commitment(value: Json) -> frozenset[str]:
    """The thumbprints of 1 to 3 keys, of which one comes next (#rotation-commitment)."""
    check(array(accepts(read_thumbprint), 1, 3)(value), "next_roots is no array of 1 to 3 different thumbprints")
    return frozenset(value)


def source_key(url: str) -> str:
    """A source as the URL parser of WHATWG writes it, without one slash at the end (#trust-anchor).

    A ValueError or an OSError, if there is no such URL. All characters have passed `is_source_url`.
    """
    parts = urllib.parse.urlsplit(url)
    check(re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:[0-9]*)?", parts.netloc) is not None, "no host and port")
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{ipaddress.IPv6Address(host)}]"
    elif re.fullmatch("[0-9]+|0x[0-9a-f]*", host.removesuffix(".").rpartition(".")[2]):  # IPv4, in any of its spellings
        host = str(ipaddress.IPv4Address(socket.inet_aton(host.removesuffix("."))))
    port = "" if parts.port in (None, {"http": 80, "https": 443}[parts.scheme]) else f":{parts.port}"
    path, dots = [""], ""
    for part in parts.path.split("/")[1:]:
        dots = part.lower().replace("%2e", ".")
        if dots == "..":
            path = path[:-1] or path
        elif dots != ".":
            path.append(part)
    if dots in (".", ".."):
        path.append("")
    return f"{parts.scheme}://{host}{port}{'/'.join(path)}".removesuffix("/")


is_log_origin = text(r"[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~-]+)*/log", 255)
is_source_url = text(r"https?://[A-Za-z0-9.:\[\]-]+(?:/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*)?")

ANCHOR: Forms = {"root": lambda root: set(root) <= {"kty", "crv", "x", "y", "kid"}}
ANCHOR_OPTIONAL: Forms = {
    "next_roots": accepts(read_commitment),
    "sources": array(is_source_url, 1),
    "log": is_log_origin,
    "witnesses": array(accepts(lambda line: read_verifier_key(line, TYPE_WITNESS)), 1, 32),
    "quorum": integer(1, 32),
}


def read_trust_anchor(body: bytes) -> TrustAnchor:
    """(#trust-anchor, #trust-anchor-closed)"""
    with faults_are("ERR_TRUST_ANCHOR_INVALID"):
        anchor = strict_json(body)
        check(isinstance(anchor, dict) and "root" in anchor, "a trust anchor is an object with root")
        with faults_are("ERR_ROOT_KEY_INVALID"):
            root = read_public_key(anchor["root"])
        check_members(anchor, ANCHOR, ANCHOR_OPTIONAL)
        check(root.thumbprint not in anchor.get("next_roots", ()), "next_roots names root itself")
        sources = tuple(anchor.get("sources", ()))
        check(len(set(map(source_key, sources))) == len(sources), "sources has a URL twice")
        check(("witnesses" in anchor) == ("quorum" in anchor), "witnesses and quorum need each other")
        check("witnesses" not in anchor or "log" in anchor, "witnesses needs log")
        witnesses = tuple(read_verifier_key(line, TYPE_WITNESS) for line in anchor.get("witnesses", ()))
        check(len({witness.key.x for witness in witnesses}) == len(witnesses), "witnesses has a key twice")
        check(anchor.get("quorum", 0) <= len(witnesses), "quorum is above the number of witnesses")
    return TrustAnchor(
        root, read_commitment(anchor["next_roots"]) if "next_roots" in anchor else None, sources,
        anchor.get("log"), witnesses, anchor.get("quorum"),
    )


# --- The list ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class IssuerList:
    updated_at: str
    sha256: str
    records: list[dict[str, Json]]
    body: bytes


def verify_list(body: bytes, signature: bytes, root: PublicKey) -> IssuerList:
    """For a list verifier: nothing is parsed before the signature has been verified (#verify-before-parse)."""
    with faults_are("ERR_SIGNATURE_MALFORMED"):
        raw = read_signature(signature)
    if not root.verifies(raw, body):
        refuse("ERR_SIGNATURE_INVALID", "the root key has not signed this list")
    return read_list(body)


def read_list(body: bytes) -> IssuerList:
    """The form of a list that has been authenticated (#list-checks, #list-hash)."""
    with faults_are("ERR_LIST_MALFORMED"):
        try:
            value = plain_json(body)
        except RecursionError:
            refuse("ERR_LIST_NONCONFORMING", "the list is nested too deep")
    with faults_are("ERR_LIST_NONCONFORMING"):
        check_members(value, {"issuers": lambda records: isinstance(records, list), "updated_at": is_list_time}, {})
        for record in value["issuers"]:
            check_members(record, RECORD, RECORD_OPTIONAL)
    with faults_are("ERR_LIST_UNSORTED"):  # (#list-order)
        ids = [record["issuer_id"] for record in value["issuers"]]
        check(all(one < next_one for one, next_one in zip(ids, ids[1:])), "ids are out of order or repeated")
    with faults_are("ERR_LIST_NOT_CANONICAL"):  # (#list-form)
        check(canonical(value) == body, "the list is not in canonical form")
    return IssuerList(value["updated_at"], sha256(body).hex(), value["issuers"], body)


# --- Trust policies ---------------------------------------------------------------------------------------------------

NAMED_ISSUER: Forms = {"issuer_id": is_issuer_id, "reason": lambda value: is_string(value) and 1 <= len(value) <= 500}


def are_named_issuers(value: Json) -> bool:
    return isinstance(value, list) and all(map(accepts(lambda item: check_members(item, NAMED_ISSUER, {})), value))


POLICY_OPTIONAL: Forms = {
    "domains": array(is_slug), "geography": array(is_place), "passport_types": array(is_slug),
    "min_certified_days": integer(0, 36_500), "max_audit_days": integer(0, 36_500),
    "allow": are_named_issuers, "deny": are_named_issuers,
}


def is_trusted(record: dict[str, Json] | None, hold: Sequence[str], policy: Json, now_ms: int) -> bool:
    """What a trust policy decides of an issuer (#status-rejected, #policy-rules). Without a policy: any active one."""
    if policy is not None:
        with faults_are("ERR_POLICY_INVALID"):
            check_members(policy, {"tiers": array(is_tier)}, POLICY_OPTIONAL)
    if record is None or record["status"] != "active" or record["issuer_id"] in hold:
        return False
    if policy is None:
        return True
    denied, allowed = ({entry["issuer_id"] for entry in policy.get(name, ())} for name in ("deny", "allow"))
    if record["issuer_id"] in denied:
        return False
    return record["issuer_id"] in allowed or meets_requirements(record, policy, now_ms)


def meets_requirements(record: dict[str, Json], policy: dict[str, Json], now_ms: int) -> bool:
    """(#policy-rules, #scope-absent, #other-clocks)"""
    if record["tier"] not in policy["tiers"]:
        return False
    places = [each for place in policy.get("geography", ()) for each in (place, place[:2], "global")]
    wanted = {**policy, "geography": places}
    for name, scope in ("domains", "domain_scope"), ("geography", "geographical_scope"), ("passport_types",) * 2:
        if name in policy and not set(wanted[name]) & set(record.get(scope, ())):
            return False
    if now_ms - date_time_ms(record["certified_since"]) < policy.get("min_certified_days", -MAX_INTEGER) * DAY_MS:
        return False
    audit = record.get("last_audit")
    is_audited = audit is not None and 0 <= now_ms - date_time_ms(audit) <= policy.get("max_audit_days", 0) * DAY_MS
    return is_audited or "max_audit_days" not in policy


# --- JWT --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Jwt:
    text: str
    header: dict[str, Json]
    claims: dict[str, Json]
    signature: bytes

    @property
    def signing_input(self) -> bytes:
        return self.text.rpartition(".")[0].encode()

    @property
    def hash(self) -> str:
        """Two signatures over one signing input are one statement (#statement-hash)."""
        return sha256(self.signing_input).hex()

    def verify(self, key: PublicKey, code: str) -> None:
        """The algorithm is that of the key (#jwt-profile)."""
        if self.header["alg"] not in (("Ed25519", "EdDSA") if key.algorithm == "Ed25519" else ("ES256",)):
            refuse(code, "alg is not that of the key")
        if not key.verifies(self.signature, self.signing_input):
            refuse(code, "the signature is not by the key")


TIMES: Forms = {"iat": is_count, "exp": is_count, "nbf": is_count}


def read_jwt(text: str, typ: str, code: str, needs: Sequence[str] = ("iat",)) -> Jwt:
    """The profile as far as it needs no key, in its order (#jwt-profile). `needs` has the times that are required."""
    with faults_are(code):
        check(bytes_of(text) <= LIMITS["jwt"], "a JWT is larger than 16,384 bytes")
        parts = text.split(".")
        check(len(parts) == 3, "a JWT has three parts")
        header_bytes, claims_bytes, signature = map(from_base64url, parts)
        header = strict_json(header_bytes)
        check_members(header, {"typ": one_of(typ), "alg": one_of("Ed25519", "EdDSA", "ES256")}, {}, closed=False)
        for member in ("jku", "jwk", "x5u", "x5c", "crit", "b64"):
            check(member not in header, f"the header has {member}")
        claims = strict_json(claims_bytes)
        check_members(claims, {time: TIMES[time] for time in needs}, TIMES, closed=False)
    return Jwt(text, header, claims, signature)


def bytes_of(text: str) -> int:
    """How many bytes a text of strict JSON has: it may have lone surrogates (#strict-json, #limits)."""
    return len(text.encode("utf-8", "surrogatepass"))


# --- Clocks -----------------------------------------------------------------------------------------------------------

TOLERANCE_MS = 300_000
LAST_INSTANT_MS = 8_640_000_000_000_000
COSIGNATURE_AGE_MS = 30 * DAY_MS  # (#log-quorum)


@dataclass(frozen=True)
class Clock:
    """The comparisons of times, in milliseconds (#clocks, #other-clocks).

    Without `now_ms`, no times are compared: for the past, and for what a client has stored (#store-times). With
    `copy_max_age_ms`, a source is read as an offline copy, whose statements may have expired.
    """

    now_ms: int | None
    grace_ms: int = 3_600_000
    copy_max_age_ms: int | None = None

    def check_times(self, claims: dict[str, Json], expires: bool = False) -> None:
        """`iat` and `nbf`, then `exp` of what expires."""
        if self.now_ms is None:
            return
        if max(claims["iat"], claims.get("nbf", 0)) * 1000 > self.now_ms + TOLERANCE_MS:
            refuse("ERR_NOT_YET_VALID", "a statement is from the future")
        if expires and self.copy_max_age_ms is None and self.now_ms >= claims["exp"] * 1000 + TOLERANCE_MS:
            refuse("ERR_CHECKPOINT_EXPIRED", "the checkpoint has expired")

    def check_age(self, updated_at: str, checkpoint: Checkpoint, cosigned_ms: int | None) -> None:
        """Step 9: not from the future; and a copy is no older than its maximum age (#other-clocks)."""
        if self.now_ms is None:
            return
        if date_time_ms(updated_at) > self.now_ms + TOLERANCE_MS:
            refuse("ERR_NOT_YET_VALID", "the list is from the future")
        if self.copy_max_age_ms is not None:
            since = checkpoint.iat * 1000
            since = since if cosigned_ms is None else min(since, cosigned_ms)
            if self.now_ms > since + self.copy_max_age_ms + TOLERANCE_MS:
                refuse("ERR_LIST_EXPIRED", "the copy is older than its maximum age")

    def check_use(self, fresh_until_ms: int) -> None:
        """Whether a list that was accepted earlier may be used, although no source confirms it."""
        if self.now_ms is not None and self.now_ms > fresh_until_ms + self.grace_ms + TOLERANCE_MS:
            refuse("ERR_REGISTRY_STALE", "the list in use is too old")

    def counts(self, cosigned_ms: int) -> bool:
        """Whether a cosignature of this time counts (#log-quorum)."""
        if self.now_ms is None:
            return cosigned_ms <= LAST_INSTANT_MS
        if cosigned_ms > min(self.now_ms + TOLERANCE_MS, MAX_INTEGER):
            return False
        return self.copy_max_age_ms is not None or self.now_ms <= cosigned_ms + COSIGNATURE_AGE_MS + TOLERANCE_MS


NO_CLOCK = Clock(None)


# --- The rotation of the root key -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Link:
    """A root key of a chain, and the thumbprints to which it is committed, if it is."""

    key: PublicKey
    next_roots: frozenset[str] | None


Chain = Tuple[Link, ...]


def pinned_chain(anchor: TrustAnchor) -> Chain:
    return (Link(anchor.root, anchor.next_roots),)


def read_steps(steps: Sequence[Json]) -> list[Jwt]:
    """The form of all steps (#rotation-form, #rotation-read)."""
    code = "ERR_ROTATION_INVALID"
    with faults_are(code):
        check(len(steps) <= MAX_STEPS and all(map(is_string, steps)), f"no more than {MAX_STEPS} steps, all of them strings")
        check(sum(map(bytes_of, steps)) <= LIMITS["rotation"], "the steps are larger than 262,144 bytes together")
    jwts = []
    for position, step in enumerate(steps, 1):
        jwt = read_jwt(step, "registry-root-rotation+jwt", code)
        with faults_are(code):
            check(is_string(jwt.header.get("kid")), f"step {position} has no kid")
            check(integer(position, position)(jwt.claims.get("step", position)), f"step {position} has another step")
        jwts.append(jwt)
    return jwts


def follow_rotation(steps: Sequence[Jwt], known: Chain, clock: Clock) -> Chain:
    """The chain from the pinned key, which is the first of `known` (#rotation-chain)."""
    known_kids = [link.key.thumbprint for link in known]
    start = next((at for at, step in enumerate(steps) if step.header["kid"] in known_kids), None)
    if start is None:
        if steps and read_next_root(steps[-1]) != known[0].key:
            refuse("ERR_ROTATION_GAP", "the rotation neither begins nor ends at the pinned key")
        return known[:1]
    chain = known[: known_kids.index(steps[start].header["kid"]) + 1]
    for step in steps[start:]:
        chain += (follow_step(step, chain, clock),)
    return chain


def follow_step(step: Jwt, chain: Chain, clock: Clock) -> Link:
    before = chain[-1]
    if step.header["kid"] != before.key.thumbprint:
        refuse("ERR_ROTATION_GAP", "a step is not by the key before it")
    step.verify(before.key, "ERR_ROTATION_SIGNATURE")
    clock.check_times(step.claims)
    key = read_next_root(step)
    if any(key == link.key for link in chain):
        refuse("ERR_ROTATION_LOOP", "a step leads to a key that already occurred")
    if before.next_roots is not None and key.thumbprint not in before.next_roots:  # (#commitment-followed)
        refuse("ERR_ROTATION_NOT_COMMITTED", "a step leads to a key to which the key before is not committed")
    next_roots = None
    if "next_roots" in step.claims:  # (#commitment-form)
        with faults_are("ERR_ROTATION_INVALID"):
            next_roots = read_commitment(step.claims["next_roots"])
            earlier = {link.key.thumbprint for link in chain} | {key.thumbprint}
            check(not next_roots & earlier, "next_roots has this key, or an earlier one")
    return Link(key, next_roots)


def read_next_root(step: Jwt) -> PublicKey:
    with faults_are("ERR_ROTATION_INVALID"):
        return read_public_key(step.claims.get("next_root"))


def longest_chain(chain: Chain, known: Chain) -> Chain:
    """All of `known` is bound: pinned, or shown before (#rotation-fork, #commitment-bound, #rotation-replaced)."""
    if any((one.key, one.next_roots) != (other.key, other.next_roots) for one, other in zip(chain, known)):
        refuse("ERR_ROTATION_FORK", "the rotation departs from the chain that was accepted before")
    return max(known, chain, key=len)


# --- The file of statements -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statements:
    """The members of statements.json (#statements-file). They are not verified yet."""

    publication: str
    checkpoint: str
    rotation: tuple[Json, ...]
    log_proof: str | None


STATEMENTS: Forms = {"publication": is_string, "checkpoint": is_string}
STATEMENTS_OPTIONAL: Forms = {"rotation": lambda steps: isinstance(steps, list) and all(map(is_string, steps)), "log_proof": is_string}


def read_statements(body: bytes) -> Statements:
    """Step 2. What is wrong within a member has the code of its own rule (#statements-file)."""
    with faults_are("ERR_STATEMENTS_INVALID"):
        value = strict_json(body)
        check_members(value, STATEMENTS, STATEMENTS_OPTIONAL, closed=False)
    return Statements(
        value["publication"], value["checkpoint"], tuple(value.get("rotation", ())), value.get("log_proof")
    )


# --- Checkpoint, hold -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OnlineKeys:
    """The keys that may sign checkpoints (#online-keys)."""

    keys: tuple[PublicKey, ...]
    exp: int
    may_hold: bool


@dataclass(frozen=True)
class Checkpoint:
    iat: int
    exp: int
    hold: tuple[str, ...]


CHECKPOINT: Forms = {"publication": is_hash, "tree_sha256": is_hash}
CHECKPOINT_OPTIONAL: Forms = {
    "hold": lambda ids: array(is_issuer_id, 1, 64)(ids) and bool(ids == sorted(ids)),
}


ONLINE_KEYS: Forms = {
    "keys": lambda keys: isinstance(keys, list) and 1 <= len(keys) <= 16, "exp": is_count,
    "hold": lambda hold: isinstance(hold, bool),
}


def read_online_keys(claim: Json) -> OnlineKeys:
    """(#online-keys)"""
    check_members(claim, ONLINE_KEYS, {}, closed=False)
    return OnlineKeys(tuple(map(read_public_key, claim["keys"])), claim["exp"], claim["hold"])


def verify_checkpoint(text: str, root: PublicKey, publication: Publication, clock: Clock) -> Checkpoint:
    """Step 5: by the root key, or by an online key (#checkpoint-signer, #checkpoint-form, #hold)."""
    code, online = "ERR_CHECKPOINT_INVALID", publication.online
    jwt = read_jwt(text, "registry-checkpoint+jwt", code, ("iat", "exp"))
    kid: Json = jwt.header.get("kid")
    if not is_string(kid):
        refuse(code, "kid is not a string")
    signer, by_online = root, None
    if kid != root.thumbprint:
        signers = [key for key in online.keys if key.thumbprint == kid] if online else []
        if not signers:
            refuse(code, "the key of the checkpoint is neither the root key nor an online key")
        signer, by_online = signers[0], online
    jwt.verify(signer, code)
    clock.check_times(jwt.claims, expires=True)
    claims = jwt.claims
    with faults_are(code):
        check_members(claims, CHECKPOINT, CHECKPOINT_OPTIONAL, closed=False)
        # (#checkpoint-lifetime)
        check(claims["exp"] - claims["iat"] <= MAX_CHECKPOINT_SECONDS, "the checkpoint is valid for too long")
        if by_online:
            check(claims["iat"] <= by_online.exp, "iat is after the time of the online keys")  # (#checkpoint-online)
            check(by_online.may_hold or "hold" not in claims, "online keys may not hold")  # (#hold-permission)
    if claims["publication"] != publication.hash:  # (#statement-checkpoint)
        refuse("ERR_CHECKPOINT_MISMATCH", "the checkpoint is for another publication")
    return Checkpoint(claims["iat"], claims["exp"], tuple(claims.get("hold", ())))


# --- The publication statement ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Publication:
    hash: str
    updated_at: str
    sha256: str
    size: int
    sequence: int
    issuers: int
    sums_sha256: str
    levels: int
    log: VerifierKey | None
    online: OnlineKeys | None


PUBLICATION: Forms = {
    "sequence": is_count, "updated_at": is_list_time, "sha256": is_hash, "size": is_count, "issuers": is_count,
    "sums_sha256": is_hash, "levels": integer(0, 8),
}
PUBLICATION_OPTIONAL: Forms = {
    "previous": lambda hashes: isinstance(hashes, list) and 1 <= len(hashes) <= 16 and all(map(is_hash, hashes)),
    "log": lambda log: bool(read_log_claim(log)),
    "online": lambda online: bool(read_online_keys(online)),
}


def verify_publication(text: str, root: PublicKey, clock: Clock) -> Publication:
    """Step 4 (#statement-form, #statement-claims)."""
    code = "ERR_PUBLICATION_INVALID"
    jwt = read_jwt(text, "registry-publication+jwt", code)
    jwt.verify(root, code)
    clock.check_times(jwt.claims)
    claims = jwt.claims
    with faults_are(code):
        check_members(claims, PUBLICATION, PUBLICATION_OPTIONAL, closed=False)
    return Publication(
        jwt.hash, claims["updated_at"], claims["sha256"], claims["size"], claims["sequence"], claims["issuers"],
        claims["sums_sha256"], claims["levels"],
        read_log_claim(claims["log"]) if "log" in claims else None,
        read_online_keys(claims["online"]) if "online" in claims else None,
    )


def read_log_claim(claim: Json) -> VerifierKey:
    """(#log-name)"""
    check_members(claim, {"origin": is_log_origin, "vkey": is_string}, {}, closed=False)
    key = read_verifier_key(claim["vkey"], TYPE_LOG)
    check(key.name == claim["origin"], "log.vkey has another name than log.origin")
    return key


# --- One issuer, from the tree of sums --------------------------------------------------------------------------------


def place_of(issuer_id: str) -> str:
    """(#sums-place)"""
    return sha256(issuer_id.encode()).hex()


def read_sums(body: bytes, prefix: str, is_leaf: bool) -> dict[str, str]:
    """The hash of each path that a sums file names (#sums-form)."""
    decoded = body.decode("utf-8")
    check(decoded != "" or prefix == "", "a sums file below the root is empty")
    check(decoded == "" or decoded.endswith("\n"), "the last line has no line feed")
    listed: dict[str, str] = {}
    before = ""
    for line in decoded.split("\n")[:-1]:
        match = re.fullmatch(r"([0-9a-f]{64})  ((issuers|sums)/([a-z0-9._-]+))", line)
        if match is None:
            raise ValueError("a line of a sums file breaks its form")
        digest, path, folder, name = match.groups()
        if is_leaf:
            belongs = folder == "issuers" and is_issuer_id(name) and place_of(name).startswith(prefix)
        else:
            belongs = folder == "sums" and bool(re.fullmatch(f"{prefix}[0-9a-f]", name))
        check(belongs, "a line does not belong to its sums file")
        check(path > before, "the lines of a sums file are not in ascending order")
        listed[path] = digest
        before = path
    return listed


Fetch = Callable[[str, int, str], bytes]


def prove_issuer(publication: Publication, issuer_id: str, fetch: Fetch) -> dict[str, Json] | None:
    """The record, or None if the issuer is proven not to be in the list (#sums-proof, #tree-of-sums).

    `fetch` returns the bytes of a path, with the given limit and hash. Its bytes are not trusted.
    """

    def verified(path: str, limit: int, digest: str) -> bytes:
        body = fetch(path, limit, digest)
        if sha256(body).hex() != digest:
            refuse("ERR_SUMS_MISMATCH", f"{path} has another hash than the file above it names")
        return body

    digest, place, record_path = publication.sums_sha256, place_of(issuer_id), f"issuers/{issuer_id}"
    for depth in range(publication.levels + 1):
        prefix, is_leaf = place[:depth], depth == publication.levels
        body = verified(f"sums/{prefix or 'root'}", LIMITS["sums"], digest)
        with faults_are("ERR_SUMS_INVALID"):
            listed = read_sums(body, prefix, is_leaf)
        path = record_path if is_leaf else f"sums/{place[: depth + 1]}"
        if path not in listed:
            return None
        digest = listed[path]
    body = verified(record_path, LIMITS["record"], digest)
    with faults_are("ERR_RECORD_INVALID"):
        record: dict[str, Json] = plain_json(body)
        check_members(record, RECORD, RECORD_OPTIONAL)
        check(record["issuer_id"] == issuer_id, "the record has another id")
        check(canonical(record) == body, "the record is not in canonical form")
    return record


# --- The log: heads and proofs ----------------------------------------------------------------------------------------


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry)  # (#log-bytes)


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right)


def left_size(size: int) -> int:
    """The left subtree of several hashes has the largest power of two below their number."""
    return 1 << ((size - 1).bit_length() - 1)


@dataclass(frozen=True)
class Head:
    origin: str
    size: int
    root: bytes
    signed: bytes  # the text that the log and the witnesses sign
    lines: tuple[tuple[str, bytes], ...]  # of each signature line the name, and the id of the key with the signature


def read_index(line: str) -> int:
    check(bool(re.fullmatch("0|[1-9][0-9]{0,15}", line)) and int(line) <= MAX_INTEGER, "no integer from 0 to 2^53 - 1")
    return int(line)


def read_hash(line: str) -> bytes:
    data = from_base64(line)
    check(len(data) == 32, "a hash has 32 bytes")
    return data


def read_signature_line(line: str) -> tuple[str, bytes]:
    match = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/]+={0,2})", line)
    if match is None:
        raise ValueError("a signature line breaks its form")
    data = from_base64(match[2])
    check(len(data) > 4, "a signature line has no signature")
    return match[1], data


def read_head(note: str) -> Head:
    """(#log-files, #log-bytes)"""
    check(not re.search(r"[\x00-\x09\x0b-\x1f]", note), "a head has control characters")
    signed, gap, signatures = note.partition("\n\n")
    check(gap != "" and signatures.endswith("\n"), "a head is text, an empty line, and lines that end")
    head, lines = signed.split("\n"), signatures.split("\n")[:-1]
    check(len(head) >= 3 and all(head), "a head has three lines or more, and none is empty")
    check(1 <= len(lines) <= 100, "a head has 1 to 100 signature lines")
    return Head(
        head[0], read_index(head[1]), read_hash(head[2]), f"{signed}\n".encode(), tuple(map(read_signature_line, lines))
    )


@dataclass(frozen=True)
class LogProof:
    index: int
    path: list[bytes]
    head: Head


def read_log_proof(text: str) -> LogProof:
    """(#log-proof, step 2)"""
    check(len(text.encode()) <= LIMITS["logProof"], "a proof is larger than 65,536 bytes")
    first, _, rest = text.partition("\n")
    check(first == "c2sp.org/tlog-proof@v1", "no tlog-proof")
    if rest.startswith("extra "):
        extra, _, rest = rest.partition("\n")
        from_base64(extra.removeprefix("extra "))
    proof, gap, note = rest.partition("\n\n")
    index, *path = proof.split("\n")
    check(gap != "" and index.startswith("index "), "a proof has an index, hashes, an empty line and a head")
    check(len(path) <= 63, "a proof has more than 63 hashes")
    return LogProof(read_index(index.removeprefix("index ")), list(map(read_hash, path)), read_head(note))


def climb(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """The root to which an inclusion proof leads."""
    if size == 1:
        check(not path, "the proof has too many hashes")
        return leaf
    check(len(path) > 0, "the proof has too few hashes")
    *below, sibling = path
    half = left_size(size)
    if index < half:
        return node_hash(climb(leaf, index, half, below), sibling)
    return node_hash(sibling, climb(leaf, index - half, size - half, below))


def entry_of(publication: Publication) -> bytes:
    """The verifier makes the entry from the publication that it has verified (#log-entries)."""
    return canonical({
        "type": "publication", "list": publication.sha256, "sequence": publication.sequence,
        "sha256": publication.hash, "updated_at": publication.updated_at,
    })


@dataclass(frozen=True)
class Logged:
    """A proof that was accepted."""

    text: str
    head: Head
    cosigned: dict[bytes, int]  # the newest cosignatures that make up the quorum: their times in seconds, by public key

    @property
    def quorum_ms(self) -> int | None:
        """The oldest of the cosignatures that the quorum counts (C in #clocks)."""
        return min(self.cosigned.values()) * 1000 if self.cosigned else None


def verify_log_proof(text: str | None, publication: Publication, anchor: TrustAnchor, clock: Clock) -> Logged:
    """Steps 1 to 6 (#log-proof, #log-quorum)."""
    with faults_are("ERR_NOT_LOGGED"):
        log = publication.log
        if log is None or log.name != anchor.log:
            raise ValueError("the publication does not name this log")
        if text is None:
            raise ValueError("there is no proof")
        proof = read_log_proof(text)
        head = proof.head
        check(head.origin == anchor.log, "the head has another origin")
        own = [data[4:] for name, data in head.lines if (name, data[:4]) == (log.name, log.id)]
        check(bool(own), "the log has not signed the head")
        check(all(log.key.verifies(one, head.signed) for one in own), "a signature of the log is wrong")
        check(proof.index < head.size, "the index is not in the log")
        root = climb(leaf_hash(entry_of(publication)), proof.index, head.size, proof.path)
        check(root == head.root, "the proof does not lead to the root of the head")
        check(proof.index == head.size - 1, "the publication is not the last entry")
    quorum = anchor.quorum or 0
    cosigned = newest_cosignatures(head, anchor.witnesses, clock)
    if len(cosigned) < quorum:
        refuse("ERR_TOO_FEW_COSIGNATURES", f"{len(cosigned)} witnesses have cosigned, {quorum} are required")
    newest = sorted(cosigned.items(), key=lambda one: -one[1])[:quorum]
    return Logged(text, head, dict(newest))


def newest_cosignatures(head: Head, witnesses: Sequence[VerifierKey], clock: Clock) -> dict[bytes, int]:
    """A line that does not count is skipped, also one of a witness with a wrong signature (#log-quorum)."""
    newest: dict[bytes, int] = {}
    for name, data in head.lines:
        for witness in witnesses:
            if (name, data[:4]) != (witness.name, witness.id) or len(data) != 4 + 8 + 64:
                continue
            seconds = int.from_bytes(data[4:12], "big")
            signed = f"cosignature/v1\ntime {seconds}\n".encode() + head.signed  # (#log-witnesses)
            if clock.counts(seconds * 1000) and witness.key.verifies(data[12:], signed):
                newest[witness.key.x] = max(seconds, newest.get(witness.key.x, 0))
    return newest


# --- The log only grows -----------------------------------------------------------------------------------------------

GetTile = Callable[[str, int], "bytes | None"]


def tile_path(level: int, index: int, width: int) -> str:
    """(#log-bytes)"""
    groups = [f"{index % 1000:03d}"]
    while index := index // 1000:
        groups.insert(0, f"x{index % 1000:03d}")
    return f"log/tile/{level}/{'/'.join(groups)}" + (f".p/{width}" if width < 256 else "")


class Tiles:
    """The tiles of a head. All hashes come from one set of tiles, so that two roots are of one tree."""

    def __init__(self, size: int, get: GetTile) -> None:
        self.size, self.get = size, get
        self.read: dict[tuple[int, int], bytes] = {}

    def tile(self, level: int, index: int) -> bytes:
        if (level, index) not in self.read:
            width = min(256, (self.size >> (8 * level)) - 256 * index)
            body = self.get(tile_path(level, index, width), LIMITS["tile"])
            if body is None:  # when a tile is full, its partial ones are removed (#log-files)
                width = 256
                body = self.get(tile_path(level, index, width), LIMITS["tile"])
            if body is None or len(body) < 32 * width or len(body) % 32:
                raise ValueError("a tile is missing, too short, or no multiple of 32 bytes long")
            self.read[level, index] = body
        return self.read[level, index]

    def subtree(self, start: int, size: int) -> bytes:
        """The hash of `size` entries from `start` on."""
        if size & (size - 1):
            half = left_size(size)
            return node_hash(self.subtree(start, half), self.subtree(start + half, size - half))
        level, rest = divmod(size.bit_length() - 1, 8)
        first, count = start >> (8 * level), 1 << rest
        body = self.tile(level, first // 256)[32 * (first % 256):]
        nodes = [body[32 * at: 32 * at + 32] for at in range(count)]
        while len(nodes) > 1:
            nodes = [node_hash(left, right) for left, right in zip(nodes[::2], nodes[1::2])]
        return nodes[0]

    def roots(self, start: int, old: int, new: int) -> tuple[bytes, bytes]:
        """The hashes of `old` and of `new` entries from `start` on, of which the first ones are the same."""
        if old == new:
            same = self.subtree(start, new)
            return same, same
        half = left_size(new)
        if old <= half:
            older, newer = self.roots(start, old, half)
            return older, node_hash(newer, self.subtree(start + half, new - half))
        common = self.subtree(start, half)
        older, newer = self.roots(start + half, old - half, new - half)
        return node_hash(common, older), node_hash(common, newer)


def verify_log_grows(old_size: int, old_root: bytes, head: Head, is_vouched_for: bool, get: GetTile) -> None:
    """Step 7 of a proof (#log-rollback). A witness vouches for two heads, if its cosignature has counted for both."""
    with faults_are("ERR_LOG_INCONSISTENT"):
        check(head.size >= old_size, "the head is smaller than the accepted one")
        if head.size == old_size:
            check(head.root == old_root, "the accepted head of this size has another root")
        elif not is_vouched_for and old_size > 0:
            roots = Tiles(head.size, get).roots(0, old_size, head.size)
            check(roots == (old_root, head.root), "the head does not contain the accepted one")
