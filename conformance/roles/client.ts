import {
  createIssuerLookup,
  createRegistryClient,
  memoryStore,
  type RegistryStatus,
  type TrustAnchor,
  type TrustPolicy,
} from '@passport-registry/verifier';
import type { Case, Step } from '../cases/case.js';
import { accepted, codeOf, refused, type StartProgram, short, verdictOf } from './verdict.js';
import { clock, sourceUrl } from './world.js';

/** A client asks only when the recorder says so. */
const NEVER_SECONDS = 1_000_000;
/** Long enough for a busy machine. */
const TIMEOUT_SECONDS = 60;
/** Where a host never answers, a client waits for the deadline. */
const SHORT_TIMEOUT_SECONDS = 2;

/** A policy that every active issuer of the cases meets. */
const POLICY: TrustPolicy = { tiers: ['founding', 'certified'] };

function optionsOf({ anchor, steps }: Case) {
  const trees = steps.flatMap(({ sources }) => sources);
  const mustWait = trees.some(({ answers = {} }) => Object.values(answers).some((one) => 'never' in one));
  return {
    trustAnchor: anchor as TrustAnchor,
    sources: Array.from({ length: Math.max(...steps.map(({ sources }) => sources.length)) }, (_one, at) =>
      sourceUrl(at),
    ),
    refreshInterval: NEVER_SECONDS,
    timeout: mustWait ? SHORT_TIMEOUT_SECONDS : TIMEOUT_SECONDS,
    store: memoryStore(),
    now: () => clock.now,
  };
}

/** What a client says of what it holds. */
function statusOf({ errors, source, ...status }: RegistryStatus): object {
  const said = JSON.parse(JSON.stringify(status)) as Record<string, unknown>;
  const isTold = ([, value]: [string, unknown]) => value !== undefined && value !== false;
  const facts = Object.fromEntries(Object.entries(said).filter(isTold));
  const failed = Object.entries(errors).map(
    ([url, error]) => `${new URL(url).hostname.slice(0, 8)} ${codeOf(error)}`,
  );
  return {
    ...facts,
    from: source && (source === 'store' ? source : new URL(source).hostname.slice(0, 8)),
    failed,
  };
}

/** Starts a client with the list. */
export const startClient: StartProgram = (one) => {
  const options = optionsOf(one);
  let client = createRegistryClient(options);
  const held = () => {
    try {
      return { list: short(client.sha256), issuers: client.list().length, hold: client.hold };
    } catch (error) {
      return { list: codeOf(error) };
    }
  };
  return {
    see: async (step: Step) => {
      if (step.restarts) {
        client.close();
        client = createRegistryClient(options);
      }
      try {
        await client.refresh();
        return accepted({ ...held(), ...statusOf(client.status()) });
      } catch (error) {
        return verdictOf(error, held());
      }
    },
    end: () => client.close(),
  };
};

/** Starts a look-up of the issuers that the case asks for. It accepts a step if it proves all of them. */
export const startLookup: StartProgram = (one) => {
  const options = optionsOf(one);
  let lookup = createIssuerLookup(options);
  const askFor = async (id: string): Promise<string> => {
    try {
      const record = await lookup.resolve(id);
      const { accepted: isTrusted, reasons } = await lookup.decide(id, POLICY);
      return `${record === undefined ? 'absent' : record.status} ${isTrusted} ${reasons.map(({ code }) => code).join(',')}`;
    } catch (error) {
      return codeOf(error);
    }
  };
  return {
    see: async (step: Step) => {
      if (step.restarts) {
        lookup.close();
        lookup = createIssuerLookup(options);
      }
      let code: string | undefined;
      try {
        await lookup.refresh();
      } catch (error) {
        const verdict = verdictOf(error);
        if (verdict.verdict === 'crash') return verdict;
        code = verdict.code;
      }
      const answers: Record<string, string> = {};
      for (const id of one.ask) answers[id] = await askFor(id);
      code ??= Object.values(answers).find((answer) => answer.startsWith('ERR_'));
      const more = {
        answers,
        ...(code === undefined && { list: short(lookup.sha256), ...statusOf(lookup.status()) }),
      };
      return code === undefined ? accepted(more) : refused(code, more);
    },
    end: () => lookup.close(),
  };
};
