import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { shells } from '../../src/app/help/own-tables.js';
import { statePaths } from '../../src/stores/paths.js';
import { createLocks } from '../../src/stores/state/locks.js';
import { createToolLists } from '../../src/stores/state/tool-lists.js';
import { realClock } from '../stores/state/real-clock.js';
import { type Home, makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { createCredentialIndex } from '../support/product.js';
import { programCommand, runProgram, startCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';

const key = 'ab'.repeat(32);

/** A home in which `postern` is a command, another shell than the one at hand is $SHELL, and there is a login. */
async function homeWithCommand(shell: string): Promise<Home> {
  const home = await makeHome();
  const folder = join(home.path, 'bin');
  await mkdir(folder);
  const words = programCommand([]).map((word) => `'${word}'`);
  await writeFile(join(folder, 'postern'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(join(folder, 'postern'), 0o700);
  await writeLogin(home);
  const { PATH } = process.env;
  return { ...home, env: { ...home.env, PATH: `${folder}:${PATH}`, SHELL: `/bin/${shell}` } };
}

async function writeLogin(home: Home): Promise<void> {
  const directory = statePaths(home.env, process.platform, home.path).state;
  const locks = createLocks({ directory: `${directory}/locks`, clock: realClock });
  const server = 'http://127.0.0.1:5599/mcp';
  await createCredentialIndex({ directory, locks }).update((document) => ({
    ...document,
    logins: [
      {
        ...{
          key,
          name: 'work',
          server,
          resource: server,
          issuer: 'http://127.0.0.1:5598',
          clientId: 'c',
          account: 'me',
        },
        ...{ scopes: [], expiresAt: null, obtainedAt: Date.now(), refreshable: false, store: 'keychain' },
        ...{ zone: 'loopback', registration: 'dynamic', generation: 1 },
      },
    ],
  }));
  const parameter = { entries: undefined, isRequired: true, description: '' };
  const parameters = [{ ...parameter, name: 'text', types: ['string'], choices: undefined }];
  const tool = {
    name: 'echo',
    description: 'Says it.',
    isReadOnly: true,
    isDestructive: false,
    isIdempotent: false,
    isMarked: false,
    isOpen: false,
    parameters,
  };
  await createToolLists(directory).keep(key, { at: Date.now(), isWhole: true, tools: [tool] });
}

async function printedBy(home: Home, file: string, args: readonly string[]): Promise<string> {
  await using running = startCommand(file, args, home);
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}

/** What stands on the line once Tab was pressed, and what is typed after it, in a shell at a terminal. */
async function typedAt(home: Home, command: readonly string[], ready: string, lines: readonly [string, RegExp][]) {
  await using shell = await startAtTerminal(home, [...command], { stdout: 'terminal', columns: 100 });
  shell.type(`${ready}\r`);
  await shell.screen.waitForStdout(/ready:0/);
  for (const [typed, expected] of lines) {
    shell.type(`${typed}\t`);
    await shell.screen.waitForStdout(expected);
    shell.type('\x15');
  }
  shell.type('exit\r');
  await shell.screen.finished;
}

const expectations: readonly [string, RegExp][] = [
  ['postern logo', /postern logout/],
  ['postern token wo', /postern token work/],
  ['postern token http://127', /postern token http:\/\/127\.0\.0\.1:5599\/mcp/],
  ['postern login --store=ke', /postern login --store=keychain/],
  ['postern login --registration dyn', /--registration dynamic/],
  ['postern call work ec', /postern call work echo/],
  ['postern call work echo te', /postern call work echo text=/],
];

test('bash completes words by the script made for it', { skip: needs('bash', 'script') }, async () => {
  await using home = await homeWithCommand('zsh');
  const ready = "bind 'set enable-bracketed-paste off'; source <(postern completion bash); echo ready:$?";
  await typedAt(home, ['bash', '--norc', '-i'], ready, expectations);
});

test('bash is offered several words, files and commands', { skip: needs('bash') }, async () => {
  await using home = await homeWithCommand('zsh');
  await writeFile(join(home.path, 'key one.pem'), '');
  const offered = async (line: string) => {
    const last = line.split(' ').at(-1) ?? '';
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's
    const show = 'printf "%s\\n" "${COMPREPLY[@]}"';
    const ask = `cd '${home.path}'; COMP_LINE='${line}'; COMP_POINT=${line.length}; _postern postern '${last}'; ${show}`;
    return (await printedBy(home, 'bash', ['--norc', '-c', `source <(postern completion bash) && ${ask}`])).split('\n');
  };
  assert.deepEqual(await offered('postern log'), ['login', 'logout', '']);
  assert.deepEqual(await offered('postern login --client-key-file key'), ['key one.pem', '']);
  assert.ok((await offered('postern exec work -- postern')).includes('postern'));
});

test('zsh completes words by the script made for it', { skip: needs('zsh', 'script') }, async () => {
  await using home = await homeWithCommand('bash');
  const ready = 'autoload -Uz compinit && compinit -u -D; source <(postern completion zsh); print -r ready:$?';
  await writeFile(join(home.path, 'key.pem'), '');
  await typedAt(home, ['zsh', '-f', '-i'], `cd ${home.path}; ${ready}`, [
    ...expectations,
    ['postern login --client-key-file=ke', /--client-key-file=key\.pem/],
    ['postern exec work -- postern logo', /-- postern logout/],
  ]);
});

test('fish completes words by the script made for it', { skip: needs('fish') }, async () => {
  await using home = await homeWithCommand('bash');
  await writeFile(join(home.path, 'key.pem'), '');
  const offered = async (line: string) => {
    const script = `cd ${home.path}; postern completion fish | source; complete -C '${line}'`;
    return printedBy(home, 'fish', ['--no-config', '-c', script]);
  };
  assert.match(await offered('postern log'), /^login\tlog in.*\nlogout\t/);
  assert.match(await offered('postern token wo'), /^work\t/);
  assert.match(await offered('postern login --store=k'), /^--store=keychain$/m);
  assert.match(await offered('postern call work echo t'), /^text=$/m);
  assert.match(await offered('postern login --client-key-file=ke'), /^--client-key-file=key\.pem$/m);
  assert.match(await offered('postern exec work -- postern logo'), /^logout\t/);
});

/** What is typed, and the name of the one tool that it begins: each would be run, if it stood there as it is. */
const hostileNames = [
  ['a', 'a$(true>RUN)'],
  ['b', 'b`true>RUN`'],
  ['c', 'c;true>RUN'],
  ['d', "d'$(true>RUN)'"],
  ['e', 'e"$(true>RUN)"'],
  ['f', 'f\\$(true>RUN)'],
  ['g', 'g&true>RUN&'],
  ['h', 'h<(true>RUN)'],
  ['i', 'i{x,$(true>RUN)}'],
  ['j', "j';true>RUN;'"],
  ['k', 'k=$(true>RUN)'],
  ['l', 'l:$(true>RUN)'],
  ['m', 'm*(e:true>RUN:)'],
  ['"n', 'n$(true>RUN)'],
  ['"o', 'o`true>RUN`'],
  ["'q", 'q$(true>RUN)'],
] as const;

for (const [shell, words, script] of [
  ['bash', ['bash', '--norc', '-i'], "bind 'set enable-bracketed-paste off'; source <(postern completion bash)"],
  ['zsh', ['zsh', '-f', '-i'], 'autoload -Uz compinit && compinit -u -D; source <(postern completion zsh)'],
] as const) {
  test(`no tool’s name is run when ${shell} completes it and the line is entered`, {
    skip: needs(shell, 'script'),
  }, async () => {
    await using home = await homeWithCommand('sh');
    const asked = join(home.path, 'bin', 'postern');
    const real = programCommand([]).map((word) => `'${word}'`);
    const record = `printf '%s\\n' "$3" >> '${home.path}/calls'`;
    await writeFile(asked, `#!/bin/sh\ncase $1 in call) ${record};; *) exec ${real.join(' ')} "$@";; esac\n`);
    const directory = statePaths(home.env, process.platform, home.path).state;
    const other = {
      description: 'Says $(true>RUN) it.',
      isReadOnly: true,
      isDestructive: false,
      isIdempotent: false,
      isOpen: false,
      isMarked: false,
    };
    const tools = hostileNames.map(([, name]) => ({ ...other, name, parameters: [] }));
    await createToolLists(directory).keep(key, { at: Date.now(), isWhole: true, tools });
    await using terminal = await startAtTerminal(home, [...words], { stdout: 'terminal', columns: 100 });
    terminal.type(`cd ${home.path}; ${script}; echo ready:$?\r`);
    await terminal.screen.waitForStdout(/ready:0/);
    // zsh completes nothing in a quote that is open.
    const lines = hostileNames.filter(([typed]) => shell === 'bash' || typed.length === 1);
    for (const [at, [typed]] of lines.entries()) {
      terminal.type(`postern call work ${typed}\t`);
      terminal.type(`\x05\recho done:$((${at}+1000))\r`);
      await terminal.screen.waitForStdout(new RegExp(`done:${at + 1000}`));
    }
    terminal.type('exit\r');
    await terminal.screen.finished;
    assert.ok(!(await readdir(home.path)).includes('RUN'));
    const called = (await readFile(join(home.path, 'calls'), 'utf8')).trim().split('\n');
    assert.deepEqual(
      called,
      lines.map(([, name]) => name),
    );
  });
}

test('without a word it goes by $SHELL, another shell is refused, and each script says how it is installed', async () => {
  await using home = await homeWithCommand('fish');
  assert.match((await runProgram(home, ['completion'])).stdout, /^complete -c postern /m);
  for (const shell of shells) {
    const { stdout } = await runProgram(home, ['completion', shell]);
    assert.match(stdout, new RegExp(`^# Completes .*Installed by: postern completion ${shell} >`));
    assert.match(stdout, new RegExp(`postern __complete ${shell} `));
  }
  assert.match((await runProgram(home, ['completion', 'pwsh'])).stdout, /^Register-ArgumentCompleter -Native/m);
  const { code, stdout, stderr } = await runProgram(home, ['completion', 'csh']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /The shell cannot be "csh": it is one of bash, zsh, fish, powershell, pwsh\.\n/);
});

test('completion never fails and never speaks, whatever is wrong', async () => {
  await using home = await homeWithCommand('bash');
  for (const words of [[], ['bash'], ['bash', 'postern \'"'], ['zsh'], ['nobody', 'x']]) {
    const { code, stderr } = await runProgram(home, ['__complete', ...words]);
    assert.deepEqual([code, stderr], [0, '']);
  }
  await writeFile(join(statePaths(home.env, process.platform, home.path).state, 'logins.json'), '{');
  const { code, stdout, stderr } = await runProgram(home, ['__complete', 'bash', 'postern token w', '']);
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
});
