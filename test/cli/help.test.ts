import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { cli, temporaryFolder } from '../support/workspace.js';

const help = async (...command: string[]) => (await cli([...command, '--help'], temporaryFolder())).stdout;
const optionsIn = (text: string) =>
  [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name);

/** The commands in the help of the program or of a command, by the heading of their group. */
function groupsIn(text: string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [, heading = '', lines = ''] of text.matchAll(/^([A-Z][a-z ]+):\n((?: {2}.*\n?)+)/gm)) {
    if (['Options', 'Arguments', 'Example'].includes(heading)) continue;
    groups[heading] = [...lines.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name as string);
  }
  return groups;
}

/** Every command with its help, commands of commands included. */
async function everyCommand(...parent: string[]): Promise<(readonly [command: string[], text: string])[]> {
  const text = await help(...parent);
  const below = Object.values(groupsIn(text)).flat();
  const found = await Promise.all(below.map((name) => everyCommand(...parent, name)));
  return [[parent, text] as const, ...found.flat()];
}

describe('the help', () => {
  it('shows at most 24 commands, in groups, each in one line', async () => {
    const text = await help();
    const groups = groupsIn(text);
    expect(Object.keys(groups)).toEqual([
      ...['Start', 'Records', 'Publish', 'Issuers', 'Keys', 'Trust', 'For others'],
    ]);
    const names = Object.values(groups).flat();
    expect(names.length).toBeLessThanOrEqual(24);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      expect(text).toMatch(new RegExp(`^ {2}${name} +\\S.*\\n(?: {2}[a-z]|\\n|$)`, 'm'));
  });

  it('of each command shows at most ten options and one example, and all options with --all', async () => {
    const commands = (await everyCommand()).slice(1);
    expect(commands.length).toBeGreaterThan(30);
    /** What these options take, in all commands. */
    const takes: Record<string, Set<string>> = {
      '--out': new Set(),
      '--root-key': new Set(),
      '--online-key': new Set(),
    };
    for (const [command, text] of commands) {
      const name = command.join(' ');
      const all = await help(...command, '--all');
      for (const [, option = '', value = ''] of all.matchAll(/^ {2}(--[a-z-]+) <([^>]*)>/gm))
        takes[option]?.add(value);
      expect([name, optionsIn(text).length <= 10]).toEqual([name, true]);
      expect([name, optionsIn(text).filter((option) => !optionsIn(all).includes(option))]).toEqual([
        name,
        [],
      ]);
      expect([name, text.match(/^Example:$/gm)]).toEqual([name, ['Example:']]);
      const [, example = ''] = /^Example:\n {2}passport-registry (.*)\n?$/m.exec(text) ?? [];
      expect([name, example.startsWith(name)]).toEqual([name, true]);
      const [[target] = [[]]] = commands
        .filter(([each]) => `${example} `.startsWith(`${each.join(' ')} `))
        .sort(([one], [other]) => other.length - one.length);
      const used = example.match(/--[a-z-]+/g) ?? [];
      const known = optionsIn(await help(...target, '--all'));
      expect([name, used.filter((option) => !known.includes(option))]).toEqual([name, []]);
      const more = optionsIn(all).length - optionsIn(text).length;
      expect([name, text.includes(`\n${more} more options: `)]).toEqual([name, more > 0]);
    }
    // One word, one meaning.
    expect(takes).toEqual({
      '--out': new Set(['dir']),
      '--root-key': new Set(['file']),
      '--online-key': new Set(['file|env:NAME']),
    });
  });

  it.each([['suspend'], ['revoke'], ['keys', 'rotate']])(
    '%s %s shows the options for the root key',
    async (...command) => {
      const needed = ['--key', '--passphrase-file'];
      expect(optionsIn(await help(...command))).toEqual(expect.arrayContaining(needed));
    },
  );

  it('shows every option of a command that is missing without it', async () => {
    const text = await help('revoke');
    expect(optionsIn(text)).toContain('--reason');
    expect((await cli(['help', 'revoke'], temporaryFolder())).stdout).toBe(text);
  });
});

