import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanCheckout } from '../support/checkout.js';
import { ROOT } from '../support/paths.js';
import { run, writeFiles } from '../support/workspace.js';

/** The section of the document that says how to make a page in a second language. */
const [, SECTION = ''] =
  /^### A second language\n([\s\S]*?)^\|/m.exec(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')) ??
  [];
const [, LINE = ''] = /^```js\n(.*)\n```$/m.exec(SECTION) ?? [];

/** Some texts of the page, each with a translation, and whether it is in the scripts or in the templates. */
const TRANSLATED = {
  "'Verified in your browser'": ['Bekreftet i nettleseren din', 'script'],
  "'What its passports are for'": ['Hva passene er til', 'script'],
  "'Not verified yet'": ['Ikke bekreftet ennå', 'html'],
} as const;

describe('a page in a second language, made as docs/architecture.md says', () => {
  let folder: string;
  let scripts: string;
  let html: Record<string, string>;

  beforeAll(async () => {
    folder = cleanCheckout();
    cpSync(join(ROOT, 'verifier/build'), join(folder, 'verifier/build'), { recursive: true });
    const read = (path: string) => readFileSync(join(folder, path), 'utf8');
    let words = read('website/src/texts/en.ts').replace("LANGUAGE = 'en-GB'", "LANGUAGE = 'nb-NO'");
    for (const [english, [norwegian]] of Object.entries(TRANSLATED)) {
      expect(words).toContain(english);
      words = words.replaceAll(english, `'${norwegian}'`);
    }
    const bundler = read('cli/bundle.mjs');
    expect(bundler.split(LINE)).toHaveLength(2);
    writeFiles(folder, {
      'website/src/texts/nb.ts': words,
      'cli/bundle.mjs': bundler.replace(LINE, LINE.replace('en.ts', 'nb.ts')),
    });
    const { code, stderr } = await run(process.execPath, ['cli/bundle.mjs'], folder);
    expect([code, stderr]).toEqual([0, '']);
    const assets = join(folder, 'build/website/assets');
    const names = readdirSync(assets, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    expect(names.length).toBeGreaterThan(2);
    scripts = names.map((name) => readFileSync(join(assets, name), 'utf8')).join('\n');
    html = JSON.parse(read('build/website/texts.json'));
  });

  it('has the new words in its scripts and its templates, and none of the words that they replace', () => {
    for (const [english, [norwegian, where]] of Object.entries(TRANSLATED)) {
      const texts = where === 'html' ? Object.values(html).join('\n') : scripts;
      expect(texts).toContain(norwegian);
      expect(texts).not.toContain(english.slice(1, -1));
    }
  });

  it('says its language, and formats dates and names of places in that language', () => {
    const page = readFileSync(join(folder, 'build/website/index.html'), 'utf8');
    expect([html['language'], /<html lang="([^"]+)"/.exec(page)?.[1]]).toEqual(['nb-NO', 'nb-NO']);
    expect(scripts).toContain('nb-NO');
    expect(scripts).not.toContain('en-GB');
  });
});

describe('docs/operators/page.md', () => {
  it('explains the tiers as the page does', () => {
    const english = readFileSync(join(ROOT, 'website/src/texts/en.ts'), 'utf8');
    const [, tiers = ''] = /^export const tiers = \{\n([\s\S]*?)^\}/m.exec(english) ?? [];
    const [, table = ''] = readFileSync(join(ROOT, 'docs/operators/page.md'), 'utf8').split(
      '\n| Tier | What the page says |\n|---|---|\n',
    );
    const onPage = [...tiers.matchAll(/^ {2}(\w+): '(.*)',$/gm)].map(([, tier, words]) => [tier, words]);
    const inDocument = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, tier, words]) => [
      tier,
      words,
    ]);
    expect(onPage).toHaveLength(4);
    expect(inDocument.slice(0, 4)).toEqual(onPage);
  });
});
