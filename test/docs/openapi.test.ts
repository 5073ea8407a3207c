import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GRAMMAR } from '@passport-registry/verifier/core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { serve } from '../support/serving.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const read = (name: string) => JSON.parse(readFileSync(join(ROOT, 'schemas', name), 'utf8'));
const SCHEMAS = ['issuer.schema.json', 'issuer-registry.schema.json', 'jwk.schema.json'];

describe.each(['issuer.openapi.json', 'registry.openapi.json'])('schemas/%s', (name) => {
  it('is OpenAPI 3.1', async () => {
    const validator = new Validator();
    for (const schema of SCHEMAS) await validator.addSpecRef(read(schema), schema);
    const { valid, errors } = await validator.validate(read(name));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });
});

describe('schemas/issuer.openapi.json', () => {
  it('has the same grammars as the schemas of the registry', () => {
    const { IssuerId, Bytes32 } = read('issuer.openapi.json').components.schemas;
    expect(new RegExp(IssuerId.pattern, 'u')).toEqual(GRAMMAR.issuerId.pattern);
    expect(new RegExp(Bytes32.pattern, 'u')).toEqual(GRAMMAR.bytes32.pattern);
  });
});

describe('schemas/registry.openapi.json', () => {
  let base: string;
  const description = read('registry.openapi.json');
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const schema of SCHEMAS) ajv.addSchema(read(schema), schema);

  beforeAll(async () => {
    const folder = await workspace(['alpha']);
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { name: 'Alpha' }) });
    await cli(['build'], folder);
    base = await serve(join(folder, 'dist'));
  });

  it.each(Object.keys(description.paths))('%s responds as described', async (path) => {
    const { content, headers } = description.paths[path].get.responses['200'];
    const [[type, { schema }]] = Object.entries(content) as [[string, { schema: object }]];
    const response = await fetch(base + path.replace('{issuer_id}', 'alpha').replace('{prefix}', 'root'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(new RegExp(`^${type}\\b`));
    for (const header of Object.keys(headers)) expect(response.headers.get(header)).toBe('*');
    const body = type === 'application/json' ? await response.json() : await response.text();
    const validate = ajv.compile(schema);
    expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
  });

  it('names each parameter of a path', () => {
    for (const [path, { parameters = [] }] of Object.entries<{ parameters?: { name: string }[] }>(
      description.paths,
    )) {
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(
        parameters.map(({ name }) => name),
      );
    }
  });

  it('an unknown issuer is a 404', async () => {
    expect((await fetch(`${base}/issuers/nobody`)).status).toBe(404);
    expect((await fetch(`${base}/sums/0`)).status).toBe(404);
  });

  it('is in the tree, next to the schemas that it refers to', async () => {
    expect(await (await fetch(`${base}/schemas/registry.openapi.json`)).json()).toEqual(description);
    for (const schema of SCHEMAS) expect((await fetch(`${base}/schemas/${schema}`)).status).toBe(200);
  });
});
