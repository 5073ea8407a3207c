import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CLI, ROOT } from '../support/paths.js';
import { run, temporaryFolder } from '../support/workspace.js';

/** Runs the command line, and returns the modules whose code is in the files that Node.js has loaded. */
async function modulesLoadedBy(...args: readonly string[]): Promise<string[]> {
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
  return result
    .filter(({ url }) => url.startsWith('file:'))
    .flatMap(({ url }) => Object.entries(outputs[relative(ROOT, fileURLToPath(url))]?.inputs ?? {}))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path);
}

/** The packages of modules, and the modules of the verifier. */
const foreign = (modules: readonly string[]) =>
  new Set(
    modules.flatMap((path) => {
      const [, name = ''] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
      if (name !== '') return [name];
      return path.startsWith('verifier/') ? [path] : [];
    }),
  );

describe('the start of the command line', () => {
  it('loads no command, nor what commands need', async () => {
    // The escape of untrusted text in messages is the verifier's.
    expect(foreign(await modulesLoadedBy('--version'))).toEqual(
      new Set(['commander', 'verifier/build/core/bytes/printable.js']),
    );
  });

  it('loads no cryptography of holders for other commands', async () => {
    const loaded = foreign(await modulesLoadedBy('check'));
    expect(loaded).toContain('verifier/build/core/list/canonical.js');
    expect(loaded).toContain('yaml');
    expect(loaded).not.toContain('@noble/curves');
  });
});
