import type { Command } from 'commander';
import { loadRecords } from '../records.js';
import { count, emit, say, sayDiagnostics } from './output.js';
import { withProgress } from './progress.js';
import { run } from './run.js';

/** `passport-registry validate` */
export function addValidateCommand(program: Command): void {
  program
    .command('validate')
    .description('check records, and write nothing')
    .argument('[path...]', 'files and folders', ['issuers'])
    .option('--json', 'report as JSON on stdout')
    .action((paths: string[], { json }: { json?: true }) =>
      run(json === true, async () => {
        const { files, diagnostics, ok } = await withProgress((onProgress) => loadRecords(paths, onProgress));
        if (json) emit({ ok, files, diagnostics });
        sayDiagnostics(diagnostics);
        const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
        const warnings = diagnostics.length - errors;
        say(`${count(files, 'file')}: ${count(errors, 'problem')}, ${count(warnings, 'warning')}`);
        return ok ? 0 : 1;
      }),
    );
}
