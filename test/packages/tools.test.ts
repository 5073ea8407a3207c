import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build as bundle } from 'esbuild';
import { build as buildWithVite } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWith, isRequired } from '../support/components.js';
import { addPackages, DEPENDENCIES, PACKAGES, pack } from '../support/packed.js';
import { ROOT } from '../support/paths.js';
import { rounds } from '../support/soak.js';
import { type Outcome, run, temporaryFolder, writeFiles } from '../support/workspace.js';

/** Tools that people use in packages of CommonJS. They are downloaded, so they run at night and where nothing may be skipped. */
const TOOLS = [
  ...['tsx@4.23.15', 'jest@30.5.2', '@swc/core@1.16.22', '@swc/jest@0.2.39', 'ts-node@10.9.2'],
  ...['typescript@5.9.3', 'webpack@5.113.0', 'msw@2.15.0', '@edge-runtime/vm@5.0.0'],
];

/** The export paths of both libraries, as programs import them. */
const PATHS = (['verifier', 'passports'] as const).flatMap((folder) => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const paths = Object.keys(exports).filter((path) => path !== './package.json');
  return paths.map((path) => PACKAGES[folder] + path.slice(1));
});
/** The export paths without those of Node.js. */
const WEB = PATHS.filter((path) => !path.endsWith('/node'));
const loaded = (paths: readonly string[]) => paths.map(() => 'true').join();

/** A program that imports export paths, and says of each whether it has exports. */
const importing = (paths: readonly string[], say: string) => `
${paths.map((path, at) => `import * as m${at} from '${path}';`).join('\n')}
const all: object[] = [${paths.map((_path, at) => `m${at}`).join()}];
const said = all.map((one) => Object.keys(one).length > 0).join();
${say}
`;

const FILES = {
  'package.json': '{ "private": true }',
  'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'commonjs', target: 'es2022' } }),
  'a.ts': importing(PATHS, 'console.log(said);'),
  'web.ts': importing(WEB, 'Object.assign(globalThis, { said });'),
  'worker.ts': importing(WEB, 'export default { fetch: () => new Response(said) };'),
  'a.test.js': `test('loads', () => {
${PATHS.map((path) => `expect(Object.keys(require('${path}')).length).toBeGreaterThan(0);`).join('\n')}
});`,
  // The usual recipe for packages that are ES modules only: they are transformed, too.
  'jest.config.js': `module.exports = { transform: { '\\\\.[jt]s$': '@swc/jest' }, transformIgnorePatterns: [] };`,
  'webpack.js': `require('webpack')({
  mode: 'production', entry: './web.js', target: ['web', 'es2022'], output: { path: __dirname, filename: 'webpack.out.js' },
}, (error, stats) => console.log(error ?? stats.toString('errors-warnings')));`,
  'edge.js': `const { EdgeVM } = require('@edge-runtime/vm');
const vm = new EdgeVM();
vm.evaluate(require('node:fs').readFileSync('edge.out.js', 'utf8'));
console.log(vm.evaluate('said'));`,
};

/** Loads a script as a browser would, and returns what it says. */
function saidBy(script: string): unknown {
  const context = createContext({
    crypto,
    TextEncoder,
    TextDecoder,
    URL,
    URLSearchParams,
    fetch,
    Headers,
    Request,
  });
  Object.assign(context, { Response, AbortSignal, setTimeout, clearTimeout, atob, btoa, performance });
  runInContext('var self = globalThis;', context);
  runInContext(script, context);
  return context['said'];
}

const bundleOf = async (folder: string, entry: string, format: 'esm' | 'iife', outfile: string) =>
  bundle({ absWorkingDir: folder, bundle: true, entryPoints: [entry], format, outfile, platform: 'neutral' });

/** Installs the packed libraries, and what its users have besides. */
async function installed(...names: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  writeFiles(folder, FILES);
  const tarballs = (await pack('verifier', 'passports')).map(({ tarball }) => tarball);
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs];
  const { code, stderr } = await run('npm', [...args, ...names], folder);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

