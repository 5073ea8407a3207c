import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as passports from '@passport-registry/passports';
import * as agent from '@passport-registry/passports/agent';
import * as documents from '@passport-registry/passports/documents';
import * as express from '@passport-registry/passports/express';
import * as fastify from '@passport-registry/passports/fastify';
import * as fetchHandler from '@passport-registry/passports/fetch';
import * as gate from '@passport-registry/passports/gate';
import * as hono from '@passport-registry/passports/hono';
import * as mcp from '@passport-registry/passports/mcp';
import * as redis from '@passport-registry/passports/redis';
import * as verifier from '@passport-registry/verifier';
import * as core from '@passport-registry/verifier/core';
import * as http from '@passport-registry/verifier/http';
import * as verifierForNode from '@passport-registry/verifier/node';
import { type TransformOptions, transform } from 'esbuild';
import * as generator from 'passport-registry';
import * as sandboxPackage from 'passport-registry/sandbox';
import { beforeAll, describe, expect, it } from 'vitest';
import { VERIFIER_PAGES } from '../support/documents.js';
import { ROOT } from '../support/paths.js';
import { testSandbox } from '../support/sandbox.js';
import { serve } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { setStatement, statementIn } from '../support/statements.js';
import { type Cosigning, noteSigner, withCosignatures } from '../support/test-log.js';
import { cli, run, workspace } from '../support/workspace.js';

const doors = [passports, agent, express, fastify, fetchHandler, hono, mcp, gate, redis];

interface Example {
  readonly name: string;
  readonly code: string;
}

/** Returns the files that the packages' exports come from. */
function sourceFiles(): string[] {
  return ['generator', 'sandbox', 'verifier/src', 'verifier/node', 'passports/src'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
}

/** Returns the examples in doc comments and in documents. */
function findExamples(): Example[] {
  const inComments = sourceFiles().flatMap((source) => {
    const text = readFileSync(join(ROOT, source), 'utf8').replaceAll(/^ +\* ?/gm, '');
    return codeBlocks(source, text.replaceAll(/^ \* ?/gm, ''));
  });
  return [
    ...inComments,
    ...[...VERIFIER_PAGES, 'docs/agents.md', 'verifier/README.md', 'passports/README.md'].flatMap(
      (document) => codeBlocks(document, readFileSync(join(ROOT, document), 'utf8')),
    ),
  ];
}

function codeBlocks(name: string, text: string): Example[] {
  const found = [...text.matchAll(/^```[jt]s\n([\s\S]*?)^```$/gm)];
  return found.map(([, code], index) => ({ name: `${name} (${index + 1})`, code: code ?? '' }));
}

/** Removes type imports. Keeps all other imports, although no code after them uses them. */
const JUST_IMPORTS: TransformOptions = {
  loader: 'ts',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
};

/**
 * Runs scripts one after the other, as programs of their own would run, but loads the packages once. A line with NUL
 * begins the output of each. The process ends by itself only if all of them have closed what they opened.
 */
const RUNNER = `
for (const script of process.argv.slice(1)) {
  console.log('\\0');
  console.error('\\0');
  try {
    await import(script);
    await new Promise(setImmediate);
  } catch (error) {
    console.error(error);
  }
}`;

/** An example in JavaScript, with what it assumes. */
async function scriptOf(code: string): Promise<string> {
  const [imports = '', ...rest] = code.split(/(?<=^import [^;]+;\n)(?!import )/m);
  const { code: javascript } = await transform(rest.join(''), { loader: 'ts' });
  return (await transform(imports, JUST_IMPORTS)).code + PRELUDE + javascript;
}

let folder: string;
let registry: string;
let sandbox: string;

/** Three witnesses, of which two have cosigned. */
const WITNESSES = ['mirror-a.example', 'mirror-b.example', 'mirror-c.example'].map((name) =>
  noteSigner(name, 'witness'),
);

/**
 * The examples assume a registry at registry.example with a log, its pinned root key and trust anchor, the keys of
 * witnesses, and an issuer at playground.example.
 */
const PRELUDE = `
globalThis.realFetch ??= globalThis.fetch;
const { REGISTRY, SANDBOX } = process.env;
const hosts = {
  'https://registry.example': REGISTRY,
  'http://127.0.0.1:8080': REGISTRY,
  'https://playground.example': SANDBOX,
  'http://127.0.0.1:8787': SANDBOX,
};
globalThis.fetch = (url, init) => {
  const { origin } = new URL(url);
  return realFetch(String(url).replace(origin, hosts[origin] ?? origin), init);
};
const pinnedJwk = await (await fetch('https://registry.example/keys/root.json')).json();
globalThis.trustAnchor = { root: pinnedJwk, sources: ['https://registry.example'] };
globalThis.witnessKeys = ${JSON.stringify(WITNESSES.map(({ vkey }) => vkey))};
`;

/** Node.js 20.19 warns that Ed25519 in WebCrypto is experimental. */
const QUIET = '--disable-warning=ExperimentalWarning';

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'root-key.pem'], folder);
  await cli(['build', '--key', 'root-key.pem'], folder);
  // A live registry with the same key, which also lists the sandbox issuer.
  const live = await workspace(['alpha', 'beta']);
  const key = ['--key', join(folder, 'root-key.pem'), '--allow-example-names'];
  await cli(['new', 'playground', '--tier', 'sandbox', '--issuer-url', 'https://playground.example'], live);
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], live);
  await cli(['build', ...key, ...withKeys({ origin: 'registry.example/log', log: 'log.pem' })], live);
  const tree = join(live, 'dist');
  const now = Date.now();
  const cosigned = WITNESSES.slice(0, 2).map((witness): Cosigning => [witness, now]);
  setStatement(tree, 'log_proof', withCosignatures(statementIn(tree, 'log_proof'), cosigned));
  registry = await serve(tree);
  const root = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
  const trustAnchor = JSON.stringify({ root, sources: ['https://registry.example'] });
  writeFileSync(join(folder, 'trust-anchor.json'), trustAnchor);
  sandbox = (await testSandbox()).address;
});

