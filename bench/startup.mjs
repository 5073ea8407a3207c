// The time of commands, compared with an empty Node.js: of `--version`, and of two commands that read 10,000 records.

import { CLI, compare, count, isQuick, node } from './compare.mjs';
import { BUILD, issuers, makeWorkspace } from './corpus.mjs';

const size = isQuick ? 10 : 10_000;
const folder = makeWorkspace(issuers(size));
node(folder, CLI, 'check', '--fix');
node(folder, ...BUILD);
const empty = () => node(folder, '-e', '0');
const records = `${count(size)} records`;
for (const [name, command, pairs] of [
  ['`--version`', ['--version'], 21],
  [`\`check\` of ${records}`, ['check'], 5],
  [`\`verify dist\` of ${records}`, ['verify', 'dist'], 5],
]) {
  await compare(`${name}, to an empty Node.js`, () => node(folder, CLI, ...command), empty, pairs);
}
