// The script of the page without verification. Tests use it to show that hostile data cannot attack the page even
// without verification.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the script of the page without verification. */
export async function unverifiedScript() {
  const { outputFiles } = await build({
    entryPoints: [here('../../website/src/main.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.css': 'text' },
    plugins: [
      {
        name: 'unverified',
        setup: ({ onResolve }) =>
          onResolve({ filter: /\/verified-registry\.js$/ }, () => ({
            path: here('unverified-registry.mjs'),
          })),
      },
    ],
  });
  return outputFiles[0].text;
}
