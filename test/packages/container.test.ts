import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { npmAlone, pack } from '../support/packed.js';
import { ROOT } from '../support/paths.js';
import { callsIn, runReleaseStep, simulated, VERSION } from '../support/release.js';
import { run, temporaryFolder } from '../support/workspace.js';

const instructions = readFileSync(join(ROOT, 'cli/Containerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
const values = (name: string) => instructions.flatMap(([found, value]) => (found === name ? [value] : []));

describe('the image for operators without Node.js', () => {
  it('starts the program as a user without rights, in /registry', () => {
    expect(values('FROM')).toEqual([expect.stringMatching(/^node:\d+-alpine$/)]);
    expect(values('ENTRYPOINT')).toEqual(['["passport-registry"]']);
    expect(values('USER')).toEqual(['node']);
    expect(values('WORKDIR')).toEqual(['/registry']);
    // The user changes after the last step that installs something.
    const names = instructions.map(([name]) => name);
    expect(names.lastIndexOf('RUN')).toBeLessThan(names.indexOf('USER'));
  });

  it('copies the tarball of the program, and not that of the verifier', () => {
    expect(values('COPY')).toEqual(['passport-registry-[0-9]*.tgz /package/']);
  });
});

/** There is no daemon here: the steps of the image run in a folder, without the base image. */
describe('its steps', () => {
  let folder: string;
  let image: string;

  beforeAll(async () => {
    const root = temporaryFolder();
    [folder, image] = [join(root, 'runner'), join(root, 'image')];
    for (const path of [folder, join(image, 'package')]) mkdirSync(path, { recursive: true });
    const [packed] = await pack('.');
    const tarball = packed?.tarball ?? '';
    copyFileSync(tarball, join(image, 'package', `passport-registry-${VERSION}.tgz`));
  });

  it('install the program with no package registry in reach', async () => {
    const [install = ''] = values('RUN').filter((command) => command.startsWith('npm '));
    const inFolder = install.replace('/package/', `${image}/package/`);
    const words = await run('bash', ['-c', `printf '%s\\n' ${inFolder}`], image);
    const [, ...args] = words.stdout.trim().split('\n');
    const { code, stderr } = await npmAlone([...args, '--prefix', image], image);
    expect(code, stderr).toBe(0);
    const program = await run(join(image, 'bin/passport-registry'), ['--version'], image);
    expect(program.stdout).toBe(`${VERSION}\n`);
  });

  it('are what the workflow builds', async () => {
    const { code } = await runReleaseStep(
      ['pack', 'Build the image'],
      folder,
      simulated(folder, { docker: '' }),
    );
    expect(code).toBe(0);
    expect(callsIn(folder)).toEqual([
      'docker build --file cli/Containerfile --tag passport-registry release',
    ]);
  });

  it('give a program with which the workflow makes a registry', async () => {
    // docker run --rm --user … --volume … passport-registry <arguments>
    const docker = `cd registry && shift 7 && unset CI && exec '${image}/bin/passport-registry' "$@"`;
    const { code, stdout, stderr } = await runReleaseStep(
      ['pack', 'Try the image'],
      folder,
      simulated(folder, { docker }),
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('dist is valid');
  });
});
