import { type Command, Option } from 'commander';
import { delegationStatement, rotationStatement } from '../../freshness/statements.js';
import { chooseSigner } from '../../signing/choose-signer.js';
import { generateKeyFile, KEY_ALGORITHMS, type KeyAlgorithm, loadRootKey } from '../../signing/key-file.js';
import { generateKeyPair } from '../../signing/key-pair.js';
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
    .option('--days <number>', 'how long the delegation is valid', '90');
  addSignerOptions(delegate).action(({ online, days, ...options }: DelegateOptions) =>
    run(io, false, async () => {
      const validity = positiveNumber('--days', days);
      const keysToTrust = await Promise.all(online.map((file) => loadRootKey(file, true, io.env)));
      const root = await chooseSigner({ ...signerChoice(io, options), production: true });
      io.stdout.write(
        `${await delegationStatement(root, keysToTrust, { days: validity, now: Date.now() })}\n`,
      );
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
}
