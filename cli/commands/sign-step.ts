import type { RootKey } from '@passport-registry/verifier';
import type { Command } from 'commander';
import { prepareRotation } from '../../custody/offline-signing/prepare-rotation.js';
import { UsageError } from '../../generator/errors.js';
import { rotationClaims, signStatement } from '../../generator/freshness/statements.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import {
  assertCommitted,
  nextCommitment,
  publishedSteps,
  withCommitment,
  withConfigured,
} from '../../generator/tree/commitment.js';
import { addOptions } from '../options/common-options.js';
import { COMMIT_OPTION, committedKeys, type PublicationOptions } from '../options/publication-options.js';
import { ROOT_SIGNER_OPTIONS, rootSignerChoice } from '../options/signer-options.js';
import type { Io } from '../terminal/io.js';
import { sayRequest } from '../terminal/say-built.js';
import { sayCommitment } from './say-rotation.js';

interface StepOptions extends PublicationOptions {
  next: string;
  commit?: readonly string[];
  out: string;
  unsigned?: string;
}

/** What `--unsigned` does, with the public root key instead of a signer. */
const UNSIGNED = 'do not sign: write a signing request for --root-key to a new folder';

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
