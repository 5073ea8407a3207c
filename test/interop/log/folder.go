package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// The height of tiles: 256 hashes.
const tileHeight = 8

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
