import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { growthPlot } from '../../bench/plot.mjs';
import { report } from '../../bench/report.mjs';
import { ROOT } from '../support/paths.js';

const read = (path: string) => readFileSync(join(ROOT, 'bench', path), 'utf8');

const cost = (name: string, issuers: number, microseconds: number) => ({
  by: 'costs',
  name: `cost of ${name}, ${issuers} issuers`,
  cost: name,
  issuers,
  requests: 2,
  bytes: issuers * 500,
  microseconds,
  memory: 0,
});

describe('the report of the benchmarks', () => {
  it('is what bench/report.mjs makes of results.json', () => {
    for (const [path, text] of report(JSON.parse(read('results.json')))) expect(read(path), path).toBe(text);
  });

  it('has a row for each cost and size, in units that people read, and plots', () => {
    const figures = [
      { by: 'decide', name: 'a to b', ratio: 1.5, low: 1.4, high: 1.6 },
      cost('a first load', 10_000, 250_000),
      cost('a first load', 10, 4350),
      cost('a known passport', 10, 24.5),
    ];
    const files = report({ machine: 'a machine', peers: 'a peer 1.0.0', figures });
    const results = files.get('RESULTS.md') ?? '';
    expect(results).toContain(' on a machine. ');
    expect(results).toContain(' Measured with a peer 1.0.0.\n');
    expect(results).toContain('| a to b | 1.5 | 1.4 to 1.6 |');
    const rows = results.split('\n').filter((line) => /^\| a .* B|^\| a .* MB|^\| a .* kB/.test(line));
    expect(rows).toEqual([
      '| a first load | 10 | 2 | 5 kB | 4.35 ms | 0 |',
      '| a first load | 10,000 | 2 | 5 MB | 250 ms | 0 |',
      '| a known passport | 10 | 2 | 5 kB | 24.5 µs | 0 |',
    ]);
    // Nothing holds memory, so nothing of it can be drawn.
    expect([...files.keys()]).toEqual(['RESULTS.md', 'plots/time.svg', 'plots/bytes.svg']);
    for (const path of [...files.keys()].slice(1)) expect(results).toContain(`](${path})`);
  });
});

describe('the goals in the report', () => {
  it('are reached, or say what keeps the program from them', () => {
    const figures = [
      { by: 'decide', name: 'resolve + decide, to a look-up in a Map', ratio: 12 },
      { by: 'log', name: 'time of a publication, 100 publications, to one without a log', ratio: 2.6 },
      ...['Hono', 'Express'].map((name, at) => ({
        by: 'gateways',
        name: `throughput of ${name} with our middleware, to the same checks by hand, the same passports, 100 connections`,
        ratio: 0.94 + 0.01 * at,
      })),
    ];
    const results = report({ machine: 'a machine', figures }).get('RESULTS.md') ?? '';
    const goals = results.split('## Goals')[1] ?? '';
    expect(goals).toContain('| resolve + decide, to a look-up in a Map | 12 | 12 | reached |');
    expect(goals).toMatch(/without a log \| 2\.6 \| 2\.5 \| a build reads all files of the log/);
    expect(goals).toMatch(/Hono .* \| 0\.94 \| 0\.95 \| a gateway reads the body from a copy/);
    expect(goals).toMatch(/Express .* \| 0\.95 \| 0\.95 \| reached/);
    expect(goals).toMatch(/list load, 10,000 issuers, to the floor \| \| 1\.5 \| not measured/);
  });
});

describe('a plot of growth', () => {
  const plot = (points: readonly (readonly [number, number])[], name = 'a line') =>
    growthPlot({ title: 'A title', unit: (value) => `${value} ms`, series: [{ name, points }] });

  it('has the same bytes for the same figures', () => {
    const points = [
      [10, 1.5],
      [1000, 20],
    ] as const;
    expect(plot(points)).toBe(plot(points));
    expect(plot(points)).toMatch(/^<svg [^>]+aria-label="A title">[\s\S]+<\/svg>\n$/);
  });

  it('puts powers of ten on the edges, and what lies between on its place', () => {
    const svg = plot([
      [10, 1],
      [100, 10],
      [1000, 100],
    ]);
    expect(svg).toContain('<path d="M70 350L255 200L440 50"');
    expect(svg).toContain('>100 ms</text>');
  });

  it('leaves out what has no place, and escapes names', () => {
    const svg = plot(
      [
        [10, 0],
        [100, 5],
      ],
      '<b> & c',
    );
    expect(svg.match(/<circle/g)).toHaveLength(1);
    expect(svg).toContain('&lt;b&gt; &amp; c');
    expect(() => plot([[10, 0]])).toThrow('nothing to draw');
  });
});
