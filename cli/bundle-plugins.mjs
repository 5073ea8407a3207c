import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './bundle-files.mjs';

/** Hashes with Node.js, which takes a third of the time for the small inputs of a log. The verifier itself has only Web APIs. */
export const hashOfNode = {
  name: 'hash-of-node',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@noble\/hashes\/sha2\.js$/ }, ({ importer }) =>
      importer.endsWith('/sha256-sync.js') ? { path: `${ROOT}cli/sha256-of-node.mjs` } : undefined,
    ),
};

/**
 * Bundles the words of the page twice, each time without those that are not used: for the first view, and for the parts. In one
 * bundle, all would be in the first view. Minifies the style sheet that the parts bring along.
 */
export async function partsOfPage(main) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    bundle: true,
    metafile: true,
    write: false,
    entryPoints: [main],
    external: ['./parts.js'],
    format: 'esm',
  });
  const firstView = Object.keys(metafile.inputs).map((path) => join(ROOT, path));
  const setup = ({ onLoad, onResolve }) => {
    onResolve({ filter: /\/texts\.js$/ }, ({ importer }) =>
      firstView.includes(importer) ? undefined : { path: `${ROOT}website/src/texts.ts`, suffix: '?parts' },
    );
    onLoad({ filter: /later\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ entryPoints: [path], minify: true, write: false });
      return { contents: outputFiles[0].text, loader: 'text' };
    });
  };
  return { name: 'parts-of-page', setup };
}
