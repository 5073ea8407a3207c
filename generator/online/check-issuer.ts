import type { Issuer } from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/internal';
import { type Finding, shown } from '../diagnostics/diagnostic.js';
import { checkKeys } from './check-keys.js';
import { type Answer, GetFailed, type GetOptions, get, ORIGIN } from './fetch-document.js';

/** What is wrong with a document that a record points to. */
export interface OnlineFinding {
  readonly field: 'discovery_uri' | 'jwks_uri' | 'policy_uri';
  readonly finding: Finding;
}

/** People follow redirects, other than verifiers. */
const MAX_POLICY_REDIRECTS = 5;

/**
 * Looks at what an issuer publishes (SPEC B8): its metadata must name this record's issuer_id and jwks_uri, which is the
 * proof that whoever sent the record controls the issuer; its keys must be good ones; its policy must be there.
 */
export async function checkIssuer(issuer: Issuer, options: GetOptions): Promise<OnlineFinding[]> {
  const found = await Promise.all([
    document(issuer, options, {
      field: 'discovery_uri',
      check: async (value) => checkMetadata(value, issuer),
    }),
    document(issuer, options, { field: 'jwks_uri', check: checkKeys }),
    policy(issuer.policy_uri, options),
  ]);
  return found.flat();
}

/** A document that a record leads to, and what is wrong with its content. */
interface LinkedDocument {
  readonly field: 'discovery_uri' | 'jwks_uri';
  readonly check: (value: unknown) => Promise<Finding[]>;
}

async function document(
  issuer: Issuer,
  options: GetOptions,
  { field, check }: LinkedDocument,
): Promise<OnlineFinding[]> {
  const url = issuer[field];
  const findings = await get(url, options).then(
    async (answer) => [...cors(answer, url), ...(await checked(answer, url, check))],
    (error: unknown) => [failure(error)],
  );
  return findings.map((finding) => ({ field, finding }));
}

async function checked(
  { body }: Answer,
  url: string,
  check: (value: unknown) => Promise<Finding[]>,
): Promise<Finding[]> {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch (error) {
    return [{ rule: 'not-json', message: `${url} is not JSON: ${(error as Error).message}` }];
  }
  return check(value);
}

function cors({ headers }: Answer, url: string): Finding[] {
  const allowed = headers['access-control-allow-origin'];
  if (allowed === '*' || allowed === ORIGIN) return [];
  return [{ rule: 'no-cors', message: `${url} cannot be read by verifiers in browsers` }];
}

function checkMetadata(value: unknown, { issuer_id, jwks_uri, discovery_uri }: Issuer): Finding[] {
  const metadata = (value ?? {}) as Record<string, unknown>;
  const missing = ['issuer', 'issuer_id', 'jwks_uri'].filter((name) => typeof metadata[name] !== 'string');
  if (missing.length > 0) {
    return [{ rule: 'discovery-incomplete', message: `the metadata has no ${missing.join(', ')}` }];
  }
  const found: Finding[] = [];
  const issuer = String(metadata['issuer']);
  if (metadata['issuer_id'] !== issuer_id) {
    const message = `the metadata names the issuer ${shown(metadata['issuer_id'])}`;
    found.push({ rule: 'discovery-other-issuer', message });
  }
  if (metadata['jwks_uri'] !== jwks_uri) {
    const message = `the metadata names the keys ${shown(metadata['jwks_uri'])}`;
    found.push({ rule: 'discovery-other-keys', message });
  }
  if (!URL.canParse(issuer) || new URL(issuer).origin !== new URL(discovery_uri).origin) {
    found.push({
      rule: 'discovery-other-host',
      message: `the metadata belongs to the issuer ${shown(issuer)}`,
    });
  }
  return found;
}

/** Nobody's verification depends on the policy: what is wrong there is a warning. */
async function policy(url: string | null | undefined, options: GetOptions): Promise<OnlineFinding[]> {
  if (url === null || url === undefined) return [];
  try {
    await get(url, options, MAX_POLICY_REDIRECTS);
    return [];
  } catch (error) {
    const found = failure(error);
    // It is there, and as long as policies are.
    if (found.rule === 'answer-too-large') return [];
    return [{ field: 'policy_uri', finding: { ...found, severity: 'warning' } }];
  }
}

function failure(error: unknown): Finding {
  if (!(error instanceof GetFailed)) throw error;
  return { rule: error.rule, message: error.message };
}
