import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { createJournal, stepLines } from '../../src/app/journal.js';
import { endOf, laidOut, reportFailure } from '../../src/app/print-failure.js';
import { interrupted, interruptedUnderWay } from '../../src/core/output-failures.js';
import { asciiJson } from '../../src/core/text/printable.js';
import { anyText } from '../support/arbitraries.js';
import { exitCode, Failure, type Step } from '../support/product.js';

const plain = { json: false, verbose: false, steps: [], oneLine: false };

const step: Step = {
  name: 'protected-resource-metadata',
  asked: 'GET https://a.example/.well-known/oauth-protected-resource',
  came: '200',
  rule: 'R-4.2a',
  verdict: 'pass',
};

function failure(message: string): Failure {
  return new Failure({ code: 'some_code', exit: exitCode.serverBreaksRules, message, remedy: 'Do this.' });
}

test('a failure says what happened, what to do, and its code in the last line [A-251]', () => {
  const report = reportFailure(failure('It broke.'), plain);
  assert.equal(report.exit, 5);
  assert.deepEqual(report.lines, ['postern: It broke.', '         Do this.', '         [some_code, exit 5]']);
});

test('what fails is not named twice', () => {
  const [line] = reportFailure(failure('postern login needs a server.'), plain).lines;
  assert.equal(line, 'postern: login needs a server.');
  const [json = ''] = reportFailure(failure('postern login needs a server.'), { ...plain, json: true }).lines;
  assert.equal(JSON.parse(json).error.message, 'postern login needs a server.');
});

test('who has cancelled reads one line, and a command may say what it leaves behind', () => {
  const signal = AbortSignal.abort(interrupted());
  const underWay = interruptedUnderWay('run the tool');
  assert.deepEqual(reportFailure(endOf(failure('It broke.'), signal), plain), { exit: 130, lines: ['Cancelled.'] });
  const { lines } = reportFailure(endOf(underWay, signal), plain);
  assert.deepEqual(lines, ['Cancelled; the server may already have run the tool.']);
  assert.equal(JSON.parse(reportFailure(underWay, { ...plain, json: true }).lines[0] ?? '').error.code, 'interrupted');
  assert.equal(
    reportFailure(underWay, { ...plain, oneLine: true }).lines[0],
    `postern: ${underWay.message} [interrupted, exit 130]`,
  );
  const full = failure('The output took no more.');
  assert.equal(endOf(underWay, AbortSignal.abort(full)), full, 'what else has ended the run goes first');
  assert.equal(endOf(full, new AbortController().signal), full);
});

test('a sentence at a terminal is broken between words; a command and an address stay whole', () => {
  const look = { width: 40, color: false };
  const sentence = 'Logins are kept in sealed files. Choose their passphrase; without it they cannot be opened.';
  const lines = laidOut(sentence, look);
  assert.equal(lines.join(' '), sentence);
  assert.ok(lines.length === 3 && lines.every((line) => line.length <= 40), lines.join('\n'));
  for (const whole of [`  https://a.example/${'x'.repeat(40)}`, 'Short.'])
    assert.deepEqual(laidOut(whole, look), [whole]);
  assert.deepEqual(laidOut('Next: postern call a-server-with-a-long-name', look), [
    'Next:',
    '  postern call a-server-with-a-long-name',
  ]);
});

test('the steps that did not pass stand before it, those that did do not', () => {
  const failed: Step = { ...step, name: 'issuer', verdict: 'failure', note: 'another one' };
  const { lines } = reportFailure(failure('It broke.'), { ...plain, steps: [step, failed] });
  assert.match(lines[0] ?? '', /^failure {2}issuer .*\[RFC 9728 section 5\.1, WWW-Authenticate Response\]$/);
  assert.match(lines[1] ?? '', /another one/);
  assert.equal(lines[2], 'postern: It broke.');
  for (const code of ['wrong_address', 'login_not_offered']) {
    const wrong = new Failure({ code, exit: exitCode.usage, message: 'No MCP server.', remedy: 'Did you mean: x' });
    assert.equal(reportFailure(wrong, { ...plain, steps: [step, failed] }).lines[0], 'postern: No MCP server.');
  }
});

