import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import type { Command } from 'commander';
import { hasMessages, signingTask } from '../../custody/holder-signing/signing-task.js';
import { attachSignatures } from '../../custody/offline-signing/attach.js';
import { folderOf, PAYLOADS, type PayloadType } from '../../custody/offline-signing/payloads.js';
import {
  type RequestFiles,
  readRequestFiles,
  requestedKeys,
} from '../../custody/offline-signing/request-files.js';
import { SharedKeyRejected } from '../../custody/shared-key/shared-key-rejected.js';
import { UsageError } from '../../generator/errors.js';
import { readBytes } from '../../generator/files/read-file.js';
import type { CheckpointReport } from '../../generator/publishing/publish-checkpoint.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { findValidSignature, signaturesIn } from '../../generator/signing/signature-form.js';
import { addOptions, JSON_OPTION, OUT_OPTION, ROOT_KEY_OPTION } from '../options/common-options.js';
import { publishChoice } from '../options/publication-choices.js';
import { PUBLICATION_OPTIONS, type PublicationOptions } from '../options/publication-options.js';
import { emit, type Io, say } from '../terminal/io.js';
import { reportPublished, sayLog, UNFINISHED, WAITS } from '../terminal/say-built.js';

interface Options extends PublicationOptions {
  out: string;
  holders?: readonly string[];
  json?: true;
}

/** `passport-registry attach`, for the machine with the registry */
export function declareAttach(command: Command, io: Io) {
  command
    .description('publish a list, a checkpoint or a rotation that was signed elsewhere')
    .argument('<request>', 'folder of the signing request')
    .argument('[signatures...]', 'signatures of its payloads (default: in the request)')
    .addOption(ROOT_KEY_OPTION)
    .option('--holders <file...>', 'holders.json of each root key that holders share')
    .addOption(OUT_OPTION);
  addOptions(command, ...PUBLICATION_OPTIONS, JSON_OPTION);
  return (folder: string, signatures: readonly string[], options: Options) =>
    attach(io, { folder, signatures }, options);
}

interface NamedRequest {
  /** The folder of the request. */
  readonly folder: string;
  /** The files of signatures, in the order of the payloads. */
  readonly signatures: readonly string[];
}

async function attach(io: Io, named: NamedRequest, options: Options): Promise<number> {
  const started = performance.now();
  const { out, settings } = options;
  if (settings.root_key === undefined)
    throw new UsageError('attach needs --root-key, or root_key in registry.yaml');
  const rootKey = await loadRootKey(settings.root_key, io.env);
  const files = readRequestFiles(named.folder);
  const signatures = await readSignatures(io, { ...named, files }, options);
  const how = await publishChoice(io, options);
  const attached = await attachSignatures({ files, signatures }, rootKey, { out, ...how });
  if ('checkpoint' in attached) return reportCheckpoint(io, attached.checkpoint, options);
  const code = reportPublished(io, attached.published, { json: options.json, started });
  if (attached.next !== undefined)
    await afterRotation(io, { outgoing: rootKey, next: attached.next }, options);
  return code;
}

/** Reports a checkpoint that was signed elsewhere. @returns the exit code */
function reportCheckpoint(io: Io, report: CheckpointReport, { json, out }: Options): number {
  const { hold, expires, warnings, waits } = report;
  if (json) emit(io, { ok: !waits, ...report });
  for (const warning of warnings) say(io, `WARNING: ${warning}`);
  sayLog(io, report);
  if (waits) {
    say(io, `WARNING: ${WAITS}`);
    return UNFINISHED;
  }
  const held = hold.length === 0 ? '' : `, holds ${hold.join(', ')}`;
  say(io, `the checkpoint in ${out} is valid until ${expires}${held}: publish ${out}`);
  return 0;
}

/** Lets the settings name the next root key, and says what the operator does then. */
async function afterRotation(
  io: Io,
  { outgoing, next }: { readonly outgoing: RootKey; readonly next: RootKey },
  { config }: Options,
): Promise<void> {
  // Only a rotation needs them.
  const { changeSettings } = await import('../rotating/change-settings.js');
  const { sayAfterRotation } = await import('./say-rotation.js');
  const settings = await changeSettings({ config, next, env: io.env });
  sayAfterRotation(io, { outgoing: outgoing.thumbprint, next, settings });
}

