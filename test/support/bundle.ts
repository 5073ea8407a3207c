import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './paths.js';

/** The verifier with all that it imports, as one module for a platform that has only Web APIs. */
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
