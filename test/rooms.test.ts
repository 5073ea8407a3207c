import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './support/paths.js';

const ARCHITECTURE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** How far below its package a file may lie, in folders. */
const MAX_FOLDERS = 2;

/** A file's imports by its path, both from the top of the package. Types and dynamic imports count. */
type Imports = ReadonlyMap<string, readonly string[]>;

function importsOf(folder: string): Imports {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return new Map(
    files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => {
        const source = readFileSync(join(ROOT, folder, file), 'utf8');
        const found = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'(\.[^']+)\.js'/g);
        return [file, [...found].map(([, path = '']) => `${join(dirname(file), path)}.ts`)];
      }),
  );
}

/** The folder at the top that a file lies in, with a slash; of a file at the top its name. */
function roomOf(file: string): string {
  return file.includes('/') ? `${file.split('/')[0]}/` : file.replace(/\.ts$/, '');
}

interface Section {
  /** Each room of the table, in the order of the rows, with the rooms that it may import beside the common ones. */
  readonly rooms: ReadonlyMap<string, readonly string[]>;
  /** The rooms that every room may import. */
  readonly common: readonly string[];
}

function sectionBelow(heading: string): Section {
  const [, below = ''] = ARCHITECTURE.split(`\n${heading}\n`);
  const [section = ''] = below.split('\n## ');
  const rows = section.matchAll(/^\| `([^`]+)` \|.*\|([^|]*)\|$/gm);
  const [, common = ''] = /^Common: (.*)$/m.exec(section) ?? [];
  return {
    rooms: new Map([...rows].map(([, room = '', may = '']) => [room, ticked(may)])),
    common: ticked(common),
  };
}

function ticked(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** A circle of files, with its first file at both ends; undefined where there is none. */
function circleIn(imports: Imports): string[] | undefined {
  const done = new Set<string>();
  const follow = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of imports.get(file) ?? []) {
      const circle = follow(next, [...path, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of imports.keys()) {
    const circle = follow(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

const HEADINGS = [...ARCHITECTURE.matchAll(/^## Rooms of (\S+)\/$/gm)];

describe.each(HEADINGS.map(([heading, folder = '']) => ({ heading, folder })))(
  '$heading',
  ({ heading, folder }) => {
    const imports = importsOf(folder);
    const { rooms, common } = sectionBelow(heading);
    const used = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => roomOf(target) !== roomOf(file))
        .map((target) => ({ from: roomOf(file), to: roomOf(target), import: `${file} imports ${target}` })),
    );

    it('has every room in its table, and no other', () => {
      expect([...rooms.keys()].sort()).toEqual([...new Set([...imports.keys()].map(roomOf))].sort());
    });

    it('has each room import only rooms above it, so that there is no circle', () => {
      const order = [...rooms.keys()];
      expect(order.slice(0, common.length)).toEqual(common);
      for (const [room, may] of rooms) {
        const notAbove = may.filter((other) => !order.slice(0, order.indexOf(room)).includes(other));
        expect(notAbove, room).toEqual([]);
      }
    });

    it('has no import that the table does not have', () => {
      const forbidden = used.filter(
        ({ from, to }) =>
          // Among the common ones the rows decide, too.
          !rooms.get(from)?.includes(to) && (common.includes(from) || !common.includes(to)),
      );
      expect(forbidden.map((one) => one.import)).toEqual([]);
    });

    it('has nothing in the table that no file needs', () => {
      const idle = [...rooms].flatMap(([from, may]) =>
        may
          .filter((to) => !used.some((one) => one.from === from && one.to === to))
          .map((to) => `${from} imports ${to}`),
      );
      expect(idle).toEqual([]);
    });

    it('has no file that imports itself by way of others', () => {
      expect(imports.size).toBeGreaterThan(20);
      expect(circleIn(imports)).toBeUndefined();
    });

    it('lies at most two folders deep, and every import leads to a file', () => {
      expect([...imports.keys()].filter((file) => file.split('/').length > MAX_FOLDERS + 1)).toEqual([]);
      const lost = [...imports].flatMap(([file, targets]) =>
        targets.filter((to) => !imports.has(to)).map((to) => `${file}: ${to}`),
      );
      expect(lost).toEqual([]);
    });
  },
);

describe('files', () => {
  it.each(['sandbox', 'website/src'])('of %s import each other in no circle', (folder) => {
    expect(circleIn(importsOf(folder))).toBeUndefined();
  });

  it('that import each other in a circle would be seen', () => {
    const circle = new Map([
      ['a.ts', ['b.ts']],
      ['b.ts', ['c.ts', 'd.ts']],
      ['c.ts', []],
      ['d.ts', ['b.ts']],
    ]);
    expect(circleIn(circle)).toEqual(['b.ts', 'd.ts', 'b.ts']);
  });
});

describe('docs/architecture.md', () => {
  it('names only files that are there', () => {
    const [, below = ''] = ARCHITECTURE.split('\n## Where a change goes\n');
    const named = [...below.matchAll(/`([\w-]+(?:\/[\w.-]+)*\.(?:ts|json|md)|[\w-]+(?:\/[\w-]+)*\/)`/g)].map(
      ([, path = '']) => path,
    );
    const isThere = (path: string) => existsSync(join(ROOT, path));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !isThere(path) && !isThere(join('generator', path)))).toEqual([]);
  });
});
