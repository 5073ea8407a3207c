import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { VERSION } from '../support/release.js';
import { type Outcome, run, temporaryFolder, writeFiles } from '../support/workspace.js';

const FILES = [
  ...['package.json', 'verifier/package.json', 'passports/package.json'],
  ...['package-lock.json', '.github/release/check.mjs'],
];
const CHANGELOG = `# Changelog

## [${VERSION}] - 2026-12-01

### Added

- The packages install alone.

### Security

- A fix.

## [0.1.0] - 2026-06-01

- The first version.
`;

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  for (const file of FILES) cpSync(join(ROOT, file), join(folder, file));
  writeFiles(folder, { 'CHANGELOG.md': CHANGELOG });
});

const check = (...args: string[]): Promise<Outcome> =>
  run(process.execPath, [join(folder, '.github/release/check.mjs'), ...args], folder);

/** Replaces text in a file of the folder. */
function edit(file: string, from: string, to: string): void {
  const text = readFileSync(join(folder, file), 'utf8');
  expect(text).toContain(from);
  writeFiles(folder, { [file]: text.replace(from, to) });
}

describe('the check of a release', () => {
  it('prints the entry of the changelog if everything agrees', async () => {
    expect(await check(`v${VERSION}`)).toEqual({
      code: 0,
      stdout: '### Added\n\n- The packages install alone.\n\n### Security\n\n- A fix.\n',
      stderr: '',
    });
  });

  it.each([
    ...['', VERSION, `v${VERSION} `, `v${VERSION}\n`, 'v1', 'v1.2', 'v01.2.3', 'v1.2.3+build', 'v1.2.3-'],
    ...['v1.2.3-a..b', 'v1.2.3;id', 'latest', '../v1.2.3', `refs/tags/v${VERSION}`],
  ])('refuses the tag %j', async (tag) => {
    const { code, stdout, stderr } = await check(tag);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`the tag ${JSON.stringify(tag)} is not v and a version`);
  });

  it.each([
    ['package.json', `"version": "${VERSION}"`, '"version": "0.1.9"', 'package.json has 0.1.9'],
    [
      'verifier/package.json',
      `"version": "${VERSION}"`,
      '"version": "0.1.9"',
      'verifier/package.json has 0.1.9',
    ],
    ...['package.json', 'passports/package.json'].map((file) => [
      file,
      `verifier": "${VERSION}"`,
      `verifier": "^${VERSION}"`,
      `has ^${VERSION}, expected ${VERSION}`,
    ]),
    ...['', 'verifier', 'passports'].map((path) => [
      'package-lock.json',
      `"${path}": {`,
      `"${path}": { "version": "0.1.9" }, "other": {`,
      'package-lock.json',
    ]),
    ['CHANGELOG.md', `## [${VERSION}]`, '## [9.9.9]', `no heading ## [${VERSION}]`],
    ['CHANGELOG.md', `[${VERSION}] - 2026-12-01`, `[${VERSION}]`, 'needs " - " and a date'],
  ])('refuses %s with another %s', async (file, from, to, problem) => {
    edit(file, from, to);
    const { code, stdout, stderr } = await check(`v${VERSION}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(problem);
  });

  it('refuses an empty entry, and a version that was never prepared', async () => {
    writeFiles(folder, { 'CHANGELOG.md': `## [${VERSION}] - 2026-12-01\n\n## [0.1.0] - 2026-06-01\n` });
    expect((await check(`v${VERSION}`)).stderr).toContain(`no text below ## [${VERSION}]`);
    const { code, stderr } = await check('v9.9.9');
    expect(code).toBe(1);
    // All problems in one run.
    expect(stderr.trim().split('\n')).toHaveLength(10);
  });
});
