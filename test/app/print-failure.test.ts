import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { createJournal, endOf, laidOut, reportFailure, stepLines } from '../../src/app/print-failure.js';
import { interrupted, interruptedUnderWay } from '../../src/core/failures.js';
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
