import { dirname, resolve } from 'node:path';
import { type Diagnostic, diagnostic, type Finding, shown } from '../../generator/diagnostics/diagnostic.js';
import { didYouMean } from '../../generator/diagnostics/messages.js';
import { ConfigurationRejected } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import {
  type SchemaError,
  validateConfiguration,
} from '../../generator/generated/configuration-validator.js';
import { pathOf } from '../../generator/records/yaml/locate.js';
import { type ParsedFile, parseRecordFile } from '../../generator/records/yaml/parse.js';
import type { TransitionOverride } from '../../generator/review/forbidden-changes.js';
import type { SignerInput } from '../../generator/signing/command-signer.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import { accentFault } from '../../generator/tree/site/accent.js';
import type { PageSettings } from '../../generator/tree/site/page-settings.js';

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
  const parsed = parseRecordFile({ file, stem: '', text });
  const value = parsed.value ?? {};
  const conforms = validateConfiguration(value);
  const found = violations(validateConfiguration.errors ?? []).map((error) => locateError(parsed, error));
  const empty = parsed.diagnostics.every(({ rule }) => rule === 'empty-file');
  const accents = conforms ? unreadableAccent(parsed, value as Configuration) : [];
  const diagnostics = [...(empty ? [] : parsed.diagnostics), ...found, ...accents].map(withoutExcerpt);
  if (diagnostics.length > 0 || !conforms) throw new ConfigurationRejected(file, diagnostics);
  return withAbsolutePaths(value as Configuration, dirname(file));
}

function unreadableAccent(parsed: ParsedFile, { page }: Configuration): Diagnostic[] {
  const fault = page?.accent === undefined ? undefined : accentFault(page.accent);
  if (fault === undefined) return [];
  const message = `page.accent is ${page?.accent}, which nobody could read`;
  return [
    diagnostic(parsed, parsed.locate(['page', 'accent']), { rule: 'unknown-value', message, ...fault }),
  ];
}

/** Removes the violations of a format where the pattern of the same value is violated, too. */
function violations(errors: readonly SchemaError[]): readonly SchemaError[] {
  const patterns = errors.filter(({ keyword }) => keyword === 'pattern').map((error) => error.instancePath);
  return errors.filter(
    ({ keyword, instancePath }) => keyword !== 'format' || !patterns.includes(instancePath),
  );
}

/**
 * Removes the excerpt: a line of a configuration can contain a key or a PIN, and a file given by mistake can contain
 * anything.
 */
function withoutExcerpt({ excerpt: _line, ...found }: Diagnostic): Diagnostic {
  return found;
}

function locateError(parsed: ParsedFile, error: SchemaError): Diagnostic {
  const path = pathOf(error.instancePath);
  const unknown: unknown = error.params['additionalProperty'];
  const range =
    unknown === undefined ? parsed.locate(path) : parsed.locate([...path, String(unknown)], 'key');
  return diagnostic(parsed, range, finding(path.join('.') || WHOLE, error));
}

const WHOLE = 'the file';

function finding(name: string, { keyword, params, data, parentSchema, message }: SchemaError): Finding {
  if (keyword === 'additionalProperties') {
    const field = String(params['additionalProperty']);
    const known = Object.keys(parentSchema?.['properties'] ?? {});
    return {
      rule: 'unknown-field',
      message: `${shown(field)} is not a setting of ${name}`,
      expected: `one of ${known.join(', ')}`,
      remedy: didYouMean(field, known) ?? 'remove it',
    };
  }
  const expected = String(parentSchema?.['description'] ?? message);
  if (keyword === 'required') {
    const field = String(params['missingProperty']);
    return { rule: 'missing-field', message: `${name} has no ${field}`, expected, remedy: `add ${field}` };
  }
  if (keyword === 'enum') {
    const allowed = (params['allowedValues'] as string[]).join(', ');
    return {
      rule: 'unknown-value',
      message: `${name} is ${shown(data)}`,
      expected: `one of ${allowed}`,
      remedy: didYouMean(String(data), params['allowedValues'] as string[]) ?? 'choose one of them',
    };
  }
  // A long string in the wrong place may be a key. A file that is only a string was given by mistake.
  const isSecret = typeof data === 'string' && (data.length > 40 || name === WHOLE);
  const found = isSecret ? 'a string that is not shown' : shown(data);
  // People can't read these grammars. The description says what they demand.
  const isGrammar = keyword === 'pattern' || keyword === 'format';
  return {
    rule: 'wrong-type',
    message: `${name} is ${found}`,
    expected,
    remedy: isGrammar ? 'write the value in the expected form' : `the value ${message}`,
  };
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
