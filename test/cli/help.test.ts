import { describe, expect, it } from 'vitest';
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
