// Several test files in one process: their tests run one after the other, and after those of each file the test `end of <file>`.
//
// Loads `node:test` without its async hook, for `npm run check`. The hook follows every promise and every handle to its end, to
// know whose an uncaught error is: two thirds of the processor time of a test with many promises, a tenth of the others'. Here
// one test runs at a time, so the error is of the one that runs. A test that has none running any more still fails the process, as it did.
import hooks from 'node:async_hooks';
import { pathToFileURL } from 'node:url';
import { configureGlobal } from 'fast-check';

const { AsyncResource, createHook, executionAsyncId } = hooks;
const tests = new Set();
let note = () => {};
let running = 0;
let isErrorLooseNow = false;

class Followed extends AsyncResource {
  #isTest;

  constructor(type, options) {
    super(type, options);
    this.#isTest = type === 'Test';
    tests.add(this.asyncId());
    note(this.asyncId(), type, this.triggerAsyncId(), this); // the runner's own table: a test, or a reporter
  }

  runInAsyncScope(...args) {
    if (!this.#isTest) return super.runInAsyncScope(...args);
    const before = running;
    running = this.asyncId();
    const end = () => {
      running = before;
    };
    try {
      const result = super.runInAsyncScope(...args);
      if (typeof result?.then === 'function') result.then(end, end);
      else end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  }
}

hooks.AsyncResource = Followed;
hooks.createHook = ({ init }) => {
  note = init;
  const nothing = { enable: () => nothing, disable: () => nothing };
  return nothing;
};
hooks.executionAsyncId = () => {
  const id = executionAsyncId();
  return isErrorLooseNow && !tests.has(id) ? running : id;
};
const { test } = await import('node:test'); // which takes the three from there, and keeps them
Object.assign(hooks, { AsyncResource, createHook, executionAsyncId });

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.prependListener(event, () => {
    isErrorLooseNow = true;
    queueMicrotask(() => {
      isErrorLooseNow = false;
    });
  });
}

// Property tests that name no number of cases have this many.
const runs = Number(process.env.POSTERN_PROPERTY_RUNS);
if (runs > 0) configureGlobal({ numRuns: runs });

const files = process.argv.slice(2);
let ended = 0;
process.on('exit', () => {
  process.exitCode ??= ended < files.length ? 1 : 0; // set by a file that runs itself elsewhere
});
for (const file of files) {
  await import(pathToFileURL(file).href);
  test(`end of ${file}`, () => {
    ended += 1;
  });
}
