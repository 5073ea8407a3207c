import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Ceremony, errorOf } from '../../support/ceremony.js';
import { dying } from '../../support/dying-disk.js';
import { rounds } from '../../support/soak.js';
import { cli, good, type Outcome, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** A ceremony and a request, with everything that their commands change below one folder. */
class World {
  readonly ceremony = new Ceremony(['Anna', 'Bo']);
  readonly #kept = temporaryFolder();

  save(): void {
    rmSync(this.#kept, { recursive: true });
    cpSync(this.ceremony.home, this.#kept, { recursive: true });
  }

  restore(): void {
    rmSync(this.ceremony.home, { recursive: true });
    cpSync(this.#kept, this.ceremony.home, { recursive: true });
  }

  /** Runs a command of Anna, and kills it before a change of a file. @returns whether it was killed */
  async killed(args: readonly string[], moment: number): Promise<boolean> {
    let outcome: Outcome | undefined;
    const { isDead } = await dying({ after: moment - 1, losesPower: false }, async () => {
      outcome = await this.ceremony.as('Anna', args);
    });
    if (!isDead) expect(outcome?.stderr).not.toContain('passport-registry:');
    return isDead;
  }

  /**
   * Kills a command at moments, each time from the same state. Leaves the state after the whole command.
   *
   * @param every - the distance of the moments in the usual run. The soak kills the command at every moment
   * @returns how often it was killed
   */
  async atMoments(
    args: readonly string[],
    every: number,
    afterwards: () => Promise<unknown>,
  ): Promise<number> {
    const step = rounds({ usual: every, soak: 1 });
    this.save();
    for (let kills = 0; ; kills += 1) {
      this.restore();
      const isKilled = await this.killed(args, (kills + 1) * step);
      await afterwards();
      if (!isKilled) return kills;
    }
  }
}

describe('a holder whose machine is killed', () => {
  const world = new World();
  const { ceremony } = world;
  const request = join(ceremony.home, 'registry', 'request');
  const file = (kind: string) => join(request, `${kind}-1.jwt`);
  let kills = 0;

  it('resumes a ceremony', async () => {
    await good(ceremony.start(2));
    await good(ceremony.join('Bo'));
    const join = ['keys', 'ceremony', 'join', ceremony.shared, '--as', 'Anna'];
    kills += await world.atMoments(join, 8, () => good(ceremony.join('Anna')));
    await good(ceremony.join('Bo'));
    const words = await ceremony.words();
    const finish = ['keys', 'ceremony', 'finish', ceremony.shared, '--words', words];
    await good(ceremony.finish('Bo', words));
    kills += await world.atMoments(finish, 12, async () => {
      await good(ceremony.finish('Anna', words));
      expect(['test', 'live']).toContain((await ceremony.status()).step);
    });
    // A killed test signature is made again, if need be with other nonces.
    for (let round = 0; (await ceremony.status()).step !== 'live' && round < 4; round += 1) {
      for (const name of ['Bo', 'Anna']) await good(ceremony.finish(name, words));
    }
    expect((await ceremony.status()).step).toBe('live');
  });

  it('commits again, and never uses a nonce twice', async () => {
    const registry = join(ceremony.home, 'registry');
    writeFiles(registry, { 'issuers/alpha.yaml': recordText('alpha') });
    for (const name of ['root.json', 'holders.json'])
      cpSync(join(ceremony.shared, name), join(registry, name));
    await good(cli(['build', '--unsigned', 'request', '--root-key', 'root.json'], registry));
    const commit = (name: string, ...more: string[]) =>
      ceremony.as(name, ['sign', request, '--json', ...more]);
    const sign = (name: string) => ceremony.as(name, ['sign', request, '--yes', '--json']);
    await good(commit('Bo'));
    kills += await world.atMoments(['sign', request], 8, async () => {
      if (!existsSync(file('commitments'))) await good(commit('Anna'));
      await good(sign('Bo'));
      // So that the next run commits, too.
      rmSync(file('commitments'));
    });
    await good(commit('Anna'));
    let refused = 0;
    kills += await world.atMoments(['sign', request, '--yes'], 5, async () => {
      const before = read(file('shares'));
      const commitments = read(file('commitments'));
      const again = await sign('Anna');
      if (again.code === 0) {
        // What was given before is all that is ever given for these commitments.
        if (before !== undefined) expect(read(file('shares'))).toBe(before);
        expect(read(file('commitments'))).toBe(commitments);
        return;
      }
      refused += 1;
      expect(errorOf(again)).toMatchObject({ code: 'ERR_NONCES_USED' });
      expect(read(file('shares'))).toBeUndefined();
      await good(commit('Anna', '--again'));
      expect(read(file('commitments'))).not.toBe(commitments);
    });
    expect(refused).toBeGreaterThan(0);
    await good(cli(['attach', 'request', '--root-key', 'root.json', '--holders', 'holders.json'], registry));
    expect(kills).toBeGreaterThanOrEqual(rounds({ usual: 5, soak: 50 }));
  });
});

const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
