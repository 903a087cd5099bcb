import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breachesOf } from './breaches.js';

const names = `const keep = async () => 1;
class C { async #read() {} }
interface D { send(a: string): Promise<void>; }
`;
const kindsIn = (text: string) => breachesOf(new Map([['src/login/x.ts', names + text]])).map(({ kind }) => kind);

test('a planted return that lets go of a lock before what it returns has ended is seen, in every form', () => {
  const held = 'await using _lock = await locks.acquire(1);';
  const early = [
    `async function f(): Promise<{ readonly a: 1 }> {\n${held}\nreturn keep({ a: 1 });\n}`,
    `const f = async () => { ${held} if (a) { return b ? c : this.http.send('x'); } return 1; };`,
    `const o = { f: async () => { ${held} for (const a of b) return this.#read(); } };`,
    'async function f() { const lock = take(); try { return keep(); } finally { lock.free(); } }',
    'async function f() { try { return new Promise(() => 1) } catch { return 2; } }',
    `async function f() { using _timer = new Timer(); return keep().then((a) => a); }`,
  ];
  for (const text of early) {
    assert.deepEqual(kindsIn(text), ['returned unawaited'], text);
  }
  const quiet = [
    `async function f() { ${held} return await keep(); }`,
    `async function f() { ${held} return (await keep()).a; }`,
    `async function f() { ${held} const g = () => { return keep(); }; return { g, a: await g() }; }`,
    `async function f() { { ${held} } return keep(); }`,
    `async function f() { if (a) return keep(); ${held} }`,
    'async function f() { try { a(); } finally { b(); } return keep(); }',
  ];
  for (const text of quiet) {
    assert.deepEqual(kindsIn(text), [], text);
  }
});
