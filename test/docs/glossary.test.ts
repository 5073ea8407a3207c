import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';

it('docs/glossary.md has at most 30 terms, and each of them once', () => {
  const text = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
  const terms = [...text.matchAll(/^- \*\*([^*]+)\*\*: /gm)].map(([, term]) => term);
  expect(terms.length).toBeGreaterThan(20);
  expect(terms.length).toBeLessThanOrEqual(30);
  expect(new Set(terms).size).toBe(terms.length);
  // No other word is in bold, so that no entry explains two terms.
  expect(text.match(/\*\*/g)).toHaveLength(2 * terms.length);
});
