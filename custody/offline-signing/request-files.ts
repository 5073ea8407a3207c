import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isObject, LIMITS, limitOf } from '@passport-registry/verifier/core';
import { IoFailed, RequestRejected, UsageError } from '../../generator/errors.js';
import { readIfExists } from '../../generator/files/read-file.js';
import { aboutBytes } from '../../generator/list/about.js';
import { parseJson } from '../../generator/signing/key-file.js';
import { PATHS } from '../../generator/tree/paths.js';
import { OUTGOING, PAYLOAD_TYPES, PAYLOADS, type PayloadType } from './payloads.js';
import { describeRequest, type SigningRequest } from './signing-request.js';

/** What a request changes, in words, for people. No program reads it. */
const CHANGES = 'CHANGES.txt';

/** The folder of what the request follows. */
const PREVIOUS = 'previous';

/** The publication statement in that folder. */
const STATEMENT = 'publication.jwt';

/** The publication that a request follows, as it is published. */
export interface PreviousFiles {
  readonly list: Buffer;
  readonly signature: string;
  /** The publication statement, a JWT; undefined if it is missing. */
  readonly statement: Buffer | undefined;
  /** The content of about.json; undefined if there is none. */
  readonly about: Buffer | undefined;
}

/** The files of a request. */
export interface RequestFiles {
  /** The bytes to sign. */
  readonly payloads: ReadonlyMap<PayloadType, Buffer>;
  /** The content of about.json, whose hash the publication statement contains; undefined if there is none. */
  readonly about: Buffer | undefined;
  /** Undefined for a first list. */
  readonly previous: PreviousFiles | undefined;
}

/**
 * Reads the folder of a signing request, and verifies nothing but which payloads it has.
 *
 * @throws {@link UsageError} | {@link IoFailed}
 */
export function readRequestFiles(folder: string): RequestFiles {
  const payloads = new Map<PayloadType, Buffer>();
  for (const type of PAYLOAD_TYPES) {
    const limit = type === 'list' ? limitOf(PATHS.list) : LIMITS.jwt;
    const bytes = readIfExists(join(folder, PAYLOADS[type].file), limit);
    if (bytes !== undefined) payloads.set(type, bytes);
  }
  assertKnownPayloads(folder);
  assertComplete(folder, payloads);
  const read = (path: string) => readIfExists(join(folder, PREVIOUS, path), limitOf(path));
  const list = read(PATHS.list);
  const signature = read(PATHS.signature)?.toString('utf8') ?? '';
  const previous = list && {
    list,
    signature,
    statement: readIfExists(join(folder, PREVIOUS, STATEMENT), LIMITS.jwt),
    about: read(PATHS.about),
  };
  const about = readIfExists(join(folder, PATHS.about), limitOf(PATHS.about));
  return { payloads, about, previous };
}

/** Returns the thumbprints of the root keys that a request names as its signers, as far as they can be read. */
export function requestedKeys({ payloads }: Pick<RequestFiles, 'payloads'>): readonly string[] {
  return [...payloads].flatMap(([type, bytes]) => (type === 'list' ? [] : (keyOf(bytes) ?? [])));
}

/** Returns the thumbprint of the root key that signs a statement. Undefined if it cannot be read. */
export function keyOf(statement: Buffer): string | undefined {
  const [header = ''] = statement.toString('latin1').split('.');
  const parsed = parseJson(Buffer.from(header, 'base64url').toString('utf8'));
  return isObject(parsed) && typeof parsed['kid'] === 'string' ? parsed['kid'] : undefined;
}

/** A payload that this version does not show must not be signed beside those that it shows. */
function assertKnownPayloads(folder: string): void {
  const known: readonly string[] = PAYLOAD_TYPES.map((type) => PAYLOADS[type].file);
  const outgoing = existsSync(join(folder, OUTGOING)) ? namesIn(join(folder, OUTGOING)) : [];
  const names = [...namesIn(folder), ...outgoing.map((name) => `${OUTGOING}/${name}`)];
  const unknown = names.find((name) => name.endsWith('.signing-input') && !known.includes(name));
  if (unknown === undefined) return;
  throw new RequestRejected(
    'ERR_REQUEST_UNKNOWN',
    `${folder} has the payload ${unknown}, whose type this version does not know: do not sign, and update the program`,
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const problem = isMissing ? 'it does not exist' : (cause as Error).message;
    throw new UsageError(`${folder} is not a signing request: ${problem}`, { cause });
  }
}

/** A list and its statement come together, in a rotation with the step. A checkpoint may come with them, or alone. */
function assertComplete(folder: string, payloads: ReadonlyMap<PayloadType, Buffer>): void {
  if (payloads.size === 0) {
    throw new UsageError(`${folder} is not a signing request: it has no payload, such as ${PATHS.list}`);
  }
  if (payloads.has('list') && !payloads.has('publication')) {
    throw new UsageError(
      `${folder} is not a signing request: it has a list, but no ${PAYLOADS.publication.file}`,
    );
  }
  if (payloads.has('publication') && !payloads.has('list')) {
    throw new UsageError(
      `${folder} is not a signing request: it has a publication statement, but no ${PATHS.list}`,
    );
  }
  if (payloads.has('rotation') && !payloads.has('list')) {
    throw new UsageError(
      `${folder} is not a signing request: it has a rotation step, but no ${PATHS.list}, which the next root key signs`,
    );
  }
}

/** Writes a new folder with a signing request. @throws {@link UsageError} if the folder exists; {@link IoFailed} */
export function writeRequestFiles(folder: string, request: SigningRequest): void {
  if (existsSync(folder)) throw new UsageError(`${folder} exists; name a new folder for the signing request`);
  const { payloads, publication } = request;
  const { previous } = request;
  const write = (path: string, content: Uint8Array | string | undefined) => {
    if (content === undefined) return;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const writePrevious = (path: string, content: Uint8Array | string | undefined) =>
    write(join(PREVIOUS, path), content);
  try {
    for (const { type, bytes, signature } of payloads) {
      write(PAYLOADS[type].file, bytes);
      write(PAYLOADS[type].signature, signature);
    }
    write(PATHS.about, publication && aboutBytes(publication.about));
    write(CHANGES, [...describeRequest(request), ''].join('\n'));
    writePrevious(PATHS.list, previous?.list);
    writePrevious(PATHS.signature, previous?.signature);
    writePrevious(STATEMENT, previous?.statement.text);
    writePrevious(PATHS.about, previous?.about && aboutBytes(previous.about));
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
