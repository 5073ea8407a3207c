import type { Command } from 'commander';
import { readCeremony, startCeremony } from '../../custody/ceremony/ceremony-file.js';
import { splitKey } from '../../custody/ceremony/split.js';
import { type CeremonyStatus, ceremonyStatus } from '../../custody/ceremony/status.js';
import { fingerprintWords } from '../../custody/shared-key/fingerprint.js';
import { UsageError } from '../../generator/errors.js';
import { loadPrivateKey, loadRootKey } from '../../generator/signing/key-file.js';
import { addOptions, JSON_OPTION } from '../options/common-options.js';
import { keyOptions, passphraseFrom } from '../options/signer-options.js';
import { wholeNumber } from '../options/values.js';
import { emit, type Io, say } from '../terminal/io.js';
import { addCommands, type Run } from './add-commands.js';
import { confirmFingerprint, declareFinish, declareJoin, WORDS_OPTION } from './ceremony-holder.js';

interface StartOptions {
  threshold: string;
  splits?: string;
}

interface SplitOptions {
  key: string;
  words?: string;
  passphraseFile?: string | undefined;
}

/** `passport-registry keys ceremony` */
export function declareCeremony(command: Command, _io: Io, run: Run): undefined {
  command.description('make a root key that several holders share, so that no machine ever has it');
  addCommands(command, run, {
    start: {
      summary: 'write who shares the key, and how many of them sign, to a new folder',
      examples: [
        'keys ceremony start ceremony Anna Bo Cy --threshold 2',
        'keys ceremony start ceremony Anna Bo --threshold 2 --splits root.json',
      ],
      isWithoutSettings: true,
      load: async () => declareStart,
    },
    join: {
      summary: 'take part: run it once, and once more when all holders have joined',
      examples: [
        'keys ceremony join ceremony --as Anna --share anna.share',
        'keys ceremony join ceremony --share anna.share',
      ],
      isWithoutSettings: true,
      load: async () => declareJoin,
    },
    split: {
      summary: 'split an existing Ed25519 key among the holders, when all have joined',
      examples: [
        'keys ceremony split ceremony --key root-key.pem',
        'keys ceremony split ceremony --key env:ROOT_KEY',
      ],
      isWithoutSettings: true,
      load: async () => declareSplit,
    },
    finish: {
      summary: 'compare the fingerprint, write your share and a receipt',
      examples: [
        'keys ceremony finish ceremony --share anna.share',
        'keys ceremony finish ceremony --share anna.share --json',
      ],
      isWithoutSettings: true,
      load: async () => declareFinish,
    },
    status: {
      summary: 'show how far a ceremony is, and who must act',
      examples: ['keys ceremony status ceremony', 'keys ceremony status ceremony --json'],
      isWithoutSettings: true,
      load: async () => declareCeremonyStatus,
    },
  });
}

function declareStart(command: Command, io: Io) {
  command
    .argument('<folder>', 'folder that the holders pass around or synchronise')
    .argument('<name...>', 'names of the holders')
    .requiredOption('--threshold <number>', 'how many holders sign together')
    .option(
      '--splits <file>',
      'public JWK of an existing Ed25519 root key, to split instead of making a new key',
    );
  return async (folder: string, names: string[], { threshold, splits }: StartOptions) => {
    const key = splits === undefined ? undefined : await loadRootKey(splits, io.env);
    if (key !== undefined && key.algorithm !== 'Ed25519') {
      throw new UsageError(
        `${splits} is a P-256 key, and only Ed25519 keys can be shared: rotate to a new key`,
      );
    }
    startCeremony(folder, {
      names,
      threshold: wholeNumber('--threshold', threshold),
      splits: key,
    });
    say(
      io,
      `${folder} is ready: each holder runs \`passport-registry keys ceremony join ${folder} --as NAME --share FILE\``,
    );
  };
}

function declareSplit(command: Command, io: Io) {
  command.argument('<folder>', 'folder of the ceremony').addOption(WORDS_OPTION);
  const [key, passphrase] = keyOptions('');
  addOptions(command, key.makeOptionMandatory(), passphrase);
  return async (folder: string, { key: source, words, passphraseFile }: SplitOptions) => {
    const key = await loadPrivateKey(source, passphraseFrom(io, passphraseFile), io.env);
    await splitKey(await readCeremony(folder), key, (digest) => confirmFingerprint(io, digest, words));
    say(
      io,
      `the key is split: each holder runs \`passport-registry keys ceremony finish ${folder} --share FILE\``,
    );
    say(
      io,
      'AFTER the ceremony, DESTROY the original key and every copy of it: whoever has one can sign without the holders',
    );
  };
}

function declareCeremonyStatus(command: Command, io: Io) {
  command.argument('<folder>', 'folder of the ceremony').addOption(JSON_OPTION);
  return async (folder: string, { json }: { json?: true }) => {
    const status = await ceremonyStatus(await readCeremony(folder));
    const words = status.digest === undefined ? undefined : fingerprintWords(status.digest);
    if (json) emit(io, { ok: true, ...status, words });
    else describe(io, status, words);
  };
}

/** What the holders of each step do. */
const TO_DO = {
  join: 'run `keys ceremony join`',
  parts: 'run `keys ceremony join` again, for the second round',
  split: 'all compare the fingerprint; then the owner of the key runs `keys ceremony split`',
  receipt: 'run `keys ceremony finish`',
  test: 'run `keys ceremony finish` again, for the test signature',
  record: 'anybody runs `keys ceremony finish`, which writes root.json and holders.json',
  live: '',
} as const;

function describe(io: Io, status: CeremonyStatus, words: readonly string[] | undefined): void {
  const { names, threshold, splits, step, waitingFor, root } = status;
  say(
    io,
    `${splits === undefined ? 'a new key' : `the key ${splits}`}, ${threshold} of ${names.length} holders: ${names.join(', ')}`,
  );
  if (root !== undefined) say(io, `root key    ${root}`);
  if (words !== undefined) say(io, `fingerprint ${words.join(' ')}`);
  if (step === 'live') say(io, 'the key is live: every holder has a receipt, and every share was tested');
  else say(io, `next: ${[waitingFor.join(', '), TO_DO[step]].filter((part) => part !== '').join(': ')}`);
}
