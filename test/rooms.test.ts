import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGES } from './support/packed.js';
import { ROOT } from './support/paths.js';

const ARCHITECTURE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** The maximum number of folders between a package and a file. */
const MAX_FOLDERS = 2;

/** The imports of each file, type imports and dynamic imports included. Paths are relative to the folder. */
type Imports = ReadonlyMap<string, readonly string[]>;

/** Returns whether an import leads out of the folder. */
const leadsOut = (target: string) => target.startsWith('../');

function importsOf(folder: string): Imports {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return new Map(
    files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
      .map((file) => {
        const source = readFileSync(join(ROOT, folder, file), 'utf8');
        const found = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'(\.[^']+)\.js'/g);
        return [file, [...found].map(([, path = '']) => `${join(dirname(file), path)}.ts`)];
      }),
  );
}

/** The room of a file: its top-level folder with a slash, or the name of a top-level file. */
function roomOf(file: string): string {
  return file.includes('/') ? `${file.split('/')[0]}/` : file.replace(/\.ts$/, '');
}

interface Section {
  /** Each room of the table, in the order of the rows, with the rooms that it may import besides the common ones. */
  readonly rooms: ReadonlyMap<string, readonly string[]>;
  /** The rooms that every room may import. */
  readonly common: readonly string[];
}

/** Reads the table in the README of a folder: its first column names a room, and its last one what the room may import. */
function readRooms(folder: string): Section {
  const readme = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
  const rows = readme.matchAll(/^\| `([^`]+)` \|(?:[^|]*\|)?([^|]*)\|$/gm);
  const [, common = ''] = /^Every room may import the common ones: (.*)$/m.exec(readme) ?? [];
  return {
    rooms: new Map([...rows].map(([, room = '', may = '']) => [room, ticked(may)])),
    common: ticked(common),
  };
}

function ticked(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** Returns a circle of imports, with its first file at both ends, or undefined. */
function findCircle(imports: Imports): string[] | undefined {
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

/** The folders whose README has a table of rooms. */
const FOLDERS = [
  'generator',
  'custody',
  'observers',
  'cli',
  'verifier/src',
  'verifier/src/core',
  'passports/src',
  'website/src',
  'conformance',
];

describe.each(FOLDERS.map((folder) => ({ folder })))('Rooms of $folder/', ({ folder }) => {
  const imports = importsOf(folder);
  const { rooms, common } = readRooms(folder);
  const used = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => !leadsOut(target) && roomOf(target) !== roomOf(file))
      .map((target) => ({ from: roomOf(file), to: roomOf(target), import: `${file} imports ${target}` })),
  );

  it('has exactly the rooms of its table', () => {
    expect([...rooms.keys()].sort()).toEqual([...new Set([...imports.keys()].map(roomOf))].sort());
  });

  it('permits imports only from rooms above in the table, so that there is no circle', () => {
    const order = [...rooms.keys()];
    expect(order.slice(0, common.length)).toEqual(common);
    for (const [room, may] of rooms) {
      const notAbove = may.filter((other) => !order.slice(0, order.indexOf(room)).includes(other));
      expect(notAbove, room).toEqual([]);
    }
  });

  it('has no import that the table does not permit', () => {
    const forbidden = used.filter(
      ({ from, to }) =>
        // The table also restricts the imports of common rooms.
        !rooms.get(from)?.includes(to) && (common.includes(from) || !common.includes(to)),
    );
    expect(forbidden.map((one) => one.import)).toEqual([]);
  });

  it('permits no import that no file uses', () => {
    const unused = [...rooms].flatMap(([from, may]) =>
      may
        .filter((to) => !used.some((one) => one.from === from && one.to === to))
        .map((to) => `${from} imports ${to}`),
    );
    expect(unused).toEqual([]);
  });

  it('has no circle of imports between files', () => {
    expect(imports.size).toBeGreaterThan(15);
    expect(findCircle(imports)).toBeUndefined();
  });

  it('has at most two levels of folders, and every import leads to a file', () => {
    expect([...imports.keys()].filter((file) => file.split('/').length > MAX_FOLDERS + 1)).toEqual([]);
    const lost = [...imports].flatMap(([file, targets]) =>
      targets.filter((to) => !leadsOut(to) && !imports.has(to)).map((to) => `${file}: ${to}`),
    );
    expect(lost).toEqual([]);
  });
});

/** The first two pictures of the document: the folders with their imports, and the way of one record. */
const [HOUSE = '', WAY = ''] = [...ARCHITECTURE.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map(
  ([, picture]) => picture,
);

/** The folders that each folder imports, as the picture of the house says. */
const PICTURED = new Map(
  [...HOUSE.matchAll(/^ {2}(\w+) --> (.*)$/gm)].map(([, folder = '', to = '']) => [folder, to.split(' & ')]),
);

/** The folders of the first table, with what the picture says that they import. */
const MAY_IMPORT = new Map(
  [...ARCHITECTURE.matchAll(/^\| \[`([a-z]+)\/`\]\(\.\.\/[a-z]+\) \|/gm)].map(([, folder = '']) => [
    folder,
    PICTURED.get(folder) ?? [],
  ]),
);

/** Returns the other folders that the files of a folder import, by path or by the name of their package. */
function importedFolders(folder: string): string[] {
  const packages = new Map<string, string>([
    [PACKAGES.verifier, 'verifier'],
    [PACKAGES.passports, 'passports'],
    ['passport-registry/sandbox', 'sandbox'],
  ]);
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const found = files
    .filter((file) => file.endsWith('.ts') && !/^(?:build|template|types)\//.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(ROOT, folder, file), 'utf8').replace(/^ \*.*$/gm, '');
      const specifiers = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)'([^']+)'/g);
      return [...specifiers].map(([, name = '']) =>
        name.startsWith('.')
          ? (join(folder, dirname(file), name).split('/')[0] ?? '')
          : packages.get(/^(?:@[^/]+\/)?[^/]+(?:\/sandbox)?/.exec(name)?.[0] ?? ''),
      );
    });
  return [...new Set(found)].filter((name) => name !== undefined && name !== folder) as string[];
}

describe.each([...MAY_IMPORT])('%s/', (folder, may) => {
  it('imports exactly the folders to which the picture has an arrow', () => {
    expect(importedFolders(folder).sort()).toEqual([...may].sort());
  });

  it('has a README of one screen, which names each of its rooms', () => {
    const sources = ['verifier', 'passports', 'website'].includes(folder) ? `${folder}/src` : folder;
    const readme = readFileSync(join(ROOT, sources, 'README.md'), 'utf8');
    expect(readme.split('\n').length).toBeLessThanOrEqual(60);
    const rooms = [...importsOf(sources).keys()].map(roomOf);
    expect([...new Set(rooms)].filter((room) => !readme.includes(`\`${room}\``))).toEqual([]);
  });
});

