import type { Command } from 'commander';
import { type ConformanceReport, checkConformance } from '../conformance.js';
import { UsageError } from '../errors.js';
import { loadRootKey } from '../key-file.js';
import { folderSource, httpSource, type TreeSource } from '../tree-source.js';
import { verifyTree } from '../verify.js';
import { emit, say, sayReport } from './output.js';
import { withProgress } from './progress.js';
import { run } from './run.js';
import { isAddress, isFolder } from './where.js';

interface Options {
  rootKey?: string;
  baseUrl?: string;
  conformance?: true;
  json?: true;
}

/** `passport-registry verify` */
export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('verify a tree or a live registry, as a stranger would')
    .argument('[dir|url]', 'folder of a tree, or address of a registry (default: --base-url)')
    .option('--base-url <url>', 'address of the registry, where none is given')
    .option('--root-key <file>', 'public JWK of the root key that you trust')
    .option('--conformance', 'look at how a host serves it, too: types, caches, what is not there')
    .option('--json', 'report as JSON on stdout')
    .action((where: string | undefined, options: Options) =>
      run(options.json === true, () => {
        const target = where ?? options.baseUrl;
        if (target === undefined) throw new UsageError('say what to verify: a folder or an address');
        return verify(target, options);
      }),
    );
}

async function verify(where: string, options: Options): Promise<number> {
  const source = sourceOf(where);
  const rootKey = options.rootKey === undefined ? undefined : await loadRootKey(options.rootKey, true);
  const report = await withProgress((onProgress) => verifyTree(source, rootKey, onProgress));
  const conformance = await conformanceOf(where, source, options);
  const ok = report.ok && conformance?.ok !== false;
  if (options.json) emit({ ...report, ok, ...(conformance && { conformance }) });
  sayReport(report);
  if (!report.pinned) {
    say("note: without --root-key the tree's own key was used. This shows that the tree is consistent,");
    say('      not who made it: anybody can make a consistent tree.');
  }
  if (report.development) say('note: this tree is signed by a development key. It is unfit for production.');
  if (conformance !== undefined) sayConformance(conformance);
  say(ok ? `${where} is good` : `${where} is NOT good`);
  return ok ? 0 : 1;
}

async function conformanceOf(
  where: string,
  { live }: TreeSource,
  { conformance }: Options,
): Promise<ConformanceReport | undefined> {
  if (conformance !== true) return undefined;
  if (!live) throw new UsageError('--conformance looks at a live host: give its address');
  return checkConformance(where);
}

/** A table, with what did not go as expected spelt out. */
function sayConformance({ answers }: ConformanceReport): void {
  const width = (column: 'check' | 'path') => Math.max(...answers.map((answer) => answer[column].length));
  const [checks, paths] = [width('check'), width('path')];
  for (const { demand, check, path, result, found, expected } of answers) {
    const mark = result === 'passed' ? 'ok     ' : demand === 'required' ? 'FAILED ' : 'warning';
    const wanted = result === 'passed' ? '' : `, expected ${expected}`;
    say(`${mark} ${check.padEnd(checks)} ${path.padEnd(paths)} ${found}${wanted}`);
  }
}

function sourceOf(where: string): TreeSource {
  if (isAddress(where)) return httpSource(where);
  if (isFolder(where)) return folderSource(where);
  throw new UsageError(`${where} is neither a folder nor an http(s) address`);
}
