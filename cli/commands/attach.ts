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

async function attach(
  io: Io,
  { folder, signatures }: { readonly folder: string; readonly signatures: readonly string[] },
  options: Options,
): Promise<number> {
  const started = performance.now();
  const { root_key: file } = options.settings;
  if (file === undefined) throw new UsageError('attach needs --root-key, or root_key in registry.yaml');
  const rootKey = await loadRootKey(file, io.env);
  const files = readRequestFiles(folder);
  const types = [...files.payloads.keys()];
  if (signatures.length > types.length) {
    throw new UsageError(
      `${folder} has ${types.length} payload${types.length === 1 ? '' : 's'}, but ${signatures.length} signatures were named`,
    );
  }
  const shared =
    signatures.length === 0 ? await signaturesOfHolders(io, { folder, files }, options) : new Map();
  const how = await publishChoice(io, options);
  const attached = await attachSignatures(
    {
      files,
      signatures: new Map(
        types.map((type, index) => [
          type,
          shared.get(type) ?? readSignatureFile(signatures[index], folder, type),
        ]),
      ),
    },
    rootKey,
    { out: options.out, ...how },
  );
  if ('checkpoint' in attached) {
    const { hold, expires, warnings, waits } = attached.checkpoint;
    if (options.json) emit(io, { ok: !waits, ...attached.checkpoint });
    for (const warning of warnings) say(io, `WARNING: ${warning}`);
    sayLog(io, attached.checkpoint);
    if (waits) {
      say(io, `WARNING: ${WAITS}`);
      return UNFINISHED;
    }
    const held = hold.length === 0 ? '' : `, holds ${hold.join(', ')}`;
    say(io, `the checkpoint in ${options.out} is valid until ${expires}${held}: publish ${options.out}`);
    return 0;
  }
  const code = reportPublished(io, attached.published, { ...options, started });
  const { next } = attached;
  if (next === undefined) return code;
  // Only a rotation needs it.
  const { changeSettings } = await import('../rotating/change-settings.js');
  const { sayAfterRotation } = await import('./say-rotation.js');
  const settings = await changeSettings({ config: options.config, next, env: io.env });
  sayAfterRotation(io, { outgoing: rootKey.thumbprint, next, settings });
  return code;
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
