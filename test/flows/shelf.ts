import { type LoginRequest, login } from '../../src/flows/login/login.js';
import type { Ports } from '../../src/ports.js';
import type { LoginRecord } from '../../src/primitives/records.js';
import { openOwnScene } from './own-scene.js';
import { openScene } from './scene.js';
import { withSeveralStores } from './several-stores.js';

/** A scene with a keychain and sealed files (both in memory), and a server whose clients get secrets. */
export async function openShelf() {
  const scene = await openScene();
  const own = await openOwnScene();
  const { ports, stores } = withSeveralStores(scene.ports);
  const logIn = (change: Partial<LoginRequest> = {}, as: Ports = ports): Promise<LoginRecord> =>
    login(as, scene.request(change));
  return {
    scene,
    own,
    ports,
    stores,
    logIn,
    /** The same machine, in a process that ends at its `at`th change of the index. */
    dyingAt: (at: number): Ports => {
      let changes = 0;
      const update: Ports['index']['update'] = (change) => {
        changes += 1;
        return changes >= at ? Promise.reject(new Error('killed')) : ports.index.update(change);
      };
      return { ...ports, index: { ...ports.index, update } };
    },
    [Symbol.asyncDispose]: async () => {
      await own[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}
