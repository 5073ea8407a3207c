import {
  decodeBase64,
  formatNote,
  formatSignature,
  isNamed,
  LIMITS,
  parseHead,
  type SignedHead,
  textOf,
} from '@passport-registry/verifier/core';
import { LimitExceeded, readLimited } from '@passport-registry/verifier/http';
import { type Context, Hono } from 'hono';
import { GeneratorError } from '../../generator/errors.js';
import { cosignedHeadPath } from '../../generator/log/log-files.js';
import { type Cosigner, cosignHead, type HeadRefusal, HeadRefused } from './cosign-head.js';
import type { KnownLogs } from './known-logs.js';
import { type CosignedHead, lastCosigned } from './witness-state.js';

/** What a witness service needs. */
interface WitnessService {
  readonly cosigner: Cosigner;
  readonly logs: KnownLogs;
  /** Receives what happens, in words. */
  readonly report: (line: string) => void;
}

/** Answers requests. Its type does not mention Hono, because Hono is not installed with this package. */
export interface App {
  readonly fetch: (request: Request, bindings?: object) => Response | Promise<Response>;
}

/** The maximum size of the body of a request: a head, which is far larger than any proof. */
const MAX_BODY_BYTES = LIMITS.logProof;

/** The status codes of C2SP tlog-witness. */
const STATUS = {
  malformed: 400,
  unsigned: 403,
  'unknown-log': 404,
  conflict: 409,
  'other-root': 409,
  inconsistent: 422,
} as const satisfies Record<HeadRefusal, number>;

const TEXT = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
const SIZE = { ...TEXT, 'Content-Type': 'text/x.tlog.size' };

/** Creates the HTTP interface of a witness (C2SP tlog-witness). */
export function witnessApp(service: WitnessService): App {
  const app = new Hono();
  app.post('/add-checkpoint', (c) => addCheckpoint(c, service));
  app.all('/add-checkpoint', (c) => c.body('POST a checkpoint here\n', 405, { ...TEXT, Allow: 'POST' }));
  app.get('/:hash/checkpoint', (c) => newestHead(c, service));
  app.notFound((c) => c.body('this witness has no such resource\n', 404, TEXT));
  app.onError((error, c) => fail(c, error, service));
  return app;
}

async function addCheckpoint(c: Context, service: WitnessService): Promise<Response> {
  let asked: AddCheckpoint | undefined;
  try {
    asked = parseAddCheckpoint(await readLimited(c.req.raw.body, MAX_BODY_BYTES));
    const { head } = await cosign(asked, service);
    service.report(`${head.origin}: cosigned the head with ${head.size} entries`);
    const own = head.note.signatures.filter((line) => isNamed(line, service.cosigner.state.key));
    return c.body(own.map(formatSignature).join(''), 200, TEXT);
  } catch (error) {
    if (!(error instanceof HeadRefused)) throw error;
    const { refusal, size, message } = error;
    service.report(`refused with ${STATUS[refusal]}: ${message}`);
    const isOtherHistory = refusal === 'inconsistent' || refusal === 'other-root';
    if (isOtherHistory && asked !== undefined) service.report(evidence(asked.head));
    if (STATUS[refusal] === 409) return c.body(`${size}\n`, 409, SIZE);
    return c.body(`${message}\n`, STATUS[refusal], TEXT);
  }
}

/** Cosigns a head. If no known key has signed it, the log may have a new key. */
async function cosign(
  asked: AddCheckpoint,
  { cosigner, logs, report }: WitnessService,
): Promise<CosignedHead> {
  const attempt = () => cosignHead(cosigner, { ...request(asked), logKeys: logs.keys() });
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof HeadRefused) || error.refusal !== 'unsigned') throw error;
    await logs
      .refresh()
      .catch((cause: Error) => report(`the key of the log cannot be read: ${cause.message}`));
    return attempt();
  }
}

/** The client must know the size that the witness has cosigned last, because its proof begins there. */
function request({ oldSize, proof, head }: AddCheckpoint) {
  const prove = async ({ size }: { readonly size: number }) => {
    if (size === oldSize) return proof;
    throw new HeadRefused(
      'conflict',
      `the proof begins at ${oldSize} entries, but ${size} are cosigned`,
      size,
    );
  };
  return { head, prove };
}

/** Describes a head that contradicts the cosigned one: it may prove that the log has two histories. */
function evidence({ note, origin }: SignedHead): string {
  const signatures = note.signatures.filter(({ name }) => name === origin);
  return `the refused head is ${JSON.stringify(formatNote({ text: note.text, signatures }))}`;
}

async function newestHead(c: Context, { cosigner, logs }: WitnessService): Promise<Response> {
  const path = `${c.req.param('hash')}/checkpoint`;
  const known = logs.keys().find(({ name }) => cosignedHeadPath(name) === path);
  const last = known && (await lastCosigned(cosigner.state, known.name));
  if (last === undefined) return c.body('this witness has cosigned no head of such a log\n', 404, TEXT);
  return c.body(formatNote(last.head.note), 200, TEXT);
}

/** Answers after an error. Says why to the operator, and not to the client. */
function fail(c: Context, error: Error, { report }: WitnessService): Response {
  if (error instanceof LimitExceeded) {
    report(`refused with 413: the body of a request is ${error.message}`);
    return c.body(`the body is ${error.message}\n`, 413, { ...TEXT, Connection: 'close' });
  }
  // A client that closes the connection, or a body that is damaged on its way.
  if (c.req.raw.signal.aborted) return c.body(null, 400);
  report(`failed: ${error instanceof GeneratorError ? error.message : (error.stack ?? error.message)}`);
  return c.body('the witness cannot cosign now\n', 503, TEXT);
}

/** The body of a request to cosign a head (C2SP tlog-witness, add-checkpoint). Nothing has been verified. */
interface AddCheckpoint {
  /** The size of the head that the witness has cosigned last, as the client knows it. */
  readonly oldSize: number;
  /** The consistency proof from the old size. */
  readonly proof: readonly Uint8Array[];
  readonly head: SignedHead;
}

/** The maximum number of hashes in a proof (C2SP tlog-witness). */
const MAX_PROOF_LINES = 63;

const malformed = (message: string) => new HeadRefused('malformed', `the request ${message}`);

/** The old size, the lines of the proof, and an empty line. The head follows. */
const START = /^old (0|[1-9][0-9]{0,15})\n((?:[^\n]+\n)*)\n/;

/** Parses the body of a request. Accepts one spelling of each request. @throws {@link HeadRefused} */
function parseAddCheckpoint(body: Uint8Array): AddCheckpoint {
  const text = textOf(body, malformed);
  const [start = '', size, lines = ''] = START.exec(text) ?? [];
  const oldSize = Number(size);
  if (!Number.isSafeInteger(oldSize)) {
    throw malformed('does not begin with an old size, a proof and an empty line');
  }
  const proof = lines.split('\n').slice(0, -1).map(decodeBase64);
  if (proof.length > MAX_PROOF_LINES) throw malformed(`has more than ${MAX_PROOF_LINES} lines of proof`);
  if (!areHashes(proof)) throw malformed('has a line of proof that is not a hash in base64');
  const head = parseHead(text.slice(start.length), (message) => malformed(`has a head that ${message}`));
  if (oldSize > head.size) throw malformed('has an old size that is larger than the head');
  return { oldSize, proof, head };
}

const areHashes = (proof: readonly (Uint8Array | undefined)[]): proof is readonly Uint8Array[] =>
  proof.every((hash) => hash?.length === 32);
