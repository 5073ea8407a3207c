import { TreeRejected } from '../../generator/errors.js';

/** Why a witness refuses to cosign a head. */
export type HeadRefusal =
  /** The request is not in the form of C2SP tlog-witness. */
  | 'malformed'
  /** The witness does not know the log. */
  | 'unknown-log'
  /** The key of the log has not signed the head. */
  | 'unsigned'
  /** The head is smaller than the cosigned one, or the proof begins at another size. */
  | 'conflict'
  /** The head does not contain the cosigned one. */
  | 'inconsistent';

/** A witness refuses to cosign a head. */
export class HeadRefused extends TreeRejected {
  readonly refusal: HeadRefusal;
  /** For a conflict: the size of the head that the witness has cosigned last; 0 if it has cosigned none. */
  readonly size: number;

  constructor(refusal: HeadRefusal, message: string, size = 0) {
    super(message);
    this.refusal = refusal;
    this.size = size;
  }
}
