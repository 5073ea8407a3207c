import type { Command } from 'commander';
import type { Io } from '../terminal/io.js';
import { addCommands, type Run } from './add-commands.js';

/** `passport-registry keys` */
export function declareKeys(command: Command, _io: Io, run: Run): undefined {
  addCommands(command, run, {
    generate: {
      summary: 'make a private key in a new file, print its public JWK',
      example: 'keys generate --private root-key.pem --public root.json',
      isWithoutSettings: true,
      load: async () => (await import('./key-files.js')).declareGenerate,
    },
    rotate: {
      summary: 'replace the root key, and let the settings name the next one',
      options: 'unsigned key passphrase-file next-key next-root-key commit offline yes',
      example: 'keys rotate --key root-key.pem --next-key next-key.pem',
      load: async () => (await import('./rotate.js')).declareRotate,
    },
    public: {
      summary: 'print the public JWK of a key, or the verifier key of a log or a witness',
      example: 'keys public root-key.pem > root.json',
      isWithoutSettings: true,
      load: async () => (await import('./key-files.js')).declarePublic,
    },
    ceremony: {
      summary: 'make a root key that several holders share',
      example: 'keys ceremony start ceremony --holders Anna Bo Cy --threshold 2',
      load: async () => (await import('./ceremony.js')).declareCeremony,
    },
  });
}
