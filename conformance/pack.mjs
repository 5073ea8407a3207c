// `node conformance/pack.mjs [FILE]`: writes the command `conformance` with all cases into one file. Compile before.

import { join } from 'node:path';
import { build } from 'esbuild';

const here = import.meta.dirname;
const [outfile = join(here, 'conformance.js')] = process.argv.slice(2);
await build({
  entryPoints: [join(here, '../build/conformance/main.js')],
  ...{ outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', legalComments: 'eof' },
});
