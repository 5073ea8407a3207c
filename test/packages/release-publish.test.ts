import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { callsIn, RELEASE_JOBS, runReleaseStep, simulated, VERSION } from '../support/release.js';
import { temporaryFolder, writeFiles } from '../support/workspace.js';

let folder: string;

beforeEach(() => {
  folder = join(temporaryFolder(), 'runner');
  writeFiles(folder, {
    'release/notes.md': '### Added\n',
    [`release/passport-registry-${VERSION}.tgz`]: '',
    [`release/passport-registry-${VERSION}.cdx.json`]: '',
    [`release/passport-registry-passports-${VERSION}.tgz`]: '',
    [`release/passport-registry-passports-${VERSION}.cdx.json`]: '',
    [`release/passport-registry-verifier-${VERSION}.tgz`]: '',
    [`release/passport-registry-verifier-${VERSION}.cdx.json`]: '',
    'image.tar.gz': '',
  });
});

describe('the jobs that publish', () => {
  it('run no code of the repository, and have one right each', () => {
    const { publish, image, release } = RELEASE_JOBS;
    for (const job of [publish, image, release]) {
      expect(job?.steps?.some(({ uses }) => uses?.startsWith('actions/checkout@'))).toBe(false);
      for (const { run = '' } of job?.steps ?? []) expect(run).not.toMatch(/npm (ci|install|run)|node /);
    }
    expect(publish?.permissions).toEqual({ 'id-token': 'write' });
    expect(publish?.environment).toBe('npm');
    expect(image?.permissions).toEqual({ packages: 'write' });
    expect(release?.permissions).toEqual({ contents: 'write' });
    expect(RELEASE_JOBS['pack']?.permissions).toEqual({ contents: 'read' });
  });

  it('wait for the tests and the trial of the packages', () => {
    const needs = Object.entries(RELEASE_JOBS).map(([name, job]) => [name, job.needs]);
    expect(Object.fromEntries(needs)).toEqual({
      test: undefined,
      pack: 'test',
      publish: 'pack',
      image: 'publish',
      release: 'publish',
    });
  });
});

describe('the job publish', () => {
  const publish = (npm: string, environment: Record<string, string> = {}) =>
    runReleaseStep(['publish', 'Publish the packages'], folder, {
      ...simulated(folder, { npm }),
      ...environment,
    });
  const published = () => callsIn(folder).filter((call) => call.startsWith('npm publish'));

  it('publishes the verifier, then the passports, then the generator, with provenance', async () => {
    expect((await publish('test "$1" != view')).code).toBe(0);
    const options = '--provenance --access public --tag latest';
    expect(published()).toEqual([
      `npm publish ./release/passport-registry-verifier-${VERSION}.tgz ${options}`,
      `npm publish ./release/passport-registry-passports-${VERSION}.tgz ${options}`,
      `npm publish ./release/passport-registry-${VERSION}.tgz ${options}`,
    ]);
  });

  it('skips a package that an earlier attempt published', async () => {
    const npm = `case "$1 $2" in "view @passport-registry/verifier@${VERSION}") echo ${VERSION} ;; view*) exit 1 ;; esac`;
    expect((await publish(npm)).code).toBe(0);
    expect(published()).toEqual([
      expect.stringContaining(`/passport-registry-passports-${VERSION}.tgz `),
      expect.stringContaining(`/passport-registry-${VERSION}.tgz `),
    ]);
  });

  it('stops at the first failure', async () => {
    expect((await publish('exit 1')).code).toBe(1);
    expect(published()).toHaveLength(1);
  });

  it('does not make a prerelease the latest version', async () => {
    expect((await publish('test "$1" != view', { GITHUB_REF_NAME: 'v1.0.0-rc.1' })).code).toBe(0);
    for (const call of published())
      expect(call).toMatch(/-1\.0\.0-rc\.1\.tgz --provenance --access public --tag next$/);
    expect(published()).toHaveLength(3);
  });
});

describe('the job release', () => {
  const release = (environment: Record<string, string> = {}) =>
    runReleaseStep(['release', 'Make the release'], folder, {
      ...simulated(folder, { gh: '' }),
      ...environment,
    });

  it('makes a release with tarballs, SBOMs and the text of the changelog', async () => {
    expect((await release()).code).toBe(0);
    const files = ['tgz', 'cdx.json'].flatMap((extension) =>
      ['passport-registry', 'passport-registry-passports', 'passport-registry-verifier'].map(
        (name) => `release/${name}-${VERSION}.${extension}`,
      ),
    );
    expect(callsIn(folder)).toEqual([
      `gh release create v${VERSION} ${files.join(' ')} --repo owner/registry --verify-tag --title ${VERSION} --notes-file release/notes.md --prerelease=false`,
    ]);
  });

  it('marks a prerelease', async () => {
    expect((await release({ GITHUB_REF_NAME: 'v1.0.0-rc.1' })).code).toBe(0);
    expect(callsIn(folder)[0]).toMatch(/--prerelease=true$/);
  });
});

describe('the job image', () => {
  it('pushes the image to the host that its name contains, with the token on stdin', async () => {
    const { code } = await runReleaseStep(['image', 'Push the image'], folder, {
      ...simulated(folder, { docker: `test "$1" != login || cat > '${folder}/password'` }),
      IMAGE: 'images.example/owner/passport-registry',
      TOKEN: 'a-token-for-this-test',
    });
    expect(code).toBe(0);
    const image = `images.example/owner/passport-registry:${VERSION}`;
    expect(callsIn(folder)).toEqual([
      'docker load',
      'docker login images.example --username owner --password-stdin',
      `docker tag passport-registry ${image}`,
      `docker push ${image}`,
    ]);
  });
});
