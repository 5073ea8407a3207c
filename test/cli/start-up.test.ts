import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLI, ROOT } from '../support/paths.js';
import { run, temporaryFolder } from '../support/workspace.js';

/** Runs the command line, and returns the packages whose code is in the files that Node.js has loaded. */
async function packagesLoadedBy(...args: readonly string[]): Promise<Set<string>> {
  const coverage = temporaryFolder();
  await run(process.execPath, [CLI, ...args], temporaryFolder(), { NODE_V8_COVERAGE: coverage });
  const [report = ''] = readdirSync(coverage);
  const { result } = JSON.parse(readFileSync(join(coverage, report), 'utf8')) as {
    result: { url: string }[];
  };
  const outputs = JSON.parse(readFileSync(join(ROOT, 'build/bundled.json'), 'utf8')) as Record<
    string,
    { inputs: Record<string, { bytesInOutput: number }> }
  >;
  const modules = result
    .filter(({ url }) => url.startsWith('file:'))
    .flatMap(({ url }) => Object.entries(outputs[relative(ROOT, fileURLToPath(url))]?.inputs ?? {}))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  const found = modules.map(([path]) =>
    /node_modules\/((?:@[^/]+\/)?[^/]+)|^verifier(?=\/build\/)/.exec(path),
  );
  return new Set(found.flatMap((match) => (match === null ? [] : (match[1] ?? match[0]))));
}

describe('the start of the command line', () => {
  it('loads no command, nor what commands need', async () => {
    // The escape of untrusted text in messages is the verifier's.
    expect(await packagesLoadedBy('--version')).toEqual(new Set(['commander', 'verifier']));
  });

  it('loads no cryptography of holders for other commands', async () => {
    const loaded = await packagesLoadedBy('check');
    expect(loaded).toContain('verifier');
    expect(loaded).toContain('yaml');
    expect(loaded).not.toContain('@noble/curves');
  });
});
