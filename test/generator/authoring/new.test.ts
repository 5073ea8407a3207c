import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ISSUER_FIELDS } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CLI } from '../../support/paths.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

const text = (folder: string, id: string) => readFileSync(join(folder, `issuers/${id}.yaml`), 'utf8');

describe('passport-registry new', () => {
  it('writes a record that validates, is laid out, and explains every field', async () => {
    const folder = temporaryFolder();
    const flags = ['--issuer-url', 'https://acme.example/', '--tier', 'certified'];
    const { code, stderr } = await cli(['new', 'acme', ...flags], folder);
    expect(stderr).toContain('issuers/acme.yaml is a valid record');
    expect(code).toBe(0);
    expect(parse(text(folder, 'acme'))).toEqual({
      issuer_id: 'acme',
      tier: 'certified',
      status: 'active',
      jwks_uri: 'https://acme.example/.well-known/jwks.json',
      discovery_uri: 'https://acme.example/.well-known/openid-configuration',
      certified_since: expect.any(String),
    });
    expect((await cli(['check'], folder)).stdout).toContain('1 file: 0 problems, 0 warnings');
  });

  it('warns that a production key never signs a reserved name', async () => {
    const args = ['new', 'acme', '--issuer-url', 'https://id.acme.example'];
    const { code, stderr } = await cli(args, temporaryFolder());
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('WARNING: jwks_uri is under id.acme.example'),
    ]);
    const real = await cli(['new', 'acme', '--issuer-url', 'https://acme.internal'], temporaryFolder());
    expect(real.stderr).not.toContain('WARNING');
  });

  it('leaves what was not given as an example to fill in, which then validates', async () => {
    const folder = temporaryFolder();
    await cli(['new', 'acme', '--issuer-url', 'https://acme.example'], folder);
    expect(Object.keys(parse(text(folder, 'acme')))).toHaveLength(6);
    const filled = text(folder, 'acme').replaceAll(/^# ([a-z_]+: )/gm, '$1');
    expect(Object.keys(parse(filled)).sort()).toEqual([...ISSUER_FIELDS, 'name'].sort());
    writeFiles(folder, { 'issuers/acme.yaml': filled });
    expect((await cli(['check'], folder)).code).toBe(0);
  });

  it.each([
    ['a checkout of the registry', { 'schemas/issuer.schema.json': '{}' }, '../schemas/issuer.schema.json'],
    [
      'a configured address',
      { 'registry.yaml': 'base_url: https://registry.example/v1\n' },
      'https://registry.example/v1/schemas/issuer.schema.json',
    ],
  ])('points editors at the schema of %s', async (_name, files, location) => {
    const folder = temporaryFolder();
    writeFiles(folder, files);
    await cli(['new', 'acme', '--issuer-url', 'https://acme.example'], folder);
    expect(text(folder, 'acme').split('\n')[0]).toBe(`# yaml-language-server: $schema=${location}`);
  });

  it.each([
    [['acme'], 2, 'there is no terminal to ask'],
    [['Acme', '--issuer-url', 'https://acme.example'], 1, 'did you mean `acme`?'],
    [['../acme', '--issuer-url', 'https://acme.example'], 1, 'id-path-traversal'],
    [['acme', '--issuer-url', 'http://acme.example'], 1, 'not-https'],
    [['taken', '--issuer-url', 'https://acme.example'], 2, 'an issuer id can be used only once'],
  ])('writes nothing for %j', async (args, exit, message) => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/eu/taken.yml': recordText('taken') });
    const { code, stderr } = await cli(['new', ...args], folder);
    expect(stderr).toContain(message);
    expect(code).toBe(exit);
    expect(existsSync(join(folder, 'issuers/acme.yaml')) || existsSync(join(folder, 'acme.yaml'))).toBe(
      false,
    );
    expect(existsSync(join(folder, 'issuers/taken.yaml'))).toBe(false);
  });
});

describe('passport-registry new on a terminal', () => {
  it('asks for the address', () => {
    const folder = temporaryFolder();
    const output = execFileSync('script', ['-qec', `"${process.execPath}" "${CLI}" new acme`, '/dev/null'], {
      cwd: folder,
      input: 'https://acme.example\n',
      encoding: 'utf8',
    });
    expect(output).toContain('URL of the issuer');
    expect(parse(text(folder, 'acme')).jwks_uri).toBe('https://acme.example/.well-known/jwks.json');
  });
});
