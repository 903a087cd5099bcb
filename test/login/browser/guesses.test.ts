import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { underTest } from './listener-under-test.js';

const lanes = 20;
const each = 10;

test('[A-115] hundreds of guesses by another user of this machine all fail alike, and the person’s answer comes through among them', async () => {
  await using on = await underTest();
  const replies = new Map<string, number>();
  let answered = 0;
  let page: Promise<unknown> | undefined;
  const guess = async (lane: number): Promise<void> => {
    for (let count = 0; count < each; count += 1) {
      // Of the right form and length, with our state's own beginning, a link, the final page: whatever may be tried.
      const value = randomBytes(32).toString('base64url');
      const near = `${on.state.slice(0, 42)}${on.state.endsWith('A') ? 'B' : 'A'}`;
      const targets = [`/callback?code=x&state=${value}`, `/callback?code=x&state=${near}`];
      const other = lane % 2 === 0 ? `/go/${value}` : `/done/${value}`;
      const target = [...targets, other][count % 3] ?? '';
      const { status, body } = await on.get(target);
      const reply = `${status} ${body}`;
      replies.set(reply, (replies.get(reply) ?? 0) + 1);
      answered += 1;
      // Halfway, while others guess, the person's browser comes.
      if (answered === (lanes * each) / 2) {
        assert.ok(on.isWaiting());
        page = on.callBack('code=ours');
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => guess(lane)));
  assert.deepEqual(await on.answer, [
    ['code', 'ours'],
    ['state', on.state],
  ]);
  await on.listener.finish('stored');
  assert.equal(((await page) as { readonly status: number }).status, 200);
  const [wrongState, wrongLink, ...more] = [...replies.keys()].sort();
  assert.match(wrongState ?? '', /^400 .*Nothing to see here/s);
  assert.match(wrongLink ?? '', /^404 .*Nothing to see here/s);
  assert.deepEqual(more, [], 'no guess is answered in any way of its own');
  assert.equal(
    [...replies.values()].reduce((sum, count) => sum + count, 0),
    lanes * each,
  );
});
