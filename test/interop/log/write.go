package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// The entry of a publication whose statement is the text "statement <index>".
func entryOf(index int64) []byte {
	statement := sha256.Sum256([]byte(fmt.Sprintf("statement %d", index)))
	list := sha256.Sum256([]byte(fmt.Sprintf("list %d", index)))
	return []byte(fmt.Sprintf(
		`{"list":"%x","sequence":%d,"sha256":"%x","type":"publication","updated_at":"2027-01-15T08:00:00Z"}`,
		list, index, statement))
}

func (f folder) write(path string, content []byte) error {
	file := filepath.Join(string(f), filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// Writes a log that was published at some sizes, in ascending order: tiles, bundles and a head for each size, and proofs
// of the first, the middle and the last entry. Two witnesses have cosigned.
func writeLog(args []string) (any, error) {
	log, origin := folder(args[0]), args[1]
	seconds, err := strconv.ParseUint(args[3], 10, 64)
	if err != nil {
		return nil, err
	}
	secret, vkey, err := note.GenerateKey(rand.Reader, origin)
	if err != nil {
		return nil, err
	}
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, err
	}
	signers, vkeys := []note.Signer{signer}, []string{}
	for _, name := range []string{"witness.example/w1", "witness.example/w2"} {
		witness, vkey, err := newWitness(name, seconds)
		if err != nil {
			return nil, err
		}
		signers, vkeys = append(signers, witness), append(vkeys, vkey)
	}
	var hashes storage
	var entries [][]byte
	err = forEachNumber(args[2], func(size int64) error {
		for index := int64(len(entries)); index < size; index++ {
			entry := entryOf(index)
			added, err := tlog.StoredHashes(index, entry, hashes)
			if err != nil {
				return err
			}
			entries, hashes = append(entries, entry), append(hashes, added...)
		}
		return log.publish(entries, hashes, origin, signers)
	})
	return map[string]any{"vkey": vkey, "witnesses": vkeys}, err
}

// Writes everything about a log of some size.
func (f folder) publish(entries [][]byte, hashes storage, origin string, signers []note.Signer) error {
	size := int64(len(entries))
	for _, tile := range tilesOf(size) {
		data, err := tlog.ReadTileData(tile, hashes)
		if err != nil {
			return err
		}
		if err := f.write(tilePath(tile), data); err != nil {
			return err
		}
		if tile.L > 0 {
			continue
		}
		var bundle bytes.Buffer
		for _, entry := range entries[tile.N<<tileHeight : tile.N<<tileHeight+int64(tile.W)] {
			_ = binary.Write(&bundle, binary.BigEndian, uint16(len(entry)))
			bundle.Write(entry)
		}
		tile.L = -1
		if err := f.write(tilePath(tile), bundle.Bytes()); err != nil {
			return err
		}
	}
	root, err := tlog.TreeHash(size, hashes)
	if err != nil {
		return err
	}
	tree := string(tlog.FormatTree(tlog.Tree{N: size, Hash: root}))
	text := origin + "\n" + strings.TrimPrefix(tree, goOrigin)
	head, err := note.Sign(&note.Note{Text: text}, signers...)
	if err != nil {
		return err
	}
	for _, path := range []string{"checkpoint", fmt.Sprintf("heads/%d", size)} {
		if err := f.write(path, head); err != nil {
			return err
		}
	}
	for _, index := range []int64{0, size / 2, size - 1} {
		proof, err := tlog.ProveRecord(size, index, hashes)
		if err != nil {
			return err
		}
		lines := fmt.Sprintf("c2sp.org/tlog-proof@v1\nindex %d\n", index)
		for _, hash := range proof {
			lines += hash.String() + "\n"
		}
		if err := f.write(fmt.Sprintf("proofs/%d-%d", size, index), []byte(lines+"\n"+string(head))); err != nil {
			return err
		}
	}
	return nil
}
