import { writeFileSync } from 'node:fs';
import { assertTrustAnchor, type TrustAnchor } from '@passport-registry/verifier';
import { GRAMMAR, isAnchorMember, logTrustOf } from '@passport-registry/verifier/core';
import type { Command } from 'commander';
import { IoFailed, TreeRejected, UsageError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { replaceFile } from '../../generator/files/replace-file.js';
import { readPinnable, type Witnessed } from '../../generator/verification/pinnable-registry.js';
import { JSON_OPTION } from '../options/common-options.js';
import { asSource } from '../options/values.js';
import { emit, type Io, say } from '../terminal/io.js';
import { demandOf, sayHowToCompare, sayPinnable } from '../terminal/say-pinnable.js';

interface Options {
  thumbprint?: string;
  nextRoot?: string[];
  trustAnchor: string;
  witness?: string[];
  quorum?: string;
  trustOnFirstUse?: true;
  allowDevelopment?: true;
  force?: true;
  json?: true;
}

/** `passport-registry pin` */
export function declarePin(command: Command, io: Io) {
  command
    .description('write the trust anchor of a registry whose thumbprint you know')
    .argument('<url>', 'URL of the registry')
    .option('--thumbprint <thumbprint>', 'of the root key, from the operator')
    .option('--next-root <thumbprint...>', 'of the 1 to 3 keys that can follow it')
    .option('--trust-anchor <file>', 'file of the trust anchor', 'trust-anchor.json')
    .option('--witness <vkey...>', "verifier keys of the log's witnesses")
    .option('--quorum <number>', 'how many of these must have cosigned')
    .option('--trust-on-first-use', 'pin what the registry shows now')
    .option('--allow-development', 'also pin a development key')
    .option('--force', 'replace a file with other content')
    .addOption(JSON_OPTION);
  return (url: string, options: Options) => pin(io, url, options);
}

async function pin(io: Io, url: string, options: Options): Promise<number> {
  const { thumbprint, nextRoot: nextRoots, trustOnFirstUse = false } = options;
  if (thumbprint !== undefined && !GRAMMAR.bytes32.pattern.test(thumbprint)) {
    throw new UsageError(
      '--thumbprint takes the RFC 7638 thumbprint of the root key: 43 characters of base64url',
    );
  }
  if (nextRoots !== undefined && !isAnchorMember('next_roots', nextRoots)) {
    throw new UsageError(
      '--next-root takes the RFC 7638 thumbprints of 1 to 3 different keys: 43 characters of base64url each',
    );
  }
  const source = asSource(url);
  if (source === undefined) {
    throw new UsageError(
      'pin takes the http(s) URL of a registry without credentials, query or fragment, such as https://registry.example',
    );
  }
  const registry = await readPinnable(source, {
    thumbprint,
    nextRoots,
    trustOnFirstUse,
    witnessed: quorumChoice(options),
  });
  if (registry.development && options.allowDevelopment !== true) {
    throw new TreeRejected(
      `${source} is signed by a development key, which is not for production; to experiment, pass --allow-development`,
    );
  }
  const isPinned = thumbprint !== undefined || trustOnFirstUse;
  const outcome = isPinned ? writeAnchor(registry.trustAnchor, options) : undefined;
  if (options.json) emit(io, { ok: isPinned, ...registry, file: isPinned ? options.trustAnchor : null });
  sayPinnable(io, source, registry);
  if (outcome === undefined) {
    sayHowToCompare(io, source, registry);
    return NOT_PINNED;
  }
  if (trustOnFirstUse) {
    say(
      io,
      'WARNING: the thumbprint was compared with nothing: whoever answered at this URL is trusted from now on',
    );
  }
  say(io, `${options.trustAnchor} ${outcome}${demandOf(registry)}`);
  return 0;
}

/** Returns the witnesses and the quorum. Undefined if no option is about witnesses. @throws {@link UsageError} */
function quorumChoice({ witness: witnesses, quorum }: Options): Witnessed | undefined {
  if (witnesses === undefined || quorum === undefined) return undefined;
  const malformed = witnesses.find((vkey) => !GRAMMAR.witnessKey.pattern.test(vkey));
  if (malformed !== undefined) {
    throw new UsageError(
      `--witness takes the verifier key of a witness, as \`keys public --witness-name\` prints it, not ${JSON.stringify(malformed)}`,
    );
  }
  if (!/^(?:[1-9]|[12][0-9]|3[0-2])$/.test(quorum))
    throw new UsageError('--quorum takes a number from 1 to 32');
  const witnessed = { witnesses, quorum: Number(quorum) };
  try {
    logTrustOf({ log: 'registry.example/log', ...witnessed } as TrustAnchor);
  } catch (cause) {
    throw new UsageError(`--witness and --quorum: ${(cause as Error).message}`, { cause });
  }
  return witnessed;
}

/** Exit code if nothing was pinned, the same as that of a tree that was refused. */
const NOT_PINNED = new TreeRejected('').exitCode;

/** Writes a trust anchor. Replaces other content only if told so. @returns what happened, as a predicate */
function writeAnchor(trustAnchor: TrustAnchor, { trustAnchor: out, force }: Options): string {
  assertTrustAnchor(trustAnchor);
  const text = `${JSON.stringify(trustAnchor, undefined, 2)}\n`;
  try {
    writeFileSync(out, text, { flag: 'wx' });
    return 'written';
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new IoFailed(`${out} cannot be written: ${message}`, { cause });
  }
  if (readIfReadable('', out)?.toString() === text) return 'unchanged';
  if (force !== true) {
    throw new IoFailed(
      `${out} already exists with other content, and was left as it is: compare the two, and replace it with --force`,
    );
  }
  replaceFile(out, text);
  return 'replaced';
}
