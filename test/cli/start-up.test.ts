import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, ROOT } from '../support/paths.js';
import { run, temporaryFolder } from '../support/workspace.js';

/** Runs a program, and returns the packages from which Node.js has loaded a module, on its own or in a bundle. */
async function packagesLoadedBy(program: string, ...args: readonly string[]): Promise<Set<string>> {
  const coverage = temporaryFolder();
  await run(process.execPath, [program, ...args], temporaryFolder(), { NODE_V8_COVERAGE: coverage });
  const [report = ''] = readdirSync(coverage);
  const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as {
    result: { url: string }[];
  };
  const files = result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
  // A bundle names the file of each module in a comment.
  const modules = files.flatMap((url) => [
    url,
    ...(readFileSync(new URL(url), 'utf8').match(/^\/\/ \S+$/gm) ?? []),
  ]);
  const found = modules.map((path) =>
    /node_modules\/((?:@[^/]+\/)?[^/]+)|\bverifier(?=\/build\/)/.exec(path),
  );
  return new Set(found.flatMap((match) => (match === null ? [] : (match[1] ?? match[0]))));
}

describe('the start of the command line', () => {
  it.each([
    ['as shipped', CLI],
    ['as compiled', join(ROOT, 'build/cli/bin.js')],
  ])('loads no command, nor what commands need: %s', async (_how, program) => {
    expect(await packagesLoadedBy(program, '--version')).toEqual(new Set(['commander']));
  });

  it('loads no cryptography of holders for other commands', async () => {
    const loaded = await packagesLoadedBy(CLI, 'check');
    expect(loaded).toContain('verifier');
    expect(loaded).toContain('yaml');
    expect(loaded).not.toContain('@noble/curves');
  });
});
