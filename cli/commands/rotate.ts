import { type Command, Option } from 'commander';
import { prepareSigning } from '../../custody/offline-signing/prepare-signing.js';
import { UsageError } from '../../generator/errors.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import {
  addOptions,
  ISSUERS_OPTION,
  JSON_OPTION,
  OFFLINE_OPTION,
  OUT_OPTION,
  ROOT_KEY_OPTION,
  UNSIGNED_OPTION,
  YES_OPTION,
} from '../options/common-options.js';
import {
  committedKeys,
  listChoice,
  onlineChoice,
  publishChoice,
  treeOptions,
} from '../options/publication-choices.js';
import {
  CHECKPOINT_OPTION,
  COMMIT_OPTION,
  COSIGN_OPTION,
  EXCEPTION_OPTIONS,
  type PublicationOptions,
} from '../options/publication-options.js';
import type { SignerSettings } from '../options/settings.js';
import { keyOptions, rootSignerChoice, signerChoice } from '../options/signer-options.js';
import { changeSettings } from '../rotating/change-settings.js';
import { planRotation, type RotateOptions } from '../rotating/plan.js';
import { rotate } from '../rotating/rotate.js';
import { ask } from '../terminal/ask.js';
import { sayDiagnostics } from '../terminal/diagnostics.js';
import { emit, type Io, say } from '../terminal/io.js';
import { codeOf, sayBuilt, sayRequest } from '../terminal/say-built.js';
import { sayAfterRotation, sayPlan } from './say-rotation.js';

/** The options of `keys rotate`. */
interface RotateCommandOptions extends PublicationOptions {
  issuers: string;
  out: string;
  unsigned?: string;
  nextKey?: string;
  nextPassphraseFile?: string;
  nextRootKey?: string;
  commit?: readonly string[];
  yes?: true;
  json?: true;
}

/** `passport-registry keys rotate` */
export function declareRotate(command: Command, io: Io) {
  addOptions(
    command,
    UNSIGNED_OPTION,
    ISSUERS_OPTION,
    OUT_OPTION,
    ...keyOptions(''),
    ...keyOptions('next-'),
    ROOT_KEY_OPTION,
    new Option('--next-root-key <file>', 'with --unsigned: public JWK of the next key'),
    COMMIT_OPTION,
    CHECKPOINT_OPTION,
    ...EXCEPTION_OPTIONS,
    COSIGN_OPTION,
    OFFLINE_OPTION,
    YES_OPTION,
    JSON_OPTION,
  );
  return ({ unsigned, ...options }: RotateCommandOptions) =>
    unsigned === undefined ? rotateRootKey(io, options) : requestRotation(io, unsigned, options);
}

async function rotateRootKey(io: Io, options: RotateCommandOptions): Promise<number> {
  const given = await rotateOptions(io, options);
  const plan = await planRotation(given);
  if (plan.done) {
    say(io, `The rotation of ${options.out} is complete: its root key is ${plan.next.thumbprint}.`);
    return finish(io, plan, options);
  }
  sayPlan(io, plan, options);
  if (!options.yes) await confirm(io);
  const started = performance.now();
  const { next, build } = await rotate(plan, given);
  sayBuilt(io, build, performance.now() - started);
  const outgoing = plan.outgoing.thumbprint;
  return finish(io, { outgoing, next, build }, options);
}

/** A rotation that is committed. */
interface Rotated {
  readonly outgoing: string;
  /** With the keys to which the step commits it. */
  readonly next: Parameters<typeof sayAfterRotation>[1]['next'];
  /** Undefined if an earlier run has published it. */
  readonly build?: BuildReport;
}

/** Lets the settings name the next key. @returns the exit code */
async function finish(
  io: Io,
  { outgoing, next, build }: Rotated,
  options: RotateCommandOptions,
): Promise<number> {
  const signer = nextSigner(options);
  const settings = await changeSettings({ config: options.config, next, signer, env: io.env });
  const code = build === undefined ? 0 : codeOf(build);
  const { thumbprint, nextRoots = [] } = next;
  const keys = { outgoing, next: thumbprint, nextRoots };
  if (options.json) emit(io, { ok: code === 0, done: build === undefined, ...keys, ...settings, build });
  sayAfterRotation(io, { outgoing, next, settings });
  return code;
}

/** `keys rotate --unsigned`: writes a signing request, and leaves the tree unchanged. */
async function requestRotation(io: Io, folder: string, options: RotateCommandOptions): Promise<number> {
  const { issuers, out, settings, nextRootKey } = options;
  if (nextRootKey === undefined)
    throw new UsageError('a request names the next root key: pass its public JWK with --next-root-key');
  const request = await prepareSigning(
    {
      issuers,
      out,
      ...(await listChoice(io, options)),
      ...treeOptions(settings),
      rootKey: await loadRootKey(nextRootKey, io.env),
      rotation: { commit: await committedKeys(io, options.commit) },
      freshness: {
        nextRoots: settings.next_roots,
        online: await onlineChoice(io, settings),
        checkpoint: { hours: settings.checkpoint.hours },
      },
    },
    folder,
  );
  if (request === undefined) return 0;
  if (options.json) emit(io, { ok: true, request: folder, next: request.rootKey.thumbprint });
  sayDiagnostics(io, request.warnings);
  for (const note of request.notes) say(io, `note: ${note}`);
  sayRequest(io, request, folder);
  return 0;
}

async function rotateOptions(io: Io, options: RotateCommandOptions): Promise<RotateOptions> {
  const { issuers, out, commit } = options;
  return {
    issuers,
    out,
    env: io.env,
    outgoing: rootSignerChoice(io, options),
    next: signerChoice(io, nextSigner(options), { passphraseOption: '--next-passphrase-file' }),
    commit: await committedKeys(io, commit),
    how: await publishChoice(io, options),
  };
}

function nextSigner({ nextKey, nextPassphraseFile }: RotateCommandOptions): SignerSettings {
  return { key: nextKey, passphrase_file: nextPassphraseFile };
}

async function confirm(io: Io): Promise<void> {
  const answer = await ask(
    io,
    'Replace the root key? Only yes does: ',
    'there is no terminal to confirm the rotation: pass --yes after you have read the plan',
  );
  if (answer !== 'yes') throw new UsageError('the rotation was not confirmed: nothing was changed');
}
