import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanCheckout } from '../support/checkout.js';
import { DEPENDENCIES, PACKAGES } from '../support/packed.js';
import { runReleaseStep, VERSION } from '../support/release.js';
import { run, temporaryFolder, writeFiles } from '../support/workspace.js';

describe('the job that packs', () => {
  let folder: string;
  const files = () => readdirSync(join(folder, 'release')).sort();

  beforeAll(async () => {
    folder = cleanCheckout();
    const changelog = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
    writeFiles(folder, {
      'CHANGELOG.md': changelog.replace(/^## \[.*$/m, `## [${VERSION}] - 2026-12-01`),
    });
    for (const step of [
      'Check the tag, the versions and the changelog',
      'Name this repository in the packages',
      'Pack',
      'Write the SBOMs',
    ]) {
      const outcome = await runReleaseStep(['pack', step], folder);
      if (outcome.code !== 0) throw new Error(`${step}: ${outcome.stdout}${outcome.stderr}`);
    }
  });

  it('builds the packages from a clean checkout', () => {
    expect(files()).toEqual([
      'notes.md',
      `passport-registry-${VERSION}.cdx.json`,
      `passport-registry-${VERSION}.tgz`,
      `passport-registry-passports-${VERSION}.cdx.json`,
      `passport-registry-passports-${VERSION}.tgz`,
      `passport-registry-verifier-${VERSION}.cdx.json`,
      `passport-registry-verifier-${VERSION}.tgz`,
    ]);
  });

  it('takes the text of the release from the changelog', () => {
    const notes = readFileSync(join(folder, 'release/notes.md'), 'utf8');
    expect(notes).toMatch(/\S/);
    expect(notes).not.toMatch(/^## /m);
  });

  it('makes packages that name the repository, and run', async () => {
    const tarballs = files().filter((name) => name.endsWith('.tgz'));
    const [generator = ''] = tarballs.map((name) => join(folder, 'release', name));
    // install-generator.test.ts installs the same package with npm.
    const parent = temporaryFolder();
    await run('tar', ['-xzf', generator], parent);
    const within = join(parent, 'package');
    const manifest = (path: string) => JSON.parse(readFileSync(join(within, path, 'package.json'), 'utf8'));
    const program = join(within, manifest('.').bin['passport-registry']);
    const { stdout } = await run(process.execPath, [program, '--version'], parent);
    expect(stdout).toBe(`${VERSION}\n`);
    const repository = { type: 'git', url: 'git+https://github.example/owner/registry.git' };
    expect(manifest('.').repository).toEqual(repository);
    for (const directory of ['verifier', 'passports'] as const)
      expect(manifest(`node_modules/${PACKAGES[directory]}`).repository).toEqual({
        ...repository,
        directory,
      });
  });

  it('writes SBOMs with every package that ships, and no other', () => {
    const sbom = (name: string) =>
      JSON.parse(readFileSync(join(folder, 'release', `${name}-${VERSION}.cdx.json`), 'utf8')) as Sbom;
    const refs = ({ components }: Sbom) => components.map((component) => component['bom-ref']);
    const [generator, verifier] = [sbom('passport-registry'), sbom('passport-registry-verifier')];
    const passports = sbom('passport-registry-passports');
    expect(generator.metadata.component.name).toBe('passport-registry');
    expect(verifier.metadata.component.name).toBe(PACKAGES.verifier);
    const names = (one: Sbom) => refs(one).map((ref) => ref.replace(/@[^@]+$/, ''));
    expect(names(verifier)).toEqual(['@noble/hashes']);
    expect(passports.metadata.component.name).toBe(PACKAGES.passports);
    expect(names(passports).sort()).toEqual([...DEPENDENCIES, PACKAGES.verifier].sort());
    expect(names(generator)).toEqual(
      expect.arrayContaining([
        PACKAGES.verifier,
        PACKAGES.passports,
        'commander',
        'yaml',
        'hono',
        ...names(verifier),
      ]),
    );
    const licences = readFileSync(join(folder, 'build/bundle/licences.txt'), 'utf8');
    for (const ref of refs(generator).filter((one) => !one.startsWith('@passport-registry/')))
      expect(licences).toContain(`${ref}\n\n`);
    for (const name of ['vitest', 'typescript', 'esbuild']) expect(names(generator)).not.toContain(name);
  });
});

interface Sbom {
  readonly metadata: { readonly component: { readonly name: string } };
  readonly components: readonly { readonly 'bom-ref': string }[];
}
