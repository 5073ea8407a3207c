import type { RootKey } from '@passport-registry/verifier';
import { parseNoteKey } from '@passport-registry/verifier/core';
import type { Command } from 'commander';
import { prepareDelegation, prepareRotation } from '../../custody/offline-signing/prepare-statement.js';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { onlinePermission } from '../../generator/freshness/missing-online-key.js';
import { delegationClaims, rotationClaims, signStatement } from '../../generator/freshness/statements.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import {
  assertCommitted,
  nextCommitment,
  publishedSteps,
  withCommitment,
  withConfigured,
} from '../../generator/tree/commitment.js';
import { PATHS } from '../../generator/tree/paths.js';
import { readPublished } from '../../generator/tree/published-tree.js';
import { otherDelegation } from '../hosts/published-before.js';
import { addOptions } from '../options/common-options.js';
import {
  COMMIT_OPTION,
  committedKeys,
  DAYS_OPTION,
  type PublicationOptions,
} from '../options/publication-options.js';
import { ROOT_SIGNER_OPTIONS, rootSignerChoice } from '../options/signer-options.js';
import { count, type Io, say } from '../terminal/io.js';
import { sayRequest } from '../terminal/say-built.js';
import { sayCommitment } from './say-rotation.js';

interface DelegateOptions extends PublicationOptions {
  online: string[];
  out: string;
  /** Undefined if neither `--hold` nor `--no-hold` was given. */
  hold?: boolean;
  unsigned?: string;
}

interface StepOptions extends PublicationOptions {
  next: string;
  commit?: readonly string[];
  out: string;
  unsigned?: string;
}

/** What `--unsigned` does, with the public root key instead of a signer. */
const UNSIGNED = 'do not sign: write a signing request for --root-key to a new folder';

/** `passport-registry keys delegate` */
export function declareDelegate(command: Command, io: Io) {
  command
    .requiredOption('--online <file...>', 'public JWKs of the online keys')
    .addOption(DAYS_OPTION)
    .option(
      '--hold',
      'also let the online keys stop issuers, with `hold` (default: as the published delegation)',
    )
    .option('--no-hold', 'do not let them stop issuers')
    .option('--unsigned <dir>', UNSIGNED)
    .option('--out <dir>', 'folder of the published tree, whose delegation the new one replaces', 'dist');
  addOptions(command, ...ROOT_SIGNER_OPTIONS);
  return (options: DelegateOptions) => delegateKeys(io, options);
}

/** `passport-registry keys step` */
export function declareStep(command: Command, io: Io) {
  command
    .description('sign only the step to the next root key; print the step to stdout')
    .requiredOption('--next <file>', 'public JWK of the next root key')
    .option('--unsigned <dir>', UNSIGNED)
    .option('--out <dir>', 'folder of the published tree, whose rotation the step continues', 'dist');
  addOptions(command, COMMIT_OPTION, ...ROOT_SIGNER_OPTIONS);
  return (options: StepOptions) => signStep(io, options);
}

async function delegateKeys(io: Io, { online, hold, out, ...options }: DelegateOptions) {
  const { settings, unsigned } = options;
  const { days } = settings.delegation;
  const keys = await Promise.all(online.map((file) => loadRootKey(file, io.env)));
  if (unsigned !== undefined) {
    const rootKey = await unsignedRootKey(io, options);
    await assertOnline(io, keys, { rootKey, out, settings });
    const request = await prepareDelegation({ rootKey, keys, days, mayHold: hold, out }, unsigned);
    return sayRequest(io, request, unsigned);
  }
  const root = await chooseSigner(rootSignerChoice(io, { ...options, production: true }));
  await assertOnline(io, keys, { rootKey: root.rootKey, out, settings });
  const published = hold ?? (await publishedPermission(out));
  const mayHold = published === true;
  const claims = delegationClaims(keys, { days, mayHold });
  io.stdout.write(`${await signStatement(root, 'registry-delegation+jwt', claims)}\n`);
  const permitted = mayHold
    ? 'sign checkpoints, and stop issuers with `hold`'
    : 'sign checkpoints, but not stop issuers';
  say(io, `for ${days} days, ${count(keys.length, 'online key')} may ${permitted}`);
  if (hold !== undefined) return;
  if (published === undefined)
    say(
      io,
      `note: ${out} has no tree that shows whether they may stop issuers now: if they may, sign again with --hold`,
    );
  else if (mayHold) say(io, `note: as the delegation in ${out} permits; --no-hold ends that`);
}

