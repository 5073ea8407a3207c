import type { Case, HostAnswer } from './case.js';
import { golden } from './goldens.js';
import { makeCase } from './make-case.js';

const FILES = [
  ...[
    'issuers.json',
    'issuers.sig',
    'publication.jwt',
    'checkpoint.jwt',
    'keys/delegation.jwt',
    'keys/rotation.json',
  ],
  ...[
    'keys/root.json',
    'sums/root',
    'issuers/alpha',
    'SHA256SUMS',
    'log/publication.tlog-proof',
    'log/checkpoint',
  ],
  'log/tile/0/000.p/4',
];

export const ANSWERS: Readonly<Record<string, HostAnswer>> = {
  'status 302': { status: 302, location: 'https://source-0.example/elsewhere' },
  'status 204': { status: 204 },
  'status 304': { status: 304 },
  'status 403': { status: 403 },
  'status 404': { status: 404 },
  'status 410': { status: 410 },
  'status 500': { status: 500 },
  'an HTML page': { type: 'text/html; charset=utf-8' },
  'a type in capitals': { type: 'TEXT/HTML' },
  'another type': { type: 'application/octet-stream' },
  'no response': { ends: 'early' },
  'half a response': { ends: 'amid' },
};

/** Hosts that answer with something else than the file, alone and beside a mirror that has the file. */
export function* oddHosts(): Generator<Case> {
  for (const base of ['checkpoint', 'witnessed']) {
    const { files, now } = golden(base);
    const asked = FILES.filter((file) => files.has(file) || file === 'keys/rotation.json');
    for (const file of asked) {
      for (const [name, answer] of Object.entries(ANSWERS)) {
        const why = 'The host answers for one file with something else.';
        const answers = { [file]: answer };
        const only = { ...ONLY_HOSTS, rule: 'error-codes', why, base };
        yield makeCase({ ...only, id: `host/${base}/${file}/${name}`, answers });
        if (base === 'witnessed') continue;
        const sources = [
          { base, patches: [], answers },
          { base, patches: [] },
        ] as const;
        const id = `host/${base}/${file}/${name}, and a mirror`;
        yield makeCase({ ...only, id, steps: [{ now, sources }] });
      }
    }
    for (const file of ['issuers.json', 'publication.jwt', 'keys/rotation.json']) {
      const why = 'The host never answers for one file.';
      const never = { [file]: { never: true } } as const;
      const roles = ['client', 'lookup'] as const;
      yield makeCase({
        id: `host/${base}/${file}/never`,
        rule: 'error-codes',
        base,
        why,
        roles,
        answers: never,
      });
    }
  }
  const large = 'x'.repeat(16_385);
  for (const file of ['publication.jwt', 'checkpoint.jwt', 'keys/delegation.jwt', 'keys/root.json']) {
    const patches = [{ file, text: large }];
    const why = 'The file is larger than its limit.';
    yield makeCase({
      id: `host/checkpoint/${file}/too large`,
      rule: 'limits',
      base: 'checkpoint',
      patches,
      why,
    });
  }
}

/** A copy and an auditor of files see no host. */
const ONLY_HOSTS = { roles: ['client', 'lookup', 'mirror'] } as const;
