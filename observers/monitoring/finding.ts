/** How urgent a finding is, most urgent first. `change` is a change of an issuer that the user watches. */
export const SEVERITIES = ['alarm', 'change', 'warning', 'note'] as const;
type Severity = (typeof SEVERITIES)[number];

/**
 * Everything that a monitor tells, by its stable code, and how urgent it is. `unchecked` is a warning that something was
 * not checked, which has an exit code of its own. docs/generate.mjs writes the codes into docs/operators/log.md.
 */
export const KIND_OF = {
  'log-missing': 'alarm',
  'log-shrunk': 'alarm',
  'log-forked': 'alarm',
  'log-damaged': 'alarm',
  'head-not-signed': 'alarm',
  'entry-not-signed': 'alarm',
  'statement-missing': 'alarm',
  'statement-out-of-order': 'alarm',
  'list-missing': 'alarm',
  'list-invalid': 'alarm',
  'forbidden-change': 'alarm',
  'not-logged': 'alarm',
  'host-behind': 'alarm',
  'other-root-key': 'alarm',
  'proof-invalid': 'alarm',
  'too-few-cosignatures': 'alarm',
  'cosignatures-too-old': 'alarm',
  'watched-issuer-changed': 'change',
  'host-unreadable': 'unchecked',
  'mirror-without-log': 'unchecked',
  'changes-not-verified': 'unchecked',
  'list-not-kept': 'unchecked',
  'watched-issuer-unknown': 'unchecked',
  'root-key-not-pinned': 'warning',
  'entry-unknown': 'warning',
  'issuer-changed': 'note',
  'publication-logged': 'note',
  'online-keys-changed': 'note',
  'rotation-logged': 'note',
  'log-key-changed': 'note',
  'claim-unknown': 'note',
  'entries-not-verified': 'note',
} as const satisfies Record<string, Severity | 'unchecked'>;

/** The stable code of a finding. */
export type FindingCode = keyof typeof KIND_OF;

/** One thing that a monitor tells, as data. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** One line for people. */
  readonly message: string;
  /** The URL of the host that the finding is about. */
  readonly host?: string;
  /** The number of entries of the log before the entry that the finding is about. */
  readonly entry?: number;
  /** More about the finding, such as the issuer and its changed fields. */
  readonly [more: string]: unknown;
}

/** Makes a finding. @param more - members for the JSON report */
export function finding(
  code: FindingCode,
  message: string,
  more: Omit<Finding, 'code' | 'severity' | 'message'> = {},
): Finding {
  const kind = KIND_OF[code];
  return { code, severity: kind === 'unchecked' ? 'warning' : kind, message, ...more };
}

/** Whether a finding means that something was not checked. */
export function isUnchecked({ code }: Finding): boolean {
  return KIND_OF[code] === 'unchecked';
}

/**
 * Makes the finding that something about an issuer has changed, if the user wants to know it.
 *
 * @param watch - the ids of the issuers whose changes are told. If there are none, all changes are notes
 */
export function issuerChanged(watch: readonly string[], message: string, more: IssuerMembers): Finding[] {
  if (watch.includes(more.issuer_id)) return [finding('watched-issuer-changed', message, more)];
  return watch.length > 0 ? [] : [finding('issuer-changed', message, more)];
}

interface IssuerMembers {
  readonly issuer_id: string;
  readonly [more: string]: unknown;
}
