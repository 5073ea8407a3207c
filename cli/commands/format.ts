import type { Command } from 'commander';
import { formatRecord } from '../../generator/authoring/layout.js';
import { type Diagnostic, diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { WHOLE_FILE } from '../../generator/diagnostics/range.js';
import { replaceFile } from '../../generator/files/replace-file.js';
import { collectRecordFiles } from '../../generator/records/collect.js';
import { type ParsedFile, parseRecordFile } from '../../generator/records/yaml/parse.js';
import { defaultRecordPaths } from '../options/record-paths.js';
import { addFormatOptions, type FormatOptions, report, wantsJson } from '../terminal/diagnostics.js';
import type { Invocation, Io } from '../terminal/io.js';
import { count, say } from '../terminal/output.js';
import { run } from '../terminal/run.js';

/** `passport-registry format` */
export function addFormatCommand(program: Command, io: Invocation): void {
  const command = program
    .command('format')
    .description('format records, and keep their comments')
    .argument('[path...]', 'files and folders (default: issuers, or the records in this folder)')
    .option('--check', 'change nothing; end with exit code 1 if a file needs formatting');
  addFormatOptions(command).action((paths: string[], options: FormatOptions & { check?: true }) =>
    run(io, wantsJson(options), () => format(io, paths.length > 0 ? paths : defaultRecordPaths(), options)),
  );
}

async function format(
  io: Io,
  paths: readonly string[],
  options: FormatOptions & { check?: true },
): Promise<number> {
  const { files, diagnostics: collecting } = collectRecordFiles(paths);
  const diagnostics: Diagnostic[] = [...collecting];
  let changed = 0;
  for (const record of files) {
    const parsed = parseRecordFile(record);
    const broken = unreadable(parsed);
    if (broken.length > 0) {
      diagnostics.push(...broken);
      continue;
    }
    const text = formatRecord(record.text, record.file);
    if (text === record.text) continue;
    changed += 1;
    if (options.check) {
      const message = 'the file is not formatted';
      diagnostics.push(diagnostic(record, firstDifference(record.text, text), { rule: 'layout', message }));
    } else {
      replaceFile(record.file, text);
      say(io, `${record.file} reformatted`);
    }
  }
  const ok = !diagnostics.some(isError);
  report(io, options, { ok, files: files.length, changed, diagnostics });
  say(
    io,
    `${count(files.length, 'file')} checked, ${changed} ${options.check ? 'to reformat' : 'reformatted'}`,
  );
  return ok ? 0 : 1;
}

/** Returns the diagnostics of a file that cannot be formatted, because it is not a mapping. */
function unreadable(parsed: ParsedFile): readonly Diagnostic[] {
  const { value, diagnostics } = parsed;
  if (diagnostics.length > 0 || (typeof value === 'object' && !Array.isArray(value))) return diagnostics;
  return [diagnostic(parsed, WHOLE_FILE, { rule: 'not-a-mapping', message: 'the file has no fields' })];
}

/** Returns the range of the first line that differs from the formatted text. */
function firstDifference(text: string, formatted: string) {
  const [lines, expected] = [text.split('\n'), formatted.split('\n')];
  const index = lines.findIndex((line, at) => line !== expected[at]);
  const line = (index === -1 ? lines.length - 1 : index) + 1;
  return { ...WHOLE_FILE, line, endLine: line, endColumn: (lines[line - 1]?.length ?? 0) + 1 };
}
