import { isListOf, isObjectOf } from '../bytes/checks.js';
import { strictJsonOf } from '../bytes/strict-json.js';
import { RegistryError } from '../errors.js';
import { isValidIssuerId } from '../generated/predicates.js';

/** The name and the version of the format. */
const FORMAT = 'registry-history-proof@v1';

/** The maximum size of a file in bytes. What it contains is smaller by far in any registry. */
const MAX_BYTES = 1024 * 1024;

/** The content of a file that proves what a registry said of an issuer in the past (rule history-proof). Nothing has been verified. */
export interface HistoryProof {
  /** The first proof of the publication that has the quorum: the content of `first.tlog-proof`. */
  readonly first_proof: string;
  readonly format: typeof FORMAT;
  readonly issuer_id: string;
  /** The newest proof before another publication: the content of `last.tlog-proof`, or of `publication.tlog-proof`. */
  readonly last_proof: string;
  /** The entries of the log after the publication, up to the head of the last proof. None of them is a publication. */
  readonly later_entries: readonly string[];
  /** The publication statement: the content of `publication.jwt`. */
  readonly publication: string;
  /** The content of `issuers/<issuer_id>`. Absent if the list has no such issuer. */
  readonly record?: string;
  /** The steps of `keys/rotation.json` up to the root key that signed the statement. Empty if none leads there. */
  readonly rotation: readonly string[];
  /** The sums files from `sums/root` down to the one that names the record, or shows that there is none. */
  readonly sums: readonly string[];
}

const isText = (value: unknown) => typeof value === 'string';
const areTexts = (value: unknown) => isListOf(value, isText);

/** The checks of the members, in the order of RFC 8785. */
const CHECKS: { readonly [Member in keyof Required<HistoryProof>]: (value: unknown) => boolean } = {
  first_proof: isText,
  format: (value) => value === FORMAT,
  issuer_id: isValidIssuerId,
  last_proof: isText,
  later_entries: areTexts,
  publication: isText,
  record: isText,
  rotation: areTexts,
  sums: areTexts,
};
const MEMBERS = Object.keys(CHECKS);
const REQUIRED = MEMBERS.filter((member) => member !== 'record');

/** Parses a file, and checks the form of its members. @throws `ERR_BUNDLE_INVALID` */
export function parseHistoryProof(file: Uint8Array | string): HistoryProof {
  const isContent = typeof file === 'string' || file instanceof Uint8Array;
  if (!isContent)
    throw new RegistryError('ERR_BUNDLE_INVALID', 'pass the content of the file, as a string or as bytes');
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  if (bytes.length > MAX_BYTES)
    throw new RegistryError('ERR_BUNDLE_INVALID', `the proof is larger than ${MAX_BYTES} bytes`);
  const value = strictJsonOf(
    bytes,
    (problem, cause) => new RegistryError('ERR_BUNDLE_INVALID', `the proof ${problem}`, { cause }),
  );
  const isMember = (member: string, content: unknown) =>
    Object.hasOwn(CHECKS, member) && CHECKS[member as keyof HistoryProof](content);
  if (!isObjectOf(value, REQUIRED, isMember))
    throw new RegistryError('ERR_BUNDLE_INVALID', `this is not a file of the format ${FORMAT}`);
  return value as HistoryProof;
}

/** Formats a file: its canonical JSON (RFC 8785). */
export function formatHistoryProof(proof: Omit<HistoryProof, 'format'>): string {
  return JSON.stringify({ ...proof, format: FORMAT }, MEMBERS);
}
