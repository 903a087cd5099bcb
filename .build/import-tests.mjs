// Several test files in one process: their tests run one after the other.
import { pathToFileURL } from 'node:url';
import './running-test.mjs';

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href);
