import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
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
