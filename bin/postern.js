#!/usr/bin/env node
'use strict';

// `postern token` takes a short way where nothing unusual is asked for; everything else, and whatever the short way
// does not want, is the program's.
async function launch() {
  if (process.argv[2] === 'token') {
    const { fastPath } = require('../dist/fast-path.cjs');
    // All is written by then, and an exit is a millisecond sooner than the end of the file.
    if (await fastPath(process.argv.slice(2))) process.exit();
  }
  const { start } = require('../dist/main.cjs');
  await start(require('../package.json').version);
}

launch().catch((error) => {
  const isBuilt = require('node:fs').existsSync(`${__dirname}/../dist/main.cjs`);
  process.exitCode = 1;
  process.stderr.write(
    isBuilt
      ? `postern: the program could not be started (${error?.code ?? error?.name}).\n         Install it again.\n`
      : 'postern: this checkout is not built yet.\n         Run: npm ci && npm run build\n',
  );
});
