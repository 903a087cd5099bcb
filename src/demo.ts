import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DemoScene, playDemo } from './demo/play.js';
import { chooseStore } from './demo/store.js';
import { startSandbox } from './sandbox/start.js';

const say = (line: string) => void process.stdout.write(`${line}\n`);

const folder = await mkdtemp(join(tmpdir(), 'postern-demo-'));
// The demo's logins are its own: nothing of it is seen in the person's index, and nothing of theirs in it.
const env = { ...process.env, POSTERN_STATE_DIR: folder, POSTERN_CONFIG_DIR: folder };
try {
  const store = await chooseStore(env, say);
  await using sandbox = await startSandbox();
  const scene: DemoScene = { sandbox, env, store, say };
  process.exitCode = await playDemo(scene);
} finally {
  await rm(folder, { recursive: true, force: true });
}
