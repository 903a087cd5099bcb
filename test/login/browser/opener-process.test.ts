import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createBrowser, findOpener } from '../../../src/login/browser/open-browser.js';
import { temporaryFolder } from '../../support/temporary.js';
import { script } from './script.js';

const link = `http://127.0.0.1:41234/go/${'n'.repeat(43)}`;

/** The file's text, as soon as it is there with a whole line. */
async function textOf(folder: string, path: string): Promise<string> {
  const watcher = watch(folder);
  try {
    for (;;) {
      const text = await readFile(path, 'utf8').catch(() => '');
      if (text.endsWith('\n')) return text;
      await once(watcher, 'change', { signal: AbortSignal.timeout(30_000) });
    }
  } finally {
    watcher.close();
  }
}

test('[A-73] missing, failing or no display: unavailable; one that keeps running: opened', async () => {
  await using folder = await temporaryFolder();
  const open = (env: NodeJS.ProcessEnv) => createBrowser({ platform: 'linux', env }).open(link);
  assert.deepEqual(findOpener('linux', {}), { kind: 'none' });
  assert.equal(await open({}), 'unavailable');
  assert.equal(await open({ BROWSER: await script(folder.path, 'fails', 'exit 3') }), 'unavailable');
  assert.equal(await open({ BROWSER: await script(folder.path, 'killed', 'kill -9 $$') }), 'unavailable');
  const broken = join(folder.path, 'broken');
  await writeFile(broken, '#!/does/not/exist\n', { mode: 0o755 });
  assert.equal(await open({ BROWSER: broken }), 'unavailable');
  const pidFile = join(folder.path, 'pid');
  const hangs = await script(folder.path, 'hangs', `echo $$ > '${pidFile}'; exec sleep 60`);
  assert.equal(await open({ BROWSER: hangs }), 'opened');
  process.kill(Number(await textOf(folder.path, pidFile)));
});

test('[A-73] an opener that fails when it has run for a while is reported', async () => {
  await using folder = await temporaryFolder();
  const go = join(folder.path, 'go');
  const path = await script(folder.path, 'late', `until [ -e '${go}' ]; do sleep 0.05; done; exit 4`);
  const browser = createBrowser({ platform: 'linux', env: { BROWSER: path } });
  let late: NodeJS.Timeout | undefined;
  const failed = new Promise<void>((resolve, reject) => {
    late = setTimeout(reject, 30_000, new Error('nobody said that it failed'));
    const opened = browser.open(link, undefined, { failed: resolve, tell: assert.fail });
    void opened.then(async (result) => {
      assert.equal(result, 'opened');
      await writeFile(go, '');
    });
  });
  await failed.finally(() => clearTimeout(late));
});

test('[A-72] [A-74] what an opener prints is lost; it runs apart, without our descriptors, and does not hold us', {
  skip: process.platform !== 'linux' && 'reads /proc',
}, async () => {
  await using folder = await temporaryFolder();
  const notes = join(folder.path, 'notes');
  const note = `for fd in /proc/$$/fd/*; do echo "fd $(readlink $fd)"; done; echo "in $PWD"; cut -d' ' -f1,6 /proc/$$/stat`;
  const noisy = await script(
    folder.path,
    'noisy',
    `echo Opening in existing session; echo noise >&2; { ${note}; } > '${notes}.new'; mv '${notes}.new' '${notes}'; exec sleep 60`,
  );
  const module = new URL('../../../src/login/browser/open-browser.js', import.meta.url).href;
  const program = `
    import { openSync } from 'node:fs';
    openSync(${JSON.stringify(noisy)});
    const { createBrowser } = await import(${JSON.stringify(module)});
    const env = { BROWSER: ${JSON.stringify(noisy)} };
    process.exitCode = (await createBrowser({ platform: 'linux', env }).open(${JSON.stringify(link)})) === 'opened' ? 0 : 1;`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.deepEqual([run.status, run.stdout, run.stderr], [0, '', '']);
  const lines = (await textOf(folder.path, notes)).trim().split('\n');
  const [pid, session] = (lines.pop() ?? '').split(' ');
  process.kill(Number(pid));
  assert.equal(session, pid, 'a session of its own');
  assert.equal(lines.pop(), 'in /');
  const descriptors = lines.filter(
    (line) => line.startsWith('fd /') && !line.endsWith(noisy) && !line.includes('notes'),
  );
  assert.deepEqual([...new Set(descriptors)], ['fd /dev/null']);
  assert.ok(lines.filter((line) => line.endsWith(noisy)).length <= 1, 'only the shell’s own');
});
