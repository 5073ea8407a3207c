import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Ceremony } from '../support/ceremony.js';
import { commandsBelow, operatorCommands, sh } from '../support/documents.js';
import { installedPath } from '../support/installed.js';
import { recordText, run, temporaryFolder, writeFiles } from '../support/workspace.js';

const FILE = 'docs/holders.md';
const HOLDERS = ['Anna', 'Bo', 'Cy'];

let folder: string;

/** The commands as one holder types them. The test gives the passphrase and the words instead of typing them. */
function as(name: string, commands: string, words = ''): string {
  const own = commands
    .replaceAll('Anna ', `${name} `)
    .replaceAll(/\b(anna|bo|di)\.share/g, `${name.toLowerCase()}.share`);
  return own
    .replaceAll(/(--share \S+)/g, `$1 --passphrase-file passphrase-of-${name}`)
    .replaceAll(/(ceremony finish .*)/g, `$1 --words "${words}"`)
    .replaceAll(/(passport-registry sign .*)/g, '$1 --yes');
}

async function ceremony([
  join1 = '',
  join2 = '',
  finish1 = '',
  finish2 = '',
]: readonly string[]): Promise<void> {
  for (const step of [join1, join2]) for (const holder of HOLDERS) await sh(as(holder, step), folder);
  const { stdout } = await sh('npx passport-registry keys ceremony status ceremony --json', folder);
  const read = JSON.parse(stdout).words.join(' ');
  for (const step of [finish1, finish2])
    for (const holder of HOLDERS) await sh(as(holder, step, read), folder);
}

/** Puts the folder and the shares of a whole ceremony in place of one that was started, as Bo, Cy and Di would make it. */
async function otherCeremony(name: string): Promise<void> {
  const { shared, holders } = await Ceremony.of('whole');
  rmSync(join(folder, name), { recursive: true });
  cpSync(shared, join(folder, name), { recursive: true });
  for (const { name: holder, folder: machine } of holders) {
    const own = holder === 'Anna' ? 'Di' : holder;
    cpSync(join(machine, 'own.share'), join(folder, `${own.toLowerCase()}.new`));
    cpSync(join(machine, 'passphrase'), join(folder, `passphrase-of-${own}`));
  }
}

describe('docs/holders.md', () => {
  const [start = '', ...steps] = commandsBelow(FILE, 'Make the key');
  const splitting = commandsBelow(FILE, 'Split an existing key')[0] ?? '';
  const signing = commandsBelow(FILE, 'Sign');
  const leaving = commandsBelow(FILE, 'When a holder leaves, or a share is lost or stolen');

  beforeAll(async () => {
    folder = temporaryFolder();
    for (const name of HOLDERS) {
      writeFileSync(join(folder, `passphrase-of-${name}`), `the long passphrase of ${name}\n`);
    }
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
    await sh(start, folder);
    await ceremony(steps);
    for (const name of ['root.json', 'holders.json'])
      cpSync(join(folder, 'ceremony', name), join(folder, name));
  });

  it('makes the key in four commands of each holder', async () => {
    const { stderr } = await sh('npx passport-registry keys ceremony status ceremony', folder);
    expect(stderr).toContain('the key is live');
    expect(steps).toHaveLength(4);
  });

  it('signs in two commands of each holder, and publishes', async () => {
    const [commit = '', sign = '', attach = ''] = signing;
    await sh('npx passport-registry build --unsigned request --root-key root.json', folder);
    for (const step of [commit, sign]) for (const name of ['Anna', 'Bo']) await sh(as(name, step), folder);
    await sh(attach, folder);
    await sh('npx passport-registry verify dist --trust-anchor root.json', folder);
  });

  it('docs/operators/emergency.md: holds an issuer at once, and suspends it with two holders', async () => {
    const [kept, id] = [folder, 'harbour-logistics'];
    folder = temporaryFolder();
    cpSync(kept, folder, { recursive: true });
    writeFiles(folder, {
      [`issuers/${id}.yaml`]: recordText(id),
      'registry.yaml': 'root_key: root.json\ncheckpoint: { signer: { key: online.pem } }\n',
    });
    await sh(
      'npx passport-registry keys generate --no-passphrase --private online.pem > online.json',
      folder,
    );
    const [hold = '', ...more] = operatorCommands('With a root key that holders share');
    await sh('npx passport-registry build --unsigned permission --root-key root.json', folder);
    for (const step of signing.slice(0, 2)) {
      for (const name of ['Anna', 'Cy'])
        await sh(as(name, step).replace(' request ', ' permission '), folder);
    }
    await sh('npx passport-registry attach permission --root-key root.json --holders holders.json', folder);
    writeFileSync(join(folder, 'policy.json'), '{"tiers": ["certified"]}');
    await sh(hold, folder);
    const decision = async () =>
      (
        await run(
          'sh',
          ['-c', `npx passport-registry resolve ${id} --policy policy.json --trust-anchor root.json --json`],
          folder,
          await installedPath(),
        )
      ).stdout;
    expect(await decision()).toContain('issuer-held');
    for (const block of more) await together(block, ['Bo', 'Anna']);
    const published = readFileSync(join(folder, 'dist/issuers', id), 'utf8');
    expect(JSON.parse(published).status).toBe('suspended');
    expect(await decision()).not.toContain('issuer-held');
    await sh('npx passport-registry verify dist --trust-anchor root.json', folder);
    folder = kept;
  });

  it('moves to other holders, as verifiers who pinned the outgoing key see', async () => {
    const [begin = '', step = '', first = ''] = leaving;
    await sh(begin, folder);
    // Bo and Cy have a file for each key.
    await otherCeremony('new-ceremony');
    await together(step, ['Bo', 'Cy']);
    for (const name of ['Bo', 'Cy', 'Di']) {
      renameSync(join(folder, `${name.toLowerCase()}.new`), join(folder, `${name.toLowerCase()}.share`));
    }
    await together(first, ['Di', 'Bo']);
    await sh('npx passport-registry verify dist --trust-anchor root.json', folder);
  });

  it('splits an existing key', async () => {
    await sh(
      'npx passport-registry keys generate --no-passphrase --private root-key.pem > single.json',
      folder,
    );
    const [begin = '', split = ''] = splitting.trim().split('\n');
    await sh(begin.replace('root.json', 'single.json'), folder);
    for (const name of ['Anna', 'Bo', 'Cy']) renameShare(name, 'kept');
    for (const name of HOLDERS)
      await sh(as(name, steps[0] ?? '').replace(' ceremony --as', ' split-ceremony --as'), folder);
    const status = await sh('npx passport-registry keys ceremony status split-ceremony --json', folder);
    const read = JSON.parse(status.stdout).words.join(' ');
    const { stderr } = await sh(`${split} --words "${read}"`, folder);
    expect(stderr).toContain('DESTROY the original key');
  });

  const renameShare = (name: string, suffix: string) =>
    renameSync(join(folder, `${name.toLowerCase()}.share`), join(folder, `${name.toLowerCase()}.${suffix}`));

  /** Runs a block: each command of a holder by all signers, the others once. */
  async function together(block: string, signers: readonly string[]): Promise<void> {
    for (const command of block.trim().split('\n')) {
      if (!command.includes('--share')) await sh(command, folder);
      else for (const name of signers) await sh(as(name, command), folder);
    }
  }
});
