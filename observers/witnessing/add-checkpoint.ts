import { decodeBase64, parseHead, type SignedHead, textOf } from '@passport-registry/verifier/core';
import { HeadRefused } from './head-refused.js';

/** The body of a request to cosign a head (C2SP tlog-witness, add-checkpoint). Nothing has been verified. */
export interface AddCheckpoint {
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
export function parseAddCheckpoint(body: Uint8Array): AddCheckpoint {
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
