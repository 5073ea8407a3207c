import { createRegistryClient, openRegistry } from '@passport-registry/verifier';
import { verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { resealed, type SignedTree, seconds, sha256, signedTree } from '../support/signed-tree.js';
import { copyIn, treeIn } from '../support/sources.js';
import { together } from '../support/statements.js';

/** Returns which roles accept a tree. Each role pins the root key, and has accepted nothing before. */
async function rolesThatAccept(files: ReadonlyMap<string, Buffer>, { root: { rootKey } }: SignedTree) {
  const base = 'https://registry.example/';
  const whole = together(files);
  const answer = (path: string) => {
    const bytes = whole.get(path);
    return bytes === undefined ? new Response(null, { status: 404 }) : new Response(new Uint8Array(bytes));
  };
  const client = createRegistryClient({
    sources: [base],
    rootKey: rootKey.jwk,
    fetch: async (input) => answer(String(input).slice(base.length).replace(/\?.*/, '')),
  });
  const copy = copyIn(files);
  const isAccepted = (work: Promise<unknown>) =>
    work.then(
      () => true,
      () => false,
    );
  const roles = {
    client: await isAccepted(client.ready()),
    copy: await isAccepted(openRegistry(copy, { rootKey: rootKey.jwk, maxAge: 30 * 24 * 60 * 60 })),
    auditor: (await verifyTree(treeIn(files), rootKey)).ok,
  };
  client.close();
  return roles;
}

describe('the roles (rule roles)', () => {
  let tree: SignedTree;
  beforeAll(async () => {
    tree = await signedTree();
  });

  const all = { client: true, copy: true, auditor: true };
  const notAuditor = { ...all, auditor: false };
  const onlyCopy = { client: false, copy: true, auditor: false };
  const none = { client: false, copy: false, auditor: false };
  const named = () => `lists/${sha256(tree.files.get('issuers.json') as Buffer)}.json`;
  const without = (...paths: string[]) =>
    new Map([...tree.files].filter(([path]) => !paths.some((one) => path.startsWith(one))));
  const wrong = (path: string) => new Map([...tree.files, [path, Buffer.from('wrong')] as const]);

  it.each([
    ['a complete tree', () => tree.files, all],
    ['no checkpoint', () => without('checkpoint.jwt'), none],
    [
      'a checkpoint by a key that the publication does not name',
      () => resealed(tree.files, tree.stranger),
      none,
    ],
    ['no list under the name that is its hash', () => without(named()), notAuditor],
    ['an expired checkpoint', () => resealed(tree.files, tree.online, { exp: seconds(-301) }), onlyCopy],
    [
      'another tree_sha256',
      () => resealed(tree.files, tree.online, { tree_sha256: '0'.repeat(64) }),
      notAuditor,
    ],
    [
      'a record that differs from the list',
      () => resealed(wrong('issuers/issuer-01'), tree.online),
      notAuditor,
    ],
    ['no record', () => resealed(without('issuers/issuer-01'), tree.online), notAuditor],
    ['an invalid sums file', () => resealed(wrong('sums/root'), tree.online), notAuditor],
    ['no sums file', () => resealed(without('sums/root'), tree.online), notAuditor],
    ['a sums file too many', () => resealed(wrong('sums/3'), tree.online), notAuditor],
    ['an invalid publication statement', () => resealed(wrong('publication.jwt'), tree.online), none],
    ['no publication statement', () => resealed(without('publication.jwt'), tree.online), none],
    ['no root key', () => resealed(without('keys/root.json'), tree.online), notAuditor],
    ['no checksums', () => without('SHA256SUMS'), notAuditor],
    ['no host configuration', () => resealed(without('serve.json', '_headers'), tree.online), all],
    ['no list', () => resealed(without('issuers.json', named()), tree.online), none],
    ['an invalid rotation', () => resealed(wrong('keys/rotation.json'), tree.online), none],
  ])('%s', async (_name, files, expected) => {
    expect(await rolesThatAccept(await files(), tree)).toEqual(expected);
  });
});
