import { importRootKey } from '@passport-registry/verifier';
import { Option } from 'commander';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { commandSigner } from '../../generator/signing/command-signer.js';
import type { Signer } from '../../generator/signing/sign.js';
import type { Cosigner } from '../../observers/witnessing/cosign-head.js';
import { openState, type WitnessState } from '../../observers/witnessing/witness-state.js';
import type { Io } from '../terminal/io.js';
import { hasSigner, type SignerSettings } from './settings.js';
import { keyOptions, signerChoice } from './signer-options.js';

/** The options of commands that cosign as a witness. */
export interface WitnessOptions {
  witnessKey?: string;
  witnessPassphraseFile?: string;
  witnessSignerCommand?: string;
  witnessSignerInput?: SignerSettings['input'];
  witnessState?: string;
}

/** The same, for the help. */
export const WITNESS_OPTIONS = [
  ...keyOptions('witness-'),
  new Option('--witness-signer-command <command>', 'command that signs, in place of the key'),
  new Option('--witness-signer-input <what>', 'what it signs: payload or digest')
    .choices(['payload', 'digest'])
    .default('payload'),
  new Option('--witness-state <dir>', 'folder of its state, from `keys public`'),
];

/**
 * Opens the witness that the options name: its state, and a signer whose key is that of the state.
 *
 * @throws {@link UsageError} | {@link KeyRejected} | {@link IoFailed}
 */
export async function witnessChoice(io: Io, options: WitnessOptions): Promise<Cosigner> {
  const { witnessState: folder } = options;
  const signer = {
    key: options.witnessKey,
    passphrase_file: options.witnessPassphraseFile,
    command: options.witnessSignerCommand,
    input: options.witnessSignerInput,
  };
  if (!hasSigner({ signer })) {
    throw new UsageError('a witness needs its key: pass --witness-key, or --witness-signer-command', {
      see: 'docs/mirrors.md#run-a-witness',
    });
  }
  if (folder === undefined) {
    throw new UsageError(
      'a witness needs its state: pass --witness-state with the folder that `keys public` made',
      {
        see: 'docs/mirrors.md#run-a-witness',
      },
    );
  }
  const state = openState(folder);
  return { state, signer: await witnessSigner(io, state, signer) };
}

async function witnessSigner(
  io: Io,
  { folder, key }: WitnessState,
  settings: SignerSettings,
): Promise<Signer> {
  const choice = signerChoice(io, settings, {
    passphraseOption: '--witness-passphrase-file',
    production: true,
  });
  const rootKey = await importRootKey(key.jwk);
  if (choice.signer !== undefined && choice.key === undefined) {
    return commandSigner(rootKey, { env: io.env, ...choice.signer });
  }
  const signer = await chooseSigner(choice);
  if (signer.rootKey.thumbprint === rootKey.thumbprint) return signer;
  throw new KeyRejected(
    `the witness key is ${signer.rootKey.thumbprint}, but the state in ${folder} belongs to ${rootKey.thumbprint}`,
  );
}
