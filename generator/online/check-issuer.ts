import type { Issuer } from '@passport-registry/verifier';
import { isObject, parseStrictJson } from '@passport-registry/verifier/core';
import { findMetadataFaults } from '@passport-registry/verifier/http';
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
    checkDocument(issuer.discovery_uri, options, async (value) => checkMetadata(value, issuer)),
    checkDocument(issuer.jwks_uri, options, checkKeys),
    checkPolicy(issuer.policy_uri, options),
  ]);
  const fields = ['discovery_uri', 'jwks_uri', 'policy_uri'] as const;
  return fields.flatMap((field, at) => (found[at] ?? []).map((finding) => ({ field, finding })));
}

/** Checks a document that a record names. @param check - checks its content */
async function checkDocument(
  url: string,
  options: GetOptions,
  check: (value: unknown) => Promise<Finding[]>,
): Promise<Finding[]> {
  let response: HttpResponse;
  try {
    response = await get(url, options);
  } catch (error) {
    return [toFinding(error)];
  }
  const found = checkCors(response, url);
  let value: unknown;
  try {
    value = parseStrictJson(response.body);
  } catch (error) {
    return [...found, { rule: 'not-json', message: `${url} is not JSON: ${(error as Error).message}` }];
  }
  return [...found, ...(await check(value))];
}

function checkCors({ headers }: HttpResponse, url: string): Finding[] {
  const allowed = headers['access-control-allow-origin'];
  if (allowed === '*' || allowed === ORIGIN) return [];
  return [{ rule: 'no-cors', message: `${url} cannot be read by verifiers in browsers` }];
}

/** The rules that metadata violate if verifiers refuse them. */
const METADATA_RULES = {
  form: 'discovery-incomplete',
  issuer: 'discovery-other-host',
  jwks_uri: 'discovery-other-keys',
} as const;

/** Checks the metadata of an issuer against its record. */
export function checkMetadata(metadata: unknown, issuer: Issuer): Finding[] {
  const found = findMetadataFaults(metadata, issuer).map(({ about, message }) => ({
    rule: METADATA_RULES[about],
    message: `the metadata ${message}`,
  }));
  const named = isObject(metadata) ? metadata['issuer_id'] : undefined;
  if (typeof named !== 'string' || named === issuer.issuer_id) return found;
  const message = `the metadata names the issuer_id ${shown(named)}`;
  return [{ rule: 'discovery-other-issuer', message }, ...found];
}

/** Checks the policy. Its problems are only warnings, because no verification depends on the policy. */
async function checkPolicy(url: string | null | undefined, options: GetOptions): Promise<Finding[]> {
  if (url === null || url === undefined) return [];
  try {
    await get(url, options, MAX_POLICY_REDIRECTS);
    return [];
  } catch (error) {
    const found = toFinding(error);
    // The policy exists. Policies may be longer than the limit.
    if (found.rule === 'answer-too-large') return [];
    return [{ ...found, severity: 'warning' }];
  }
}

function toFinding(error: unknown): Finding {
  if (!(error instanceof GetFailed)) throw error;
  return { rule: error.rule, message: error.message };
}
