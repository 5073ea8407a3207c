import type { AgentDeclaration, MintRequest, NonceRequest } from '@passport-registry/verifier';
import {
  type Validator,
  validateMintRequest,
  validateNonceRequest,
  validateStatusChange,
} from './generated/request-validators.js';
import { Refused } from './refused.js';

function checker<T>(validate: Validator): (body: unknown) => T {
  return (body) => {
    if (validate(body)) return body as T;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    const extra = typeof params['additionalProperty'] === 'string' ? `: ${params['additionalProperty']}` : '';
    const place = instancePath === '' ? 'the body' : instancePath;
    throw new Refused('bad_request', `${place} ${message}${extra}`, { details: { pointer: instancePath } });
  };
}

/** The body of a request for a nonce. */
export const asNonceRequest = checker<NonceRequest>(validateNonceRequest);

/** A mint request, its mandate not completed. */
export type MintBody = MintRequest & AgentDeclaration;

/** The body of a request for a passport. */
export const asMintRequest = checker<MintBody>(validateMintRequest);

/** The body of a change of status. */
export const asStatusChange = checker<{ status: 'active' | 'suspended' }>(validateStatusChange);
