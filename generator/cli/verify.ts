import type { Command } from 'commander';
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
  if (options.json) emit(report);
  sayReport(report);
  if (!report.pinned) {
    say("note: without --root-key the tree's own key was used. This shows that the tree is consistent,");
    say('      not who made it: anybody can make a consistent tree.');
  }
  if (report.development) say('note: this tree is signed by a development key. It is unfit for production.');
  say(report.ok ? `${where} is good` : `${where} is NOT good`);
  return report.ok ? 0 : 1;
}

function sourceOf(where: string): TreeSource {
  if (isAddress(where)) return httpSource(where);
  if (isFolder(where)) return folderSource(where);
  throw new UsageError(`${where} is neither a folder nor an http(s) address`);
}
