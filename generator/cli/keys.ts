import { type Command, Option } from 'commander';
import { generateKeyFile, KEY_ALGORITHMS, type KeyAlgorithm, loadRootKey } from '../key-file.js';
import { emit, say } from './output.js';
import { run } from './run.js';

/** `passport-registry keys` */
export function addKeysCommand(program: Command): void {
  const keys = program.command('keys').description('make and read keys');
  keys
    .command('generate')
    .description('make a private key in a new file; the public JWK goes to stdout')
    .addOption(new Option('--alg <name>', 'algorithm').choices(KEY_ALGORITHMS).default('Ed25519'))
    .requiredOption('--out <file>', 'where to write the private key, as PKCS#8 PEM')
    .action(({ alg, out }: { alg: KeyAlgorithm; out: string }) =>
      run(false, async () => {
        emit((await generateKeyFile(alg, out)).jwk);
        say(`${out} holds a private ${alg} key. Keep it secret; the JWK above is for everybody.`);
        return undefined;
      }),
    );
  keys
    .command('public')
    .description('print the public JWK of a key')
    .argument('<file>', 'private key (PEM or JWK) or public key, or env:NAME')
    .action((file: string) =>
      run(false, async () => {
        emit((await loadRootKey(file, false)).jwk);
        return undefined;
      }),
    );
}
