import { type Command, Option } from 'commander';
import { delegationStatement, rotationStatement } from '../../freshness/statements.js';
import { logIdentity } from '../../log/sign-head.js';
import { chooseSigner } from '../../signing/choose-signer.js';
import { generateKeyFile, KEY_ALGORITHMS, type KeyAlgorithm, loadRootKey } from '../../signing/key-file.js';
import { generateKeyPair } from '../../signing/key-pair.js';
import { witnessVkey } from '../../witnessing/witness-key.js';
import { createState } from '../../witnessing/witness-state.js';
import { positiveNumber } from '../options/positive-number.js';
import { addSignerOptions, type SignerOptions, signerChoice } from '../options/signer-options.js';
import type { Invocation } from '../terminal/io.js';
import { emit, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';

interface GenerateOptions {
  alg: KeyAlgorithm;
  out: string;
  public?: string;
}

interface DelegateOptions extends SignerOptions {
  online: string[];
  days: string;
  hold?: true;
}

interface WitnessOptions {
  name: string;
  state?: string;
}

interface RotateOptions extends SignerOptions {
  next: string;
}

/** `passport-registry keys` */
export function addKeysCommand(program: Command, io: Invocation): void {
  const keys = program.command('keys').description('generate, print, delegate and rotate keys');
  keys
    .command('generate')
    .description('generate a private key in a new file; print the public JWK to stdout')
    .addOption(new Option('--alg <name>', 'algorithm').choices(KEY_ALGORITHMS).default('Ed25519'))
    .requiredOption('--out <file>', 'where to write the private key, as PKCS#8 PEM')
    .option('--public <file>', 'also write the public JWK to this new file')
    .action(({ alg, out, public: publicFile }: GenerateOptions) =>
      run(io, false, async () => {
        const key =
          publicFile === undefined
            ? await generateKeyFile(alg, out, io.env)
            : await generateKeyPair(alg, { privateKey: out, publicKey: publicFile }, io.env);
        emit(io, key.jwk);
        say(io, `${out} holds a private ${alg} key. Keep it secret; the JWK above is public.`);
        return undefined;
      }),
    );
  const delegate = keys
    .command('delegate')
    .description('let online keys sign checkpoints; print the delegation to stdout')
    .requiredOption('--online <file...>', 'public JWKs of the online keys')
    .option('--days <number>', 'how long the delegation is valid', '90')
    .option('--hold', 'also let the online keys stop issuers, with `hold`');
  addSignerOptions(delegate).action(({ online, days, hold, ...options }: DelegateOptions) =>
    run(io, false, async () => {
      const validity = positiveNumber('--days', days);
      const keysToTrust = await Promise.all(online.map((file) => loadRootKey(file, true, io.env)));
      const root = await chooseSigner({ ...signerChoice(io, options), production: true });
      const term = { days: validity, mayHold: hold === true, now: Date.now() };
      io.stdout.write(`${await delegationStatement(root, keysToTrust, term)}\n`);
      return undefined;
    }),
  );
  const rotate = keys
    .command('rotate')
    .description('sign the step to the next root key; print the step to stdout')
    .requiredOption('--next <file>', 'public JWK of the next root key');
  addSignerOptions(rotate).action(({ next, ...options }: RotateOptions) =>
    run(io, false, async () => {
      const root = await chooseSigner({ ...signerChoice(io, options), production: true });
      io.stdout.write(
        `${await rotationStatement(root, await loadRootKey(next, true, io.env), Date.now())}\n`,
      );
      return undefined;
    }),
  );
  keys
    .command('public')
    .description('print the public JWK of a key')
    .argument('<file>', 'private key (PEM or JWK) or public key, or env:NAME')
    .action((file: string) =>
      run(io, false, async () => {
        emit(io, (await loadRootKey(file, false, io.env)).jwk);
        return undefined;
      }),
    );
  addNoteKeyCommands(keys, io);
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
        const vkey = witnessVkey(name, await loadRootKey(file, false, io.env));
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
        const { vkey } = logIdentity(origin, await loadRootKey(file, false, io.env));
        io.stdout.write(`${vkey}\n`);
        return undefined;
      }),
    );
}

/** What an operator must know about the state of a witness. */
const KEEP_STATE =
  'Keep it as long as the key, and never put back an older copy: a witness that has lost its state needs another key.';
