import { expect } from 'vitest';
import type { Outcome } from './workspace.js';

/** The exit codes of the errors that tests of commands name, as docs/operators/status.md says. */
const EXIT_CODES = {
  ERR_RECORDS_REJECTED: 1,
  ERR_TREE_REJECTED: 1,
  ERR_ALREADY_PUBLISHED: 1,
  ERR_REQUEST_PAYLOAD: 1,
  ERR_USAGE: 2,
  ERR_CONFIGURATION_REJECTED: 2,
  ERR_REQUEST_OUTDATED: 2,
  ERR_REQUEST_UNKNOWN: 2,
  ERR_KEY_REJECTED: 3,
  ERR_IO_FAILED: 4,
};

export type ErrorCode = keyof typeof EXIT_CODES;

/**
 * Asserts that a command that was run with `--json` ended with an error and the exit code of that error.
 *
 * @param facts - what the message must name, such as a path or an option; for a code that has several causes
 */
export function expectCommandError(outcome: Outcome, code: ErrorCode, ...facts: readonly string[]): void {
  expect(outcome.stdout, outcome.stderr).not.toBe('');
  const { error } = JSON.parse(outcome.stdout);
  expect([outcome.code, error?.code, error?.message]).toEqual([EXIT_CODES[code], code, expect.any(String)]);
  for (const fact of facts) expect(error.message).toContain(fact);
}
