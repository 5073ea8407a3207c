import { execFileSync } from 'node:child_process';
import type { Diagnostic } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { forGitHub, forTerminal } from '../../../build/cli/terminal/diagnostics.js';
import { forMarkdown } from '../../../build/cli/terminal/for-markdown.js';
import { printable, printableJson } from '../../../build/generator/diagnostics/printable.js';
import fc, { codePoint } from '../../support/fast-check.js';
import { CLI } from '../../support/paths.js';
import { cleanEnvironment, cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

describe('diagnostics on a terminal', () => {
  it.each([
    ['a tab before it', { tier: '\t gold' }, ['2:9', ' 2 | tier:   gold', '   |         ^^^^']],
    [
      'what would move the cursor or hide text',
      { contact: '"\u202ex\u200b"' },
      ['7:10', ' 7 | contact: "\\u202ex\\u200b"', '   |          ^^^^^^^^^^^^^^^'],
    ],
    ['an empty value', { tier: '' }, ['2:7', ' 2 | tier: ', '   |       ^']],
  ])('show the line, and mark %s', async (_name, changes, [place = '', ...lines]) => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', changes as Record<string, string>) });
    const { stdout } = await cli(['check'], folder);
    expect(stdout).toContain(`issuers/a.yaml:${place}: error`);
    expect(stdout).toContain(`\n${lines.join('\n')}\n`);
    for (const hidden of ['\u001b', '\u202e', '\u200b']) expect(stdout).not.toContain(hidden);
  });

  it('cut a long line around the place', async () => {
    const folder = temporaryFolder();
    const scope = `[${'a, '.repeat(100)}Bad Slug]`;
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { domain_scope: scope }) });
    const { stdout } = await cli(['check'], folder);
    const [, shown = '', mark = ''] = /bad-slug.*\n(.*)\n(.*)\n/.exec(stdout) ?? [];
    expect(shown.length).toBeLessThan(130);
    expect(shown.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('Bad Slug');
  });
});

describe('diagnostics on a real terminal', () => {
  const onTerminal = (folder: string, environment: Record<string, string>) =>
    execFileSync('script', ['-qec', `"${process.execPath}" "${CLI}" check || true`, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
      input: '',
      env: cleanEnvironment({ TERM: 'xterm-256color', ...environment }),
    });

  it('have colours, unless NO_COLOR asks for none', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'gold' }) });
    expect(onTerminal(folder, {})).toContain('\u001b[31merror\u001b[39m unknown-value');
    expect(onTerminal(folder, { NO_COLOR: '1' })).not.toContain('\u001b[31m');
  });
});

describe('diagnostics as data', () => {
  it('name a file right whatever its name', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a,b:c%.yaml': '[]' });
    const { stdout } = await cli(['check'], folder, { GITHUB_ACTIONS: 'true' });
    expect(stdout).toContain('::error file=issuers/a%2Cb%3Ac%25.yaml,line=1,');
  });

  it('--json prints also errors', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'gold' }) });
    // Wherever it runs.
    const { stdout } = await cli(['check', '--json'], folder, { GITHUB_ACTIONS: 'true' });
    expect(JSON.parse(stdout).diagnostics).toHaveLength(1);
    const wrong = await cli(['check', '--fix', '--watch', '--json'], folder);
    expect([wrong.code, JSON.parse(wrong.stdout)]).toMatchObject([2, { error: { code: 'ERR_USAGE' } }]);
  });
});

/** Text as an attacker would choose it. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['\n', '\r', '\r\n', '\t', '\0', '\u0007', '\u001b[2J', '\u001b]0;x\u0007', '\u007f', '\u0085'],
        ...['\u009b31m', '\u202e', '\u2066', '\u200b', '\u00ad', '\ufeff', '\u2028', '\u2029', '\u{e0001}'],
        ...['\ud800', '\udc00', ' ::add-mask::z', '\\n'],
        ...'::error::x ::stop-commands::y ##[error]x ##[ %0A::error::x %25'.split(' '),
        ...'</code> <!-- --> | ` ``` @everyone [x](https://mallory.example) &#10;'.split(' '),
      ),
      fc.string({ unit: codePoint, maxLength: 8 }),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

const place = fc.integer({ min: 1, max: 300 });
const diagnostics = fc.array(
  fc.record(
    {
      rule: fc.constantFrom('file-name', 'yaml-syntax', 'unknown-country'),
      severity: fc.constantFrom('error', 'warning'),
      file: hostile,
      message: hostile,
      expected: hostile,
      remedy: hostile,
      line: place,
      column: place,
      endLine: place,
      endColumn: place,
      excerpt: fc.record({ before: hostile, marked: hostile, after: hostile }),
    },
    {
      requiredKeys: [
        'rule',
        'severity',
        'file',
        'message',
        'expected',
        'remedy',
        'line',
        'column',
        'endLine',
        'endColumn',
      ],
    },
  ) as fc.Arbitrary<Diagnostic>,
  { maxLength: 3 },
);

/** No character that a terminal, a log or a reader would obey, but line feeds. */
const UNSAFE = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

