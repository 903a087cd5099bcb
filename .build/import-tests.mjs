// Several test files in one process: their tests run one after the other.
import { pathToFileURL } from 'node:url';
import { configureGlobal } from 'fast-check';
import './running-test.mjs';

// Property tests that name no number of cases have this many.
const runs = Number(process.env.POSTERN_PROPERTY_RUNS);
if (runs > 0) configureGlobal({ numRuns: runs });

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
