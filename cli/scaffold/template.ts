import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packagePath } from '../../generator/files/package-file.js';
import { filesBelow } from '../../generator/files/walk.js';

/** The values of the placeholders in the template, such as {{name}}. */
type TemplateValues = Readonly<Record<'name' | 'contact' | 'tool', string>>;

/** The folder of the template, in the package. */
const TEMPLATE = 'cli/scaffold/template';

/** npm never packs files with these names, so the template has them under other names. */
const RENAMED: Readonly<Record<string, string>> = {
  gitattributes: '.gitattributes',
  gitignore: '.gitignore',
  npmrc: '.npmrc',
};

/** Escapes a value for its place in a file, by the extension of the file. Other files have no placeholders. */
const ESCAPES: Readonly<Record<string, (value: string) => string>> = {
  '.json': (value) => JSON.stringify(value).slice(1, -1),
  '.md': escapeMarkdown,
};

/** Reads the files of a new registry from the package. @returns the bytes by path, with slashes */
export function templateFiles(values: TemplateValues): Map<string, Buffer> {
  const folder = packagePath(TEMPLATE);
  return new Map(
    filesBelow(folder).map((path) => [
      RENAMED[path] ?? path,
      fill(path, readFileSync(join(folder, path)), values),
    ]),
  );
}

function fill(path: string, bytes: Buffer, values: TemplateValues): Buffer {
  const escaped = ESCAPES[extname(path)];
  if (escaped === undefined) return bytes;
  const known = values as Readonly<Record<string, string>>;
  // One pass, so that a value that looks like a placeholder stays as it is.
  const text = bytes.toString().replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => {
    const value = known[name];
    return value === undefined ? whole : escaped(value);
  });
  return Buffer.from(text);
}

/** Makes Markdown show a text inside of a line as it is: as no markup, no HTML, no mathematics and no emoji code. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_[\]<>&#|~$:]/g, (character) => `\\${character}`)
    .replaceAll(/^ +| +$/g, (spaces) => '&#32;'.repeat(spaces.length));
}
