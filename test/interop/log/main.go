// Reads and writes transparency logs with golang.org/x/mod/sumdb, for test/interop/go.test.ts.
//
// Results are JSON on stdout. If a log is refused, the exit code is 1, and stderr says why.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

var commands = map[string]struct {
	usage string
	run   func(args []string) (any, error)
}{
	"open":   {"VKEYS < NOTES", openNotes},
	"prove":  {"TREE VKEY INDEXES OLDER", prove},
	"replay": {"TREE VKEY", replay},
	"proof":  {"PROOF VKEY ENTRY", checkProof},
	"write":  {"TREE ORIGIN SIZES SECONDS", writeLog},
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("no command"))
	}
	command, ok := commands[os.Args[1]]
	if !ok {
		fail(fmt.Errorf("no command %s", os.Args[1]))
	}
	result, err := command.run(os.Args[2:])
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
