import { type Command, Option } from 'commander';
import { logIdentity } from '../../generator/log/sign-head.js';
import { generateKeyFile, KEY_CURVES, type KeyCurve, publicKeyOf } from '../../generator/signing/key-file.js';
import { generateKeyPair } from '../../generator/signing/key-pair.js';
import { createState, witnessVkey } from '../../observers/witnessing/witness-state.js';
import { addOptions } from '../options/common-options.js';
import {
  NEW_PASSPHRASE_OPTIONS,
  type NewKeyPassphraseOptions,
  newKeyPassphrase,
} from '../options/new-passphrase.js';
import { emit, type Io, say } from '../terminal/io.js';
import { addCommands, type Run } from './add-commands.js';
import { movedOption } from './old-names.js';

/** `passport-registry keys` */
export function declareKeys(command: Command, _io: Io, run: Run): undefined {
  addCommands(command, run, {
    generate: {
      summary: 'make a private key in a new file, print its public JWK',
      example: 'keys generate --private root-key.pem --public root.json',
      isWithoutSettings: true,
      load: async () => declareGenerate,
    },
    delegate: {
      summary: 'let online keys sign checkpoints; print the delegation',
      options: 'online days hold no-hold unsigned out key passphrase-file root-key',
      example: 'keys delegate --key root-key.pem --online online.json > delegation.jwt',
      load: async () => (await import('./key-statements.js')).declareDelegate,
    },
    rotate: {
      summary: 'replace the root key: all steps, continues where it was stopped',
      options: 'out folder key passphrase-file next-key next-passphrase-file commit online yes',
      example: 'keys rotate --key root-key.pem --next-key next-key.pem',
      load: async () => (await import('./rotate.js')).declareRotate,
    },
    step: {
      summary: 'sign only the step to the next root key',
      options: 'next commit unsigned out key passphrase-file root-key',
      example: 'keys step --key root-key.pem --next next.json > step.jwt',
      load: async () => (await import('./key-statements.js')).declareStep,
    },
    public: {
      summary: 'print the public JWK of a key',
      example: 'keys public root-key.pem > root.json',
      isWithoutSettings: true,
      load: async () => declarePublic,
    },
    ceremony: {
      summary: 'make a root key that several holders share',
      example: 'keys ceremony start ceremony --holders Anna Bo Cy --threshold 2',
      load: async () => (await import('./ceremony.js')).declareCeremony,
    },
    witness: {
      summary: 'print the verifier key of a witness, and make its state',
      example: 'keys witness witness-key.pem --name mirror.example --state state',
      isWithoutSettings: true,
      load: async () => declareWitnessKey,
    },
    log: {
      summary: 'print the verifier key of a log, for `witness --log`',
      example: 'keys log log-key.pem --origin registry.example/log',
      isWithoutSettings: true,
      load: async () => declareLogKey,
    },
  });
}

interface GenerateOptions extends NewKeyPassphraseOptions {
  alg: KeyCurve;
  private: string;
  public?: string;
}

interface WitnessOptions {
  name: string;
  state?: string;
}

/** `passport-registry keys generate` */
function declareGenerate(command: Command, io: Io) {
  command
    .addOption(new Option('--alg <name>', 'algorithm').choices(KEY_CURVES).default('Ed25519'))
    .requiredOption('--private <file>', 'where to write the private key, as PKCS#8 PEM')
    .addOption(movedOption('--out <file>', 'keys generate --out', 'keys generate --private'))
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
function declarePublic(command: Command, io: Io) {
  command.argument('<file>', 'private key (PEM or JWK) or public key, or env:NAME');
  return async (file: string) => {
    emit(io, (await publicKeyOf(file, io.env)).jwk);
  };
}

/** `passport-registry keys witness` */
function declareWitnessKey(command: Command, io: Io) {
  command
    .argument('<file>', 'Ed25519 key of the witness: private key, public key, or env:NAME')
    .requiredOption('--name <name>', 'name of the witness: its URL without https://, such as mirror.example')
    .option('--state <dir>', 'create the folder that remembers what the witness cosigns');
  return async (file: string, { name, state }: WitnessOptions) => {
    const vkey = witnessVkey(name, await publicKeyOf(file, io.env));
    if (state !== undefined) createState(state, vkey);
    io.stdout.write(`${vkey}\n`);
    if (state !== undefined) say(io, `${state} is the state of this witness. ${KEEP_STATE}`);
  };
}

/** What an operator must know about the state of a witness. */
const KEEP_STATE =
  'Keep it as long as the key, and never put back an older copy: a witness that has lost its state needs another key.';

/** `passport-registry keys log` */
function declareLogKey(command: Command, io: Io) {
  command
    .argument('<file>', 'Ed25519 key of the log: private key, public key, or env:NAME')
    .requiredOption('--origin <name>', 'name of the log, such as registry.example/log');
  return async (file: string, { origin }: { origin: string }) => {
    const { vkey } = logIdentity(origin, await publicKeyOf(file, io.env));
    io.stdout.write(`${vkey}\n`);
  };
}
