import { execFileSync, spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { CLI } from '../support/paths.js';
import { until } from '../support/until.js';
import { cleanEnvironment, cli, recordText, temporaryFolder, writeFiles } from '../support/workspace.js';

describe('diagnostics on a terminal', () => {
  it.each([
    ['a value', { tier: 'certifed' }, ['2:7', ' 2 | tier: certifed', '   |       ^^^^^^^^']],
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
    const { stderr } = await cli(['validate'], folder);
    expect(stderr).toContain(`issuers/a.yaml:${place}: error`);
    expect(stderr).toContain(`\n${lines.join('\n')}\n`);
    for (const hidden of ['\u001b', '\u202e', '\u200b']) expect(stderr).not.toContain(hidden);
  });

  it('cut a long line around the place', async () => {
    const folder = temporaryFolder();
    const scope = `[${'a, '.repeat(100)}Bad Slug]`;
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { domain_scope: scope }) });
    const { stderr } = await cli(['validate'], folder);
    const [, shown = '', mark = ''] = /bad-slug.*\n(.*)\n(.*)\n/.exec(stderr) ?? [];
    expect(shown.length).toBeLessThan(130);
    expect(shown.slice(mark.indexOf('^'), mark.lastIndexOf('^') + 1)).toBe('Bad Slug');
  });
});

describeWith(['script'], 'diagnostics on a real terminal', () => {
  const onTerminal = (folder: string, environment: Record<string, string>) =>
    execFileSync('script', ['-qec', `"${process.execPath}" "${CLI}" validate || true`, '/dev/null'], {
      cwd: folder,
      encoding: 'utf8',
      input: '',
      env: cleanEnvironment({ TERM: 'xterm-256color', ...environment }),
    });

  it('have colours, unless NO_COLOR asks for none', () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'gold' }) });
    expect(onTerminal(folder, {})).toContain('\u001b[31merror\u001b[0m unknown-value');
    expect(onTerminal(folder, { NO_COLOR: '1' })).not.toContain('\u001b[31m');
  });
});

describe('diagnostics as data', () => {
  it('are SARIF 2.1.0, with the rules, the places, and addresses that are such', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      'issuers/a b.yaml': recordText('a b', {
        tier: 'gold',
        geographical_scope: '[UK]',
        jwks_uri: 'https://a.example/jwks',
        discovery_uri: 'https://a.example/metadata',
      }),
    });
    const { stdout, code } = await cli(['validate', '--format', 'sarif'], folder);
    expect(code).toBe(1);
    const { version, runs } = JSON.parse(stdout);
    const [{ tool, results, columnKind }] = runs;
    expect([version, columnKind, runs.length]).toEqual(['2.1.0', 'utf16CodeUnits', 1]);
    expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual([
      'bad-id',
      'unknown-value',
      'unknown-country',
    ]);
    expect(results[1]).toEqual({
      ruleId: 'unknown-value',
      ruleIndex: 1,
      level: 'error',
      message: {
        text: 'tier is "gold". Expected: one of founding, certified, registered, sandbox. Remedy: choose one of them.',
      },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'issuers/a%20b.yaml' },
            region: { startLine: 2, startColumn: 7, endLine: 2, endColumn: 11 },
          },
        },
      ],
    });
    expect(results[2].level).toBe('warning');
  });

  it('cannot be ended or forged by what stands in a file', async () => {
    const folder = temporaryFolder();
    const forged = '"x\\n::error file=issuers/b.yaml::forged\\r\\n::set-output name=x::y"';
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: forged, contact: '"a%0Ab"' }) });
    const { stdout } = await cli(['validate', '--format', 'github'], folder);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^::error file=issuers\/a\.yaml,line=\d+,/);
    expect(stdout).not.toContain('\r');
    expect(stdout).toContain('a%250Ab');
  });

  it('name a file right whatever its name', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a,b:c%.yaml': '[]' });
    const { stdout } = await cli(['validate', '--format', 'github'], folder);
    expect(stdout).toContain('::error file=issuers/a%2Cb%3Ac%25.yaml,line=1,');
  });

  it('--json and --format json are the same', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'gold' }) });
    const [short, long] = [
      await cli(['validate', '--json'], folder),
      await cli(['validate', '--format', 'json'], folder),
    ];
    expect(short.stdout).toBe(long.stdout);
    expect(JSON.parse(short.stdout).diagnostics).toHaveLength(1);
    expect((await cli(['validate', '--format', 'xml'], folder)).code).toBe(2);
  });
});

describe('passport-registry validate --watch', () => {
  it('checks again after each change, survives a broken file, and ends when told to', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    const child = spawn(process.execPath, [CLI, 'validate', '--watch'], {
      cwd: folder,
      env: cleanEnvironment(),
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    const says = (pattern: RegExp) =>
      until(
        () => pattern.test(said),
        () => said,
      );
    await says(/1 file: 0 problems/);
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'gold' }) });
    await says(/unknown-value[\s\S]*1 file: 1 problem/);
    writeFiles(folder, { 'issuers/eu/b.yaml': 'issuer_id: [' });
    await says(/2 files: 2 problems/);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('has something to watch, and reports as text', async () => {
    const folder = temporaryFolder();
    expect((await cli(['validate', 'nowhere', '--watch'], folder)).code).toBe(4);
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    expect((await cli(['validate', '--watch', '--format', 'github'], folder)).code).toBe(2);
  });
});