describe('the tables of rooms', () => {
  it('of folders names all folders', () => {
    const folders = [
      'verifier',
      'passports',
      'generator',
      'custody',
      'observers',
      'sandbox',
      'cli',
      'website',
      'conformance',
    ];
    expect([...MAY_IMPORT.keys()]).toEqual(folders);
  });
});

describe('imports between files', () => {
  it('of sandbox form no circle', () => {
    expect(findCircle(importsOf('sandbox'))).toBeUndefined();
  });
});

describe('the pictures', () => {
  it('of the house has no folder that the table lacks', () => {
    const pictured = [...PICTURED].flatMap(([folder, to]) => [folder, ...to]);
    expect(pictured.filter((folder) => !MAY_IMPORT.has(folder))).toEqual([]);
  });

  it('of one record shows only files that a build reaches, in one line from the YAML to the tree', () => {
    const imports = importsOf('generator');
    const reached = new Set(['build.ts']);
    for (const file of reached) for (const target of imports.get(file) ?? []) reached.add(target);
    const files = [...WAY.matchAll(/\["([\w/-]+): /g)].map(([, path]) => `${path}.ts`);
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !reached.has(file))).toEqual([]);
    const steps = [...WAY.matchAll(/^ {2}(\w+)\S* --> (\w+)/gm)].map(([, from, to]) => [from, to]);
    expect(steps.slice(1).map(([from]) => from)).toEqual(steps.slice(0, -1).map(([, to]) => to));
  });
});

describe('docs/architecture.md', () => {
  it('names only files that exist', () => {
    const [, below = ''] = ARCHITECTURE.split('\n## Where a change goes\n');
    const named = [...below.matchAll(/`([\w-]+(?:\/[\w.-]+)*\.(?:ts|json|md)|[\w-]+(?:\/[\w-]+)*\/)`/g)].map(
      ([, path = '']) => path,
    );
    const exists = (path: string) => existsSync(join(ROOT, path));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !exists(path) && !exists(join('generator', path)))).toEqual([]);
  });

  it('leaves to progress.ts the stages of a build, which are all named there', () => {
    const read = (path: string) => readFileSync(join(ROOT, 'generator', path), 'utf8');
    const sources = read('build.ts') + read('publishing/attach.ts');
    const reported = [...sources.matchAll(/onStage\?\.\('([^']+)'\)/g)];
    const [, listed = ''] = /at the end of each stage: (.*?)\*\//s.exec(read('progress.ts')) ?? [];
    expect(reported.length).toBeGreaterThan(5);
    expect(reported.map(([, stage]) => stage)).toEqual(
      [...listed.matchAll(/`([^`]+)`/g)].map(([, stage]) => stage),
    );
  });
});

/** The tests that import compiled rooms, and why no public interface serves. */
const TESTS_OF_ROOMS: Readonly<Record<string, string>> = {
  'cli/scaffold/init.test.ts': 'which names and programs fit, without a registry for each',
  'cli/operating/parts.test.ts':
    'facts about a registry that no folder on a disk has, such as a key that leaves in an hour',
  'cli/terminal/printers.test.ts': 'texts that no diagnostic has by now, in every printer',
  'custody/ceremony/ceremony.test.ts':
    'malformed records of holders, names and words, without a command for each',
  'custody/holder-signing/holder-signing.test.ts': 'secret nonces, which only their store can decrypt',
  'custody/holder-signing/wrong-messages.test.ts': 'malformed shares, without an attach for each',
  'custody/offline-signing/payloads.test.ts':
    'a memory with every kind of damage, without a command for each',
  'custody/offline-signing/read-request.test.ts': 'what a signer refuses to read, without a command for each',
  'custody/shared-key/frost.test.ts': 'the vectors of RFC 9591, with its numbers in place of random ones',
  'generator/authoring/edit-status.test.ts': 'the text of a record after a change, without a build for each',
  'generator/authoring/layout.test.ts': 'hundreds of records in the layout, without a command for each',
  'generator/build.test.ts': 'which values of CI make a build a production build, without a build for each',
  'generator/files/read-file.test.ts': 'devices and pipes, without each command for each of them',
  'generator/list/updated-at.test.ts': 'times, without a build for each, and the clock of one moment',
  'generator/log/append.test.ts': 'sizes of logs that no test can publish',
  'generator/log/collect.test.ts': 'hostile witnesses and their times, without a build for each',
  'observers/mirroring/descent.test.ts': 'what a mirror asks for and refuses, by code, without its lines',
  'observers/mirroring/hostile-log.test.ts': 'which logs a mirror refuses, by code, without its lines',
  'observers/mirroring/new-release.test.ts': 'writes that the mirror never tries',
  'cli/online/check.test.ts': 'a name that resolves to a private address, on every platform',
  'observers/hosts/served.test.ts': 'how publications follow each other, of numbers that no test publishes',
  'observers/past/answer.test.ts': 'histories in memory with heads at chosen times',
  'generator/publishing/damaged-tree.test.ts':
    'what every command reads before it signs, without each command for each damage',
  'generator/publishing/follow-url.test.ts': 'the rule about the URL, without each command for each host',
  'generator/publishing/journal.test.ts': 'damaged stages, without a build for each',
  'generator/publishing/log.test.ts': 'names of logs, without a build for each',
  'generator/publishing/sequence.test.ts': 'sequences and predecessors, of numbers that no test publishes',
  'generator/records/fast-yaml.test.ts': 'whether the fast parser took a text, which no output says',
  'generator/review/diff.test.ts': 'which changes are forbidden, without a command for each',
  'generator/review/git.test.ts': 'which ranges name commits, without a command for each',
  'generator/signing/keys.test.ts': 'which key files sign, without a build for each',
  'generator/signing/signers.test.ts': 'which outputs of a command are signatures, without a build for each',
  'generator/review/publication-rules.test.ts': 'which names are reserved, without a build',
  'generator/tree/host-limits.test.ts': 'trees of 20,001 files and of a gigabyte',
  'generator/verification/expect.test.ts': 'how trees differ, without a host and a verification for each',
  'generator/verification/hosts.test.ts': 'what each answer of a host means, without a verification for each',
  'observers/witnessing/cosign-head.test.ts': 'the state of a witness between two heads, on a damaged disk',
  'support/index-page.ts': 'pages of lists that no build publishes: empty, and hostile',
  'support/monitor.ts': 'rounds of the monitor as reports and findings, of which the command prints lines',
  'support/sample-log.ts': 'a log of 70,000 entries, for another implementation',
  'support/serving.ts': 'the server of `serve`, in the process of a test',
  'support/witness-app.ts': 'an honest witness, in the process of a test',
  'verifier/client/machine.test.ts': 'events that no host can send in this order',
  'verifier/conformance.test.ts': 'thousands of records by the validator of the generator',
  'verifier/sums/bit-flips.test.ts': 'ids that every public function refuses before',
};

/** What only `custody/` and `cli/` know: how several people sign together. */
const WORDS_OF_CUSTODY =
  /\bceremon|\bfrost\b|\bholders\.json|\bshared (?:root )?key|SharedKey|signature share|\bdealer\b/i;

describe('the words of custody/', () => {
  it.each(['generator', 'observers', 'verifier/src', 'passports/src', 'website/src'])(
    'do not occur in %s/',
    (folder) => {
      const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
      const sources = files.filter((file) => file.endsWith('.ts') && !file.startsWith('generated/'));
      const found = sources.filter((file) =>
        WORDS_OF_CUSTODY.test(readFileSync(join(ROOT, folder, file), 'utf8')),
      );
      expect(found).toEqual([]);
    },
  );
});

describe('tests', () => {
  it('use public interfaces, except for those that are listed with a reason', () => {
    const importing = [...importsOf('test')]
      // The cases are a program of their own, with no other interface.
      .filter(([, targets]) =>
        targets.some((target) =>
          /^(?:\.\.\/)+(?:(?:verifier|passports)\/)?build\/(?!conformance\/)/.test(target),
        ),
      )
      .map(([file]) => file);
    expect(importing.sort()).toEqual(Object.keys(TESTS_OF_ROOMS).sort());
  });
});