test('with --json it is one line of ASCII, whatever a server said [A-249]', () => {
  const hostile = '\u001b[2J\u009d52;c;x\u0007 \u202e \u{e0041} аррӏе.com\n2026 INFO login ok';
  const failed: Step = { ...step, came: hostile, verdict: 'failure' };
  const { lines } = reportFailure(failure(hostile), { ...plain, json: true, steps: [failed] });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^[\x20-\x7e]+$/);
  const { error } = JSON.parse(lines[0] ?? '');
  assert.deepEqual(Object.keys(error), ['code', 'message', 'remedy', 'exit', 'steps']);
  assert.equal(error.steps[0].name, step.name);
  assert.doesNotMatch(error.message + error.steps[0].came, /[\p{Cc}\p{Cf}]/u);
});

test('nothing a server can say steers a terminal or forges a line [A-243] [A-244] [A-245] [A-246] [A-248]', () => {
  const nasty = anyText({ maxLength: 400 });
  fc.assert(
    fc.property(nasty, nasty, fc.boolean(), (said, came, verbose) => {
      const failed: Step = { ...step, came, note: said, verdict: 'failure' };
      const cause = Object.assign(new Error(came), { input: said });
      const error = new Failure({ code: 'x', exit: 5, message: said, remedy: came, cause });
      for (const one of [error, cause, new AggregateError([error], said)]) {
        for (const line of reportFailure(one, { ...plain, verbose, steps: [failed] }).lines) {
          assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\p{M}{4}/u);
          assert.ok(line.length < 2600);
        }
      }
      const { lines } = reportFailure(error, { ...plain, steps: [failed] });
      assert.equal(lines.filter((line) => line.startsWith('postern: ')).length, 1);
    }),
  );
});

