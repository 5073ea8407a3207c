import type { AgentDeclaration, MintRequest, NonceRequest } from '@passport-registry/verifier';
import {
  type Validator,
  validateMintRequest,
  validateNonceRequest,
  validateStatusChange,
} from './generated/request-validators.js';
import { Refusal } from './refusal.js';

/** A function that checks a body against a schema of the description. */
function parser<T>(validate: Validator): (body: unknown) => T {
  return (body) => {
    if (validate(body)) return body as T;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    const extra = typeof params['additionalProperty'] === 'string' ? `: ${params['additionalProperty']}` : '';
    const place = instancePath === '' ? 'the body' : instancePath;
    throw new Refusal('bad_request', `${place} ${message}${extra}`, { details: { pointer: instancePath } });
  };
}

/** Checks the body of a request for a nonce. */
export const parseNonceRequest = parser<NonceRequest>(validateNonceRequest);

/** A request for a passport. The issuer has not completed its mandate. */
export type MintBody = MintRequest & AgentDeclaration;

/** Checks the body of a request for a passport. */
export const parseMintRequest = parser<MintBody>(validateMintRequest);

/** Checks the body of a change of status. */
export const parseStatusChange = parser<{ status: 'active' | 'suspended' }>(validateStatusChange);
