import { login } from '../../../src/login/log-in.js';
import { loginTogether } from '../../../src/login/one-login-at-a-time.js';
import { type FlowPorts, flowPorts } from '../flow-ports.js';
import { type LoginRecord, type Walk, walkLogin } from '../product.js';
import { openScene, type Scene, type WantedLogin } from './scene.js';

/** Several terminals of one person's machine: the same index, locks and keychain, an own browser tab for each. */
export interface Crowd extends AsyncDisposable {
  readonly scene: Scene;
  /** The ports of each terminal. */
  readonly terminals: readonly FlowPorts[];
  /** Every tab that was opened, in order. */
  readonly tabs: readonly string[];
  /** Logs in at that terminal; `seen` as for `loginTogether`. */
  logIn(terminal: number, change?: Partial<WantedLogin> & { readonly seen?: LoginRecord }): Promise<LoginRecord>;
  /** Resolves when so many terminals have said that they wait for another one. */
  waiting(count: number): Promise<void>;
  /** Resolves when so many tabs have been opened. */
  opened(count: number): Promise<void>;
  /** The person goes through the tab opened as number `index`. */
  walk(index: number, walk?: Walk): Promise<unknown>;
}

/** A crowd of `count` terminals before one sandbox; nobody answers a tab but by `walk`. */
export async function openCrowd(count: number): Promise<Crowd> {
  const scene = await openScene();
  const tabs: string[] = [];
  const events = new EventTarget();
  const changed = () => events.dispatchEvent(new Event('changed'));
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      await new Promise((resolve) => events.addEventListener('changed', resolve, { once: true }));
    }
  };
  let waiting = 0;
  const terminals = await Promise.all(
    Array.from({ length: count }, async () => {
      const browse = async (url: string) => {
        tabs.push(url);
        changed();
      };
      const ports = await flowPorts({ folder: scene.folder, store: scene.ports.store, browse });
      const tell = (line: string) => {
        ports.terminal.tell(line);
        if (!line.includes('already logging in')) return;
        waiting += 1;
        changed();
      };
      return { ...ports, terminal: { ...ports.terminal, tell } };
    }),
  );
  return {
    scene,
    terminals,
    tabs,
    logIn: (terminal, { seen, ...change } = {}) => {
      const ports = terminals[terminal];
      if (ports === undefined) throw new Error(`no terminal ${terminal}`);
      return loginTogether(ports, scene.request(change), seen, login);
    },
    waiting: (wanted) => until(() => waiting >= wanted),
    opened: (wanted) => until(() => tabs.length >= wanted),
    // The listener may be gone before the last page is read; how the walk ended shows in what the login does.
    walk: (index, walk = {}) => walkLogin(tabs[index] ?? '', walk).catch(() => undefined),
    [Symbol.asyncDispose]: async () => {
      for (const ports of terminals) await ports[Symbol.asyncDispose]();
      await scene[Symbol.asyncDispose]();
    },
  };
}
