package main

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

type proofs struct {
	Size        int64                  `json:"size"`
	Root        tlog.Hash              `json:"root"`
	Inclusion   map[string][]tlog.Hash `json:"inclusion"`
	Consistency map[string][]tlog.Hash `json:"consistency"`
}

// Proves from tiles that the head contains some entries, and that it continues some older heads.
func prove(args []string) (any, error) {
	log := folder(args[0])
	tree, err := log.readHead(args[1])
	if err != nil {
		return nil, err
	}
	hashes := tlog.TileHashReader(tree, log)
	// A proof in a tree of one entry is empty, and reads no tile.
	root, err := tlog.TreeHash(tree.N, hashes)
	if err != nil {
		return nil, err
	}
	if root != tree.Hash {
		return nil, fmt.Errorf("the tiles have the root %v, and the head %v", root, tree.Hash)
	}
	result := proofs{tree.N, tree.Hash, map[string][]tlog.Hash{}, map[string][]tlog.Hash{}}
	err = forEachNumber(args[2], func(index int64) error {
		entries, err := log.readBundle(index, tree.N)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveRecord(tree.N, index, hashes)
		if err != nil {
			return err
		}
		result.Inclusion[fmt.Sprint(index)] = append([]tlog.Hash{}, proof...)
		return tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entries[index%256]))
	})
	if err != nil {
		return nil, err
	}
	err = forEachNumber(args[3], func(older int64) error {
		root, err := tlog.TreeHash(older, hashes)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(tree.N, older, hashes)
		if err != nil {
			return err
		}
		result.Consistency[fmt.Sprint(older)] = append([]tlog.Hash{}, proof...)
		return tlog.CheckTree(proof, tree.N, tree.Hash, older, root)
	})
	return result, err
}

func forEachNumber(list string, work func(number int64) error) error {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		number, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return err
		}
		if err := work(number); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return nil
}