const isAsked = isRequired || rounds({ usual: false, soak: true });

(isAsked ? describe : describe.skip)(
  'the libraries in other tools [downloads them: in the soak, or with REQUIRE_COMPONENTS=1]',
  () => {
    let folder: string;
    beforeAll(async () => {
      folder = await installed(...TOOLS);
    }, 600_000);
    const node = (...args: readonly string[]): Promise<Outcome> => run(process.execPath, args, folder);

    it('need no package but two', () => {
      expect(DEPENDENCIES).toEqual(['@noble/hashes', 'jose']);
    });

    it.each([
      ['tsx', ['node_modules/tsx/dist/cli.mjs', 'a.ts']],
      ['ts-node', ['node_modules/ts-node/dist/bin.js', '--transpile-only', 'a.ts']],
    ])('loads each export path in %s', async (_tool, args) => {
      const { stdout, stderr } = await node(...args);
      expect([stdout, stderr]).toEqual([`${loaded(PATHS)}\n`, '']);
    });

    it('loads each export path in Jest', async () => {
      const { code, stderr } = await node('node_modules/jest/bin/jest.js');
      expect([code, stderr]).toEqual([0, expect.stringContaining('1 passed, 1 total')]);
    });

    it('loads each export path for the Web in webpack', async () => {
      writeFiles(folder, { 'web.js': FILES['web.ts'].replace(': object[]', '') });
      const { stdout } = await node('webpack.js');
      expect(stdout.trim()).toBe('webpack compiled successfully');
      expect(saidBy(readFileSync(join(folder, 'webpack.out.js'), 'utf8'))).toBe(loaded(WEB));
    });

    it('loads each export path for the Web in Vite', async () => {
      const lib = {
        entry: join(folder, 'web.ts'),
        formats: ['iife' as const],
        name: 'web',
        fileName: 'vite',
      };
      const outDir = join(folder, 'vite');
      await buildWithVite({ root: folder, logLevel: 'error', configFile: false, build: { lib, outDir } });
      expect(saidBy(readFileSync(join(outDir, 'vite.iife.js'), 'utf8'))).toBe(loaded(WEB));
    });

    it('loads each export path for the Web in the edge runtime of Next.js', async () => {
      await bundleOf(folder, 'web.ts', 'iife', 'edge.out.js');
      const { stdout, stderr } = await node('edge.js');
      expect([stdout, stderr]).toEqual([`${loaded(WEB)}\n`, '']);
    });

    it('is refused by a source that answers 404, behind msw with passthrough', async () => {
      writeFiles(folder, { 'msw.mjs': readFileSync(join(ROOT, 'test/packages/tools/msw.mjs'), 'utf8') });
      const { stdout, stderr } = await node('msw.mjs');
      expect([stdout, stderr]).toEqual(['ERR_SOURCE_STATUS\n', '']);
    });
  },
);

describeWith(['wrangler'], 'the libraries in workerd', () => {
  it('loads each export path for the Web', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, FILES);
    addPackages(folder, ...DEPENDENCIES);
    for (const library of ['verifier', 'passports'] as const) {
      const [packed] = await pack(library);
      const target = join(folder, 'node_modules', PACKAGES[library]);
      execFileSync('mkdir', ['-p', target]);
      execFileSync('tar', ['-xzf', packed?.tarball ?? '', '-C', target, '--strip-components=1']);
    }
    await bundleOf(folder, 'worker.ts', 'esm', 'worker.mjs');
    const global = execFileSync('npm', ['root', '--global'], { encoding: 'utf8' }).trim();
    const script = join(ROOT, 'test/packages/tools/miniflare.cjs');
    const args = [script, join(global, 'wrangler'), join(folder, 'worker.mjs')];
    const { stdout, stderr } = await run(process.execPath, args, folder);
    expect([stdout, stderr]).toEqual([`${loaded(WEB)}\n`, '']);
  });
});
