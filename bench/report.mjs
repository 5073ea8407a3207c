// Makes RESULTS.md and the plots beside it from results.json. bench/run.mjs does so after `--write`.
// Usage: node bench/report.mjs

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GOALS, isThroughput } from './goals.mjs';
import { growthPlot } from './plot.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Writes the report of results into this folder. */
export function writeReport(results) {
  for (const [path, text] of report(results)) {
    mkdirSync(dirname(here(path)), { recursive: true });
    writeFileSync(here(path), text);
  }
}

/** Returns the files of the report, by path. */
export function report({ machine, peers, figures }) {
  const costs = figures.filter(({ cost }) => cost !== undefined);
  const ratios = figures.filter(({ ratio }) => ratio !== undefined);
  const plots = plotsOf(costs);
  const text = `${heading(machine, peers)}${ratioRows(ratios)}${goalsSection(ratios)}${costsSection(costs, plots)}`;
  return new Map([['RESULTS.md', text], ...plots]);
}

function heading(machine, peers) {
  return `# Benchmarks

Written by \`npm run bench -- --write\` on ${machine}. \`npm run bench\`
measures again, and fails if a ratio is more than a quarter worse.

A ratio compares two programs in the same run: the time of the first divided by the time of the second. Both run in
alternation (A B A B). The table shows the median of the pairs, and their quartiles. The comment at the top of each file
in this folder explains what it compares. For a throughput, a higher ratio is better; for all other rows, a lower ratio
is better.${peers === undefined ? '' : ` Measured with ${peers}.`}

| comparison | ratio | quartiles |
|---|---|---|
`;
}

function ratioRows(ratios) {
  const range = ({ low, high }) => (low === undefined ? '' : `${low} to ${high}`);
  return ratios.map((figure) => `| ${figure.name} | ${figure.ratio} | ${range(figure)} |\n`).join('');
}

function goalsSection(ratios) {
  const rows = GOALS.map(({ name, value, why }) => {
    const { ratio } = ratios.find((figure) => figure.name === name) ?? {};
    if (ratio === undefined) return `| ${name} | | ${value} | not measured |\n`;
    const isReached = isThroughput(name) ? ratio >= value : ratio <= value;
    return `| ${name} | ${ratio} | ${value} | ${isReached ? 'reached' : why} |\n`;
  });
  return `
## Goals

| comparison | ratio | goal | what keeps us from it |
|---|---|---|---|
${rows.join('')}`;
}

function costsSection(costs, plots) {
  if (costs.length === 0) return '';
  const rows = costs.toSorted(byCost(costs)).map((figure) => {
    const { cost, issuers, requests, bytes, microseconds, memory } = figure;
    const cells = [
      cost,
      count(issuers),
      count(requests),
      bytesText(bytes),
      timeText(microseconds),
      bytesText(memory),
    ];
    return `| ${cells.join(' | ')} |\n`;
  });
  return `
## What a verifier costs you

Absolute figures of this machine, by [costs.mjs](costs.mjs). The processor time is that of all threads. Bytes are those
of the bodies, without compression. Memory is what is still held afterwards.

| what | issuers | requests | bytes | processor time | memory |
|---|---|---|---|---|---|
${rows.join('')}
${plots.map(([path]) => `![${PLOTS[path].title}](${path})`).join('\n\n')}
`;
}

/** The order in which the costs were measured, each with its sizes in order. */
function byCost(costs) {
  const order = [...new Set(costs.map(({ cost }) => cost))];
  return (a, b) => order.indexOf(a.cost) - order.indexOf(b.cost) || a.issuers - b.issuers;
}

const count = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** A value with three digits, in the largest unit in which it is at least 1. */
function inUnits(value, units) {
  const [size, name] = units.find(([least]) => value >= least) ?? units.at(-1);
  return `${Number((value / size).toPrecision(3)).toLocaleString('en-US')} ${name}`;
}

const BYTES = [
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
  [1, 'B'],
];
const TIMES = [
  [1e6, 's'],
  [1e3, 'ms'],
  [1, 'µs'],
];
const bytesText = (value) => (value === 0 ? '0' : inUnits(value, BYTES));
const timeText = (value) => inUnits(value, TIMES);

const LOADS = [
  'a first load',
  'a refresh, one issuer changed',
  'a refresh, nothing changed',
  'a look-up without the list',
];
const DECISIONS = ['an action, with a known passport', '1,000 decisions on an issuer'];
const HELD = ['a first load', 'a look-up without the list'];

const PLOTS = {
  'plots/time.svg': {
    title: 'Processor time, by the number of issuers',
    member: 'microseconds',
    names: [...LOADS, ...DECISIONS],
    unit: timeText,
  },
  'plots/bytes.svg': {
    title: 'Bytes, by the number of issuers',
    member: 'bytes',
    names: LOADS,
    unit: bytesText,
  },
  'plots/memory.svg': {
    title: 'Memory held, by the number of issuers',
    member: 'memory',
    names: HELD,
    unit: bytesText,
  },
};

/** Returns the paths and the texts of the plots for which there are figures. */
function plotsOf(costs) {
  return Object.entries(PLOTS).flatMap(([path, { title, member, names, unit }]) => {
    const series = names
      .map((name) => ({
        name,
        points: costs
          .filter(({ cost }) => cost === name)
          .map((figure) => [figure.issuers, figure[member]])
          .sort(([a], [b]) => a - b),
      }))
      .filter(({ points }) => points.some(([, value]) => value > 0));
    return series.length === 0 ? [] : [[path, growthPlot({ title, unit, series })]];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeReport(JSON.parse(readFileSync(here('results.json'), 'utf8')));
}
