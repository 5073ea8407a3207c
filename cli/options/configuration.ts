import { dirname, resolve } from 'node:path';
import { type Diagnostic, diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { readText } from '../../generator/files/read-file.js';
import { validateConfiguration } from '../../generator/generated/configuration-validator.js';
import type { ParsedFile } from '../../generator/records/yaml/parse.js';
import type { TransitionOverride } from '../../generator/review/forbidden-changes.js';
import type { SignerInput } from '../../generator/signing/command-signer.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import { accentFault } from '../../generator/tree/site/accent.js';
import type { PageSettings } from '../../generator/tree/site/page-settings.js';
import { parseSettings } from './settings-file.js';

/** A signer: a key or a command. */
export interface SignerConfiguration {
  readonly key?: string | undefined;
  readonly passphrase_file?: string | undefined;
  readonly command?: string;
  readonly input?: SignerInput;
  /** Seconds. */
  readonly timeout?: number;
}

/** The online key, and the validity of the checkpoints that it signs. */
export interface CheckpointConfiguration {
  readonly hours?: number;
  readonly signer?: SignerConfiguration | undefined;
  readonly public_key?: string | undefined;
}

/** A witness of the log: its key, and where it answers. */
export interface WitnessConfiguration {
  readonly key: string;
  readonly mirror?: string;
  readonly service?: string;
}

/** The log, its key and its witnesses. */
export interface LogConfiguration {
  readonly origin?: string;
  readonly signer?: SignerConfiguration | undefined;
  readonly public_key?: string | undefined;
  /** MiB. */
  readonly keep_lists?: number;
  readonly quorum?: number;
  /** Seconds. */
  readonly wait?: number;
  readonly witnesses?: readonly WitnessConfiguration[];
}

/** The content of registry.yaml, according to schemas/registry.schema.json, with absolute paths. */
export interface Configuration extends RegistryDescription {
  readonly mirrors?: readonly string[];
  readonly base_url?: string;
  readonly root_key?: string | undefined;
  readonly holders?: string | undefined;
  readonly next_roots?: readonly string[];
  readonly precompress?: boolean;
  readonly statements?: boolean;
  readonly page?: Omit<PageSettings, 'baseUrl'> | undefined;
  readonly signer?: SignerConfiguration | undefined;
  readonly checkpoint?: CheckpointConfiguration | undefined;
  readonly log?: LogConfiguration | undefined;
  readonly delegation?: { readonly days?: number };
  readonly transitions?: { readonly overrides?: readonly TransitionOverride[] };
}

/**
 * Reads a configuration file.
 *
 * @throws {@link ConfigurationRejected} | {@link IoFailed}
 */
export function loadConfiguration(file: string): Configuration {
  return parseConfiguration(file, readText(file));
}

/**
 * Parses the text of a configuration file.
 *
 * @throws {@link ConfigurationRejected}
 */
export function parseConfiguration(file: string, text: string): Configuration {
  const checks = { validate: validateConfiguration, inspect: unreadableAccent };
  return withAbsolutePaths(parseSettings<Configuration>(file, text, checks), dirname(file));
}

function unreadableAccent({ page }: Configuration, parsed: ParsedFile): Diagnostic[] {
  const fault = page?.accent === undefined ? undefined : accentFault(page.accent);
  if (fault === undefined) return [];
  const message = `page.accent is ${page?.accent}, which nobody could read`;
  return [
    diagnostic(parsed, parsed.locate(['page', 'accent']), { rule: 'unknown-value', message, ...fault }),
  ];
}

function withAbsolutePaths(configuration: Configuration, folder: string): Configuration {
  const absolute = (path: string | undefined) =>
    path === undefined || path.startsWith('env:') ? path : resolve(folder, path);
  const signerOf = (signer: SignerConfiguration | undefined) =>
    signer && { ...signer, key: absolute(signer.key), passphrase_file: absolute(signer.passphrase_file) };
  const { root_key, holders, signer, checkpoint, log, page } = configuration;
  const online = <T extends Pick<CheckpointConfiguration, 'public_key' | 'signer'>>(given: T) => ({
    ...given,
    public_key: absolute(given.public_key),
    signer: signerOf(given.signer),
  });
  return {
    ...configuration,
    root_key: absolute(root_key),
    holders: absolute(holders),
    signer: signerOf(signer),
    checkpoint: checkpoint && online(checkpoint),
    log: log && online(log),
    page: page && { ...page, logo: absolute(page.logo) },
  };
}
