import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT } from './paths.js';

/** Compiles the packages once before all tests, so that no test runs against outdated code. */
export default function compile(): void {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const compiler = join(typescript, 'bin', 'tsc');
  const node = (...args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  node(compiler, '--build', 'cli', 'conformance');
  node('cli/bundle.mjs');
}
