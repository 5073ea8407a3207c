package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// The height of tiles: 256 hashes.
const tileHeight = 8

// The first line of the heads that the package tlog reads and writes.
const goOrigin = "go.sum database tree\n"

type opened struct {
	Text       string   `json:"text"`
	Verified   []string `json:"verified"`
	Unverified int      `json:"unverified"`
	Error      string   `json:"error,omitempty"`
}

// Opens notes, in base64 in a JSON array. A note without a known signature is no error.
func openNotes(args []string) (any, error) {
	known, err := parseVerifiers(args[0])
	if err != nil {
		return nil, err
	}
	var notes [][]byte
	if err := json.NewDecoder(os.Stdin).Decode(&notes); err != nil {
		return nil, err
	}
	results := make([]opened, len(notes))
	for i, content := range notes {
		results[i] = openNote(content, known)
	}
	return results, nil
}

func openNote(content []byte, known note.Verifiers) opened {
	n, err := note.Open(content, known)
	var unverified *note.UnverifiedNoteError
	if errors.As(err, &unverified) {
		n = unverified.Note
	} else if err != nil {
		return opened{Error: err.Error()}
	}
	result := opened{Text: n.Text, Verified: []string{}, Unverified: len(n.UnverifiedSigs)}
	for _, signature := range n.Sigs {
		result.Verified = append(result.Verified, signature.Name)
	}
	return result
}

// Opens the head of a log, whose origin is the name of the key.
func openHead(content []byte, vkey string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return tlog.Tree{}, err
	}
	n, err := note.Open(content, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	origin := verifier.Name() + "\n"
	if !strings.HasPrefix(n.Text, origin) {
		return tlog.Tree{}, fmt.Errorf("another origin")
	}
	return tlog.ParseTree([]byte(goOrigin + strings.TrimPrefix(n.Text, origin)))
}

// A folder with a log in the layout of C2SP tlog-tiles.
type folder string

func (f folder) readHead(vkey string) (tlog.Tree, error) {
	content, err := os.ReadFile(filepath.Join(string(f), "checkpoint"))
	if err != nil {
		return tlog.Tree{}, err
	}
	return openHead(content, vkey)
}

// The path of a tile. In Go, paths have the height of tiles, and level -1 is "data".
func tilePath(tile tlog.Tile) string {
	path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight))
	return "tile/" + strings.Replace(path, "data/", "entries/", 1)
}

func (f folder) read(tile tlog.Tile) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(f), filepath.FromSlash(tilePath(tile))))
}

func (f folder) Height() int { return tileHeight }

func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		content, err := f.read(tile)
		if err != nil {
			return nil, err
		}
		data[i] = content
	}
	return data, nil
}

func (f folder) SaveTiles([]tlog.Tile, [][]byte) {}

// Reads the bundle of an entry in a log of some size.
func (f folder) readBundle(index, size int64) ([][]byte, error) {
	tile := tlog.Tile{H: tileHeight, L: -1, N: index >> tileHeight, W: 1 << tileHeight}
	if rest := size - tile.N<<tileHeight; rest < 1<<tileHeight {
		tile.W = int(rest)
	}
	content, err := f.read(tile)
	if err != nil {
		return nil, err
	}
	var entries [][]byte
	for len(content) > 0 {
		if len(content) < 2 || len(content)-2 < int(binary.BigEndian.Uint16(content)) {
			return nil, fmt.Errorf("%s ends within an entry", tilePath(tile))
		}
		end := 2 + int(binary.BigEndian.Uint16(content))
		entries = append(entries, content[2:end])
		content = content[end:]
	}
	if len(entries) != tile.W {
		return nil, fmt.Errorf("%s has %d entries", tilePath(tile), len(entries))
	}
	return entries, nil
}

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

// All hashes of a tree, in the order of the package tlog.
type storage []tlog.Hash

func (s storage) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = s[index]
	}
	return found, nil
}

// Adds all entries to a new tree, and compares its root and its tiles with the files.
func replay(args []string) (any, error) {
	log := folder(args[0])
	tree, err := log.readHead(args[1])
	if err != nil {
		return nil, err
	}
	var hashes storage
	for index := int64(0); index < tree.N; index += 256 {
		entries, err := log.readBundle(index, tree.N)
		if err != nil {
			return nil, err
		}
		for i, entry := range entries {
			added, err := tlog.StoredHashes(index+int64(i), entry, hashes)
			if err != nil {
				return nil, err
			}
			hashes = append(hashes, added...)
		}
	}
	root, err := tlog.TreeHash(tree.N, hashes)
	if err != nil {
		return nil, err
	}
	if root != tree.Hash {
		return nil, fmt.Errorf("the entries have the root %v, and the head %v", root, tree.Hash)
	}
	tiles := tilesOf(tree.N)
	for _, tile := range tiles {
		expected, err := tlog.ReadTileData(tile, hashes)
		if err != nil {
			return nil, err
		}
		found, err := log.read(tile)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(expected, found) {
			return nil, fmt.Errorf("%s has other hashes than the entries", tilePath(tile))
		}
	}
	return map[string]int64{"size": tree.N, "tiles": int64(len(tiles))}, nil
}

// Returns the tiles of a tree, with one tile for each place.
func tilesOf(size int64) []tlog.Tile {
	widest := map[tlog.Tile]int{}
	var order []tlog.Tile
	for _, tile := range tlog.NewTiles(tileHeight, 0, size) {
		place := tlog.Tile{H: tile.H, L: tile.L, N: tile.N}
		if widest[place] == 0 {
			order = append(order, place)
		}
		if widest[place] < tile.W {
			widest[place] = tile.W
		}
	}
	for i, place := range order {
		order[i].W = widest[place]
	}
	return order
}

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
