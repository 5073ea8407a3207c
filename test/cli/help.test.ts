import { describe, expect, it } from 'vitest';
import { cli, temporaryFolder } from '../support/workspace.js';

const help = async (...command: string[]) => (await cli([...command, '--help'], temporaryFolder())).stdout;
const optionsIn = (text: string) =>
  [...text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name]) => name);

/** The lines of a screen, more or less. */
const LINES = 26;

/** The commands in the help of the program or of a command, by the heading of their group. */
function groupsIn(text: string): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [, heading = '', lines = ''] of text.matchAll(/^([A-Z][a-z ]+):\n((?: {2}.*\n?)+)/gm)) {
    if (['Options', 'Arguments', 'Examples'].includes(heading)) continue;
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
      'Start',
      'Records',
      'Publish',
      'Issuers',
      'Keys',
      'Trust',
      'For others',
    ]);
    const names = Object.values(groups).flat();
    expect(names.length).toBeLessThanOrEqual(24);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      expect(text).toMatch(new RegExp(`^ {2}${name} +\\S.*\\n(?: {2}[a-z]|\\n|$)`, 'm'));
  });

  it('of each command fits one screen, with all of its options and two examples', async () => {
    const commands = (await everyCommand()).slice(1);
    expect(commands.length).toBeGreaterThan(30);
    /** What each option takes, in all commands. */
    const takes = new Map<string, Set<string>>();
    for (const [command, text] of commands) {
      const name = command.join(' ');
      for (const [, option = '', value = ''] of text.matchAll(/^ {2}(--[a-z-]+)(?: <([^>]*)>)?/gm))
        takes.set(option, (takes.get(option) ?? new Set()).add(value));
      expect([name, text.trimEnd().split('\n').length <= LINES]).toEqual([name, true]);
      const [, shown = ''] = /^Examples:\n((?: {2}passport-registry .*\n?){2})$/m.exec(text) ?? [];
      for (const [, example = ''] of shown.matchAll(/^ {2}passport-registry (.*)$/gm)) {
        const [[target] = [[]]] = commands
          .filter(([each]) => `${example} `.startsWith(`${each.join(' ')} `))
          .sort(([one], [other]) => other.length - one.length);
        expect([name, target.join(' ').startsWith(command[0] ?? '')]).toEqual([name, true]);
        const used = example.match(/--[a-z-]+/g) ?? [];
        const known = optionsIn(await help(...target));
        expect([name, used.filter((option) => !known.includes(option))]).toEqual([name, []]);
      }
      expect([name, shown.split('\n').filter(Boolean).length]).toEqual([name, 2]);
    }
    expect(takes.size).toBeLessThanOrEqual(90);
    // One option, one meaning. `init` makes the file of --key, so that no variable can hold it.
    const several = [...takes].filter(([option, values]) => option !== '--key' && values.size > 1);
    expect(several).toEqual([]);
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
