import { decodeJwt, decodeProtectedHeader } from 'jose';
import { RotationGap, RotationInvalid, RotationLoop, RotationSignature } from './errors.js';
import { importRootKey, type RootKey } from './root-key.js';
import { verifyStatement } from './statement.js';

const TYP = 'registry-root-rotation+jwt';
/** Longest chain that is walked (SPEC B7). */
const MAX_STEPS = 64;

/**
 * Walks from a pinned root key to the current one (SPEC B7).
 *
 * Each step is signed by the outgoing key, and its header's `kid` is that key's thumbprint. Steps before the pinned key
 * are of no concern; every step after it must follow from the one before.
 *
 * @param pinned - a root key that is trusted
 * @param text - /keys/rotation.json
 * @returns the current root key; the pinned one itself when no step leads away from it
 * @throws {@link RotationInvalid} | {@link RotationGap} | {@link RotationLoop} | {@link RotationSignature}
 *
 * @example
 * ```ts
 * import { importRootKey, walkRotation } from '@passport-registry/verifier';
 *
 * const pinned = await importRootKey(pinnedJwk);
 * const current = await walkRotation(pinned, '[]');
 * console.log(current.thumbprint === pinned.thumbprint); // true
 * ```
 */
export async function walkRotation(pinned: RootKey, text: string): Promise<RootKey> {
  const steps = parse(text);
  const start = steps.findIndex(({ kid }) => kid === pinned.thumbprint);
  const last = steps.at(-1);
  if (start === -1) {
    if (last === undefined) return pinned;
    // The pinned key may be the end of the chain. Who signed the last step is unknown here, and need not be known.
    if ((await nextRootUnverified(last.jwt)) === pinned.thumbprint) return pinned;
    throw new RotationGap(`no step of the rotation leads away from the pinned root key ${pinned.thumbprint}`);
  }
  let current = pinned;
  const left = new Set<string>();
  for (const { jwt, kid } of steps.slice(start)) {
    if (kid !== current.thumbprint) {
      throw new RotationGap(
        `a step is signed by ${kid}, but the root key before it is ${current.thumbprint}`,
      );
    }
    left.add(current.thumbprint);
    current = await nextRoot(jwt, current);
    if (left.has(current.thumbprint))
      throw new RotationLoop(`the rotation comes back to ${current.thumbprint}`);
  }
  return current;
}

interface Step {
  readonly jwt: string;
  readonly kid: string;
}

function parse(text: string): Step[] {
  let steps: unknown;
  try {
    steps = JSON.parse(text);
  } catch (cause) {
    throw new RotationInvalid('the rotation is not JSON', { cause });
  }
  if (!Array.isArray(steps) || !steps.every((step) => typeof step === 'string')) {
    throw new RotationInvalid('the rotation is no array of JWTs');
  }
  if (steps.length > MAX_STEPS) throw new RotationInvalid(`the rotation has more than ${MAX_STEPS} steps`);
  return steps.map((jwt) => ({ jwt, kid: kidOf(jwt) }));
}

function kidOf(jwt: string): string {
  try {
    const { kid } = decodeProtectedHeader(jwt);
    if (kid !== undefined) return kid;
  } catch (cause) {
    throw new RotationInvalid('a step of the rotation is no JWT', { cause });
  }
  throw new RotationInvalid('a step of the rotation does not name its signer');
}

async function nextRoot(jwt: string, signer: RootKey): Promise<RootKey> {
  const { next_root } = await verifyStatement(jwt, TYP, signer, undefined, {
    invalid: (message, cause) =>
      new RotationSignature(`a step is not signed by ${signer.thumbprint}: ${message}`, { cause }),
  });
  try {
    return await importRootKey(next_root);
  } catch (cause) {
    throw new RotationInvalid('next_root of a step is no root key', { cause });
  }
}

async function nextRootUnverified(jwt: string): Promise<string | undefined> {
  try {
    return (await importRootKey(decodeJwt(jwt)['next_root'])).thumbprint;
  } catch {
    return undefined;
  }
}
