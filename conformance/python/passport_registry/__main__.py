# SPDX-License-Identifier: Apache-2.0
"""The command: python -m passport_registry."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Callable, Sequence, TypeVar

from . import Clock, Json, Refused, TrustAnchor, check, date_time_ms, faults_are, read_trust_anchor, refuse
from .client import Memory, Proven, Source, open_source, read_memory, resolve_issuer, verify_registry

T = TypeVar("T")


def read_file(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise Refused("ERR_OPTIONS_INVALID", f"{path}: {error.strerror}") from error


def save_memory(path: str | None, memory: Memory) -> None:
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


def load_memory(path: str | None, anchor: TrustAnchor) -> Memory:
    """A store that cannot be verified is told, and begun anew (#store-times)."""
    if path is None or not os.path.exists(path):
        return Memory()
    try:
        return read_memory(read_file(path), anchor)
    except Refused as refused:
        if refused.code != "ERR_BUNDLE_INVALID":
            raise
        print(f"{path}: {refused}: nothing protects this run against old lists", file=sys.stderr)
        return Memory()


def time_text(milliseconds: int) -> str:
    seconds = milliseconds // 1000
    if not 0 <= seconds < 253402300800:
        return f"{seconds} seconds since 1970"
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def describe(proven: Proven) -> dict[str, Json]:
    """What is proven, for people and programs."""
    facts: dict[str, Json] = {
        "root_key": proven.root.thumbprint, "updated_at": proven.publication.updated_at,
        "sha256": proven.publication.sha256,
        "issuers": len(proven.issuers.records) if proven.issuers else None,
        "sequence": proven.publication.sequence,
        "checkpoint_until": time_text(proven.checkpoint.exp * 1000),
        "hold": list(proven.hold), "fresh_until": time_text(proven.fresh_until_ms),
    }
    if proven.logged:
        head = proven.logged.head
        facts["log"] = {"origin": head.origin, "size": head.size, "cosigned_by": len(proven.logged.cosigned)}
    return facts


def show(facts: dict[str, Json], as_json: bool) -> None:
    if as_json:
        print(json.dumps({"ok": True, **facts}))
        return
    for name, value in facts.items():
        if value is not None:
            print(f"{name.replace('_', ' ')}: {value if isinstance(value, str) else json.dumps(value)}")


def first_accepted(places: Sequence[str], ask: Callable[[Source], T]) -> T:
    """Asks one source after the other. If none is accepted, the last one has the word."""
    for place in places[:-1]:
        try:
            return ask(open_source(place))
        except Refused as refused:
            print(f"{place}: {refused}", file=sys.stderr)
    return ask(open_source(places[-1]))


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="passport_registry", description="Verify a signed registry of issuers.")
    commands = parser.add_subparsers(dest="command", required=True)
    verify = commands.add_parser("verify", help="verify the list of a registry")
    verify.add_argument("source", nargs="?", help="a URL or a folder; by default, the sources of the trust anchor")
    resolve = commands.add_parser("resolve", help="prove what a registry says of one issuer")
    resolve.add_argument("id")
    resolve.add_argument("--from", dest="source", metavar="SOURCE", help="as for verify")
    for command in (verify, resolve):
        command.add_argument("--anchor", required=True, metavar="FILE", help="the trust anchor")
        command.add_argument("--json", action="store_true", help="print JSON")
        command.add_argument("--now", metavar="TIME", help="an RFC 3339 date-time instead of the clock")
        command.add_argument("--copy-max-age", metavar="SECONDS", type=int,
                             help="read an offline copy: its statements may have expired, but it is no older than this")
        command.add_argument("--state", metavar="FILE", help="remember what was accepted, and refuse what goes back")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace) -> int:
    anchor = read_trust_anchor(read_file(options.anchor))
    with faults_are("ERR_OPTIONS_INVALID"):
        now_ms = date_time_ms(options.now) if options.now else time.time_ns() // 1_000_000
        check(options.copy_max_age is None or options.copy_max_age >= 0, "--copy-max-age is negative")
    clock = Clock(now_ms, copy_max_age_ms=None if options.copy_max_age is None else options.copy_max_age * 1000)
    places = (options.source,) if options.source else anchor.sources
    if not places:
        refuse("ERR_OPTIONS_INVALID", "neither the command nor the trust anchor names a source")

    def save(memory: Memory) -> None:
        save_memory(options.state, memory)

    if options.command == "verify":
        proven = first_accepted(
            places, lambda source: verify_registry(source, anchor, clock, load_memory(options.state, anchor), False, save)
        )
        show(describe(proven), options.json)
        return 0
    answer = first_accepted(
        places, lambda source: resolve_issuer(source, anchor, clock, options.id, load_memory(options.state, anchor), save)
    )
    facts = describe(answer.proven) if answer.proven else {}
    show({"issuer_id": answer.issuer_id, "verdict": answer.verdict, "record": answer.record, **facts}, options.json)
    return 0 if answer.verdict == "active" else 1


def main(arguments: Sequence[str] | None = None) -> int:
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


if __name__ == "__main__":
    sys.exit(main())