/** What the printer for terminals may send to one. */
const COLOURS = [31, 33, 39, 2, 1, 22].map((code) => `\u001b[${code}m`);

/** What a workflow runner takes for a command. */
const commandsIn = (text: string) => text.split('\n').filter((line) => /^\s*::|##\[/.test(line));

describe('whatever a stranger has written', () => {
  it('obeys nobody’s terminal, and has as many lines as the printer for people writes', () => {
    fc.assert(
      fc.property(diagnostics, (found) => {
        const text = forTerminal(found, false);
        expect(text).not.toMatch(UNSAFE);
        expect(commandsIn(text)).toEqual([]);
        const lines = found.reduce((sum, { excerpt }) => sum + (excerpt === undefined ? 3 : 5), 0);
        expect(text.split('\n')).toHaveLength(lines + 1);
        // The colours are the printer's own, and nothing else differs.
        const coloured = forTerminal(found, true);
        expect(COLOURS.reduce((rest, colour) => rest.replaceAll(colour, ''), coloured)).toBe(text);
      }),
    );
  });

  it('is one command a diagnostic for a workflow runner, and as many properties', () => {
    fc.assert(
      fc.property(diagnostics, (found) => {
        const text = forGitHub(found);
        expect(text).not.toMatch(UNSAFE);
        const lines = text.split('\n').slice(0, -1);
        expect(lines).toHaveLength(found.length);
        for (const line of lines) {
          expect(line).toMatch(
            /^::(?:error|warning) file=[^,:]*,line=\d+,endLine=\d+,col=\d+,endColumn=\d+,title=[a-z-]+::/,
          );
          expect(line).not.toContain('##[');
          // Its own two line feeds, and none of a stranger's.
          expect(line.replaceAll('%25', '').match(/%0[AD]/g)).toHaveLength(2);
        }
      }),
    );
  });

  it('is the same data after JSON, which nothing shows otherwise', () => {
    fc.assert(
      fc.property(fc.oneof(diagnostics, fc.dictionary(hostile, hostile)), (data) => {
        const text = printableJson(data);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)));
        expect(text).not.toMatch(UNSAFE);
        expect(commandsIn(text)).toEqual([]);
      }),
    );
  });

  it('is code in a comment, on its own line', () => {
    fc.assert(
      fc.property(diagnostics, fc.array(hostile, { maxLength: 3 }), (found, values) => {
        const changes = values.map((value) => ({
          issuer_id: value,
          kind: 'changed' as const,
          fields: [{ field: 'contact' as const, from: value, to: [value] }],
        }));
        const text = forMarkdown(
          { changes, notCompared: values },
          { issuers: new Map(), about: undefined },
          found,
        );
        expect(text).not.toMatch(UNSAFE);
        expect(commandsIn(text)).toEqual([]);
        expect(text.replaceAll(/<code>[^<>&]*(?:&#\d+;[^<>&]*)*<\/code>/g, '')).not.toMatch(
          /[<>@`[\]&\\]|mallory/,
        );
        const items = text.split('\n').filter((line) => /^(?:- |\| <)/.test(line));
        expect(items).toHaveLength(found.length + values.length);
      }),
    );
  });

  it('is one line of words', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        expect(commandsIn(printable(text))).toEqual([]);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });

  it.each<[string, string[], Record<string, string>]>([
    ['text', [], {}],
    ['JSON', ['--json'], {}],
    ['annotations', [], { GITHUB_ACTIONS: 'true' }],
    ['Markdown', ['--markdown'], {}],
  ])('in the name of a file and in an argument, is no command in %s', async (_name, format, environment) => {
    const run = (...args: string[]) => cli([...args, ...format], folder, environment);
    const folder = temporaryFolder();
    const name = 'x\n::error file=forged.yaml::forged\n##[error]y\u009b31m\u202e.yaml';
    writeFiles(folder, {
      'before/a.yaml': recordText('a'),
      [`issuers/${name}`]: recordText('b'),
      '::error ::c.yaml': `  ${recordText('c')}`,
    });
    const outcomes = [
      await run('diff', 'before'),
      await run('diff', `before\n::error::x`),
      ...(format.includes('--markdown')
        ? []
        : [
            await run('check'),
            await run('check', '\n::error::x'),
            await run('check', '--fix', '.'),
            await run('check', '--online', '--issuers', 'before', 'x\n::error::x'),
            await run(`\n::error::x`),
          ]),
    ];
    for (const { stdout, stderr } of outcomes) {
      expect(stdout + stderr).not.toMatch(UNSAFE);
      expect(commandsIn(stderr)).toEqual([]);
      for (const line of commandsIn(stdout)) expect(line).toMatch(/^::error file=[^,:]*,line=/);
    }
  });
});
