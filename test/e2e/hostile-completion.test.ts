import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { statePaths } from '../../src/stores/paths.js';
import { createLocks } from '../../src/stores/state/locks.js';
import { createToolLists } from '../../src/stores/state/tool-lists.js';
import { realClock } from '../stores/state/real-clock.js';
import { type Home, makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { createCredentialIndex, type LoginRecord } from '../support/product.js';
import { programCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';

const key = 'ab'.repeat(32);

/** What a server may call its tools. What is run makes a file. */
const names = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would read it
  'a$(touch${IFS}pwned)',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: likewise
  'b`touch${IFS}pwned`',
  'c;touch<pwned>pwned',
  "d'e",
  'e"f',
  'f*?[g]',
  'g{h,i}',
  'h!!x',
  'i#j',
  'j\\k',
  'k>pwned',
  'l|tee&pwned',
  'm=~/n',
  'n字é',
  'o<(touch)',
  'x%s%n',
];

/** None of these is offered: they are not what they look like, or break the lines that a script reads. */
const hidden = ['q\nr', 'r\ttouch pwned', 's t', 'y\u202eu', 'u\u001b[2Jv', 'v\u200bw', '-w', ':file'];

/** A home where `postern` completes as ever, and writes down what else it is called with. */
async function homeWithTools(): Promise<Home> {
  const home = await makeHome();
  const folder = join(home.path, 'bin');
  await mkdir(folder);
  const words = programCommand([]).map((word) => `'${word}'`);
  const text = `#!/bin/sh\nif [ "$1" = __complete ] || [ "$1" = completion ]; then exec ${words.join(' ')} "$@"; fi\nprintf '%s\\n' "$@" > '${home.path}/called'\necho called:$#\n`;
  await writeFile(join(folder, 'postern'), text);
  await chmod(join(folder, 'postern'), 0o700);
  const directory = statePaths(home.env, process.platform, home.path).state;
  const locks = createLocks({ directory: `${directory}/locks`, clock: realClock });
  const server = 'http://127.0.0.1:5599/mcp';
  const login: LoginRecord = {
    ...{ key, name: 'work', server, resource: server, issuer: 'http://127.0.0.1:5598', clientId: 'c', scopes: [] },
    ...{ account: 'z $(touch pwned)', expiresAt: null, obtainedAt: Date.now(), refreshable: false },
    ...{ store: 'keychain', zone: 'loopback', registration: 'dynamic', generation: 1 },
  };
  await createCredentialIndex({ directory, locks }).update((document) => ({ ...document, logins: [login] }));
  const marks = {
    description: '$(touch pwned)\u001b[2J`x`',
    isReadOnly: true,
    isDestructive: false,
    isIdempotent: false,
    isOpen: false,
  };
  const tools = [...names, ...hidden].map((name) => ({ name, ...marks, isMarked: false, parameters: [] }));
  await createToolLists(directory).keep(key, { at: Date.now(), isWhole: true, tools });
  return { ...home, env: { ...home.env, PATH: `${folder}:${process.env['PATH']}` } };
}

const shells = {
  bash: [['bash', '--norc', '-i'], "set +H; bind 'set enable-bracketed-paste off'; source <(postern completion bash)"],
  zsh: [['zsh', '-f', '-i'], 'autoload -Uz compinit && compinit -u -D; source <(postern completion zsh)'],
  fish: [['fish', '--no-config', '-i'], 'postern completion fish | source'],
} as const;

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const [command, script] = shells[shell];
  test(`${shell} types names of tools and accounts as they are: nothing in them is run, and none breaks the line`, {
    skip: needs(shell, 'script'),
  }, async () => {
    await using home = await homeWithTools();
    await using at = await startAtTerminal(home, [...command], { stdout: 'terminal', columns: 100 });
    at.type(`cd ${home.path}; ${script}; echo rea''dy\r`);
    await at.screen.waitForStdout(/^ready/m);
    const called = join(home.path, 'called');
    const run = async (line: string) => {
      await rm(called, { force: true });
      const before = at.screen.stdout.length;
      at.type(`${line}\t\r`);
      for (let count = 0; count < 50 && !/called:\d/.test(at.screen.stdout.slice(before)); count += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      return (await readFile(called, 'utf8').catch(() => 'nothing was called')).trimEnd().split('\n');
    };
    // The rest is tried in completion.test.ts in the other two.
    const tried = names.filter((name) => shell === 'fish' || /^[himnx]/.test(name));
    for (const name of tried) assert.deepEqual(await run(`postern call work ${name[0]}`), ['call', 'work', name]);
    for (const name of ['q', 's', 'y', 'u', 'v']) {
      assert.deepEqual(await run(`postern call work ${name}`), ['call', 'work', name], 'it is not offered');
    }
    assert.deepEqual(await run('postern token work --account z'), ['token', 'work', '--account', 'z $(touch pwned)']);
    for (const made of ['pwned', 'touch']) assert.equal(existsSync(join(home.path, made)), false, made);
    at.type('exit\r');
    await at.screen.finished;
  });
}
