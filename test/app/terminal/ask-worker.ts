import { createSilence } from '../../../src/app/terminal/spinner.js';
import { createTerminal } from '../../../src/app/terminal/terminal.js';
import { Failure } from '../../support/product.js';

// A program that asks at its terminal: hidden for a paste, openly for a word, then for a choice. Prints what it got on
// stdout as JSON. Ctrl-C aborts the question, and so ends it.

const interruption = new AbortController();
const { stdin, stderr, env } = process;
const terminal = createTerminal({
  stdin: () => stdin,
  stderr,
  env,
  json: false,
  nonInteractive: process.argv.includes('--non-interactive'),
  tell: (line) => void stderr.write(`${line}\n`),
  spinner: createSilence(),
  interrupt: () => interruption.abort(new Error('interrupted')),
});

const { signal } = interruption;
try {
  const hidden = terminal.interactive ? await terminal.ask('Hidden: ', { hidden: true, signal }) : '';
  const open = terminal.interactive ? await terminal.ask('\u001b[2J\u009b31mOpen: ', { hidden: false, signal }) : '';
  const choice = terminal.interactive ? await terminal.choose('\u001b[2JWhich?', ['one', '\u001b[2Jtwo'], signal) : -1;
  process.stdout.write(`${JSON.stringify({ interactive: terminal.interactive, hidden, open, choice })}\n`);
} catch (error) {
  const said = error instanceof Failure ? `${error.code}, exit ${error.exit}, ${error.message}` : error;
  process.stdout.write(`${error === signal.reason ? 'aborted' : said}\n`);
}
