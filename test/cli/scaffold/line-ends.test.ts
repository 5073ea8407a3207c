import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRegistry } from '../../support/scaffold.js';
import { cli, recordText, run, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** Commits a folder, and returns a clone as Git for Windows makes it. */
async function windowsClone(folder: string): Promise<string> {
  const git = async (...args: string[]) => {
    const { code, stderr } = await run(
      'git',
      ['-c', 'user.name=a', '-c', 'user.email=a@a.example', ...args],
      folder,
    );
    expect(code, stderr).toBe(0);
  };
  await git('init', '-q');
  await git('add', '-A');
  await git('commit', '-qm', 'Registry');
  const clone = join(temporaryFolder(), 'clone');
  await git('clone', '-q', '-c', 'core.autocrlf=true', folder, clone);
  return clone;
}

describe('git clone -c core.autocrlf=true', () => {
  it('keeps the bytes of a registry that `init` has made', async () => {
    const folder = await newRegistry();
    writeFiles(folder, { 'issuers/acme.yaml': recordText('acme') });
    const clone = await windowsClone(folder);
    for (const file of ['issuers/acme.yaml', 'registry.yaml'])
      expect(readFileSync(join(clone, file), 'utf8')).toBe(readFileSync(join(folder, file), 'utf8'));
    const { code, stdout } = await cli(['check'], clone);
    expect([code, stdout]).toEqual([0, '1 file: 0 problems, 0 warnings\n']);
  });

  it('without .gitattributes: `check` names the line ends, and how to keep them', async () => {
    const folder = await newRegistry();
    rmSync(join(folder, '.gitattributes'));
    writeFiles(folder, { 'issuers/acme.yaml': recordText('acme') });
    const clone = await windowsClone(folder);
    const { code, stdout } = await cli(['check'], clone);
    expect(code).toBe(1);
    expect(stdout).toContain('the lines of the file end in CR, as on Windows, and not in LF');
    expect(stdout).toContain('put `* text=auto eol=lf` into .gitattributes');
    expect((await cli(['check', '--fix'], clone)).code).toBe(0);
  });
});
