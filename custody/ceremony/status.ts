import { CEREMONY_FILES, type Ceremony } from './ceremony-file.js';
import { ceremonyProgress } from './finish.js';
import { recordFiles } from './holders-file.js';
import { numbersOf, readAllJoined, readJoined, readText } from './messages.js';
import { joinedDigest, readTranscript, type Transcript, withoutMessage } from './transcript.js';

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
  const joined = new Map<number, unknown>();
  for (const number of numbersOf(ceremony)) {
    const found = await readJoined(ceremony, number);
    if (found !== undefined) joined.set(number, found);
  }
  const notJoined = withoutMessage(ceremony, joined);
  if (notJoined.length > 0) return { ...base, step: 'join', waitingFor: notJoined };
  const isThere = (number: number) => readText(ceremony, CEREMONY_FILES.parts(number)) !== undefined;
  if (splits !== undefined) {
    if (readText(ceremony, CEREMONY_FILES.split) === undefined) {
      const digest = joinedDigest(ceremony, await readAllJoined(ceremony));
      return { ...base, step: 'split', waitingFor: [], digest };
    }
  } else {
    const without = names.filter((_, index) => !isThere(index + 1));
    if (without.length > 0) return { ...base, step: 'parts', waitingFor: without };
  }
  const transcript = await readTranscript(ceremony);
  return { ...base, ...(await finishing(transcript)) };
}

async function finishing(transcript: Transcript) {
  const { ceremony, digest, group } = transcript;
  const shown = { digest, root: group.rootKey.thumbprint };
  const { receipts, progress } = await ceremonyProgress(transcript);
  const unreceipted = withoutMessage(ceremony, receipts);
  if (unreceipted.length > 0) return { ...shown, step: 'receipt', waitingFor: unreceipted } as const;
  const [fault] = progress.faults;
  if (fault !== undefined) throw fault;
  const untested = ceremony.names.filter((name) => !progress.signed.includes(name));
  if (untested.length > 0 || progress.signatures === undefined) {
    return { ...shown, step: 'test', waitingFor: untested.length > 0 ? untested : ceremony.names } as const;
  }
  const signature = progress.signatures.get('test') ?? new Uint8Array();
  const files = recordFiles(transcript, receipts, signature);
  const isWritten = [...files].every(([name, text]) => readText(ceremony, name) === text.trim());
  return { ...shown, step: isWritten ? 'live' : 'record', waitingFor: [] } as const;
}
