import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.js';

/** Bundles the verifier and its dependencies into one script for platforms that have only Web APIs. */
export async function verifierBundle(format: 'esm' | 'iife', entry = 'index.js'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'verifier/build', entry)],
    bundle: true,
    write: false,
    format,
    globalName: 'verifier',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
}
