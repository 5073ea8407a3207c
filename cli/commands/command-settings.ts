import type { Command } from 'commander';
import { shellWord } from '../operating/shell-word.js';
import type { RegistryStatus } from '../operating/status.js';
import type { CommandSettings } from '../operating/steps/next-step.js';
import type { ExceptionOptions } from '../options/rule-options.js';
import { asksMirror, hasSigner, type WithSettings } from '../options/settings.js';

/** The options of `status`. */
export interface StatusCommandOptions extends ExceptionOptions, WithSettings {
  issuers: string;
  out: string;
  rootKey?: string | undefined;
  key?: string | undefined;
  /** From registry.yaml only. */
  signerCommand?: string | undefined;
  /** From registry.yaml only. */
  checkpointPublicKey?: string | undefined;
  baseUrl?: string | undefined;
  mirror?: readonly string[] | undefined;
  maxBehind: string;
  offline?: true;
  failOn: 'error' | 'warning';
  json?: true;
}

/**
 * Returns the options of the commands that `status` proposes. Options from registry.yaml need no repetition. A name in
 * angle brackets stands for a value that neither the file nor the command line has: as printed, a shell refuses it.
 */
export function commandSettings(
  options: StatusCommandOptions,
  command: Command,
  { rootKey: { development } }: RegistryStatus,
): CommandSettings {
  const { issuers, out, rootKey, baseUrl, key, signerCommand, checkpointPublicKey } = options;
  /** An option that was given on the command line. */
  const given = (name: string, flag: string, value: string | undefined) =>
    value !== undefined && command.getOptionValueSource(name) === 'cli' ? [flag, shellWord(value)] : [];
  const rootKeyOptions = given('rootKey', '--root-key', rootKey);
  const isMissing = key === undefined && signerCommand === undefined;
  const rootSigner = isMissing && !development ? ['--key', '<ROOT_KEY_FILE>'] : given('key', '--key', key);
  const hasOnlineKey = hasSigner(options.settings.checkpoint);
  return {
    ...{ issuers: shellWord(issuers), out: shellWord(out), rootKeyOptions },
    ...{ baseUrl: baseUrl && shellWord(baseUrl) },
    hasRootKey: rootKey !== undefined,
    rootKeyFile: rootKey === undefined ? '<ROOT_PUBLIC_KEY_FILE>' : shellWord(rootKey),
    rootOptions: [...rootSigner, ...rootKeyOptions],
    productionOptions: development ? [] : ['--production'],
    buildOptions: [
      ...given('issuers', '--issuers', issuers),
      ...given('out', '--out', out),
      ...(options.allowExampleNames ? ['--allow-example-names'] : []),
    ],
    overrideOptions:
      command.getOptionValueSource('override') === 'cli'
        ? (options.settings.transitions?.overrides ?? []).flatMap(({ issuer_id, rule }) => [
            '--override',
            shellWord(`${issuer_id}:${rule}`),
          ])
        : [],
    hasOnlineKey,
    asksMirror: asksMirror(options.settings),
    onlineOptions: hasOnlineKey ? [] : ['--online-key', '<ONLINE_KEY_FILE>'],
    onlinePublicKey:
      checkpointPublicKey === undefined ? '<ONLINE_PUBLIC_KEY_FILE>' : shellWord(checkpointPublicKey),
  };
}
