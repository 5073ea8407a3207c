import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { type Issuer, TIERS } from '@passport-registry/verifier';
import { type Command, Option } from 'commander';
import { writeNewRecord } from '../../generator/authoring/new-record.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { reservedField } from '../../generator/review/reserved-names.js';
import { fileUrl } from '../../generator/verification/ask-host.js';
import { isMadeUpName } from '../online/public-host.js';
import { ISSUERS_OPTION } from '../options/common-options.js';
import { RECORDS_FOLDER } from '../options/named-records.js';
import { CONFIGURATION_FILE, type WithSettings } from '../options/settings.js';
import { asSource } from '../options/values.js';
import { ask } from '../terminal/ask.js';
import { type Io, say } from '../terminal/io.js';

interface Options extends WithSettings {
  issuers: string;
  issuerUrl?: string;
  tier: Issuer['tier'];
}

/** The path of the schema in a checkout of the registry. */
const SCHEMA = 'schemas/issuer.schema.json';

/** `passport-registry new` */
export function declareNew(command: Command, io: Io) {
  command
    .description('write the record of a new issuer; on a terminal, ask for missing values')
    .argument('<id>', 'issuer_id')
    .addOption(ISSUERS_OPTION)
    .option('--issuer-url <url>', 'URL of the issuer, with its keys and metadata at the well-known paths')
    .addOption(new Option('--tier <name>', 'tier').choices(TIERS).default('registered'));
  return (id: string, options: Options) => createRecord(io, id, options);
}

async function createRecord(io: Io, id: string, options: Options): Promise<void> {
  const { tier, settings } = options;
  const base = await issuerUrl(io, options);
  const issuer = {
    issuer_id: id,
    tier,
    status: 'active' as const,
    // The well-known paths (rule issuer-metadata).
    jwks_uri: `${base}/.well-known/jwks.json`,
    discovery_uri: `${base}/.well-known/openid-configuration`,
    certified_since: formatUpdatedAt(Date.now()),
  };
  const isRegistry = existsSync(options.issuers) || existsSync(CONFIGURATION_FILE);
  const file = writeNewRecord(options.issuers, issuer, schemaLocation(settings.base_url));
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
  for (const line of isRegistry ? [review] : nextSteps(file)) say(io, line);
}

/** Whether a URL is under `.alt`, which no host of the Internet has (RFC 9476). Our documents use such names. */
function isMadeUp(issuer: Pick<Issuer, 'jwks_uri' | 'discovery_uri'>): boolean {
  return [issuer.jwks_uri, issuer.discovery_uri].some(
    (url) => URL.canParse(url) && isMadeUpName(new URL(url).hostname),
  );
}

/** Says what an issuer does next, who has no copy of the registry's repository. */
function nextSteps(file: string): string[] {
  return [
    'Next, fill in the other fields in an editor. Then check the record, what your host serves, and the published list:',
    `  passport-registry check ${file}`,
    `  passport-registry check --online ${file}`,
    `  passport-registry diff URL ${file}`,
    `To get listed, fork the registry's repository, add the file as ${RECORDS_FOLDER}/${basename(file)}, and send a pull request.`,
  ];
}

/** Returns where editors find the schema: in this checkout, or where the registry is published. */
function schemaLocation(baseUrl: string | undefined): string | undefined {
  if (existsSync(SCHEMA)) return SCHEMA;
  const source = baseUrl === undefined ? undefined : asSource(baseUrl);
  return source === undefined ? undefined : fileUrl(source, SCHEMA).href;
}

/** Returns the URL of the issuer, without a slash at the end. Asks for it if no option gives it. */
async function issuerUrl(io: Io, options: Options): Promise<string> {
  const question = 'URL of the issuer, such as https://issuer.example: ';
  const otherwise = 'give --issuer-url: there is no terminal to ask';
  const url = options.issuerUrl ?? (await ask(io, question, otherwise));
  return url.replace(/\/$/, '');
}
