// Writes an SBOM of each package (CycloneDX) into a folder, as <name>-<version>.cdx.json. The components are what ships: the
// dependencies, and the development dependencies that cli/bundle.mjs has put into the bundles.
//
// node .github/release/sbom.mjs release

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(ROOT + path, 'utf8');

/** Returns the SBOM of everything in package-lock.json. */
function npmSbom() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  return JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 }));
}

/** Returns the bundled packages, as name@version: the headings of their licences. */
function bundledPackages() {
  const files = ['build/bundle/licences.txt', 'build/website/assets/licences.txt'];
  const licences = files.flatMap((file) => read(file).split(/^-{80}\n\n/m));
  return licences.map((licence) => licence.slice(0, licence.indexOf('\n')));
}

/** Returns the dependencies of a package and everything that they depend on, as name@version. */
function dependenciesOf(manifest, all) {
  const edges = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));
  const found = new Set();
  const visit = (refs) => {
    for (const ref of refs) {
      if (found.has(ref)) continue;
      found.add(ref);
      visit(edges.get(ref) ?? []);
    }
  };
  const own = edges.get(`${manifest.name}@${manifest.version}`) ?? [];
  // npm also lists the development and peer dependencies of a package.
  visit(own.filter((ref) => nameOf(ref) in manifest.dependencies));
  return found;
}

/** Returns the SBOM of a package that ships these components, each as name@version. */
function sbomOf({ name, version, description }, shipped, all) {
  const components = all.components.filter((component) => shipped.has(component['bom-ref']));
  const listed = new Set(components.map((component) => component['bom-ref']));
  const missing = [...shipped].filter((ref) => !listed.has(ref));
  if (missing.length > 0) throw new Error(`package-lock.json has no ${missing.join(', ')}`);
  const own = `${name}@${version}`;
  const component = [all.metadata.component, ...all.components].find((one) => one['bom-ref'] === own);
  return {
    ...all,
    metadata: { ...all.metadata, component: { ...component, name, description } },
    // npm marks what ships in a bundle as a development dependency.
    components: components.map((one) => ({ ...one, scope: 'required', properties: [] })),
    dependencies: all.dependencies
      .filter(({ ref }) => ref === own || listed.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => listed.has(one)) })),
  };
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node .github/release/sbom.mjs <folder>');
const all = npmSbom();
const generator = JSON.parse(read('package.json'));
const workspaces = generator.workspaces.map((path) => JSON.parse(read(`${path}/package.json`)));
const shippedBy = new Map(workspaces.map((manifest) => [manifest, dependenciesOf(manifest, all)]));
const libraries = [...shippedBy].flatMap(([{ name, version }, shipped]) => [
  `${name}@${version}`,
  ...shipped,
]);
shippedBy.set(generator, new Set([...libraries, ...bundledPackages()]));
for (const [manifest, shipped] of shippedBy) {
  const file = `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.cdx.json`;
  writeFileSync(join(folder, file), `${JSON.stringify(sbomOf(manifest, shipped, all), null, 2)}\n`);
}
