import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandsBelow, operatorCommands, ownRegistry, sh } from '../support/documents.js';
import { installedPath } from '../support/installed.js';
import { ROOT } from '../support/paths.js';
import { freePort, serve, untilAnswering } from '../support/serving.js';
import { cleanEnvironment, run, temporaryFolder, writeFiles } from '../support/workspace.js';

const LOG = 'docs/operators/log.md';
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The time in whole seconds, when the second has ended. So what happens before and after has other times. */
async function betweenSeconds(): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const time = new Date().toISOString().replace(/\.\d+/, '');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  return time;
}

const children: ReturnType<typeof spawn>[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

/** A witness with a folder of its own. */
interface Witness {
  readonly vkey: string;
  readonly here: (commands: string) => string;
  readonly folder: string;
}

describe('the commands of the documents about the log', () => {
  it('begin a log, run witnesses, collect, pin, watch, and prove what the registry said', async () => {
    const folder = await ownRegistry();
    for (const heading of ['The key', 'Freshness: hourly, without the root key']) {
      for (const commands of operatorCommands(heading)) await sh(commands, folder);
    }
    const [begin = ''] = operatorCommands('The public log and its witnesses');
    const [collect = ''] = operatorCommands('Publish with witnesses');
    await sh(begin, folder);
    const sign = 'npx passport-registry checkpoint dist --online-key online.pem';
    await sh(sign, folder);
    const registry = await serve(join(folder, 'dist'));
    const { kid } = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'));
    const here = (commands: string) =>
      commands.replaceAll(/\bhttps:\/\/registry\.example\b/g, registry).replaceAll('THUMBPRINT', kid);

    const [make = '', service = ''] = commandsBelow('docs/mirrors.md', 'Run a witness');
    const witness = async (name: string): Promise<Witness> => {
      const own = temporaryFolder();
      const local = (commands: string) =>
        here(commands).replaceAll('/srv/', `${own}/srv/`).replaceAll('witness.example', name);
      await sh(here('npx passport-registry pin https://registry.example --thumbprint THUMBPRINT'), own);
      const { stdout } = await sh(local(make), own);
      return { vkey: stdout.trim(), folder: own, here: local };
    };
    const witnesses = [await witness('a.example'), await witness('b.example'), await witness('c.example')];
    const environment = { ...cleanEnvironment(), ...(await installedPath()) };
    const start = async (each: Witness) => {
      const port = await freePort();
      const started = each.here(service).replace('8790', String(port)).replace('npx', 'exec npx');
      const options = { cwd: each.folder, env: environment, stdio: 'ignore', detached: false } as const;
      const child = spawn('sh', ['-euc', started], options);
      children.push(child);
      return { key: each.vkey, service: await untilAnswering(`http://127.0.0.1:${port}`, child) };
    };
    const [one, two, three] = witnesses as [Witness, Witness, Witness];
    const asked = await Promise.all([one, two, three].map(start));
    const signer = { key: 'log-key.pem' };
    const log = { origin: 'registry.example/log', signer, quorum: 2, witnesses: asked };
    writeFiles(folder, {
      'registry.yaml': `${JSON.stringify({ checkpoint: { signer: { key: 'online.pem' } }, log })}\n`,
    });
    expect((await sh(collect, folder)).stderr).toContain('cosigned by 3 witnesses, 3 of them now');

    const verifier = temporaryFolder();
    const pin = commandsBelow('docs/verifiers/log.md', 'Witnesses: a list that everybody sees').join('');
    const keys = { VKEY_A: one.vkey, VKEY_B: two.vkey, VKEY_C: three.vkey };
    const pinned = Object.entries(keys).reduce((text, [name, vkey]) => text.replace(name, vkey), here(pin));
    expect((await sh(pinned, verifier)).stderr).toContain('cosigned by 2 of 3 witnesses');

    const before = await betweenSeconds();
    await sh(collect, folder);
    await sh(
      'npx passport-registry suspend aurora-bank --reason x --key root-key.pem --root-key root.json --production',
      folder,
    );
    const after = await betweenSeconds();
    await sh(`${collect}${sign}`, folder);

    const at = (commands: string) =>
      here(commands)
        .replaceAll(/2026-11-22T12:00:00Z|2026-11-01T00:00:00Z/g, before)
        .replaceAll('2026-11-22T00:00:00Z', after)
        .replaceAll('https://mirror.example', registry);
    const [watch = ''] = operatorCommands('Watch the log');
    expect((await sh(at(watch), verifier)).stdout).toContain('no alarm');
    expect(read(LOG)).toContain('`monitor/evidence/`');
    const said = await sh(at(operatorCommands('What did the registry say?').join('')), verifier);
    expect(said.stdout + said.stderr).toContain('"active" -> "suspended"');
    const proved = await sh(
      at(commandsBelow('docs/verifiers/log.md', 'What the registry said in the past').join('')),
      verifier,
    );
    expect(proved.stdout + proved.stderr).toContain('aurora-bank');

    // The workflow of an issuer fails if its record has changed.
    const [, line = ''] = /- run: (npx passport-registry monitor .*)/.exec(read('docs/issuers.md')) ?? [];
    const command = at(line).replace('nordic-post', 'aurora-bank');
    const changed = await run('sh', ['-euc', command], verifier, await installedPath());
    expect([changed.code, changed.stdout]).toEqual([5, expect.stringContaining('aurora-bank')]);
  });

  it('never run a version that no lock file pins', () => {
    const workflow = read('docs/issuers.md').split('\n## Watch your own entry\n')[1] ?? '';
    expect(workflow).toMatch(/- run: npm ci --ignore-scripts\n +- run: npx passport-registry monitor /);
    const names = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((file) => file.endsWith('.md')))
      expect(read(`docs/${name}`)).not.toMatch(/npx (?:-y|--yes)\b(?! --package \.\/)/);
  });
});
