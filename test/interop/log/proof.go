package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Checks a proof of C2SP tlog-proof. The vkeys are that of the log, and then those of witnesses, who all must have cosigned.
func checkProof(args []string) (any, error) {
	content, err := os.ReadFile(args[0])
	if err != nil {
		return nil, err
	}
	entry, err := os.ReadFile(args[2])
	if err != nil {
		return nil, err
	}
	before, head, found := strings.Cut(string(content), "\n\n")
	lines := strings.Split(before, "\n")
	if !found || len(lines) < 2 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return nil, fmt.Errorf("no tlog-proof")
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return nil, err
	}
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return nil, err
		}
		proof = append(proof, hash)
	}
	vkeys := strings.Split(args[1], ",")
	tree, err := openHead([]byte(head), vkeys[0])
	if err != nil {
		return nil, err
	}
	known, err := parseVerifiers(args[1])
	if err != nil {
		return nil, err
	}
	n, err := note.Open([]byte(head), known)
	if err != nil {
		return nil, err
	}
	if len(n.Sigs) != len(vkeys) {
		return nil, fmt.Errorf("%d of %d keys have signed", len(n.Sigs), len(vkeys))
	}
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry)); err != nil {
		return nil, err
	}
	return map[string]any{"index": index, "size": tree.N, "root": base64.StdEncoding.EncodeToString(tree.Hash[:])}, nil
}
