import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { codes, record, SimulatedGithub } from '../../support/simulated-github.js';
import type { Outcomes } from '../../support/workflow.js';
import { filesBelow, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

const CHANGE = 'Check the change against the rules for changes';

describe('the workflows of a new registry, with a pull request of an attacker,', () => {
  let github: SimulatedGithub;
  let outcomes: Outcomes;

  beforeAll(async () => {
    github = await SimulatedGithub.create();
    github.pushToMain(record('aurora'));
    outcomes = await github.pullRequest('bad', (folder) =>
      writeFiles(folder, {
        'issuers/bad.yaml': recordText('bad', { tier: 'certifed' }),
        'issuers/aurora.yaml': recordText('aurora', { certified_since: '2020-01-01T00:00:00Z' }),
        'registry.yaml': 'base_url: https://evil.internal\n',
        'node_modules/.bin/passport-registry': '#!/bin/sh\n',
        'node_modules/passport-registry/build/cli/main.js': 'process.exit(0)',
        'package.json': '{"dependencies":{"passport-registry":"file:evil"}}',
        '.npmrc': 'script-shell=/bin/true\n',
        'evil.js': 'process.exit(0)',
        '.gitignore': '',
      }),
    );
  });

  it('reject an invalid change, with annotations at its lines', () => {
    expect(outcomes['Check every record']?.stdout).toMatch(
      /^::error file=issuers\/bad\.yaml,line=2,.*title=unknown-value/m,
    );
    expect(outcomes[CHANGE]?.stdout).toContain('title=certified-since-changed');
  });

  it('run no code and use no configuration from a pull request', () => {
    const { code, stdout } = outcomes[CHANGE] ?? {};
    expect(code).toBe(1);
    expect(stdout).toContain('::error file=issuers/aurora.yaml');
    // What `npm ci` and `npx` would use.
    for (const file of ['package.json', '.npmrc', 'registry.yaml', '.gitignore'])
      expect(readFileSync(join(github.checked, file), 'utf8')).not.toMatch(/evil|because|script-shell|^$/);
    for (const file of ['node_modules', 'evil.js'])
      expect(existsSync(join(github.checked, file))).toBe(false);
  });

  it('write the comment from the records alone', async () => {
    const comment = await github.comment('bad');
    expect(Object.values(codes(comment.outcomes)).every((code) => code === 0)).toBe(true);
    const text = readFileSync(join(comment.folder, 'comment.md'), 'utf8');
    expect(text).toContain('| <code>aurora</code> | certified_since |');
  });

  /** The files of a folder without git's own, by their paths. */
  const filesIn = (folder: string) =>
    Object.fromEntries(
      filesBelow(folder)
        .filter((path) => !path.startsWith('.git/') && !path.startsWith('node_modules/'))
        .map((path) => [path, readFileSync(join(folder, path), 'latin1')]),
    );

  it.each([
    [
      'ends of lines, and the encoding of one file',
      '* text eol=crlf\nregistry.yaml working-tree-encoding=UTF-16\n',
    ],
    ['the encoding of records', '*.yaml working-tree-encoding=CN//TRANSLIT\n'],
  ])('let no attribute of a pull request change a file of the base: %s', async (name, attributes) => {
    const branch = `attributes-${name.replaceAll(/\W+/g, '-')}`;
    const records = record('evil');
    const { [CHANGE]: change } = await github.pullRequest(
      branch,
      (folder) => writeFiles(folder, records),
      attributes,
    );
    const base = join(temporaryFolder(), 'base');
    git(github.root, 'clone', '-q', '--branch', 'main', github.origin, base);
    expect(filesIn(github.checked)).toEqual({ ...filesIn(base), ...records });
    // A merge would keep the attributes, so that a build would sign other records than the reviewed ones.
    expect(change?.code).toBe(1);
    expect(change?.stdout).toMatch(/^::error file=\.gitattributes,.*title=file-name/m);
    const { folder } = await github.comment(branch);
    const { 'comment.md': comment, ...files } = filesIn(folder);
    expect(files).toEqual(filesIn(github.checked));
    expect(comment).toContain('.gitattributes');
  });
});
