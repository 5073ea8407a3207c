import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient } from '@passport-registry/verifier';
import { build } from 'passport-registry';
import { expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { HOSTS } from '../../support/hosts.js';
import { mirrorFolder } from '../../support/mirror-folder.js';
import { serve } from '../../support/serving.js';
import { rounds } from '../../support/soak.js';
import { recordText, writeFiles } from '../../support/workspace.js';

const PUBLICATIONS = rounds({ usual: 6, soak: 1_000 });
/** Readers that never rest take all the time of the processor from the writer and the mirror. */
const REST_MS = rounds({ usual: 150, soak: 0 });
/** So many publications follow each other faster than a mirror can read one, and than their dates. The others do not. */
const QUICK_PUBLICATIONS = rounds({ usual: PUBLICATIONS, soak: 200 });

describeWith(['nginx'], 'a source, a mirror and nginx under a writer', () => {
  it('give readers no pair that is torn, and no failure after their own retries', async () => {
    const { folder, tree, rootKey, mirror, watching } = await mirrorFolder();
    chmodSync(folder, 0o755);
    const source = await serve(tree);
    await mirror(source);
    const { child } = watching(source);
    symlinkSync(join('mirror', 'current'), join(folder, 'htdocs'));
    const host = await HOSTS['nginx']?.start(join(folder, 'htdocs'));
    const seen = new Set<string>();
    const failures: unknown[] = [];
    let [publications, reads] = [0, 0];
    // However slow the machine, the readers have seen the mirror change before the writer stops.
    const isEnough = () => publications >= PUBLICATIONS && seen.size > 2;
    const writer = async () => {
      while (!isEnough()) {
        publications += 1;
        writeFiles(folder, {
          'issuers/alpha.yaml': recordText('alpha', { policy_uri: `https://alpha.internal/${publications}` }),
        });
        await build({
          issuers: join(folder, 'issuers'),
          out: tree,
          signer: { key: join(folder, 'key.pem'), production: true, directory: folder },
        });
        const restMs = publications < QUICK_PUBLICATIONS ? 200 : 1_500;
        await new Promise((resolve) => setTimeout(resolve, restMs));
      }
    };
    const reader = async () => {
      while (!isEnough()) {
        const client = createRegistryClient({
          sources: [host ?? ''],
          rootKey: rootKey.jwk,
        });
        try {
          await client.ready();
          seen.add(client.status().updatedAt ?? '');
        } catch (error) {
          failures.push(error);
        }
        client.close();
        reads += 1;
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    };
    await Promise.all([writer(), reader(), reader(), reader(), reader()]);
    child.kill();
    expect(failures).toEqual([]);
    expect(reads).toBeGreaterThan(PUBLICATIONS);
  });
});
