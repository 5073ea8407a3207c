import { CEREMONY_FILES, type Ceremony } from './ceremony-file.js';
import { ceremonyProgress } from './finish.js';
import { recordFiles } from './holders-file.js';
import { readAllJoined, readJoined, readText } from './messages.js';
import { digestOf, readTranscript } from './transcript.js';

/** The steps of a ceremony, in order. */
type CeremonyStep = 'join' | 'parts' | 'split' | 'receipt' | 'test' | 'record' | 'live';

/** How far a ceremony is. */
export interface CeremonyStatus {
  readonly names: readonly string[];
  readonly threshold: number;
  /** The thumbprint of the key that is split. Undefined if the holders make a new key. */
  readonly splits: string | undefined;
  /** The step that is under way. */
  readonly step: CeremonyStep;
  /** The names of the holders who must act for this step. */
  readonly waitingFor: readonly string[];
  /** The fingerprint, once all parts are there; before a key is split, of those who have joined. */
  readonly digest: string | undefined;
  /** The thumbprint of the key, once all parts are there. */
  readonly root: string | undefined;
}

/** Reads how far a ceremony is, from its public messages, and verifies them. @throws {@link SharedKeyRejected} */
export async function ceremonyStatus(ceremony: Ceremony): Promise<CeremonyStatus> {
  const { names, threshold, splits } = ceremony;
  const base = { names, threshold, splits: splits?.thumbprint, digest: undefined, root: undefined };
  const { missing } = await readJoined(ceremony);
  if (missing.length > 0) return { ...base, step: 'join', waitingFor: missing };
  const isMissing = (file: string) => readText(ceremony, file) === undefined;
  if (splits !== undefined && isMissing(CEREMONY_FILES.split)) {
    const digest = digestOf(ceremony, await readAllJoined(ceremony));
    return { ...base, step: 'split', waitingFor: [], digest };
  }
  const without = names.filter((_name, index) => isMissing(CEREMONY_FILES.parts(index + 1)));
  if (splits === undefined && without.length > 0) return { ...base, step: 'parts', waitingFor: without };
  const transcript = await readTranscript(ceremony);
  const shown = { ...base, digest: transcript.digest, root: transcript.group.rootKey.thumbprint };
  const { receipts, unreceipted, untested, signature, faults } = await ceremonyProgress(transcript);
  if (unreceipted.length > 0) return { ...shown, step: 'receipt', waitingFor: unreceipted };
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  if (untested.length > 0 || signature === undefined)
    return { ...shown, step: 'test', waitingFor: untested.length > 0 ? untested : names };
  const files = recordFiles(transcript, receipts, signature);
  const isWritten = [...files].every(([name, text]) => readText(ceremony, name) === text.trim());
  return { ...shown, step: isWritten ? 'live' : 'record', waitingFor: [] };
}
