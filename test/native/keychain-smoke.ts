// A login with the keychain of this very system, from one end to the other:
//
//   node build/test/native/keychain-smoke.js [<command that locks the keychain> <command that unlocks it>]
//
// For the systems that the tests do not run on (.github/workflows/systems.yml); needs what `npm run build` makes, and a
// keychain that is unlocked. Leaves nothing behind.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launcher } from '../support/program.js';

const [lockCommand, unlockCommand = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'postern-smoke-'));
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:CI|NODE_.*|POSTERN_.*)$/i.test(name))),
  POSTERN_STATE_DIR: join(folder, 'state'),
  POSTERN_CONFIG_DIR: join(folder, 'config'),
};

const sandbox = spawn(process.execPath, [launcher, 'sandbox', '--approve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
try {
  const server = await addressOf(sandbox);
  postern(['login', server, '--device', '--name', 'smoke']);
  const token = postern(['token', 'smoke']).trim();
  must(token.length > 20, 'a token is printed');
  const { logins } = JSON.parse(postern(['status', '--json']));
  must(logins.length === 1 && logins[0].store === 'keychain', 'status names the keychain');
  must(itemsShown() !== 0, 'the system itself shows an item of postern');
  const fresh = postern(['token', 'smoke', '--refresh']).trim();
  must(fresh !== token, 'a refresh brings another token');
  must(postern(['token', 'smoke']).trim() === fresh, 'which the next process reads');
  must(postern(['call', 'smoke', 'whoami']).includes('alice'), 'a tool is called with it');
  if (lockCommand !== undefined) {
    spawnSync(lockCommand, { shell: true, stdio: 'inherit' });
    const { status, stdout, stderr } = start(['token', 'smoke']);
    process.stdout.write(stderr);
    must(status === 7 && stdout === '', 'locked, it prints nothing, ends by itself and says why');
    spawnSync(unlockCommand, { shell: true, stdio: 'inherit' });
    must(postern(['token', 'smoke']).trim() === fresh, 'and works again once it is open');
  }
  postern(['logout', 'smoke']);
  must(JSON.parse(postern(['status', '--json'])).logins.length === 0, 'after log-out there is no login');
  must(!itemsShown(), 'nor an item');
  process.stdout.write(`The keychain of ${process.platform} on ${process.arch}, Node.js ${process.version}: works.\n`);
} finally {
  sandbox.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Of the protected server, once both listen. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (piece: string) => {
      said += piece;
      const [address] = /http:\/\/\S+\/mcp\b/.exec(said) ?? [];
      if (address !== undefined && said.includes('Ctrl-C')) resolve(address);
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', read);
    child.on('close', () => reject(new Error(`the sandbox ended: ${said}`)));
    setTimeout(() => reject(new Error(`the sandbox did not start: ${said}`)), 60_000).unref();
  });
}

function postern(words: readonly string[]): string {
  const { status, stdout, stderr } = start(words);
  process.stdout.write(`postern ${words.join(' ')}: exit ${status}\n`);
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`);
  return stdout;
}

function start(words: readonly string[]) {
  return spawnSync(process.execPath, [launcher, ...words], { env, encoding: 'utf8', timeout: 120_000 });
}

/** How many items the system's own tool shows, 0 or 1 where it shows no more; undefined where there is no such tool. */
function itemsShown(): number | undefined {
  const run = (file: string, args: readonly string[]) => spawnSync(file, args, { encoding: 'utf8' });
  if (process.platform === 'darwin')
    return run('/usr/bin/security', ['find-generic-password', '-s', 'postern']).status === 0 ? 1 : 0;
  if (process.platform === 'win32') return (run('cmdkey', ['/list']).stdout.match(/postern/g) ?? []).length;
  const found = run('secret-tool', ['search', '--all', 'service', 'postern']);
  return found.error === undefined ? (found.stderr.match(/attribute\.service = postern/g) ?? []).length : undefined;
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`not so: ${what}`);
  process.stdout.write(`  ${what}\n`);
}
