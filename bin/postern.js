#!/usr/bin/env node
'use strict';

// Older versions of Node.js fail in the middle of something, with words that help nobody. What stands in this file, they
// can read.
function oldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return undefined;
  return `postern needs Node.js 20.19 or newer (found ${process.versions.node}).`;
}

// `postern token` and `postern credential` take the hot path where nothing unusual is asked for; everything else, and
// whatever the hot path does not want, is the program's.
async function launch() {
  const { load } = require('./load.js'); // which an older Node.js could not read
  const [, , command, ...words] = process.argv;
  // A single executable is also the process that can be killed where a keychain hangs; elsewhere that is a file of its own.
  if (command === '__keychain' && __filename === process.execPath) return load('keychain-child');
  // Those who ask for a credential wait 10 s and no longer. The program ends sooner by itself; this is the last resort.
  if (command === 'credential' && !words.some((word) => word.startsWith('--timeout')))
    setTimeout(giveUp, 8000 - process.uptime() * 1000).unref();
  let input;
  if (command === 'credential' || command === 'token') {
    const end = await load('hot-path').hotPath([command, ...words]);
    // All is written by then, and an exit is a millisecond sooner than the end of the file.
    if (end.done) process.exit();
    input = end.input;
  }
  await load('main').start(require('../package.json'), __filename, input);
}

// Wrong configuration, as far as this program is concerned: exit 2.
function refuse(message) {
  const remedy = 'Install a newer Node.js, then run the command again.';
  const failure = { error: { code: 'node_too_old', message, remedy, exit: 2, steps: [] } };
  const asObject = process.argv.indexOf('--json') !== -1;
  process.stderr.write(asObject ? `${JSON.stringify(failure)}\n` : `${message} [node_too_old, exit 2]\n`);
  process.exitCode = 2;
}

function giveUp() {
  const said = 'postern: There was no answer within 8 s. Ask again in a moment. [deadline_passed, exit 6]\n';
  require('node:fs').writeSync(2, said);
  process.exit(6);
}

function fail(error) {
  const isBuilt = require('node:fs').existsSync(`${__dirname}/../dist/main.js`);
  process.exitCode = 1;
  process.stderr.write(
    isBuilt
      ? `postern: the program could not be started (${error && (error.code || error.name)}).\n         Install it again.\n`
      : 'postern: this checkout is not built yet.\n         Run: npm ci && npm run build\n',
  );
}

const problem = oldNode();
if (problem === undefined) launch().catch(fail);
else refuse(problem);
