import type { Command } from 'commander';
import type { Io } from '../terminal/io.js';
import { addCommands, type Run } from './add-commands.js';

/** `passport-registry keys` */
export function declareKeys(command: Command, _io: Io, run: Run): undefined {
  addCommands(command, run, {
    generate: {
      summary: 'make a private key in a new file, print its public JWK',
      examples: [
        'keys generate --private root-key.pem --public root.json',
        'keys generate --private online.pem --no-passphrase',
      ],
      isWithoutSettings: true,
      load: async () => (await import('./key-files.js')).declareGenerate,
    },
    rotate: {
      summary: 'replace the root key, and let the settings name the next one',
      examples: [
        'keys rotate --key root-key.pem --next-key next-key.pem',
        'keys rotate --unsigned request --next-root-key next.json',
      ],
      load: async () => (await import('./rotate.js')).declareRotate,
    },
    public: {
      summary: 'print the public JWK of a key, or the verifier key of a log or a witness',
      examples: [
        'keys public root-key.pem > root.json',
        'keys public log-key.pem --origin registry.example/log',
      ],
      isWithoutSettings: true,
      load: async () => (await import('./key-files.js')).declarePublic,
    },
    ceremony: {
      summary: 'make a root key that several holders share',
      examples: ['keys ceremony start ceremony Anna Bo Cy --threshold 2', 'keys ceremony status ceremony'],
      load: async () => (await import('./ceremony.js')).declareCeremony,
    },
  });
}
