import { login } from '../../../src/login/log-in.js';
import type { LoginPorts, LoginRecord } from '../product.js';
import { openOwnScene } from './own-scene.js';
import { openScene, type WantedLogin } from './scene.js';
import { withSeveralStores } from './several-stores.js';

/** A scene with a keychain and sealed files (both in memory), and a server whose clients get secrets. */
export async function openShelf() {
  const scene = await openScene();
  const own = await openOwnScene();
  const { ports, stores } = withSeveralStores(scene.ports);
  const logIn = (change: Partial<WantedLogin> = {}, as: LoginPorts = ports): Promise<LoginRecord> =>
    login(as, scene.request(change));
  return {
    scene,
    own,
    ports,
    stores,
    logIn,
    /** The same machine, in a process that ends at its `at`th change of the index. */
    dyingAt: (at: number): LoginPorts => {
      let changes = 0;
      const update: LoginPorts['index']['update'] = (change) => {
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
