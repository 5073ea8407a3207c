import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { ROOT } from '../support/paths.js';
import { run, temporaryFolder } from '../support/workspace.js';

/** Runs the demo, with some variables of its own. */
const demo = (env: Record<string, string>) =>
  run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(ROOT, 'build/sandbox/demo/demo.js')],
    ROOT,
    env,
  );

describeWith(['nginx'], 'npm run demo', () => {
  it('shows the whole flow, exits, and leaves no files behind', async () => {
    // Of its own, because another demonstration on this machine has files in the shared one.
    const TMPDIR = temporaryFolder();
    const { code, stdout } = await demo({ TMPDIR });
    expect(stdout).toContain('Every step had the expected outcome.');
    expect(code).toBe(0);
    expect([...stdout.matchAll(/^ *(\d+)\. /gm)].map(([, number]) => Number(number))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
    ]);
    expect(
      [...stdout.matchAll(/^ {4}(ALLOWED|REJECTED at \S+: [a-z-]+)/gm)].map(([, verdict]) => verdict),
    ).toEqual([
      'ALLOWED',
      'REJECTED at scope: scope-not-granted',
      'REJECTED at status: passport-revoked',
      'ALLOWED',
      'REJECTED at issuer: status-suspended',
    ]);
    expect(stdout).toContain(
      'without a passport: 401 passport-missing\n    with one: 200 Passport-Issuer: playground',
    );
    expect(stdout).toContain('401 status-suspended');
    expect(stdout).toMatch(/ALARM {3}log-forked/);
    expect(readdirSync(TMPDIR)).toEqual([]);
  });
});

/** Answers one request as nginx without a passport does, and no later one. */
const BROKEN_NGINX = `#!${process.execPath}
const { readFileSync } = require('node:fs');
const [, address, port] = process.argv[2] === '-v' ? [] : /listen (\\S+):(\\d+)/.exec(readFileSync(process.argv[5], 'utf8'));
let asked = 0;
const answer = (request, response) => (asked++ ? request.socket.destroy() : response.writeHead(401).end());
if (port) require('node:http').createServer(answer).listen(port, address);
`;

it('npm run demo ends with the step that fails, and leaves nothing behind', async () => {
  const [TMPDIR, programs] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(programs, 'nginx'), BROKEN_NGINX);
  chmodSync(join(programs, 'nginx'), 0o755);
  const { code, stdout } = await demo({ TMPDIR, PATH: `${programs}${delimiter}${process.env['PATH']}` });
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAILED at step 9: fetch failed')]);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
