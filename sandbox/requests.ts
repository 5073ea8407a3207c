import type { AgentDeclaration, MintRequest, NonceRequest } from '@passport-registry/passports/agent';
import {
  type Validator,
  validateMintRequest,
  validateNonceRequest,
  validateStatusChange,
} from './generated/request-validators.js';
import { Refusal } from './refusal.js';

/** Creates a function that validates a body against one schema of the OpenAPI description. */
function createParser<T>(validate: Validator): (body: unknown) => T {
  return (body) => {
    if (validate(body)) return body as T;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    const extra = typeof params['additionalProperty'] === 'string' ? `: ${params['additionalProperty']}` : '';
    const place = instancePath === '' ? 'the body' : instancePath;
    throw new Refusal('bad_request', `${place} ${message}${extra}`, { details: { pointer: instancePath } });
  };
}

/** Validates the body of a request for a nonce. */
export const parseNonceRequest = createParser<NonceRequest>(validateNonceRequest);

/** A request for a passport. The mandate may lack the members that the issuer adds. */
export type MintBody = MintRequest & AgentDeclaration;

/** Validates the body of a request for a passport. */
export const parseMintRequest = createParser<MintBody>(validateMintRequest);

/** Validates the body of a status change. */
export const parseStatusChange = createParser<{ status: 'active' | 'suspended' }>(validateStatusChange);
