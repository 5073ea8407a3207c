# SPDX-License-Identifier: Apache-2.0
"""The vectors of the protocol, in test/vectors of this project, and what the verifier says of them."""

from __future__ import annotations

import base64
import json
import pathlib
import unittest
from typing import Any, Callable

import passport_registry as core
from passport_registry import client
from judge import Copy

VECTORS = pathlib.Path(__file__).parents[2] / "test" / "vectors"


def read(name: str) -> Any:
    return json.loads((VECTORS / f"{name}.json").read_text("utf-8"))


def code_of(run: Callable[[], object]) -> str | None:
    try:
        run()
    except core.Refused as refused:
        return refused.code
    return None


def is_accepted(run: Callable[[], object]) -> bool:
    try:
        run()
    except ValueError:
        return False
    return True


def anchor_of(value: Any) -> core.TrustAnchor:
    return core.read_trust_anchor(json.dumps(value).encode())


def source_of(vector: Any) -> Copy:
    files = {path: text.encode() for path, text in vector["files"].items()}
    tiles = {path: base64.b64decode(text) for path, text in vector.get("tiles", {}).items()}
    return Copy({**files, **tiles})


class Vectors(unittest.TestCase):
    def see(self, vector: Any, anchor: core.TrustAnchor) -> str | None:
        """What a client that looks up single issuers says of a source, if it has accepted other files before."""
        clock, memory = core.Clock(vector["now"] * 1000), client.Memory()
        if vector["accepted"]:
            before = source_of({**vector, "files": vector["accepted"]})
            memory = client.verify_registry(before, anchor, clock, memory, look_up=True).memory
        return code_of(lambda: client.verify_registry(source_of(vector), anchor, clock, memory, look_up=True))

    def test_statements(self) -> None:
        publication = read("publication")
        for group in (publication, publication["p256"]):
            root = core.read_public_key(group["root"])
            for vector in group["statements"]:
                clock = core.Clock(vector["now"] * 1000)
                code = code_of(lambda: core.verify_statement(vector["jwt"].encode(), root, clock))
                self.assertEqual(code, vector["code"], vector["name"])

    def test_sources_of_statements(self) -> None:
        publication = read("publication")
        for vector in publication["sources"]:
            self.assertEqual(self.see(vector, anchor_of({"root": publication["root"]})), vector["code"], vector["name"])

    def test_sums_files(self) -> None:
        sums = read("sums")
        for issuer_id, place in sums["places"].items():
            self.assertEqual(core.place_of(issuer_id), place)
        for vector in sums["files"]:
            body = base64.urlsafe_b64decode(vector["base64url"] + "==")
            is_leaf = len(vector["prefix"]) == vector["levels"]
            accepted = is_accepted(lambda: core.read_sums(body, vector["prefix"], is_leaf))
            self.assertEqual(accepted, vector["code"] is None, vector["name"])

    def test_proofs_of_issuers(self) -> None:
        sums = read("sums")
        anchor = anchor_of({"root": sums["root"]})
        for vector in sums["proofs"]:
            clock = core.Clock(vector["now"] * 1000)
            for issuer_id, outcome in vector["outcomes"].items():
                with self.subTest(vector["name"], issuer_id=issuer_id):
                    try:
                        source = source_of(vector)
                        proven = client.verify_registry(source, anchor, clock, look_up=True)
                        answer = client.prove(source, anchor, clock, issuer_id, proven, lambda memory: None, {})
                        found: Any = "present" if answer.record else "absent"
                    except core.Refused as refused:
                        found = refused.code
                    self.assertEqual(found, outcome)

    def test_parts_of_logs(self) -> None:
        log = read("log")
        kinds = {"log": core.TYPE_LOG, "witness": core.TYPE_WITNESS}
        for vector in log["verifier_keys"]:
            accepted = is_accepted(lambda: core.read_verifier_key(vector["vkey"], kinds[vector["purpose"]]))
            self.assertEqual(accepted, vector["valid"], vector["name"])
        for vector in log["entries"]:
            self.assertEqual(core.leaf_hash(vector["text"].encode()), base64.b64decode(vector["leaf_hash"]), vector["name"])
            is_later = vector["valid"] and json.loads(vector["text"])["type"] != "publication"
            self.assertEqual(is_accepted(lambda: core.read_later_entry(vector["text"])), is_later, vector["name"])
        key = core.read_verifier_key(log["keys"]["log"]["vkey"], core.TYPE_LOG)
        for vector in log["heads"]:
            head = None
            try:
                read_head = core.read_head(vector["note"])
                own = [data[4:] for name, data in read_head.lines if (name, data[:4]) == (key.name, key.id)]
                if own and read_head.origin == key.name and all(key.key.verifies(one, read_head.signed) for one in own):
                    root = base64.b64encode(read_head.root).decode()
                    head = {"origin": read_head.origin, "size": read_head.size, "root": root}
            except ValueError:
                pass
            self.assertEqual(head, vector["head"], vector["name"])
        for vector in log["paths"]:
            self.assertEqual(core.tile_path(1, vector["index"], vector["width"]), vector["tile"])

    def test_inclusion(self) -> None:
        for vector in read("log")["inclusion"]:
            leaf, root, *path = map(base64.b64decode, (vector["leaf"], vector["root"], *vector["path"]))
            leads = False
            if 0 <= vector["index"] < vector["size"]:
                try:
                    leads = core.climb(leaf, vector["index"], vector["size"], path)[0] == root
                except ValueError:
                    pass
            self.assertEqual(leads, vector["valid"], vector["name"])

    def test_tiles(self) -> None:
        trees = read("log")["trees"]
        for tree in trees:
            files = {path: base64.b64decode(file["base64"]) for path, file in tree["files"].items() if "base64" in file}
            for older in trees:
                if older["size"] > tree["size"] or len(files) != len(tree["files"]):
                    continue
                roots = core.Tiles(tree["size"], lambda path, limit: files.get(path)).roots(0, older["size"], tree["size"])
                self.assertEqual(roots, tuple(base64.b64decode(each["root"]) for each in (older, tree)))

    def test_sources_of_logs(self) -> None:
        log = read("log")
        for vector in log["sources"]:
            with self.subTest(vector["name"]):
                try:
                    anchor = anchor_of(log["trust_anchors"][vector["trust_anchor"]])
                except core.Refused as refused:
                    # This project's client reads a trust anchor as an option.
                    self.assertEqual((refused.code, vector["code"]), ("ERR_TRUST_ANCHOR_INVALID", "ERR_TRUST_ANCHOR_INVALID"))
                    continue
                self.assertEqual(self.see(vector, anchor), vector["code"])

    def test_history(self) -> None:
        history = read("history")
        for vector in history["proofs"]:
            with self.subTest(vector["name"]):
                anchor = anchor_of(history["trust_anchors"][vector["trust_anchor"]])
                file = vector["file"].encode("utf-8", "surrogatepass")
                self.assertEqual(code_of(lambda: core.verify_history(file, anchor)), vector["code"])
                if vector["code"] is None:
                    past = core.verify_history(file, anchor)
                    record = core.canonical(past.record).decode() if past.record else None
                    named = past.statement.named
                    self.assertEqual({
                        "from": past.begins, "until": past.ends, "record": record, "updated_at": named.updated_at,
                        "sha256": named.sha256, "sequence": past.statement.sequence,
                    }, vector["proven"])


if __name__ == "__main__":
    unittest.main()
