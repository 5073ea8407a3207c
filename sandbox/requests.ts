import type { AgentDeclaration, MintRequest, NonceRequest } from '@passport-registry/verifier';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { DESCRIPTION } from './openapi.js';
import { Refusal } from './refusal.js';

const ajv = new Ajv2020({ strict: false, schemas: [{ $id: 'issuer.openapi.json', ...DESCRIPTION }] });
addFormats.default(ajv);

/** A function that checks a body against a schema of the description. */
function parser<T>(name: string): (body: unknown) => T {
  const validate = ajv.getSchema(`issuer.openapi.json#/components/schemas/${name}`) as ValidateFunction<T>;
  return (body) => {
    if (validate(body)) return body;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    const extra = typeof params['additionalProperty'] === 'string' ? `: ${params['additionalProperty']}` : '';
    const place = instancePath === '' ? 'the body' : instancePath;
    throw new Refusal('bad_request', `${place} ${message}${extra}`, { details: { pointer: instancePath } });
  };
}

/** Checks the body of a request for a nonce. */
export const parseNonceRequest = parser<NonceRequest>('NonceRequest');

/** A request for a passport. The issuer has not completed its mandate. */
export type MintBody = MintRequest & AgentDeclaration;

/** Checks the body of a request for a passport. */
export const parseMintRequest = parser<MintBody>('MintRequest');

/** Checks the body of a change of status. */
export const parseStatusChange = parser<{ status: 'active' | 'suspended' }>('StatusChange');
