import type { Issuer } from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/core';
import { type Finding, shown } from '../diagnostics/diagnostic.js';
import { checkKeys } from './check-keys.js';
import { GetFailed, type GetOptions, get, type HttpResponse, ORIGIN } from './fetch-document.js';

/** A problem with a document that a record names. */
interface OnlineFinding {
  readonly field: 'discovery_uri' | 'jwks_uri' | 'policy_uri';
  readonly finding: Finding;
}

/** People read the policy in browsers, which follow redirects. Verifiers do not follow redirects. */
const MAX_POLICY_REDIRECTS = 5;

/**
 * Checks the documents that an issuer publishes (rule issuer-metadata). The metadata must name the issuer_id and the
 * jwks_uri of the record, which proves that the author of the record controls the issuer. Verifiers must be able to use
 * the keys. The policy must exist.
 */
export async function checkIssuer(issuer: Issuer, options: GetOptions): Promise<OnlineFinding[]> {
  const found = await Promise.all([
    checkDocument(issuer, options, {
      field: 'discovery_uri',
      check: async (value) => checkMetadata(value, issuer),
    }),
    checkDocument(issuer, options, { field: 'jwks_uri', check: checkKeys }),
    checkPolicy(issuer.policy_uri, options),
  ]);
  return found.flat();
}

/** A document that a record names, with the check of its content. */
interface LinkedDocument {
  readonly field: 'discovery_uri' | 'jwks_uri';
  readonly check: (value: unknown) => Promise<Finding[]>;
}

async function checkDocument(
  issuer: Issuer,
  options: GetOptions,
  { field, check }: LinkedDocument,
): Promise<OnlineFinding[]> {
  const url = issuer[field];
  const findings = await get(url, options).then(
    async (response) => [...checkCors(response, url), ...(await checkContent(response, url, check))],
    (error: unknown) => [toFinding(error)],
  );
  return findings.map((finding) => ({ field, finding }));
}

async function checkContent(
  { body }: HttpResponse,
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

function checkCors({ headers }: HttpResponse, url: string): Finding[] {
  const allowed = headers['access-control-allow-origin'];
  if (allowed === '*' || allowed === ORIGIN) return [];
  return [{ rule: 'no-cors', message: `${url} cannot be read by verifiers in browsers` }];
}

/** Checks the metadata of an issuer against its record. */
export function checkMetadata(value: unknown, { issuer_id, jwks_uri, discovery_uri }: Issuer): Finding[] {
  const metadata = (value ?? {}) as Record<string, unknown>;
  const missing = ['issuer', 'issuer_id', 'jwks_uri'].filter((name) => typeof metadata[name] !== 'string');
  if (missing.length > 0) {
    return [{ rule: 'discovery-incomplete', message: `the metadata has no ${missing.join(', ')}` }];
  }
  const found: Finding[] = [];
  const issuer = String(metadata['issuer']);
  if (metadata['issuer_id'] !== issuer_id) {
    const message = `the metadata names the issuer_id ${shown(metadata['issuer_id'])}`;
    found.push({ rule: 'discovery-other-issuer', message });
  }
  if (metadata['jwks_uri'] !== jwks_uri) {
    const message = `the metadata names the jwks_uri ${shown(metadata['jwks_uri'])}`;
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

/** Checks the policy. Its problems are only warnings, because no verification depends on the policy. */
async function checkPolicy(url: string | null | undefined, options: GetOptions): Promise<OnlineFinding[]> {
  if (url === null || url === undefined) return [];
  try {
    await get(url, options, MAX_POLICY_REDIRECTS);
    return [];
  } catch (error) {
    const found = toFinding(error);
    // The policy exists. Policies may be longer than the limit.
    if (found.rule === 'answer-too-large') return [];
    return [{ field: 'policy_uri', finding: { ...found, severity: 'warning' } }];
  }
}

function toFinding(error: unknown): Finding {
  if (!(error instanceof GetFailed)) throw error;
  return { rule: error.rule, message: error.message };
}
