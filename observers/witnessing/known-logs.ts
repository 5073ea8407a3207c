import { type NoteKey, parseNoteKey } from '@passport-registry/verifier/core';
import { UsageError } from '../../generator/errors.js';

/** The logs that a witness service cosigns. */
export interface KnownLogs {
  /** The keys of the logs. A log can have several keys. The name of a key is the name of its log. */
  keys(): readonly NoteKey[];
  /** Looks for new keys of the logs. This can take some seconds. */
  refresh(): Promise<void>;
}

/** Makes the logs of verifier keys, which do not change. @throws {@link UsageError} */
export function namedLogs(vkeys: readonly string[]): KnownLogs {
  const keys = vkeys.map((vkey) =>
    parseNoteKey(
      vkey,
      'log',
      (message) => new UsageError(`the key ${JSON.stringify(vkey)} of a log ${message}`),
    ),
  );
  return { keys: () => keys, refresh: async () => undefined };
}

/** Joins logs from several places. */
export function allLogs(places: readonly KnownLogs[]): KnownLogs {
  return {
    keys: () => places.flatMap((place) => place.keys()),
    refresh: async () => {
      await Promise.all(places.map((place) => place.refresh()));
    },
  };
}
