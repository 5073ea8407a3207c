import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';

describe('docs/operators/page.md', () => {
  it('explains the tiers as the page does', () => {
    const english = readFileSync(join(ROOT, 'website/src/texts.ts'), 'utf8');
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
