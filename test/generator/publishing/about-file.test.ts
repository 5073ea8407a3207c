import { describe, expect, it } from 'vitest';
import { operatorInCopies } from '../../support/operator.js';
import { serve } from '../../support/serving.js';
import { sha256 } from '../../support/sha256.js';
import { filesOf, workspace, writeFiles } from '../../support/workspace.js';

const { at, dist, good, read, record, claims, run } = operatorInCopies(() => workspace(['alpha', 'beta']));

const build = async (...more: string[]) =>
  (await good('build', '--key', 'key.pem', '--production', ...more)).stderr;
const files = () => filesOf(dist());
const statement = () => claims('publication');

describe('about.json', () => {
  it('does not exist, and nothing names it, where no record has a name or a reason', async () => {
    await build();
    expect([...files().keys()]).not.toContain('about.json');
    expect(statement()).not.toHaveProperty('about_sha256');
  });

  it('has names and reasons, which the list does not have', async () => {
    await build();
    const before = files();
    record('alpha', { name: 'Zoë & Söhne' });
    await build();
    expect(read('about.json').toString()).toBe('{"issuers":{"alpha":{"name":"Zoë & Söhne"}}}');
    expect(statement()).toMatchObject({ sequence: 2, about_sha256: sha256(read('about.json')) });
    expect(read('SHA256SUMS').toString()).toContain(`${sha256(read('about.json'))}  about.json\n`);
    // A new statement, and the same list: what verifiers hold stays.
    for (const path of ['issuers.json', 'issuers.sig', 'issuers/alpha', 'sums/root', 'changes.json'])
      expect([path, read(path).equals(before.get(path) ?? Buffer.alloc(0))]).toEqual([path, true]);
    expect(await build()).toContain('0 written');
    record('beta', { status: 'suspended', name: 'Beta', status_reason: 'its key has leaked' });
    await build();
    expect(JSON.parse(read('about.json').toString()).issuers.beta).toEqual({
      name: 'Beta',
      status_reason: 'its key has leaked',
      status_since: JSON.parse(read('issuers.json').toString()).updated_at,
    });
    expect(read('issuers/beta').toString()).not.toMatch(/name|reason/);
    expect(statement()).toMatchObject({ sequence: 3 });
  });

  it('goes with the last name, and its claim goes, too', async () => {
    record('alpha', { name: 'Alpha' });
    await build();
    record('alpha');
    await build();
    expect([...files().keys()]).not.toContain('about.json');
    expect(statement()).not.toHaveProperty('about_sha256');
    expect(statement()).toMatchObject({ sequence: 2 });
  });

  it('changes are not published yet for `status`', async () => {
    await build();
    record('alpha', { name: 'Alpha' });
    const { parts } = JSON.parse((await run('status', '--json')).stdout);
    expect(parts).toContainEqual(
      expect.objectContaining({
        part: 'records',
        changes: [expect.objectContaining({ issuer_id: 'alpha', kind: 'changed' })],
      }),
    );
  });
});

describe('diff', () => {
  const diff = async (...args: string[]) => {
    const { stdout, stderr } = await run('diff', ...args);
    return stdout + stderr;
  };

  it('tells changed names in words, against records, a tree and a host, and escapes them in a comment', async () => {
    record('alpha', { name: 'Alpha' });
    await build();
    record('alpha', { name: '<b>Alpha</b>' });
    record('beta', { status: 'suspended', status_reason: 'its key has leaked' });
    const url = await serve(dist());
    for (const before of ['dist', url]) {
      const said = await diff(before, 'issuers');
      expect(said).toContain('~ alpha: name "Alpha" -> "<b>Alpha</b>"');
      expect(said).toContain('~ beta: status_reason (none) -> "its key has leaked"');
    }
    const comment = await diff('dist', 'issuers', '--markdown');
    expect(comment).toContain('| name | <code>Alpha</code> | <code>&#60;b&#62;Alpha&#60;/b&#62;</code> |');
    record('gamma', { name: 'Gamma' });
    expect(await diff('dist', 'issuers')).toMatch(/\+ gamma: new, .*, name "Gamma"/);
  });

  it('compares no names if those of a host are not known', async () => {
    record('alpha', { name: 'Alpha' });
    await build();
    writeFiles(at(), { 'dist/about.json': '{"issuers":{"alpha":{"name":"Omega"}}}' });
    expect(await diff('dist', 'issuers')).toContain('0 issuers changed');
  });
});
