import type { RootKey } from '@passport-registry/verifier';
import { CLOCK_TOLERANCE_MS } from '@passport-registry/verifier/core';
import { Option } from 'commander';
import { readSigningRequest } from '../../custody/offline-signing/read-request.js';
import {
  assertFollowsMemory,
  memoryFolder,
  saveSigningMemory,
} from '../../custody/offline-signing/signing-memory.js';
import { describeRequest, type SigningRequest } from '../../custody/offline-signing/signing-request.js';
import { UsageError } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import { assertPublishable } from '../../generator/review/assert-publishable.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { YES_OPTION } from '../options/common-options.js';
import { exceptions } from '../options/publication-choices.js';
import { EXCEPTION_OPTIONS, type PublicationOptions } from '../options/publication-options.js';
import { ask } from '../terminal/ask.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { type Io, say } from '../terminal/io.js';

/** The options of commands that show a signing request before they sign it. */
export interface RequestOptions extends PublicationOptions {
  previousRootKey?: string;
  insteadOf?: string;
  memory?: string | undefined;
  yes?: true;
}

/** The same, for the help. */
export const REQUEST_OPTIONS = [
  new Option('--previous-root-key <file>', 'outgoing root key, to sign with the next one'),
  new Option('--instead-of <hash>', 'what was signed last and never published'),
  new Option('--memory <dir>', 'folder that records what was signed'),
  YES_OPTION,
  ...EXCEPTION_OPTIONS,
];

/**
 * Reads a signing request, checks it in every way, and shows it in words.
 *
 * @param rootKey - the key that is to sign it
 * @throws the errors of `readSigningRequest`, of the memory and of the rules
 */
export async function shownRequest(
  io: Io,
  { folder, rootKey }: { readonly folder: string; readonly rootKey: RootKey },
  options: RequestOptions,
): Promise<SigningRequest> {
  const { previousRootKey, insteadOf, memory = memoryFolder(io.env) } = options;
  const before = previousRootKey === undefined ? undefined : await loadRootKey(previousRootKey, io.env);
  const request = await readSigningRequest(folder, rootKey, before);
  assertFollowsMemory(memory, request, insteadOf);
  sayRules(io, request, options);
  for (const line of describeRequest(request)) say(io, line);
  warnOfClock(io, request);
  return request;
}

/**
 * Asks whether to sign a request that was shown, and remembers it. Whoever signs, with a key or with a share of one, signs
 * only what was shown and confirmed.
 *
 * @param rootKey - the key that is to sign
 * @throws {@link UsageError} if the user does not confirm
 */
export async function confirmRequest(
  io: Io,
  { request, rootKey }: { readonly request: SigningRequest; readonly rootKey: RootKey },
  options: RequestOptions,
): Promise<void> {
  if (options.yes !== true) await confirm(io);
  // Saved before signing: if a signature exists that is not in the memory, this machine could sign an older list later.
  saveSigningMemory(options.memory ?? memoryFolder(io.env), request, rootKey);
}

/** Applies the rules of change to the list of a request, and shows the warnings. */
function sayRules(io: Io, { publication }: SigningRequest, options: RequestOptions): void {
  if (publication === undefined) return;
  const { previous, registry, about } = publication;
  const before = previous && recordsOfList(previous.registry.issuers, previous.about);
  const after = recordsOfList(registry.issuers, about);
  sayDiagnostics(io, assertPublishable({ before, after }, exceptions(options), false));
}

/** Only a warning, because the clock of an offline machine may be wrong. `attach` refuses such a list. */
function warnOfClock(io: Io, { publication, rotation }: SigningRequest): void {
  const times: readonly (readonly [name: string, time: number | undefined])[] = [
    ['updated_at of the list', publication && Date.parse(publication.registry.updated_at)],
    ['the time of the publication statement', publication?.statement.issuedAt],
    ['the time of the rotation step', rotation?.issuedAt],
  ];
  const latest = times.flatMap(([, time]) => time ?? []).reduce((a, b) => Math.max(a, b), 0);
  if (latest <= Date.now() + CLOCK_TOLERANCE_MS) return;
  const [name] = times.find(([, time]) => time === latest) ?? [];
  say(
    io,
    `WARNING: ${name}, ${formatUpdatedAt(latest)}, is ahead of this machine's clock: check both before you sign`,
  );
}

async function confirm(io: Io): Promise<void> {
  const answer = await ask(io, 'Sign this? Type yes: ', 'there is no terminal to ask: give --yes');
  if (answer !== 'yes') throw new UsageError('nothing was signed');
}
