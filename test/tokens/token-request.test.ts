import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minLifeOf } from '../../src/tokens/read-credential.js';
import { Secret } from '../support/product.js';

test('[A-181] enough life: a minute, five where it is frozen, less where a token never lives long, else what is asked for', () => {
  const lives = (seconds: number | null) => ({
    obtainedAt: 0,
    expiresAt: seconds === null ? null : seconds * 1000,
    refreshToken: new Secret('refresh'),
  });
  assert.equal(minLifeOf(lives(3600), undefined), 60_000);
  assert.equal(minLifeOf(lives(3600), undefined, true), 300_000);
  assert.equal(minLifeOf(lives(300), undefined), 30_000);
  assert.equal(minLifeOf(lives(300), undefined, true), 150_000);
  assert.equal(minLifeOf(lives(300), 5_000), 5_000);
  assert.equal(minLifeOf(lives(null), undefined), 60_000);
  assert.equal(minLifeOf({ ...lives(300), obtainedAt: 10_000, expiresAt: 0 }, undefined), 0);
  assert.equal(minLifeOf({ obtainedAt: 0, expiresAt: 300_000 }, undefined), 0, 'without another one: to its end');
});
