import {
  type DocumentFault,
  DocumentRefused,
  findMetadataFaults,
  parseDocument,
  type UrlPart,
} from '@passport-registry/passports/documents';
import type { Issuer } from '@passport-registry/verifier';
import { isObject } from '@passport-registry/verifier/core';
import { type Finding, shown } from '../../generator/diagnostics/diagnostic.js';
import { checkKeys } from './check-keys.js';
import { unknownEncoding } from './decode-body.js';
import {
  GetFailed,
  type GetOptions,
  get,
  type HttpResponse,
  isReadableCrossOrigin,
} from './fetch-document.js';

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
  const isReadable = await isReadableCrossOrigin(url, options, response);
  const found: Finding[] = isReadable
    ? []
    : [{ rule: 'no-cors', message: `${url} cannot be read by verifiers in browsers` }];
  let value: unknown;
  try {
    value = parseDocument(response.body);
  } catch (error) {
    if (!(error instanceof DocumentRefused)) throw error;
    const { fault, message } = error;
    const encoding = unknownEncoding(response);
    if (encoding !== undefined) {
      const remedy = 'compress with what the client asks for: verifiers ask for gzip';
      const words = `${url} is not JSON: its Content-Encoding is ${shown(encoding)}, and ${message}`;
      return [...found, { rule: 'not-json', message: words, remedy }];
    }
    return [
      ...found,
      { rule: 'not-json', message: `${url} is not JSON: ${message}`, remedy: JSON_REMEDIES[fault] },
    ];
  }
  return [...found, ...(await check(value))];
}

/** What to do about a document that is not strict JSON. */
const JSON_REMEDIES: Readonly<Record<DocumentFault, string>> = {
  empty: 'serve the document: the response has no content',
  compressed: 'serve the document uncompressed, or compress it with gzip and say so in Content-Encoding',
  'not-utf8': 'save the document as UTF-8',
  'byte-order-mark': 'save the document as UTF-8 without a byte order mark (BOM)',
  markup: 'serve the JSON document at this URL, and not a page for people',
  'duplicate-member': 'remove one of the two members: parsers disagree about which one counts',
  'number-too-large': 'write the number as a string, or remove it',
  'too-deep': 'remove the nested brackets',
  syntax: 'correct the JSON here',
};

/** The rules that metadata violate if verifiers refuse them. */
const METADATA_RULES = {
  form: 'discovery-incomplete',
  issuer: 'discovery-other-host',
  jwks_uri: 'discovery-other-keys',
} as const;

/** What to do about a URL in the metadata that differs in one part only. A TLS proxy hides scheme and port. */
const PART_REMEDIES: Readonly<Partial<Record<UrlPart, string>>> = {
  scheme: 'write https:// in the metadata; behind a TLS proxy, tell the application its public URL',
  port: 'write the port of the record in the metadata; behind a proxy, tell the application its public URL',
  spelling: 'write the URL in the metadata as in the record, character by character',
};

/** Checks the metadata of an issuer against its record. */
function checkMetadata(metadata: unknown, issuer: Issuer): Finding[] {
  const found = findMetadataFaults(metadata, issuer).map(({ about, differs, message }): Finding => {
    const [part, another] = differs;
    const remedy = part === undefined || another !== undefined ? undefined : PART_REMEDIES[part];
    return { rule: METADATA_RULES[about], message: `the metadata ${message}`, remedy };
  });
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
  return { rule: error.rule, message: error.message, remedy: error.remedy };
}