describe('the name of a command in an earlier version', () => {
  it.each([
    ['validate', 'check'],
    ['format', 'check --fix'],
    ['commit', 'sign'],
    ['cosign', 'checkpoint'],
    ['ceremony', 'keys ceremony'],
    ['rotate', 'keys rotate'],
    ['release', 'hold --end'],
    ['reinstate', 'suspend --end'],
  ])('%s answers with %s', async (old, now) => {
    const folder = temporaryFolder();
    const said = `passport-registry: \`${old}\` is now \`${now}\`: see docs/upgrading.md\n`;
    for (const args of [[], ['--help'], ['join', 'folder', '--share', 'x']]) {
      expect(await cli([old, ...args], folder)).toEqual({ code: 2, stdout: '', stderr: said });
    }
    const { stdout } = await cli([old, '--json'], folder);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'ERR_USAGE' } });
    expect(Object.values(groupsIn(await help())).flat()).not.toContain(old);
  });

  it('keys rotate --next answers with keys step', async () => {
    const { code, stderr } = await cli(['keys', 'rotate', '--next', 'next.json'], temporaryFolder());
    expect([code, stderr]).toEqual([
      2,
      'passport-registry: `keys rotate --next` is now `keys step --next`: see docs/upgrading.md\n',
    ]);
  });

  it.each([
    [['resolve', 'acme', '--source', 'x'], 'resolve --source', 'resolve ID URL...'],
    [['witness', '--registry', 'x'], 'witness --registry', 'witness URL'],
    [['verify', '--base-url', 'x'], 'verify --base-url', 'verify URL'],
    [['mirror', 'status', '--base-url', 'x'], 'mirror status --base-url', 'mirror status URL...'],
    [['mirror', 'status', '--mirror', 'x'], 'mirror status --mirror', 'mirror status URL...'],
    [['checkpoint', '--key', 'x'], 'checkpoint --key', 'checkpoint --online-key'],
    [['hold', 'acme', '--key', 'x'], 'hold --key', 'hold --online-key'],
    [['hold', 'acme', '--passphrase-file', 'x'], 'hold --passphrase-file', 'hold --online-passphrase-file'],
    [['init', '--root-key', 'x'], 'init --root-key', 'init --key'],
    [['keys', 'generate', '--out', 'x'], 'keys generate --out', 'keys generate --private'],
    [['pin', 'https://registry.alt', '--out', 'x'], 'pin --out', 'pin --trust-anchor'],
  ])('%j answers with what does the same now', async (args, old, now) => {
    const said = `\`${old}\` is now \`${now}\`: see docs/upgrading.md`;
    expect(await cli(args, temporaryFolder())).toEqual({
      code: 2,
      stdout: '',
      stderr: `passport-registry: ${said}\n`,
    });
  });

  it('answers as data, too', async () => {
    const { stdout } = await cli(['resolve', 'acme', '--source', 'x', '--json'], temporaryFolder());
    expect(JSON.parse(stdout).error).toMatchObject({ code: 'ERR_USAGE' });
  });

  it('format --check answers with a command that changes no file', async () => {
    const { code, stderr } = await cli(['format', '--check', 'issuers'], temporaryFolder());
    expect([code, stderr]).toEqual([
      2,
      'passport-registry: `format --check` is now `check`: see docs/upgrading.md\n',
    ]);
  });
});

describe('an option of an earlier version', () => {
  const [, table = ''] =
    /These options are only settings[\s\S]*?\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(
      readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8'),
    ) ?? [];
  const rows = table.split('\n').map((row) => row.slice(2, -2).split(' | '));

  it('answers with the setting that docs/upgrading.md names', async () => {
    const folder = temporaryFolder();
    expect(rows.length).toBeGreaterThan(8);
    for (const [options = '', places = ''] of rows) {
      for (const [option] of options.matchAll(/--[a-z-]+/g)) {
        for (const argument of [option, `${option}=x`]) {
          const { code, stdout, stderr } = await cli(['checkpoint', argument, 'x'], folder);
          const [, place = ''] =
            /^error: `.*` is now (.*) in registry\.yaml: see docs\/upgrading\.md$/m.exec(stderr) ?? [];
          expect([option, code, stdout]).toEqual([option, 2, '']);
          const words = place.match(/[a-z_]+/g)?.filter((word) => word !== 'or') ?? [];
          expect([option, words.filter((word) => !places.includes(`\`${word}\``))]).toEqual([option, []]);
          expect([option, words.length > 0]).toEqual([option, true]);
        }
      }
    }
  });
});
