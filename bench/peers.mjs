// The same records as sites for other static-site generators: one file per record, and one list. These sites check
// nothing and sign nothing. Hugo is taken from the PATH. Eleventy is not a dependency of this project. To measure it,
// install it with `npm install --prefix /tmp/peers @11ty/eleventy@3.1.2`, and set
// `ELEVENTY=/tmp/peers/node_modules/@11ty/eleventy/cmd.cjs`.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { issuers, recordText } from './corpus.mjs';

/** A site, and the program that builds the site. */
function site(program, folder, args) {
  return { program, folder, args };
}

const write = (folder, files) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
};

/** A Hugo site with one page per record. The record is the front matter. Undefined if Hugo is not installed. */
export function hugoSite(parent, size) {
  if (spawnSync('hugo', ['version']).status !== 0) return undefined;
  const folder = join(parent, 'hugo');
  write(folder, {
    'config.json': JSON.stringify({
      baseURL: 'https://registry.example/',
      disableKinds: ['taxonomy', 'term', 'RSS', 'sitemap', 'robotsTXT', '404', 'section'],
      outputs: { home: ['JSON'], page: ['JSON'] },
    }),
    'layouts/_default/single.json': '{{ .Params | jsonify }}',
    'layouts/index.json':
      '{"issuers":[{{ range $i, $p := .Site.RegularPages }}{{ if $i }},{{ end }}{{ $p.Params | jsonify }}{{ end }}]}',
    ...Object.fromEntries(
      issuers(size).map((record) => [
        `content/issuers/${record.issuer_id}.md`,
        `---\n${recordText(record)}---\n`,
      ]),
    ),
  });
  return site('hugo', folder, (out) => ['--quiet', '--destination', out]);
}

/** An Eleventy site with one page per record, by pagination. Undefined if `ELEVENTY` is not set. */
export function eleventySite(parent) {
  const program = process.env.ELEVENTY;
  if (program === undefined) return undefined;
  const folder = join(parent, 'eleventy');
  const yaml = createRequire(import.meta.url).resolve('yaml');
  write(folder, {
    'package.json': '{"type":"commonjs"}',
    'site/_data/records.js': `const { readdirSync, readFileSync } = require('node:fs');
const { parse } = require(${JSON.stringify(yaml)});
const folder = ${JSON.stringify(join(parent, 'issuers'))};
module.exports = () => readdirSync(folder).map((name) => parse(readFileSync(folder + '/' + name, 'utf8')));
`,
    'site/record.11ty.js': `module.exports = class {
  data() { return { pagination: { data: 'records', size: 1, alias: 'record' }, permalink: ({ record }) => 'issuers/' + record.issuer_id + '.json' }; }
  render({ record }) { return JSON.stringify(record); }
};
`,
    'site/list.11ty.js': `module.exports = class {
  data() { return { permalink: 'issuers.json' }; }
  render({ records }) { return JSON.stringify({ issuers: records }); }
};
`,
  });
  return site(process.execPath, folder, (out) => [program, '--input=site', `--output=${out}`, '--quiet']);
}
