package main

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"
)

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
