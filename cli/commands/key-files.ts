import type { Command } from 'commander';
import { logIdentity } from '../../generator/log/sign-head.js';
import { generateKeyFile, type KeyCurve, publicKeyOf } from '../../generator/signing/key-file.js';
import { generateKeyPair } from '../../generator/signing/key-pair.js';
import { createState, witnessVkey } from '../../observers/witnessing/witness-state.js';
import { addOptions } from '../options/common-options.js';
import {
  ALG_OPTION,
  NEW_PASSPHRASE_OPTIONS,
  type NewKeyPassphraseOptions,
  newKeyPassphrase,
} from '../options/new-key-options.js';
import { emit, type Io, say } from '../terminal/io.js';

interface GenerateOptions extends NewKeyPassphraseOptions {
  alg: KeyCurve;
  private: string;
  public?: string;
}

interface PublicOptions {
  origin?: string;
  witnessName?: string;
  witnessState?: string;
}

/** `passport-registry keys generate` */
export function declareGenerate(command: Command, io: Io) {
  command
    .addOption(ALG_OPTION)
    .requiredOption('--private <file>', 'where to write the private key, as PKCS#8 PEM')
    .option('--public <file>', 'also write the public JWK to this new file');
  addOptions(command, ...NEW_PASSPHRASE_OPTIONS);
  return (options: GenerateOptions) => generateKey(io, options);
}

async function generateKey(io: Io, options: GenerateOptions) {
  const { alg, private: privateFile, public: publicFile } = options;
  const newPassphrase = async (file: string) => (await newKeyPassphrase(io, file, options))(file);
  const how = { newPassphrase, env: io.env };
  const key =
    publicFile === undefined
      ? await generateKeyFile(alg, privateFile, how)
      : await generateKeyPair(alg, { privateKey: privateFile, publicKey: publicFile }, how);
  emit(io, key.jwk);
  const encrypted = options.passphrase ? ', encrypted' : ', not encrypted';
  say(io, `${privateFile} holds a private ${alg} key${encrypted}. Keep it secret; the JWK above is public.`);
}

/** `passport-registry keys public` */
export function declarePublic(command: Command, io: Io) {
  command
    .argument('<file>', 'private key (PEM or JWK) or public key, or env:NAME')
    .option('--origin <origin>', 'print the verifier key of a log, such as registry.example/log')
    .option('--witness-name <name>', 'print the verifier key of a witness, such as mirror.example')
    .option('--witness-state <dir>', 'with --witness-name: new folder of its state');
  return (file: string, options: PublicOptions) => printPublicKey(io, file, options);
}

async function printPublicKey(
  io: Io,
  file: string,
  { origin, witnessName, witnessState: state }: PublicOptions,
): Promise<void> {
  const key = await publicKeyOf(file, io.env);
  if (origin !== undefined) {
    io.stdout.write(`${logIdentity(origin, key).vkey}\n`);
    return;
  }
  if (witnessName === undefined) {
    emit(io, key.jwk);
    return;
  }
  const vkey = witnessVkey(witnessName, key);
  if (state !== undefined) createState(state, vkey);
  io.stdout.write(`${vkey}\n`);
  if (state !== undefined) say(io, `${state} is the state of this witness. ${KEEP_STATE}`);
}

/** What an operator must know about the state of a witness. */
const KEEP_STATE =
  'Keep it as long as the key, and never put back an older copy: a witness that has lost its state needs another key.';
