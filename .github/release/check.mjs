// Checks that the tag of a release, the versions in the packages and CHANGELOG.md agree. Then prints the entry of
// CHANGELOG.md, which becomes the text of the release.
//
// node .github/release/check.mjs v1.0.0

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(ROOT + path, 'utf8');
const readJson = (path) => JSON.parse(read(path));

/** Semantic Versioning 2.0.0, without build metadata, which a package registry ignores. */
const TAG = /^v((?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)$/;

/** Returns the text below a heading of CHANGELOG.md and the date in the heading; undefined without the heading. */
function changelogEntry(version) {
  const sections = read('CHANGELOG.md').split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  if (section === undefined) return undefined;
  const end = section.indexOf('\n');
  const [, date] = /^\[[^\]]+\] - (\d{4}-\d{2}-\d{2})$/.exec(section.slice(0, end)) ?? [];
  // Links to the references at the end of the file would not work in the text of a release.
  return { date, text: section.slice(end).trim() };
}

/** Returns what does not agree with the version, in words. */
function problemsOf(version, entry) {
  const lock = readJson('package-lock.json').packages;
  const places = { 'package-lock.json': lock[''].version };
  const { workspaces } = readJson('package.json');
  for (const folder of workspaces) places[`package-lock.json: ${folder}`] = lock[folder].version;
  for (const file of ['package.json', ...workspaces.map((folder) => `${folder}/package.json`)]) {
    const { version: own, dependencies } = readJson(file);
    places[file] = own;
    for (const [name, range] of Object.entries(dependencies)) {
      if (name.startsWith('@passport-registry/')) places[`${file}: the dependency on ${name}`] = range;
    }
  }
  const wrong = Object.entries(places).filter(([, found]) => found !== version);
  const problems = wrong.map(([place, found]) => `${place} has ${found}, expected ${version}`);
  if (entry === undefined) problems.push(`CHANGELOG.md has no heading ## [${version}]`);
  else if (entry.date === undefined) problems.push(`CHANGELOG.md: ## [${version}] needs " - " and a date`);
  else if (entry.text === '') problems.push(`CHANGELOG.md has no text below ## [${version}]`);
  return problems;
}

const [tag = ''] = process.argv.slice(2);
const [, version] = TAG.exec(tag) ?? [];
const entry = version && changelogEntry(version);
const problems =
  version === undefined
    ? [`the tag ${JSON.stringify(tag)} is not v and a version, such as v1.0.0`]
    : problemsOf(version, entry);
if (problems.length > 0) {
  for (const problem of problems) console.error(`release: ${problem}`);
  process.exitCode = 1;
} else {
  console.log(entry.text);
}
