import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as verifier from '@passport-registry/verifier';
import * as express from '@passport-registry/verifier/express';
import * as fetchHandler from '@passport-registry/verifier/fetch';
import * as hono from '@passport-registry/verifier/hono';
import * as mcp from '@passport-registry/verifier/mcp';
import * as verifierForNode from '@passport-registry/verifier/node';
import * as redis from '@passport-registry/verifier/redis';
import * as sandboxPackage from 'passport-registry/sandbox';
import { beforeAll, describe, expect, it } from 'vitest';
import * as generator from '../../build/index.js';
import { ROOT } from '../support/paths.js';
import { testSandbox } from '../support/sandbox.js';
import { serve } from '../support/serving.js';
import { cli, run, workspace } from '../support/workspace.js';

const adapters = [express, fetchHandler, hono, mcp, redis];

interface Example {
  readonly name: string;
  readonly code: string;
}

/** The examples in the doc comments of some sources, and the JavaScript in some documents. */
function examples(): Example[] {
  const sources = ['generator', 'sandbox', 'verifier/src', 'verifier/node'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  const inComments = sources.flatMap((source) => {
    const text = readFileSync(join(ROOT, source), 'utf8').replaceAll(/^ +\* ?/gm, '');
    return blocks(source, text.replaceAll(/^ \* ?/gm, ''), 'ts');
  });
  return [
    ...inComments,
    ...['docs/verifiers.md', 'docs/agents.md', 'verifier/README.md'].flatMap((document) =>
      blocks(document, readFileSync(join(ROOT, document), 'utf8'), 'js'),
    ),
  ];
}

function blocks(name: string, text: string, language: string): Example[] {
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))];
  return found.map(([, code], index) => ({ name: `${name} (${index + 1})`, code: code ?? '' }));
}

let folder: string;
let registry: string;
let sandbox: string;

/** What the examples take for granted: a registry at registry.example with its key, and an issuer at playground.example. */
const PRELUDE = `
const realFetch = globalThis.fetch;
const hosts = { 'https://registry.example': process.env.REGISTRY, 'https://playground.example': process.env.SANDBOX };
globalThis.fetch = (url, init) => {
  const { origin } = new URL(url);
  return realFetch(String(url).replace(origin, hosts[origin] ?? origin), init);
};
const pinnedJwk = await (await fetch('https://registry.example/keys/root.json')).json();
`;

/** Node.js 20.19 itself says that Ed25519 in WebCrypto is experimental. */
const QUIET = '--disable-warning=ExperimentalWarning';

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  await cli(['keys', 'generate', '--out', 'root-key.pem'], folder);
  await cli(['build', '--key', 'root-key.pem'], folder);
  registry = await serve(join(folder, 'dist'));
  sandbox = (await testSandbox()).address;
});

describe('every example in the documentation runs and prints what it says', () => {
  const all = examples();

  it('of which there are some', () => {
    expect(all.length).toBeGreaterThanOrEqual(20);
  });

  it.each(all)('$name', async ({ name, code }) => {
    // Inside the checkout, where the packages are found by their names.
    const scripts = join(ROOT, 'test-results', 'examples');
    mkdirSync(scripts, { recursive: true });
    const script = join(scripts, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.mjs`);
    const [imports = '', ...rest] = code.split(/(?<=^import [^;]+;\n)(?!import )/m);
    writeFileSync(script, imports + PRELUDE + rest.join(''));
    const {
      code: exit,
      stdout,
      stderr,
    } = await run(process.execPath, [QUIET, script], folder, { REGISTRY: registry, SANDBOX: sandbox });
    expect(stderr).toBe('');
    expect(exit).toBe(0);
    const promised = [...code.matchAll(/console\.log\(.*\);(?: \/\/ (.*))?$/gm)].map(([, output]) => output);
    const printed = stdout.split('\n').slice(0, -1);
    promised.forEach((output, index) => {
      if (output !== undefined) expect(printed[index]).toBe(output);
    });
  });
});

describe('every function that a package exports', () => {
  const sources = ['generator', 'sandbox', 'verifier/src', 'verifier/node'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
  );
  const functions = [generator, verifier, verifierForNode, sandboxPackage, ...adapters].flatMap((module) =>
    Object.entries(module)
      .filter(([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)))
      .map(([name]) => name),
  );

  it.each(functions)('%s has a comment with an example', (name) => {
    const comments = sources.flatMap((text) => {
      const at = text.search(new RegExp(`^export (?:async )?function ${name}\\b`, 'm'));
      return at === -1 ? [] : [text.slice(text.lastIndexOf('/**', at), at)];
    });
    expect(comments.length).toBeGreaterThan(0);
    for (const comment of comments) expect(comment).toContain('@example');
  });
});
