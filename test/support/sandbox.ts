import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo } from '@passport-registry/verifier';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Sandbox, type SandboxOptions, startSandbox } from 'passport-registry/sandbox';
import { expect } from 'vitest';
import { afterEachFile } from './endings.js';
import { ROOT } from './paths.js';

const OPERATOR_TOKEN = 'operator-token-of-the-tests';
export const ISSUER = 'https://playground.example';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { $ref?: string } & ResponseDescription>>;
}

interface ResponseDescription {
  readonly content?: Readonly<Record<string, { schema: object }>>;
  readonly headers?: Readonly<Record<string, { required?: boolean; schema: object }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ResponseDescription>> };
}

const DESCRIPTION: Description = JSON.parse(readFileSync(join(ROOT, 'schemas/issuer.openapi.json'), 'utf8'));

/** Every operation of the description, with its method and path. */
export const OPERATIONS = Object.entries(DESCRIPTION.paths).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([method]) => method !== 'parameters')
    .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'description', ...DESCRIPTION });

/** The responses that tests have received, such as `requestNonce 200`. */
export const seen = new Set<string>();

function resolveReference(response: { $ref?: string } & ResponseDescription): ResponseDescription {
  const name = response.$ref?.replace('#/components/responses/', '');
  return name === undefined ? response : (DESCRIPTION.components.responses[name] ?? {});
}

function findOperation(method: string, pathname: string) {
  return OPERATIONS.find(
    ({ method: its, path }) =>
      its === method && new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`).test(pathname),
  );
}

/** Fails the test if the description of the operation does not contain this response. */
async function expectDescribed(method: string, url: string, response: Response): Promise<void> {
  const found = findOperation(method, new URL(url).pathname);
  if (found === undefined) return;
  const { operationId, responses } = found.operation;
  const name = `${operationId} ${response.status}`;
  const described = responses[String(response.status)];
  expect(described, `${name} is not described`).toBeDefined();
  const { content, headers = {} } = resolveReference(described ?? {});
  const schema = content?.['application/json']?.schema as object;
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  const validate = ajv.compile(withAbsoluteReferences(schema));
  expect(validate(await response.clone().json()), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
  for (const [header, { required, schema: form }] of Object.entries(headers)) {
    const value = response.headers.get(header);
    if (value === null && required !== true && header !== 'Cache-Control') continue;
    expect(ajv.compile(form)(value), `${name}: ${header} is ${value}`).toBe(true);
  }
  seen.add(name);
}

/** Makes the references of a schema absolute, so that they work outside of the description. */
function withAbsoluteReferences(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"description#/'));
}

const started: Sandbox[] = [];
afterEachFile(async () => {
  for (const sandbox of started.splice(0)) await sandbox.close();
});

/** A sandbox issuer on loopback. Its `fetch` connects to it, and checks all responses against the description. */
export interface TestSandbox extends Sandbox {
  readonly fetch: typeof fetch;
  /** Sends JSON. Returns the status, the body and the headers of the response. */
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }>;
}

export async function testSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox({ operatorToken: OPERATOR_TOKEN, ...options });
  started.push(sandbox);
  const connected = connectTo({ [sandbox.issuer.issuerUrl]: sandbox.address });
  const checked: typeof fetch = async (input, init) => {
    const response = await connected(input, init);
    await expectDescribed(init?.method ?? 'GET', String(input), response);
    return response;
  };
  return {
    ...sandbox,
    fetch: checked,
    send: async (method, path, body, headers = {}) => {
      const response = await checked(`${sandbox.issuer.issuerUrl}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json(), headers: response.headers };
    },
  };
}

export const AS_OPERATOR = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
