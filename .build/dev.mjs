// `npm run dev -- <args>`: the program as it is compiled, unbundled; a stack trace names lines of our TypeScript.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { hotPath } from '../build/src/hot-path.js';
import { start } from '../build/src/main.js';

const launcher = fileURLToPath(new URL('../bin/postern.js', import.meta.url));
const isHot = ['token', 'credential'].includes(process.argv[2]);
const { done = false, input } = isHot ? await hotPath(process.argv.slice(2)) : {};
if (!done) await start(createRequire(import.meta.url)('../package.json'), launcher, input);