test('whatever is no Failure is a fault: exit 1, its text and stack only with --verbose [A-251]', () => {
  const error = Object.assign(new TypeError('token-canary-1 \u001b[2J', { cause: new Error('token-canary-2') }), {
    input: 'https://a.example/?code=token-canary-3',
  });
  const report = reportFailure(error, plain);
  assert.equal(report.exit, 1);
  assert.match(report.lines.join('\n'), /fault of postern itself \(TypeError\)/);
  assert.doesNotMatch(report.lines.join('\n'), /canary|at .*\.js/);
  const verbose = reportFailure(error, { ...plain, verbose: true }).lines.join('\n');
  assert.match(verbose, /token-canary-1 \\x1b\[2J/);
  assert.match(verbose, /print-failure\.test/);
  assert.doesNotMatch(verbose, /canary-3/);
  for (const odd of [undefined, null, 'text', 7, {}]) {
    assert.equal(reportFailure(odd, plain).exit, 1);
  }
});

test('the journal keeps every step, and prints each as it ends when asked to', () => {
  const shown: string[] = [];
  let recorded = 0;
  const journal = createJournal({ show: (line) => shown.push(line), json: false, recorded: () => (recorded += 1) });
  journal.record(step);
  journal.record({ ...step, verdict: 'warning', note: 'mind this' });
  assert.equal(journal.steps.length, 2);
  assert.equal(recorded, 2);
  assert.deepEqual(shown, [
    'pass     protected-resource-metadata    GET https://a.example/.well-known/oauth-protected-resource → 200  [RFC 9728 section 5.1, WWW-Authenticate Response]',
    'warning  protected-resource-metadata    GET https://a.example/.well-known/oauth-protected-resource → 200  [RFC 9728 section 5.1, WWW-Authenticate Response]',
    '         mind this',
  ]);
});

test('with --json a step is a line for programs, its rule in words', () => {
  const shown: string[] = [];
  const journal = createJournal({ show: (line) => shown.push(line), json: true, recorded: () => undefined });
  journal.record({ ...step, came: '\u001b[2J' });
  const { step: read } = JSON.parse(shown[0] ?? '');
  assert.deepEqual(read, { ...step, came: '\\x1b[2J', rule: 'RFC 9728 section 5.1, WWW-Authenticate Response' });
});

test('a colour says nothing that the word does not', () => {
  for (const verdict of ['pass', 'warning', 'failure', 'skipped'] as const) {
    const [line = ''] = stepLines({ ...step, verdict });
    const [coloured = ''] = laidOut(line, { width: 200, color: true });
    assert.ok(coloured.startsWith('\u001b['));
    assert.equal(stripVTControlCharacters(coloured), line);
    assert.ok(line.startsWith(verdict));
  }
});

test('a command that fits stays on its line; on a line of its own nothing stands behind it', () => {
  const line = '         Did you mean: postern setup codex?';
  assert.deepEqual(laidOut(line, { width: 80, color: false }), [line]);
  assert.deepEqual(laidOut(line, { width: 30, color: false }), [
    '         Did you mean:',
    '           postern setup codex',
  ]);
});

test('at a terminal a failure fits, goes on below its own text, and a command is one line to copy', () => {
  const error = new Failure({
    code: 'some_code',
    exit: 5,
    message: 'The server did something that no server should ever do to anybody.',
    remedy: 'Log in to that address: postern login https://example.com/a/long/path/mcp --scope "a b"',
  });
  const look = { width: 40, color: false };
  const { lines } = reportFailure(error, plain);
  assert.deepEqual(
    lines.flatMap((line) => laidOut(line, look)),
    [
      'postern: The server did something that',
      '         no server should ever do to',
      '         anybody.',
      '         Log in to that address:',
      'postern login https://example.com/a/long/path/mcp --scope "a b"',
      '         [some_code, exit 5]',
    ],
  );
  assert.deepEqual(laidOut('  at some.stack (of:1:2) that is longer than forty columns', look), [
    '  at some.stack (of:1:2) that is longer than forty columns',
  ]);
  const coloured = lines.flatMap((line) => laidOut(line, { width: 40, color: true }));
  assert.equal(coloured[0], '\u001b[31mpostern:\u001b[39m The server did something that');
  assert.deepEqual(
    coloured.map((line) => stripVTControlCharacters(line)),
    lines.flatMap((line) => laidOut(line, look)),
  );
});

test('no word of a line is lost or made up where it is laid out', () => {
  const words = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 30 }), { maxLength: 30 });
  fc.assert(
    fc.property(words, fc.integer({ min: 40, max: 200 }), (all, width) => {
      const line = `postern: ${all.join(' ')}`;
      const joined = laidOut(line, { width, color: false }).join(' ');
      assert.equal(joined.replace(/\s+/g, ''), line.replace(/\s+/g, ''));
    }),
  );
});

test('ASCII JSON gives back what was put in', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.match(asciiJson(value), /^[\x20-\x7e]*$/);
      assert.deepEqual(JSON.parse(asciiJson(value)), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('that a server could not be reached is said once; a step that broke a rule is shown', () => {
  const gone = new Failure({ code: 'network_failed', exit: exitCode.network, message: 'Gone.', remedy: 'Try again.' });
  const steps: readonly Step[] = [
    { ...step, verdict: 'failure', came: 'status 405' },
    { ...step, verdict: 'failure', came: 'network failed', code: 'network_failed' },
  ];
  const { lines } = reportFailure(gone, { ...plain, steps });
  assert.equal(lines.filter((line) => line.startsWith('failure')).length, 1, lines.join('\n'));
  assert.match(lines[0] ?? '', /status 405/);
});

test('a person’s no is said once, and another refusal with the step that met it', () => {
  const steps: readonly Step[] = [{ ...step, name: 'authorization', verdict: 'failure', came: 'error access_denied' }];
  const no = new Failure({ code: 'denied', exit: exitCode.refused, message: 'Denied.', remedy: 'Again.' });
  assert.deepEqual(reportFailure(no, { ...plain, steps }).lines, [
    'postern: Denied.',
    '         Again.',
    '         [denied, exit 4]',
  ]);
  const other = new Failure({ code: 'authorization_refused', exit: exitCode.refused, message: 'No.', remedy: 'See.' });
  assert.match(reportFailure(other, { ...plain, steps }).lines[0] ?? '', /^failure /);
});
