import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type Issuer, TIERS } from '@passport-registry/verifier';
import { type Command, Option } from 'commander';
import { writeNewRecord } from '../../generator/authoring/new-record.js';
import { UsageError } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { reservedField } from '../../generator/review/reserved-names.js';
import { fileUrl } from '../../generator/verification/ask-host.js';
import { isMadeUpName } from '../online/fetch-document.js';
import { ISSUERS_OPTION } from '../options/common-options.js';
import { RECORDS_FOLDER } from '../options/named-records.js';
import { CONFIGURATION_FILE, type WithSettings } from '../options/settings.js';
import { asSource } from '../options/values.js';
import { ask } from '../terminal/ask.js';
import { type Io, say } from '../terminal/io.js';

interface Options extends WithSettings {
  issuers: string;
  name?: string;
  registry?: string;
  issuerUrl?: string;
  jwksUri?: string;
  discoveryUri?: string;
  tier: Issuer['tier'];
  certifiedSince?: string;
  policyUri?: string;
  geographicalScope?: string[];
  domainScope?: string[];
  passportTypes?: string[];
  contact?: string;
}

/** The path of the schema in a checkout of the registry. */
const SCHEMA = 'schemas/issuer.schema.json';

/** `passport-registry new` */
export function declareNew(command: Command, io: Io) {
  command
    .description('write the record of a new issuer; on a terminal, ask for missing values')
    .argument('<id>', 'issuer_id')
    .addOption(ISSUERS_OPTION)
    .option('--name <text>', 'what people call the issuer')
    .option('--issuer-url <url>', 'URL of the issuer, with its keys and metadata at the well-known paths')
    .option('--jwks-uri <url>', "URL of the issuer's public keys")
    .option('--discovery-uri <url>', "URL of the issuer's metadata")
    .addOption(new Option('--tier <name>', 'tier').choices(TIERS).default('registered'))
    .option('--certified-since <time>', 'RFC 3339 (default: now)')
    .option('--policy-uri <url>', "URL of the issuer's policy, as a page for people")
    .option('--geographical-scope <code...>', 'ISO 3166 codes, or global')
    .option('--domain-scope <slug...>', 'slugs or DNS names')
    .option('--passport-types <slug...>', 'slugs')
    .option('--contact <address>', 'e-mail address')
    .option('--registry <url>', 'URL of the registry, where editors find the schema');
  return (id: string, options: Options) => createRecord(io, id, options);
}

async function createRecord(io: Io, id: string, options: Options): Promise<void> {
  const registry = options.registry ?? options.settings.base_url;
  const schema = schemaLocation(registry);
  const { jwksUri, discoveryUri } = await issuerUrls(io, options);
  const optional = {
    name: options.name,
    policy_uri: options.policyUri,
    geographical_scope: options.geographicalScope,
    domain_scope: options.domainScope,
    passport_types: options.passportTypes,
    contact: options.contact,
  };
  const issuer = {
    issuer_id: id,
    tier: options.tier,
    status: 'active' as const,
    jwks_uri: jwksUri,
    discovery_uri: discoveryUri,
    certified_since: options.certifiedSince ?? formatUpdatedAt(Date.now()),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
  const isRegistry = existsSync(options.issuers) || existsSync(CONFIGURATION_FILE);
  const file = writeNewRecord(options.issuers, issuer, schema);
  say(io, `${file} is a valid record.`);
  const reserved = reservedField(issuer);
  if (reserved !== undefined) {
    const { field, host } = reserved;
    say(
      io,
      `WARNING: ${field} is under ${host}, a name that is reserved for examples. A production key never signs this record: use the URL of a real issuer`,
    );
  }
  const later = isMadeUp(issuer)
    ? ', once its URLs are those of a real issuer: names under .alt never answer'
    : '';
  const review = `Review it, then run \`npx passport-registry check --online ${id}\`${later}.`;
  for (const line of isRegistry ? [review] : nextSteps(file, registry)) say(io, line);
}

/** Whether a URL is under `.alt`, which no host of the Internet has (RFC 9476). Our documents use such names. */
function isMadeUp(issuer: Pick<Issuer, 'jwks_uri' | 'discovery_uri'>): boolean {
  return [issuer.jwks_uri, issuer.discovery_uri].some(
    (url) => URL.canParse(url) && isMadeUpName(new URL(url).hostname),
  );
}

/** Says what an issuer does next, who has no copy of the registry's repository. */
function nextSteps(file: string, registry = 'URL'): string[] {
  return [
    'Next, fill in the other fields in an editor. Then check the record, what your host serves, and the published list:',
    `  passport-registry check ${file}`,
    `  passport-registry check --online ${file}`,
    `  passport-registry diff ${registry} ${file}`,
    `To get listed, fork the registry's repository, add the file as ${RECORDS_FOLDER}/${basename(file)}, and send a pull request.`,
  ];
}

function schemaLocation(registry: string | undefined): string | undefined {
  const source = registry === undefined ? undefined : asSource(registry);
  if (registry !== undefined && source === undefined) {
    throw new UsageError(
      '--registry takes the http(s) URL of the registry without credentials, query or fragment: the record names it',
    );
  }
  if (existsSync(SCHEMA)) return SCHEMA;
  return source === undefined ? undefined : fileUrl(source, SCHEMA).href;
}

/**
 * Returns the URLs of the issuer's documents: from the options, or at the well-known paths (rule issuer-metadata). Asks
 * for a missing URL.
 */
async function issuerUrls(io: Io, options: Options): Promise<{ jwksUri: string; discoveryUri: string }> {
  const { jwksUri, discoveryUri, issuerUrl } = options;
  if (jwksUri !== undefined && discoveryUri !== undefined) return { jwksUri, discoveryUri };
  const question = 'URL of the issuer, such as https://issuer.example: ';
  const otherwise = 'give --issuer-url, or both --jwks-uri and --discovery-uri: there is no terminal to ask';
  const base = (issuerUrl ?? (await ask(io, question, otherwise))).replace(/\/$/, '');
  return {
    jwksUri: jwksUri ?? `${base}/.well-known/jwks.json`,
    discoveryUri: discoveryUri ?? `${base}/.well-known/openid-configuration`,
  };
}
