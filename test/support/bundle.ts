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

/** Bundles some exports of the verifier as an application would. Returns the minified script and the modules in it. */
export async function minifiedBundle(
  ...names: readonly string[]
): Promise<{ script: Uint8Array; modules: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export { ${names.join(', ')} } from '@passport-registry/verifier';`,
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
