import type { Command } from 'commander';
import { shellWord } from '../command-line.js';
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
 * Returns the options of the commands that `status` proposes. Options from registry.yaml need no repetition. What neither the file
 * nor the command line has is not in a command: the reason says what to name first.
 */
export function commandSettings(
  options: StatusCommandOptions,
  command: Command,
  { rootKey: { development } }: RegistryStatus,
): CommandSettings {
  const { config, issuers, out, rootKey, baseUrl, key, signerCommand, checkpointPublicKey } = options;
  /** An option that was given on the command line. */
  const given = (name: string, flag: string, value: string | undefined) =>
    value !== undefined && command.getOptionValueSource(name) === 'cli' ? [flag, shellWord(value)] : [];
  const rootKeyOptions = given('rootKey', '--root-key', rootKey);
  return {
    ...{ config, issuers: shellWord(issuers), out: shellWord(out), rootKeyOptions },
    ...{ baseUrl: baseUrl && shellWord(baseUrl) },
    rootKeyFile: rootKey && shellWord(rootKey),
    hasRootSigner: development || key !== undefined || signerCommand !== undefined,
    rootOptions: [...given('key', '--key', key), ...rootKeyOptions],
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
    hasOnlineKey: hasSigner(options.settings.checkpoint),
    asksMirror: asksMirror(options.settings),
    onlinePublicKey: checkpointPublicKey && shellWord(checkpointPublicKey),
  };
}
