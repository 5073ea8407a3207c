import { type CompactJws, JwsRefused, readCompactJws, verifyCompactJws } from '../core/keys/compact-jws.js';
import type { PublicKey } from '../core/keys/public-key.js';
import type { PassportReasonCode } from './reasons.js';
import { reject } from './rejection.js';

/** The kinds of JWS. The codes of their rejections begin with these names. */
type JwsKind = 'token' | 'proof' | 'mandate';

/**
 * Parses a compact JWS with {@link readCompactJws}, and turns a fault into a rejection. Only the header of a mandate may have
 * the key (rule mandate-jws).
 *
 * @param types - the accepted values of `typ`
 */
export function readJws(text: unknown, kind: JwsKind, types: readonly string[]): CompactJws {
  try {
    return readCompactJws(text, types, kind === 'mandate' ? 'jwk' : undefined);
  } catch (error) {
    return rejectJws(error, kind);
  }
}

/** Verifies the signature of a JWS with {@link verifyCompactJws}, and turns a fault into a rejection. */
export async function verifyJws(jws: CompactJws, kind: JwsKind, key: PublicKey): Promise<void> {
  try {
    await verifyCompactJws(jws, key);
  } catch (error) {
    rejectJws(error, kind);
  }
}

function rejectJws(error: unknown, kind: JwsKind): never {
  if (!(error instanceof JwsRefused)) throw error;
  reject(codeOf(error, kind), `the ${kind} ${error.message}`, error);
}

function codeOf({ fault }: JwsRefused, kind: JwsKind): PassportReasonCode {
  if (fault === 'signature') return `${kind}-signature-invalid`;
  if (fault === 'claims') return kind === 'mandate' ? 'mandate-malformed' : `${kind}-claims`;
  return `${kind}-${fault}`;
}
