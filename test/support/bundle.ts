import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PACKAGES } from './packed.js';
import { ROOT } from './paths.js';

/**
 * Bundles a compiled module of a library and its dependencies into one script for platforms that have only Web APIs.
 *
 * @param entry - a path such as `verifier/build/index.js`. Default: what a verifier and an agent import, as the global
 *   `verifier`
 */
export async function verifierBundle(entry?: string): Promise<string> {
  const doors = [PACKAGES.verifier, PACKAGES.passports, `${PACKAGES.passports}/agent`].map(
    (door) => `export * from '${door}';`,
  );
  const { outputFiles } = await build({
    ...(entry === undefined
      ? { stdin: { contents: doors.join('\n'), resolveDir: ROOT } }
      : { entryPoints: [join(ROOT, entry)] }),
    bundle: true,
    write: false,
    format: entry === undefined ? 'iife' : 'esm',
    globalName: 'verifier',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
}

/** Bundles an export of a library as an application would. Returns the minified script and the modules in it. */
export async function minifiedBundle(
  door: string,
  name: string,
): Promise<{ script: Uint8Array; modules: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${name} } from '${door}';`,
      resolveDir: ROOT,
    },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  return {
    script: outputFiles[0]?.contents ?? new Uint8Array(),
    modules: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
  };
}

/** Returns what the compiled modules of a library import from other packages. Throws if an import is dynamic. */
export function importsOf(library: 'verifier' | 'passports'): string[] {
  const built = join(ROOT, library, 'build');
  const names = readdirSync(built, { recursive: true, encoding: 'utf8' });
  const imported = new Set<string>();
  for (const name of names.filter((one) => one.endsWith('.js') && !one.startsWith('node/'))) {
    const text = readFileSync(join(built, name), 'utf8');
    if (/^[^*]*\bimport\(/m.test(text)) throw new Error(`${name} has a dynamic import`);
    for (const [, from = ''] of text.matchAll(/^(?:import|export|\}) .*from '([^']+)';$/gm)) {
      if (!from.startsWith('.')) imported.add(from);
    }
  }
  return [...imported].sort();
}
