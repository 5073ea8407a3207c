package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// The type byte of cosignatures (C2SP tlog-cosignature). The package note has only type 1.
const cosignatureType = 4

// A witness verifies and makes cosignatures: it is a note.Verifier and a note.Signer.
type witness struct {
	name    string
	hash    uint32
	public  ed25519.PublicKey
	private ed25519.PrivateKey
	seconds uint64
}

func (w *witness) Name() string    { return w.name }
func (w *witness) KeyHash() uint32 { return w.hash }

func cosignedText(text []byte, seconds uint64) []byte {
	return append([]byte(fmt.Sprintf("cosignature/v1\ntime %d\n", seconds)), text...)
}

func (w *witness) Verify(text, signature []byte) bool {
	if len(signature) != 8+ed25519.SignatureSize {
		return false
	}
	return ed25519.Verify(w.public, cosignedText(text, binary.BigEndian.Uint64(signature)), signature[8:])
}

func (w *witness) Sign(text []byte) ([]byte, error) {
	time := make([]byte, 8)
	binary.BigEndian.PutUint64(time, w.seconds)
	return append(time, ed25519.Sign(w.private, cosignedText(text, w.seconds))...), nil
}

func witnessKeyHash(name string, public ed25519.PublicKey) uint32 {
	id := sha256.Sum256(bytes.Join([][]byte{[]byte(name), {'\n', cosignatureType}, public}, nil))
	return binary.BigEndian.Uint32(id[:])
}

func newWitness(name string, seconds uint64) (*witness, string, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", err
	}
	w := &witness{name, witnessKeyHash(name, public), public, private, seconds}
	encoded := base64.StdEncoding.EncodeToString(append([]byte{cosignatureType}, public...))
	return w, fmt.Sprintf("%s+%08x+%s", name, w.hash, encoded), nil
}

// Parses the verifier key of a log (type 1) or of a witness (type 4).
func parseVerifier(vkey string) (note.Verifier, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("no verifier key: %s", vkey)
	}
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != cosignatureType {
		return note.NewVerifier(vkey)
	}
	w := &witness{name: parts[0], public: key[1:]}
	w.hash = witnessKeyHash(w.name, w.public)
	if fmt.Sprintf("%08x", w.hash) != parts[1] {
		return nil, fmt.Errorf("the id of the key of %s is %08x", w.name, w.hash)
	}
	return w, nil
}

func parseVerifiers(vkeys string) (note.Verifiers, error) {
	var list []note.Verifier
	for _, vkey := range strings.Split(vkeys, ",") {
		verifier, err := parseVerifier(vkey)
		if err != nil {
			return nil, err
		}
		list = append(list, verifier)
	}
	return note.VerifierList(list...), nil
}
