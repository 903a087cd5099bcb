import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';

/** Runs what is wanted quickly, in a world where nobody has a login, so that V8 compiles what every run needs. */
export async function usualRuns({ run }) {
  const home = mkdtempSync(join(tmpdir(), 'postern-build-'));
  const sink = () => new Writable({ write: (_piece, _encoding, done) => done() });
  try {
    for (const argv of [['--help'], ['status', '--help'], [], ['status']]) {
      const exit = await run(argv, {
        env: { POSTERN_STATE_DIR: home, POSTERN_CONFIG_DIR: home },
        stdin: () => process.stdin,
        stdout: sink(),
        stderr: sink(),
        platform: process.platform,
        homedir: home,
        version: '0',
        clientMetadataUrl: '',
        interruption: new AbortController(),
        programs: {},
        launch: { script: join(home, 'postern'), input: undefined, elapsed: () => 0 },
        tokenGiven: {},
        signals: {},
        own: {},
      });
      if (exit !== 0) throw new Error(`postern ${argv.join(' ')}: exit ${exit}`);
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