/** Reads a signature for each payload: the named files or, if none is named, what holders have signed, and the files of the request. */
async function readSignatures(
  io: Io,
  { folder, signatures: named, files }: NamedRequest & { readonly files: RequestFiles },
  options: Options,
): Promise<ReadonlyMap<PayloadType, Uint8Array>> {
  const types = [...files.payloads.keys()];
  if (named.length > types.length) {
    const payloads = types.length === 1 ? '1 payload' : `${types.length} payloads`;
    throw new UsageError(`${folder} has ${payloads}, but ${named.length} signatures were named`);
  }
  const signatures = new Map(
    named.length === 0 ? await signaturesOfHolders(io, { folder, files }, options) : [],
  );
  for (const [index, type] of types.entries()) {
    if (!signatures.has(type)) signatures.set(type, readSignatureFile(named[index], folder, type));
  }
  return signatures;
}

/** What holders have signed in a request. A rotation has a part of the outgoing key, and one of the next key. */
async function signaturesOfHolders(
  io: Io,
  { folder, files: { payloads } }: { readonly folder: string; readonly files: RequestFiles },
  { holders }: Options,
): Promise<ReadonlyMap<PayloadType, Uint8Array>> {
  const found = new Map<PayloadType, Uint8Array>();
  if (holders === undefined) return found;
  for (const isStep of [false, true]) {
    const part = new Map([...payloads].filter(([type]) => (type === 'rotation') === isStep));
    const [type] = part.keys();
    if (type === undefined || !hasMessages(folderOf(folder, type))) continue;
    const signed = await sharedSignatures(io, { folder: folderOf(folder, type), payloads: part }, holders);
    for (const [each, signature] of signed) found.set(each, signature);
  }
  return found;
}

/** Verifies the shares of the holders of one root key, and adds them up. An unchanged list keeps its signature. */
async function sharedSignatures(
  io: Io,
  { folder, payloads }: Pick<RequestFiles, 'payloads'> & { readonly folder: string },
  holders: readonly string[],
): Promise<readonly (readonly [PayloadType, Uint8Array])[]> {
  // Imported on demand, because the other commands need no FROST.
  const { MAX_HOLDERS_BYTES, parseHolders } = await import('../../custody/ceremony/holders-file.js');
  const { readProgress, signaturesOf } = await import('../../custody/holder-signing/aggregate.js');
  const groups = await Promise.all(
    holders.map((file) => parseHolders(readBytes(file, MAX_HOLDERS_BYTES), file)),
  );
  const [asked] = requestedKeys({ payloads });
  const group = groups.find(({ rootKey }) => rootKey.thumbprint === asked);
  if (group === undefined) {
    throw new SharedKeyRejected(
      'ERR_OTHER_KEY',
      `${folder} is to be signed by ${asked}, whose holders are not in ${holders.join(' and ')}: add its record to --holders`,
    );
  }
  const { rootKey } = group;
  const task = signingTask(
    folder,
    group,
    [...payloads].map(([type, payload]) => ({ type, bytes: payload })),
  );
  const progress = await readProgress(task, group);
  for (const { message } of progress.faults) say(io, `WARNING: ${message}`);
  const signatures = signaturesOf(progress, group);
  const isKept = await hasValidSignature(folder, payloads.get('list'), rootKey);
  const own = [...payloads.keys()].filter((type) => type !== 'list' || !isKept);
  return own.map((type) => [type, signatures.get(type) ?? new Uint8Array()] as const);
}

/** Whether a request has the signature of an unchanged list. A signature that is not valid does not count. */
async function hasValidSignature(
  folder: string,
  list: Uint8Array | undefined,
  rootKey: RootKey,
): Promise<boolean> {
  const file = join(folder, PAYLOADS.list.signature);
  if (list === undefined || !existsSync(file)) return false;
  const candidates = signaturesIn(readBytes(file, MAX_SIGNATURE_BYTES));
  return (await findValidSignature(candidates, list, rootKey)) !== undefined;
}

/** Longer than a signature in any form. */
const MAX_SIGNATURE_BYTES = 16 * 1024;

function readSignatureFile(named: string | undefined, folder: string, type: PayloadType): Uint8Array {
  const file = named ?? join(folder, PAYLOADS[type].signature);
  if (existsSync(file)) return readBytes(file, MAX_SIGNATURE_BYTES);
  throw new UsageError(
    `${file} does not exist: run \`sign ${folder}\` where the key is or, if holders have signed, name their record with --holders`,
    { see: 'docs/operators/offline.md#offline-signing' },
  );
}