describe('every example in the documentation runs and prints the output in its comments', () => {
  const all = findExamples();

  it('and the examples are found', () => {
    expect(all.length).toBeGreaterThanOrEqual(20);
  });

  let exit: number | null;
  /** What each example printed, by its index. */
  let stdout: string[];
  let stderr: string[];

  beforeAll(async () => {
    // Inside the checkout, so that imports find the packages by name.
    const scripts = join(ROOT, 'test-results', 'examples');
    mkdirSync(scripts, { recursive: true });
    const paths = all.map(({ name }) => join(scripts, `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.mjs`));
    for (const [index, { code }] of all.entries()) writeFileSync(paths[index] ?? '', await scriptOf(code));
    const args = [QUIET, '--input-type=module', '-e', RUNNER, ...paths];
    const outcome = await run(process.execPath, args, folder, { REGISTRY: registry, SANDBOX: sandbox });
    exit = outcome.code;
    [stdout, stderr] = [outcome.stdout, outcome.stderr].map((text) => text.split('\0\n').slice(1)) as [
      string[],
      string[],
    ];
  });

  it('and ends', () => {
    expect(exit).toBe(0);
    expect(stdout).toHaveLength(all.length);
  });

  it.each(all.map((example, index) => ({ ...example, index })))('$name', ({ code, index: at }) => {
    expect(stderr[at]).toBe('');
    const expected = [...code.matchAll(/console\.log\(.*\);(?: \/\/ (.*))?$/gm)].map(([, output]) => output);
    const printed = stdout[at]?.split('\n').slice(0, -1) ?? [];
    expected.forEach((output, index) => {
      if (output !== undefined) expect(printed[index]).toBe(output);
    });
  });
});

describe('every example in the documentation compiles', () => {
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const source = (name: string) => `${name.replaceAll(/[^a-z0-9]+/gi, '-')}.mts`;

  it('strictly', async () => {
    // Inside the checkout, so that imports find the packages by name, with their published types. test/packages/ finds them
    // with every setting of modules.
    const project = join(ROOT, 'test-results', 'compiled-examples');
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    for (const { name, code } of findExamples()) writeFileSync(join(project, source(name)), code);
    const pinned = `
declare const pinnedJwk: import('@passport-registry/verifier').RootJwk;
declare const trustAnchor: import('@passport-registry/verifier').TrustAnchor;
declare const witnessKeys: string[];
`;
    writeFileSync(join(project, 'pinned.d.ts'), pinned);
    const compilerOptions = {
      module: 'nodenext',
      strict: true,
      target: 'es2022',
      noEmit: true,
      types: ['node'],
    };
    const lib = ['es2023', 'dom', 'dom.iterable'];
    const tsconfig = { compilerOptions: { ...compilerOptions, lib, skipLibCheck: true }, include: ['.'] };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig));
    const { code, stdout } = await run(process.execPath, [compiler, '-p', project], project);
    expect(stdout).toBe('');
    expect(code).toBe(0);
  });
});

/** Returns the comment of a value in a source, or an empty string if it has none. Undefined if it is not in the source. */
function commentOf(name: string, text: string): string | undefined {
  const at = text.search(new RegExp(`^export (?:async function|function|const|class) ${name}\\b`, 'm'));
  if (at === -1) return undefined;
  const before = text.slice(0, at);
  return before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : '';
}

describe('every value that the doors for publishers and auditors export', () => {
  const sources = sourceFiles()
    .filter((path) => /^(?:verifier|passports)\/src\//.test(path))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'));

  it('has a comment', () => {
    const uncommented = [core, http, documents].flatMap(Object.keys).filter((name) => {
      const comments = sources.flatMap((text) => commentOf(name, text) ?? []);
      return comments.length === 0 || comments.includes('');
    });
    expect(uncommented).toEqual([]);
  });
});

describe('every function that a package exports', () => {
  const sources = sourceFiles().map((path) => readFileSync(join(ROOT, path), 'utf8'));
  const functions = [generator, verifier, verifierForNode, sandboxPackage, ...doors].flatMap((module) =>
    Object.entries(module)
      .filter(([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)))
      .map(([name]) => name),
  );

  it.each(functions)('%s has a comment with an example', (name) => {
    const commentsIn = (texts: readonly string[]) =>
      texts.flatMap((text) => {
        const at = text.search(new RegExp(`^export (?:async )?function ${name}\\b`, 'm'));
        return at === -1 ? [] : [text.slice(text.lastIndexOf('/**', at), at)];
      });
    const inDoor = commentsIn(sources.slice(0, 1));
    const comments = inDoor.length > 0 ? inDoor : commentsIn(sources);
    expect(comments.length).toBeGreaterThan(0);
    for (const comment of comments) expect(comment).toContain('@example');
  });
});
