// The script of the page without its verification: for measuring what that costs, and for showing that the page is safe without it.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The text of a registry.js that believes its host. */
export async function unverifiedScript() {
  const { outputFiles } = await build({
    entryPoints: [here('../website/src/main.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
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
