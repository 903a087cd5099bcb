import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Home, makeHome } from '../support/home.js';
import { needs } from '../support/needs.js';
import { programCommand, runProgram, startCommand } from '../support/program.js';
import { startAtTerminal } from '../support/pty.js';

/** A home in which `postern` is a command, and another shell than the one at hand is $SHELL. */
async function homeWithCommand(shell: string): Promise<Home> {
  const home = await makeHome();
  const folder = join(home.path, 'bin');
  await mkdir(folder);
  const words = programCommand([]).map((word) => `'${word}'`);
  await writeFile(join(folder, 'postern'), `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`);
  await chmod(join(folder, 'postern'), 0o700);
  const { PATH } = process.env;
  return { ...home, env: { ...home.env, PATH: `${folder}:${PATH}`, SHELL: `/bin/${shell}` } };
}

async function printedBy(home: Home, file: string, args: readonly string[]): Promise<string> {
  await using running = startCommand(file, args, home);
  const { code, stdout, stderr } = await running.finished;
  assert.equal(code, 0, stderr);
  assert.equal(stderr, '');
  return stdout;
}

test('bash completes words by the script made for it, whatever $SHELL is', { skip: needs('bash') }, async () => {
  await using home = await homeWithCommand('zsh');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is bash's
  const ask = 'COMP_WORDS=(postern log); COMP_CWORD=1; _postern_yargs_completions; printf "%s\\n" "${COMPREPLY[@]}"';
  const words = await printedBy(home, 'bash', ['--norc', '-c', `source <(postern completion bash) && ${ask}`]);
  assert.deepEqual(words.trim().split('\n'), ['login', 'logout']);
});

test('fish completes words by the script made for it, whatever $SHELL is', { skip: needs('fish') }, async () => {
  await using home = await homeWithCommand('bash');
  const script = 'postern completion fish | source; complete -C "postern log"';
  const words = await printedBy(home, 'fish', ['--no-config', '-c', script]);
  assert.match(words, /^login\tlog in.*\nlogout\t/);
});

test('zsh completes words by the script made for it, whatever $SHELL is', {
  skip: needs('zsh', 'script'),
}, async () => {
  await using home = await homeWithCommand('bash');
  await using zsh = await startAtTerminal(home, ['zsh', '-f', '-i'], { stdout: 'terminal', columns: 100 });
  zsh.type('autoload -Uz compinit && compinit -u -D; source <(postern completion zsh); print -r ready:$?\r');
  await zsh.screen.waitForStdout(/^ready:0/m);
  zsh.type('postern logo\t');
  await zsh.screen.waitForStdout(/postern logout/);
  zsh.type('\x15exit\r');
  await zsh.screen.finished;
});

test('without a word it goes by $SHELL, and another shell is refused', async () => {
  await using home = await homeWithCommand('fish');
  assert.match((await runProgram(home, ['completion'])).stdout, /^complete -f -c postern .*SHELL=fish/m);
  const { code, stdout, stderr } = await runProgram(home, ['completion', 'csh']);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /The words of "csh" cannot be completed\.\n.*postern completion --help/);
});
