import type { AgentDeclaration, MintRequest, NonceRequest } from '@passport-registry/verifier';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { DESCRIPTION } from './openapi.js';
import { Refused } from './refusal.js';

const ajv = new Ajv2020({ strict: false, schemas: [{ $id: 'issuer.openapi.json', ...DESCRIPTION }] });
addFormats.default(ajv);

function checker<T>(name: string): (body: unknown) => T {
  const validate = ajv.getSchema(`issuer.openapi.json#/components/schemas/${name}`) as ValidateFunction<T>;
  return (body) => {
    if (validate(body)) return body;
    const [{ instancePath = '', message = '', params = {} } = {}] = validate.errors ?? [];
    const extra = typeof params['additionalProperty'] === 'string' ? `: ${params['additionalProperty']}` : '';
    const place = instancePath === '' ? 'the body' : instancePath;
    throw new Refused('bad_request', `${place} ${message}${extra}`, { details: { pointer: instancePath } });
  };
}

/** The body of a request for a nonce. */
export const asNonceRequest = checker<NonceRequest>('NonceRequest');

/** A mint request, its mandate not completed. */
export type MintBody = MintRequest & AgentDeclaration;

/** The body of a request for a passport. */
export const asMintRequest = checker<MintBody>('MintRequest');

/** The body of a change of status. */
export const asStatusChange = checker<{ status: 'active' | 'suspended' }>('StatusChange');
