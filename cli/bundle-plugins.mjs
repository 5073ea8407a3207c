import { ROOT } from './bundle-files.mjs';

/** Hashes with Node.js, which takes a third of the time for the small inputs of a log. The verifier itself has only Web APIs. */
export const hashOfNode = resolving(/^@noble\/hashes\/sha2\.js$/, ({ importer }) =>
  importer.endsWith('/sha256-sync.js') ? { path: `${ROOT}cli/sha256-of-node.mjs` } : undefined,
);

/** The modules of the first view that have words. A module that is missing here makes the first view larger. */
const FIRST_VIEW = /\/(?:registry-page|dom\/[\w-]+|verdict|list-view|status-mark|places)\.ts$/;

/**
 * Gives the parts of the page a copy of the file of all words. The bundler divides the page by files: with one copy, the
 * first view would bring all words. Words that a copy does not need are left out.
 */
export const wordsOfParts = resolving(/\/texts\.js$/, ({ importer }) => ({
  path: `${ROOT}website/src/texts.ts`,
  suffix: FIRST_VIEW.test(importer) ? '' : '?parts',
}));

function resolving(filter, resolve) {
  return { name: 'resolving', setup: ({ onResolve }) => onResolve({ filter }, resolve) };
}