/**
 * Asserts that a delegation may name some keys. The root key and the key of the log have their own tasks, and are kept elsewhere.
 *
 * @throws {@link KeyRejected}
 */
async function assertOnline(
  io: Io,
  keys: readonly RootKey[],
  { rootKey, out, settings }: Pick<DelegateOptions, 'out' | 'settings'> & { readonly rootKey: RootKey },
): Promise<void> {
  const published = await readPublished(out).catch(() => undefined);
  const { vkey } = published?.statement?.log ?? {};
  const { public_key: file } = settings.log;
  // Who signs elsewhere may not have that file.
  const configured = file && (await loadRootKey(file, io.env).catch(() => undefined));
  const invalid = (message: string) => new KeyRejected(`the key of the log ${message}`);
  const logs = [vkey && parseNoteKey(vkey, 'log', invalid).jwk, configured ? configured.jwk : undefined];
  const delegation = readIfReadable(out, PATHS.delegation);
  for (const key of keys) {
    const { thumbprint, jwk } = key;
    if (thumbprint === rootKey.thumbprint)
      throw new KeyRejected(`${thumbprint} is the root key itself: delegate to a key of its own`);
    if (logs.some((log) => log && log.x === jwk.x))
      throw new KeyRejected(`${thumbprint} is the key of the log: delegate to a key of its own`);
    const other = await otherDelegation(thumbprint, { rootKey, delegation }, io.env);
    if (other?.isEarlier)
      throw new KeyRejected(
        `the later delegation in ${out} leaves out the online key ${thumbprint}, which ${other.file} names: if it was replaced because it has leaked, ` +
          `never delegate to it again, and get registry.yaml from whoever has replaced it. Only if not, remove that file first, also from git`,
      );
  }
}

/** Whether the published delegation lets its keys hold issuers. Undefined if there is no tree. @throws {@link KeyRejected} */
async function publishedPermission(out: string): Promise<boolean | undefined> {
  const { mayHold, text } = await onlinePermission(out);
  if (mayHold !== undefined || readIfReadable(out, PATHS.delegation) === undefined) return mayHold;
  throw new KeyRejected(
    `${text}, so it does not show whether online keys may stop issuers: say so, with --hold or --no-hold`,
  );
}

async function signStep(io: Io, { next: file, unsigned, ...options }: StepOptions) {
  if (unsigned !== undefined) {
    const rootKey = await unsignedRootKey(io, options);
    const next = await committedNext(io, { rootKey, file }, options);
    return sayRequest(io, await prepareRotation({ rootKey, next }, unsigned), unsigned);
  }
  const root = await chooseSigner(rootSignerChoice(io, { ...options, production: true }));
  const next = await committedNext(io, { rootKey: root.rootKey, file }, options);
  io.stdout.write(`${await signStatement(root, 'registry-root-rotation+jwt', rotationClaims(next))}\n`);
  sayCommitment(io, next);
}

/** Reads the next root key, to which the outgoing key may lead, with the keys to which the step commits it. */
async function committedNext(
  io: Io,
  { rootKey, file }: { readonly rootKey: RootKey; readonly file: string },
  { out, settings, commit }: Pick<StepOptions, 'out' | 'settings' | 'commit'>,
): Promise<RootKey> {
  const next = await loadRootKey(file, io.env);
  const steps = publishedSteps(out);
  const outgoing = withConfigured(await withCommitment(rootKey, steps), settings.next_roots);
  assertCommitted(outgoing, next.thumbprint);
  const committed = await committedKeys(io, commit);
  return { ...next, nextRoots: nextCommitment(committed, { outgoing, next, steps }) };
}

/** The root key that will sign a request. */
function unsignedRootKey(io: Io, { settings: { root_key: file } }: PublicationOptions): Promise<RootKey> {
  if (file !== undefined) return loadRootKey(file, io.env);
  throw new UsageError(
    'a request must name the root key that will sign: pass --root-key, or set root_key in registry.yaml',
  );
}
