import { type Command, Option } from 'commander';
import { readCeremony, startCeremony } from '../../custody/ceremony/ceremony-file.js';
import { finishCeremony } from '../../custody/ceremony/finish.js';
import { joinCeremony } from '../../custody/ceremony/join.js';
import { splitKey } from '../../custody/ceremony/split.js';
import { type CeremonyStatus, ceremonyStatus } from '../../custody/ceremony/status.js';
import { fingerprintWords, isFingerprint } from '../../custody/shared-key/fingerprint.js';
import { nameHolders } from '../../custody/shared-key/holder-names.js';
import { SharedKeyRejected } from '../../custody/shared-key/shared-key-rejected.js';
import { UsageError } from '../../generator/errors.js';
import { loadPrivateKey, loadRootKey } from '../../generator/signing/key-file.js';
import { addOptions, JSON_OPTION } from '../options/common-options.js';
import { newPassphrase } from '../options/new-passphrase.js';
import {
  keyOptions,
  memoryOf,
  passphraseFrom,
  SHARE_OPTIONS,
  type ShareOptions,
  shareAccess,
} from '../options/signer-options.js';
import { wholeNumber } from '../options/values.js';
import { ask } from '../terminal/ask.js';
import { emit, type Io, say } from '../terminal/io.js';
import { addCommands, type Run } from './add-commands.js';

interface StartOptions {
  threshold: string;
  splits?: string;
}

/** The options of a holder, in `join` and `finish`. */
interface HolderOptions extends ShareOptions {
  share: string;
  as?: string;
  words?: string;
  json?: true;
}

interface SplitOptions {
  key: string;
  words?: string;
  passphraseFile?: string | undefined;
}

const WORDS_OPTION = new Option('--words <words>', 'fingerprint that others have read to you (default: ask)');

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

function declareJoin(command: Command, io: Io) {
  command
    .argument('<folder>', 'folder of the ceremony')
    .option('--as <name>', 'your name in the ceremony; needed the first time')
    .addOption(JSON_OPTION);
  addOptions(command, ...SHARE_OPTIONS);
  return async (folder: string, options: HolderOptions) => {
    const read = await readCeremony(folder);
    const report = await joinCeremony(read, shareAccess(io, options.share, options), {
      name: options.as,
      newPassphrase: (file) => newPassphrase(io, file, options),
    });
    if (options.json) emit(io, { ok: true, ...report });
    const { name, done, waitingFor, digest } = report;
    say(io, `${name} has joined: ${options.share} is yours alone; keep it and its passphrase`);
    if (waitingFor.length > 0) say(io, `waiting for ${nameHolders(waitingFor)} to join`);
    if (digest !== undefined) {
      await sayFingerprint(io, digest);
      say(io, 'read these words to the owner of the key, who then runs `keys ceremony split`');
    } else if (done) say(io, `your parts for the others are in ${folder}: pass it on`);
    if (!done) say(io, 'run this command again when all have joined');
    else
      say(
        io,
        `next: \`passport-registry keys ceremony finish ${folder} --share ${options.share}\`, when all have done so`,
      );
  };
}

function declareSplit(command: Command, io: Io) {
  command.argument('<folder>', 'folder of the ceremony').addOption(WORDS_OPTION);
  const [key, passphrase] = keyOptions('');
  addOptions(command, key.makeOptionMandatory(), passphrase);
  return async (folder: string, { key: source, words, passphraseFile }: SplitOptions) => {
    const key = await loadPrivateKey(source, passphraseFrom(io, passphraseFile), io.env);
    await splitKey(await readCeremony(folder), key, (digest) => confirm(io, digest, words));
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

function declareFinish(command: Command, io: Io) {
  command
    .description(
      'compare the fingerprint, write your share and a receipt; run it once more for the test signature',
    )
    .argument('<folder>', 'folder of the ceremony')
    .addOption(WORDS_OPTION)
    .addOption(JSON_OPTION);
  addOptions(command, ...SHARE_OPTIONS);
  return async (folder: string, options: HolderOptions) => {
    const report = await finishCeremony(await readCeremony(folder), shareAccess(io, options.share, options), {
      memory: memoryOf(io, options),
      confirm: (digest) => confirm(io, digest, options.words),
    });
    if (options.json) emit(io, { ok: true, ...report });
    const { name, root, waitingFor } = report;
    say(io, `${options.share} holds the share of ${name}, and is worth nothing alone: back it up`);
    const others = waitingFor.filter((one) => one !== name);
    if (others.length > 0) say(io, `waiting for ${nameHolders(others)} to run \`keys ceremony finish\``);
    if (others.length < waitingFor.length)
      say(io, `run this command once more${others.length > 0 ? ', when they have done so' : ''}`);
    if (waitingFor.length > 0) return;
    say(
      io,
      `the key ${root} is live: ${folder}/root.json is public, and ${folder}/holders.json names its holders`,
    );
  };
}

/** Shows the fingerprint, and compares it. @throws {@link SharedKeyRejected} if it is another one */
async function confirm(io: Io, digest: string, words: string | undefined): Promise<void> {
  await sayFingerprint(io, digest);
  if (words === undefined) {
    const question = 'Read these words to the others. Does everybody have the same? Type yes: ';
    const answer = await ask(io, question, 'there is no terminal to ask: give --words');
    if (answer === 'yes') return;
    throw new UsageError('nothing was done: run this command again when everybody has the same words');
  }
  if (isFingerprint(words, digest)) return;
  throw new SharedKeyRejected(
    'ERR_FINGERPRINT',
    'the words are not those of this folder: if somebody has other words, start a new ceremony',
  );
}

async function sayFingerprint(io: Io, digest: string): Promise<void> {
  const words = fingerprintWords(digest);
  say(io, 'fingerprint of this ceremony:');
  for (let at = 0; at < words.length; at += 4) say(io, `  ${words.slice(at, at + 4).join(' ')}`);
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
