import type { StatementType } from '../statements/statement.js';

/** The types of all statements that this version knows. A log can also contain those of later versions (rule other-entries). */
export const STATEMENT_TYPES: readonly StatementType[] = [
  'registry-delegation+jwt',
  'registry-checkpoint+jwt',
  'registry-operations+jwt',
  'registry-root-rotation+jwt',
  'registry-publication+jwt',
];
