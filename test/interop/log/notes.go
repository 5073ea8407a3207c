package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

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
