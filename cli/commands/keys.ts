import type { RootKey } from '@passport-registry/verifier';
import { type Command, Option } from 'commander';
import { prepareDelegation, prepareRotation } from '../../custody/offline-signing/prepare-statement.js';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { readIfThere } from '../../generator/files/read-file.js';
import { onlinePermission } from '../../generator/freshness/missing-online-key.js';
import { delegationClaims, rotationClaims, signStatement } from '../../generator/freshness/statements.js';
import { logIdentity } from '../../generator/log/sign-head.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import {
  generateKeyFile,
  KEY_CURVES,
  type KeyCurve,
  loadRootKey,
  publicKeyOf,
} from '../../generator/signing/key-file.js';
import { generateKeyPair } from '../../generator/signing/key-pair.js';
import {
  assertCommitted,
  nextCommitment,
  publishedSteps,
  withCommitment,
  withConfigured,
} from '../../generator/tree/commitment.js';
import { PATHS } from '../../generator/tree/paths.js';
import { witnessVkey } from '../../observers/witnessing/witness-key.js';
import { createState } from '../../observers/witnessing/witness-state.js';
import { addCommitmentOption, type CommitmentOptions, committedKeys } from '../options/commitment-options.js';
import {
  addNewPassphraseOptions,
  type NewKeyPassphraseOptions,
  newKeyPassphrase,
} from '../options/new-passphrase.js';
import { positiveNumber } from '../options/numbers.js';
import type { WithSettings } from '../options/settings.js';
import { addSignerOptions, type SignerOptions, signerChoice } from '../options/signer-options.js';
import type { Invocation } from '../terminal/io.js';
import { count, emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';
import { sayRequest } from '../terminal/say-request.js';
import { addCeremonyCommand } from './ceremony.js';
import { movedOption } from './old-names.js';
import { addRotateCommand } from './rotate.js';
import { sayCommitment } from './say-rotation.js';

interface GenerateOptions extends NewKeyPassphraseOptions {
  alg: KeyCurve;
  private: string;
  public?: string;
}

interface DelegateOptions extends SignerOptions {
  online: string[];
  days: string;
  out: string;
  /** Undefined if neither `--hold` nor `--no-hold` was given. */
  hold?: boolean;
  unsigned?: string;
}

interface WitnessOptions {
  name: string;
  state?: string;
}

interface StepOptions extends SignerOptions, CommitmentOptions, WithSettings {
  next: string;
  out: string;
  unsigned?: string;
}

/** `passport-registry keys` */
export function addKeysCommand(program: Command, io: Invocation): void {
  const keys = program.command('keys').description('make, print, share, delegate and rotate keys');
  const generate = keys
    .command('generate')
    .description('generate a private key in a new file; print the public JWK to stdout')
    .addOption(new Option('--alg <name>', 'algorithm').choices(KEY_CURVES).default('Ed25519'))
    .requiredOption('--private <file>', 'where to write the private key, as PKCS#8 PEM')
    .addOption(movedOption('--out <file>', 'keys generate --out', 'keys generate --private'))
    .option('--public <file>', 'also write the public JWK to this new file');
  addNewPassphraseOptions(generate).action((options: GenerateOptions) =>
    run(io, false, () => generateKey(io, options)),
  );
  const delegate = keys
    .command('delegate')
    .description('let online keys sign checkpoints; print the delegation to stdout')
    .requiredOption('--online <file...>', 'public JWKs of the online keys')
    .option('--days <number>', 'how long the delegation is valid', '90')
    .option(
      '--hold',
      'also let the online keys stop issuers, with `hold` (default: as the published delegation)',
    )
    .option('--no-hold', 'do not let them stop issuers')
    .option('--unsigned <dir>', UNSIGNED)
    .option('--out <dir>', 'folder of the published tree, whose delegation the new one replaces', 'dist');
  addSignerOptions(delegate).action((options: DelegateOptions) =>
    run(io, false, () => delegateKeys(io, options)),
  );
  addRotateCommand(keys, io);
  const step = keys
    .command('step')
    .description('sign only the step to the next root key; print the step to stdout')
    .requiredOption('--next <file>', 'public JWK of the next root key')
    .option('--unsigned <dir>', UNSIGNED)
    .option('--out <dir>', 'folder of the published tree, whose rotation the step continues', 'dist');
  addSignerOptions(addCommitmentOption(step)).action((options: StepOptions) =>
    run(io, false, () => signStep(io, options)),
  );
  keys
    .command('public')
    .description('print the public JWK of a key')
    .argument('<file>', 'private key (PEM or JWK) or public key, or env:NAME')
    .action((file: string) =>
      run(io, false, async () => {
        emit(io, (await publicKeyOf(file, io.env)).jwk);
        return undefined;
      }),
    );
  addCeremonyCommand(keys, io);
  addNoteKeyCommands(keys, io);
}

async function generateKey(io: Invocation, options: GenerateOptions) {
  const { alg, private: privateFile, public: publicFile } = options;
  const how = { newPassphrase: (file: string) => newKeyPassphrase(io, file, options), env: io.env };
  const key =
    publicFile === undefined
      ? await generateKeyFile(alg, privateFile, how)
      : await generateKeyPair(alg, { privateKey: privateFile, publicKey: publicFile }, how);
  emit(io, key.jwk);
  const encrypted = options.passphrase ? ', encrypted' : ', not encrypted';
  say(io, `${privateFile} holds a private ${alg} key${encrypted}. Keep it secret; the JWK above is public.`);
  return undefined;
}

/** What `--unsigned` does, with the public root key instead of a signer. */
const UNSIGNED = 'do not sign: write a signing request for --root-key to a new folder';

async function delegateKeys(io: Invocation, { online, days, hold, out, ...options }: DelegateOptions) {
  const term = { days: positiveNumber('--days', days) };
  const keys = await Promise.all(online.map((file) => loadRootKey(file, io.env)));
  if (options.unsigned !== undefined) {
    const rootKey = await unsignedRootKey(io, options);
    const request = await prepareDelegation({ rootKey, keys, ...term, mayHold: hold, out }, options.unsigned);
    sayRequest(io, request, options.unsigned);
    return undefined;
  }
  const root = await chooseSigner({ ...signerChoice(io, options), production: true });
  const published = hold ?? (await publishedPermission(out));
  const mayHold = published === true;
  const claims = delegationClaims(keys, { ...term, mayHold });
  io.stdout.write(`${await signStatement(root, 'registry-delegation+jwt', claims)}\n`);
  const permitted = mayHold
    ? 'sign checkpoints, and stop issuers with `hold`'
    : 'sign checkpoints, but not stop issuers';
  say(io, `for ${days} days, ${count(keys.length, 'online key')} may ${permitted}`);
  if (hold !== undefined) return undefined;
  if (published === undefined)
    say(
      io,
      `note: ${out} has no tree that shows whether they may stop issuers now: if they may, sign again with --hold`,
    );
  else if (mayHold) say(io, `note: as the delegation in ${out} permits; --no-hold ends that`);
  return undefined;
}

/** Whether the published delegation lets its keys hold issuers. Undefined if there is no tree. @throws {@link KeyRejected} */
async function publishedPermission(out: string): Promise<boolean | undefined> {
  const { mayHold, text } = await onlinePermission(out);
  if (mayHold !== undefined || readIfThere(out, PATHS.delegation) === undefined) return mayHold;
  throw new KeyRejected(
    `${text}, so it does not show whether online keys may stop issuers: say so, with --hold or --no-hold`,
  );
}

async function signStep(io: Invocation, { next: file, unsigned, ...options }: StepOptions) {
  if (unsigned !== undefined) {
    const rootKey = await unsignedRootKey(io, options);
    const next = await committedNext(io, { rootKey, file }, options);
    sayRequest(io, await prepareRotation({ rootKey, next }, unsigned), unsigned);
    return undefined;
  }
  const root = await chooseSigner({ ...signerChoice(io, options), production: true });
  const next = await committedNext(io, { rootKey: root.rootKey, file }, options);
  io.stdout.write(`${await signStatement(root, 'registry-root-rotation+jwt', rotationClaims(next))}\n`);
  sayCommitment(io, next);
  return undefined;
}

/** Reads the next root key, to which the outgoing key may lead, with the keys to which the step commits it. */
async function committedNext(
  io: Invocation,
  { rootKey, file }: { readonly rootKey: RootKey; readonly file: string },
  { out, settings, commit }: Pick<StepOptions, 'out' | 'settings' | 'commit'>,
): Promise<RootKey> {
  const next = await loadRootKey(file, io.env);
  const steps = publishedSteps(out);
  const outgoing = withConfigured(await withCommitment(rootKey, steps), settings.next_roots);
  assertCommitted(outgoing, next.thumbprint);
  const committed = await committedKeys(io, '--commit', commit);
  return { ...next, nextRoots: nextCommitment(committed, { outgoing, next, steps }) };
}

/** The root key that will sign a request. */
function unsignedRootKey(io: Invocation, { rootKey }: SignerOptions): Promise<RootKey> {
  if (rootKey !== undefined) return loadRootKey(rootKey, io.env);
  throw new UsageError(
    'a request must name the root key that will sign: pass --root-key, or set root_key in registry.yaml',
  );
}

/** Adds the commands that print the keys of logs and witnesses. */
function addNoteKeyCommands(keys: Command, io: Invocation): void {
  keys
    .command('witness')
    .description('print the verifier key of a witness; create the state of a new witness')
    .argument('<file>', 'Ed25519 key of the witness: private key, public key, or env:NAME')
    .requiredOption('--name <name>', 'name of the witness: its URL without https://, such as mirror.example')
    .option('--state <dir>', 'create the folder that remembers what the witness cosigns')
    .action((file: string, { name, state }: WitnessOptions) =>
      run(io, false, async () => {
        const vkey = witnessVkey(name, await publicKeyOf(file, io.env));
        if (state !== undefined) createState(state, vkey);
        io.stdout.write(`${vkey}\n`);
        if (state !== undefined) say(io, `${state} is the state of this witness. ${KEEP_STATE}`);
        return undefined;
      }),
    );
  keys
    .command('log')
    .description('print the verifier key of a log, for `witness --log`')
    .argument('<file>', 'Ed25519 key of the log: private key, public key, or env:NAME')
    .requiredOption('--origin <name>', 'name of the log, such as registry.example/log')
    .action((file: string, { origin }: { origin: string }) =>
      run(io, false, async () => {
        const { vkey } = logIdentity(origin, await publicKeyOf(file, io.env));
        io.stdout.write(`${vkey}\n`);
        return undefined;
      }),
    );
}

/** What an operator must know about the state of a witness. */
const KEEP_STATE =
  'Keep it as long as the key, and never put back an older copy: a witness that has lost its state needs another key.';
