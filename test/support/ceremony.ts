import { type JsonWebKey, sign } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { compactDecrypt } from 'jose';
import { copyOf, madeOnce } from './made-once.js';
import { cli, good, type Outcome, temporaryFolder } from './workspace.js';

/** A holder with a machine of his own: a folder with the share, its passphrase and the memory. */
interface HolderMachine {
  readonly name: string;
  readonly folder: string;
}

/** What the file of a holder keeps secret. */
interface HolderSecrets {
  readonly number: number;
  readonly stage: 'joining' | 'share';
  /** Signs the messages of the holder: an Ed25519 JWK. */
  readonly messageKey: JsonWebKey;
  /** The secret scalar of the share, in base64url, once the key is made. */
  readonly scalar: string;
}

/** Signs a message of a holder with any claims. */
export function signMessage(typ: string, claims: object, key: JsonWebKey): string {
  const encoded = (part: object) => Buffer.from(canonicalBytes(part)).toString('base64url');
  const input = `${encoded({ alg: 'EdDSA', typ })}.${encoded(claims)}`;
  return `${input}.${sign(null, Buffer.from(input), { key, format: 'jwk' }).toString('base64url')}`;
}

/** The holders of {@link Ceremony.of}. */
const NAMES = ['Anna', 'Bo', 'Cy'] as const;

/** How a ceremony of two of three holders gets from each stage to the next one. */
const STAGES = {
  started: (ceremony: Ceremony) => good(ceremony.start(2)),
  /** All messages of the first two rounds are there. */
  rounds: async (ceremony: Ceremony) => {
    await ceremony.rounds();
    writeFileSync(join(ceremony.home, 'words'), await ceremony.words());
  },
  /** Bo has compared the words. */
  compared: (ceremony: Ceremony) => good(ceremony.finish('Bo', ceremony.spoken)),
  whole: (ceremony: Ceremony) => ceremony.finishAll(),
};

/** The holders of a key, each on a machine of his own, and the folder that travels between them. */
export class Ceremony {
  readonly home: string;
  readonly shared: string;
  readonly holders: readonly HolderMachine[];

  constructor(names: readonly string[], home = temporaryFolder()) {
    this.home = home;
    this.shared = join(home, 'shared');
    this.holders = names.map((name) => {
      const folder = join(home, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'passphrase'), `the long passphrase of ${name}\n`);
      return { name, folder };
    });
  }

  /** A ceremony of Anna, Bo and Cy, of whom two sign, at a stage. It is made once in a run, and copied. */
  static async of(stage: keyof typeof STAGES): Promise<Ceremony> {
    let folder: string | undefined;
    for (const [reached, next] of Object.entries(STAGES)) {
      const before = folder;
      folder = await madeOnce(`ceremony-${reached}`, async (made) => {
        if (before !== undefined) cpSync(before, made, { recursive: true });
        await next(new Ceremony(NAMES, made));
      });
      if (reached === stage) break;
    }
    return new Ceremony(NAMES, copyOf(folder as string));
  }

  /** Runs `ceremony start`. */
  start(threshold: number, ...more: string[]): Promise<Outcome> {
    const names = this.holders.map(({ name }) => name);
    const args = [...names, '--threshold', String(threshold), ...more];
    return cli(['keys', 'ceremony', 'start', this.shared, ...args], this.home);
  }

  /** Runs a command as a holder. */
  as(name: string, args: readonly string[]): Promise<Outcome> {
    const { folder } = this.machine(name);
    return cli([...args, '--share', 'own.share', '--passphrase-file', 'passphrase'], folder, {
      XDG_STATE_HOME: join(folder, 'state'),
    });
  }

  join(name: string, folder = this.shared, ...more: string[]): Promise<Outcome> {
    return this.as(name, ['keys', 'ceremony', 'join', folder, '--as', name, '--json', ...more]);
  }

  finish(name: string, words: string, folder = this.shared): Promise<Outcome> {
    return this.as(name, ['keys', 'ceremony', 'finish', folder, '--words', words, '--json']);
  }

  /** Runs `ceremony status`, and returns what it prints. */
  async status(folder = this.shared) {
    return JSON.parse((await cli(['keys', 'ceremony', 'status', folder, '--json'], this.home)).stdout);
  }

  /** The words of the fingerprint, as a holder reads them. */
  async words(folder = this.shared): Promise<string> {
    return (await this.status(folder)).words.join(' ');
  }

  /** The words of a ceremony that {@link Ceremony.of} has made. */
  get spoken(): string {
    return readFileSync(join(this.home, 'words'), 'utf8');
  }

  /** The first two rounds. */
  async rounds(): Promise<void> {
    for (const _round of [1, 2]) for (const { name } of this.holders) await good(this.join(name));
  }

  /** The whole ceremony. Each holder runs four commands. */
  async whole(threshold: number): Promise<void> {
    await good(this.start(threshold));
    await this.rounds();
    await this.finishAll();
  }

  async finishAll(): Promise<void> {
    const words = await this.words();
    for (const _round of [3, 4]) for (const { name } of this.holders) await good(this.finish(name, words));
  }

  /** Decrypts what the file of a holder keeps secret. */
  async secretsOf(name: string): Promise<HolderSecrets> {
    const file = join(this.machine(name).folder, 'own.share');
    const { encrypted, number } = JSON.parse(readFileSync(file, 'utf8'));
    const { plaintext } = await compactDecrypt(encrypted, Buffer.from(`the long passphrase of ${name}`), {
      keyManagementAlgorithms: ['PBES2-HS512+A256KW'],
      maxPBES2Count: 600_000,
    });
    return { number, ...JSON.parse(Buffer.from(plaintext).toString()).secrets };
  }

  machine(name: string): HolderMachine {
    return this.holders.find((holder) => holder.name === name) as HolderMachine;
  }
}

/** The error of a command that was run with --json. */
export function errorOf({ stdout }: Outcome): { code: string; message: string; holder?: string } {
  return JSON.parse(stdout).error;
}

/** The claims of a message of a holder. */
export const claimsIn = (file: string) =>
  JSON.parse(Buffer.from(readFileSync(file, 'utf8').split('.')[1] ?? '', 'base64url').toString());

/** All files below a folder, as bytes. */
export function allBytes(folder: string): Map<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name))]),
  );
}
