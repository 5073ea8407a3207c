import { type Command, Option } from 'commander';
import { readCeremony } from '../../custody/ceremony/ceremony-file.js';
import { finishCeremony } from '../../custody/ceremony/finish.js';
import { joinCeremony } from '../../custody/ceremony/join.js';
import { fingerprintWords, isFingerprint } from '../../custody/shared-key/fingerprint.js';
import { nameHolders } from '../../custody/shared-key/key-group.js';
import { SharedKeyRejected } from '../../custody/shared-key/shared-key-rejected.js';
import { UsageError } from '../../generator/errors.js';
import { addOptions, JSON_OPTION } from '../options/common-options.js';
import { newPassphrase } from '../options/new-key-options.js';
import { memoryOf, SHARE_OPTIONS, type ShareOptions, shareAccess } from '../options/signer-options.js';
import { ask } from '../terminal/ask.js';
import { emit, type Io, say } from '../terminal/io.js';

/** The options of a holder, in `join` and `finish`. */
interface HolderOptions extends ShareOptions {
  share: string;
  as?: string;
  words?: string;
  json?: true;
}

/** The option of commands that compare the fingerprint, for the help. */
export const WORDS_OPTION = new Option(
  '--words <words>',
  'fingerprint that others have read to you (default: ask)',
);

/** `passport-registry keys ceremony join` */
export function declareJoin(command: Command, io: Io) {
  command
    .argument('<folder>', 'folder of the ceremony')
    .option('--as <name>', 'your name in the ceremony; needed the first time')
    .addOption(JSON_OPTION);
  addOptions(command, ...SHARE_OPTIONS);
  return (folder: string, options: HolderOptions) => join(io, folder, options);
}

async function join(io: Io, folder: string, options: HolderOptions): Promise<void> {
  const { as: name, share, json } = options;
  const report = await joinCeremony(await readCeremony(folder), shareAccess(io, share, options), {
    name,
    newPassphrase: (file) => newPassphrase(io, file, options),
  });
  if (json) emit(io, { ok: true, ...report });
  const { done, waitingFor, digest } = report;
  say(io, `${report.name} has joined: ${share} is yours alone; keep it and its passphrase`);
  if (waitingFor.length > 0) say(io, `waiting for ${nameHolders(waitingFor)} to join`);
  if (!done) {
    say(io, 'run this command again when all have joined');
    return;
  }
  if (digest === undefined) say(io, `your parts for the others are in ${folder}: pass it on`);
  else {
    sayFingerprint(io, digest);
    say(io, 'read these words to the owner of the key, who then runs `keys ceremony split`');
  }
  const finish = `passport-registry keys ceremony finish ${folder} --share ${share}`;
  say(io, `next: \`${finish}\`, when all have done so`);
}

/** `passport-registry keys ceremony finish` */
export function declareFinish(command: Command, io: Io) {
  command
    .description(
      'compare the fingerprint, write your share and a receipt; run it once more for the test signature',
    )
    .argument('<folder>', 'folder of the ceremony')
    .addOption(WORDS_OPTION)
    .addOption(JSON_OPTION);
  addOptions(command, ...SHARE_OPTIONS);
  return (folder: string, options: HolderOptions) => finish(io, folder, options);
}

async function finish(io: Io, folder: string, options: HolderOptions): Promise<void> {
  const { share, words, json } = options;
  const report = await finishCeremony(await readCeremony(folder), shareAccess(io, share, options), {
    memory: memoryOf(io, options),
    confirm: (digest) => confirmFingerprint(io, digest, words),
  });
  if (json) emit(io, { ok: true, ...report });
  const { name, root, waitingFor } = report;
  say(io, `${share} holds the share of ${name}, and is worth nothing alone: back it up`);
  const others = waitingFor.filter((one) => one !== name);
  if (others.length > 0) say(io, `waiting for ${nameHolders(others)} to run \`keys ceremony finish\``);
  if (waitingFor.includes(name))
    say(io, `run this command once more${others.length > 0 ? ', when they have done so' : ''}`);
  if (waitingFor.length > 0) return;
  const files = `${folder}/root.json is public, and ${folder}/holders.json names its holders`;
  say(io, `the key ${root} is live: ${files}`);
}

/** Shows the fingerprint, and compares it. @throws {@link SharedKeyRejected} if it is another one */
export async function confirmFingerprint(io: Io, digest: string, words: string | undefined): Promise<void> {
  sayFingerprint(io, digest);
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

function sayFingerprint(io: Io, digest: string): void {
  const words = fingerprintWords(digest);
  say(io, 'fingerprint of this ceremony:');
  for (let at = 0; at < words.length; at += 4) say(io, `  ${words.slice(at, at + 4).join(' ')}`);
}
